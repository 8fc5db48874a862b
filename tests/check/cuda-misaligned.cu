// Vectors of CUDA at addresses that are no multiple of their alignment: an error on a GPU.
#ifdef BAD
#define OFF 1
#else
#define OFF 0
#endif

// run: -k reads -b 4 'f32[20]=iota' 'f32[4]'
// run: -k reads -b 4 -D BAD 'f32[20]=iota' 'f32[4]'
// finds: misaligned @r1
__global__ void reads(const float *in, float *out)
{
    float4 v = reinterpret_cast<const float4 *>(in + OFF)[threadIdx.x]; /* @r1 */
    out[threadIdx.x] = v.x + v.w;
}

// run: -k writes -b 4 'f32[12]'
// run: -k writes -b 4 -D BAD 'f32[12]'
// finds: misaligned @w1
__global__ void writes(float *out)
{
    const float2 v = {1, 2};
    reinterpret_cast<float2 *>(out + OFF)[threadIdx.x] = v; /* @w1 */
}

// run: -k members -b 4 'u8[24]'
// run: -k members -b 4 -D BAD 'u8[24]'
// finds: misaligned @m1
__global__ void members(unsigned char *out)
{
    reinterpret_cast<uchar4 *>(out + OFF)[threadIdx.x].x = 1; /* @m1 */
}

// run: -k shared -b 4 'f32[4]'
// run: -k shared -b 4 -D BAD 'f32[4]'
// finds: misaligned @s1
__global__ void shared(float *out)
{
    __shared__ float4 own[5];
    float4 *at = (float4 *)((float *)own + OFF);
    at[threadIdx.x] = make_float4(1, 2, 3, 4); /* @s1 */
    out[threadIdx.x] = 1;
}

// Three elements have the alignment of one, and memcpy takes any address.
// run: -k threes -b 4 'f32[20]=iota' 'f32[4]'
__global__ void threes(const float *in, float *out)
{
    float3 v = reinterpret_cast<const float3 *>(in + 1)[threadIdx.x];
    float4 w;
    memcpy(&w, in + 1 + threadIdx.x, sizeof w);
    out[threadIdx.x] = v.x + w.y;
}
