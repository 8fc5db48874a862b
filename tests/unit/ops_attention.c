/* ops_attention - lw_attention: against softmax in double; the same bits on all devices, at all
 * levels, with any number of threads; a causal row is that of a call with the keys it sees; shapes,
 * weights, errors.
 */
#include "ops_test.h"

struct shape {
    const char *name;
    lw_dtype dtype;
    size_t batches, heads, sharers, queries, keys, depth, width;
    bool causal;
    int window;
    bool interleaved; /* heads next to each other in memory, as (batch, position, head, depth) */
};

static const struct shape shapes[] = {
    {"one key", LW_F32, 1, 1, 1, 1, 1, 4, 4, 0, 0, 0},
    {"one query", LW_F32, 1, 3, 1, 1, 3000, 64, 128, 0, 0, 0},
    {"a leaf and a key", LW_F32, 1, 2, 1, 5, 129, 64, 64, 0, 0, 0},
    {"a chunk and a key", LW_F32, 1, 2, 1, 20, 1025, 16, 8, 0, 0, 0},
    {"five chunks, causal", LW_F32, 1, 1, 1, 70, 4500, 32, 64, 1, 0, 0},
    {"more queries than keys", LW_F32, 1, 2, 1, 90, 40, 8, 12, 1, 0, 0},
    {"shared heads", LW_F32, 2, 6, 3, 33, 200, 24, 40, 1, 0, 1},
    {"a window", LW_F32, 1, 2, 1, 150, 400, 16, 16, 1, 100, 0},
    {"a window both ways", LW_F32, 1, 2, 1, 150, 400, 16, 16, 0, 20, 1},
    {"odd depths", LW_F32, 1, 2, 1, 40, 150, 13, 7, 0, 0, 0},
    {"a wide value", LW_F32, 1, 1, 1, 30, 150, 8, 260, 1, 0, 0},
    {"depth beyond a chain", LW_F32, 1, 1, 1, 3, 20, 1100, 16, 0, 0, 0},
    {"no keys", LW_F32, 1, 2, 1, 3, 0, 8, 16, 0, 0, 0},
    {"f64", LW_F64, 1, 2, 2, 40, 300, 32, 20, 1, 0, 0},
    {"f16", LW_F16, 1, 2, 1, 20, 300, 32, 32, 1, 0, 0},
    {"bf16", LW_BF16, 1, 2, 1, 2, 300, 32, 32, 0, 0, 1},
};

/* ---- values: small whole numbers of eighths, which every type holds ---- */

struct values {
    size_t count;
    double *real;
    char *bytes;
};

static struct values values_of(lw_dtype t, size_t count, uint64_t seed)
{
    struct values v = {count, calloc(count + 1, sizeof(double)), calloc(count + 1, 8)};

    for (size_t i = 0; i < count; i++) {
        v.real[i] = floor(next_number(&seed) * 16) / 8;
        put_real(t, v.bytes + i * lw_dtype_size(t), v.real[i]);
    }
    return v;
}

static void free_values(struct values *v)
{
    free(v->real);
    free(v->bytes);
}

/* ---- one call ---- */

struct problem {
    struct shape s;
    struct values q, k, v;
};

/* Element (b, h, n, d) of a tensor of so many heads, positions and depths. */
static size_t at(const struct shape *s, size_t heads, size_t positions, size_t depths, size_t b,
                 size_t h, size_t n, size_t d)
{
    return s->interleaved ? ((b * positions + n) * heads + h) * depths + d
                          : ((b * heads + h) * positions + n) * depths + d;
}

static lw_tensor tensor_of(lw_buffer *b, const struct shape *s, size_t heads, size_t positions,
                           size_t depths)
{
    lw_tensor t = {.buffer = b, .rank = 4, .strided = true};
    const size_t extents[] = {s->batches, heads, positions, depths};

    for (int k = 0; k < 4; k++)
        t.extent[k] = (ptrdiff_t)extents[k];
    t.stride[0] = (ptrdiff_t)(heads * positions * depths);
    t.stride[1] = (ptrdiff_t)(s->interleaved ? depths : positions * depths);
    t.stride[2] = (ptrdiff_t)(s->interleaved ? heads * depths : depths);
    t.stride[3] = 1;
    return t;
}

struct result {
    struct values out, weights;
};

static void attend(const struct opened *o, const struct problem *p, bool with_weights,
                   struct result *r)
{
    const struct shape *s = &p->s;
    const size_t heads = s->heads / s->sharers;
    lw_buffer *q = buffer_with(o->device, s->dtype, p->q.count, p->q.bytes),
              *k = buffer_with(o->device, s->dtype, p->k.count, p->k.bytes),
              *v = buffer_with(o->device, s->dtype, p->v.count, p->v.bytes),
              *out = buffer_with(o->device, s->dtype, r->out.count, r->out.bytes),
              *weights = buffer_with(o->device, s->dtype, r->weights.count, r->weights.bytes);
    const lw_tensor of_weights = tensor_of(weights, s, s->heads, s->queries, s->keys);
    const lw_attention_options options = {.scale = 0.25,
                                          .causal = s->causal,
                                          .window = s->window,
                                          .weights = with_weights ? &of_weights : NULL};

    WORKS(lw_attention(o->stream, tensor_of(out, s, s->heads, s->queries, s->width),
                       tensor_of(q, s, s->heads, s->queries, s->depth),
                       tensor_of(k, s, heads, s->keys, s->depth),
                       tensor_of(v, s, heads, s->keys, s->width), &options));
    WORKS(lw_stream_wait(o->stream));
    WORKS(lw_buffer_read(out, 0, r->out.count, r->out.bytes));
    WORKS(lw_buffer_read(weights, 0, r->weights.count, r->weights.bytes));
    lw_buffer_destroy(q);
    lw_buffer_destroy(k);
    lw_buffer_destroy(v);
    lw_buffer_destroy(out);
    lw_buffer_destroy(weights);
}

/* ---- against softmax in double ---- */

static bool sees(const struct shape *s, size_t query, size_t key)
{
    const long own = (long)query + (long)s->keys - (long)s->queries, k = (long)key;

    if (s->causal && k > own)
        return false;
    return !s->window || (k > own - s->window && k < own + (s->causal ? 1 : s->window));
}

static void find_weights(const struct problem *p, size_t b, size_t h, size_t n, double *weights)
{
    const struct shape *s = &p->s;
    double top = -INFINITY, sum = 0;

    for (size_t k = 0; k < s->keys; k++) {
        weights[k] = 0;
        for (size_t d = 0; d < s->depth; d++)
            weights[k] +=
                p->q.real[at(s, s->heads, s->queries, s->depth, b, h, n, d)] *
                p->k.real[at(s, s->heads / s->sharers, s->keys, s->depth, b, h / s->sharers, k, d)];
        weights[k] *= 0.25;
        if (sees(s, n, k))
            top = fmax(top, weights[k]);
    }
    for (size_t k = 0; k < s->keys; k++) {
        weights[k] = sees(s, n, k) ? exp(weights[k] - top) : 0;
        sum += weights[k];
    }
    for (size_t k = 0; k < s->keys; k++)
        weights[k] /= sum > 0 ? sum : 1;
}

static size_t count_wrong(const struct problem *p, const struct result *r, bool with_weights)
{
    const struct shape *s = &p->s;
    const size_t size = lw_dtype_size(s->dtype);
    const double bound = s->dtype == LW_F64   ? 1e-13
                         : size == 4          ? 4e-5
                         : s->dtype == LW_F16 ? 2e-3
                                              : 2e-2;
    double *weights = calloc(s->keys + 1, sizeof *weights);
    size_t wrong = 0;

    for (size_t i = 0; i < s->batches * s->heads * s->queries; i++) {
        const size_t n = i % s->queries, h = i / s->queries % s->heads,
                     b = i / s->queries / s->heads;

        find_weights(p, b, h, n, weights);
        for (size_t d = 0; d < s->width; d++) {
            double mean = 0;
            for (size_t k = 0; k < s->keys; k++)
                mean += weights[k] * p->v.real[at(s, s->heads / s->sharers, s->keys, s->width, b,
                                                  h / s->sharers, k, d)];
            const size_t o = at(s, s->heads, s->queries, s->width, b, h, n, d);
            wrong += !(fabs(mean - get_real(s->dtype, r->out.bytes + o * size)) <= bound);
        }
        for (size_t k = 0; k < s->keys && with_weights; k++) {
            const size_t w = at(s, s->heads, s->queries, s->keys, b, h, n, k);
            wrong += !(fabs(weights[k] - get_real(s->dtype, r->weights.bytes + w * size)) <= bound);
        }
    }
    free(weights);
    return wrong;
}

static struct result empty_result(const struct shape *s)
{
    const size_t rows = s->batches * s->heads * s->queries;

    return (struct result){values_of(s->dtype, rows * s->width, 4),
                           values_of(s->dtype, rows * s->keys, 5)};
}

static void free_result(struct result *r)
{
    free_values(&r->out);
    free_values(&r->weights);
}

static struct problem problem_of(const struct shape *s)
{
    const size_t heads = s->heads / s->sharers;

    return (struct problem){*s,
                            values_of(s->dtype, s->batches * s->heads * s->queries * s->depth, 1),
                            values_of(s->dtype, s->batches * heads * s->keys * s->depth, 2),
                            values_of(s->dtype, s->batches * heads * s->keys * s->width, 3)};
}

static void free_problem(struct problem *p)
{
    free_values(&p->q);
    free_values(&p->k);
    free_values(&p->v);
}

static void test_shape(const struct shape *s, const struct opened *opened)
{
    struct problem p = problem_of(s);
    const size_t size = lw_dtype_size(s->dtype);
    struct result first = empty_result(s), plain = empty_result(s);

    attend(&opened[0], &p, true, &first);
    attend(&opened[0], &p, false, &plain);
    if (count_wrong(&p, &first, true))
        check(false, s->name, "beyond the bound", (int)count_wrong(&p, &first, true));
    if (memcmp(first.out.bytes, plain.out.bytes, first.out.count * size))
        check(false, s->name, "weights change the result", 0);
    for (size_t i = 1; i < SETTINGS; i++)
        for (int with_weights = 0; with_weights < 2 && opened[i].device; with_weights++) {
            struct result r = empty_result(s);

            attend(&opened[i], &p, with_weights, &r);
            if (memcmp(first.out.bytes, r.out.bytes, r.out.count * size))
                check(false, s->name, settings[i].device, (int)i);
            if (with_weights &&
                memcmp(first.weights.bytes, r.weights.bytes, r.weights.count * size))
                check(false, s->name, "weights", (int)i);
            free_result(&r);
        }
    free_result(&first);
    free_result(&plain);
    free_problem(&p);
}

/* ---- what a row does not depend on ---- */

/* Row i of a causal call is the call of its query with the keys up to its own. */
static void test_prefix(const struct opened *o)
{
    const struct shape whole = {"prefix", LW_F32, 1, 1, 1, 300, 1300, 16, 16, 1, 0, 0};
    struct problem p = problem_of(&whole);
    struct result all = empty_result(&whole);

    attend(o, &p, false, &all);
    for (size_t i = 0; i < whole.queries; i += 37) {
        struct shape s = whole;
        struct problem one = p;

        s.queries = 1;
        s.keys = whole.keys - whole.queries + i + 1;
        one.s = s;
        one.q.bytes += i * s.depth * sizeof(float);
        one.q.count = s.depth;
        one.k.count = one.v.count = s.keys * s.depth;
        struct result r = empty_result(&s);
        attend(o, &one, false, &r);
        if (memcmp(r.out.bytes, all.out.bytes + i * s.width * sizeof(float),
                   s.width * sizeof(float)))
            check(false, "a causal row is not that of its prefix", "row", (int)i);
        free_result(&r);
    }
    free_result(&all);
    free_problem(&p);
}

/* A key that is not seen may have any value; a query that sees none gives zeros. */
static void test_unseen(const struct opened *o)
{
    const struct shape s = {"unseen", LW_F32, 1, 1, 1, 80, 70, 8, 8, 1, 0, 0};
    struct problem p = problem_of(&s);
    struct result r = empty_result(&s);
    const float nan = NAN;

    for (size_t d = 0; d < s.width; d++)
        memcpy(p.v.bytes + ((s.keys - 1) * s.width + d) * sizeof nan, &nan, sizeof nan);
    attend(o, &p, false, &r);
    for (size_t n = 0; n < s.queries; n++) {
        const float v = (float)get_real(LW_F32, r.out.bytes + n * s.width * sizeof(float));

        CHECK(n < 10 ? v == 0 && !signbit(v) : n < s.queries - 1 ? v == v : v != v);
    }
    free_result(&r);
    free_problem(&p);
}

/* ---- ranks and errors ---- */

/* The classic example: softmax(q k^T) v of one query. */
static void test_ranks(const struct opened *o)
{
    const float q[] = {1, 2}, k[] = {0, 0, 0, 0, 0, 0}, v[] = {1, 2, 3, 4, 5, 6};
    float got[2];
    lw_buffer *bq;

    WORKS(lw_buffer_create(o->device, LW_F32, 2, &bq));
    lw_buffer *bk;
    WORKS(lw_buffer_create(o->device, LW_F32, 6, &bk));
    lw_buffer *bv;
    WORKS(lw_buffer_create(o->device, LW_F32, 6, &bv));
    lw_buffer *out;
    WORKS(lw_buffer_create(o->device, LW_F32, 2, &out));
    WORKS(lw_buffer_write(bq, 0, 2, q));
    WORKS(lw_buffer_write(bk, 0, 6, k));
    WORKS(lw_buffer_write(bv, 0, 6, v));
    WORKS(lw_attention(o->stream, plain(out, 1, 2, 0, 0, 0), plain(bq, 1, 2, 0, 0, 0),
                       plain(bk, 2, 3, 2, 0, 0), plain(bv, 2, 3, 2, 0, 0), NULL));
    WORKS(lw_buffer_read(out, 0, 2, got));
    CHECK(got[0] == 3 && got[1] == 4);
    WORKS(lw_attention(o->stream, plain(out, 2, 1, 2, 0, 0), plain(bq, 2, 1, 2, 0, 0),
                       plain(bk, 2, 3, 2, 0, 0), plain(bv, 2, 3, 2, 0, 0), NULL));
    WORKS(lw_buffer_read(out, 0, 2, got));
    CHECK(got[0] == 3 && got[1] == 4);
    lw_buffer_destroy(bq);
    lw_buffer_destroy(bk);
    lw_buffer_destroy(bv);
    lw_buffer_destroy(out);
}

#define NEEDED                                                                                     \
    "; need (d,), (n, d), (n, e) or (m, d), (n, d), (n, e) or (batch, heads, m, d), (batch, "      \
    "some, "                                                                                       \
    "n, d), (batch, some, n, e), heads a multiple of some"

static void test_errors(const struct opened *o)
{
    lw_tensor two;
    const lw_attention_options options = {.window = -1}, weights = {.weights = &two};

    lw_buffer *b;
    WORKS(lw_buffer_create(o->device, LW_F32, 400, &b));
    lw_buffer *h;
    WORKS(lw_buffer_create(o->device, LW_F16, 400, &h));
    lw_buffer *i;
    WORKS(lw_buffer_create(o->device, LW_I32, 400, &i));
    lw_buffer *out;
    WORKS(lw_buffer_create(o->device, LW_F32, 400, &out));
    two = plain(out, 2, 3, 4, 0, 0);
    lw_tensor q = plain(b, 2, 3, 4, 0, 0);
    refuse(lw_attention(o->stream, two, q, plain(b, 2, 5, 3, 0, 0), plain(b, 2, 5, 4, 0, 0), NULL),
           LW_E_SHAPE, "attention: q has shape (3, 4), k has (5, 3) and v has (5, 4)" NEEDED,
           __LINE__);
    refuse(lw_attention(o->stream, plain(out, 4, 1, 3, 2, 4), plain(b, 4, 1, 3, 2, 4),
                        plain(b, 4, 1, 2, 5, 4), plain(b, 4, 1, 2, 5, 4), NULL),
           LW_E_SHAPE,
           "attention: q has shape (1, 3, 2, 4), k has (1, 2, 5, 4) and v has (1, 2, 5, 4)" NEEDED,
           __LINE__);
    refuse(lw_attention(o->stream, two, q, plain(h, 2, 5, 4, 0, 0), plain(b, 2, 5, 4, 0, 0), NULL),
           LW_E_DTYPE, "attention: q, k and v are f32, f16 and f32; need one floating type",
           __LINE__);
    q.buffer = i;
    refuse(lw_attention(o->stream, two, q, plain(i, 2, 5, 4, 0, 0), plain(i, 2, 5, 4, 0, 0), NULL),
           LW_E_DTYPE, "attention: q, k and v are i32, i32 and i32; need one floating type",
           __LINE__);
    q.buffer = b;
    refuse(lw_attention(o->stream, plain(out, 2, 4, 3, 0, 0), q, plain(b, 2, 5, 4, 0, 0),
                        plain(b, 2, 5, 4, 0, 0), NULL),
           LW_E_SHAPE, "attention: out has shape (4, 3); need (3, 4)", __LINE__);
    refuse(
        lw_attention(o->stream, two, q, plain(b, 2, 5, 4, 0, 0), plain(b, 2, 5, 4, 0, 0), &options),
        LW_E_ARG, "attention: window is -1; need 0 (all keys) or more", __LINE__);
    refuse(
        lw_attention(o->stream, two, q, plain(b, 2, 4, 4, 0, 0), plain(b, 2, 4, 4, 0, 0), &weights),
        LW_E_ARG, "attention: the output out, from element 0 on, overlaps weights, from 0 on",
        __LINE__);
    refuse(lw_attention(o->stream, q, q, plain(b, 2, 4, 4, 0, 0), plain(b, 2, 4, 4, 0, 0), NULL),
           LW_E_ARG, "attention: the output out, from element 0 on, overlaps q, from 0 on",
           __LINE__);
    lw_buffer_destroy(b);
    lw_buffer_destroy(h);
    lw_buffer_destroy(i);
    lw_buffer_destroy(out);
}

int main(void)
{
    struct opened opened[SETTINGS] = {0};

    for (size_t i = 0; i < SETTINGS; i++)
        open_device(&settings[i], &opened[i]);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        test_shape(&shapes[i], opened);
    for (size_t i = 0; i < SETTINGS; i++)
        if (opened[i].device) {
            test_prefix(&opened[i]);
            test_unseen(&opened[i]);
            test_ranks(&opened[i]);
        }
    test_errors(&opened[0]);
    for (size_t i = 0; i < SETTINGS; i++)
        close_device(&opened[i]);
    return failures != 0;
}
