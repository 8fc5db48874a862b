/* run_gate.h - a device whose launches do what their first argument says, so that tests can hold
 * one and watch what the others do.
 */
#include "run_test.h"
#include <pthread.h>
#include <time.h>

/* The one parameter of every kernel here. */
enum { RUN = 0, HOLD = -1, FAIL = -2, SPIN = -3, PRINT = -4 }; /* above 0: log the number */
#define STEP_ROWS                                                                                  \
    "kernel\tstep\tvoid step(int what)\t1\t0\t0\t0\t0\t0\t4\nparam\twhat\tint\ti32\t0\t4\t0\n"     \
    "kernel\ttouch\tvoid touch(int what, float *x)\t1\t0\t0\t0\t0\t0\t16\n"                        \
    "param\twhat\tint\ti32\t0\t4\t0\nparam\tx\tfloat *\tp(f32)\t8\t8\t0\n"

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool open;
    int held; /* launches that wait at the gate */
    int log[4096], count;
} gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static inline void gate_set(bool open)
{
    pthread_mutex_lock(&gate.lock);
    gate.open = open;
    pthread_cond_broadcast(&gate.changed);
    pthread_mutex_unlock(&gate.lock);
}

/* Until so many launches stand at the gate. */
static inline void gate_wait_held(int held)
{
    pthread_mutex_lock(&gate.lock);
    while (gate.held < held)
        pthread_cond_wait(&gate.changed, &gate.lock);
    pthread_mutex_unlock(&gate.lock);
}

static inline void gate_pass(int what)
{
    pthread_mutex_lock(&gate.lock);
    if (what == HOLD) {
        gate.held++;
        pthread_cond_broadcast(&gate.changed);
        while (!gate.open)
            pthread_cond_wait(&gate.changed, &gate.lock);
        gate.held--;
    } else if (what > 0 && gate.count < 4096) {
        gate.log[gate.count++] = what;
    }
    pthread_mutex_unlock(&gate.lock);
}

static lw_status gate_launch(void *state, const struct lw__launch *l)
{
    const int32_t at[3] = {0, 0, 0};

    (void)state;
    int what;
    memcpy(&what, l->args, sizeof what);
    gate_pass(what);
    if (what == FAIL)
        return lw__fail(LW_E_LAUNCH, "%s: told to fail", l->kernel);
    while (what == SPIN && !atomic_load(l->cancelled))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    if (what == PRINT)
        lw__output_add(l->output, at, at, "printed\n");
    return what == SPIN ? lw__fail(LW_E_LAUNCH, "%s: stopped", l->kernel) : LW_OK;
}

static const struct lw__device_ops gate_ops = {
    .info = {.name = "gate", .description = "", .unavailable = ""},
    .target = "null",
    .launch = gate_launch,
};

static lw_device *device;
static lw_program *program;
static lw_kernel *step, *touch;

static inline void gate_set_up(void)
{
    device = open_own(&gate_ops);
    program = build_rows(device, STEP_ROWS);
    WORKS(lw_program_kernel(program, "step", &step));
    WORKS(lw_program_kernel(program, "touch", &touch));
}

static inline void gate_tear_down(void)
{
    lw_program_destroy(program);
    lw_device_close(device);
}

static inline lw_stream *new_stream(void)
{
    lw_stream *s;

    WORKS(lw_stream_create(device, &s));
    return s;
}
