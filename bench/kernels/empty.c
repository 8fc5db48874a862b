/* empty - what a launch costs that does nothing.
 */
#include <lanewise/kernel.h>

KERNEL void empty(float *out)
{
    (void)out;
}
