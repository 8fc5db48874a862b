/* spmv.cu - a sparse matrix (CSR) by a vector: a warp has a row. */

__global__ void spmv(int rows, const int *__restrict__ begin, const int *__restrict__ column,
                     const float *__restrict__ value, const float *__restrict__ x,
                     float *__restrict__ y)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = begin[row] + lane; i < begin[row + 1]; i += 32)
        sum += value[i] * x[column[i]];
    for (int by = 16; by > 0; by /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, by);
    if (lane == 0)
        y[row] = sum;
}
