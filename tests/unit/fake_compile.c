/* fake_compile.c - the test double of lanewise-compile.
 *
 * It takes the same command line. The source is the rows of the manifest, which it writes between
 * the first and the last row; $LW_FAKE_PAYLOAD names a file to append as payload. A first line
 * "!word" makes it misbehave. $LW_FAKE_LOG names a file that gets one byte for each run.
 *
 * With --common, the second step for `cpu` and `cuda`, the bitcode is the rows, and
 * $LW_FAKE_SECOND_PAYLOAD, if it is set, the payload. $LW_FAKE_REFUSE is "K X,Y,Z", a kernel and a
 * block that it refuses to build. With $LW_FAKE_SLOW it takes too long where the target says no
 * size of gangs. With --first it writes the results of both steps, and after that
 * $LW_FAKE_FIRST_CRASHES ends it by a signal.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char text[1 << 20];

static size_t read_all(int file, char *to, size_t room)
{
    size_t length = 0;
    ssize_t got;

    while ((got = read(file, to + length, room - length - 1)) > 0)
        length += (size_t)got;
    to[length] = '\0';
    return length;
}

static void log_run(void)
{
    const char *path = getenv("LW_FAKE_LOG");
    int file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;

    if (file >= 0 && write(file, "x", 1) == 1)
        close(file);
}

/* One note for each word of the command line, and one for each open descriptor. */
static void tell(FILE *out, char **words)
{
    DIR *folder = opendir("/proc/self/fd");

    for (; *words; words++)
        fprintf(out, "diag\tnote\t\t0\t0\tword %s\n", *words);
    struct dirent *entry;
    while ((entry = readdir(folder)))
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(folder))
            fprintf(out, "diag\tnote\t\t0\t0\tdescriptor %s\n", entry->d_name);
    closedir(folder);
}

static void misbehave(const char *how)
{
    if (!strncmp(how, "!crash", 6)) {
        fprintf(stderr, "assertion failed: all is lost\nsecond line\n");
        abort();
    }
    if (!strncmp(how, "!kill", 5))
        raise(SIGKILL);
    if (!strncmp(how, "!slow", 5))
        raise(SIGXCPU);
    if (!strncmp(how, "!exit", 5))
        exit(atoi(how + 5));
}

static void write_payload(FILE *out, bool is_second_step)
{
    static char payload[1 << 24];
    const char *second = getenv("LW_FAKE_SECOND_PAYLOAD");
    const char *path = is_second_step && second ? second : getenv("LW_FAKE_PAYLOAD");
    int file = path ? open(path, O_RDONLY) : -1;
    size_t length = file >= 0 ? read_all(file, payload, sizeof payload) : 0;

    fprintf(out, "end\t%zu\n", length);
    fwrite(payload, 1, length, out);
}

static bool is_unwanted(const char *kernel, const char *block)
{
    const char *wanted = getenv("LW_FAKE_REFUSE");
    size_t length = strlen(kernel);

    return wanted && *kernel && !strncmp(wanted, kernel, length) && wanted[length] == ' ' &&
           !strcmp(wanted + length + 1, block);
}

/* The second step's result: errors in it are not the first's. */
static bool write_second(int file, const char *rows, bool refuse, const char *block)
{
    FILE *out = fdopen(file, "w");

    fprintf(out, "lanewise-manifest\t1\n");
    if (refuse)
        fprintf(out, "diag\terror\tk.c\t3\t5\tnot for blocks of %s\n", block);
    fputs(rows, out);
    write_payload(out, true);
    return !fclose(out);
}

int main(int count, char **words)
{
    int out_file = -1, first = -1, source = -1;
    const char *rows = text, *kernel = "", *block = "", *target = "";

    for (int i = 1; i + 1 < count; i++) {
        if (!strcmp(words[i], "--out"))
            out_file = atoi(words[i + 1]);
        if (!strcmp(words[i], "--first"))
            first = atoi(words[i + 1]);
        if (!strcmp(words[i], "--source") || !strcmp(words[i], "--common"))
            source = atoi(words[i + 1]);
        if (!strcmp(words[i], "--device"))
            target = words[i + 1];
        if (!strcmp(words[i], "--kernel"))
            kernel = words[i + 1];
        if (!strcmp(words[i], "--block"))
            block = words[i + 1];
    }
    log_run();
    if (getenv("LW_FAKE_SLOW") && !strchr(target, '/'))
        raise(SIGXCPU);
    if (source < 0)
        source = open(words[count - 1], O_RDONLY);
    lseek(source, 0, SEEK_SET);
    read_all(source, text, sizeof text);
    misbehave(text);
    FILE *out = fdopen(out_file, "w");
    if (!strncmp(text, "!garbage\n", 9))
        return fputs("\177ELF garbage", out) < 0 || fclose(out);
    fprintf(out, "lanewise-manifest\t1\n");
    if (!strncmp(text, "!tell\n", 6))
        tell(out, words), rows += 6;
    bool refuse = !strncmp(text, "!refuse\n", 8);
    if (refuse)
        rows += 8;
    if (first >= 0 && !refuse && !write_second(first, rows, is_unwanted(kernel, block), block))
        return 3;
    if (first < 0 && is_unwanted(kernel, block))
        refuse = fprintf(out, "diag\terror\tk.c\t3\t5\tnot for blocks of %s\n", block) > 0;
    if (!strncmp(text, "!cut\n", 5))
        return fputs(rows + 5, out) < 0 || fclose(out);
    fputs(rows, out);
    write_payload(out, *kernel && first < 0);
    fclose(out);
    if (first >= 0 && getenv("LW_FAKE_FIRST_CRASHES"))
        abort();
    return refuse;
}
