__kernel void average_kernel(__global float *out, __global const float *a, int n)
{
    size_t i = get_global_id(0);
    if (i + 2 < (size_t)n)
        out[i] = (a[i] + a[i + 1] + a[i + 2]) / 3;
}
