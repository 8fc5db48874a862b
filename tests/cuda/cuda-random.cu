// Philox and MRG32k3a against known answers; skipping is the same as drawing; moments of what the
// distributions give.
// run: -k philox -g 1 -b 1 'i32[1]=0'
// expect: wrong: i32[1] = [0]
// run: -k moments -g 1 -b 1 'i32[1]=0'
// expect: wrong: i32[1] = [0]
#include <curand_kernel.h>

#define CHECK(condition) *wrong += (condition) ? 0 : 1

__device__ bool is(uint4 v, unsigned x, unsigned y, unsigned z, unsigned w)
{
    return v.x == x && v.y == y && v.z == z && v.w == w;
}

__global__ void philox(int *wrong)
{
    curandStatePhilox4_32_10_t s, t;
    curand_init(0, 0, 0, &s);
    CHECK(is(curand4(&s), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
    curand_init(1, 2, 0, &s);
    for (int i = 0; i < 7; i++)
        curand(&s);
    curand_init(1, 2, 7, &t);
    CHECK(curand(&s) == curand(&t));
    const uint4 four = curand4(&s);
    const unsigned x = curand(&t), y = curand(&t), z = curand(&t), w = curand(&t);
    CHECK(is(four, x, y, z, w));
    skipahead(5, &s);
    for (int i = 0; i < 5; i++)
        curand(&t);
    CHECK(curand(&s) == curand(&t));
    /* L'Ecuyer's first numbers, of seeds that are all 12345. */
    curandStateMRG32k3a_t m = {{12345, 12345, 12345}, {12345, 12345, 12345}};
    CHECK(fabs(curand(&m) / 4294967088.0 - 0.127011122046577) < 1e-14);
    CHECK(fabs(curand(&m) / 4294967088.0 - 0.3185275653967945) < 1e-14);
    skipahead_sequence(3, &s);
    curand_init(1, 5, 18, &t);
    CHECK(curand(&s) == curand(&t));
}

__global__ void moments(int *wrong)
{
    const int draws = 2000;
    curandState s;
    curandStatePhilox4_32_10_t t;
    curand_init(5, 0, 0, &s);
    curand_init(5, 1, 0, &t);
    double sum = 0, square = 0, few = 0, many = 0, uniform = 0;
    for (int i = 0; i < draws; i++) {
        const double v = curand_normal(&s), w = curand_normal_double(&t);
        sum += v + w, square += v * v + w * w;
        few += curand_poisson(&s, 3), many += curand_poisson(&t, 50);
        const float a = curand_uniform(&s);
        uniform += a + curand_uniform_double(&t);
        CHECK(a > 0 && a <= 1);
    }
    CHECK(fabs(sum / draws) < 0.1 && fabs(square / draws - 2) < 0.2);
    CHECK(fabs(few / draws - 3) < 0.2 && fabs(many / draws - 50) < 1);
    CHECK(fabs(uniform / draws - 1) < 0.05);
}
