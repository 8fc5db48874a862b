/* operation.h - `classic::attention`, for the program attention.c and for a shared object that
 * `lanewise graph` loads. Its output is a vector; its other two outputs are what it works in.
 */
#ifndef ATTENTION_OPERATION_H
#define ATTENTION_OPERATION_H

#include <lanewise/ops.h>

/* What its launches need: of one device. */
struct kernels {
    lw_program *program;
    lw_kernel *transpose, *matmul, *softmax;
};

/* attention_open - the kernels of a file. Release them with attention_close, also after a failure;
 * what is queued or recorded holds what it needs. */
lw_status attention_open(lw_device *device, const char *path, struct kernels *k);
void attention_close(struct kernels *k);

/* attention_score - scores[i] = scale q.K[i]
 * attention_weigh - scores become weights, and output their mean of V's rows. */
lw_status attention_score(lw_stream *s, const struct kernels *k, lw_tensor scores, lw_tensor keys,
                          lw_tensor q, lw_tensor K, double scale);
lw_status attention_weigh(lw_stream *s, const struct kernels *k, lw_tensor output, lw_tensor scores,
                          lw_tensor V);

/* attention_register - the operation by its name, with the kernels of a file; path lives on. */
lw_status attention_register(const char *path, lw_op **op);

#endif
