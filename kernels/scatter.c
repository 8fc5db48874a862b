/* scatter.c - elements of out are set by index, or added to, on processors.
 *
 *     scatter   the places in their order, so that the last of equal ones stays, and sums have the
 *               order of the indices
 *
 * shapes   out, values: `s`, without the axis of the indices; places: n, side by side
 * launch   one thread; a block does `rows_each` rows, of which it has some of the places
 * reads    values of out's dtype; f16 and bf16 are added as f32
 * idea     a place belongs to one block of a row, which finds its places among all: where slices
 *          are long, reading places is cheap beside what is done with one. Near places belong to
 *          one block
 * numeric  sums: one addition an index, in out's type, which wraps; of bool an or
 */
#include "scatter.h"

DEVICE static uint32_t owner_of(int64_t place, uint32_t owners)
{
    const uint32_t mixed = (uint32_t)(place >> 6) * 2654435761u;

    return (uint32_t)((uint64_t)mixed * owners >> 32);
}

/* SET_T: a row of out, which begins at `to`. */
#define ROW(code, T, SET)                                                                          \
    DEVICE static void SET##_##T(struct scattering k, const int64_t *place, T *to,                 \
                                 ptrdiff_t to_step, const T *from, ptrdiff_t from_step,            \
                                 size_t count, uint32_t owner, uint32_t owners)                    \
    {                                                                                              \
        const int64_t *const end = place + k.n;                                                    \
                                                                                                   \
        if (count == 1 && owners == 1)                                                             \
            _Pragma("unroll 4") for (; place < end; place++, from += k.step)                       \
                to[*place] = (T)SET(to[*place], *from);                                            \
        for (; place < end; place++, from += k.step) {                                             \
            T *const slice = to + *place;                                                          \
            if (owners > 1 && owner_of(*place, owners) != owner)                                   \
                continue;                                                                          \
            if (to_step == 1 && from_step == 1)                                                    \
                for (size_t c = 0; c < count; c++)                                                 \
                    slice[c] = (T)SET(slice[c], from[c]);                                          \
            else                                                                                   \
                for (size_t c = 0; c < count; c++)                                                 \
                    slice[(ptrdiff_t)c * to_step] = (T)SET(slice[(ptrdiff_t)c * to_step],          \
                                                           from[(ptrdiff_t)c * from_step]);        \
        }                                                                                          \
    }
PUT_TYPES(ROW)
ADD_TYPES(ROW)
#undef ROW

KERNEL void scatter(struct shape s, struct scattering k, const void *places, struct view from,
                    const void *values, struct view to, void *out, uint32_t owners,
                    size_t rows_each)
{
    const uint32_t owner = (uint32_t)block_idx.x % owners;
    const size_t rows = s.extent[0] * s.extent[1] * s.extent[2],
                 first = (size_t)block_idx.x / owners * rows_each,
                 end = min_size(first + rows_each, rows);

    for (size_t row = first; row < end; row++) {
        const ptrdiff_t target = view_row(s, to, row), source = view_row(s, from, row);
#define ROW_CASE(code, T, SET)                                                                     \
    case code:                                                                                     \
        SET##_##T(k, places, (T *)out + target, to.stride[3], (const T *)values + source,          \
                  from.stride[3], s.extent[3], owner, owners);                                     \
        break;
        if (k.adds)
            switch (k.type) {
                ADD_TYPES(ROW_CASE)
            default: break;
            }
        else
            switch (k.type) {
                PUT_TYPES(ROW_CASE)
            default: break;
            }
#undef ROW_CASE
    }
}
