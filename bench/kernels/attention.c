/* attention - of queries a to keys b with values x, each matrix of rows x 64 on its own; a thread a
 * query. rows is a multiple of 64.
 *     out[q][c] = sum_r softmax_r(a[q] . b[r] / 8) x[r][c]
 * A block brings 32 keys and their values into its memory at a time. What was summed is scaled anew
 * when a larger product comes.
 * source   Milakov and Gimelshein, "Online normalizer calculation for softmax", arXiv:1805.02867;
 *          Dao et al., "FlashAttention", arXiv:2205.14135
 */
#include <lanewise/kernel.h>

/* Keys, and then columns, that go abreast: their sums do not wait for each other, and what they
 * share is loaded once. */
enum { SIZE = 64, KEYS = 32, ABREAST = 4 };

/* 1 / sqrt(64) */
static const float scale = 0.125f;

KERNEL BLOCK(SIZE) void attention(int rows, float out[][SIZE], const float a[][SIZE],
                                  const float b[][SIZE], const float x[][SIZE])
{
    SHARED float key[KEYS][SIZE], value[KEYS][SIZE];
    int t = thread_idx.x;
    size_t matrix = (size_t)block_idx.y * rows, mine = matrix + global_idx.x;
    float query[SIZE], mean[SIZE] = {0};
    for (int c = 0; c < SIZE; c++)
        query[c] = a[mine][c] * scale;

    float top = -INFINITY, sum = 0;
    for (size_t first = matrix; first < matrix + rows; first += KEYS) {
        for (int k = 0; k < KEYS; k++) {
            key[k][t] = b[first + k][t];
            value[k][t] = x[first + k][t];
        }
        barrier();
        float weight[KEYS], new_top = top;
        for (int k = 0; k < KEYS; k += ABREAST) {
            float product[ABREAST] = {0};
            for (int c = 0; c < SIZE; c++)
                for (int j = 0; j < ABREAST; j++)
                    product[j] = fma(query[c], key[k + j][c], product[j]);
            for (int j = 0; j < ABREAST; j++) {
                weight[k + j] = product[j];
                new_top = fmax(new_top, product[j]);
            }
        }
        float shrink = exp(top - new_top);
        top = new_top;
        sum *= shrink;
        for (int k = 0; k < KEYS; k++) {
            weight[k] = exp(weight[k] - top);
            sum += weight[k];
        }
        for (int c = 0; c < SIZE; c++)
            mean[c] *= shrink;
        for (int c = 0; c < SIZE; c += ABREAST)
            for (int k = 0; k < KEYS; k++)
                for (int j = 0; j < ABREAST; j++)
                    mean[c + j] = fma(weight[k], value[k][c + j], mean[c + j]);
        barrier();
    }
    for (int c = 0; c < SIZE; c++)
        out[mine][c] = mean[c] / sum;
}
