/* files.c - where the puzzles are installed, and the reader's folder beside them.
 *
 * The reader's folder is lanewise-puzzles in the working folder: NAME.c for each puzzle that was
 * begun, the files that it reads, and `progress`, lines of NAME DONE HINTS. What is there is never
 * overwritten but for `progress`.
 */
#include "cli/learn/learn.h"
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRESS LEARN_FOLDER "/progress"

/* ---- whole files ----------------------------------------------------------------------------- */

/* read_file - all of it and a NUL; *size without that. NULL: errno says why. */
static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    if (!file)
        return NULL;
    struct stat about;
    if (fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode))
        text = calloc((size_t)about.st_size + 1, 1);
    else
        errno = EINVAL;
    if (text) {
        *size = fread(text, 1, (size_t)about.st_size, file);
        text[*size] = '\0';
    }
    fclose(file);
    return text;
}

/* read_own - a file of the puzzles: that it cannot be read is no mistake of the reader's. */
static int read_own(const char *path, char **text, size_t *size)
{
    *text = read_file(path, size);
    if (!*text && errno == ENOMEM)
        return cli_fail_file(errno, path);
    return *text ? CLI_DONE : cli_fail(CLI_BROKEN, "%s: %s", path, strerror(errno));
}

int learn_text(const char *folder, const char *name, char **text)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    size_t size;
    return read_own(path, text, &size);
}

/* ---- the track ------------------------------------------------------------------------------- */

/* find_folder - as installed beside this program, or in the source tree. */
static bool find_folder(char *folder, size_t size)
{
    char self[PATH_MAX], path[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    for (int up = 0; up < 2 && strrchr(self, '/'); up++)
        *strrchr(self, '/') = '\0';
    const char *const places[] = {"share/lanewise/puzzles", NULL};
    for (size_t i = 0; i < 2; i++) {
        if (places[i])
            snprintf(folder, size, "%.*s/%s", PATH_MAX - 512, self, places[i]);
        else
            snprintf(folder, size, "%s", LW_PUZZLES);
        snprintf(path, sizeof path, "%s/track", folder);
        if (access(path, R_OK) == 0)
            return true;
    }
    return false;
}

/* read_progress - lines of puzzles that are not in the track are left out. A file that is there and
 * cannot be read is not as none, which would be written over it. */
static int read_progress(struct learn_track *track)
{
    char name[64];
    FILE *file = fopen(PROGRESS, "r");
    if (!file)
        return errno == ENOENT || errno == ENOTDIR ? CLI_DONE : cli_fail_file(errno, PROGRESS);
    int done, hints;
    while (fscanf(file, "%63s %d %d", name, &done, &hints) == 3)
        for (size_t i = 0; i < track->count; i++)
            if (strcmp(track->names[i], name) == 0) {
                track->done[i] = done != 0;
                track->hints[i] = hints < 0 ? 0 : hints;
            }
    fclose(file);
    return CLI_DONE;
}

int learn_open(struct learn_track *track)
{
    *track = (struct learn_track){.count = 0};
    if (!find_folder(track->folder, sizeof track->folder))
        return cli_fail(CLI_BROKEN, "the puzzles are not there: no %s/track", track->folder);
    int failed = learn_text(track->folder, "track", &track->text);
    for (char *word = failed ? NULL : strtok(track->text, "\n"); word; word = strtok(NULL, "\n"))
        if (track->count < LEARN_PUZZLES && *word != '#')
            track->names[track->count++] = word;
    return failed ? failed : read_progress(track);
}

void learn_close(struct learn_track *track)
{
    free(track->text);
    track->text = NULL;
}

int learn_find(const struct learn_track *track, const char *word, size_t *index)
{
    struct lw__nearest nearest = {.typed = word, .length = strlen(word)};
    uint64_t number;
    bool is_number = lw__number_read(LW_U64, word, &number) == LW_NUMBER_OK;
    for (size_t i = 0; i < track->count; i++) {
        *index = i;
        if (is_number ? number == i + 1 : strcmp(track->names[i], word) == 0)
            return CLI_DONE;
        lw__nearest_try(&nearest, track->names[i]);
    }
    if (strspn(word, "-0123456789") == strlen(word))
        return cli_fail(CLI_USAGE, "there is no puzzle %s; there are 1 to %zu", word, track->count);
    return cli_fail(CLI_USAGE, "there is no puzzle '%s'; lanewise learn lists them%s", word,
                    lw__nearest_text(&nearest));
}

/* ---- the reader's folder --------------------------------------------------------------------- */

static int make_folder(void)
{
    if (mkdir(LEARN_FOLDER, 0777) == 0 || errno == EEXIST)
        return CLI_DONE;
    return cli_fail(CLI_USAGE, LEARN_FOLDER ": %s", strerror(errno));
}

/* copy - to the reader's folder, unless there is such a file. */
static int copy(const char *from, const char *to, bool *is_new)
{
    size_t size = 0;
    *is_new = access(to, F_OK) != 0;
    if (!*is_new)
        return CLI_DONE;
    char *text;
    int failed = read_own(from, &text, &size);
    if (!failed)
        failed = cli_save(to, &(struct lw__part){text, size}, 1);
    free(text);
    return failed;
}

int learn_start(const struct learn_puzzle *puzzle, bool *is_new)
{
    char from[PATH_MAX + 64];
    snprintf(from, sizeof from, "%s/skeleton.c", puzzle->folder);
    int failed = make_folder();
    if (!failed)
        failed = copy(from, puzzle->mine, is_new);
    snprintf(from, sizeof from, "%s/*.npy", puzzle->folder);
    glob_t inputs;
    if (failed || glob(from, 0, NULL, &inputs) != 0)
        return failed;
    bool is_new_input;
    for (size_t i = 0; i < inputs.gl_pathc && !failed; i++) {
        snprintf(from, sizeof from, LEARN_FOLDER "/%s", strrchr(inputs.gl_pathv[i], '/') + 1);
        failed = copy(inputs.gl_pathv[i], from, &is_new_input);
    }
    globfree(&inputs);
    return failed;
}

int learn_save(const struct learn_track *track)
{
    int failed = make_folder();
    if (failed)
        return failed;
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    for (size_t i = 0; i < track->count && to; i++)
        if (track->done[i] || track->hints[i])
            fprintf(to, "%s %d %d\n", track->names[i], track->done[i], track->hints[i]);
    failed = cli_end_text(to, &text);
    if (!failed)
        failed = cli_save(PROGRESS, &(struct lw__part){text, size}, 1);
    free(text);
    return failed;
}
