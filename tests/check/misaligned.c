/* Addresses that the type of the access does not allow. */
#include <lanewise/kernel.h>
#define ME ((int)thread_idx.x)

#ifdef BAD
#define OFF 1
#else
#define OFF 0
#endif

// run: -k words -b 4 u8[64]
// run: -k words -b 4 -D BAD u8[64]
// finds: misaligned @w1
KERNEL void words(uint8_t *x)
{
    ((int *)(x + OFF))[ME] = ME; /* @w1 */
}

// run: -k doubles -b 4 f32[16] f64[4]
// run: -k doubles -b 4 -D BAD f32[16] f64[4]
// finds: misaligned @d1
KERNEL void doubles(float *x, double *out)
{
    out[ME] = ((double *)(x + OFF))[ME]; /* @d1 */
}

// run: -k vectors -b 2 f32[16]
// run: -k vectors -b 2 -D BAD f32[16]
// finds: misaligned @v1
KERNEL void vectors(float *x)
{
    ((float4 *)(x + OFF))[ME] = (float4){1, 2, 3, 4}; /* @v1 */
}

// run: -k halves -b 4 u8[64]
// run: -k halves -b 4 -D BAD u8[64]
// finds: misaligned @h1
KERNEL void halves(uint8_t *x)
{
    ((_Float16 *)(x + OFF))[ME] = 1; /* @h1 */
}

// run: -k shared -b 4 i32[4]
// run: -k shared -b 4 -D BAD i32[4]
// finds: misaligned @s1
KERNEL void shared(int *out)
{
    SHARED char x[64];
    *(int *)(x + 4 * ME + OFF) = ME; /* @s1 */
    out[ME] = 0;
}

// Of a float3 in block memory the fourth lane has no value that a store could be compared by.
// run: -k threes -b 8 f32[32]=iota f32[8]
KERNEL void threes(const float4 *x, float *out)
{
    SHARED volatile float3 turned[8];
    turned[ME] = x[ME].xyz;
    barrier();
    out[ME] = turned[7 - ME].z;
}
