// Functions of numbers say which types they do not take.
// run: -b 1 'f32[12]' i32[1]
// status: 3
// stderr: maths-types.c:19:12: error: this function takes no 'float *'
// stderr: maths-types.c:20:12: error: invalid argument type 'char *' to unary expression
// stderr: maths-types.c:21:12: error: this function takes no 'float'
// stderr: maths-types.c:22:24: error: this function takes no 'float'
// stderr: maths-types.c:23:18: error: floating point classification requires argument of floating point type (passed in 'int')
// stderr: maths-types.c:24:24: error: passing 'float' to parameter of incompatible type 'int *'
// stderr: maths-types.c:25:12: error: invalid operands to binary expression ('float' and 'int *')
// stderr: maths-types.c:26:22: error: too few arguments provided to function-like macro invocation
// stderr: maths-types.c:27:22: error: this function takes no 'bool'
// stderr: maths-types.c:28:17: error: passing 'float *' to parameter of incompatible type 'double'
// stderr: maths-types.c:29:13: error: invalid operands to binary expression ('struct pair' and 'int')
#include <lanewise/kernel.h>
struct pair { int a, b; };
KERNEL void k(float *o, int *p)
{
    o[0] = min(o, 1);
    o[1] = abs("x");
    o[2] = mulhi(1.5f, 2);
    o[3] = rotate_left(1.5f, 2);
    o[4] = isnan(p[0]);
    o[5] = frexp(1.0f, 2.0f);
    o[6] = remainder(o[0], p);
    o[7] = clamp(1, 2);
    o[8] = byte_swap((bool)p[0]);
    o[9] = logb(o);
    o[10] = max((struct pair){0}, 1);
}
