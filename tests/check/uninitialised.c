/* Values that nothing has written. Each kernel is right without -D BAD. */
#include <lanewise/kernel.h>
#define ME ((int)thread_idx.x)

#ifdef BAD
#define SET(x, v)
#define ALL(n) ((n)-1)
#else
#define SET(x, v) ((x) = (v))
#define ALL(n) (n)
#endif

// A scalar that one path leaves without a value, and a branch by it.
// run: -k branch -b 4 i32[4]
// run: -k branch -b 4 -D BAD i32[4]
// finds: uninitialised @b2 @b1
KERNEL void branch(int *out)
{
    int v; /* @b1 */
    SET(v, 0);
    if (ME > 1)
        v = ME;
    if (v > 0) /* @b2 */
        out[ME] = 1;
}

// Declared in a loop, a variable has no value in each iteration.
// run: -k loop -b 4 i32[4]
// run: -k loop -b 4 -D BAD i32[4]
// finds: uninitialised @l2 @l1
KERNEL void loop(int *out)
{
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        int v; /* @l1 */
        SET(v, 1);
        if (i == 0)
            v = 2;
        sum += v;
    }
    out[ME] = sum; /* @l2 */
}

// In a helper.
static float squared(float x, int how)
{
    float y; /* @h1 */
    SET(y, 0);
    if (how)
        y = x * x;
    return y;
}

// run: -k helper -b 4 f32[4] f32[4]=iota
// run: -k helper -b 4 -D BAD f32[4] f32[4]=iota
// finds: uninitialised @h2 @h1
KERNEL void helper(float *out, const float *x)
{
    out[ME] = 1 + sqrtf(squared(x[ME], ME % 2)); /* @h2 */
}

// A private array, by an index that is no constant; as an address.
// run: -k array -b 4 i32[4]
// run: -k array -b 4 -D BAD i32[4]
// finds: uninitialised @a2 @a1
KERNEL void array(int *out)
{
    int at[6]; /* @a1 */
    for (int i = 0; i < ALL(6); i++)
        at[i] = i % 4;
    out[at[ME + 2]] = 1; /* @a2 */
}

// Through a pointer that may be to either of two.
// run: -k pointer -b 4 i32[4]
// run: -k pointer -b 4 -D BAD i32[4]
// finds: uninitialised @p2 @p1
KERNEL void pointer(int *out)
{
    int a[2] = {1, 2}, b[2]; /* @p1 */
    SET(b[1], 5);
    int *from = ME % 2 ? a : b;
    out[ME] = from[1]; /* @p2 */
}

struct pair {
    char first; /* and padding */
    int second;
    unsigned low : 3, high : 9;
};

// A member of a struct that is copied, also through block memory.
// run: -k member -b 4 i32[4]
// run: -k member -b 4 -D BAD i32[4]
// finds: uninitialised @m2 @m1
KERNEL void member(int *out)
{
    SHARED struct pair all[4];
    struct pair p, q; /* @m1 */
    p.first = 'a';
    SET(p.second, ME);
    q = p;
    all[ME] = q;
    barrier();
    q = all[3 - ME];
    out[ME] = q.first + q.second; /* @m2 */
}

// A field of bits: its neighbours do not matter.
// run: -k bits -b 4 i32[4]
// run: -k bits -b 4 -D BAD i32[4]
// finds: uninitialised @f2 @f1
KERNEL void bits(int *out)
{
    struct pair p; /* @f1 */
    p.low = ME;
    SET(p.high, 1);
    if (p.low > 2)
        return;
    out[ME] = p.high; /* @f2 */
}

// Block memory.
// run: -k block -b 64 f32[64]
// run: -k block -b 64 -D BAD f32[64]
// finds: uninitialised @s2 @s1
KERNEL void block(float *out)
{
    SHARED float part[64]; /* @s1 */
    if (ME < ALL(64))
        part[ME] = ME;
    barrier();
    out[ME] = part[63 - ME]; /* @s2 */
}

// run: -k dynamic -b 32 --shared 128 i32[32]
// run: -k dynamic -b 32 --shared 128 -D BAD i32[32]
// finds: uninitialised @d2 @d1
KERNEL void dynamic(int *out)
{
    DYNAMIC_SHARED(int, part); /* @d1 */
    if (ME < ALL(32))
        part[ME] = ME;
    barrier();
    out[ME] = part[ME ^ 1] + 1; /* @d2 */
}

// An atomic counter in block memory that nobody has set to 0.
// run: -k counter -b 32 i32[1]
// run: -k counter -b 32 -D BAD i32[1]
// finds: uninitialised @c2 @c1
KERNEL void counter(int *out)
{
    SHARED int count; /* @c1 */
    if (ME == 0)
        SET(count, 0);
    barrier();
    atomic_add(&count, 1); /* @c2 */
    barrier();
    if (ME == 0)
        *out = count;
}

// A buffer without contents.
// run: -k buffer -b 8 i32[8] i32[8]=iota
// run: -k buffer -b 8 -D BAD i32[8] i32[8]=none
// finds: uninitialised @g2 @g1
KERNEL void buffer(int *out,
                   const int *x) /* @g1 */
{
    out[ME] = x[ME] + 1; /* @g2 */
}

// What the kernel itself writes to it is defined.
// run: -k written -b 8 i32[8]=none
KERNEL void written(int *x)
{
    x[ME] = ME;
    barrier();
    if (x[7 - ME] > 3)
        x[7 - ME]++;
}

// Through a shuffle, a sum and a vote.
// run: -k together -b 32 i32[32]
// run: -k together -b 32 -D BAD i32[32]
// finds: uninitialised @t2 @t1
// finds: uninitialised @t3 @t1
KERNEL void together(int *out)
{
    int v; /* @t1 */
    SET(v, 1);
    if (ME != 5)
        v = 2;
    int next = shuffle_xor(v, 1);
    if (ME != 5)
        out[ME] = next; /* @t2 */
    if (warp_sum(v) < 3) /* @t3 */
        return;
    if (warp_any(v == 2) && ME == 5) /* decided by all the others */
        out[5] = 1;
}

// An operand of a short vector.
// run: -k lanes -b 4 f32[4] f32[16]
// run: -k lanes -b 4 -D BAD f32[4] f32[16]
// finds: uninitialised @v2 @v1
KERNEL void lanes(float *out, float4 *all)
{
    float4 v; /* @v1 */
    v.xy = (float2){1, 2};
    SET(v.z, 3);
    v.w = 4;
    float4 twice = v * 2;
    out[ME] = twice.x + twice.z; /* @v2 */
    all[ME] = twice.xyxy;
}

// None of these is a use: values that are moved, padding, three lanes of four, x ^ x, a product of
// which bits are taken that are known, 16-bit neighbours, a switch by what is set.
// run: -k uses_none -b 4 i32[4] f32[16] u8[64] f16[8]
KERNEL void uses_none(int *out, float3 *threes, struct pair *pairs, _Float16 *halves)
{
    int v, w = 0;
    float3 f;
    struct pair p;
    _Float16 h[2];
    SHARED int moved[4];
    f.x = 1, f.y = 2, f.z = 3;
    threes[ME] = f;
    p.first = 1, p.second = 2, p.low = 3, p.high = 4;
    pairs[ME] = p;
    moved[ME] = v;
    h[1] = 2;
    halves[2 * ME + 1] = h[1];
    int chosen = ME > 5 ? v : 1;
    switch (chosen) {
    case 1: w += v ^ v; break;
    default: w = 1;
    }
    int same = v;
    out[ME] = w + (v & 0) + ((v | 1) & 1) + (v == same) + (v - same);
    if (!ME && (v << 8 & 0xff))
        out[1] = 0;
}

// What is read too early is a race, and that alone.
// run: -k early -b 64 -D BAD i32[64]
// finds: race-shared @r2 @r1
KERNEL void early(int *out)
{
    SHARED int x[64];
    x[ME] = ME; /* @r1 */
    int y = x[ME ^ 32]; /* @r2 */
    out[ME] = y;
}

// run: -k upper_half -b 32 i64[32]
// run: -k upper_half -b 32 -D BAD i64[32]
// finds: uninitialised @hv2 @hv1
KERNEL void upper_half(int64_t *out)
{
    SHARED int64_t pair[32]; /* @hv1 */
    ((int *)&pair[ME])[0] = ME;
#ifndef BAD
    ((int *)&pair[ME])[1] = ME;
#endif
    barrier();
    out[ME] = pair[31 - ME]; /* @hv2 */
}

// run: -k between -b 1 i32[1]
// run: -k between -b 1 -D BAD i32[1]
// finds: uninitialised @bt2 @bt1
KERNEL void between(int *out)
{
    SHARED uint8_t byte[8]; /* @bt1 */
    int v;
    for (int i = 0; i < 8; i++)
#ifdef BAD
        if (i < 4)
#endif
            byte[i] = (uint8_t)i;
    __builtin_memcpy(&v, byte + 2, sizeof v);
    out[0] = v; /* @bt2 */
}

// run: -k one_voice -b 32 i32[1]
// run: -k one_voice -b 32 -D BAD i32[1]
// finds: uninitialised @ov2 @ov1
KERNEL void one_voice(int *out)
{
    int v; /* @ov1 */
    if (ME != 5)
        v = ME;
    uint32_t votes = ballot(v > 7);
#ifdef BAD
    votes >>= 5;
#endif
    if (ME == 0)
        out[0] = votes & 1; /* @ov2 */
}

// run: -k no_lane -b 32 i32[32]
// run: -k no_lane -b 32 -D BAD i32[32]
// finds: uninitialised @nl2 @nl1
KERNEL void no_lane(int *out)
{
    int lane; /* @nl1 */
#ifdef BAD
    if (ME == 99)
#endif
        lane = 31 - ME;
    out[ME] = shuffle(ME, lane); /* @nl2 */
}

// run: -k later_lanes -b 32 i32[1]
// run: -k later_lanes -b 32 -D BAD i32[1]
// finds: uninitialised @ll2 @ll1
KERNEL void later_lanes(int *out)
{
    int v; /* @ll1 */
    if (ME != 3)
        v = ME;
    int before = warp_exclusive_sum(v);
#ifdef BAD
    if (ME == 4)
#else
    if (ME == 3) /* its sum is of the lanes in front of it */
#endif
        out[0] = before; /* @ll2 */
}

/* Of each block the memory is undefined anew, and where it comes from. */
// run: -k many_blocks -b 32 -g 40 i32[1280]
// run: -k many_blocks -b 32 -g 40 -D BAD i32[1280]
// finds: uninitialised @mb2 @mb1
KERNEL void many_blocks(int *out)
{
    SHARED int part[32]; /* @mb1 */
    if (block_idx.x < 20)
        part[ME] = shuffle_down(ME, 1); /* of lane 31 undefined, and not used */
#ifndef BAD
    else
        part[ME] = ME;
#endif
    barrier();
    out[global_idx.x] = block_idx.x < 20 ? 0 : part[ME]; /* @mb2 */
}

// run: -k either -b 32 i32[32] 7
// run: -k either -b 32 i32[32] 3
// finds: uninitialised @ei2 @ei1
KERNEL void either(int *out, int n)
{
    SHARED int part[32];
    int v; /* @ei1 */
    if (n > 99)
        v = 1;
    int *volatile to = n > 5 ? part : out;
    to[ME] = v; /* @ei2 */
}

/* A race elsewhere hides nothing. */
// run: -k beside_race -b 64 i32[64]
// run: -k beside_race -b 64 -D BAD i32[64]
// finds: race-shared @br3 @br2
// finds: uninitialised @br4 @br1
KERNEL void beside_race(int *out)
{
    SHARED int part[64], last; /* @br1 */
    part[ME] = ME; /* @br2 */
#ifndef BAD
    if (ME == 0)
        last = 1;
    barrier();
#endif
    int sum = part[ME ^ 32]; /* @br3 */
    out[ME] = sum ^ last; /* @br4 */
}

// What is printed is a use: a number, each byte of a text.
// run: -k printed -b 2
// run: -k printed -b 2 -D BAD
// finds: uninitialised @pr3 @pr1
// finds: uninitialised @pr4 @pr2
KERNEL void printed(void)
{
    int v;        /* @pr1 */
    char text[3]; /* @pr2 */
    text[0] = 'a';
    text[2] = 0;
    SET(v, 1);
    SET(text[1], 'b');
    printf("%d %.1s", v, text); /* @pr3 */
    if (ME == 1)
        printf("%s", text); /* @pr4 */
}
