/* common.h - where a thread is, for blocks of any shape.
 */
#include <lanewise/kernel.h>

#define THREADS (block_dim.x * block_dim.y * block_dim.z)
/* In the block; in the grid, which has one dimension. */
#define ME ((thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x)
#define I (block_idx.x * THREADS + ME)
