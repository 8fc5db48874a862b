/* Building programs: what the compiler is told, what its answers become, and how it may end. */
#include "run_test.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

static lw_device *null;
static struct lw__text said;

static void listen(const lw_diagnostic *d, void *user)
{
    lw__text_add(user, "%s|%s|%d|%d|%s\n", d->severity, d->file, d->line, d->column, d->text);
}

static lw_status build(const char *path, const char *source)
{
    const char *const defines[] = {"N=3", "FAST"}, *const folders[] = {"/usr/include"};
    lw_build_options options = {.source = source,
                                .defines = defines,
                                .define_count = 2,
                                .include_dirs = folders,
                                .include_dir_count = 1,
                                .on_diagnostic = listen,
                                .user = &said};
    lw_program *program;
    lw_status status;

    lw__text_free(&said);
    lw__text_add(&said, "%s", "");
    status = lw_program_build(null, path, &options, &program);
    CHECK(status ? !program : program != NULL);
    lw_program_destroy(program);
    return status;
}

static void questions(void)
{
    lw_program *p = build_rows(null, ADD_ROWS "kernel\ttwo\tvoid two(void)\t9\t8\t4\t1\t0\t0\t0\n");

    CHECK(lw_program_kernel_count(p) == 2);
    lw_kernel *k;
    WORKS(lw_program_kernel(p, "add", &k));
    CHECK(!strcmp(lw_kernel_name(k), "add") && lw_kernel_param_count(k) == 4);
    CHECK(!strcmp(lw_kernel_signature(k),
                  "void add(float *out, const float *a, const float *b, int n)"));
    CHECK(lw_kernel_fixed_block(k).x == 0);
    lw_param param;
    WORKS(lw_kernel_param(k, 1, &param));
    CHECK(!strcmp(param.name, "a") && !strcmp(param.type, "const float *") && param.is_const);
    CHECK(!strcmp(param.layout, "pc(f32)") && param.bytes == 8 && param.dims == 0);
    FAILS(lw_kernel_param(k, 4, &param), LW_E_ARG,
          "add: there is no parameter 4; it has 4, counted from 0");
    lw_kernel *two;
    WORKS(lw_program_kernel_at(p, 1, &two));
    CHECK(lw_kernel_fixed_block(two).x == 8 && lw_kernel_fixed_block(two).y == 4);
    FAILS(lw_program_kernel_at(p, 2, &k), LW_E_ARG,
          "there is no kernel 2; 'test.c' has 2, counted from 0");
    FAILS(lw_program_kernel(p, "ad", &k), LW_E_ARG,
          "there is no kernel 'ad' in 'test.c'; it has add, two; did you mean 'add'?");
    CHECK(!k);
    lw_program_destroy(p);
    p = build_rows(null, "");
    FAILS(lw_program_kernel(p, "x", &k), LW_E_ARG,
          "there is no kernel 'x' in 'test.c'; it has none");
    lw_program_destroy(p);
    lw_program_destroy(NULL);
}

static void told(void)
{
    char path[] = "/tmp/lanewise-unit-XXXXXX";
    int file = mkstemp(path), high = fcntl(file, F_DUPFD, 50); /* without CLOEXEC */
    const char *end;

    WORKS(build("name.c", "!tell\n"));
    CHECK(strstr(said.data, "word lanewise-compile\n") && strstr(said.data, "word --device\n"));
    end = strstr(said.data, "note||0|0|word null\nnote||0|0|word --name\nnote||0|0|word name.c\n");
    CHECK(end != NULL);
    CHECK(
        strstr(said.data, "word -D\nnote||0|0|word N=3\nnote||0|0|word -D\nnote||0|0|word FAST\n"));
    CHECK(strstr(said.data, "word -I\nnote||0|0|word /usr/include\nnote||0|0|descriptor"));
    CHECK(strstr(said.data, "descriptor 4\n") && !strstr(said.data, "descriptor 5"));
    CHECK(!strstr(said.data, "descriptor 1\n") == !strstr(said.data, "descriptor 0\n"));
    CHECK(!strstr(said.data, "descriptor 10") && !strstr(said.data, "descriptor 50"));
    CHECK(write(file, "!tell\n", 6) == 6);
    WORKS(build(path, NULL));
    CHECK(strstr(said.data, path) && !strstr(said.data, "word --source\n"));
    WORKS(build(NULL, "!tell\n"));
    CHECK(strstr(said.data, "word <source>\n"));
    close(high);
    close(file);
    unlink(path);
}

static void dashed_path(void)
{
    char folder[] = "/tmp/lanewise-unit-XXXXXX", *before = getcwd(NULL, 0);

    CHECK(mkdtemp(folder) && !chdir(folder));
    int file = open("-x.c", O_CREAT | O_WRONLY, 0600);
    CHECK(write(file, "!tell\n", 6) == 6);
    close(file);
    WORKS(build("-x.c", NULL));
    CHECK(strstr(said.data, "word -x.c\n") && strstr(said.data, "word ./-x.c\n"));
    unlink("-x.c");
    CHECK(!chdir(before) && !rmdir(folder));
    free(before);
}

/* A named pipe can be read once only. */
static void from_pipe(void)
{
    char name[64];
    int ends[2];

    CHECK(pipe(ends) == 0 && write(ends[1], "!tell\n", 6) == 6 && close(ends[1]) == 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    WORKS(build(name, NULL));
    CHECK(strstr(said.data, "word --source\n"));
    close(ends[0]);
}

static void refusals(void)
{
    FAILS(build("k.c", "!refuse\ndiag\twarning\tk.c\t1\t2\tfirst\ndiag\terror\tk.c\t3\t4\tsecond\n"
                       "diag\terror\tk.c\t5\t6\tthird\n"),
          LW_E_COMPILE, "k.c:3:4: second");
    CHECK(!strcmp(said.data, "warning|k.c|1|2|first\nerror|k.c|3|4|second\nerror|k.c|5|6|third\n"));
    FAILS(build("k.c", "!refuse\ndiag\terror\t\t0\t0\tno place\n"), LW_E_COMPILE, "k.c: no place");
    FAILS(build("k.c", "!refuse\n"), LW_E_INTERNAL,
          "lanewise-compile refused 'k.c' and gave no reason");
    FAILS(build("k.c", "!refuse\ndiag\terror\tk.c\t3\t4\twrong\nshown\t 3 | x\\n   | ^\n"),
          LW_E_COMPILE, "k.c:3:4: wrong\n 3 | x\n   | ^");
    WORKS(build("k.c", "diag\twarning\tk.c\t1\t2\tfirst\n"));
    CHECK(!strcmp(said.data, "warning|k.c|1|2|first\n"));
}

static void ends(void)
{
    FAILS(
        build("k.c", "!crash"), LW_E_INTERNAL,
        "lanewise-compile was ended by signal SIGABRT (6) on 'k.c': assertion failed: all is lost");
    FAILS(build("k.c", "!kill"), LW_E_INTERNAL,
          "lanewise-compile was ended by signal SIGKILL (9) on 'k.c'");
    FAILS(build("k.c", "!slow"), LW_E_COMPILE,
          "k.c: compiling it takes more than its limit, 60 s of processor time");
    FAILS(build("k.c", "!exit 2"), LW_E_INTERNAL,
          "lanewise-compile ended with exit status 2 on 'k.c'");
    FAILS(build("k.c", "!garbage\n"), LW_E_INTERNAL,
          "the compiler's manifest is cut off: 12 bytes, no end row");
    FAILS(build("k.c", "!cut\n" ADD_ROWS), LW_E_INTERNAL,
          "the compiler's manifest is cut off: 233 bytes, no end row");
    FAILS(build("k.c", "kernel\tk\tvoid k(int n)\t1\t0\t0\t0\t0\t0\t4\n"
                       "param\tn\tint\tf64\t0\t4\t0\n"),
          LW_E_INTERNAL,
          "the compiler's manifest is damaged: parameter 'n' of 4 bytes has layout 'f64'");
}

/* Hosts that ignore SIGCHLD take the exit status away; the manifest then decides. */
static void without_status(void)
{
    signal(SIGCHLD, SIG_IGN);
    WORKS(build("k.c", ADD_ROWS));
    FAILS(build("k.c", "!refuse\ndiag\terror\tk.c\t3\t4\tsecond\n"), LW_E_COMPILE,
          "k.c:3:4: second");
    CHECK(build("k.c", "!crash") == LW_E_INTERNAL);
    signal(SIGCHLD, SIG_DFL);
}

/* Code for a debugger is for the device that has it. */
static void debugger(void)
{
    const lw_build_options options = {.source = ADD_ROWS, .debug = true};
    lw_program *p = NULL;

    CHECK(lw_program_build(null, "k.c", &options, &p) == LW_E_UNSUPPORTED && !p);
    CHECK(!strcmp(lw_last_error(),
                  "code for a debugger is for device 'ref', which runs one thread at a time, and "
                  "not for 'null'"));
}

static void arguments(void)
{
    const char *words[] = {"A", NULL};
    lw_build_options o = {.source = "", .define_count = 2};
    lw_program *p;

    FAILS(lw_program_build(NULL, "k.c", NULL, &p), LW_E_ARG, "the device is NULL");
    FAILS(lw_program_build(null, "k.c", NULL, NULL), LW_E_ARG, "the place for the program is NULL");
    FAILS(lw_program_build(null, NULL, NULL, &p), LW_E_ARG,
          "there is nothing to build: path and options->source are NULL");
    FAILS(lw_program_build(null, "/no/k.c", NULL, &p), LW_E_IO,
          "/no/k.c: No such file or directory");
    FAILS(lw_program_build(null, "/", NULL, &p), LW_E_IO, "/: Is a directory");
    FAILS(lw_program_build(null, "k", &o, &p), LW_E_ARG,
          "the list of defines is NULL, its count is 2");
    o.defines = words;
    FAILS(lw_program_build(null, "k", &o, &p), LW_E_ARG, "defines[1] is NULL");
    words[1] = "";
    FAILS(lw_program_build(null, "k", &o, &p), LW_E_ARG, "defines[1] is empty");
}

static void missing_compiler(void)
{
    char *real = lw__copy_string(getenv("LANEWISE_COMPILE"));

    setenv("LANEWISE_COMPILE", "/no/compiler", 1);
    FAILS(build("k.c", ""), LW_E_INTERNAL,
          "LANEWISE_COMPILE names '/no/compiler', which cannot be run: No such file or directory; "
          "need "
          "the path of lanewise-compile");
    setenv("LANEWISE_COMPILE", "/", 1);
    FAILS(build("k.c", ""), LW_E_INTERNAL,
          "LANEWISE_COMPILE names '/', which cannot be run: Permission denied; need "
          "the path of lanewise-compile");
    setenv("LANEWISE_COMPILE", real, 1);
    free(real);
}

int main(void)
{
    null = open_device("null");
    questions();
    told();
    dashed_path();
    from_pipe();
    refusals();
    ends();
    without_status();
    debugger();
    arguments();
    missing_compiler();
    lw__text_free(&said);
    lw_device_close(null);
    return failures != 0;
}
