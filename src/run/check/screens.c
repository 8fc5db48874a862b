/* screens.c - the screens of a program: code for `cpu`, built when a launch asks for it.
 *
 * A program for `check` has the common bitcode of its screens, as one for `cpu` has that of its
 * kernels. So program/specialize.c builds, keeps and caches their code: it is given a program of a
 * device `cpu` that has nothing but this bitcode.
 */
#include "run/check/screen.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct lw__screens {
    pthread_mutex_t lock; /* of the list, and of what its kernels have spent */
    lw_device *device;
    lw_program program;
    struct lw__screened *kernels;
    bool has_any;
};

lw_status lw__screens_open(const char *path, struct lw__screens **screens)
{
    static char name[] = "<screen>";
    struct lw__screens *s = *screens = calloc(1, sizeof *s);
    if (!s)
        return lw__fail(LW_E_MEMORY, "no memory for a program");
    lw_status status = lw__code_open(path, &s->program.code.loaded);
    if (status) {
        free(s);
        *screens = NULL;
        return status;
    }
    pthread_mutex_init(&s->lock, NULL);
    s->program.name = name;
    s->has_any = dlsym(s->program.code.loaded, "lw.common");
    return LW_OK;
}

void lw__screens_close(struct lw__screens *s)
{
    for (struct lw__screened *k = s->kernels, *next; k; k = next) {
        next = k->next;
        lw__special_free(&k->kernel);
        free(k);
    }
    dlclose(s->program.code.loaded);
    if (s->device)
        lw_device_close(s->device);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* Locked. NULL: the kernel has no screen, or memory is short. */
static struct lw__screened *add(struct lw__screens *s, const char *name)
{
    void *says;
    if (!lw__code_look(s->program.code.loaded, "lw.screen", name, &says) || !says)
        return NULL;
    if (!s->device && lw__device_create(&lw__device_cpu, &lw__device_hooks, "cpu", &s->device))
        return NULL;
    struct lw__screened *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    s->program.device = s->device;
    k->says = says;
    k->row.name = (char *)name; /* of the program's manifest, which lives longer */
    k->kernel = (lw_kernel){.program = &s->program, .row = &k->row};
    k->next = s->kernels;
    return s->kernels = k;
}

struct lw__screened *lw__screens_find(struct lw__screens *s, const char *name)
{
    if (!s->has_any)
        return NULL;
    pthread_mutex_lock(&s->lock);
    struct lw__screened *k = s->kernels;
    while (k && strcmp(k->row.name, name) != 0)
        k = k->next;
    if (!k)
        k = add(s, name);
    pthread_mutex_unlock(&s->lock);
    return k;
}
