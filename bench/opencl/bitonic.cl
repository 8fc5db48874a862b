/* All steps meet in local memory: OpenCL 1.2 has no shuffles. */
__kernel __attribute__((reqd_work_group_size(1024, 1, 1))) void
bitonic_kernel(__global float *out, __global const float *a)
{
    __local float key[1024];
    int t = get_local_id(0);
    float mine = a[get_global_id(0)];
    for (int size = 2; size <= 1024; size *= 2)
        for (int apart = size / 2; apart > 0; apart /= 2) {
            key[t] = mine;
            barrier(CLK_LOCAL_MEM_FENCE);
            float other = key[t ^ apart];
            barrier(CLK_LOCAL_MEM_FENCE);
            bool is_low = (t & apart) == 0, is_up = (t & size) == 0;
            if (is_low == is_up)
                mine = other < mine ? other : mine;
            else
                mine = other > mine ? other : mine;
        }
    out[get_global_id(0)] = mine;
}
