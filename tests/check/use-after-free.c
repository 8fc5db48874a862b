/* Accesses to private variables that are no more. Each kernel is right without -D BAD. Buffers that
 * were destroyed are in tests/cli/check-c.sh. */
#include <lanewise/kernel.h>
#define ME ((int)thread_idx.x)

static int *kept(int *own, int value)
{
    int gone[2] = {value, value + 1};
    own[0] = gone[0];
    own[1] = gone[1];
#ifdef BAD
    int *volatile pointer = gone;
    return pointer;
#else
    return own;
#endif
}

// run: -k array -b 2 i32[2]
// run: -k array -b 2 -D BAD i32[2]
// finds: use-after-free @a1
KERNEL void array(int *out)
{
    int own[2];
    int *p = kept(own, ME);
    out[ME] = p[1]; /* @a1 */
}

struct pair {
    int first, *second;
};
static struct pair pair_of(int *own, int value)
{
    int gone = value;
    int *volatile pointer = &gone;
    *own = value;
#ifdef BAD
    own = pointer;
#else
    (void)pointer;
#endif
    return (struct pair){value, own};
}

// run: -k member -b 3 i32[3]
// run: -k member -b 3 -D BAD i32[3]
// finds: use-after-free @m1
KERNEL void member(int *out)
{
    int own;
    struct pair p = pair_of(&own, ME);
    out[ME] = p.first + *p.second; /* @m1 */
}

// run: -k write -b 2 i32[2]
// run: -k write -b 2 -D BAD i32[2]
// finds: use-after-free @w1
KERNEL void write(int *out)
{
    int own[2];
    int *p = kept(own, ME);
    *p = 7; /* @w1 */
    out[ME] = own[1];
}

static void add(const int *from, int *to)
{
    *to += *from; /* @h1 */
}

// run: -k helper -b 2 i32[2]
// run: -k helper -b 2 -D BAD i32[2]
// finds: use-after-free @h1
KERNEL void helper(int *out)
{
    int own[2];
    add(kept(own, ME), &out[ME]);
}

// run: -k loop -b 2 i32[2]
// run: -k loop -b 2 -D BAD i32[2]
// finds: use-after-free @l1
KERNEL void loop(int *out)
{
    int own[2], sum = 0;
    for (int i = 0; i < 3; i++) {
        int *p = kept(own, i);
        sum += p[0]; /* @l1 */
    }
    out[ME] = sum;
}

static int *scalar_of(int *own, int value)
{
    int gone = value, *pointer = own;
    *own = value;
#ifdef BAD
    pointer = &gone;
#endif
    (void)gone;
    return pointer;
}

// run: -k scalar -b 3 i32[3]
// run: -k scalar -b 3 -D BAD i32[3]
// finds: use-after-free @s1
KERNEL void scalar(int *out)
{
    int own;
    out[ME] = *scalar_of(&own, ME); /* @s1 */
}

// run: -k perhaps -b 3 i32[3]
// run: -k perhaps -b 3 -D BAD i32[3]
// finds: use-after-free @pe
KERNEL void perhaps(int *out)
{
    int own, *p = scalar_of(&own, ME);
    if (ME == 1)
        p = out + ME;
    *p = ME; /* @pe */
    out[ME] = ME;
}
