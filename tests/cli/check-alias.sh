# check-alias.sh - the checker's reads of a buffer that nobody writes are quick; a buffer that is
# written by another parameter, or by a pointer that was kept in memory, is none of these.
set -eu
lib=$(dirname "$(find "$BUILD" -name liblanewise.so | head -n 1)")
flags="-O1 -Wall -Wextra -Wpedantic -Werror -I$SOURCE/include"
link="-L$lib -Wl,-rpath,$lib -llanewise -lm"
! nm -D "$lib/liblanewise.so" | grep -q __asan_init || flags="$flags -fsanitize=address"
! nm -D "$lib/liblanewise.so" | grep -q __tsan_init || flags="$flags -fsanitize=thread"
LANEWISE_CACHE_DIR=$TMP/cache
export LANEWISE_CACHE_DIR

cat >host.c <<'C'
#include <assert.h>
#include <lanewise/check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 128, LAUNCHES = 4 };
static const char kernels[] = "#include <lanewise/kernel.h>\n"
                              "KERNEL void shift(int *out, const int *in)\n"
                              "{\n"
                              "    out[global_idx.x] = in[global_idx.x + 1];\n"
                              "}\n"
                              "struct kept { int *p; };\n"
                              "KERNEL void keep(struct kept *k, int *n) { k->p = n + 1; }\n"
                              "KERNEL void by_kept(const struct kept *k, const int *in, int *out)\n"
                              "{\n"
                              "    out[thread_idx.x] = in[1];\n"
                              "    if (thread_idx.x == 1) *k->p = 7;\n"
                              "}\n";
#define TRY(call) do { if ((call) != LW_OK) { fprintf(stderr, "%d: %s\n", __LINE__, \
    lw_last_error()); exit(1); } } while (0)

static void print(const lw_finding *f, void *user)
{
    (void)user;
    printf("%s %d\n", f->name, f->at.line);
}

int main(void)
{
    const lw_build_options options = {.source = kernels};
    lw_device *dev;
    lw_program *prog;
    lw_kernel *shift, *keep, *by_kept;
    lw_buffer *a, *b, *kept;
    lw_stream *s[LAUNCHES];
    int given[N] = {0};
    TRY(lw_device_open("check", &dev));
    TRY(lw_program_build(dev, "alias.c", &options, &prog));
    TRY(lw_program_kernel(prog, "shift", &shift));
    TRY(lw_program_kernel(prog, "keep", &keep));
    TRY(lw_program_kernel(prog, "by_kept", &by_kept));
    TRY(lw_buffer_create(dev, LW_I32, N, &a));
    TRY(lw_buffer_create(dev, LW_I32, N, &b));
    TRY(lw_buffer_create_structs(dev, sizeof(void *), 1, &kept));
    for (int i = 0; i < N; i++)
        given[i] = i * i; /* that no write leaves the memory as it is */
    for (int i = 0; i < LAUNCHES; i++) {
        lw_buffer *in = i == 0 ? b : a;
        TRY(lw_buffer_write(a, 0, N, given));
        TRY(lw_stream_create(dev, &s[i]));
        if (i < 2) /* two buffers; one */
            TRY(LW_LAUNCH(s[i], shift, 2, 32, a, in));
        if (i == 2) { /* by a pointer that is kept */
            TRY(LW_LAUNCH(s[i], keep, 1, 1, kept, a));
            TRY(LW_LAUNCH(s[i], by_kept, 1, 32, kept, a, b));
        }
        if (i == 3) { /* that points elsewhere */
            TRY(LW_LAUNCH(s[i], keep, 1, 1, kept, b));
            TRY(lw_stream_wait(s[i]));
            TRY(LW_LAUNCH(s[i], by_kept, 1, 1, kept, a, b));
        }
        printf("launch %d: %s\n", i, lw_stream_wait(s[i]) == LW_OK ? "clean" : "found");
        lw_check_findings(s[i], print, NULL);
        lw_stream_destroy(s[i]);
    }
    lw_buffer_destroy(a);
    lw_buffer_destroy(b);
    lw_buffer_destroy(kept);
    lw_program_destroy(prog);
    lw_device_close(dev);
    return 0;
}
C
cat >expected <<'E2'
launch 0: clean
launch 1: found
race-warp 4
race-global 4
launch 2: found
race-warp 11
launch 3: clean
E2
# shellcheck disable=SC2086
cc $flags host.c $link -o host
./host >out
diff expected out
