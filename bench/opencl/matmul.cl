__kernel __attribute__((reqd_work_group_size(16, 16, 1))) void
matmul_kernel(int rows, __global float *out, __global const float *a, __global const float *b)
{
    __local float left[16][16], right[16][16];
    int x = get_local_id(0), y = get_local_id(1);
    size_t r = get_global_id(1), c = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < rows; k += 16) {
        left[y][x] = a[r * rows + k + x];
        right[y][x] = b[(size_t)(k + y) * rows + c];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 16; i++)
            sum = fma(left[y][i], right[i][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[r * rows + c] = sum;
}
