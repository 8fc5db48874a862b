/* sum, mean, max, argmax and dot over 1 to 7 ranks have the bits of one: any dtype, axis, strides,
 * evenly cut, unevenly, with empty parts, and parts of less than a leaf. Arguments: the devices
 * that ranks run on in turn; how many random cases.
 */
#include "dist_test.h"

typedef lw_status whole_op(lw_stream *s, lw_tensor out, lw_tensor x, const lw_reduce_options *o);
typedef lw_status rank_op(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part,
                          const lw_reduce_options *o);
static const struct op {
    const char *name;
    whole_op *whole;
    rank_op *of_rank;
} ops[] = {{"sum", lw_sum, lw_dist_sum},
           {"mean", lw_mean, lw_dist_mean},
           {"max", lw_max, lw_dist_max},
           {"argmax", lw_argmax, lw_dist_argmax}};
enum { SUM, MEAN, MAX, ARGMAX, OPS };

struct problem {
    const struct op *op;
    struct array x, out, need;
    int axis; /* that is cut */
    lw_reduce_options options;
    bool turned; /* x is given with its axes reversed in memory */
};

/* The tensor as it is, or a view of a transposed copy. */
static lw_tensor given(int rank, const struct problem *p, const struct array *x, lw_buffer **keep)
{
    lw_tensor t = tensor_of(rank, x), turned, view;
    ptrdiff_t extent[4];

    *keep = t.buffer;
    if (!p->turned)
        return t;
    for (int k = 0; k < x->rank; k++)
        extent[k] = x->extent[x->rank - 1 - k];
    lw_buffer *buffer;
    WORKS(lw_buffer_create(devices[rank], x->dtype, array_count(x), &buffer));
    WORKS(lw_tensor_of(buffer, x->rank, extent, &turned));
    WORKS(lw_tensor_permute(turned, NULL, &view));
    WORKS(lw_copy(streams[rank], view, t));
    lw_buffer_destroy(t.buffer);
    *keep = buffer;
    return view;
}

static void reduce(struct job *job, void *user)
{
    const struct problem *p = user;
    struct array x = part_of(&p->x, p->axis, job->part),
                 out = array_of(p->out.dtype, p->out.rank, p->out.extent);
    lw_buffer *keep;
    lw_tensor to = tensor_of(job->rank, &out), from = given(job->rank, p, &x, &keep);

    WORKS(p->op->of_rank(job->comm, streams[job->rank], to, from, job->part, &p->options));
    read_back(job->rank, to, &out);
    if (!same(&out, &p->need)) {
        CHECK(!"the bits of one rank");
        printf("%s of %s to %s, rank %d of %d: %zu + %zu of %zu, axis %d of %d, options %d\n",
               p->op->name, lw_dtype_name(x.dtype), lw_dtype_name(out.dtype), job->rank, job->size,
               job->part.first, job->part.count, job->part.global, p->axis, x.rank,
               p->options.axis);
    }
    lw_buffer_destroy(keep);
    lw_buffer_destroy(to.buffer);
    free(x.memory);
    free(out.memory);
}

static void whole(struct problem *p)
{
    lw_tensor x = tensor_of(0, &p->x), out = tensor_of(0, &p->need);

    WORKS(p->op->whole(streams[0], out, x, &p->options));
    read_back(0, out, &p->need);
    lw_buffer_destroy(x.buffer);
    lw_buffer_destroy(out.buffer);
}

static lw_dtype out_dtype(int op, lw_dtype x)
{
    static const lw_dtype some[] = {LW_F32, LW_F64, LW_F16, LW_I64, LW_U64};

    return op == ARGMAX ? LW_I64 : op == MAX ? x : some[random_below(5)];
}

static void set_shape(struct problem *p, int op, lw_dtype dtype, size_t n)
{
    ptrdiff_t extent[4] = {1, 1, 1, 1}, left[4];
    const int rank = 1 + (int)random_below(3);
    int count = 0;

    p->axis = (int)random_below((size_t)rank);
    for (int k = 0; k < rank; k++)
        extent[k] = k == p->axis ? (ptrdiff_t)n : 1 + (ptrdiff_t)random_below(4);
    p->options.axis = LW_AXIS(p->axis);
    p->options.keepdims = random_below(2);
    if (p->axis == 0 && random_below(3) == 0)
        p->options.axis = 0;
    for (int k = 0; k < rank; k++) {
        const bool reduced = !p->options.axis || k == p->axis;

        if (!reduced || p->options.keepdims)
            left[count++] = reduced ? 1 : extent[k];
    }
    p->x = random_array(dtype, rank, extent);
    p->out = array_of(out_dtype(op, dtype), count, left);
    p->need = array_of(p->out.dtype, count, left);
    p->turned = random_below(4) == 0;
}

static void try_reduction(int op)
{
    static const size_t lengths[] = {1, 7, 1023, 1024, 1025, 3000, 5000, 8192, 20000};
    const lw_dtype dtype = (lw_dtype)random_below(LW_DTYPE_COUNT);
    const int size = ranks_of(1 + (int)random_below(RANKS));
    struct problem p = {.op = &ops[op]};
    lw_part parts[RANKS];

    set_shape(&p, op, dtype, lengths[random_below(9)]);
    whole(&p);
    cut((int)random_below(CUTS), (size_t)p.x.extent[p.axis], size, parts);
    on_ranks(size, parts, 0, reduce, &p);
    free(p.x.memory);
    free(p.out.memory);
    free(p.need.memory);
}

/* ---- dot ---- */

struct pair {
    struct array x, y, need;
};

static void dot(struct job *job, void *user)
{
    const struct pair *p = user;
    struct array x = part_of(&p->x, 0, job->part), y = part_of(&p->y, 0, job->part),
                 out = array_of(p->need.dtype, 0, NULL);
    lw_tensor a = tensor_of(job->rank, &x), b = tensor_of(job->rank, &y),
              to = tensor_of(job->rank, &out);

    WORKS(lw_dist_dot(job->comm, streams[job->rank], to, a, b, job->part, NULL));
    read_back(job->rank, to, &out);
    CHECK(same(&out, &p->need));
    lw_buffer_destroy(a.buffer);
    lw_buffer_destroy(b.buffer);
    lw_buffer_destroy(to.buffer);
    free(x.memory);
    free(y.memory);
    free(out.memory);
}

static void try_dot(size_t n, lw_dtype x, lw_dtype y, lw_dtype out, int size, int how)
{
    const ptrdiff_t extent = (ptrdiff_t)n;
    struct pair p = {random_array(x, 1, &extent), random_array(y, 1, &extent),
                     array_of(out, 0, NULL)};
    lw_tensor a = tensor_of(0, &p.x), b = tensor_of(0, &p.y), to = tensor_of(0, &p.need);
    lw_part parts[RANKS];

    size = ranks_of(size);
    WORKS(lw_dot(streams[0], to, a, b, NULL));
    read_back(0, to, &p.need);
    lw_buffer_destroy(a.buffer);
    lw_buffer_destroy(b.buffer);
    lw_buffer_destroy(to.buffer);
    cut(how, n, size, parts);
    on_ranks(size, parts, 0, dot, &p);
    free(p.x.memory);
    free(p.y.memory);
    free(p.need.memory);
}

/* Sums of nothing, and what equals: the first of equals over ranks, a NaN, zeros of both signs. */
static void try_special(void)
{
    static const float values[][6] = {
        {1, 3, 3, 2, 3, 0}, {0, -0.0f, 0, -0.0f, -1, -0.0f}, {-0.0f, 0, -0.0f, 0, -1, 0}};
    const ptrdiff_t n = 6;
    lw_part parts[RANKS];

    for (int v = 0; v < 3; v++)
        for (int op = MAX; op <= ARGMAX; op++)
            for (int how = 0; how < CUTS; how++) {
                struct problem p = {.op = &ops[op], .x = array_of(LW_F32, 1, &n)};

                memcpy(p.x.memory, values[v], sizeof values[v]);
                p.out = array_of(op == MAX ? LW_F32 : LW_I64, 0, NULL);
                p.need = array_of(p.out.dtype, 0, NULL);
                whole(&p);
                cut(how, 6, ranks_of(3), parts);
                on_ranks(ranks_of(3), parts, 0, reduce, &p);
                free(p.x.memory);
                free(p.out.memory);
                free(p.need.memory);
            }
    for (int op = SUM; op <= MEAN; op++) {
        const ptrdiff_t none = 0;
        struct problem p = {.op = &ops[op],
                            .x = array_of(LW_F32, 1, &none),
                            .out = array_of(LW_F32, 0, NULL),
                            .need = array_of(LW_F32, 0, NULL)};

        whole(&p);
        cut(0, 0, ranks_of(3), parts);
        on_ranks(ranks_of(3), parts, 0, reduce, &p);
        free(p.x.memory);
        free(p.out.memory);
        free(p.need.memory);
    }
}

int main(int count, char **arguments)
{
    const int cases = count > 2 ? atoi(arguments[2]) : 100;

    if (!open_devices(count > 1 ? arguments[1] : "cpu"))
        return 77;
    try_special();
    for (int i = 0; i < cases; i++)
        try_reduction((int)random_below(OPS));
    for (int size = 1; size <= RANKS; size++)
        for (int how = 0; how < CUTS; how++) {
            try_dot(1 + random_below(10000), LW_F32, LW_F32, LW_F32, size, how);
            try_dot(random_below(70000), (lw_dtype)random_below(LW_DTYPE_COUNT),
                    (lw_dtype)random_below(LW_DTYPE_COUNT), LW_F64, size, how);
        }
    return close_devices();
}
