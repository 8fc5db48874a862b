/* unsupported.c - operations over ranks that are declared and not there yet. */
#include "lanewise/dist.h"

static lw_status refuse(const char *name)
{
    return lw_fail(LW_E_UNSUPPORTED, "%s is not built yet", name);
}

lw_status lw_dist_softmax(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part,
                          const lw_norm_options *o)
{
    (void)c, (void)s, (void)out, (void)x, (void)part, (void)o;
    return refuse("dist_softmax");
}

lw_status lw_dist_layer_norm(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part,
                             const lw_norm_options *o)
{
    (void)c, (void)s, (void)out, (void)x, (void)part, (void)o;
    return refuse("dist_layer_norm");
}

lw_status lw_dist_scan(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part,
                       const lw_scan_options *o)
{
    (void)c, (void)s, (void)out, (void)x, (void)part, (void)o;
    return refuse("dist_scan");
}

lw_status lw_dist_gather(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part)
{
    (void)c, (void)s, (void)out, (void)x, (void)part;
    return refuse("dist_gather");
}

lw_status lw_dist_scatter(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part)
{
    (void)c, (void)s, (void)out, (void)x, (void)part;
    return refuse("dist_scatter");
}

lw_status lw_dist_matmul(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor y,
                         lw_part part, const lw_matmul_options *o)
{
    (void)c, (void)s, (void)out, (void)x, (void)y, (void)part, (void)o;
    return refuse("dist_matmul");
}

lw_status lw_dist_attention(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor q, lw_tensor k,
                            lw_tensor v, lw_part part, const lw_attention_options *o)
{
    (void)c, (void)s, (void)out, (void)q, (void)k, (void)v, (void)part, (void)o;
    return refuse("dist_attention");
}
