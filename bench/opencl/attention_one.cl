/* The products are a thread a key: OpenCL 1.2 has no sum over a warp. */
static float over_group(__local float *part, int t, float mine, bool is_sum)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    part[t] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = 64; half_size > 0; half_size /= 2) {
        if (t < half_size)
            part[t] = is_sum ? part[t] + part[t + half_size] : fmax(part[t], part[t + half_size]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return part[0];
}

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void
attention_one_kernel(int rows, __global float *out, __global const float *a,
                     __global const float *b)
{
    __local float part[128], weight[128], query[128];
    int t = get_local_id(0);
    float top = -INFINITY, sum = 0, mean = 0;
    query[t] = a[t] * 0x1.6a09e6p-4f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int first = 0; first < rows; first += 128) {
        float mine = 0;
        for (int c = 0; c < 128; c++)
            mine = fma(query[c], a[(size_t)(first + t) * 128 + c], mine);
        float new_top = fmax(top, over_group(part, t, mine, false));
        float shrink = exp(top - new_top);
        weight[t] = mine = exp(mine - new_top);
        barrier(CLK_LOCAL_MEM_FENCE);
        top = new_top;
        sum = fma(sum, shrink, mine);
        mean *= shrink;
        for (int k = 0; k < 128; k++)
            mean = fma(weight[k], b[(size_t)(first + k) * 128 + t], mean);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[t] = mean / over_group(part, t, sum, true);
}
