__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
dot_tree_kernel(__global float *out, __global const float *a, __global const float *b, int n)
{
    __local float part[256];
    int t = get_local_id(0);
    size_t i = get_global_id(0);
    part[t] = i < (size_t)n ? a[i] * b[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = 128; half_size > 0; half_size /= 2) {
        if (t < half_size)
            part[t] += part[t + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        out[get_group_id(0)] = part[0];
}
