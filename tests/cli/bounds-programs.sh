# bounds-programs.sh - accesses out of bounds on ref, from C: in code that `lanewise cc` made as in
# code made now; a pointer that a launch left in a buffer, for the next; a view of a buffer.
set -eu
lib=$(dirname "$(find "$BUILD" -name liblanewise.so | head -n 1)")
flags="-O1 -Wall -Wextra -Wpedantic -Werror -I$SOURCE/include"
link="-L$lib -Wl,-rpath,$lib -llanewise -lm"
! nm -D "$lib/liblanewise.so" | grep -q __asan_init || flags="$flags -fsanitize=address"
! nm -D "$lib/liblanewise.so" | grep -q __tsan_init || flags="$flags -fsanitize=thread"

cat >kept.c <<'K'
#include <lanewise/kernel.h>
KERNEL void fill(float *out, int n) { out[n] = 1; }
KERNEL void keep(uint64_t *where, float *x, int i) { where[0] = (uintptr_t)(x + i); }
KERNEL void follow(const uint64_t *where, float *x)
{
    x[0] = 1;
    *(float *)(uintptr_t)where[0] = 5;
}
KERNEL void alone(const uint64_t *where) { *(float *)(uintptr_t)where[0] = 5; }
KERNEL void rows(int n, float a[n][2], int i) { a[i][0] = 1; }
K
cat >main.c <<'C'
#include "kept.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lw_device *device;

/* The stream's failure is the launch's; each case has a stream of its own. */
static void check(lw_status refused, lw_stream *s, const char *text)
{
    lw_status status = refused ? refused : lw_stream_wait(s);

    if (text ? status != LW_E_LAUNCH || !strstr(lw_last_error(), text) : status != LW_OK) {
        fprintf(stderr, "status %d: %s; need %s\n", (int)status, status ? lw_last_error() : "",
                text ? text : "no failure");
        exit(1);
    }
    lw_stream_destroy(s);
}

static lw_stream *stream(void)
{
    lw_stream *s;

    if (lw_stream_create(device, &s))
        exit(2);
    return s;
}

static lw_tensor all(lw_buffer *buffer, ptrdiff_t count)
{
    return (lw_tensor){.buffer = buffer, .rank = 1, .extent = {count}};
}

int main(void)
{
    const lw_dim3 one = {1, 1, 1};
    lw_buffer *x, *where;
    lw_program *built;
    lw_kernel *rows;
    lw_stream *s;
    float now[8] = {0};

    if (lw_device_open("ref", &device) || lw_buffer_create(device, LW_F32, 8, &x) ||
        lw_buffer_create(device, LW_U64, 1, &where))
        return 2;
    s = stream();
    check(kept_fill(s, one, one, all(x, 8), 7), s, NULL);
    s = stream();
    check(kept_fill(s, one, one, all(x, 8), 8), s,
          "kernel 'fill': kept.c:2:46: write of 4 bytes outside: index 8 of 'out', which has 8 "
          "elements of 4 bytes, block (0,0,0) thread (0,0,0)");
    s = stream();
    check(kept_keep(s, one, one, all(where, 1), all(x, 8), 3), s, NULL);
    s = stream();
    check(kept_follow(s, one, one, all(where, 1), all(x, 8)), s, NULL);
    if (lw_buffer_read(x, 0, 8, now) || now[3] != 5)
        return 3;
    s = stream();
    check(kept_alone(s, one, one, all(where, 1)), s, "a pointer into no memory of the launch");
    s = stream();
    check(kept_keep(s, one, one, all(where, 1), all(x, 8), 8), s, NULL);
    s = stream();
    check(kept_follow(s, one, one, all(where, 1), all(x, 8)), s,
          "a pointer into no memory of the launch");

    if (lw_program_build(device, "kept.c", NULL, &built) || lw_program_kernel(built, "rows", &rows))
        return 4;
    /* a[3][2] begins at element 2 of the buffer: it has neither what is in front nor behind */
    for (int i = -1; i <= 3; i++) {
        lw_tensor view = {.buffer = x, .offset = 2, .rank = 2, .extent = {3, 2}};
        s = stream();
        const lw_arg args[] = {lw_arg_int(3), lw_arg_tensor(view), lw_arg_int(i)};
        check(lw_stream_launch(s, rows, one, one, NULL, args, 3), s,
              i < 0 ? "index -2 of 'a', which has 6 elements" : i < 3 ? NULL : "index 6 of 'a'");
    }
    lw_program_destroy(built);
    lw_buffer_destroy(x);
    lw_buffer_destroy(where);
    lw_device_close(device);
    return 0;
}
C
"$LANEWISE" cc kept.c -o kept.o --header kept.h --targets ref
$CC $flags main.c kept.o $link -o main
./main
