/* init.c - `lanewise init`: a folder of kernels becomes one that an editor understands.
 *
 * clangd, and all that is built on it, reads the flags of a folder's files from compile_flags.txt.
 * Lines that are there stay; those that are missing are added.
 */
#include "cli/make/make.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FLAGS_FILE "compile_flags.txt"

/* The kernels' own math.h, by a word that no other has in its path. */
static const char header[] = "lanewise/kernel.h", libc_header[] = "../libc/math.h";

static bool has_file(const char *folder, const char *file)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, file);
    return length > 0 && length < PATH_MAX && access(path, R_OK) == 0;
}

static bool has_header(const char *folder)
{
    return has_file(folder, header);
}

/* find_include - the folder that holds lanewise/kernel.h: the environment's, that of the prefix in
 * which this program is installed, or the source tree's. */
static int find_include(char folder[PATH_MAX])
{
    static const char *const below[] = {"libexec/lanewise/include", "include"};
    const char *chosen = getenv("LANEWISE_INCLUDE");
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (chosen) {
        if (*chosen && has_header(chosen) && realpath(chosen, folder))
            return CLI_DONE;
        return cli_fail(CLI_USAGE,
                        "LANEWISE_INCLUDE is '%s'; need a folder that holds lanewise/kernel.h",
                        chosen);
    }
    self[length > 0 ? length : 0] = '\0';
    for (int up = 0; up < 2 && strrchr(self, '/'); up++)
        *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        snprintf(folder, PATH_MAX, "%.*s/%s", PATH_MAX - 32, self, below[i]);
        if (has_header(folder))
            return CLI_DONE;
    }
    snprintf(folder, PATH_MAX, "%s", LW_KERNEL_INCLUDE);
    if (has_header(folder))
        return CLI_DONE;
    return cli_fail(CLI_BROKEN,
                    "lanewise/kernel.h is not in %s; LANEWISE_INCLUDE can name a folder", folder);
}

/* read_flags - all of the file, and a NUL; "" where there is none. Release with free. */
static int read_flags(char **text)
{
    size_t size = 0, got = 0;
    FILE *file = fopen(FLAGS_FILE, "r");
    *text = NULL;
    if (!file && errno != ENOENT)
        return cli_fail_file(errno, FLAGS_FILE);
    struct stat about;
    if (file && fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode))
        size = (size_t)about.st_size;
    *text = calloc(size + 1, 1);
    if (*text && file)
        got = fread(*text, 1, size, file);
    bool is_whole = got == size;
    if (file)
        fclose(file);
    if (!*text)
        return cli_fail_memory(size + 1);
    return is_whole ? CLI_DONE : cli_fail(CLI_USAGE, FLAGS_FILE ": cannot be read");
}

/* has_line - one that is flag; or, where that is NULL, any -I of a folder that has the file. */
static bool has_line(const char *text, const char *flag, const char *file)
{
    char line[PATH_MAX];
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\r\n");
        snprintf(line, sizeof line, "%.*s", length < PATH_MAX ? (int)length : 0, at);
        if (flag ? !strcmp(line, flag) : !strncmp(line, "-I", 2) && has_file(line + 2, file))
            return true;
        at += length + strspn(at + length, "\r\n");
    }
    return false;
}

/* The kernels' own math.h and stdio.h come before the system's, as when kernels are compiled. */
static int write_flags(const char *there, const char *include)
{
    char text[2 * PATH_MAX + 64], libc[PATH_MAX + 32];
    bool is_ended = !*there || there[strlen(there) - 1] == '\n';
    snprintf(libc, sizeof libc, "-I%s/lanewise/libc", include);
    bool has_language = has_line(there, "-xc", NULL), has_folder = has_line(there, NULL, header),
         has_libc = has_line(there, NULL, libc_header);
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s", is_ended ? "" : "\n", has_language ? "" : "-xc\n",
             has_folder ? "" : "-I", has_folder ? "" : include, has_folder ? "" : "\n",
             has_libc ? "" : libc, has_libc ? "" : "\n");
    if (has_language && has_folder && has_libc) {
        puts(FLAGS_FILE " has all that is needed");
        return CLI_DONE;
    }
    const struct lw__part parts[] = {{there, strlen(there)}, {text, strlen(text)}};
    int failed = cli_save(FLAGS_FILE, parts, 2);
    if (!failed)
        printf("%s %s\n", *there ? "added to" : "wrote", FLAGS_FILE);
    return failed;
}

int cli_init(const struct cli_options *options)
{
    char include[PATH_MAX], *there = NULL;
    (void)options;
    int failed = find_include(include);
    if (!failed)
        failed = read_flags(&there);
    if (!failed)
        failed = write_flags(there, include);
    if (!failed && access("compile_commands.json", F_OK) == 0)
        puts("compile_commands.json is here too, and clangd prefers it");
    free(there);
    return failed;
}
