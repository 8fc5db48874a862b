/* extreme.c - max, min, argmax, argmin, any and all along rows.
 *
 * Elements become keys, integers in which every order is the one of integers: a larger element has
 * a larger key, a NaN the largest. For min and argmin all bits of a key are flipped.
 *
 *     max_rows_K, argmax_rows_K        rows, a warp an item: stage.h
 *     max_columns_K, argmax_columns_K  neighbouring rows lie side by side: a thread an item
 *     argmax_merge_K                   the parts of each row; for max, max_rows_K does it
 *     any_rows                         any and all
 *
 * shapes   x: `s`; out: `s` without its last axis, or the parts of each row
 * launch   rows: blocks 32 threads wide; columns: 64 threads; argmax_merge: 32, a row a block
 * reads    every type, of bool as u8; columns: i32, f32, i64, f64
 * numeric  exact; the result is converted once. max and min: -0 < +0; argmax and argmin: -0 = +0
 */
#include "stage.h"

enum { COLUMN_ROWS = 16 }; /* that a column takes before it is the next one's turn */

/* ---- keys ---- */

/* The order of floats is that of their bits, where those of negative ones are flipped. */
DEVICE static int32_t key_of_float(float v, int32_t flip)
{
    int32_t bits;
    memcpy(&bits, &v, sizeof bits);
    bits ^= (bits >> 31 & INT32_MAX) ^ flip;
    return v != v ? INT32_MAX : bits;
}
DEVICE static int64_t key_of_double(double v, int64_t flip)
{
    int64_t bits;
    memcpy(&bits, &v, sizeof bits);
    bits ^= (bits >> 63 & INT64_MAX) ^ flip;
    return v != v ? INT64_MAX : bits;
}
DEVICE static float float_of_key(int32_t key)
{
    float v;
    key ^= key >> 31 & INT32_MAX;
    memcpy(&v, &key, sizeof v);
    return v;
}
DEVICE static double double_of_key(int64_t key)
{
    double v;
    key ^= key >> 63 & INT64_MAX;
    memcpy(&v, &key, sizeof v);
    return v;
}

/* KEY_T(e): the key of element e of type T. Adding +0 turns -0 into +0 and leaves all others. */
#define SIGNED_32(e) ((int32_t)(e) ^ flip)
#define UNSIGNED_32(e) ((int32_t)((e) ^ 0x80000000u) ^ flip)
#define FLOAT_32(e) key_of_float((float)(e), flip)
#define EQUAL_32(e) key_of_float((float)(e) + 0.0f, flip)
#define SIGNED_64(e) ((e) ^ flip)
#define UNSIGNED_64(e) ((int64_t)((e) ^ 0x8000000000000000u) ^ flip)
#define FLOAT_64(e) key_of_double(e, flip)
#define EQUAL_64(e) key_of_double((e) + 0.0, flip)

/* X(code, T, KEY); FLOAT is FLOAT_K or EQUAL_K */
/* clang-format off */
#define TYPES_32(X, FLOAT)                                                                         \
    X(DT_I8, int8_t, SIGNED_32) X(DT_I16, int16_t, SIGNED_32) X(DT_I32, int32_t, SIGNED_32)        \
    X(DT_U8, uint8_t, SIGNED_32) X(DT_U16, uint16_t, SIGNED_32) X(DT_U32, uint32_t, UNSIGNED_32)   \
    X(DT_F16, _Float16, FLOAT) X(DT_BF16, __bf16, FLOAT) X(DT_F32, float, FLOAT)
#define TYPES_64(X, FLOAT)                                                                         \
    X(DT_I64, int64_t, SIGNED_64) X(DT_U64, uint64_t, UNSIGNED_64) X(DT_F64, double, FLOAT)
#define COLUMNS_32(X, FLOAT) X(DT_I32, int32_t, SIGNED_32) X(DT_F32, float, FLOAT)
#define COLUMNS_64(X, FLOAT) X(DT_I64, int64_t, SIGNED_64) X(DT_F64, double, FLOAT)
/* clang-format on */

/* out[i] = the element of type `of` that has this key. */
DEVICE static void store_key_int32(void *out, int type, size_t i, int32_t key, int of)
{
    if (of >= DT_F16)
        store_float(out, type, i, float_of_key(key));
    else
        store_int64(out, type, i, of == DT_U32 ? (int64_t)((uint32_t)key ^ 0x80000000u) : key);
}
DEVICE static void store_key_int64(void *out, int type, size_t i, int64_t key, int of)
{
    if (of == DT_F64)
        store_double(out, type, i, double_of_key(key));
    else if (of == DT_U64)
        store_uint64(out, type, i, (uint64_t)key ^ 0x8000000000000000u);
    else
        store_int64(out, type, i, key);
}

#define K int32_t
#define K_LEAST INT32_MIN
#define V float
#define V_TYPE DT_F32
#define KEY_OF_V key_of_float
#define V_OF_KEY float_of_key
#define K_TYPES TYPES_32
#define K_COLUMNS COLUMNS_32
#define K_FLOAT FLOAT_32
#define K_EQUAL EQUAL_32
#define NAME(name) name##_int32
#include "extreme.inc"
#define K int64_t
#define K_LEAST INT64_MIN
#define V double
#define V_TYPE DT_F64
#define KEY_OF_V key_of_double
#define V_OF_KEY double_of_key
#define K_TYPES TYPES_64
#define K_COLUMNS COLUMNS_64
#define K_FLOAT FLOAT_64
#define K_EQUAL EQUAL_64
#define NAME(name) name##_int64
#include "extreme.inc"

/* ---- any, all ---- */

/* True if one of the elements is different from 0; `inverse`: is 0. `mask` leaves a float's sign
 * out. */
DEVICE static bool any_lane(const void *x, int size, uint64_t mask, size_t count, bool inverse)
{
    bool found = false;

    switch (size) {
#define ANY_CASE(T)                                                                                \
    case sizeof(T): {                                                                              \
        T bits = 0;                                                                                \
        if (inverse)                                                                               \
            EACH_ELEMENT(T, x, 0, (size_t)lane_id(), WARP_SIZE, count,                             \
                         bits |= (e & (T)mask) == 0 ? (T)mask : 0);                                \
        else                                                                                       \
            EACH_ELEMENT(T, x, 0, (size_t)lane_id(), WARP_SIZE, count, bits |= e);                 \
        found = (bits & (T)mask) != 0;                                                             \
        break;                                                                                     \
    }
        ANY_CASE(uint8_t)
        ANY_CASE(uint16_t)
        ANY_CASE(uint32_t)
        ANY_CASE(uint64_t)
#undef ANY_CASE
    default: break;
    }
    return found;
}

/* Elements are given as bytes. What is found is inverted again for the result, not for a part. */
KERNEL void any_rows(struct cut cut, struct shape s, struct view from, const void *x, int size,
                     uint64_t mask, struct view to, void *out, int ot, bool inverse, bool again)
{
    const size_t begin = first_item(cut), end = min_size(begin + cut.chunk, cut.items);
    LEAF_BUFFER(staged);

    for (size_t i = begin; i < end; i++) {
        const struct item item = item_at(cut, s, from, i);
        const size_t most = staged_count(cut, from, item);
        bool mine = false;
        for (size_t first = 0; first < item.count; first += most) {
            const size_t count = min_size(item.count - first, most);
            mine |= any_lane(
                staged_leaf(x, (size_t)size, cut, s, from, item, first, count, staged), size, mask,
                count, inverse);
        }
        const bool found = warp_any(mine);
        if (lane_id() == 0)
            store_int64(out, ot, (size_t)item_result(cut, s, to, i), found != again);
    }
}
