/* unsupported.c - what ops.h declares and nothing here does yet. A function that is built leaves
 * this file. What gives an object gives none.
 */
#include <lanewise/ops.h>

/* Each definition repeats its declaration, whose parameters it has no use for. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define NOT_BUILT(name, ...)                                                                       \
    lw_status name(__VA_ARGS__)                                                                    \
    {                                                                                              \
        return lw_fail(LW_E_UNSUPPORTED, "%s is not built yet", #name);                            \
    }

/* The same of one whose last parameter is a place for an object. */
#define NOT_BUILT_OBJECT(name, place, ...)                                                         \
    lw_status name(__VA_ARGS__)                                                                    \
    {                                                                                              \
        if (place)                                                                                 \
            *place = NULL;                                                                         \
        return lw_fail(LW_E_UNSUPPORTED, "%s is not built yet", #name);                            \
    }

/* clang-format off */

/* ---- operations ---- */

NOT_BUILT(lw_conv1d, lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor filter,
          const lw_conv_options *o)
NOT_BUILT(lw_conv2d, lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor filter,
          const lw_conv_options *o)
NOT_BUILT(lw_take, lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor indices,
          const lw_take_options *o)
NOT_BUILT(lw_histogram, lw_stream *s, lw_tensor counts, lw_tensor x, const lw_histogram_options *o)
NOT_BUILT(lw_compact, lw_stream *s, lw_tensor out, lw_tensor count, lw_tensor x, lw_tensor mask)
NOT_BUILT(lw_sort, lw_stream *s, lw_tensor out, lw_tensor x, const lw_sort_options *o)
NOT_BUILT(lw_argsort, lw_stream *s, lw_tensor out, lw_tensor x, const lw_sort_options *o)
NOT_BUILT(lw_top_k, lw_stream *s, lw_tensor values, lw_tensor indices, lw_tensor x,
          const lw_top_k_options *o)

/* ---- graphs: none can be made, so that there is none to use ---- */

NOT_BUILT_OBJECT(lw_graph_create, graph, lw_device *device, lw_graph **graph)
NOT_BUILT(lw_graph_input, lw_graph *g, const char *name, lw_dtype dtype, int rank,
          const ptrdiff_t *extents, lw_tensor *out)
NOT_BUILT(lw_graph_temporary, lw_graph *g, lw_dtype dtype, int rank, const ptrdiff_t *extents,
          lw_tensor *out)
NOT_BUILT(lw_graph_output, lw_graph *g, const char *name, lw_tensor t)
NOT_BUILT_OBJECT(lw_graph_compile, x, lw_graph *g, lw_executable **x)
NOT_BUILT(lw_graph_draw, lw_graph *g, const char *format, const char *path)
NOT_BUILT(lw_executable_run, lw_executable *x, lw_stream *s, const char *const *names,
          const lw_tensor *tensors, size_t count)
NOT_BUILT(lw_executable_get_info, const lw_executable *x, lw_executable_info *info)

void lw_graph_destroy(lw_graph *graph) {}
lw_stream *lw_graph_stream(lw_graph *graph) { return NULL; }
void lw_executable_destroy(lw_executable *executable) {}



