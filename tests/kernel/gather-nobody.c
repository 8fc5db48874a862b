// Pieces of a block of which nobody comes to a loop that reads memory: they have no addresses, and
// a gather of such was an instruction that does not exist. Found by random kernels, seed 401002586.
// run: -k kernel0 -b 33 --quiet 1 1 i32[64]=const:7 u16[64]=const:5 f32[64]=const:1 f64[64]=const:1 u16[99] f32[33] u16[8] f32[8]
#include <lanewise/kernel.h>

#define THREAD (warp_id() * WARP_SIZE + lane_id())

#undef BLOCK_NUMBER
#undef ME
#define BLOCK_NUMBER ((block_idx.z * 1 + block_idx.y) * 1 + block_idx.x)
#define ME (BLOCK_NUMBER * 33 + THREAD)

KERNEL void kernel0(
    float v0,
    float v1,
    const int *in_i32,
    const uint16_t *in_u16,
    const float *in_f32,
    const double *in_f64,
    uint16_t *out_u16,
    float *out_f32,
    uint16_t *cells_u16,
    float *cells_f32)
{
    SHARED int s2[33];
    s2[THREAD] = (((lane_id()))) >> (((uint8_t)((int)(v1))) & 31);
    uint16_t v8 = (float)((int)(v1));
    float2 q9 = {((int)(in_u16[((uint32_t)0u) & 63])) ? ((float)((thread_idx.x))) : ((0x0p+0f)),
                 (0x0p+0f)};
    if ((((THREAD))) & (((30)))) {
        return;
    }
    atomic_max(&cells_f32[2], (0x1p+0f));
    if ((float)((lane_id()))) {
        uint16_t v10 = warp_min((in_f64[((THREAD)) & 63]));
        out_u16[ME * 3 + 0] = (uint16_t)0u;
    }
    out_u16[ME * 3 + 1] = (uint16_t)0u;
    atomic_sub(&cells_u16[0], (uint16_t)(ctz((int)(in_u16[((THREAD)) & 63]))));
    int i13 = 0; 
    do {
    } while (++i13 < (int)((in_i32[((uint32_t)1u) & 63]) & 3) && ((int)(in_f32[((THREAD)) & 63])));
    out_u16[ME * 3 + 2] = v8;
    out_f32[ME * 1 + 0] = q9.x;
}
