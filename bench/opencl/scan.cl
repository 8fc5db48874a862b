/* Kogge and Stone's scan, the buffer doubled so that one barrier a step is enough. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
scan_kernel(__global float *out, __global const float *a, int n)
{
    __local float part[2][256];
    int t = get_local_id(0), side = 0;
    size_t i = get_global_id(0);
    part[0][t] = i < (size_t)n ? a[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int distance = 1; distance < 256; distance *= 2) {
        float sum = part[side][t];
        if (t >= distance)
            sum += part[side][t - distance];
        side = 1 - side;
        part[side][t] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < (size_t)n)
        out[i] = part[side][t];
}
