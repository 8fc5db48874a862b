__kernel __attribute__((reqd_work_group_size(32, 8, 1))) void
transpose_kernel(int rows, int cols, __global float *out, __global const float *a)
{
    __local float tile[32][33];
    int x = get_local_id(0), y = get_local_id(1);
    int r = get_group_id(1) * 32, c = get_group_id(0) * 32;
    for (int k = 0; k < 32; k += 8)
        if (r + y + k < rows && c + x < cols)
            tile[y + k][x] = a[(size_t)(r + y + k) * cols + c + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 32; k += 8)
        if (c + y + k < cols && r + x < rows)
            out[(size_t)(c + y + k) * rows + r + x] = tile[x][y + k];
}
