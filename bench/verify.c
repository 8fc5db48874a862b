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

static void fill_bytes(uint8_t *to, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (uint8_t)(next_random(&seed) >> 56);
}

static void fill_columns(uint32_t *to, size_t count, size_t columns, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (uint32_t)(next_random(&seed) % columns);
}

static void fill_b(struct session *s)
{
    void *b = (void *)(uintptr_t)s->work.b;
    switch (s->row->b) {
    case NO_B: break;
    case FLOAT_B: fill_floats(b, s->shape.n, 2); break;
    case BOOL_B: fill_bools(b, s->shape.n, 3); break;
    case BYTE_B: fill_bytes(b, s->shape.n, 4); break;
    case COLUMN_B: fill_columns(b, s->shape.n, lw_buffer_count(s->x), 5); break;
    }
}

/* Uniform in [0, 1): sums do not cancel, means are not 0. */
void data_fill(struct session *s)
{
    fill_floats((float *)(uintptr_t)s->work.a, lw_buffer_count(s->a), 1);
    fill_b(s);
    if (s->x)
        fill_floats((float *)(uintptr_t)s->work.x, lw_buffer_count(s->x), 6);
    if (s->row->u == STARTS_U)
        for (size_t r = 0; r <= s->shape.rows; r++)
            s->work.u[r] = (uint32_t)(r * s->shape.cols);
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

static double value_at(const struct session *s, const float *out, size_t i)
{
    uint32_t count;
    memcpy(&count, &out[i], sizeof count);
    return s->row->counts ? count : (double)out[i];
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
    size_t count = s->row->outputs(&s->shape);
    if (s->row->u == COUNTER_U) {
        for (count = 0; count < s->shape.n && !isnan(want[count]);)
            count++;
        if (s->work.u[0] != count)
            return variant_fail(v, "wrong: the counter is %u, not %zu", s->work.u[0], count);
    }
    for (size_t i = 0; i < count; i++) {
        double got = value_at(s, out, i);
        if (!is_close(got, want[i], s->row->tolerance))
            return variant_fail(v, "wrong: out[%zu] is %.9g, not %.9g", i, got, want[i]);
    }
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
            return variant_fail(v, "wrong: out[%zu] is %.9g, on ref %.9g", i,
                                value_at(s, s->work.out, i), value_at(s, want, i));
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
    bool done = false;
    if (create_buffers(&s) && map_work(&s)) {
        data_fill(&s);
        clear_out(&s);
        done = way_ours.open(&v, &s) && run_once(&s, &v, NULL);
        memcpy(out, s.work.out, s.out_count * sizeof *out);
        unmap_work(&s);
    } else {
        variant_fail(&v, "%s", lw_last_error());
    }
    way_ours.close(&v);
    destroy_buffers(&s);
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
