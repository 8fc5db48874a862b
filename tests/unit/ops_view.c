/* Views: each one against a list of the elements that it should have, for random views of random
 * views; what cannot be is refused with all values. What is not built yet says so. */
#include <lanewise/ops.h>
#include <stdio.h>
#include <string.h>

static int failures;
static lw_device *device;
static lw_buffer *f32_60, *structs_7;

static void check(bool right, const char *what, int line)
{
    if (right)
        return;
    failures++;
    printf("%s:%d: %s\n", __FILE__, line, what);
}

static void check_fails(lw_status got, lw_status status, const char *text, int line)
{
    if (got == status && !strcmp(lw_last_error(), text))
        return;
    failures++;
    printf("%s:%d: status %d, need %d\n    got  \"%s\"\n    need \"%s\"\n", __FILE__, line, got,
           status, lw_last_error(), text);
}

#define CHECK(condition) check((condition), #condition, __LINE__)
#define FAILS(call, status, text) check_fails((call), (status), (text), __LINE__)
#define WORKS(call) check((call) == LW_OK, lw_last_error(), __LINE__)
#define LIST(...) ((const ptrdiff_t[]){__VA_ARGS__})

/* ---- the elements of a view, as positions in its buffer, in C order ---- */

enum { MOST = 4000 };

struct elements {
    size_t count;
    ptrdiff_t at[MOST];
};

static void list_axis(const lw_tensor *t, int axis, ptrdiff_t at, struct elements *e)
{
    if (axis == t->rank) {
        if (e->count < MOST)
            e->at[e->count] = at;
        e->count++;
        return;
    }
    for (ptrdiff_t i = 0; i < t->extent[axis]; i++)
        list_axis(t, axis + 1, at + i * t->stride[axis], e);
}

static const struct elements *list(const lw_tensor *t, struct elements *e)
{
    e->count = 0;
    list_axis(t, 0, (ptrdiff_t)t->offset, e);
    return e;
}

static bool same(const struct elements *a, const struct elements *b)
{
    return a->count == b->count && a->count <= MOST &&
           !memcmp(a->at, b->at, a->count * sizeof a->at[0]);
}

/* ---- random views ---- */

static uint64_t seed = 1;

static int draw(int from, int to)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return from + (int)((seed >> 33) % (uint64_t)(to - from + 1));
}

static lw_tensor draw_whole(void)
{
    static const ptrdiff_t shapes[][4] = {{60, 1, 1, 1}, {6, 10, 1, 1}, {3, 4, 5, 1}, {2, 3, 2, 5},
                                          {1, 4, 1, 15}, {5, 1, 3, 4},  {0, 3, 2, 1}, {1, 1, 1, 1}};
    lw_tensor t;

    WORKS(lw_tensor_of(f32_60, draw(1, 4), shapes[draw(0, 7)], &t));
    CHECK(t.strided);
    return t;
}

/* Python's slice of a list, one index after the other. */
static ptrdiff_t start_of(ptrdiff_t at, ptrdiff_t n, ptrdiff_t step)
{
    if (at < 0)
        at += n;
    if (at < 0)
        return step < 0 ? -1 : 0;
    return at < n ? at : step < 0 ? n - 1 : n;
}

static lw_tensor draw_slice(lw_tensor t)
{
    static struct elements mine, theirs;
    const int axis = draw(0, t.rank - 1);
    const ptrdiff_t n = t.extent[axis], begin = draw(-8, 8), end = draw(-8, 8);
    const ptrdiff_t step = draw(0, 1) ? draw(1, 3) : draw(-3, -1);
    lw_tensor out, one = t;
    ptrdiff_t count = 0;

    WORKS(lw_tensor_slice(t, draw(0, 1) ? axis : axis - t.rank, begin, end, step, &out));
    for (ptrdiff_t i = start_of(begin, n, step);
         step > 0 ? i < start_of(end, n, step) : i > start_of(end, n, step); i += step) {
        lw_tensor slice = out;

        one.extent[axis] = slice.extent[axis] = 1;
        one.offset = t.offset + (size_t)(i * t.stride[axis]);
        slice.offset = out.offset + (size_t)(count++ * out.stride[axis]);
        CHECK(same(list(&one, &mine), list(&slice, &theirs)));
    }
    CHECK(out.extent[axis] == count && out.strided);
    return out;
}

static lw_tensor draw_permuted(lw_tensor t)
{
    static struct elements mine, theirs;
    int axes[4] = {0, 1, 2, 3};

    for (int i = t.rank - 1; i > 0; i--) {
        const int j = draw(0, i), axis = axes[i];

        axes[i] = axes[j];
        axes[j] = axis;
    }
    lw_tensor out;
    WORKS(lw_tensor_permute(t, axes, &out));
    for (int i = 0; i < t.rank; i++)
        CHECK(out.extent[i] == t.extent[axes[i]] && out.stride[i] == t.stride[axes[i]]);
    lw_tensor back;
    WORKS(lw_tensor_permute(t, NULL, &back));
    WORKS(lw_tensor_permute(back, NULL, &back));
    CHECK(same(list(&t, &mine), list(&back, &theirs)) && out.offset == t.offset);
    return out;
}

/* Strides for these extents that give the same elements, if there are any: what one step along an
 * axis must be is seen at its second element. */
static bool can_reshape(const struct elements *e, lw_tensor *t)
{
    static struct elements found;
    ptrdiff_t step = 1;

    for (int i = t->rank - 1; i >= 0; i--) {
        t->stride[i] = t->extent[i] > 1 && e->count ? e->at[step] - e->at[0] : 0;
        step *= t->extent[i];
    }
    return !e->count || same(e, list(t, &found));
}

static lw_tensor draw_reshaped(lw_tensor t)
{
    static struct elements mine, theirs;
    ptrdiff_t extents[4] = {1, 1, 1, 1}, left = (ptrdiff_t)list(&t, &mine)->count;
    const int rank = draw(left == 1 ? 0 : 1, 4);
    lw_tensor out, wanted = t;

    for (int i = 0; i < rank; i++) {
        ptrdiff_t part = i == rank - 1 ? left : draw(1, 6);

        part = part && left % part ? 1 : part;
        extents[i] = part;
        left /= part ? part : 1;
    }
    wanted.rank = rank;
    memcpy(wanted.extent, extents, sizeof extents);
    lw_status status = lw_tensor_reshape(t, rank, extents, &out);
    if (!can_reshape(&mine, &wanted)) {
        CHECK(status == LW_E_SHAPE && strstr(lw_last_error(), "without a copy") && !out.buffer);
        return t;
    }
    WORKS(status);
    CHECK(out.rank == rank && same(&mine, list(&out, &theirs)));
    return out;
}

static lw_tensor draw_broadcast(lw_tensor t)
{
    static struct elements mine, theirs;
    const int rank = draw(t.rank, 4), more = rank - t.rank;
    ptrdiff_t extents[4];

    for (int i = 0; i < rank; i++)
        extents[i] = i < more || t.extent[i - more] == 1 ? draw(0, 3) : t.extent[i - more];
    lw_tensor out;
    WORKS(lw_tensor_broadcast(t, rank, extents, &out));
    CHECK(out.rank == rank && !memcmp(out.extent, extents, (size_t)rank * sizeof extents[0]));
    list(&out, &theirs);
    lw_tensor one;
    one = out; /* what was repeated, taken once */
    for (int i = 0; i < rank; i++)
        if (i < more || t.extent[i - more] == 1)
            one.extent[i] = one.extent[i] ? 1 : 0;
    CHECK(!theirs.count || same(list(&t, &mine), list(&one, &theirs)));
    return theirs.count < 300 ? out : t;
}

static void random_views(void)
{
    for (int n = 0; n < 4000 && failures < 20; n++) {
        lw_tensor t = draw_whole();

        for (int depth = draw(1, 6); depth; depth--)
            switch (draw(t.rank ? 0 : 2, 3)) {
            case 0: t = draw_slice(t); break;
            case 1: t = draw_permuted(t); break;
            case 2: t = draw_reshaped(t); break;
            default: t = draw_broadcast(t); break;
            }
    }
}

/* ---- what is refused ---- */

static void wholes(void)
{
    lw_tensor t;

    WORKS(lw_tensor_of(f32_60, 0, NULL, &t));
    CHECK(t.rank == 0 && t.strided && t.buffer == f32_60);
    WORKS(lw_tensor_of(structs_7, 2, LIST(2, 3), &t));
    CHECK(t.stride[0] == 3 && t.stride[1] == 1);
    FAILS(lw_tensor_of(NULL, 0, NULL, &t), LW_E_ARG, "the buffer is NULL");
    CHECK(!t.buffer && !t.strided);
    FAILS(lw_tensor_of(f32_60, 0, NULL, NULL), LW_E_ARG, "the place for the tensor is NULL");
    FAILS(lw_tensor_of(f32_60, 2, NULL, &t), LW_E_ARG, "the list of 2 extents is NULL");
    FAILS(lw_tensor_of(f32_60, 5, LIST(1, 1, 1, 1, 1), &t), LW_E_SHAPE, "rank 5; need 0 to 4");
    FAILS(lw_tensor_of(f32_60, -1, NULL, &t), LW_E_SHAPE, "rank -1; need 0 to 4");
    FAILS(lw_tensor_of(f32_60, 2, LIST(8, -1), &t), LW_E_SHAPE,
          "extents [8,-1]: extent 1 is -1, need at least 0");
    FAILS(lw_tensor_of(f32_60, 2, LIST(8, 8), &t), LW_E_SHAPE,
          "f32[8,8] has 64 elements, the buffer 60");
    FAILS(lw_tensor_of(structs_7, 1, LIST(8), &t), LW_E_SHAPE,
          "structs[8] has 8 elements, the buffer 7");
    FAILS(lw_tensor_of(f32_60, 3, LIST(PTRDIFF_MAX, 2, 0), &t), LW_E_SHAPE,
          "extents [9223372036854775807,2,0] reach beyond any memory");
}

/* A tensor that is no view within its buffer is refused by all. */
static void wrong_tensors(void)
{
    lw_tensor t = {.buffer = f32_60, .rank = 2, .extent = {6, 10}}, out = t;

    WORKS(lw_tensor_permute(t, NULL, &out));
    CHECK(out.stride[0] == 1 && out.stride[1] == 10 && out.strided);
    t.strided = true;
    WORKS(lw_tensor_permute(t, NULL, &out));
    CHECK(out.stride[0] == 0 && out.stride[1] == 0);
    t.stride[0] = 11, t.stride[1] = 1;
    FAILS(lw_tensor_permute(t, NULL, &out), LW_E_SHAPE,
          "the tensor of extents [6,10] and strides [11,1] reaches elements 0 to 64, the buffer "
          "has 60");
    CHECK(!out.buffer);
    t.stride[0] = -1;
    FAILS(lw_tensor_slice(t, 0, 0, 1, 1, &out), LW_E_SHAPE,
          "the tensor of extents [6,10] and strides [-1,1] reaches elements -5 to 9, the buffer "
          "has 60");
    t.stride[0] = PTRDIFF_MAX;
    FAILS(lw_tensor_reshape(t, 0, NULL, &out), LW_E_SHAPE,
          "the tensor of extents [6,10] and strides [9223372036854775807,1] reaches beyond any "
          "memory");
    t.offset = 61;
    FAILS(lw_tensor_broadcast(t, 0, NULL, &out), LW_E_SHAPE,
          "the tensor starts at element 61, the buffer has 60");
    t.buffer = NULL;
    FAILS(lw_tensor_broadcast(t, 0, NULL, &out), LW_E_ARG, "the tensor's buffer is NULL");
    FAILS(lw_tensor_slice(t, 0, 0, 1, 1, NULL), LW_E_ARG, "the place for the tensor is NULL");
}

static void wrong_views(void)
{
    lw_tensor t;

    WORKS(lw_tensor_of(f32_60, 2, LIST(6, 10), &t));
    lw_tensor point;
    WORKS(lw_tensor_of(f32_60, 0, NULL, &point));
    lw_tensor out;
    FAILS(lw_tensor_slice(t, 2, 0, 1, 1, &out), LW_E_ARG,
          "axis 2 of a tensor of rank 2; need -2 to 1");
    FAILS(lw_tensor_slice(t, -3, 0, 1, 1, &out), LW_E_ARG,
          "axis -3 of a tensor of rank 2; need -2 to 1");
    FAILS(lw_tensor_slice(point, 0, 0, 1, 1, &out), LW_E_ARG,
          "axis 0: a tensor of rank 0 has none");
    FAILS(lw_tensor_slice(t, -1, 0, 1, 0, &out), LW_E_ARG, "a step of 0 along axis 1");
    FAILS(lw_tensor_permute(t, (int[]){1, -1}, &out), LW_E_ARG,
          "axes 0 and 1 are both axis 1; need each one once");
    FAILS(lw_tensor_permute(t, (int[]){0, 2}, &out), LW_E_ARG,
          "axis 2 of a tensor of rank 2; need -2 to 1");
    FAILS(lw_tensor_reshape(t, 2, LIST(6, 11), &out), LW_E_SHAPE,
          "extents [6,11] have 66 elements, [6,10] need 60");
    WORKS(lw_tensor_permute(t, NULL, &t));
    FAILS(lw_tensor_reshape(t, 1, LIST(60), &out), LW_E_SHAPE,
          "extents [10,6] with strides [1,10] cannot become [60] without a copy (lw_copy)");
    CHECK(!out.buffer);
    FAILS(lw_tensor_broadcast(t, 2, LIST(10, 5), &out), LW_E_SHAPE,
          "extents [10,6] cannot be repeated to [10,5]: axis 1 has 6, need 1 or 5");
    FAILS(lw_tensor_broadcast(t, 1, LIST(6), &out), LW_E_SHAPE,
          "extents [10,6] cannot be repeated to [6]: rank 1, need at least 2");
    FAILS(lw_tensor_broadcast(point, 2, LIST(PTRDIFF_MAX, 2), &out), LW_E_SHAPE,
          "extents [9223372036854775807,2] reach beyond any memory");
}

/* The ends of ptrdiff_t. */
static void limits(void)
{
    lw_tensor t;

    WORKS(lw_tensor_of(f32_60, 2, LIST(6, 10), &t));
    lw_tensor out;
    WORKS(lw_tensor_slice(t, 1, PTRDIFF_MAX, PTRDIFF_MIN, -1, &out));
    CHECK(out.offset == 9 && out.extent[1] == 10 && out.stride[1] == -1);
    WORKS(lw_tensor_slice(out, 0, PTRDIFF_MIN, PTRDIFF_MAX, PTRDIFF_MAX, &out));
    CHECK(out.offset == 9 && out.extent[0] == 1);
    WORKS(lw_tensor_slice(t, 0, -1, PTRDIFF_MIN, PTRDIFF_MIN, &out));
    CHECK(out.offset == 50 && out.extent[0] == 1);
    WORKS(lw_tensor_slice(t, 0, 6, PTRDIFF_MAX, 1, &out));
    CHECK(out.offset == 0 && out.extent[0] == 0);
    WORKS(lw_tensor_reshape(out, 3, LIST(5, 0, 7), &out));
    CHECK(out.extent[2] == 7);
    WORKS(lw_tensor_slice(t, 0, 0, 1, 1, &out));
    WORKS(lw_tensor_broadcast(out, 3, LIST(PTRDIFF_MAX / 10, 1, 10), &out));
    CHECK(out.stride[0] == 0);
    WORKS(lw_tensor_reshape(t, 4, out.extent + 1, &out) == LW_E_SHAPE ? LW_OK : LW_E_CHECK);
    WORKS(lw_tensor_of(f32_60, 2, LIST(3, 20), &out));
    WORKS(lw_tensor_reshape(t, 2, out.extent, &out)); /* the list lies in the result */
    CHECK(out.extent[0] == 3 && out.extent[1] == 20 && out.stride[0] == 20);
}

int main(void)
{
    WORKS(lw_device_open("null", &device));
    WORKS(lw_buffer_create(device, LW_F32, 60, &f32_60));
    WORKS(lw_buffer_create_structs(device, 12, 7, &structs_7));
    wholes();
    wrong_tensors();
    wrong_views();
    limits();
    random_views();
    lw_buffer_destroy(f32_60);
    lw_buffer_destroy(structs_7);
    lw_device_close(device);
    return failures != 0;
}
