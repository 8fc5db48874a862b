/* scatter_gpu.c - elements of out are set by index, or added to, on GPUs.
 *
 *     scatter_4, _8   by places of 4 or 8 bytes that have been sorted; order[i]: which one comes
 *                     i-th. Of a run of equal places the last one puts its value, or the first one
 *                     adds all values of the run, in the order of the indices
 *
 * shapes   out, values: `s`, without the axis of the indices; places, order: n, side by side
 * launch   a block THREADS elements of (row, place, last axis)
 * reads    places below `span`: one of an index that is out of range, which has failed its launch,
 *          is not; values of out's dtype; f16 and bf16 are added as f32
 * numeric  sums: one addition an index, in out's type, which wraps; of bool an or
 */
#include "scatter.h"

/* SET_T: element a of a run of places. */
#define PUT_RUN(code, T, SET)                                                                      \
    case code: ((T *)out)[target] = ((const T *)values)[source + order[i] * k.step]; break;
#define ADD_RUN(code, T, SET)                                                                      \
    case code: {                                                                                   \
        T sum = ((T *)out)[target];                                                                \
        for (size_t j = i; j < k.n && places[j] == place; j++)                                     \
            sum = (T)SET(sum, ((const T *)values)[source + order[j] * k.step]);                    \
        ((T *)out)[target] = sum;                                                                  \
        break;                                                                                     \
    }

#define SCATTER(name, P)                                                                           \
    KERNEL void name(struct shape s, struct scattering k, size_t span, const void *sorted,         \
                     const void *sorted_order, struct view from, const void *values,               \
                     struct view to, void *out)                                                    \
    {                                                                                              \
        const P *const places = sorted;                                                            \
        const int64_t *const order = sorted_order;                                                 \
        const size_t rows = s.extent[0] * s.extent[1] * s.extent[2], e = global_idx.x;             \
        const size_t c = e % s.extent[3], i = e / s.extent[3] % k.n,                               \
                     row = e / s.extent[3] / k.n;                                                  \
                                                                                                   \
        if (row >= rows)                                                                           \
            return;                                                                                \
        const P place = places[i];                                                                 \
        const size_t other = k.adds ? i - 1 : i + 1; /* before the first one: past the end */      \
        if ((size_t)place >= span || (other < k.n && places[other] == place))                      \
            return;                                                                                \
        const ptrdiff_t target = view_row(s, to, row) + (ptrdiff_t)place +                         \
                                 (ptrdiff_t)c * to.stride[3],                                      \
                        source = view_row(s, from, row) + (ptrdiff_t)c * from.stride[3];           \
        if (k.adds)                                                                                \
            switch (k.type) {                                                                      \
                ADD_TYPES(ADD_RUN)                                                                 \
            default: break;                                                                        \
            }                                                                                      \
        else                                                                                       \
            switch (k.type) {                                                                      \
                PUT_TYPES(PUT_RUN)                                                                 \
            default: break;                                                                        \
            }                                                                                      \
    }
SCATTER(scatter_4, uint32_t)
SCATTER(scatter_8, int64_t)
