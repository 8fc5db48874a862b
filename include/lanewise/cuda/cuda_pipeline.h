/* cuda_pipeline.h - asynchronous copies to shared memory. A copy is made at once, so that what
 * waits for it has nothing to do.
 */
#ifndef LANEWISE_CUDA_CUDA_PIPELINE_H
#define LANEWISE_CUDA_CUDA_PIPELINE_H

#include "cuda_runtime.h"

/* What `zeros` of the last bytes leave out is cleared. */
LW_DEVICE void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0)
{
    const size_t copied = bytes - zeros;
    if (copied == 4 && zeros == 0) {
        *(unsigned *)to = *(const unsigned *)from;
    } else if (copied == 8 && zeros == 0) {
        *(uint2 *)to = *(const uint2 *)from;
    } else if (copied == 16 && zeros == 0) {
        *(uint4 *)to = *(const uint4 *)from;
    } else {
        for (size_t i = 0; i < bytes; i++)
            ((char *)to)[i] = i < copied ? ((const char *)from)[i] : 0;
    }
}
LW_DEVICE void __pipeline_commit() {}
LW_DEVICE void __pipeline_wait_prior(size_t) {}

#endif
