/* One dot product in nine steps, from a plain loop to a sum by the block.
 *
 * The types of the two vectors and of the sum are chosen when the kernel is built (-D TA=int8_t
 * ...): mixed vectors are multiplied as they are, converted one element at a time in registers.
 */
#include <lanewise/kernel.h>

#ifndef TA
#define TA float
#endif
#ifndef TB
#define TB float
#endif
#ifndef ACC
#define ACC float
#endif
#define THREADS 256 /* of a block, where block memory is declared for them */

/* Step 1. The loop that everybody writes first. The sum has the type of the elements: of int8_t it
 * wraps beyond 127, and 1*1 + 2*2 + ... + 8*8 comes out as -52. This step stays as it is. */
KERNEL void naive_loop(ACC *out, const TA *a, const TB *b, int n)
{
    TA sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    *out = sum;
}

/* Step 2. The sum has a type that holds it: 204. */
KERNEL void right_accumulator(ACC *out, const TA *a, const TB *b, int n)
{
    *out = 0; /* YOUR TURN: step 1 with the right type for the sum and for the product. */
}

/* Step 3. The same as one line, a reduction by the operator you name: each thread brings one
 * product, so a block of n threads is needed and n is at most 1024. */
KERNEL void one_line(ACC *out, const TA *a, const TB *b)
{
    ACC sum = 0; /* YOUR TURN: BLOCK_REDUCE(value, identity, x, y, operator on x and y). */
    if (thread_idx.x == 0)
        *out = sum;
}

/* Step 4. Any launch, any n, and right: one thread of all works, the others go home. */
KERNEL void one_thread(ACC *out, const TA *a, const TB *b, int n)
{
    if (global_idx.x != 0)
        return;
    *out = 0; /* YOUR TURN: the loop of step 2. */
}

/* Step 5. All threads of one block work: thread i takes elements i, i + 256, i + 512 ... so that
 * neighbours read neighbours. They meet in one place, so they add atomically. */
KERNEL void one_block(ACC *out, const TA *a, const TB *b, int n)
{
    ACC sum = 0;
    /* YOUR TURN: the strided loop. */
    atomic_add(out, sum);
}

/* What one thread of the whole grid adds up. */
static ACC my_part(const TA *a, const TB *b, int n)
{
    ACC sum = 0;
    /* YOUR TURN: step 5's loop, with the stride of all threads of all blocks. */
    return sum;
}

/* Step 6. The stride is the whole grid; as many atomics as threads. */
KERNEL void many_blocks(ACC *out, const TA *a, const TB *b, int n)
{
    atomic_add(out, my_part(a, b, n));
}

/* Step 7. The threads of a block collect in block memory; one adds for all: an atomic a block. */
KERNEL BLOCK(THREADS) void shared_then_atomic(ACC *out, const TA *a, const TB *b, int n)
{
    SHARED ACC part[THREADS];
    part[thread_idx.x] = my_part(a, b, n);
    barrier();
    if (thread_idx.x != 0)
        return;
    ACC sum = 0;
    /* YOUR TURN: add up part[]. */
    atomic_add(out, sum);
}

/* Step 8. Nobody waits for one thread to add 256 values: a tree takes 8 rounds. */
KERNEL BLOCK(THREADS) void shared_tree(ACC *out, const TA *a, const TB *b, int n)
{
    SHARED ACC part[THREADS];
    int i = thread_idx.x;
    part[i] = my_part(a, b, n);
    barrier();
    /* YOUR TURN: the tree of puzzle dot, for 256 threads. */
    if (i == 0)
        atomic_add(out, part[0]);
}

/* Step 9. The tree is in the language, for any block size. */
KERNEL void block_sums(ACC *out, const TA *a, const TB *b, int n)
{
    ACC sum = my_part(a, b, n); /* YOUR TURN: of the whole block. */
    if (thread_idx.x == 0)
        atomic_add(out, sum);
}
