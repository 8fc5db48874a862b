/* dist.c - partial results of softmax and attention, of which ranks have made some each, joined by
 * the aligned tree: of the operations over ranks.
 *
 * A node has for each row `width` weighted sums, the maximum of its scores and the sum of
 * exp(score - maximum); for softmax there are no weighted sums. A launch joins pairs of nodes that
 * do not depend on each other.
 *
 * shapes   nodes: from element `at` on, of each rows x (width + 2) of A; list: of each pair the
 *          left node, the right one, and where to write, which is neither
 * launch   a thread `run` elements of the results
 * numeric  docs/order.md, softmax and attention
 */
#include "view.h"

#define A float
#define NAME(kernel) kernel##_float
#include "attention_part.inc"
#include "dist.inc"
#undef A
#undef NAME
#define A double
#define NAME(kernel) kernel##_double
#include "attention_part.inc"
#include "dist.inc"
