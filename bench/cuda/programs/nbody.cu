/* nbody.cu - what all bodies do to each: they come through shared memory by tiles. */
#define BLOCK 256

__global__ void nbody(const float4 *__restrict__ bodies, float4 *__restrict__ pull, int n,
                      float softening)
{
    __shared__ float4 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float4 me = bodies[i];
    float x = 0, y = 0, z = 0;
    for (int from = 0; from < n; from += BLOCK) {
        tile[threadIdx.x] = bodies[from + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < BLOCK; j++) {
            float4 other = tile[j];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
            float by = other.w * inverse * inverse * inverse;
            x += dx * by;
            y += dy * by;
            z += dz * by;
        }
        __syncthreads();
    }
    pull[i] = make_float4(x, y, z, 0.0f);
}
