# check-c.sh - lanewise/check.h: a C program that opens the best device runs on "check" where
# LANEWISE_DEVICE says so, and is told at the wait; findings with stacks of helper calls, the
# formats, the settings, and what is refused.
set -eu
lib=$(dirname "$(find "$BUILD" -name liblanewise.so | head -n 1)")
flags="-O1 -Wall -Wextra -Wpedantic -Werror -I$SOURCE/include"
link="-L$lib -Wl,-rpath,$lib -llanewise -lm"
! nm -D "$lib/liblanewise.so" | grep -q __asan_init || flags="$flags -fsanitize=address"
! nm -D "$lib/liblanewise.so" | grep -q __tsan_init || flags="$flags -fsanitize=thread"
LANEWISE_CACHE_DIR=$TMP/cache
export LANEWISE_CACHE_DIR
fail() { echo "$*"; exit 1; }

cat >host.c <<'C'
#include <assert.h>
#include <lanewise/check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kernels[] = "#include <lanewise/kernel.h>\n"
                              "static void add(int *n)\n"
                              "{\n"
                              "    *n += 1;\n"
                              "}\n"
                              "static void add_two(int *n)\n"
                              "{\n"
                              "    add(n); add(n + 1);\n"
                              "}\n"
                              "KERNEL void count(int *n) { add_two(n); }\n"
                              "KERNEL void flag(int *n) { *n = 1; }\n"
                              "struct kept { int *p; };\n"
                              "KERNEL void keep(struct kept *k, int *n) { k->p = n + 1; }\n"
                              "KERNEL void use(struct kept *k, int *n) { *n = *k->p; }\n";
#define TRY(call) do { if ((call) != LW_OK) { fprintf(stderr, "%d: %s\n", __LINE__, \
    lw_last_error()); exit(1); } } while (0)

static void print(const lw_finding *f, void *user)
{
    ++*(int *)user;
    printf("%s%s %s:%d:%d", f->warning ? "warning " : "", f->name, f->at.file, f->at.line,
           f->at.column);
    for (size_t i = 0; i < f->stack_count; i++)
        printf(" <- %s:%d:%d", f->stack[i].file, f->stack[i].line, f->stack[i].column);
    printf("\n");
}

static void last(const lw_finding *f, void *user)
{
    snprintf(user, 256, "%s: %s", f->name, f->message);
}

/* A kernel keeps a pointer to a buffer that is destroyed before the next launch. */
static void use_after_free(lw_device *dev, lw_program *prog, lw_buffer *n)
{
    char told[256] = "";
    lw_kernel *keep, *use;
    lw_buffer *kept, *gone;
    lw_stream *s;
    TRY(lw_program_kernel(prog, "keep", &keep));
    TRY(lw_program_kernel(prog, "use", &use));
    TRY(lw_stream_create(dev, &s));
    TRY(lw_buffer_create_structs(dev, sizeof(int *), 1, &kept));
    TRY(lw_buffer_create(dev, LW_I32, 3, &gone));
    TRY(LW_LAUNCH(s, keep, 1, 1, kept, gone));
    TRY(lw_stream_wait(s));
    lw_buffer_destroy(gone);
    TRY(LW_LAUNCH(s, use, 1, 1, kept, n));
    assert(lw_stream_wait(s) == LW_E_CHECK);
    lw_check_findings(s, last, told);
    if (strcmp(told, "use-after-free: access to byte 4 of a buffer of 12 bytes that was destroyed, "
                     "block 0 thread 0"))
        puts(told), exit(1);
    lw_buffer_destroy(kept);
    lw_stream_destroy(s);
}

static void refuse(lw_device *dev, lw_check_options options, lw_status status, const char *what)
{
    assert(lw_check_configure(dev, &options) == status);
    assert(strstr(lw_last_error(), what) || (puts(lw_last_error()), 0));
}

static void refusals(lw_device *dev)
{
    lw_device *cpu;
    refuse(NULL, (lw_check_options){.strict = true}, LW_E_ARG, "the device is NULL");
    refuse(dev, (lw_check_options){.schedules = -1}, LW_E_ARG, "-1 schedules; need 1 to 1000");
    refuse(dev, (lw_check_options){.schedules = 1001}, LW_E_ARG, "1001 schedules");
    refuse(dev, (lw_check_options){.suppressions = "/missing"}, LW_E_IO, "/missing");
    TRY(lw_device_open("cpu", &cpu));
    refuse(cpu, (lw_check_options){.strict = true}, LW_E_ARG, "the device is 'cpu'; need 'check'");
    lw_device_close(cpu);
    assert(lw_device_open("check:1", &cpu) == LW_E_DEVICE);
}

static void checks(lw_device *dev, lw_stream *s, lw_program *prog, lw_buffer *n)
{
    const char *why;
    int found = 0;
    lw_kernel *flag;
    TRY(lw_program_kernel(prog, "flag", &flag));
    refusals(dev);
    use_after_free(dev, prog, n);
    lw_check_findings(s, print, &found);
    assert(found == 1); /* one a pair of places, by whatever calls */
    assert(lw_stream_wait(s) == LW_OK); /* told once */
    assert(lw_check_get_verdict(s, &why) == LW_CHECK_FOUND && strstr(why, "3 schedules"));
    TRY(LW_LAUNCH(s, flag, 1, 2, n)); /* a warning */
    assert(lw_stream_wait(s) == LW_OK);
    TRY(lw_check_configure(dev, &(lw_check_options){.strict = true, .schedules = 1}));
    lw_stream *other;
    TRY(lw_stream_create(dev, &other));
    assert(lw_check_get_verdict(other, &why) == LW_CHECK_NOT_CHECKED && strstr(why, "no launch"));
    TRY(LW_LAUNCH(other, flag, 1, 2, n));
    assert(lw_stream_wait(other) == LW_E_CHECK && strstr(lw_last_error(), "benign-write"));
    assert(lw_check_get_verdict(other, &why) == LW_CHECK_FOUND && strstr(why, "1 schedule"));
    TRY(lw_check_configure(dev, NULL));
    lw_stream_destroy(other);
    TRY(lw_check_write(s, LW_CHECK_TEXT, "out.text"));
    TRY(lw_check_write(s, LW_CHECK_JSON, "out.json"));
    TRY(lw_check_write(s, LW_CHECK_SARIF, "out.sarif"));
    TRY(lw_check_write(s, LW_CHECK_VERBOSE, "out.verbose"));
    assert(lw_check_write(s, (lw_check_format)9, "x") == LW_E_ARG);
    assert(lw_check_write(s, LW_CHECK_TEXT, "none/x") == LW_E_IO);
    assert(lw_check_write(NULL, LW_CHECK_TEXT, "x") == LW_E_ARG);
}

int main(int argc, char **argv)
{
    const lw_build_options options = {.source = kernels};
    lw_device *dev;
    lw_program *prog;
    lw_kernel *count;
    lw_stream *s;
    lw_buffer *n;
    (void)argv;
    if (lw_device_open(NULL, &dev)) {
        printf("%s\n", lw_last_error());
        return 4;
    }
    TRY(lw_program_build(dev, "count.c", &options, &prog));
    TRY(lw_program_kernel(prog, "count", &count));
    TRY(lw_stream_create(dev, &s));
    TRY(lw_buffer_create(dev, LW_I32, 2, &n));
    TRY(LW_LAUNCH(s, count, 1, 2, n));
    const lw_status status = lw_stream_wait(s);
    printf("%s\n", status ? lw_last_error() : "well");
    if (argc > 1)
        checks(dev, s, prog, n);
    lw_buffer_destroy(n);
    lw_stream_destroy(s);
    lw_program_destroy(prog);
    lw_device_close(dev);
    return status == LW_E_CHECK;
}
C
# shellcheck disable=SC2086
$CC $flags host.c -o host $link

./host >out
[ "$(cat out)" = well ] || fail "on the best device: $(cat out)"
status=0
LANEWISE_DEVICE=check ./host >out || status=$?
[ $status = 1 ] || fail "on check: status $status"
grep -q "^kernel 'count': 1 finding: count.c:4:8: race-warp: " out
status=0
LANEWISE_DEVICE=chek ./host >out || status=$?
[ $status = 4 ] || fail "misspelt: status $status"
grep -q "^LANEWISE_DEVICE is 'chek': there is no device 'chek'; " out

LANEWISE_DEVICE=check ./host more >out && fail "status 0"
sed 1d out >got
cat >want <<'END'
race-warp count.c:4:8 <- count.c:8:5 <- count.c:10:29
END
head -n 1 got | diff want -
grep -q '^   called at count.c:8:5$' out.text
grep -q '^   called at count.c:10:29$' out.text
grep -q '"stack": \[{"file": "count.c", "line": 8, "column": 5}, {"file": "count.c", "line": 10' \
    out.json
grep -q '"frames": \[{"location": {"physicalLocation"' out.sarif

# the command, too
cat >k.c <<'C'
#include <lanewise/kernel.h>
KERNEL void k(int *n) { n[1] = 1; }
C
LANEWISE_DEVICE=check "$LANEWISE" run k.c -b 1 'i32[1]' >out 2>err && fail "status 0"
grep -q out-of-bounds err
