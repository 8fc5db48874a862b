// at, extent, stride, tile, transposed, slice, reshape: views without copies, rank 1 to 4.
// run: -k ranks -b 1 i32[1] f32[3]=iota f32[2,3]=iota f32[2,3,4]=iota f32[2,3,4,5]=iota
// expect: checked: i32[1] = [1]
// run: -k views -b 1 i32[1] i32[4,6]=iota
// expect: checked: i32[1] = [1]
// expect: t: i32[4,6] = [[  0,   1,   2,   3,   4,   5],
// expect:                [  6, 100,   8,   9,  10,  11],
// expect:                [ 12,  13,  14, 200,  16,  17],
// expect:                [ 18,  19,  20,  21,  22, 300]]
// run: -k transpose -b 3,2 f32[3,2] f32[2,3]=iota
// expect: to: f32[3,2] = [[0.0, 3.0],
// expect:                 [1.0, 4.0],
// expect:                 [2.0, 5.0]]
// run: -k transpose -b 3,2 f32[3,2] f64[2,3]=iota
// status: 2
// stderr: f64
// run: -k transpose -b 3,2 f32[3,2] f32[6]=iota
// status: 2
// stderr: from
#include <lanewise/kernel.h>

KERNEL void ranks(int *checked, CONST_TENSOR(float, 1) a, CONST_TENSOR(float, 2) b,
                  CONST_TENSOR(float, 3) c, CONST_TENSOR(float, 4) d)
{
    assert(extent(a, 0) == 3 && stride(a, 0) == 1 && at(a, 2) == 2);
    assert(extent(b, 0) == 2 && extent(b, 1) == 3 && stride(b, 0) == 3 && stride(b, 1) == 1);
    assert(extent(c, 2) == 4 && stride(c, 0) == 12 && stride(c, 1) == 4 && stride(c, 2) == 1);
    assert(extent(d, 3) == 5 && stride(d, 0) == 60 && stride(d, 2) == 5);
    assert(at(b, 1, 2) == 5 && at(c, 1, 2, 3) == 23 && at(d, 1, 2, 3, 4) == 119);
    assert(&at(c, 0, 1, 0) == c.data + 4 && a.extent[0] == 3 && a.stride[0] == 1);
    assert(_Generic(extent(a, 0), ptrdiff_t: 1) && _Generic(&at(a, 0), const float *: 1));
    *checked = 1;
}

KERNEL void views(int *checked, TENSOR(int, 2) t)
{
    TENSOR(int, 2) tr = transposed(t), part = slice(t, 0, 1, 3), rows = slice(tr, 0, 2, 5);
    assert(extent(tr, 0) == 6 && extent(tr, 1) == 4 && stride(tr, 0) == 1 && stride(tr, 1) == 6);
    assert(at(tr, 5, 3) == 23 && &at(tr, 2, 1) == &at(t, 1, 2));
    assert(extent(part, 0) == 2 && extent(part, 1) == 6 && at(part, 0, 0) == 6);
    assert(extent(rows, 0) == 3 && at(rows, 0, 0) == 2 && at(rows, 2, 3) == 22);

    /* whole tiles, cut ones, and one that lies outside */
    TENSOR(int, 2) inner = tile(t, 2, 2, 1, 1), edge = tile(t, 3, 4, 1, 1), out = tile(t, 2, 2,
        2, 0);
    assert(extent(inner, 0) == 2 && at(inner, 0, 0) == 14 && at(inner, 1, 1) == 21);
    assert(extent(edge, 0) == 1 && extent(edge, 1) == 2 && at(edge, 0, 1) == 23);
    assert(extent(out, 0) == 0 && stride(inner, 0) == 6);
    TENSOR(int, 2) of_transposed = tile(tr, 2, 2, 2, 1);
    assert(at(of_transposed, 0, 1) == at(t, 3, 4));

    /* slices are cut at the edge; an empty one is empty */
    assert(extent(slice(t, 1, 4, 100), 1) == 2 && extent(slice(t, 1, 3, 3), 1) == 0);
    assert(extent(slice(t, 0, 3, 1), 0) == 0 && extent(slice(t, 0, -2, 2), 0) == 2);

    TENSOR(int, 2) wide = reshape(t, 2, 12);
    assert(extent(wide, 0) == 2 && extent(wide, 1) == 12 && at(wide, 1, 0) == 12);
    TENSOR(int, 1) line = {t.data + 6, {6}, {1}};
    TENSOR(int, 2) folded = reshape(line, 3, 2);
    assert(at(folded, 2, 1) == 11 && &at(slice(line, 0, 2, 4), 1) == t.data + 9);

    at(t, 1, 1) = 100;
    at(tr, 3, 2) = 200;
    at(slice(t, 0, 3, 4), 0, 5) = 300;
    assert(at(part, 0, 1) == 100);
    *checked = 1;
}

KERNEL void transpose(TENSOR(float, 2) to, CONST_TENSOR(float, 2) from)
{
    at(to, thread_idx.x, thread_idx.y) = at(transposed(from), thread_idx.x, thread_idx.y);
}
