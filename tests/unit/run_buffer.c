/* Buffers: contents, bounds, mapping; and the same on a device with memory of its own. */
#include "run_test.h"

static void contents(lw_device *d)
{
    float in[5] = {1, 2, 3, 4, 5}, out[5];
    float seven = 7;
    lw_buffer *b;

    WORKS(lw_buffer_create(d, LW_F32, 5, &b));
    CHECK(lw_buffer_count(b) == 5 && lw_buffer_bytes(b) == 20 && lw_buffer_has_dtype(b));
    CHECK(lw_buffer_dtype(b) == LW_F32);
    WORKS(lw_buffer_read(b, 0, 5, out));
    CHECK(out[0] == 0 && out[4] == 0);
    WORKS(lw_buffer_write(b, 0, 5, in));
    WORKS(lw_buffer_write(b, 1, 2, in));
    WORKS(lw_buffer_read(b, 0, 5, out));
    CHECK(out[0] == 1 && out[1] == 1 && out[2] == 2 && out[3] == 4 && out[4] == 5);
    void *memory;
    WORKS(lw_buffer_map(b, &memory));
    CHECK((uintptr_t)memory % 16 == 0 && ((float *)memory)[3] == 4);
    ((float *)memory)[3] = 40;
    FAILS(lw_buffer_map(b, &memory), LW_E_ARG,
          "the buffer is mapped; it needs lw_buffer_unmap first");
    FAILS(lw_buffer_read(b, 0, 5, out), LW_E_ARG,
          "the buffer is mapped; it needs lw_buffer_unmap first");
    WORKS(lw_buffer_unmap(b));
    FAILS(lw_buffer_unmap(b), LW_E_ARG, "the buffer is not mapped");
    WORKS(lw_buffer_read(b, 3, 1, out));
    CHECK(out[0] == 40);
    WORKS(lw_buffer_fill(b, &seven));
    WORKS(lw_buffer_read(b, 0, 5, out));
    CHECK(out[0] == 7 && out[2] == 7 && out[4] == 7);
    WORKS(lw_buffer_discard(b));
    lw_buffer_destroy(b);
}

/* A fill longer than its stretch, of elements that do not divide it. */
static void structs(lw_device *d)
{
    static char all[7 * 30000];
    lw_buffer *b;

    WORKS(lw_buffer_create_structs(d, 7, 30000, &b));
    CHECK(!lw_buffer_has_dtype(b) && lw_buffer_dtype(b) == LW_U8 && lw_buffer_bytes(b) == 210000);
    WORKS(lw_buffer_fill(b, "abcdefg"));
    WORKS(lw_buffer_read(b, 0, 30000, all));
    for (size_t i = 0; i < sizeof all; i++)
        CHECK(all[i] == "abcdefg"[i % 7]);
    lw_buffer_destroy(b);
}

static void bounds(lw_device *d)
{
    float x[5];

    lw_buffer *b;
    WORKS(lw_buffer_create(d, LW_F32, 5, &b));
    FAILS(lw_buffer_read(b, 2, 4, x), LW_E_SHAPE, "elements 2 to 5: the buffer has 5");
    FAILS(lw_buffer_write(b, 6, 0, x), LW_E_SHAPE, "0 elements from 6 on: the buffer has 5");
    CHECK(lw_buffer_write(b, 1, SIZE_MAX, x) == LW_E_SHAPE);
    FAILS(lw_buffer_write(b, 0, 5, NULL), LW_E_ARG, "the host memory for 5 elements is NULL");
    WORKS(lw_buffer_write(b, 5, 0, NULL));
    FAILS(lw_buffer_write(NULL, 0, 0, x), LW_E_ARG, "the buffer is NULL");
    CHECK(lw_buffer_fill(NULL, x) == LW_E_ARG && lw_buffer_fill(b, NULL) == LW_E_ARG);
    void *memory;
    CHECK(lw_buffer_map(NULL, &memory) == LW_E_ARG && lw_buffer_map(b, NULL) == LW_E_ARG);
    CHECK(lw_buffer_unmap(NULL) == LW_E_ARG && lw_buffer_discard(NULL) == LW_E_ARG);
    lw_buffer_destroy(b);
    lw_buffer_destroy(NULL);
    WORKS(lw_buffer_create(d, LW_I64, 0, &b));
    WORKS(lw_buffer_fill(b, NULL));
    WORKS(lw_buffer_read(b, 0, 0, NULL));
    WORKS(lw_buffer_map(b, &memory));
    CHECK(memory != NULL);
    WORKS(lw_buffer_unmap(b));
    lw_buffer_destroy(b);
}

/* Within a device, and between any two. */
static void copies(lw_device *d, lw_device *other)
{
    const int values[6] = {1, 2, 3, 4, 5, 6};
    int got[6];
    lw_buffer *a;

    WORKS(lw_buffer_create(d, LW_I32, 6, &a));
    lw_buffer *b;
    WORKS(lw_buffer_create(other, LW_I32, 6, &b));
    lw_buffer *floats;
    WORKS(lw_buffer_create(d, LW_F32, 6, &floats));
    lw_buffer *structs;
    WORKS(lw_buffer_create_structs(d, 8, 6, &structs));
    WORKS(lw_buffer_write(a, 0, 6, values));
    WORKS(lw_buffer_copy(b, 1, a, 2, 4));
    WORKS(lw_buffer_read(b, 0, 6, got));
    CHECK(!memcmp(got, (int[]){0, 3, 4, 5, 6, 0}, sizeof got));
    WORKS(lw_buffer_copy(a, 0, a, 3, 3));
    WORKS(lw_buffer_read(a, 0, 6, got));
    CHECK(!memcmp(got, (int[]){4, 5, 6, 4, 5, 6}, sizeof got));
    WORKS(lw_buffer_copy(b, 6, a, 6, 0));
    FAILS(lw_buffer_copy(a, 0, a, 2, 3), LW_E_ARG,
          "3 elements overlap with where they are copied to");
    FAILS(lw_buffer_copy(b, 3, a, 0, 4), LW_E_SHAPE,
          "elements 3 to 6: the buffer to copy to has 6");
    FAILS(lw_buffer_copy(b, 0, a, 5, 2), LW_E_SHAPE,
          "elements 5 to 6: the buffer to copy from has 6");
    FAILS(lw_buffer_copy(b, 0, floats, 0, 1), LW_E_DTYPE,
          "elements of f32 (4 bytes) do not go into a buffer of i32 (4 bytes); lw_copy converts");
    CHECK(lw_buffer_copy(b, 0, structs, 0, 1) == LW_E_DTYPE);
    CHECK(lw_buffer_copy(NULL, 0, a, 0, 1) == LW_E_ARG);
    CHECK(lw_buffer_copy(a, 0, NULL, 0, 1) == LW_E_ARG);
    void *memory;
    WORKS(lw_buffer_map(a, &memory));
    CHECK(lw_buffer_copy(b, 0, a, 0, 1) == LW_E_ARG && lw_buffer_copy(a, 0, b, 0, 1) == LW_E_ARG);
    WORKS(lw_buffer_unmap(a));
    lw_buffer_destroy(a);
    lw_buffer_destroy(b);
    lw_buffer_destroy(floats);
    lw_buffer_destroy(structs);
}

static void creation(lw_device *d)
{
    lw_buffer *b = (lw_buffer *)&b;

    FAILS(lw_buffer_create(NULL, LW_F32, 1, &b), LW_E_ARG, "the device is NULL");
    CHECK(!b);
    FAILS(lw_buffer_create(d, LW_F32, 1, NULL), LW_E_ARG, "the place for the buffer is NULL");
    FAILS(lw_buffer_create(d, (lw_dtype)13, 1, &b), LW_E_DTYPE,
          "13 is no dtype; they go from 0 (i8) to 12 (f64)");
    FAILS(lw_buffer_create(d, LW_F64, SIZE_MAX / 8 + 1, &b), LW_E_MEMORY,
          "a buffer of 2305843009213693952 x 8 bytes is beyond any memory");
    CHECK(lw_buffer_create(d, LW_F64, SIZE_MAX / 32, &b) == LW_E_MEMORY);
    FAILS(lw_buffer_create_structs(d, 0, 1, &b), LW_E_SHAPE,
          "a struct of 0 bytes; need at least 1");
    CHECK(!lw_buffer_address(NULL));
    CHECK(lw_buffer_alignment(NULL) == 256);
    CHECK(lw_buffer_count(NULL) == 0 && lw_buffer_bytes(NULL) == 0 && !lw_buffer_has_dtype(NULL));
}

/* ---- a device whose memory the host reaches by copies only ---- */

static size_t outstanding;

static lw_status far_create(void *state, size_t bytes, void **memory)
{
    (void)state;
    *memory = bytes < (size_t)1 << 40 ? calloc(1, bytes + 1) : NULL;
    outstanding += *memory != NULL;
    return *memory ? LW_OK : lw__fail(LW_E_MEMORY, "far memory is short");
}

static void far_destroy(void *state, void *memory)
{
    (void)state;
    outstanding--;
    free(memory);
}

static lw_status far_copy(void *state, void *to, const void *from, size_t bytes)
{
    (void)state;
    memcpy(to, from, bytes);
    return LW_OK;
}

static lw_status far_copy_there(void *state, void *to, void *from_state, const void *from,
                                size_t bytes)
{
    (void)from_state;
    return far_copy(state, to, from, bytes);
}

static const struct lw__device_ops far_ops = {
    .info = {.name = "far", .description = "", .unavailable = ""},
    .target = "null",
    .memory_create = far_create,
    .memory_destroy = far_destroy,
    .memory_write = far_copy,
    .memory_read = far_copy,
    .memory_copy = far_copy_there,
};

int main(void)
{
    lw_device *devices[] = {open_device("null"), open_device("ref"), open_own(&far_ops)};

    for (int i = 0; i < 3; i++) {
        contents(devices[i]);
        structs(devices[i]);
        bounds(devices[i]);
        creation(devices[i]);
        for (int k = 0; k < 3; k++)
            copies(devices[i], devices[k]);
    }
    for (int i = 0; i < 3; i++)
        lw_device_close(devices[i]);
    CHECK(outstanding == 0);
    return failures != 0;
}
