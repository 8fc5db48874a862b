// Builtins that devices have in their own ways, or not at all, are refused by name and place.
// run: -k k 'f32[8]'
// status: 3
// stderr: builtins-that-differ.c:19:12: error: 'tgammaf' has no body
// stderr: builtins-that-differ.c:20:12: error: builtin 'readcyclecounter' is not in the kernel language: what it gives would differ between devices
// stderr: builtins-that-differ.c:21:5: error: builtin 'clear_cache' is not in the kernel language
// stderr: builtins-that-differ.c:22:19: error: builtin 'fma.f16' is not in the kernel language
// stderr: builtins-that-differ.c:23:12: error: 'lgammaf' has no body
// stderr: builtins-that-differ.c:24:5: error: builtin 'eh.unwind.init' is not in the kernel language
// stderr: builtins-that-differ.c:25:19: error: builtin 'trap' is not in the kernel language
// stderr: builtins-that-differ.c:31:21: error: '#pragma STDC FENV_ACCESS ON' is not in the kernel language: numbers are rounded to nearest, and nothing traps
#include <lanewise/kernel.h>
struct pair {
    int a, b;
};
KERNEL void k(float *o)
{
    float x = o[0];
    o[0] = __builtin_tgammaf(x);
    o[2] = __builtin_readcyclecounter() > 9;
    __builtin___clear_cache((char *)o, (char *)o + 4);
    o[3] = (float)__builtin_fmaf16((_Float16)x, (_Float16)2, (_Float16)1);
    o[4] = __builtin_lgammaf(x);
    __builtin_unwind_init();
    if (x > 1000) __builtin_verbose_trap("a", "b");
}

#pragma STDC FENV_ACCESS ON
KERNEL void rounded(float *o)
{
    o[thread_idx.x] += 1.1f;
}
