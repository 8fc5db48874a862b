// run: 'u8[8]'
// status: 3
// stderr: kernel-large-parameters.c:9:
// stderr: the parameters of kernel 'k' take 4104 bytes, at most 4096 are possible
#include <lanewise/kernel.h>
struct large {
    char bytes[4090];
};
KERNEL void k(struct large s, double x)
{
}
