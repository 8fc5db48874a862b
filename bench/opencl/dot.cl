/* The sums of each group; a tree, since OpenCL 1.2 has no sum over a group. */
#ifndef T
#define T float
#endif
#define bool uchar

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
dot_kernel(__global float *out, __global const float *a, __global const T *b, int n)
{
    __local float part[256];
    int t = get_local_id(0);
    float sum = 0;
    for (size_t i = get_global_id(0); i < (size_t)n; i += get_global_size(0))
        sum += a[i] * b[i];
    part[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = 128; half_size > 0; half_size /= 2) {
        if (t < half_size)
            part[t] += part[t + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        out[get_group_id(0)] = part[0];
}
