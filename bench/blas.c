/* blas.c - OpenBLAS, found at run time, on one thread.
 */
#include "bench.h"
#include <dlfcn.h>
#include <stdlib.h>

typedef float sdot_fn(int n, const float *x, int x_step, const float *y, int y_step);
typedef void sgemm_fn(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                      const float *a, int a_step, const float *b, int b_step, float beta,
                      float *out, int out_step);
typedef void set_threads_fn(int threads);

enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111 };

struct blas {
    sdot_fn *sdot;
    sgemm_fn *sgemm;
    set_threads_fn *set_threads;
};

static bool blas_open(struct variant *v, struct session *s)
{
    struct blas *blas = v->state = calloc(1, sizeof *blas);
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    (void)s;
    if (!blas || !library)
        return variant_fail(v, "not measured: no libopenblas.so.0 (make bench installs it)");
    *(void **)&blas->sdot = dlsym(library, "cblas_sdot");
    *(void **)&blas->sgemm = dlsym(library, "cblas_sgemm");
    *(void **)&blas->set_threads = dlsym(library, "openblas_set_num_threads");
    if (!blas->sdot || !blas->sgemm || !blas->set_threads)
        return variant_fail(v, "not measured: libopenblas.so.0 lacks a function");
    blas->set_threads(1);
    return true;
}

static bool blas_run(struct variant *v, struct session *s)
{
    const struct blas *blas = v->state;
    const struct work *w = &s->work;
    int side = (int)w->rows;
    if (s->row->hand == HAND_DOT)
        w->out[0] = blas->sdot((int)w->n, w->a, 1, w->b, 1);
    else
        blas->sgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, side, side, side, 1, w->a, side, w->b,
                    side, 0, w->out, side);
    return true;
}

static void blas_close(struct variant *v)
{
    free(v->state);
    v->state = NULL;
}

const struct way way_blas = {.open = blas_open, .run = blas_run, .close = blas_close};
