/* stop.c - robust_stop DEVICE: launches that wait for ever are given up after a time limit and
 * cancelled; they end, the stream says so, and the device goes on with other work.
 *
 * What is waited for changes all the time, so that no device says by itself that nobody comes.
 */
#include "robust.h"

#define WAITING                                                                                    \
    "#include <lanewise/kernel.h>\n"                                                               \
    "static void wait(int *word)\n"                                                                \
    "{\n"                                                                                          \
    "    while (atomic_load(word) == 0)\n"                                                         \
    "        atomic_add(word + 1, 1);\n"                                                           \
    "}\n"                                                                                          \
    "KERNEL void all(int *words)\n"                                                                \
    "{\n"                                                                                          \
    "    wait(words);\n"                                                                           \
    "    words[2] = 1;\n"                                                                          \
    "}\n"                                                                                          \
    "KERNEL void one_warp(int *words)\n"                                                           \
    "{\n"                                                                                          \
    "    if (warp_id() == 1)\n"                                                                    \
    "        wait(words);\n"                                                                       \
    "    barrier();\n"                                                                             \
    "    words[3] = 1;\n"                                                                          \
    "}\n"                                                                                          \
    "KERNEL void one_lane(int *words)\n"                                                           \
    "{\n"                                                                                          \
    "    if (lane_id() % 2) {\n"                                                                   \
    "        if (thread_idx.x == 3)\n"                                                             \
    "            wait(words);\n"                                                                   \
    "        words[3] = warp_sum(1);\n"                                                            \
    "    }\n"                                                                                      \
    "    words[3] = block_sum(words[3]);\n"                                                        \
    "}\n"                                                                                          \
    "KERNEL void lock(int *words)\n"                                                               \
    "{\n"                                                                                          \
    "    while (atomic_exchange(words + 4, 1))\n"                                                  \
    "        atomic_add(words + 1, 1);\n"                                                          \
    "}\n"

enum { LIMIT_NS = 200000000, SECONDS = 80 };

static void stops(lw_device *device, lw_program *program, const char *name, int blocks)
{
    const int words[8] = {0};
    printf("%s\n", name);
    lw_kernel *kernel;
    WORKS(lw_program_kernel(program, name, &kernel));
    lw_stream *stream;
    WORKS(lw_stream_create(device, &stream));
    lw_buffer *buffer;
    WORKS(lw_buffer_create(device, LW_I32, 8, &buffer));
    WORKS(lw_buffer_write(buffer, 0, 8, words));
    WORKS(LW_LAUNCH(stream, kernel, blocks, 64, buffer));
    CHECK(lw_stream_wait_for(stream, LIMIT_NS) == LW_E_TIMEOUT);
    lw_stream_cancel(stream);
    CHECK(lw_stream_wait(stream) == LW_E_LAUNCH);
    CHECK(strstr(lw_last_error(), name) && strstr(lw_last_error(), "cancelled while it ran"));
    lw_stream_destroy(stream);
    lw_buffer_destroy(buffer);
    build_and_sum(device);
}

int main(int argc, char **argv)
{
    lw_build_options options = {.source = WAITING};
    lw_device *device = open_device(argc > 1 ? argv[1] : "cuda");
    lw_program *program = NULL;
    if (device)
        WORKS(lw_program_build(device, "waiting.c", &options, &program));
    if (!program)
        return 1;
    alarm(SECONDS); /* what does not end is a failure */
    stops(device, program, "all", 300);
    stops(device, program, "one_warp", 3);
    stops(device, program, "one_lane", 3);
    stops(device, program, "lock", 3);
    lw_program_destroy(program);
    lw_device_close(device);
    printf("%d passed, %d failed\n", failures ? 0 : 1, failures ? 1 : 0);
    return failures != 0;
}
