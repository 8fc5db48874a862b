// Atomic functions of all types: the values they leave and the old ones they return.
// run: -k counts -g 4 -b 64 'i32[10]' 'f32[2]' 'f64[1]' 'u64[3]'
// expect: ints: i32[10] = [256, 6, 254, -255, 0, 85, 0, 255, 256, 256]
// expect: floats: f32[2] = [128.0, 0.0]
// expect: doubles: f64[1] = [64.0]
// expect: longs: u64[3] = [256, 1099511627775, 1099511627776]
__global__ void counts(int *ints, float *floats, double *doubles, unsigned long long *longs)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&ints[0], 1);
    atomicInc((unsigned *)&ints[1], 9); /* counts 0 to 9: 256 steps leave 6 */
    atomicMax(&ints[2], i - 1);
    atomicMin(&ints[3], -i);
    atomicSub(&ints[4], 0);
    atomicOr(&ints[5], i & 85);
    atomicXor(&ints[6], i);
    atomicMax_block(&ints[7], i);
    for (int seen = 0, old; (old = atomicCAS(&ints[8], seen, seen + 1)) != seen;)
        seen = old;
    atomicAdd_system(&ints[9], 1);
    atomicAdd(&floats[0], 0.5f);
    atomicExch(&floats[1], 0.0f);
    atomicAdd(doubles, 0.25);
    atomicAdd(&longs[0], 1ull);
    atomicMax(&longs[1], (1ull << 40) - 1 - i);
    atomicCAS(&longs[2], 0ull, 1ull << 40);
}
