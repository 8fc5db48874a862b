/* instances.c - kernels of a CUDA program that it did not have when it was built.
 *
 * A template is compiled for the arguments that the text launches it with. One that is asked for by
 * name is built when it is asked for, as a program of its own that the first one keeps. Variables
 * of the device are those of the first.
 */
#include "run/program/program.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct lw__instances {
    pthread_mutex_t mutex; /* for the list and the root's symbols */
    lw_build_options options;
    char **words;      /* of the options: copies, word_count */
    size_t word_count; /* defines, then include_dirs */
    char *source;
    lw_program *first; /* by next_instance */
    struct missing *missing;
};

/* A name that is no kernel: nobody asks the compiler again. */
struct missing {
    struct missing *next;
    lw_status status;
    char *text; /* of the error, behind the name and its NUL */
    char name[];
};

static void free_instances(struct lw__instances *m)
{
    for (size_t i = 0; m->words && i < m->word_count; i++)
        free(m->words[i]);
    for (struct missing *next, *i = m->missing; i; i = next) {
        next = i->next;
        free(i);
    }
    free(m->words);
    free(m->source);
    pthread_mutex_destroy(&m->mutex);
    free(m);
}

lw_status lw__instances_open(lw_program *p, const lw_build_options *options, const char *source)
{
    struct lw__instances *m = calloc(1, sizeof *m);
    bool ok = m;

    if (ok) {
        pthread_mutex_init(&m->mutex, NULL);
        m->word_count = options->define_count + options->include_dir_count;
        m->words = calloc(m->word_count + 1, sizeof *m->words);
        m->source = lw__copy_string(source);
        ok = m->words && m->source;
        for (size_t i = 0; ok && i < m->word_count; i++) {
            const size_t n = options->define_count;
            m->words[i] =
                lw__copy_string(i < n ? options->defines[i] : options->include_dirs[i - n]);
            ok = m->words[i];
        }
    }
    if (!ok) {
        if (m)
            free_instances(m);
        return lw__fail(LW_E_MEMORY, "out of memory: the source of '%s'", p->name);
    }
    m->options =
        (lw_build_options){.source = m->source,
                           .defines = (const char *const *)m->words,
                           .define_count = options->define_count,
                           .include_dirs = (const char *const *)m->words + options->define_count,
                           .include_dir_count = options->include_dir_count,
                           .debug = options->debug,
                           .picture = options->picture,
                           .bounds = options->bounds,
                           .cuda = true,
                           .cuda_arch = options->cuda_arch};
    p->more = m;
    return LW_OK;
}

void lw__instances_close(lw_program *p)
{
    if (!p->more)
        return;
    for (lw_program *next, *i = p->more->first; i; i = next) {
        next = i->next_instance;
        lw_program_destroy(i);
    }
    free_instances(p->more);
}

/* True if one of them has it. */
static bool find(const struct lw__instances *m, const char *name, lw_kernel **kernel)
{
    for (lw_program *i = m->first; i; i = i->next_instance)
        if (lw__kernel_named(i, name, kernel))
            return true;
    return false;
}

/* The status that it had, with its text, or LW_OK: it is new. */
static lw_status find_missing(const struct lw__instances *m, const char *name)
{
    for (const struct missing *i = m->missing; i; i = i->next)
        if (!strcmp(i->name, name))
            return lw__fail(i->status, "%s", i->text);
    return LW_OK;
}

/* Where memory is short, the compiler is asked again. */
static void add_missing(struct lw__instances *m, const char *name, lw_status status)
{
    const char *text = lw_last_error();
    const size_t length = strlen(name) + 1, text_length = strcspn(text, "\n"); /* no picture */
    struct missing *i = malloc(sizeof *i + length + text_length + 1);
    if (!i)
        return;
    i->next = m->missing;
    i->status = status;
    i->text = i->name + length;
    memcpy(i->name, name, length);
    memcpy(i->text, text, text_length);
    i->text[text_length] = 0;
    m->missing = i;
}

lw_status lw__instance_find(lw_program *p, const char *name, lw_kernel **kernel)
{
    struct lw__instances *m = p->more;
    lw_program *made = NULL;
    lw_status status = LW_OK;

    pthread_mutex_lock(&m->mutex);
    if (!find(m, name, kernel) && !(status = find_missing(m, name))) {
        lw_build_options options = m->options;
        options.instantiate = name;
        status = lw__program_build(p->device, p->name, &options, p, &made);
        if (!status && !lw__kernel_named(made, name, kernel)) {
            status = lw__program_refused(made, name);
            if (!status)
                status = lw__fail(LW_E_ARG, "'%s' is no kernel of '%s'", name, p->name);
            lw_program_destroy(made);
            add_missing(m, name, status);
        } else if (status == LW_E_COMPILE || status == LW_E_ARG) {
            add_missing(m, name, status);
        } else if (!status) {
            made->next_instance = m->first;
            m->first = made;
        }
    }
    pthread_mutex_unlock(&m->mutex);
    return status;
}
