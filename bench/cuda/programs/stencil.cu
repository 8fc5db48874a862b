/* stencil.cu - seven points in three dimensions: a thread goes through the planes. */

__global__ void stencil(const float *__restrict__ from, float *__restrict__ to, int nx, int ny,
                        int nz, float middle, float around)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= nx - 1 || y >= ny - 1)
        return;
    int plane = nx * ny, at = y * nx + x;
    float below = from[at], here = from[at + plane];
    for (int z = 1; z < nz - 1; z++) {
        at += plane;
        float above = from[at + plane];
        to[at] = middle * here + around * (from[at - 1] + from[at + 1] + from[at - nx] +
                                           from[at + nx] + below + above);
        below = here;
        here = above;
    }
}
