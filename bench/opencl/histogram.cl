__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
histogram_kernel(__global uint *out, __global const uchar *b, int n)
{
    __local uint count[256];
    int t = get_local_id(0);
    count[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t i = get_global_id(0); i < (size_t)n; i += get_global_size(0))
        atomic_inc(&count[b[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&out[t], count[t]);
}
