/* order.c - robust_order DEVICE [LAUNCHES]: launches of a stream see what those in front of them
 * have written, however close behind they follow: each reads what other blocks of the one in front
 * wrote last, through a pointer that is read only.
 */
#include "robust.h"

enum { BLOCKS = 400, THREADS = 128, COUNT = BLOCKS * THREADS, SHIFT = 17001 };

static const char source[] =
    "#include <lanewise/kernel.h>\n"
    "KERNEL void shift(int *restrict to, const int *restrict from, int shift)\n"
    "{\n"
    "    int n = (int)(grid_dim.x * block_dim.x), i = (int)(block_idx.x * block_dim.x + "
    "thread_idx.x);\n"
    "    int more = from[(i + shift) % n];\n"
    "    for (int k = 0; k < (int)(block_idx.x % 64) * 2; k++)\n" /* blocks end at other times */
    "        more = more * 5 + 3;\n"
    "    for (int k = 0; k < (int)(block_idx.x % 64) * 2; k++)\n"
    "        more = (more - 3) * (int)0xcccccccd;\n"
    "    to[i] = more + 1;\n"
    "}\n";

int main(int argc, char **argv)
{
    const int launches = argc > 2 ? atoi(argv[2]) : 40;
    const lw_build_options options = {.source = source};
    lw_device *device = open_device(argc > 1 ? argv[1] : "ref");
    lw_buffer *buffers[2];
    int *numbers = malloc(sizeof *numbers * COUNT), wrong = 0;
    for (int i = 0; i < COUNT; i++)
        numbers[i] = i;
    lw_program *program;
    WORKS(lw_program_build(device, "order.c", &options, &program));
    lw_kernel *kernel;
    WORKS(lw_program_kernel(program, "shift", &kernel));
    lw_stream *stream;
    WORKS(lw_stream_create(device, &stream));
    for (int k = 0; k < 2; k++)
        WORKS(lw_buffer_create(device, LW_I32, COUNT, &buffers[k]));
    WORKS(lw_buffer_write(buffers[0], 0, COUNT, numbers));
    for (int k = 0; k < launches; k++)
        WORKS(LW_LAUNCH(stream, kernel, BLOCKS, THREADS, buffers[(k + 1) % 2], buffers[k % 2],
                        SHIFT));
    WORKS(lw_stream_wait(stream));
    WORKS(lw_buffer_read(buffers[launches % 2], 0, COUNT, numbers));
    for (int i = 0; i < COUNT; i++)
        wrong += numbers[i] != (int)((i + (long long)SHIFT * launches) % COUNT) + launches;
    CHECK(wrong == 0);
    free(numbers);
    for (int k = 0; k < 2; k++)
        lw_buffer_destroy(buffers[k]);
    lw_stream_destroy(stream);
    lw_program_destroy(program);
    lw_device_close(device);
    printf("%d passed, %d failed\n", !failures, !!failures);
    return failures != 0;
}
