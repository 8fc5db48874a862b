/* softmax, layer_norm, scan, matmul, attention, gather and scatter over 1 to 7 ranks have the bits
 * of one: any floating dtype, axis, masks, evenly cut, unevenly, with empty parts, and parts of
 * less than a leaf. Arguments: the devices that ranks run on in turn; how many random cases; and
 * the name of an operation, where one alone is to be tried.
 */
#include "dist_test.h"

enum { INPUTS = 3 };

/* Arrays in, one out; which axis of each is cut, -1: none. */
struct problem {
    struct array in[INPUTS], out;
    int count, axis[INPUTS], out_axis;
    size_t n; /* extent of the axis that is cut */
    lw_norm_options norm;
    lw_scan_options scan;
    lw_attention_options attention;
    bool in_place;
    bool is_spread; /* tensors have gaps between elements */
};

typedef lw_status call(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor *in, lw_part part,
                       const struct problem *p);

static const lw_dtype floats[] = {LW_F32, LW_F64, LW_F16, LW_BF16};

static size_t any_length(void)
{
    static const size_t lengths[] = {1, 40, 1023, 1024, 1025, 3000, 5000, 8192, 12345, 40000};

    return lengths[random_below(10)];
}

/* A shape of up to three axes, of which `axis` has n elements. */
static int any_shape(size_t n, int *axis, ptrdiff_t *extent)
{
    const int rank = 1 + (int)random_below(3);

    *axis = (int)random_below((size_t)rank);
    for (int k = 0; k < rank; k++)
        extent[k] = k == *axis ? (ptrdiff_t)n : 1 + (ptrdiff_t)random_below(4);
    return rank;
}

/* ---- softmax, layer_norm ---- */

static void make_softmax(struct problem *p)
{
    ptrdiff_t extent[4];

    p->n = any_length();
    int rank = any_shape(p->n, &p->axis[0], extent);
    p->in[0] = random_array(floats[random_below(4)], rank, extent);
    p->out = array_of(floats[random_below(4)], rank, extent);
    p->count = 1;
    p->out_axis = p->axis[0];
    p->norm.axis = LW_AXIS(p->axis[0]);
    if (p->axis[0] == rank - 1 && random_below(2))
        p->norm.axis = 0;
    if (random_below(3) == 0) /* whole leaves of -inf */
        for (size_t i = 0; i < array_count(&p->in[0]) / 3 && p->in[0].dtype == LW_F32; i++)
            ((float *)p->in[0].memory)[i] = -__builtin_inff();
    p->in_place = p->in[0].dtype == p->out.dtype && random_below(2);
}

static lw_status softmax(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor *in, lw_part part,
                         const struct problem *p)
{
    return c ? lw_dist_softmax(c, s, out, in[0], part, &p->norm)
             : lw_softmax(s, out, in[0], &p->norm);
}

static void make_layer_norm(struct problem *p)
{
    make_softmax(p);
    ptrdiff_t length = (ptrdiff_t)p->n;
    for (int more = (int)random_below(3); more; more--, p->count++)
        p->in[p->count] = random_array(floats[random_below(2)], 1, &length);
    p->norm.eps = random_below(2) ? 0 : 1e-3;
}

static lw_status layer_norm(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor *in, lw_part part,
                            const struct problem *p)
{
    lw_norm_options o = p->norm;

    o.weight = p->count > 1 ? &in[1] : NULL;
    o.bias = p->count > 2 ? &in[2] : NULL;
    return c ? lw_dist_layer_norm(c, s, out, in[0], part, &o) : lw_layer_norm(s, out, in[0], &o);
}

/* ---- scan ---- */

static void make_scan(struct problem *p)
{
    ptrdiff_t extent[4];

    p->n = any_length();
    int rank = any_shape(p->n, &p->axis[0], extent);
    p->in[0] = random_array((lw_dtype)random_below(LW_DTYPE_COUNT), rank, extent);
    p->out = array_of(random_below(2) ? p->in[0].dtype : (lw_dtype)random_below(LW_DTYPE_COUNT),
                      rank, extent);
    p->count = 1;
    p->out_axis = p->axis[0];
    p->scan = (lw_scan_options){LW_AXIS(p->axis[0]), random_below(2), (lw_scan_op)random_below(4)};
    p->in_place = p->in[0].dtype == p->out.dtype && random_below(2);
}

static lw_status scan(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor *in, lw_part part,
                      const struct problem *p)
{
    return c ? lw_dist_scan(c, s, out, in[0], part, &p->scan) : lw_scan(s, out, in[0], &p->scan);
}

/* ---- matmul ---- */

static void make_matmul(struct problem *p)
{
    const ptrdiff_t m = 1 + (ptrdiff_t)random_below(300), k = 1 + (ptrdiff_t)random_below(2000),
                    n = 1 + (ptrdiff_t)random_below(20);
    const lw_dtype dtype = floats[random_below(4)];

    p->n = (size_t)m;
    p->in[0] = random_array(dtype, 2, (ptrdiff_t[]){m, k});
    p->in[1] = random_array(dtype, 2, (ptrdiff_t[]){k, n});
    p->out = array_of(floats[random_below(4)], 2, (ptrdiff_t[]){m, n});
    p->count = 2;
    p->axis[1] = -1;
}

static lw_status matmul(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor *in, lw_part part,
                        const struct problem *p)
{
    (void)p;
    return c ? lw_dist_matmul(c, s, out, in[0], in[1], part, NULL)
             : lw_matmul(s, out, in[0], in[1], NULL);
}

/* ---- attention ---- */

static void make_attention(struct problem *p)
{
    static const size_t queries[] = {1, 3, 40, 200};
    const ptrdiff_t m = (ptrdiff_t)queries[random_below(4)], n = (ptrdiff_t)any_length() / 4 + 1,
                    d = 8 * (1 + (ptrdiff_t)random_below(3)),
                    e = 4 * (1 + (ptrdiff_t)random_below(5));
    const lw_dtype dtype = floats[random_below(4)];
    const int shape = (int)random_below(3); /* ranks 1, 2, 4 */

    p->n = (size_t)n;
    p->in[0] = random_array(dtype,
                            shape == 0   ? 1
                            : shape == 1 ? 2
                                         : 4,
                            shape == 0   ? (ptrdiff_t[]){d}
                            : shape == 1 ? (ptrdiff_t[]){m, d}
                                         : (ptrdiff_t[]){1, 4, m, d});
    p->in[1] = random_array(dtype, shape == 2 ? 4 : 2,
                            shape == 2 ? (ptrdiff_t[]){1, 2, n, d} : (ptrdiff_t[]){n, d});
    p->in[2] = random_array(dtype, shape == 2 ? 4 : 2,
                            shape == 2 ? (ptrdiff_t[]){1, 2, n, e} : (ptrdiff_t[]){n, e});
    p->out = array_of(floats[random_below(4)], p->in[0].rank,
                      shape == 0   ? (ptrdiff_t[]){e}
                      : shape == 1 ? (ptrdiff_t[]){m, e}
                                   : (ptrdiff_t[]){1, 4, m, e});
    p->count = 3;
    p->axis[0] = p->out_axis = -1;
    p->axis[1] = p->axis[2] = shape == 2 ? 2 : 0;
    p->attention.scale = random_below(2) ? 0.25 : 0;
    p->attention.causal = random_below(2);
    p->attention.window = random_below(2) ? 1 + (int)random_below(1500) : 0;
}

static lw_status attention(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor *in, lw_part part,
                           const struct problem *p)
{
    return c ? lw_dist_attention(c, s, out, in[0], in[1], in[2], part, &p->attention)
             : lw_attention(s, out, in[0], in[1], in[2], &p->attention);
}

/* ---- gather, scatter ---- */

static void make_move(struct problem *p)
{
    ptrdiff_t extent[4] = {0, 3, 2, 5};
    const int rank = 1 + (int)random_below(4);
    const lw_dtype dtype = (lw_dtype)random_below(LW_DTYPE_COUNT);

    p->n = random_below(3000);
    extent[0] = (ptrdiff_t)p->n;
    p->in[0] = random_array(dtype, rank, extent);
    p->out = array_of(dtype, rank, extent);
    p->count = 1;
    p->is_spread = random_below(2);
}

static void make_gather(struct problem *p)
{
    make_move(p);
    p->out_axis = -1;
}

static void make_scatter(struct problem *p)
{
    make_move(p);
    p->axis[0] = -1;
}

static lw_status gather(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor *in, lw_part part,
                        const struct problem *p)
{
    (void)p;
    return c ? lw_dist_gather(c, s, out, in[0], part) : lw_copy(s, out, in[0]);
}

static lw_status scatter(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor *in, lw_part part,
                         const struct problem *p)
{
    (void)p;
    return c ? lw_dist_scatter(c, s, out, in[0], part) : lw_copy(s, out, in[0]);
}

/* ---- one case ---- */

static const struct op {
    const char *name;
    void (*make)(struct problem *p);
    call *run;
} ops[] = {{"softmax", make_softmax, softmax},
           {"layer_norm", make_layer_norm, layer_norm},
           {"scan", make_scan, scan},
           {"matmul", make_matmul, matmul},
           {"attention", make_attention, attention},
           {"gather", make_gather, gather},
           {"scatter", make_scatter, scatter}};
enum { OPS = sizeof ops / sizeof *ops };

struct one {
    const struct op *op;
    struct problem p;
};

/* What a rank has of an array: all of it where no axis is cut. */
static struct array own_of(const struct array *whole, int axis, lw_part part)
{
    if (axis >= 0)
        return part_of(whole, axis, part);
    struct array own = array_of(whole->dtype, whole->rank, whole->extent);
    memcpy(own.memory, whole->memory, array_count(whole) * lw_dtype_size(whole->dtype));
    return own;
}

/* A tensor with gaps, and its elements without. */
static lw_tensor spread_of(int rank, const struct array *a)
{
    const int last = a->rank - 1;
    lw_tensor plain = tensor_of(rank, a), wide = {0}, t = {0};
    ptrdiff_t extent[4];

    memcpy(extent, a->extent, sizeof extent);
    extent[last] *= 2;
    lw_buffer *buffer;
    WORKS(lw_buffer_create(devices[rank], a->dtype, 2 * array_count(a), &buffer));
    WORKS(lw_tensor_of(buffer, a->rank, extent, &wide));
    WORKS(lw_tensor_slice(wide, last, 0, PTRDIFF_MAX, 2, &t));
    WORKS(lw_copy(streams[rank], t, plain));
    WORKS(lw_stream_wait(streams[rank]));
    lw_buffer_destroy(plain.buffer);
    return t;
}

static void read_spread(int rank, lw_tensor t, const struct array *a)
{
    lw_tensor plain = tensor_of(rank, a);

    WORKS(lw_copy(streams[rank], plain, t));
    read_back(rank, plain, a);
    lw_buffer_destroy(plain.buffer);
}

static void run_rank(struct job *job, void *user)
{
    const struct one *one = user;
    const struct problem *p = &one->p;
    struct array own[INPUTS], need = own_of(&p->out, p->out_axis, job->part),
                              out = array_of(need.dtype, need.rank, need.extent);
    lw_tensor in[INPUTS], to;

    for (int k = 0; k < p->count; k++) {
        own[k] = own_of(&p->in[k], p->axis[k], job->part);
        in[k] = (p->is_spread ? spread_of : tensor_of)(job->rank, &own[k]);
    }
    to = p->in_place ? in[0] : (p->is_spread ? spread_of : tensor_of)(job->rank, &out);
    WORKS(one->op->run(job->comm, streams[job->rank], to, in, job->part, p));
    (p->is_spread ? read_spread : read_back)(job->rank, to, &out);
    if (!same(&out, &need)) {
        CHECK(!"the bits of one rank");
        printf("%s, rank %d of %d: %zu + %zu of %zu\n", one->op->name, job->rank, job->size,
               job->part.first, job->part.count, job->part.global);
    }
    for (int k = 0; k < p->count; k++) {
        lw_buffer_destroy(in[k].buffer);
        free(own[k].memory);
    }
    if (!p->in_place)
        lw_buffer_destroy(to.buffer);
    free(out.memory);
    free(need.memory);
}

static void run_whole(const struct one *one)
{
    lw_tensor in[INPUTS], out = tensor_of(0, &one->p.out);

    for (int k = 0; k < one->p.count; k++)
        in[k] = tensor_of(0, &one->p.in[k]);
    WORKS(one->op->run(NULL, streams[0], out, in, (lw_part){0}, &one->p));
    read_back(0, out, &one->p.out);
    for (int k = 0; k < one->p.count; k++)
        lw_buffer_destroy(in[k].buffer);
    lw_buffer_destroy(out.buffer);
}

static void try(const struct op *op)
{
    const int size = ranks_of(1 + (int)random_below(RANKS));
    struct one one = {.op = op};
    lw_part parts[RANKS];

    op->make(&one.p);
    run_whole(&one);
    cut((int)random_below(CUTS), one.p.n, size, parts);
    on_ranks(size, parts, 0, run_rank, &one);
    for (int k = 0; k < one.p.count; k++)
        free(one.p.in[k].memory);
    free(one.p.out.memory);
}

int main(int count, char **arguments)
{
    const int cases = count > 2 ? atoi(arguments[2]) : 100;

    if (!open_devices(count > 1 ? arguments[1] : "cpu"))
        return 77;
    for (int i = 0; i < cases; i++)
        for (size_t k = 0; k < OPS; k++)
            if (count < 4 || !strcmp(arguments[3], ops[k].name))
                try(&ops[k]);
    return close_devices();
}
