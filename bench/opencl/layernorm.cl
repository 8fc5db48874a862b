/* The sum of each group's values; a tree, since OpenCL 1.2 has no sum over a group. */
static float sum_of_group(__local float *part, int t, float mine)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    part[t] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = 128; half_size > 0; half_size /= 2) {
        if (t < half_size)
            part[t] += part[t + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return part[0];
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
layernorm_kernel(int rows, int cols, __global float *out, __global const float *a)
{
    __local float part[256];
    int t = get_local_id(0);
    __global const float *x = a + get_group_id(0) * (size_t)cols;
    __global float *y = out + get_group_id(0) * (size_t)cols;
    float sum = 0;
    for (int c = t; c < cols; c += 256)
        sum += x[c];
    float mean = sum_of_group(part, t, sum) / cols;

    float squares = 0;
    for (int c = t; c < cols; c += 256) {
        float apart = x[c] - mean;
        squares = fma(apart, apart, squares);
    }
    float factor = rsqrt(sum_of_group(part, t, squares) / cols + 1e-5f);
    for (int c = t; c < cols; c += 256)
        y[c] = (x[c] - mean) * factor;
}
