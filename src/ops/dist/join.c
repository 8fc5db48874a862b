/* join.c - the nodes of softmax and attention that all ranks have, joined on this rank's device.
 *
 * Sums can be added on the host, but these need exp, as kernels have it. The tree's merges are put
 * into rounds of pairs that do not depend on each other; each is a launch.
 */
#include "ops/dist/dist.h"
#include <assert.h>

struct join {
    lw_comm *comm;
    size_t rows, width;
    lw_dtype dtype;
    lw_buffer *nodes, *list;
};

/* Merges in the order of rounds: left, right, and a node of its own for what comes out. */
static size_t list_pairs(lw_comm *c, int64_t *list)
{
    int64_t *where = list + 3 * c->merge_count; /* of each node, by what is joined so far */
    size_t count = 0, root = 0;

    for (size_t k = 0; k < c->node_count; k++)
        where[k] = (int64_t)k;
    for (size_t round = 0; round < c->rounds; round++)
        for (size_t k = 0; k < c->merge_count; k++) {
            const struct lw__merge *m = lw__dist_merge(c, k);

            if (m->round != round)
                continue;
            root = c->node_count + count;
            list[3 * count] = where[m->left];
            list[3 * count + 1] = where[m->right];
            list[3 * count + 2] = where[m->left] = (int64_t)root;
            count++;
        }
    assert(count == c->merge_count); /* each is in one of the rounds */
    return root;
}

static size_t pairs_of(const lw_comm *c, size_t round)
{
    size_t count = 0;

    for (size_t k = 0; k < c->merge_count; k++)
        count += lw__dist_merge(c, k)->round == round;
    return count;
}

enum { BLOCK_GPU = 64, RUN_CPU = 256 }; /* src/ops/ops.def has the blocks; elements a thread */

static lw_status launch(struct lw__call *call, lw_dtype dtype, size_t rows, size_t width,
                        size_t pairs, size_t first, size_t count, lw_buffer *list,
                        const struct lw__operand *nodes)
{
    const size_t run = call->is_gpu ? 1 : RUN_CPU, block = call->is_gpu ? BLOCK_GPU : 1;
    const size_t threads = lw__divide_up(pairs * rows * (width + 2), run);

    return LW_OP_BLOCKS(
        call, dist, dtype == LW_F64 ? "join_double" : "join_float", lw__divide_up(threads, block),
        lw_dim_1((uint32_t)block), lw_arg_uint(pairs), lw_arg_uint(first), lw_arg_uint(count),
        lw_arg_uint(rows), lw_arg_uint(width), lw_arg_uint(run), lw_arg_buffer(list),
        lw_arg_uint((size_t)nodes->view.offset), lw_arg_buffer(nodes->buffer));
}

lw_status lw__join_line(struct lw__call *call, const struct lw__operand *nodes, size_t count,
                        size_t rows, size_t width, size_t *root)
{
    for (*root = 0; count > 1; count = lw__divide_up(count, 2)) {
        LW_TRY(launch(call, nodes->dtype, rows, width, lw__divide_up(count, 2), *root, count,
                      nodes->buffer, nodes));
        *root += count;
    }
    return LW_OK;
}

static lw_status join_body(struct lw__call *call, void *arguments)
{
    const struct join *j = arguments;
    const struct lw__operand nodes = {.buffer = j->nodes, .dtype = j->dtype};
    size_t first = 0;

    for (size_t round = 0; round < j->comm->rounds; round++) {
        const size_t pairs = pairs_of(j->comm, round);

        LW_TRY(launch(call, j->dtype, j->rows, j->width, pairs, first, 0, j->list, &nodes));
        first += pairs;
    }
    return LW_OK;
}

lw_status lw__dist_join(const struct lw__fold *f, const char *name, size_t width, lw_buffer **nodes,
                        size_t *root)
{
    lw_comm *c = f->comm;
    struct join j = {.comm = c, .rows = f->values / (width + 2), .width = width, .dtype = f->dtype};
    const size_t room = 3 * c->merge_count + c->node_count;

    assert(c->node_count && f->values % (width + 2) == 0);
    LW_TRY(lw__stage(c, LW_STAGE_RESULT, f->dtype, (c->node_count + c->merge_count) * f->values,
                     &j.nodes));
    for (size_t k = 0; k < c->node_count; k++)
        LW_TRY(lw_buffer_write(j.nodes, k * f->values, f->values, lw__fold_at(f, k)));
    LW_TRY(lw__room(&c->raw, room * sizeof(int64_t)));
    *root = list_pairs(c, c->raw.memory);
    *nodes = j.nodes;
    if (!c->merge_count)
        return LW_OK;
    LW_TRY(lw__stage(c, LW_STAGE_MORE, LW_I64, 3 * c->merge_count, &j.list));
    LW_TRY(lw_buffer_write(j.list, 0, 3 * c->merge_count, c->raw.memory));
    return lw__call_run(name, f->stream, join_body, &j);
}
