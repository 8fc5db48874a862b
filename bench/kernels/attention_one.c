/* attention_one - attention of one query to rows keys of 128 numbers: the mean of the rows of b,
 * weighted by the softmax of their keys' products with the query. a has the keys; the first is the
 * query too. rows is a multiple of 128.
 *     out[c] = sum_r softmax_r(a[0] . a[r] / sqrt(128)) b[r][c]
 * One block reads both once, 128 keys at a time: a warp a key for the products, then a thread a
 * column for the mean. What was summed is scaled anew when a larger product comes.
 * source   Milakov and Gimelshein, "Online normalizer calculation for softmax", arXiv:1805.02867;
 *          Dao et al., "FlashAttention", arXiv:2205.14135
 */
#include <lanewise/kernel.h>

enum { SIZE = 128, PARTS = SIZE / WARP_SIZE };

/* 1 / sqrt(128) */
static const float scale = 0x1.6a09e6p-4f;

KERNEL BLOCK(SIZE) void attention_one(int rows, float out[SIZE], const float a[rows][SIZE],
                                      const float b[rows][SIZE])
{
    SHARED float weight[SIZE];
    int t = thread_idx.x, lane = lane_id();
    float query[PARTS];
    for (int i = 0; i < PARTS; i++)
        query[i] = a[0][lane + i * WARP_SIZE] * scale;

    float top = -INFINITY, sum = 0, mean = 0;
    for (int first = 0; first < rows; first += SIZE) {
        for (int k = warp_id(); k < SIZE; k += PARTS) {
            float product = 0;
            for (int i = 0; i < PARTS; i++)
                product = fma(query[i], a[first + k][lane + i * WARP_SIZE], product);
            product = warp_sum(product);
            if (lane == 0)
                weight[k] = product;
        }
        barrier();
        float mine = weight[t];
        float new_top = fmax(top, block_max(mine));
        float shrink = exp(top - new_top);
        weight[t] = mine = exp(mine - new_top);
        barrier();
        top = new_top;
        sum = fma(sum, shrink, mine);
        mean *= shrink;
        for (int k = 0; k < SIZE; k++)
            mean = fma(weight[k], b[first + k][t], mean);
        barrier();
    }
    out[t] = mean / block_sum(sum);
}
