/* overlap.c - outputs that overlap inputs, as NumPy's views of one memory do. */
#include "call.h"

/* The library finds overlaps within a buffer, and NumPy's views have a buffer each: where the
 * memory of an input and of the output overlaps, both become tensors of one buffer. */
static int share(call *c, operand *in, operand *out, lw_buffer **shared)
{
    const size_t size = lw_dtype_size(out->dtype);
    char *low = in->low < out->low ? in->low : out->low;
    char *high = in->high > out->high ? in->high : out->high;

    if (in->dtype != out->dtype || (size_t)(in->data - low) % size ||
        (size_t)(out->data - low) % size)
        return raise_text(c->core, LW_E_ARG, "%s: the output overlaps an input of another dtype",
                          c->name);
    if (*shared)
        return raise_text(c->core, LW_E_ARG, "%s: the output overlaps two inputs", c->name);
    holder *h = holder_create(c->core);
    if (!h)
        return -1;
    h->owner = PyTuple_Pack(2, in->object, out->object);
    lw_status status = lw_buffer_wrap(c->device->handle, out->dtype, (size_t)(high - low) / size,
                                      low, false, holder_release, h, shared);
    if (status) {
        holder_release(NULL, h);
        return raise_status(c->core, status);
    }
    in->tensor.buffer = out->tensor.buffer = *shared;
    in->tensor.offset = (size_t)(in->data - low) / size;
    out->tensor.offset = (size_t)(out->data - low) / size;
    return 0;
}

static bool do_overlap(const operand *a, const operand *b)
{
    return a->low && b->low && a->low < b->high && b->low < a->high &&
           a->tensor.buffer != b->tensor.buffer;
}

/* Inputs that are the same view as the output follow it; of others one may overlap it. */
int share_overlaps(call *c)
{
    for (size_t k = 0; k < c->outputs && c->device->is_host; k++)
        for (size_t n = 0; n < c->inputs; n++) {
            operand *in = &c->in[n], *out = &c->out[k];

            if (c->shared[k] && do_overlap(in, out) && in->data == out->data &&
                in->dtype == out->dtype) {
                in->tensor.buffer = c->shared[k];
                in->tensor.offset = out->tensor.offset;
            } else if (do_overlap(in, out) && share(c, in, out, &c->shared[k]))
                return -1;
        }
    return 0;
}
