// DYNAMIC_SHARED: sized at launch, every name begins at the same byte, beside SHARED and each block
// with its own; at least 96 KiB. A launch without a size for it is an error.
// run: -k sizes --shared 256 -b 64 -g 3 i32[3]
// expect: out: i32[3] = [2016, 2080, 2144]
// run: -k same_start --shared 16 -b 1 i32[3]
// expect: out: i32[3] = [0, 1065353216, 1]
// run: -k same_start -b 1 i32[3]
// status: 2
// stderr: same_start: it uses DYNAMIC_SHARED memory and the launch gives it 0 bytes
// stderr: --shared
// run: -k unused -b 1 i32[1]
// expect: out: i32[1] = [7]
// run: -k all --shared 98304 -b 256 i32[1]
// expect: out: i32[1] = [24576]
// run: -k all --shared 1000000000 -b 256 i32[1]
// status: 4
// stderr: 1000000000
#include <lanewise/kernel.h>

DYNAMIC_SHARED(int, file_scope);

static int reversed(const int *from)
{
    return from[63 - thread_idx.x];
}

KERNEL void sizes(int *out)
{
    DYNAMIC_SHARED(int, numbers);
    SHARED int fixed[64];
    fixed[thread_idx.x] = 0;
    numbers[thread_idx.x] = thread_idx.x + block_idx.x;
    barrier();
    assert(fixed[63 - thread_idx.x] == 0);
    int sum = block_sum(reversed(numbers));
    if (thread_idx.x == 0)
        out[block_idx.x] = sum;
}

KERNEL void same_start(int *out)
{
    DYNAMIC_SHARED(float, floats);
    DYNAMIC_SHARED(double, doubles);
    DYNAMIC_SHARED(unsigned char, bytes);
    floats[0] = 1.0f;
    out[0] = bytes[0];
    out[1] = file_scope[0];
    out[2] = (void *)floats == (void *)doubles && (void *)bytes == (void *)file_scope;
}

KERNEL void all(int *out)
{
    for (int i = thread_idx.x; i < 24576; i += 256)
        file_scope[i] = i * 3;
    barrier();
    int right = 0;
    for (int i = 24575 - thread_idx.x; i >= 0; i -= 256)
        right += file_scope[i] == i * 3;
    right = block_sum(right);
    if (thread_idx.x == 0)
        *out = right;
}

/* A name that is declared and not used asks for no memory. */
KERNEL void unused(int *out)
{
    DYNAMIC_SHARED(float, floats);
    (void)floats;
    *out = 7;
}
