/* kernels.c - what the Python tests launch. */
#include <lanewise/kernel.h>

KERNEL void scale(int n, float x[n], float by)
{
    for (int i = global_idx.x; i < n; i += block_dim.x * grid_dim.x)
        x[i] *= by;
}

KERNEL void strided(TENSOR(float, 2) out, CONST_TENSOR(float, 2) x)
{
    const size_t columns = extent(x, 1);

    for (size_t k = global_idx.x; k < extent(x, 0) * columns; k += block_dim.x * grid_dim.x)
        at(out, k / columns, k % columns) = 2 * at(x, k / columns, k % columns);
}

KERNEL void where(int *out)
{
    if (thread_idx.x == 0)
        out[block_idx.x + grid_dim.x * block_idx.y] = block_dim.y;
}

KERNEL void values(double *out, bool a, int8_t b, uint64_t c, float d, half e)
{
    if (thread_idx.x)
        return;
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
    out[4] = e;
}

struct point {
    float x;
    int n;
};

KERNEL void points(struct point *p, struct point by)
{
    p[thread_idx.x].x += by.x;
    p[thread_idx.x].n += by.n;
}

KERNEL void copy_wide(bfloat16 *to, const bfloat16 *from)
{
    to[thread_idx.x] = from[thread_idx.x];
}

KERNEL void tell(int n)
{
    if (thread_idx.x < n)
        printf("thread %d", thread_idx.x);
}

KERNEL void refuse(int *out)
{
    assert(out[0] == 1);
}

/* It writes, and counts, so that neither `ref` nor `cpu` finds that nobody makes progress. */
KERNEL void spin(volatile int *flag)
{
    for (int k = 0; flag[0] == 0; k++)
        flag[1] = k;
}

KERNEL void shared_sum(int *out)
{
    DYNAMIC_SHARED(int, room);
    int sum = 0;

    room[thread_idx.x] = 1;
    barrier();
    for (int k = 0; k < block_dim.x; k++)
        sum += room[k];
    out[0] = sum;
}
