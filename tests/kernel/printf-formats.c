// printf's conversions, for every type of argument.
// run: -b 1 i32[1]=-5
// expect: [block 0,0,0 thread 0,0,0] -5 4294967291 fffffffb 37777777773 -00005 +7
// expect: [block 0,0,0 thread 0,0,0] -9000000000 18446744073709551615 a -3 200 1
// expect: [block 0,0,0 thread 0,0,0] 0.500000 2.50 1e+10 0x1p-1 inf nan -0.25 1.5
// expect: [block 0,0,0 thread 0,0,0] 100% text of a literal |  right|left  |
// expect: [block 0,0,0 thread 0,0,0] joined in parts
// expect: in: i32[1] = [-5]
#include <lanewise/kernel.h>

KERNEL void formats(int *in)
{
    int i = *in;
    printf("%d %u %x %o %06d %+d\n", i, i, i, i, i, i + 12);
    printf("%ld %lu %c %hhd %d %zu\n", i * 1800000000L, ULONG_MAX, 'a', (signed char)(i + 2),
           (unsigned char)200, (size_t)1);
    printf("%f %.2f %g %a %f %f %g %g\n", 0.5f, 2.5, 1e10, 0.5, INFINITY, NAN,
           (float)(_Float16)-0.25f, (float)(__bf16)1.5f);
    printf("100%% %s of a %s |%7s|%-6s|\n", "text", "literal", "right", "left");
    printf("joined");
    printf(" in ");
    printf("parts\n");
}
