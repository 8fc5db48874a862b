#define BLEND(given, mine)                                                                         \
    given[t] = mine;                                                                               \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
    mine = 0.5f * (mine + given[(t + 1) % 256])

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
barriers_kernel(__global float *out, __global const float *a, int n)
{
    __local float even[256], odd[256];
    int t = get_local_id(0);
    float w = a[t], x = a[256 + t], y = a[512 + t], z = a[768 + t];
    for (int i = 0; i < n; i += 4) {
        BLEND(even, w);
        BLEND(odd, x);
        BLEND(even, y);
        BLEND(odd, z);
    }
    out[t] = w;
    out[256 + t] = x;
    out[512 + t] = y;
    out[768 + t] = z;
}
