/* fold.c - the roots of the subtrees that each rank holds whole, on all ranks.
 *
 * A rank sends the elements before its first leaf to the rank that makes that leaf. It queues its
 * nodes, and after them the leaf that it makes from its own last elements and those of later ranks.
 * Elements travel with the axis first, so those of several ranks stand one after the other.
 */
#include "ops/dist/dist.h"
#include <assert.h>
#include <string.h>

/* ---- slices ---- */

/* Elements for one step along the axis. */
static size_t slab_of(const struct lw__fold *f, int input)
{
    size_t count = 1;

    for (int k = 0; k < f->x[input].rank; k++)
        if (k != f->axis[input])
            count *= (size_t)f->x[input].extent[k];
    return count;
}

static lw_dtype dtype_of(const struct lw__fold *f, int input)
{
    return lw_buffer_dtype(f->x[input].buffer);
}

/* Bytes of `elements` steps along the axis, of all inputs. */
static size_t raw_bytes(const struct lw__fold *f, size_t elements)
{
    size_t bytes = 0;

    for (int i = 0; i < f->inputs; i++)
        bytes += slab_of(f, i) * elements * lw_dtype_size(dtype_of(f, i));
    return bytes;
}

static const lw_part *own_part(const struct lw__fold *f)
{
    return &f->comm->parts[f->comm->transport.rank];
}

/* Elements begin up to end of the whole axis, which this rank has. */
static lw_status slice(const struct lw__fold *f, int input, size_t begin, size_t end,
                       lw_tensor *out)
{
    const size_t first = own_part(f)->first;

    assert(begin >= first && begin <= end && end <= first + own_part(f)->count);
    return lw_tensor_slice(f->x[input], f->axis[input], (ptrdiff_t)(begin - first),
                           (ptrdiff_t)(end - first), 1, out);
}

lw_status lw__axis_first(lw_tensor t, int axis, lw_tensor *out)
{
    int axes[LW_AXES] = {axis};

    for (int k = 0, to = 1; k < t.rank; k++)
        if (k != axis)
            axes[to++] = k;
    return lw_tensor_permute(t, axes, out);
}

static lw_status axis_back(lw_tensor t, int axis, lw_tensor *out)
{
    int axes[LW_AXES] = {0};

    for (int k = 0, from = 1; k < t.rank; k++)
        axes[k] = k == axis ? 0 : from++;
    return lw_tensor_permute(t, axes, out);
}

/* A stage for `elements` steps of an input, with the axis first. */
static lw_status raw_stage(struct lw__fold *f, int input, size_t elements, lw_tensor *out)
{
    const size_t count = slab_of(f, input) * elements;
    lw_buffer *buffer;

    LW_TRY(lw__stage(f->comm, input ? LW_STAGE_MORE : LW_STAGE_RAW, dtype_of(f, input), count,
                     &buffer));
    lw_tensor t;
    LW_TRY(lw__axis_first(f->x[input], f->axis[input], &t));
    t.extent[0] = (ptrdiff_t)elements;
    return lw_tensor_of(buffer, t.rank, t.extent, out);
}

/* Queue a copy of own elements to the beginning of a stage. */
static lw_status copy_own(struct lw__fold *f, int input, size_t begin, size_t end, lw_tensor stage)
{
    if (!slab_of(f, input))
        return LW_OK;
    lw_tensor from;
    LW_TRY(slice(f, input, begin, end, &from));
    LW_TRY(lw__axis_first(from, f->axis[input], &from));
    stage.extent[0] = (ptrdiff_t)(end - begin);
    return lw_copy(f->stream, stage, from);
}

/* ---- elements of a leaf that a border cuts ---- */

/* The node that a rank makes with elements of later ones, or NULL. */
const struct lw__node *lw__fold_cut(const struct lw__fold *f, int rank)
{
    const lw_part *part = &f->comm->parts[rank];

    for (size_t k = 0; k < f->comm->node_count; k++) {
        const struct lw__node *n = lw__dist_node(f->comm, k);

        if (n->rank == rank && n->end > part->first + part->count)
            return n;
    }
    return NULL;
}

/* The rank that makes the leaf in which this rank's part begins; -1: itself. */
int lw__fold_head(const struct lw__fold *f)
{
    const lw_part *part = own_part(f);
    int rank = f->comm->transport.rank;

    if (!part->count || part->first % f->leaf == 0)
        return -1;
    while (f->comm->parts[rank].first > part->first - part->first % f->leaf ||
           !f->comm->parts[rank].count)
        rank--;
    assert(rank >= 0 && rank < f->comm->transport.rank);
    return rank;
}

size_t lw__fold_head_end(const struct lw__fold *f, const lw_part *part)
{
    const size_t end = part->first + part->count,
                 leaf_end = part->first - part->first % f->leaf + f->leaf;

    return end < leaf_end ? end : leaf_end;
}

static lw_status read_head(struct lw__fold *f, size_t begin, size_t end, char *to)
{
    for (int i = 0; i < f->inputs; i++) {
        const size_t count = slab_of(f, i) * (end - begin);
        lw_tensor stage;

        LW_TRY(raw_stage(f, i, end - begin, &stage));
        LW_TRY(copy_own(f, i, begin, end, stage));
        LW_TRY(lw_stream_wait(f->stream));
        LW_TRY(lw_buffer_read(stage.buffer, 0, count, to));
        to += count * lw_dtype_size(dtype_of(f, i));
    }
    return LW_OK;
}

/* A failure here reaches the others with the roots; they await the elements all the same. */
static lw_status send_head(struct lw__fold *f, lw_status *status)
{
    const int to = lw__fold_head(f);
    const size_t begin = own_part(f)->first, end = lw__fold_head_end(f, own_part(f)),
                 bytes = raw_bytes(f, end - begin);

    if (to < 0)
        return LW_OK;
    LW_TRY(lw__dist_raw(f->comm, bytes));
    if (!*status)
        *status = read_head(f, begin, end, f->comm->raw.memory);
    return lw__dist_send(f->comm, to, f->comm->raw.memory, bytes);
}

static lw_status write_raw(struct lw__fold *f, size_t at, size_t elements, const char *from,
                           const lw_tensor *stages)
{
    for (int i = 0; i < f->inputs; i++) {
        const size_t slab = slab_of(f, i);

        LW_TRY(lw_buffer_write(stages[i].buffer, at * slab, elements * slab, from));
        from += elements * slab * lw_dtype_size(dtype_of(f, i));
    }
    return LW_OK;
}

/* The elements of later ranks after this rank's own, up to the end of the leaf. */
static lw_status receive_rest(struct lw__fold *f, const struct lw__node *leaf,
                              const lw_tensor *stages, lw_status *status)
{
    size_t next = own_part(f)->first + own_part(f)->count;

    for (int r = f->comm->transport.rank + 1; next < leaf->end; r++) {
        const lw_part *part = &f->comm->parts[r];
        const size_t elements = part->count ? lw__fold_head_end(f, part) - part->first : 0;

        if (!elements)
            continue;
        LW_TRY(lw__dist_raw(f->comm, raw_bytes(f, elements)));
        LW_TRY(lw__dist_receive(f->comm, r, f->comm->raw.memory, raw_bytes(f, elements)));
        if (!*status)
            *status = write_raw(f, next - leaf->begin, elements, f->comm->raw.memory, stages);
        next += elements;
    }
    assert(next == leaf->end);
    return LW_OK;
}

/* ---- nodes ---- */

static lw_tensor place_of(const struct lw__fold *f, lw_buffer *buffer, const struct lw__node *n)
{
    assert((n->slot + 1) * f->values <= lw_buffer_count(buffer));
    return (lw_tensor){.buffer = buffer,
                       .offset = n->slot * f->values,
                       .rank = 1,
                       .extent = {(ptrdiff_t)f->values}};
}

static lw_status queue_node(struct lw__fold *f, const struct lw__node *n, lw_buffer *nodes)
{
    lw_tensor x[LW_DIST_INPUTS];

    for (int i = 0; i < f->inputs; i++)
        LW_TRY(slice(f, i, n->begin, n->end, &x[i]));
    return f->node(f, x, n->begin, place_of(f, nodes, n));
}

static lw_status begin_leaf(struct lw__fold *f, const struct lw__node *n, lw_tensor *stages)
{
    for (int i = 0; i < f->inputs; i++) {
        LW_TRY(raw_stage(f, i, n->end - n->begin, &stages[i]));
        LW_TRY(copy_own(f, i, n->begin, own_part(f)->first + own_part(f)->count, stages[i]));
    }
    return LW_OK;
}

static lw_status queue_leaf(struct lw__fold *f, const struct lw__node *n, const lw_tensor *stages,
                            lw_buffer *nodes)
{
    lw_tensor x[LW_DIST_INPUTS];

    for (int i = 0; i < f->inputs; i++)
        LW_TRY(axis_back(stages[i], f->axis[i], &x[i]));
    return f->node(f, x, n->begin, place_of(f, nodes, n));
}

/* Nodes that the rank makes; -1: the most that any makes. */
static size_t slots_of(const struct lw__fold *f, int rank)
{
    size_t count = 0;

    for (size_t k = 0; k < f->comm->node_count; k++) {
        const struct lw__node *n = lw__dist_node(f->comm, k);

        if ((rank < 0 || n->rank == rank) && n->slot >= count)
            count = n->slot + 1;
    }
    return count;
}

/* Nodes whose elements this rank has all. */
static lw_status queue_nodes(struct lw__fold *f, size_t count, lw_buffer *nodes)
{
    const lw_part *part = own_part(f);

    for (size_t k = 0; f->values && k < count; k++) {
        const struct lw__node *n = lw__dist_node(f->comm, k);

        if (n->rank == f->comm->transport.rank && n->end <= part->first + part->count)
            LW_TRY(queue_node(f, n, nodes));
    }
    return LW_OK;
}

lw_status lw__fold_early(struct lw__fold *f, lw_part part)
{
    lw_comm *c = f->comm;

    if (part.first > part.global || part.count > part.global - part.first)
        return LW_OK; /* the ranks will not agree */
    c->parts[c->transport.rank] = part;
    size_t count;
    LW_TRY(lw__own_nodes(c, part, f->leaf, &count));
    lw_buffer *nodes;
    LW_TRY(lw__stage(c, LW_STAGE_NODES, f->dtype, count * f->values, &nodes));
    LW_TRY(queue_nodes(f, count, nodes));
    f->is_queued = true;
    return LW_OK;
}

static size_t block_bytes(const struct lw__fold *f)
{
    return slots_of(f, -1) * f->values * lw_dtype_size(f->dtype);
}

lw_status lw__fold(struct lw__fold *f)
{
    const int rank = f->comm->transport.rank;
    lw_tensor stages[LW_DIST_INPUTS];
    lw_buffer *nodes = NULL;
    lw_status status = LW_OK;

    LW_TRY(lw__dist_nodes(f->comm, f->leaf));
    void *mine;
    LW_TRY(lw__dist_mine(f->comm, block_bytes(f), &mine));
    LW_TRY(send_head(f, &status));
    const struct lw__node *leaf = lw__fold_cut(f, rank);
    if (!status)
        status =
            lw__stage(f->comm, LW_STAGE_NODES, f->dtype, slots_of(f, rank) * f->values, &nodes);
    if (!status && !f->is_queued)
        status = queue_nodes(f, f->comm->node_count, nodes);
    f->is_queued = false;
    if (leaf && !status)
        status = begin_leaf(f, leaf, stages);
    if (leaf)
        LW_TRY(receive_rest(f, leaf, stages, &status));
    if (leaf && !status && f->values)
        status = queue_leaf(f, leaf, stages, nodes);
    if (!status)
        status = lw_stream_wait(f->stream);
    if (!status && f->values)
        status = lw_buffer_read(nodes, 0, slots_of(f, rank) * f->values, mine);
    return lw__dist_gather(f->comm, block_bytes(f), status);
}

void *lw__fold_at(const struct lw__fold *f, size_t node)
{
    const struct lw__node *n = lw__dist_node(f->comm, node);

    assert(node < f->comm->node_count);
    return (char *)lw__dist_from(f->comm, n->rank, block_bytes(f)) +
           n->slot * f->values * lw_dtype_size(f->dtype);
}

lw_status lw__fold_leaf(struct lw__fold *f, const struct lw__node *leaf, lw_tensor *x)
{
    lw_tensor stage;

    LW_TRY(raw_stage(f, 0, leaf->end - leaf->begin, &stage));
    return axis_back(stage, f->axis[0], x);
}

/* ---- sums ---- */

/* One IEEE addition, as on every device; integers wrap. */
static void add(lw_dtype dtype, void *left, const void *right, size_t count)
{
    assert(dtype == LW_F32 || dtype == LW_F64 || dtype == LW_I64);
    for (size_t i = 0; i < count; i++)
        if (dtype == LW_F32)
            ((float *)left)[i] += ((const float *)right)[i];
        else if (dtype == LW_F64)
            ((double *)left)[i] += ((const double *)right)[i];
        else
            ((uint64_t *)left)[i] += ((const uint64_t *)right)[i];
}

bool lw__fold_sum(const struct lw__fold *f, void *total)
{
    if (!f->comm->node_count)
        return false;
    for (size_t k = 0; k < f->comm->merge_count; k++) {
        const struct lw__merge *m = lw__dist_merge(f->comm, k);

        add(f->dtype, lw__fold_at(f, m->left), lw__fold_at(f, m->right), f->values);
    }
    memcpy(total, lw__fold_at(f, 0), f->values * lw_dtype_size(f->dtype));
    return true;
}
