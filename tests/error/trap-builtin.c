// run: i32[1]
// status: 3
// stderr: trap-builtin.c:8:5: error: builtin 'trap' is not in the kernel language
// stderr: trap-builtin.c:9:5: error: builtin 'debugtrap' is not in the kernel language
#include <lanewise/kernel.h>
KERNEL void k(int *out)
{
    __builtin_trap();
    __builtin_debugtrap();
}
