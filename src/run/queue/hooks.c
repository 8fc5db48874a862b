/* hooks.c - what the objects below ask of programs and streams. */
#include "run/queue/queue.h"

static void free_kept(lw_device *device)
{
    lw__residents_free(device);
    lw__marks_destroy_spare(device);
}

const struct lw__device_hooks lw__device_hooks = {
    .close = free_kept,
    .retire = lw__ahead_drain_device,
    .await_unseen = lw__streams_await_wrapped,
};
