__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void
normalise_kernel(__global float *out, __global const float *a, int n)
{
    __local float part[128];
    int t = get_local_id(0);
    size_t i = get_global_id(0);
    float mine = i < (size_t)n ? a[i] : 0;
    part[t] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = 64; half_size > 0; half_size /= 2) {
        if (t < half_size)
            part[t] += part[t + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float mean = part[0] / 128;
    if (i < (size_t)n)
        out[i] = mine / mean;
}
