// Tensors of every named type; TENSOR_TYPE(name) adds one of the user's; -D fixes the type of one.
// run: -b 1 i32[1]
// expect: checked: i32[1] = [1]
// run: -D E=pixel -b 1 i32[1]
// expect: checked: i32[1] = [1]
// run: -D E=_Float16 -b 1 i32[1]
// expect: checked: i32[1] = [1]
// run: -D E=stranger -b 1 i32[1]
// status: 3
// stderr: tensor-types.c
#include <lanewise/kernel.h>

typedef struct {
    unsigned char r, g, b;
} pixel;
typedef struct {
    float x;
} stranger;
TENSOR_TYPE(pixel)

#ifndef E
#define E float
#endif

#define CHECK(T)                                                                                   \
    {                                                                                              \
        T data[6] = {0};                                                                           \
        TENSOR(T, 2) t = {data, {2, 3}, {3, 1}};                                                   \
        CONST_TENSOR(T, 2) c = {data, {3, 2}, {1, 3}};                                             \
        at(t, 1, 2) = (T)1;                                                                        \
        assert(at(c, 2, 1) == (T)1 && data[5] == (T)1 && at(transposed(c), 1, 2) == (T)1);         \
        assert(_Generic(&at(t, 0, 0), T *: 1) && _Generic(&at(c, 0, 0), const T *: 1));            \
    }

SHARED E cells[4];

KERNEL void types(int *checked)
{
    CHECK(char) CHECK(short) CHECK(int) CHECK(unsigned) CHECK(long) CHECK(bool)
    CHECK(float) CHECK(double) CHECK(_Float16) CHECK(__bf16) CHECK(size_t) CHECK(ptrdiff_t)
    CHECK(half) CHECK(bfloat16)
    CHECK(int8_t) CHECK(int16_t) CHECK(int32_t) CHECK(int64_t)
    CHECK(uint8_t) CHECK(uint16_t) CHECK(uint32_t) CHECK(uint64_t)
    pixel image[4] = {{1, 2, 3}, {4, 5, 6}};
    TENSOR(pixel, 1) line = {image, {4}, {1}};
    assert(at(line, 1).g == 5 && at(reshape(line, 2, 2), 0, 1).b == 6);
    at(line, 3) = at(line, 0);
    assert(image[3].b == 3);
    TENSOR(E, 2) shared = {cells, {2, 2}, {2, 1}};
    assert(&at(shared, 1, 1) == cells + 3);
    *checked = 1;
}
