/* fork: in the child what was idle works on, what had work says that it is lost, nothing hangs. */
#include "run_gate.h"
#include <sys/wait.h>

#define LOST "the process was forked while this stream had work; the child needs a new one"

static lw_stream *idle, *busy, *waiting;
static lw_buffer *used;
static lw_event *mark;

static void in_child(void)
{
    lw_stream *fresh = new_stream();
    float x[4];

    gate.count = 0;
    gate_set(true);
    WORKS(LW_LAUNCH(idle, step, 1, 1, 7));
    WORKS(lw_stream_wait(idle));
    WORKS(LW_LAUNCH(fresh, touch, 1, 1, 8, used));
    WORKS(lw_stream_wait(fresh));
    CHECK(gate.count == 2);
    FAILS(lw_stream_wait(busy), LW_E_LAUNCH, LOST);
    FAILS(LW_LAUNCH(busy, step, 1, 1, 7), LW_E_LAUNCH, LOST);
    FAILS(lw_stream_wait(waiting), LW_E_LAUNCH, LOST);
    FAILS(lw_event_wait(mark), LW_E_LAUNCH, LOST);
    WORKS(lw_buffer_read(used, 0, 4, x));
    lw_program_destroy(build_rows(device, STEP_ROWS));
    lw_stream_destroy(fresh);
}

static void finish(void)
{
    lw_stream_destroy(idle);
    lw_stream_destroy(busy);
    lw_stream_destroy(waiting);
    lw_event_destroy(mark);
    lw_buffer_destroy(used);
    gate_tear_down();
}

int main(void)
{
    int status;
    pid_t child;

#ifdef __SANITIZE_THREAD__
    return 77; /* skipped: it takes no threads after a fork */
#endif
    gate_set_up();
    idle = new_stream(), busy = new_stream(), waiting = new_stream();
    WORKS(lw_event_create(device, &mark));
    WORKS(lw_buffer_create(device, LW_F32, 4, &used));
    WORKS(LW_LAUNCH(idle, step, 1, 1, 1));
    WORKS(lw_stream_wait(idle));
    WORKS(LW_LAUNCH(busy, touch, 1, 1, HOLD, used));
    WORKS(LW_LAUNCH(busy, touch, 1, 1, 2, used));
    WORKS(lw_event_record(mark, busy));
    WORKS(lw_stream_wait_event(waiting, mark));
    gate_wait_held(1);
    pthread_mutex_lock(&gate.lock); /* the test's own lock must be in order too */
    child = fork();
    pthread_mutex_unlock(&gate.lock);
    if (child == 0) {
        pthread_cond_init(&gate.changed, NULL);
        in_child();
        finish();
        exit(failures != 0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    gate_set(true);
    WORKS(lw_stream_wait(busy));
    WORKS(lw_stream_wait(waiting));
    WORKS(lw_event_wait(mark));
    finish();
    return failures != 0;
}
