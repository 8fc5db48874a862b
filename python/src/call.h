/* call.h - a call of an operation by name, from its arguments to its results: operate.c. */
#ifndef LANEWISE_PYTHON_CALL_H
#define LANEWISE_PYTHON_CALL_H
#include "core.h"

typedef struct call {
    core *core;
    device *device;
    stream *stream;   /* or NULL */
    request *request; /* held; what it says of names and outputs stands below, too */
    const char *name;
    size_t inputs, outputs, given; /* given: outputs that are the caller's */
    PyObject *recorder;            /* of a graph's tensor among the inputs; or NULL */
    bool records;                  /* for the recorder, which has made all tensors */
    bool is_checked;               /* it runs under the checker */
    bool has_more_axes;            /* than the library's tensors: Python joins them */
    bool is_converted;             /* an argument, to what operands are taken of */
    bool is_queued;                /* for a stream that the call names: it does not wait */
    lw_buffer *shared[OUTPUTS];    /* in place of buffers of their own, where out overlaps inputs */
    PyObject *settled;             /* the inputs, numbers among them as scalars */
    PyObject *like;                /* the first array argument; NULL: NumPy's */
    PyObject *results[OUTPUTS];
    operand in[INPUTS], out[OUTPUTS]; /* last: large */
} call;

/* overlap.c: where an output overlaps inputs, they become tensors of one buffer. */
int share_overlaps(call *c);

#endif
