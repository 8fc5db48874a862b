__kernel __attribute__((reqd_work_group_size(16, 16, 1))) void
matmul_4x4_kernel(int rows, __global float *out, __global const float *a, __global const float *b)
{
    __local float left[64][16], right[16][64];
    int x = get_local_id(0), y = get_local_id(1);
    size_t r = get_group_id(1) * 64, c = get_group_id(0) * 64;
    float sum[4][4] = {{0}};
    for (int k = 0; k < rows; k += 16) {
        for (int i = 0; i < 4; i++) {
            left[y + i * 16][x] = a[(r + y + i * 16) * rows + k + x];
            right[y][x + i * 16] = b[(size_t)(k + y) * rows + c + x + i * 16];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int m = 0; m < 16; m++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] = fma(left[y * 4 + i][m], right[m][x + j * 16], sum[i][j]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            out[(r + y * 4 + i) * rows + c + x + j * 16] = sum[i][j];
}
