/* Sums over the group place the elements: OpenCL 1.2 has no ballot. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
compact_kernel(__global float *out, __global uint *counter, __global const float *a, int n)
{
    __local uint sum[256], first;
    int t = get_local_id(0);
    size_t i = get_global_id(0);
    float mine = i < (size_t)n ? a[i] : 0;
    bool keep = mine > 0.5f;
    sum[t] = keep;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int apart = 1; apart < 256; apart *= 2) {
        uint before = t >= apart ? sum[t - apart] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum[t] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 255)
        first = atomic_add(counter, sum[255]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (keep)
        out[first + sum[t] - 1] = mine;
}
