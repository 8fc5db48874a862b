/* joined.c - arrays of any number of axes as tensors of the library, of at most RANKS: waiting.h.
 *
 * Neighbouring axes become one where the strides of all arrays allow it. If too many are left, the
 * shortest are looped over.
 */
#include "waiting.h"
#include <string.h>

/* Of an array that broadcasts to `rank` axes. */
static Py_ssize_t stride_of(const array *a, int rank, int axis)
{
    const int own = axis - (rank - a->rank);

    return own < 0 || a->extent[own] == 1 ? 0 : a->stride[own];
}

static void add_axis(joined *j, Py_ssize_t extent, const Py_ssize_t *strides)
{
    bool follows = j->rank > 0;
    int at = j->rank - 1;

    for (size_t n = 0; n < j->count && follows; n++)
        follows = j->stride[n][at] == strides[n] * extent;
    if (!follows)
        j->extent[at = j->rank++] = 1;
    j->extent[at] *= extent;
    for (size_t n = 0; n < j->count; n++)
        j->stride[n][at] = strides[n];
}

void joined_begin(joined *j, const array *to, array *const *in, size_t count)
{
    memset(j, 0, sizeof *j);
    j->count = count + 1;
    for (int k = 0; k < to->rank; k++) {
        Py_ssize_t strides[1 + INPUTS] = {stride_of(to, to->rank, k)};

        for (size_t n = 0; n < count; n++)
            strides[n + 1] = stride_of(in[n], to->rank, k);
        if (to->extent[k] != 1)
            add_axis(j, to->extent[k], strides);
    }
    for (int left = j->rank; left > RANKS; left--) {
        int shortest = -1;

        for (int k = 0; k < j->rank; k++)
            if (!j->is_looped[k] && (shortest < 0 || j->extent[k] < j->extent[shortest]))
                shortest = k;
        j->is_looped[shortest] = true;
    }
}

void joined_tensor(const joined *j, size_t number, lw_tensor *t)
{
    t->rank = 0;
    for (int k = 0; k < j->rank; k++)
        if (j->is_looped[k])
            t->offset += (size_t)(j->at[k] * j->stride[number][k]);
        else {
            t->extent[t->rank] = j->extent[k];
            t->stride[t->rank++] = j->stride[number][k];
        }
}

bool joined_next(joined *j)
{
    for (int k = j->rank; k-- > 0;) {
        if (!j->is_looped[k])
            continue;
        if (++j->at[k] < j->extent[k])
            return true;
        j->at[k] = 0;
    }
    return false;
}
