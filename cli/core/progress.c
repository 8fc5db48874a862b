/* progress.c - a line on standard error, where that is a terminal, of what takes long.
 *
 * A thread writes it, 0.3 s after the beginning and ten times a second from then on; in the end the
 * line is erased. All that it reads is behind a lock, which is held while it writes.
 */
#include "cli/core/cli.h"
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double AFTER = 0.3, EVERY = 0.1, LONG = 2; /* seconds */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void cli_progress_write(const char *text)
{
    fprintf(stderr, "\r\033[K%s", text);
    fflush(stderr);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void show(struct cli_progress *p)
{
    char text[160];
    double seconds = now() - p->since;
    if (p->total > 1)
        snprintf(text, sizeof text, "%.80s %zu/%zu, %.3g/s", p->what, p->done, p->total,
                 seconds > 0 ? (double)p->done / seconds : 0);
    else if (seconds < LONG)
        snprintf(text, sizeof text, "%.80s ...", p->what);
    else
        snprintf(text, sizeof text, "%.80s ... %.0f s", p->what, seconds);
    cli_progress_write(text);
    p->is_shown = true;
}

static struct timespec later(double seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += (long)(seconds * 1e9);
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void *follow(void *of)
{
    struct cli_progress *p = of;
    struct timespec until = later(AFTER);
    pthread_mutex_lock(&p->lock);
    while (!p->is_ended) {
        if (pthread_cond_timedwait(&p->wake, &p->lock, &until) != ETIMEDOUT || p->is_ended)
            continue;
        show(p);
        until = later(EVERY);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- whose work it is ------------------------------------------------------------------------ */

void cli_progress_begin(struct cli_progress *p, const struct cli_options *options, const char *verb,
                        const char *what)
{
    *p = (struct cli_progress){.since = now()};
    snprintf(p->what, sizeof p->what, "%s %s", verb, what);
    if (options->quiet || options->json || !isatty(STDERR_FILENO))
        return;
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0)
        return;
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    bool has_wake = pthread_cond_init(&p->wake, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&p->lock, NULL);
    p->is_on = has_wake && pthread_create(&p->thread, NULL, follow, p) == 0;
    if (has_wake && !p->is_on)
        pthread_cond_destroy(&p->wake);
}

void cli_progress_count(struct cli_progress *p, const char *verb, const char *what, size_t done,
                        size_t total)
{
    if (!p || !p->is_on)
        return;
    pthread_mutex_lock(&p->lock);
    if (strncmp(p->what, verb, strlen(verb)) != 0) {
        p->since = now();
        snprintf(p->what, sizeof p->what, "%s %s", verb, what);
    }
    p->done = done;
    p->total = total;
    pthread_mutex_unlock(&p->lock);
}

void cli_progress_erase(struct cli_progress *p)
{
    if (!p || !p->is_on)
        return;
    pthread_mutex_lock(&p->lock);
    if (p->is_shown)
        cli_progress_write("");
    p->is_shown = false;
    pthread_mutex_unlock(&p->lock);
}

void cli_progress_end(struct cli_progress *p)
{
    if (!p->is_on)
        return;
    pthread_mutex_lock(&p->lock);
    p->is_ended = true;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    cli_progress_erase(p);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    p->is_on = false;
}
