// The same of LLVM's intrinsics, of which some end the compiler with wrong types.
// run: 'f32[8]'
// status: 3
// stderr: names-of-intrinsics.c:9:44: error: 'llvm.ctpop.i32' is a name of the compiler's: call a builtin
// stderr: names-of-intrinsics.c:10:45: error: 'llvm.sqrt.f32' is a name of the compiler's
#include <lanewise/kernel.h>
KERNEL void k(float *o)
{
    extern int count(int)         __asm__("llvm.ctpop.i32");
    extern float root(int)         __asm__("llvm.sqrt.f32");
    o[0] = root(3) + count(5);
}
