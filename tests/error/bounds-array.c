// An access outside of a row of float a[rows][cols], a tensor's extents, SHARED and dynamic block
// memory, a private array or a table of constants.
// device: ref only it looks at each access
// status: 4
// run: -b 1 -k rows 2 3 f32[2,3] 0 3
// stderr: bounds-array.c:113:5: index 3 outside: this axis of 'a' has 3 elements, block (0,0,0) thread (0,0,0)
// run: -b 1 -k rows 2 3 f32[2,3] 1 -1
// stderr: index -1 outside: this axis of 'a' has 3 elements
// run: -b 1 -k rows 2 3 f32[2,3] 2 0
// stderr: write of 4 bytes outside: index 6 of 'a', which has 6 elements
// run: -b 1 -k rows 2 3 f32[7,3] 2 0
// stderr: write of 4 bytes outside: index 6 of 'a', which has 6 elements
// run: -b 1 -k rows 2 3 f32[2,3] -1 0
// stderr: index -3 of 'a'
// run: -b 1 -k planes 2 f32[2,3,4] 1 3 0
// stderr: index 3 outside: this axis of 'a' has 3 elements
// run: -b 1 -k planes 2 f32[2,3,4] 1 2 4
// stderr: index 4 outside: this axis of 'a' has 4 elements
// run: -b 1 -k planes 2 f32[2,3,4] 2 0 0
// stderr: index 24 of 'a', which has 24 elements
// run: -b 1 -k row_helped 2 3 f32[2,3] 3
// stderr: index 6 of 'a', which has 6 elements
// run: -b 1 -k declared 4 f32[8] 4
// stderr: index 4 of 'a', which has 4 elements of 4 bytes
// run: -b 1 -k declared 0 f32[8] 0
// stderr: index 0 of 'a', which has 0 elements
// run: -b 1 -k element f32[2,3] 0 3
// stderr: bounds-array.c:123:57: index 3 outside: axis 1 of 't' has 3 elements, block
// run: -b 1 -k element f32[2,3] 2 0
// stderr: index 2 outside: axis 0 of 't' has 2 elements
// run: -b 1 -k element f32[2,3] 0 -1
// stderr: index -1 outside: axis 1 of 't' has 3 elements
// run: -b 1 -k element f32[0,3] 0 0
// stderr: index 0 outside: axis 0 of 't' has 0 elements
// run: -b 1 -k turned f32[2,3] 2 0
// stderr: index 2 outside: axis 1 of 't' has 2 elements
// run: -b 1 -k sliced f32[4,4] 2
// stderr: index 2 outside: axis 0 of 's' has 2 elements
// run: -b 1 -k tiled f32[5,5] 1
// stderr: index 1 outside: axis 0 of 't' has 1 element
// run: -b 1 -k at_atomic i32[2,2] 2
// stderr: index 2 outside: axis 1 of 't'
// run: -b 1 -k four f32[1,2,3,4] 4
// stderr: index 4 outside: axis 3 of 't' has 4 elements
// run: -b 1 -k data f32[2,3] 6
// stderr: write of 4 bytes outside: index 6 of 't', which has 6 elements of 4 bytes
// run: -b 1 -k reshaped f32[2,3] 6
// stderr: write of 4 bytes outside: index 6 of 't'
// run: -b 2 -k shared i32[1] 4
// stderr: bounds-array.c:152:5: index 4 outside: this axis of 'one' has 4 elements
// run: -b 2 -k shared i32[1] -1
// stderr: index -1 outside: this axis of 'one'
// run: -b 2 -k shared_rows i32[1] 1 3
// stderr: index 3 outside: this axis of 'two' has 3 elements
// run: -b 2 -k shared_rows i32[1] 2 0
// stderr: index 2 outside: this axis of 'two' has 2 elements
// run: -b 2 -k shared_pointer i32[1] 6
// stderr: write of 4 bytes outside: index 6 of 'two', which has 6 elements of 4 bytes
// run: -b 2 -k shared_pointer i32[1] -1
// stderr: index -1 of 'two'
// run: -b 2 -k shared_pointer i32[1] 1000
// stderr: index 1000 of 'two'
// run: -b 2 -k shared_atomic i32[1] 4
// stderr: atomic of 4 bytes outside: index 4 of 'one', which has 4 elements
// run: -b 2 -k shared_helped i32[1] 4
// stderr: atomic of 4 bytes outside: index 4 of 'one', which has 4 elements
// run: -b 2 -k shared_neighbour i32[1]
// stderr: of 'one', which has 4 elements
// run: -b 2 -k shared_number i32[1] 4
// stderr: read of 4 bytes outside: index 4 of 'one', which has 4 elements
// run: -b 2 --shared 64 -k dynamic_number i32[1] -28
// stderr: read of 4 bytes outside: index -28 of 'bytes', which has 16 elements
// run: -b 2 -k private_number i32[1] 5
// stderr: read of 4 bytes outside: index 5 of 'own', which has 5 elements
// run: -b 2 -k shared_tensor i32[1] 3
// stderr: index 3 outside: axis 1 of 'near' has 3 elements
// run: -b 1 --shared 16 -k dynamic i32[1] 4
// stderr: write of 4 bytes outside: index 4 of 'bytes', which has 4 elements of 4 bytes
// run: -b 1 --shared 16 -k dynamic i32[1] -1
// stderr: index -1 of 'bytes'
// run: -b 1 --shared 16 -k dynamic_second i32[1] 2
// stderr: index 2 of 'wide', which has 2 elements of 8 bytes
// run: -b 1 -k private_array i32[1] 5
// stderr: bounds-array.c:212:5: index 5 outside: this axis of 'own' has 5 elements
// run: -b 1 -k private_array i32[1] -1
// stderr: index -1 outside: this axis of 'own'
// run: -b 1 -k private_helped i32[1] 5
// stderr: write of 4 bytes outside: index 5 of 'own', which has 5 elements of 4 bytes
// run: -b 1 -k private_chosen i32[1] 0 6
// stderr: write of 4 bytes outside: index 6 of 'second', which has 6 elements of 4 bytes
// run: -b 1 -k private_chosen i32[1] 1 5
// stderr: index 5 of 'first', which has 5 elements
// run: -b 1 -k private_scalar i32[1] 1
// stderr: write of 4 bytes outside: index 1 of 'x', which has 1 element
// run: -b 1 -k private_constant i32[1]
// stderr: write of 4 bytes outside: index 2 of 'x', which has 2 elements
// run: -b 1 -k private_struct i32[1] 5
// stderr: outside: byte 24 of 's', which has 24 bytes
// run: -b 1 -k argument i32[1] '{1,{2,3,4,5}}' 9
// stderr: of 's', which has
// run: -b 1 -k private_copied i32[8] 24
// stderr: read of 24 bytes outside: index 0 of 'own', which has 5 elements
// run: -b 1 -k table i32[1] 4
// stderr: index 4 outside: this axis of 'primes' has 4 elements
// run: -b 1 -k table_pointer i32[1] -1
// stderr: read of 4 bytes outside: index -1 of 'primes', which has 4 elements
// run: -b 40 -k barriers i32[40]
// stderr: index 40 outside: this axis of 'near' has 40 elements, block (0,0,0) thread (39,0,0)
#include <lanewise/kernel.h>

KERNEL void rows(int r, int c, float a[r][c], int i, int j)
{
    a[i][j] = 1;
}
KERNEL void planes(int r, float a[r][3][4], int i, int j, int k) { a[i][j][k] = 1; }
static void fill(float *row, int n)
{
    row[n] = 1;
}
KERNEL void row_helped(int r, int c, float a[r][c], int j) { fill(a[1], j); }
KERNEL void declared(int n, float a[n], int i) { a[i] = 1; }

KERNEL void element(TENSOR(float, 2) t, int i, int j) { at(t, i, j) = 1; }
KERNEL void turned(TENSOR(float, 2) t, int i, int j)
{
    t = transposed(t);
    at(t, j, i) = 1;
}
KERNEL void sliced(TENSOR(float, 2) s, int i)
{
    s = slice(s, 0, 1, 3);
    at(s, i, 0) = 1;
}
KERNEL void tiled(TENSOR(float, 2) t, int i)
{
    t = tile(t, 2, 2, 2, 2);
    at(t, i, 0) = 1;
}
KERNEL void at_atomic(TENSOR(int, 2) t, int j) { atomic_add(&at(t, 1, j), 1); }
KERNEL void four(TENSOR(float, 4) t, int l) { at(t, 0, 1, 2, l) = 1; }
KERNEL void data(TENSOR(float, 2) t, int i) { t.data[i] = 1; }
KERNEL void reshaped(TENSOR(float, 2) t, int j)
{
    TENSOR(float, 2) wide = reshape(t, 1, 100);
    at(wide, 0, j) = 1;
}

SHARED int one[4], two[2][3];

KERNEL void shared(int *out, int i)
{
    one[i] = 1;
    out[0] = one[0];
}
KERNEL void shared_rows(int *out, int i, int j)
{
    two[i][j] = 1;
    out[0] = two[0][0];
}
static void store(int *p, int i)
{
    p[i] = 1;
}
KERNEL void shared_pointer(int *out, int i)
{
    store(&two[0][0], i);
    out[0] = two[0][0];
}
KERNEL void shared_atomic(int *out, int i)
{
    atomic_add(&one[i], 1);
    out[0] = one[0];
}
static void count(int *p)
{
    atomic_add(p, 1);
}
KERNEL void shared_helped(int *out, int i)
{
    count(one + i);
    out[0] = one[0];
}
KERNEL void shared_neighbour(int *out)
{
    int *p = one;
    p[&two[0][0] - one] = 1;
    out[0] = one[0];
}
KERNEL void shared_tensor(int *out, int j)
{
    SHARED_TENSOR(int, near, 2, 3);
    at(near, 0, j) = 1;
    out[0] = at(near, 0, 0);
}
KERNEL void dynamic(int *out, int i)
{
    DYNAMIC_SHARED(int, bytes);
    bytes[i] = 1;
    out[0] = bytes[0];
}
KERNEL void dynamic_second(int *out, int i)
{
    DYNAMIC_SHARED(int, bytes);
    DYNAMIC_SHARED(double, wide);
    bytes[0] = 1;
    wide[i] = 1;
    out[0] = bytes[0];
}
KERNEL void private_array(int *out, int i)
{
    int own[5] = {0};
    own[i] = 1;
    out[0] = own[0];
}
KERNEL void private_helped(int *out, int i)
{
    int own[5] = {0};
    store(own, i);
    out[0] = own[0];
}
KERNEL void private_chosen(int *out, int which, int i)
{
    int first[5] = {0}, second[6] = {0};
    int *p = which ? first : second;
    p[i] = 1;
    out[0] = first[0] + second[0];
}
KERNEL void private_scalar(int *out, int i)
{
    int x = 0;
    store(&x, i);
    out[0] = x;
}
KERNEL void private_constant(int *out)
{
    int x[2] = {0};
    int *p = x;
    p[2] = 1;
    out[0] = x[0];
}
struct mixed {
    int n, v[5];
};
KERNEL void private_struct(int *out, int i)
{
    struct mixed s = {0};
    s.v[i] = 1;
    out[0] = s.n;
}
struct given {
    int n, v[4];
};
KERNEL void argument(int *out, struct given s, int i) { out[0] = s.v[i]; }
KERNEL void private_copied(int *out, int n)
{
    int own[5] = {0};
    memcpy(out, own, (size_t)n);
}
KERNEL void shared_number(int *out, int i)
{
    one[0] = 1;
    out[0] = *(const int *)((size_t)one + (size_t)i * 4);
}
KERNEL void dynamic_number(int *out, int i)
{
    DYNAMIC_SHARED(int, bytes);
    bytes[0] = 1;
    out[0] = *(const int *)((size_t)bytes + (size_t)i * 4);
}
KERNEL void private_number(int *out, int i)
{
    int own[5] = {i, 1, 2, 3, 4};
    size_t at = thread_idx.x ? (size_t)own + 4 : (size_t)own;
    out[0] = *(const int *)(at + (size_t)i * 4);
}
static const int primes[4] = {2, 3, 5, 7};
KERNEL void table(int *out, int i) { out[0] = primes[i]; }
static int get(const int *p, int i)
{
    return p[i];
}
KERNEL void table_pointer(int *out, int i) { out[0] = get(primes, i); }
KERNEL void barriers(int *out)
{
    SHARED int near[40];
    near[thread_idx.x] = 1;
    barrier();
    out[thread_idx.x] = near[thread_idx.x + 1];
}
