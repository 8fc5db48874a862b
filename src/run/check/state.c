/* state.c - the state of a device: what lw_check_configure has set, and where buffers were.
 */
#include "run/check/check.h"
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct state {
    pthread_mutex_t lock;
    struct lw__check_settings settings;
    struct lw__gone gone;
};

lw_status lw__state_open(const char *name, void **state)
{
    *state = NULL;
    if (strcmp(name, "check"))
        return lw__fail(LW_E_DEVICE, "there is no device '%s'; need 'check'", name);
    struct state *s;
    *state = s = calloc(1, sizeof *s);
    if (!s)
        return lw__fail(LW_E_MEMORY, "out of memory: a device");
    pthread_mutex_init(&s->lock, NULL);
    s->settings = (struct lw__check_settings){.schedules = LW_SCHEDULES, .seed = 1};
    return LW_OK;
}

void lw__state_close(void *state)
{
    struct state *s = state;
    lw__suppressions_release(s->settings.suppressions);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

struct lw__check_settings lw__state_of(void *state)
{
    struct state *s = state;
    pthread_mutex_lock(&s->lock);
    const struct lw__check_settings settings = s->settings;
    lw__suppressions_hold(settings.suppressions);
    pthread_mutex_unlock(&s->lock);
    return settings;
}

/* ---- memory of buffers ----------------------------------------------------------------------- */

void lw__state_memory_made(void *state, const void *memory, size_t bytes)
{
    struct state *s = state;
    pthread_mutex_lock(&s->lock);
    lw__gone_reuse(&s->gone, lw__ref_address((uint64_t)(uintptr_t)memory), bytes);
    pthread_mutex_unlock(&s->lock);
}

void lw__state_memory_gone(void *state, const void *memory, size_t bytes)
{
    struct state *s = state;
    pthread_mutex_lock(&s->lock);
    lw__gone_add(&s->gone, lw__ref_address((uint64_t)(uintptr_t)memory), bytes);
    pthread_mutex_unlock(&s->lock);
}

bool lw__state_gone(void *state, uint64_t address, struct lw__range *found)
{
    struct state *s = state;
    pthread_mutex_lock(&s->lock);
    const bool is_gone = lw__gone_find(&s->gone, address, found);
    pthread_mutex_unlock(&s->lock);
    return is_gone;
}

/* ---- schedules ------------------------------------------------------------------------------- */

enum { REVERSE = 1, HASHED };

struct lw__ref_schedule lw__check_schedule(const struct lw__check_settings *settings, int number)
{
    if (number >= HASHED)
        return (struct lw__ref_schedule){LW_REF_HASHED,
                                         settings->seed + (uint64_t)(number - HASHED)};
    return (struct lw__ref_schedule){number == REVERSE ? LW_REF_REVERSE : LW_REF_FORWARD, 0};
}

void lw__check_name_schedule(struct lw__message *m, const struct lw__check_settings *settings,
                             int number)
{
    const struct lw__ref_schedule schedule = lw__check_schedule(settings, number);
    static const char *const names[] = {"forward", "reverse", "hashed"};
    _Static_assert(sizeof names / sizeof *names == LW_REF_HASHED + 1, "enum lw__ref_direction");
    lw__message_add(m, "%s", names[schedule.direction]);
    if (schedule.direction == LW_REF_HASHED)
        lw__message_add(m, " (seed %" PRIu64 ")", schedule.seed);
}

lw_status lw__state_check(const lw_device *device)
{
    if (!device)
        return lw__fail(LW_E_ARG, "the device is NULL");
    if (device->ops->open != lw__state_open)
        return lw__fail(LW_E_ARG, "the device is '%s'; need 'check'", device->info.name);
    return LW_OK;
}

/* ---- lw_check_configure ---------------------------------------------------------------------- */

lw_status lw_check_configure(lw_device *device, const lw_check_options *options)
{
    const lw_check_options all_default = {0};
    const lw_check_options *o = options ? options : &all_default;
    LW_TRY(lw__state_check(device));
    if (o->schedules < 0 || o->schedules > LW_SCHEDULES_MAX)
        return lw__fail(LW_E_ARG, "%d schedules; need 1 to %d, or 0 for the default, %d",
                        o->schedules, LW_SCHEDULES_MAX, LW_SCHEDULES);
    struct lw__check_settings settings = {.schedules = o->schedules ? o->schedules : LW_SCHEDULES,
                                          .strict = o->strict,
                                          .seed = o->seed ? o->seed : 1};
    if (o->suppressions)
        LW_TRY(lw__suppressions_read(o->suppressions, &settings.suppressions));
    struct state *s = device->state;
    pthread_mutex_lock(&s->lock);
    struct lw__suppressions *before = s->settings.suppressions;
    s->settings = settings;
    pthread_mutex_unlock(&s->lock);
    lw__suppressions_release(before);
    return LW_OK;
}
