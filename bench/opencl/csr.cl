/* As many work-items a row as ours has; their sums meet in local memory. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
csr_kernel(int rows, __global float *out, __global const float *a, __global const uint *b,
           __global const float *x, __global const uint *start)
{
    __local float part[256];
    int t = get_local_id(0), lane = t % 32;
    int row = get_global_id(0) / 32;
    float sum = 0;
    if (row < rows)
        for (uint i = start[row] + lane; i < start[row + 1]; i += 32)
            sum = fma(a[i], x[b[i]], sum);
    part[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int apart = 16; apart > 0; apart /= 2) {
        if (lane < apart)
            part[t] += part[t + apart];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0 && row < rows)
        out[row] = part[t];
}
