/* unsupported.c - what ops.h declares and nothing here does yet. A function that is built leaves
 * this file.
 */
#include <lanewise/ops.h>

/* Each definition repeats its declaration, whose parameters it has no use for. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define NOT_BUILT(name, ...)                                                                       \
    lw_status name(__VA_ARGS__)                                                                    \
    {                                                                                              \
        return lw_fail(LW_E_UNSUPPORTED, "%s is not built yet", #name);                            \
    }

/* clang-format off */

/* ---- operations ---- */

NOT_BUILT(lw_conv1d, lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor filter,
          const lw_conv_options *o)
NOT_BUILT(lw_conv2d, lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor filter,
          const lw_conv_options *o)
