/* devlib_atomic.c - each atomic of each type: what it leaves in memory and what it returns; then
 * additions from two threads at once, of which none may be lost.
 */
#include "devlib/devlib.h"
#include "devlib_ulp.h"

#include <pthread.h>
#include <stdio.h>

static int failures;

static void expect(bool right, const char *what, int line)
{
    if (right)
        return;
    failures++;
    printf("line %d: %s\n", line, what);
}

/* One call: memory holds before, the call returns it and leaves after. Values compare as bits. */
#define EXPECT(T, call, before, after)                                                             \
    do {                                                                                           \
        volatile T cell = (before);                                                                \
        volatile T *p = &cell;                                                                     \
        T old = (call), left = cell, want_old = (before), want_left = (after);                     \
        expect(memcmp(&old, &want_old, sizeof old) == 0, #call ": returned value", __LINE__);      \
        expect(memcmp(&left, &want_left, sizeof left) == 0, #call ": memory", __LINE__);           \
    } while (0)

#define TEST_INTEGER(T, type, lowest, highest)                                                     \
    static void test_##type(void)                                                                  \
    {                                                                                              \
        EXPECT(T, lw__atomic_add_##type(p, 5), 37, 42);                                            \
        EXPECT(T, lw__atomic_add_##type(p, 1), highest, lowest);                                   \
        EXPECT(T, lw__atomic_sub_##type(p, 5), 37, 32);                                            \
        EXPECT(T, lw__atomic_sub_##type(p, 1), lowest, highest);                                   \
        EXPECT(T, lw__atomic_min_##type(p, lowest), highest, lowest);                              \
        EXPECT(T, lw__atomic_min_##type(p, highest), lowest, lowest);                              \
        EXPECT(T, lw__atomic_max_##type(p, highest), lowest, highest);                             \
        EXPECT(T, lw__atomic_max_##type(p, lowest), highest, highest);                             \
        EXPECT(T, lw__atomic_and_##type(p, 0x3c), 0x66, 0x24);                                     \
        EXPECT(T, lw__atomic_or_##type(p, 0x3c), 0x66, 0x7e);                                      \
        EXPECT(T, lw__atomic_xor_##type(p, 0x3c), 0x66, 0x5a);                                     \
        EXPECT(T, lw__atomic_exchange_##type(p, highest), 3, highest);                             \
        EXPECT(T, lw__atomic_cas_##type(p, 3, highest), 3, highest);                               \
        EXPECT(T, lw__atomic_cas_##type(p, 4, highest), 3, 3);                                     \
        EXPECT(T, lw__atomic_load_##type(p), highest, highest);                                    \
        EXPECT(T, (lw__atomic_store_##type(p, highest), (T)3), 3, highest);                        \
    }
TEST_INTEGER(int8_t, i8, INT8_MIN, INT8_MAX)
TEST_INTEGER(int16_t, i16, INT16_MIN, INT16_MAX)
TEST_INTEGER(int32_t, i32, INT32_MIN, INT32_MAX)
TEST_INTEGER(int64_t, i64, INT64_MIN, INT64_MAX)
TEST_INTEGER(uint8_t, u8, 0, UINT8_MAX)
TEST_INTEGER(uint16_t, u16, 0, UINT16_MAX)
TEST_INTEGER(uint32_t, u32, 0, UINT32_MAX)
TEST_INTEGER(uint64_t, u64, 0, UINT64_MAX)

/* As int, then made bool: what C does to a bool object. */
static void test_bool(void)
{
    for (int i = 0; i < 4; i++) {
        bool a = i & 1, v = i >> 1;
        EXPECT(bool, lw__atomic_add_bool(p, v), a, (bool)(a + v));
        EXPECT(bool, lw__atomic_sub_bool(p, v), a, (bool)(a - v));
        EXPECT(bool, lw__atomic_min_bool(p, v), a, a < v ? a : v);
        EXPECT(bool, lw__atomic_max_bool(p, v), a, a > v ? a : v);
        EXPECT(bool, lw__atomic_and_bool(p, v), a, (bool)(a & v));
        EXPECT(bool, lw__atomic_or_bool(p, v), a, (bool)(a | v));
        EXPECT(bool, lw__atomic_xor_bool(p, v), a, (bool)(a ^ v));
        EXPECT(bool, lw__atomic_exchange_bool(p, v), a, v);
        EXPECT(bool, lw__atomic_cas_bool(p, false, v), a, a ? a : v);
        EXPECT(bool, lw__atomic_load_bool(p), a, a);
        EXPECT(bool, (lw__atomic_store_bool(p, v), a), a, v);
    }
}

static lw__f16 f16(float x)
{
    uint16_t bits = lw__f32_to_f16(x);
    lw__f16 value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static lw__bf16 bf16(float x)
{
    uint16_t bits = lw__f32_to_bf16(x);
    lw__bf16 value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float f32(float x)
{
    return x;
}

static double f64(float x)
{
    return x;
}

#define TEST_FLOAT(T, type, smallest)                                                              \
    static void test_##type(void)                                                                  \
    {                                                                                              \
        EXPECT(T, lw__atomic_add_##type(p, type(0.25f)), type(1.5f), type(1.75f));                 \
        EXPECT(T, lw__atomic_add_##type(p, type(smallest)), type(smallest), type(2 * smallest));   \
        EXPECT(T, lw__atomic_sub_##type(p, type(0.25f)), type(1.5f), type(1.25f));                 \
        EXPECT(T, lw__atomic_sub_##type(p, type(1)), type(1), type(0));                            \
        EXPECT(T, lw__atomic_min_##type(p, type(-0.0f)), type(0.0f), type(-0.0f));                 \
        EXPECT(T, lw__atomic_min_##type(p, type(0.0f)), type(-0.0f), type(-0.0f));                 \
        EXPECT(T, lw__atomic_min_##type(p, type(NAN)), type(2), type(2));                          \
        EXPECT(T, lw__atomic_min_##type(p, type(2)), type(NAN), type(2));                          \
        EXPECT(T, lw__atomic_max_##type(p, type(-0.0f)), type(0.0f), type(0.0f));                  \
        EXPECT(T, lw__atomic_max_##type(p, type(0.0f)), type(-0.0f), type(0.0f));                  \
        EXPECT(T, lw__atomic_max_##type(p, type(NAN)), type(2), type(2));                          \
        EXPECT(T, lw__atomic_max_##type(p, type(3)), type(2), type(3));                            \
        EXPECT(T, lw__atomic_exchange_##type(p, type(3)), type(2), type(3));                       \
        EXPECT(T, lw__atomic_cas_##type(p, type(2), type(3)), type(2), type(3));                   \
        EXPECT(T, lw__atomic_cas_##type(p, type(0), type(3)), type(-0.0f), type(-0.0f));           \
        EXPECT(T, lw__atomic_cas_##type(p, type(NAN), type(3)), type(NAN), type(3));               \
        EXPECT(T, lw__atomic_load_##type(p), type(2), type(2));                                    \
        EXPECT(T, (lw__atomic_store_##type(p, type(3)), type(2)), type(2), type(3));               \
    }
TEST_FLOAT(float, f32, 0x1p-149f)
TEST_FLOAT(double, f64, 0x1p-149f)
TEST_FLOAT(lw__f16, f16, 0x1p-24f)
TEST_FLOAT(lw__bf16, bf16, 0x1p-133f)

/* One rounding, to even: 2048 + 1 stays in f16, 2048 + 3 becomes 2052. */
static void test_rounding(void)
{
    EXPECT(lw__f16, lw__atomic_add_f16(p, f16(1)), f16(2048), f16(2048));
    EXPECT(lw__f16, lw__atomic_add_f16(p, f16(3)), f16(2048), f16(2052));
    EXPECT(lw__f16, lw__atomic_add_f16(p, f16(65504)), f16(65504), f16(INFINITY));
    EXPECT(lw__bf16, lw__atomic_add_bf16(p, bf16(1)), bf16(256), bf16(256));
    EXPECT(lw__bf16, lw__atomic_add_bf16(p, bf16(3)), bf16(256), bf16(260));
}

enum { ADDITIONS = 200000 };

static struct {
    volatile int32_t i32;
    volatile uint8_t u8[4]; /* neighbours in one word */
    volatile lw__f16 f16[2];
    volatile float f32;
    volatile double f64;
} shared;

static void *add_many(void *argument)
{
    int self = *(const int *)argument;
    for (int i = 0; i < ADDITIONS; i++) {
        lw__atomic_add_i32(&shared.i32, 1);
        lw__atomic_add_u8(&shared.u8[self], 1);
        lw__atomic_add_u8(&shared.u8[2], 1);
        lw__atomic_add_f32(&shared.f32, 1);
        lw__atomic_sub_f64(&shared.f64, 1);
        if (i < 1000)
            lw__atomic_add_f16(&shared.f16[1], f16(1));
    }
    return NULL;
}

static void test_threads(void)
{
    static const int selves[2] = {0, 1};
    pthread_t other;
    expect(!pthread_create(&other, NULL, add_many, (void *)&selves[1]), "thread", __LINE__);
    add_many((void *)&selves[0]);
    pthread_join(other, NULL);
    expect(shared.i32 == 2 * ADDITIONS, "i32 additions lost", __LINE__);
    expect(shared.f32 == 2 * ADDITIONS, "f32 additions lost", __LINE__);
    expect(shared.f64 == -2 * ADDITIONS, "f64 subtractions lost", __LINE__);
    for (int i = 0; i < 4; i++)
        expect(shared.u8[i] == (uint8_t)(i == 3   ? 0
                                         : i == 2 ? 2 * ADDITIONS
                                                  : ADDITIONS),
               "u8 additions lost or strayed", __LINE__);
    lw__f16 left[2] = {shared.f16[0], shared.f16[1]}, want[2] = {f16(0), f16(2000)};
    expect(memcmp(left, want, sizeof left) == 0, "f16 additions lost or strayed", __LINE__);
}

int main(void)
{
    test_i8();
    test_i16();
    test_i32();
    test_i64();
    test_u8();
    test_u16();
    test_u32();
    test_u64();
    test_bool();
    test_f32();
    test_f64();
    test_f16();
    test_bf16();
    test_rounding();
    test_threads();
    printf("%d failures\n", failures);
    return failures != 0;
}
