/* verify.c - inputs, and whether a variant's output is right.
 *
 * Against the plain C every variant has the row's tolerance: sums may be in any order. Ours must
 * also have ref's bits, on the small shape. Outputs are NaN before a run: what is not written
 * shows.
 */
#include "bench.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- inputs ---------------------------------------------------------------------------------- */

/* splitmix64: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
 */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void fill_floats(float *to, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (float)(next_random(&seed) >> 40) * 0x1p-24f;
}

static void fill_bools(bool *to, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        to[i] = next_random(&seed) >> 63;
}

/* Uniform in [0, 1): sums do not cancel, means are not 0. */
void data_fill(struct session *s)
{
    fill_floats((float *)(uintptr_t)s->work.a, lw_buffer_count(s->a), 1);
    if (s->row->b == FLOAT_B)
        fill_floats((float *)(uintptr_t)s->work.b, s->shape.n, 2);
    else if (s->row->b == BOOL_B)
        fill_bools((bool *)(uintptr_t)s->work.b, s->shape.n, 3);
    memset(s->work.out, 0, s->out_count * sizeof *s->work.out);
}

/* A sum's parts that nobody writes count nothing. */
static void clear_out(struct session *s)
{
    memset(s->work.out, s->row->outputs ? 0xff : 0, s->out_count * sizeof *s->work.out);
}

/* ---- against the plain C --------------------------------------------------------------------- */

static bool is_close(double got, double want, double tolerance)
{
    return fabs(got - want) <= tolerance * (fabs(want) > 1 ? fabs(want) : 1);
}

static bool check_values(struct variant *v, const struct session *s, const double *want)
{
    const float *out = s->work.out;
    if (!s->row->outputs) {
        double sum = 0;
        for (size_t i = 0; i < s->out_count; i++)
            sum += out[i];
        return is_close(sum, want[0], s->row->tolerance) ||
               variant_fail(v, "wrong: the sum is %.9g, not %.9g", sum, want[0]);
    }
    for (size_t i = 0; i < s->row->outputs(&s->shape); i++)
        if (!is_close(out[i], want[i], s->row->tolerance))
            return variant_fail(v, "wrong: out[%zu] is %.9g, not %.9g", i, out[i], want[i]);
    return true;
}

/* ---- against ref ----------------------------------------------------------------------------- */

static bool is_same(float got, float want)
{
    return memcmp(&got, &want, sizeof got) == 0 || (isnan(got) && isnan(want));
}

static bool same_values(struct variant *v, const struct session *s, const float *want)
{
    size_t count = s->row->outputs ? s->row->outputs(&s->shape) : s->out_count;
    for (size_t i = 0; i < count; i++)
        if (!is_same(s->work.out[i], want[i]))
            return variant_fail(v, "wrong: out[%zu] is %.9g, on ref %.9g", i, s->work.out[i],
                                want[i]);
    return true;
}

/* Ours on ref, in a session of its own. */
static bool run_on_ref(const struct session *like, const struct variant *variant, float *out,
                       struct variant *problem)
{
    struct bench bench = *like->bench;
    bench.device = bench.memory = bench.ref;
    struct session s = *like;
    struct variant v = {.way = &way_ours, .block = variant->block, .repeat = 1};
    s.bench = &bench;
    s.a = s.b = s.out = NULL;
    bool done = false;
    if (lw_buffer_create(bench.ref, LW_F32, s.shape.n, &s.a) == LW_OK &&
        lw_buffer_create(bench.ref, LW_F32, s.out_count, &s.out) == LW_OK &&
        (s.row->b == NO_B ||
         lw_buffer_create(bench.ref, lw_buffer_dtype(like->b), s.shape.n, &s.b) == LW_OK) &&
        map_work(&s)) {
        data_fill(&s);
        clear_out(&s);
        done = way_ours.open(&v, &s) && run_once(&s, &v, NULL);
        memcpy(out, s.work.out, s.out_count * sizeof *out);
        unmap_work(&s);
    } else {
        variant_fail(&v, "%s", lw_last_error());
    }
    way_ours.close(&v);
    lw_buffer_destroy(s.a);
    lw_buffer_destroy(s.b);
    lw_buffer_destroy(s.out);
    return done || variant_fail(problem, "not verified: on ref %.150s", v.problem);
}

static bool verify_bits(struct session *s, struct variant *v)
{
    float *want = calloc(s->out_count, sizeof *want);
    bool same = want && run_on_ref(s, v, want, v) && same_values(v, s, want);
    free(want);
    return same;
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool verify_one(struct session *s, struct variant *v, const double *want, bool against_ref)
{
    clear_out(s);
    if (!run_once(s, v, NULL) || !check_values(v, s, want))
        return false;
    return !against_ref || v->way != &way_ours || verify_bits(s, v);
}

bool verify_all(struct session *s, bool against_ref)
{
    double *want = calloc(s->shape.n, sizeof *want);
    int ours = 0, right = 0;
    if (want)
        s->row->reference(&s->work, want);
    for (int i = 0; i < s->count; i++) {
        struct variant *v = &s->variants[i];
        bool is_ours = v->way == &way_ours;
        ours += is_ours;
        if (v->problem[0] || !v->computes)
            continue;
        if (!want)
            variant_fail(v, "not verified: out of memory");
        else if (verify_one(s, v, want, against_ref))
            right += is_ours;
    }
    free(want);
    return ours > 0 && right == ours;
}
