// run:
// status: 3
// stderr: cli_compile.c:11:23: error:
// stderr: cli_compile.c:12:21: error:
// run: -I none -D first -D second
// status: 2
// stderr: has no KERNEL
#include <lanewise/kernel.h>

#if !defined(first) && !defined(second)
int broken() { return first; }
int also() { return second; }
#endif
