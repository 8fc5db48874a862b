/* Each thread reads one element and writes one.
 *
 * No thread looks at what another does, so it makes no difference in which order they run. That is
 * why a GPU may run them all at once. The `f` of 1.8f makes it a float: 1.8 alone is a double in
 * C, and the product would be computed as one.
 */
#include <lanewise/kernel.h>

KERNEL void convert(float *fahrenheit, const float *celsius)
{
    int i = thread_idx.x;
    fahrenheit[i] = 1.8f * celsius[i] + 32;
}
