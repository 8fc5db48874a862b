/* array_buffer.c - the buffer protocol of Array, for arrays in memory of the host. */
#include "base/base.h"
#include "core.h"
#include <string.h>

/* Extents and strides in bytes, until the view is released. */
typedef struct shape {
    Py_ssize_t extent[AXES], stride[AXES];
} shape;

static int refuse(array *a, int flags)
{
    if (!array_device(a)->is_host)
        PyErr_SetString(PyExc_BufferError, "the array is on a GPU; need .numpy(), which copies it");
    else if (a->dtype == LW_BF16 && !a->core->has_bfloat16_buffers)
        PyErr_SetString(PyExc_BufferError, "bf16 has no buffer; need .numpy()");
    else if ((flags & PyBUF_WRITABLE) && a->readonly)
        PyErr_SetString(PyExc_BufferError, "the array is read-only");
    else if (!array_is_contiguous(a) && (flags & PyBUF_STRIDES) != PyBUF_STRIDES)
        PyErr_SetString(PyExc_BufferError, "the array is not C-contiguous");
    else if (!array_is_contiguous(a) && (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS)
        PyErr_SetString(PyExc_BufferError, "the array is not C-contiguous");
    else
        return 0;
    return -1;
}

int array_get_buffer(PyObject *self, Py_buffer *view, int flags)
{
    array *a = (array *)self;
    const Py_ssize_t size = (Py_ssize_t)lw_dtype_size(a->dtype);

    view->obj = NULL;
    if (refuse(a, flags) || array_settle(a) || (!a->readonly && memory_settle(a->memory)) ||
        array_wait(a))
        return -1;
    shape *s;
    s = PyMem_Calloc(1, sizeof *s);
    if (!s) {
        PyErr_NoMemory();
        return -1;
    }
    for (int k = 0; k < a->rank; k++) {
        s->extent[k] = a->extent[k];
        s->stride[k] = a->stride[k] * size;
    }
    *view = (Py_buffer){.buf = (char *)a->memory->data + a->offset * size,
                        .len = array_size(a) * size,
                        .itemsize = size,
                        .readonly = a->readonly,
                        .ndim = a->rank,
                        .internal = s};
    view->format = flags & PyBUF_FORMAT ? (char *)(uintptr_t)lw__dtypes[a->dtype].format : NULL;
    view->shape = flags & PyBUF_ND ? s->extent : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? s->stride : NULL;
    view->obj = Py_NewRef(self);
    a->memory->exports++;
    return 0;
}

void array_release_buffer(PyObject *self, Py_buffer *view)
{
    ((array *)self)->memory->exports--;
    PyMem_Free(view->internal);
}
