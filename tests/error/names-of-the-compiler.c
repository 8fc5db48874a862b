// A function of the user's with a name that the compiler keeps for itself: with wrong types it
// would be the end of the compiler, and some are nothing that kernels can call.
// run: 'i32[8]'
// status: 3
// stderr: names-of-the-compiler.c:15:19: error: 'lw.warp_sum.f32' is a name of the compiler's: call what <lanewise/kernel.h> declares
// stderr: names-of-the-compiler.c:16:12: error: 'lw.nothing' is a name of the compiler's
// stderr: names-of-the-compiler.c:9:38: error: 'lw.mine' is a name of the compiler's: give it another
#include <lanewise/kernel.h>
static int defined(void) __asm__("lw.mine"); static int defined(void) { return 1; }
KERNEL void k(int *o)
{
    extern float sum(int) __asm__("lw.warp_sum.f32");
    extern int nothing(int) __asm__("lw.nothing");
    o[7] = defined();
    o[0] = (int)  sum(3);
    o[1] = nothing(3);
}
