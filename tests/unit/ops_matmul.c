/* ops_matmul - lw_matmul: against sums in double, within the bound of docs/order.md; the same bits
 * on all devices, at all levels, with any number of threads, alone and in a batch; ranks; errors.
 */
#include "ops_test.h"

enum { CHAIN = 1024, SIZE_MAX_TEST = 1 << 19 };

struct shape {
    const char *name;
    lw_dtype x, y, out;
    size_t batch, m, n, k;
    bool turn_x, turn_y, turn_out, has_bias, share_y;
};

static const struct shape shapes[] = {
    {"one element", LW_F32, LW_F32, LW_F32, 1, 1, 1, 1, 0, 0, 0, 0, 0},
    {"a dot product", LW_F32, LW_F32, LW_F32, 1, 1, 1, 5000, 0, 0, 0, 0, 0},
    {"no terms", LW_F32, LW_F32, LW_F32, 1, 5, 7, 0, 0, 0, 0, 1, 0},
    {"small", LW_F32, LW_F32, LW_F32, 1, 3, 33, 31, 0, 0, 0, 0, 0},
    {"a chain and one term", LW_F32, LW_F32, LW_F32, 1, 7, 65, 1025, 0, 0, 0, 1, 0},
    {"three chains, nodes", LW_F32, LW_F32, LW_F32, 1, 20, 20, 2500, 0, 0, 0, 0, 0},
    {"seven chains", LW_F32, LW_F32, LW_F32, 3, 13, 9, 7000, 0, 0, 0, 1, 0},
    {"a panel and more", LW_F32, LW_F32, LW_F32, 1, 260, 70, 140, 0, 0, 0, 0, 0},
    {"lines by fours, several gangs", LW_F32, LW_F32, LW_F32, 1, 8, 331, 1030, 0, 0, 0, 1, 0},
    {"ranges of several gangs", LW_F32, LW_F32, LW_F32, 1, 259, 330, 300, 0, 1, 0, 0, 0},
    {"f64, several gangs", LW_F64, LW_F64, LW_F64, 2, 13, 75, 2100, 0, 0, 0, 1, 0},
    {"whole tiles", LW_F32, LW_F32, LW_F32, 1, 128, 128, 64, 0, 0, 0, 1, 0},
    {"turned", LW_F32, LW_F32, LW_F32, 1, 70, 67, 130, 1, 1, 0, 0, 0},
    {"turned out", LW_F32, LW_F32, LW_F32, 2, 40, 67, 50, 0, 0, 1, 1, 0},
    {"row by matrix", LW_F32, LW_F32, LW_F32, 1, 1, 300, 1500, 0, 0, 0, 0, 0},
    {"matrix by column", LW_F32, LW_F32, LW_F32, 1, 300, 1, 1500, 0, 0, 0, 0, 0},
    {"short lines by a column", LW_F32, LW_F32, LW_F32, 1, 150, 1, 67, 0, 0, 0, 0, 0},
    {"short columns, bias", LW_F32, LW_F32, LW_F32, 2, 1, 75, 30, 0, 1, 0, 1, 0},
    {"f64, short lines by a column", LW_F64, LW_F64, LW_F64, 1, 70, 1, 21, 0, 0, 0, 0, 0},
    {"i64, short lines by a column", LW_I64, LW_I64, LW_I64, 1, 70, 1, 9, 0, 0, 0, 0, 0},
    {"row by columns", LW_F32, LW_F32, LW_F32, 1, 1, 300, 1500, 0, 1, 0, 1, 0},
    {"turned matrix by column", LW_F32, LW_F32, LW_F32, 2, 300, 1, 1027, 1, 0, 0, 0, 0},
    {"few rows", LW_F32, LW_F32, LW_F32, 3, 3, 70, 2051, 0, 0, 0, 1, 0},
    {"few rows by columns", LW_F32, LW_F32, LW_F32, 3, 4, 70, 2051, 0, 1, 1, 1, 0},
    {"few rows, wide", LW_F32, LW_F32, LW_F32, 1, 2, 5000, 10, 1, 0, 0, 0, 0},
    {"ten columns", LW_F32, LW_F32, LW_F32, 1, 301, 10, 67, 0, 0, 0, 0, 0},
    {"ten columns, turned x", LW_F32, LW_F32, LW_F32, 1, 301, 10, 67, 1, 0, 0, 0, 0},
    {"ten columns, turned out", LW_F32, LW_F32, LW_F32, 2, 37, 10, 300, 0, 0, 1, 1, 0},
    {"two columns", LW_F32, LW_F32, LW_F32, 3, 45, 2, 2050, 0, 1, 0, 0, 0},
    {"sixteen columns", LW_F32, LW_F32, LW_F32, 1, 263, 16, 1100, 0, 1, 0, 1, 0},
    {"several slim gangs", LW_F32, LW_F32, LW_F32, 1, 41, 78, 300, 0, 0, 0, 0, 0},
    {"f64, ten columns", LW_F64, LW_F64, LW_F64, 1, 61, 10, 67, 0, 0, 0, 0, 0},
    {"i64, five columns", LW_I64, LW_I64, LW_I64, 1, 61, 5, 67, 0, 1, 0, 0, 0},
    {"f64, a row", LW_F64, LW_F64, LW_F64, 1, 1, 50, 3000, 0, 1, 0, 0, 0},
    {"f16, a column", LW_F16, LW_F16, LW_F16, 2, 90, 1, 1100, 0, 0, 0, 1, 0},
    {"bf16, two rows", LW_BF16, LW_BF16, LW_F32, 1, 2, 77, 1100, 0, 0, 0, 0, 0},
    {"i64, two rows", LW_I64, LW_I64, LW_I64, 1, 2, 35, 1100, 0, 1, 0, 1, 0},
    {"a shared factor", LW_F32, LW_F32, LW_F32, 5, 9, 40, 100, 0, 0, 0, 0, 1},
    {"a GPU full of small tiles", LW_F32, LW_F32, LW_F32, 130, 33, 34, 20, 0, 0, 0, 1, 0},
    {"a GPU full of large tiles", LW_F32, LW_F32, LW_F32, 128, 65, 66, 20, 0, 0, 0, 0, 0},
    {"f64", LW_F64, LW_F64, LW_F64, 2, 33, 35, 1100, 0, 1, 0, 1, 0},
    {"f16", LW_F16, LW_F16, LW_F16, 1, 17, 40, 1200, 0, 0, 0, 0, 0},
    {"bf16 into f32", LW_BF16, LW_BF16, LW_F32, 1, 17, 40, 200, 0, 1, 0, 1, 0},
    {"f32 by bool", LW_F32, LW_BOOL, LW_F32, 1, 20, 21, 100, 0, 0, 0, 0, 0},
    {"f32 by i32 is f64", LW_F32, LW_I32, LW_F64, 1, 20, 21, 100, 0, 0, 0, 0, 0},
    {"i8", LW_I8, LW_I8, LW_I32, 1, 20, 40, 300, 0, 0, 0, 1, 0},
    {"i64 wraps", LW_I64, LW_I64, LW_I64, 2, 20, 40, 1100, 1, 0, 0, 0, 0},
    {"u8 wraps", LW_U8, LW_U8, LW_U8, 1, 20, 40, 300, 0, 0, 0, 0, 0},
};

static bool is_float(lw_dtype t)
{
    return t >= LW_F16;
}

/* ---- values ---- */

/* Elements of a dtype, and what they are as a double and as 64 bits. */
struct values {
    size_t count;
    double *real;
    uint64_t *bits; /* of integers */
    char *bytes;
};

static void put(struct values *v, lw_dtype t, size_t i, double number, uint64_t random)
{
    const size_t size = lw_dtype_size(t);

    random = t == LW_BOOL ? random & 1 : random;
    if (is_float(t))
        put_real(t, v->bytes + i * size, number);
    else
        memcpy(v->bytes + i * size, &random, size);
}

static void get(struct values *v, lw_dtype t, size_t i)
{
    const size_t size = lw_dtype_size(t);
    const char *at = v->bytes + i * size;
    uint64_t bits = 0;

    if (is_float(t)) {
        v->real[i] = get_real(t, at);
        return;
    }
    memcpy(&bits, at, size);
    if (t <= LW_I64 && size < 8 && bits >> (8 * size - 1))
        bits |= ~(uint64_t)0 << (8 * size);
    v->bits[i] = bits;
    v->real[i] = (double)(int64_t)bits;
}

static struct values values_of(lw_dtype t, size_t count, uint64_t seed)
{
    struct values v = {count, calloc(count + 1, sizeof(double)), calloc(count + 1, 8),
                       calloc(count + 1, 8)};

    for (size_t i = 0; i < count; i++) {
        const double number = next_number(&seed);

        put(&v, t, i, number, seed >> 24);
        get(&v, t, i);
    }
    return v;
}

static void free_values(struct values *v)
{
    free(v->real);
    free(v->bits);
    free(v->bytes);
}

/* ---- one product ---- */

struct product {
    struct shape s;
    struct values x, y, bias;
};

/* A tensor (batch, rows, columns), which lies turned where `turned`. */
static lw_tensor tensor_of(lw_buffer *b, size_t batch, size_t rows, size_t columns, bool turned,
                           bool shared)
{
    lw_tensor t = {.buffer = b, .rank = 3, .strided = true};

    t.extent[0] = (ptrdiff_t)batch;
    t.extent[1] = (ptrdiff_t)rows;
    t.extent[2] = (ptrdiff_t)columns;
    t.stride[0] = shared ? 0 : (ptrdiff_t)(rows * columns);
    t.stride[1] = turned ? 1 : (ptrdiff_t)columns;
    t.stride[2] = turned ? (ptrdiff_t)rows : 1;
    return t;
}

/* The output's bytes on a device. */
static void multiply(lw_device *d, lw_stream *stream, const struct product *p, struct values *out)
{
    const struct shape *s = &p->s;
    lw_buffer *x = buffer_with(d, s->x, p->x.count, p->x.bytes),
              *y = buffer_with(d, s->y, p->y.count, p->y.bytes),
              *bias = buffer_with(d, s->out, p->bias.count, p->bias.bytes),
              *to = buffer_with(d, s->out, out->count, out->bytes);
    const ptrdiff_t columns = (ptrdiff_t)s->n;
    lw_tensor of_bias = {.buffer = bias, .rank = 1, .extent = {columns}};
    const lw_matmul_options options = {.bias = s->has_bias ? &of_bias : NULL};

    WORKS(lw_matmul(stream, tensor_of(to, s->batch, s->m, s->n, s->turn_out, false),
                    tensor_of(x, s->batch, s->m, s->k, s->turn_x, false),
                    tensor_of(y, s->batch, s->k, s->n, s->turn_y, s->share_y), &options));
    WORKS(lw_stream_wait(stream));
    WORKS(lw_buffer_read(to, 0, out->count, out->bytes));
    for (size_t i = 0; i < out->count; i++)
        get(out, s->out, i);
    lw_buffer_destroy(x);
    lw_buffer_destroy(y);
    lw_buffer_destroy(bias);
    lw_buffer_destroy(to);
}

static double unit_of(lw_dtype t)
{
    return t == LW_F64 ? 0x1p-53 : t == LW_F32 ? 0x1p-24 : t == LW_F16 ? 0x1p-11 : 0x1p-8;
}

/* Element b, r, c against a sum in double, or in 64 bits. */
static bool is_right(const struct product *p, const struct values *out, size_t b, size_t r,
                     size_t c)
{
    const struct shape *s = &p->s;
    const size_t at = b * s->m * s->n + (s->turn_out ? c * s->m + r : r * s->n + c);
    const double u = unit_of(s->out == LW_F64 ? LW_F64 : LW_F32);
    const bool in_reals = is_float(s->x) || is_float(s->y);
    const size_t chain = s->k < CHAIN ? s->k : CHAIN;
    double sum = 0, size = 0, bound;
    uint64_t bits = 0;

    for (size_t k = 0; k < s->k; k++) {
        const size_t i = b * s->m * s->k + (s->turn_x ? k * s->m + r : r * s->k + k);
        const size_t j =
            (s->share_y ? 0 : b * s->n * s->k) + (s->turn_y ? c * s->k + k : k * s->n + c);
        sum += p->x.real[i] * p->y.real[j];
        size += fabs(p->x.real[i] * p->y.real[j]);
        bits += p->x.bits[i] * p->y.bits[j];
    }
    if (s->has_bias) {
        sum += p->bias.real[c];
        size += fabs(p->bias.real[c]);
        bits += p->bias.bits[c];
    }
    if (!in_reals)
        return !memcmp(&bits, out->bytes + at * lw_dtype_size(s->out), lw_dtype_size(s->out));
    bound = ((double)chain + log2((double)s->k / CHAIN + 1) + 2) * u * size +
            unit_of(s->out) * fabs(sum) * (s->out < LW_F32 ? 1 : 0) + 0x1p-24 * (s->out == LW_F16);
    return fabs(out->real[at] - sum) <= bound;
}

static size_t count_wrong(const struct product *p, const struct values *out)
{
    const struct shape *s = &p->s;
    size_t wrong = 0;

    for (size_t b = 0; b < s->batch; b++)
        for (size_t r = 0; r < s->m; r++)
            for (size_t c = 0; c < s->n; c++)
                wrong += !is_right(p, out, b, r, c);
    return wrong;
}

static void test_shape(const struct shape *s, const struct opened *opened)
{
    struct product p = {.s = *s};
    struct values first = {0};
    bool has_first = false;

    p.x = values_of(s->x, s->batch * s->m * s->k, 1);
    p.y = values_of(s->y, (s->share_y ? 1 : s->batch) * s->k * s->n, 2);
    p.bias = values_of(s->out, s->n, 3);
    for (size_t i = 0; i < SETTINGS; i++) {
        struct values out = values_of(s->out, s->batch * s->m * s->n, 4);
        const struct opened *o = &opened[i];

        if (o->device) {
            multiply(o->device, o->stream, &p, &out);
            if (!has_first && count_wrong(&p, &out))
                check(false, s->name, "beyond the bound", (int)count_wrong(&p, &out));
            if (has_first && memcmp(first.bytes, out.bytes, out.count * lw_dtype_size(s->out)))
                check(false, s->name, settings[i].device, (int)i);
        }
        if (!has_first)
            first = out;
        else
            free_values(&out);
        has_first = true;
    }
    free_values(&first);
    free_values(&p.x);
    free_values(&p.y);
    free_values(&p.bias);
}

/* ---- ranks and errors ---- */

static void test_ranks(lw_device *d, lw_stream *s)
{
    float ones[720], got[720];

    for (int i = 0; i < 720; i++)
        ones[i] = 1;
    lw_buffer *b;
    WORKS(lw_buffer_create(d, LW_F32, 720, &b));
    lw_buffer *o;
    WORKS(lw_buffer_create(d, LW_F32, 720, &o));
    WORKS(lw_buffer_write(b, 0, 720, ones));
    WORKS(lw_matmul(s, plain(o, 0, 0, 0, 0, 0), plain(b, 1, 5, 0, 0, 0), plain(b, 1, 5, 0, 0, 0),
                    NULL));
    WORKS(lw_buffer_read(o, 0, 1, got));
    CHECK(got[0] == 5);
    WORKS(lw_matmul(s, plain(o, 1, 4, 0, 0, 0), plain(b, 1, 6, 0, 0, 0), plain(b, 2, 6, 4, 0, 0),
                    NULL));
    WORKS(lw_matmul(s, plain(o, 1, 4, 0, 0, 0), plain(b, 2, 4, 6, 0, 0), plain(b, 1, 6, 0, 0, 0),
                    NULL));
    WORKS(lw_buffer_read(o, 0, 4, got));
    CHECK(got[0] == 6 && got[3] == 6);
    WORKS(lw_matmul(s, plain(o, 3, 2, 3, 5, 0), plain(b, 2, 3, 7, 0, 0), plain(b, 3, 2, 7, 5, 0),
                    NULL));
    WORKS(lw_matmul(s, plain(o, 2, 2, 3, 0, 0), plain(b, 3, 2, 3, 7, 0), plain(b, 1, 7, 0, 0, 0),
                    NULL));
    WORKS(lw_matmul(s, plain(o, 3, 2, 3, 5, 0), plain(b, 1, 7, 0, 0, 0), plain(b, 4, 2, 3, 7, 5),
                    NULL));
    WORKS(lw_matmul(s, plain(o, 4, 2, 3, 5, 4), plain(b, 4, 2, 1, 5, 7), plain(b, 3, 3, 7, 4, 0),
                    NULL));
    WORKS(lw_buffer_read(o, 0, 120, got));
    CHECK(got[0] == 7 && got[119] == 7);
    lw_buffer_destroy(b);
    lw_buffer_destroy(o);
}

static void test_errors(lw_device *d, lw_stream *s)
{
    lw_tensor bias;
    lw_matmul_options options = {.bias = &bias};

    lw_buffer *b;
    WORKS(lw_buffer_create(d, LW_F32, 720, &b));
    lw_buffer *o;
    WORKS(lw_buffer_create(d, LW_F32, 720, &o));
    bias = plain(b, 1, 3, 0, 0, 0);
    refuse(lw_matmul(s, plain(o, 2, 3, 4, 0, 0), plain(b, 2, 3, 5, 0, 0), plain(b, 2, 6, 4, 0, 0),
                     NULL),
           LW_E_SHAPE,
           "matmul: x has shape (3, 5) and y has (6, 4); need (..., m, k) and (..., k, n), or "
           "vectors (k,), with batches that broadcast",
           __LINE__);
    refuse(lw_matmul(s, plain(o, 0, 0, 0, 0, 0), plain(b, 0, 0, 0, 0, 0), plain(b, 1, 1, 0, 0, 0),
                     NULL),
           LW_E_SHAPE,
           "matmul: x has shape () and y has (1,); need (..., m, k) and (..., k, n), or vectors "
           "(k,), with batches that broadcast",
           __LINE__);
    refuse(lw_matmul(s, plain(o, 2, 4, 3, 0, 0), plain(b, 2, 3, 5, 0, 0), plain(b, 2, 5, 4, 0, 0),
                     NULL),
           LW_E_SHAPE, "matmul: out has shape (4, 3); need (3, 4)", __LINE__);
    refuse(lw_matmul(s, plain(b, 2, 3, 4, 0, 0), plain(b, 2, 3, 5, 0, 0), plain(b, 2, 5, 4, 0, 0),
                     NULL),
           LW_E_ARG, "matmul: the output out, from element 0 on, overlaps x, from 0 on", __LINE__);
    refuse(lw_matmul(s, plain(o, 2, 3, 4, 0, 0), plain(b, 2, 3, 5, 0, 0), plain(b, 2, 5, 4, 0, 0),
                     &options),
           LW_E_SHAPE, "matmul: bias has shape (3,); need one that broadcasts to out's (3, 4)",
           __LINE__);
    lw_buffer_destroy(b);
    lw_buffer_destroy(o);
}

int main(void)
{
    struct opened opened[SETTINGS] = {0};

    for (size_t i = 0; i < SETTINGS; i++)
        open_device(&settings[i], &opened[i]);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        test_shape(&shapes[i], opened);
    test_ranks(opened[0].device, opened[0].stream);
    test_errors(opened[0].device, opened[0].stream);
    for (size_t i = 0; i < SETTINGS; i++)
        close_device(&opened[i]);
    return failures != 0;
}
