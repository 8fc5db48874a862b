__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
attention_kernel(int rows, __global float *out, __global const float *a, __global const float *b,
                 __global const float *x)
{
    __local float key[32][64], value[32][64];
    int t = get_local_id(0);
    size_t matrix = (size_t)get_global_id(1) * rows, mine = matrix + get_global_id(0);
    float query[64], mean[64], weight[32];
    for (int c = 0; c < 64; c++) {
        query[c] = a[mine * 64 + c] * 0.125f;
        mean[c] = 0;
    }
    float top = -INFINITY, sum = 0;
    for (size_t first = matrix; first < matrix + rows; first += 32) {
        for (int k = 0; k < 32; k++) {
            key[k][t] = b[(first + k) * 64 + t];
            value[k][t] = x[(first + k) * 64 + t];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        float new_top = top;
        for (int k = 0; k < 32; k++) {
            float product = 0;
            for (int c = 0; c < 64; c++)
                product = fma(query[c], key[k][c], product);
            weight[k] = product;
            new_top = fmax(new_top, product);
        }
        float shrink = exp(top - new_top);
        top = new_top;
        sum *= shrink;
        for (int k = 0; k < 32; k++) {
            weight[k] = exp(weight[k] - top);
            sum += weight[k];
        }
        for (int c = 0; c < 64; c++) {
            mean[c] *= shrink;
            for (int k = 0; k < 32; k++)
                mean[c] = fma(weight[k], value[k][c], mean[c]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int c = 0; c < 64; c++)
        out[mine * 64 + c] = mean[c] / sum;
}
