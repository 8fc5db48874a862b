# check-leaks.sh - lw_check_leaks: buffers and streams that a C program has not destroyed. Each case
# is a pair, `ok` and `bad`, which differ by one call.
set -eu
lib=$(dirname "$(find "$BUILD" -name liblanewise.so | head -n 1)")
flags="-g -O1 -Wall -Wextra -Wpedantic -Werror -I$SOURCE/include"
link="-L$lib -Wl,-rpath,$lib -llanewise -lm"
! nm -D "$lib/liblanewise.so" | grep -q __asan_init || flags="$flags -fsanitize=address"
! nm -D "$lib/liblanewise.so" | grep -q __tsan_init || flags="$flags -fsanitize=thread"
LANEWISE_CACHE_DIR=$TMP/cache
ASAN_OPTIONS=detect_leaks=0 # the leaks are what is tested
export LANEWISE_CACHE_DIR ASAN_OPTIONS
fail() { echo "$*"; exit 1; }

cat >host.c <<'C'
#include <lanewise/check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY(call) do { if ((call) != LW_OK) { fprintf(stderr, "%d: %s\n", __LINE__, \
    lw_last_error()); exit(9); } } while (0)

static lw_device *dev;
static int is_bad, is_known, released;

static void plain(void)
{
    lw_buffer *x;
    TRY(lw_buffer_create(dev, LW_F32, 100, &x)); /* @plain */
    if (!is_bad)
        lw_buffer_destroy(x);
}

static void structs(void)
{
    lw_buffer *x;
    TRY(lw_buffer_create_structs(dev, 12, 5, &x)); /* @structs */
    if (!is_bad)
        lw_buffer_destroy(x);
}

static void release(void *memory, void *user)
{
    (void)user;
    released = memory != NULL;
}

static void wrapped(void)
{
    static int memory[4];
    lw_buffer *x;
    TRY(lw_buffer_wrap(dev, LW_I32, 4, memory, false, release, NULL, &x)); /* @wrapped */
    if (!is_bad)
        lw_buffer_destroy(x);
    if (released == is_bad)
        exit(9);
}

static void stream(void)
{
    lw_stream *s;
    TRY(lw_stream_create(dev, &s)); /* @stream */
    if (!is_bad)
        lw_stream_destroy(s);
}

/* Of several from one call, some. */
static void loop(void)
{
    lw_buffer *x[5];
    for (size_t i = 0; i < 5; i++)
        TRY(lw_buffer_create(dev, LW_U8, 10 * (i + 1), &x[i])); /* @loop */
    for (int i = is_bad ? 3 : 0; i < 5; i++)
        lw_buffer_destroy(x[i]);
}

/* What a failed call leads past. */
static lw_status copy(const lw_buffer *from)
{
    lw_buffer *to;
    float value;
    TRY(lw_buffer_create(dev, LW_F64, 1, &to)); /* @early */
    const lw_status status = lw_buffer_read(to, 2, 1, &value);
    if (status && is_bad)
        return status;
    (void)from;
    lw_buffer_destroy(to);
    return status;
}

static void early(void)
{
    lw_buffer *from;
    TRY(lw_buffer_create(dev, LW_F64, 1, &from));
    if (!copy(from))
        exit(9);
    lw_buffer_destroy(from);
}

/* A launch still holds what is destroyed: that is no leak. */
static void launched(void)
{
    static const char kernels[] = "#include <lanewise/kernel.h>\n"
                                  "KERNEL void spin(int *n) { for (int i = 0; i < 300000; i++)"
                                  " *(volatile int *)n = i; }\n";
    const lw_build_options options = {.source = kernels};
    lw_program *prog;
    lw_kernel *k;
    lw_stream *s;
    lw_buffer *x;
    TRY(lw_program_build(dev, "spin.c", &options, &prog));
    TRY(lw_program_kernel(prog, "spin", &k));
    TRY(lw_stream_create(dev, &s));
    TRY(lw_buffer_create(dev, LW_I32, 1, &x)); /* @launched */
    TRY(LW_LAUNCH(s, k, 1, 1, x));
    if (!is_bad)
        lw_buffer_destroy(x);
    const lw_status status = lw_check_leaks(dev, NULL, NULL);
    if (status != (is_known ? LW_OK : LW_E_CHECK)) /* the stream is one, now */
        exit(9);
    lw_stream_destroy(s);
    lw_program_destroy(prog);
}

static const struct { const char *name; void (*run)(void); } cases[] = {
    {"plain", plain}, {"structs", structs}, {"wrapped", wrapped}, {"stream", stream},
    {"loop", loop}, {"early", early}, {"launched", launched},
};

static void print(const lw_finding *f, void *user)
{
    (void)user;
    if (f->at.line || f->at.column || f->other.file || f->warning || *f->kernel)
        exit(9);
    printf("%s %s %zu %s: %s\n", f->name, f->object, f->count, f->at.file, f->message);
}

int main(int argc, char **argv)
{
    TRY(lw_device_open(NULL, &dev));
    TRY(lw_check_configure(dev, &(lw_check_options){.suppressions = argc > 3 ? argv[3] : NULL}));
    is_bad = !strcmp(argv[2], "bad");
    is_known = argc > 3 && !strcmp(argv[3], "known");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(argv[1], cases[i].name) || !strcmp(argv[1], "all"))
            cases[i].run();
    const lw_status status = lw_check_leaks(dev, print, NULL);
    if (status)
        fprintf(stderr, "%d %s\n", (int)status, lw_last_error());
    lw_device_close(dev);
    return status == LW_E_CHECK ? 1 : status ? 2 : 0;
}
C
# shellcheck disable=SC2086
$CC $flags host.c -o host $link
LANEWISE_DEVICE=check
export LANEWISE_DEVICE

check() { # CASE WANTED OBJECT
    ./host "$1" ok >out 2>&1 || fail "$1 ok: $(cat out)"
    [ ! -s out ] || fail "$1 ok: $(cat out)"
    status=0
    ./host "$1" bad >out 2>err || status=$?
    [ $status = 1 ] || fail "$1 bad: status $status: $(cat out err)"
    sed 's/0x[0-9a-f]*/ADDRESS/' out >got
    echo "leak $2 not destroyed; the call at ADDRESS creates $3" | diff - got || fail "$1 bad"
    command -v addr2line >/dev/null || return 0
    line=$(addr2line -e host "$(sed 's/.* at \(0x[0-9a-f]*\).*/\1/' out)")
    want=$(grep -n "@$1 " host.c)
    line=${line%% *} # "(discriminator 2)"
    [ "${line##*:}" = "${want%%:*}" ] || fail "$1: created at $line, should be $want"
}

check plain 'f32[100] 1 ./host: a buffer of 400 bytes, f32[100], is' it
check structs 'struct[5] 1 ./host: a buffer of 60 bytes, struct[5], is' it
check wrapped 'i32[4] 1 ./host: a buffer of 16 bytes, i32[4], is' it
check stream 'stream 1 ./host: a stream is' it
check loop 'u8[10] 3 ./host: 3 buffers of 60 bytes, the first u8[10], are' them
check early 'f64[1] 1 ./host: a buffer of 8 bytes, f64[1], is' it
check launched 'i32[1] 1 ./host: a buffer of 4 bytes, i32[1], is' it

./host all bad >out 2>err && fail "all: status 0"
[ "$(wc -l <out)" = 7 ] || fail "all: $(cat out)"
grep -q '^-*[0-9]* 7 findings, the first: ./host: leak: ' err || fail "all: $(cat err)"

# suppressed: everywhere, in this program, in another
echo leak >known
./host all bad known || fail "suppressed"
echo 'leak host' >known
./host all bad known || fail "suppressed by file"
echo 'leak other' >unknown
./host all bad unknown >out 2>&1 && fail "suppressed by another file"

# another device has none to tell of
LANEWISE_DEVICE=cpu ./host plain ok >out 2>&1 && fail "cpu: status 0"
grep -q "the device is 'cpu'; need 'check'" out || fail "cpu: $(cat out)"
