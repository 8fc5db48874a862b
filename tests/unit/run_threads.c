/* Eight threads at once: building, launching on streams of their own and on one they share. */
#include "run_test.h"
#include <pthread.h>

enum { THREADS = 8, LAUNCHES = 300 };

static lw_device *device;
static lw_program *shared_program;
static lw_stream *shared_stream;
static lw_buffer *shared_buffer;

static void launch_many(lw_kernel *k, lw_stream *own, lw_buffer *buffer, lw_event *event)
{
    for (int i = 0; i < LAUNCHES; i++) {
        lw_stream *s = i % 3 ? own : shared_stream;

        WORKS(LW_LAUNCH(s, k, 1, 32, buffer, shared_buffer, buffer, i));
        if (i % 16 == 0)
            WORKS(lw_event_record(event, s));
        if (i % 32 == 0)
            WORKS(lw_stream_wait_event(own, event));
        if (i % 64 == 0)
            WORKS(lw_stream_wait(s));
        FAILS(LAUNCH(s, k, 0, 32, buffer, shared_buffer, buffer, i), LW_E_SHAPE,
              "add: grid 0 x 1 x 1 has no blocks; need at least 1 each");
    }
}

static void *work(void *number)
{
    lw_program *own_program = number ? build_rows(device, ADD_ROWS) : NULL;
    float x[4];

    lw_stream *own;
    WORKS(lw_stream_create(device, &own));
    lw_buffer *buffer;
    WORKS(lw_buffer_create(device, LW_F32, 4, &buffer));
    lw_event *event;
    WORKS(lw_event_create(device, &event));
    launch_many(first_kernel(own_program ? own_program : shared_program), own, buffer, event);
    WORKS(lw_buffer_read(buffer, 0, 4, x));
    WORKS(lw_event_wait(event));
    lw_program_destroy(own_program);
    lw_buffer_destroy(buffer);
    lw_event_destroy(event);
    WORKS(lw_stream_wait(own));
    lw_stream_destroy(own);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    device = open_device("null");
    shared_program = build_rows(device, ADD_ROWS);
    WORKS(lw_stream_create(device, &shared_stream));
    WORKS(lw_buffer_create(device, LW_F32, 4, &shared_buffer));
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i % 2));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    WORKS(lw_stream_wait(shared_stream));
    lw_stream_destroy(shared_stream);
    lw_program_destroy(shared_program);
    lw_buffer_destroy(shared_buffer);
    lw_device_close(device);
    return failures != 0;
}
