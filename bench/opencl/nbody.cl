__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
nbody_kernel(int cols, __global float *out, __global const float *a)
{
    __local float x[256], y[256], z[256], mass[256];
    int t = get_local_id(0);
    size_t i = get_global_id(0);
    float my_x = a[i], my_y = a[cols + i], my_z = a[2 * cols + i];
    float sum_x = 0, sum_y = 0, sum_z = 0;
    for (int first = 0; first < cols; first += 256) {
        x[t] = a[first + t];
        y[t] = a[cols + first + t];
        z[t] = a[2 * cols + first + t];
        mass[t] = a[3 * cols + first + t];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 256; k++) {
            float dx = x[k] - my_x, dy = y[k] - my_y, dz = z[k] - my_z;
            float inverse = rsqrt(fma(dx, dx, fma(dy, dy, fma(dz, dz, 1e-3f))));
            float pull = mass[k] * inverse * (inverse * inverse);
            sum_x = fma(dx, pull, sum_x);
            sum_y = fma(dy, pull, sum_y);
            sum_z = fma(dz, pull, sum_z);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = sum_x / cols;
    out[cols + i] = sum_y / cols;
    out[2 * cols + i] = sum_z / cols;
}
