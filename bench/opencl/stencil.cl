__kernel __attribute__((reqd_work_group_size(16, 16, 1))) void
stencil_kernel(int rows, int cols, __global float *out, __global const float *a)
{
    __local float tile[18][18];
    int c = get_global_id(0), r = get_global_id(1);
    int x = get_local_id(0) + 1, y = get_local_id(1) + 1;
    size_t i = (size_t)r * cols + c;
    bool is_inside = r < rows && c < cols;
    if (is_inside) {
        tile[y][x] = a[i];
        if (y == 1 && r > 0)
            tile[0][x] = a[i - cols];
        if (y == 16 && r + 1 < rows)
            tile[17][x] = a[i + cols];
        if (x == 1 && c > 0)
            tile[y][0] = a[i - 1];
        if (x == 16 && c + 1 < cols)
            tile[y][17] = a[i + 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!is_inside)
        return;
    float mine = tile[y][x];
    if (r > 0 && r + 1 < rows && c > 0 && c + 1 < cols)
        mine = 0.5f * mine + 0.125f * ((tile[y - 1][x] + tile[y + 1][x]) +
                                       (tile[y][x - 1] + tile[y][x + 1]));
    out[i] = mine;
}
