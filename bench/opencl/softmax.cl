__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
softmax_kernel(int rows, int cols, __global float *out, __global const float *a)
{
    __local float part[256];
    int t = get_local_id(0);
    __global const float *x = a + get_group_id(0) * (size_t)cols;
    __global float *y = out + get_group_id(0) * (size_t)cols;
    float top = -INFINITY;
    for (int c = t; c < cols; c += 256)
        top = fmax(top, x[c]);
    part[t] = top;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = 128; half_size > 0; half_size /= 2) {
        if (t < half_size)
            part[t] = fmax(part[t], part[t + half_size]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    top = part[0];
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0;
    for (int c = t; c < cols; c += 256) {
        float e = exp(x[c] - top);
        y[c] = e;
        sum += e;
    }
    part[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = 128; half_size > 0; half_size /= 2) {
        if (t < half_size)
            part[t] += part[t + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float factor = 1 / part[0];
    for (int c = t; c < cols; c += 256)
        y[c] *= factor;
}
