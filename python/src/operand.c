/* operand.c - an argument that stands for memory: an Array, or what has a buffer. First it is
 * taken, which reads dtype and shape; then bound to a device as an lw_tensor; last dropped.
 */
#include "core.h"
#include <stdlib.h>
#include <string.h>

/* ---- what a buffer says ---- */

static bool dtype_of_size(char kind, Py_ssize_t size, lw_dtype *dtype)
{
    const int power = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : -1;

    if (power < 0)
        return false;
    *dtype = (lw_dtype)((kind == 'i' ? LW_I8 : LW_U8) + power);
    return true;
}

/* False: structs, or nothing that the library knows. */
static bool dtype_of_format(const char *format, Py_ssize_t size, lw_dtype *dtype)
{
    if (!format)
        format = "B";
    if (!strcmp(format, "T{H:bfloat16:}") || !strcmp(format, "T{=H:bfloat16:}")) {
        *dtype = LW_BF16;
        return true;
    }
    if (*format == '<' || *format == '=' || *format == '@' || (*format == '>' && size == 1))
        format++;
    if (!format[0] || format[1])
        return false;
    if (strchr("bhilqn", *format))
        return dtype_of_size('i', size, dtype);
    if (strchr("BHILQNc", *format))
        return dtype_of_size('u', size, dtype);
    *dtype = *format == '?' ? LW_BOOL : *format == 'e' ? LW_F16 : *format == 'f' ? LW_F32 : LW_F64;
    return strchr("?efd", *format) != NULL;
}

/* From the lowest byte to behind the highest. */
static void find_range(operand *o)
{
    const Py_buffer *v = &o->view;

    o->data = o->low = v->buf;
    o->high = o->low + v->itemsize;
    if (!v->len) {
        o->high = o->low;
        return;
    }
    if (!v->strides)
        o->high = o->low + v->len;
    for (int k = 0; v->strides && k < v->ndim; k++) {
        const Py_ssize_t reach = (v->shape[k] - 1) * v->strides[k];

        if (reach < 0)
            o->low += reach;
        else
            o->high += reach;
    }
}

/* Shape and strides in elements. Memory that they cannot describe is copied. */
static void read_shape(operand *o)
{
    const Py_buffer *v = &o->view;
    bool is_exact = true;

    o->is_large = v->ndim > RANKS;
    o->tensor.rank = o->is_large ? 0 : v->ndim;
    o->tensor.strided = true;
    for (int k = 0; k < o->tensor.rank; k++) {
        is_exact = is_exact && v->strides[k] % v->itemsize == 0;
        o->tensor.extent[k] = v->shape[k];
        o->tensor.stride[k] = v->strides[k] / v->itemsize;
    }
    o->is_large =
        o->is_large || !is_exact || (uintptr_t)o->data % (size_t)v->itemsize || o->dtype > LW_F64;
}

static int take_array(array *a, operand *o)
{
    const Py_ssize_t size = (Py_ssize_t)lw_dtype_size(a->dtype);

    o->array = (array *)Py_NewRef((PyObject *)a);
    o->device = a->memory->device;
    o->tensor = array_tensor(a);
    o->dtype = a->dtype;
    o->has_dtype = true;
    o->readonly = a->readonly;
    o->itemsize = size;
    if (a->memory->data) {
        o->low = a->memory->data;
        o->high = o->low + lw_buffer_bytes(a->memory->buffer);
        o->data = o->low + a->offset * size;
    }
    return 0;
}

static int take_view(core *c, operand *o)
{
    o->has_dtype = dtype_of_format(o->view.format, o->view.itemsize, &o->dtype);
    if (!o->has_dtype && !(o->view.format && o->view.format[0] == 'T')) {
        raise_text(c, LW_E_DTYPE,
                   "the elements are '%s' of %zd bytes; need one of i8 i16 i32 i64 u8 u16 u32 u64 "
                   "bool f16 bf16 f32 f64, in this machine's byte order",
                   o->view.format ? o->view.format : "B", o->view.itemsize);
        PyBuffer_Release(&o->view);
        return -1;
    }
    o->has_view = true;
    o->readonly = o->view.readonly;
    o->itemsize = o->view.itemsize;
    o->is_numpy = true;
    find_range(o);
    read_shape(o);
    return 0;
}

/* An Array, or what has a buffer; else what Python makes of it. */
int operand_take(core *c, PyObject *object, operand *o)
{
    PyObject *other;

    memset(o, 0, sizeof *o);
    o->object = object;
    if (is_array(c, object))
        return take_array((array *)object, o);
    if (!PyObject_GetBuffer(object, &o->view, PyBUF_RECORDS_RO))
        return take_view(c, o);
    PyErr_Clear();
    other = PyObject_CallFunctionObjArgs(c->convert, object, NULL);
    if (!other)
        return -1;
    if (is_array(c, other))
        (void)take_array((array *)other, o);
    else if (PyObject_GetBuffer(other, &o->view, PyBUF_RECORDS_RO) || take_view(c, o)) {
        DROP(other);
        return -1;
    }
    DROP(other);
    return 0;
}

bool operand_is_contiguous(const operand *o)
{
    Py_ssize_t stride = 1;

    if (o->has_view)
        return PyBuffer_IsContiguous(&o->view, 'C');
    for (int k = o->tensor.rank; k-- > 0;) {
        if (o->tensor.extent[k] > 1 && o->tensor.stride[k] != stride)
            return false;
        stride *= o->tensor.extent[k];
    }
    return true;
}

/* ---- binding ---- */

static void in_c_order(operand *o)
{
    Py_ssize_t stride = 1;

    o->tensor.offset = 0;
    for (int k = o->tensor.rank; k-- > 0;) {
        o->tensor.stride[k] = stride;
        stride *= o->tensor.extent[k];
    }
}

static void release_copy(void *memory, void *user)
{
    (void)user;
    free(memory);
}

/* Contiguous copies: for GPUs, and of inputs that strides cannot say. */
static int bind_copy(core *c, operand *o, device *d, lw_dtype dtype, bool is_written)
{
    const size_t bytes = (size_t)o->view.len, count = bytes / lw_dtype_size(dtype);
    void *copy = aligned_alloc(64, (bytes + 64) / 64 * 64);
    lw_status status;

    if (!copy)
        return raise_text(c, LW_E_MEMORY, "no memory for %zd bytes", o->view.len);
    if (PyBuffer_ToContiguous(copy, &o->view, o->view.len, 'C')) {
        free(copy);
        return -1;
    }
    if (d->is_host) {
        status = lw_buffer_wrap(d->handle, dtype, count, copy, false, release_copy, NULL, &o->own);
        if (status)
            free(copy);
    } else {
        status = lw_buffer_create(d->handle, dtype, count, &o->own);
        if (!status)
            status = lw_buffer_write(o->own, 0, count, copy);
        free(copy);
    }
    if (status)
        return raise_status(c, status);
    o->copies_back = is_written;
    o->low = o->high = NULL; /* a copy overlaps nothing */
    in_c_order(o);
    return 0;
}

/* In place. The holder takes the view: it stays until the last launch is over. */
static int bind_in_place(core *c, operand *o, device *d, lw_dtype dtype)
{
    const size_t size = lw_dtype_size(dtype);
    holder *h = holder_create(c);
    lw_status status;

    if (!h)
        return -1;
    h->view = o->view;
    h->has_view = true;
    status = lw_buffer_wrap(d->handle, dtype, (size_t)(o->high - o->low) / size, o->low,
                            o->readonly, holder_release, h, &o->own);
    if (status) {
        free(h);
        return raise_status(c, status);
    }
    o->has_view = false;
    o->tensor.offset = (size_t)(o->data - o->low) / size;
    return 0;
}

/* For the checker: an Array's memory on another device of the host. The Array outlives the launch,
 * which has ended when the call returns. */
static int bind_other(core *c, operand *o, device *d)
{
    const size_t size = lw_dtype_size(o->dtype);
    lw_status status;

    if (array_wait(o->array))
        return -1;
    status = lw_buffer_wrap(d->handle, o->dtype, (size_t)(o->high - o->low) / size, o->low,
                            o->readonly, NULL, NULL, &o->own);
    o->tensor.buffer = o->own;
    return status ? raise_status(c, status) : 0;
}

/* True if strides cannot say where the elements are. Structs may lie anywhere. */
static bool is_unreadable(const operand *o, bool as_bytes)
{
    return o->is_large && (!operand_is_contiguous(o) ||
                           (o->has_dtype && !as_bytes && (uintptr_t)o->data % (size_t)o->itemsize));
}

/* as_bytes: structs, and what goes to a pointer to them. */
int operand_bind(core *c, operand *o, device *d, bool as_bytes, bool is_written)
{
    const lw_dtype dtype = as_bytes || !o->has_dtype ? LW_U8 : o->dtype;
    int status;

    if (is_written && o->readonly)
        return raise_text(c, LW_E_ARG, "the array is read-only and would be written");
    if (o->array) {
        if (o->device != d && check_device(c, o->device) == d)
            return bind_other(c, o, d);
        if (o->device != d)
            return raise_text(c, LW_E_DEVICE, "the array is on device %U, the call on %U",
                              o->device->name, d->name);
        return 0;
    }
    if (!o->has_view)
        return raise_text(c, LW_E_INTERNAL, "an operand without memory");
    if (dtype == LW_U8 && o->itemsize != 1 && !operand_is_contiguous(o))
        return raise_text(c, LW_E_SHAPE, "the array of structs is not C-contiguous");
    if (!d->is_host || (!is_written && is_unreadable(o, as_bytes)))
        status = bind_copy(c, o, d, dtype, is_written);
    else if (o->is_large && !operand_is_contiguous(o))
        return raise_text(c, LW_E_ARG,
                          "the array's strides are no multiples of its elements, or "
                          "it has more than 4 axes; it cannot be written in place");
    else
        status = bind_in_place(c, o, d, dtype);
    o->tensor.buffer = o->own;
    return status;
}

/* A copy of host memory would be part of the graph that the stream is captured into. */
int operand_refuse_capture(core *c, const operand *o, const stream *s)
{
    if (o->array || !o->has_view || !s || !s->has_native || !lw_stream_is_captured(s->handle))
        return 0;
    return raise_text(c, LW_E_ARG,
                      "the stream is being captured, and the %R is in host memory; need an array "
                      "of the GPU",
                      (PyObject *)Py_TYPE(o->object));
}

/* After a call on a GPU: what a kernel left goes to the host's memory. Waits for the launch. */
int operand_copy_back(core *c, operand *o)
{
    const size_t bytes = (size_t)o->view.len;
    void *copy = malloc(bytes + 1);
    lw_status status;
    int result;

    if (!copy)
        return raise_text(c, LW_E_MEMORY, "no memory for %zd bytes", o->view.len);
    Py_BEGIN_ALLOW_THREADS;
    status = lw_buffer_read(o->own, 0, lw_buffer_count(o->own), copy);
    Py_END_ALLOW_THREADS;
    result = status ? raise_status(c, status)
                    : PyBuffer_FromContiguous(&o->view, copy, o->view.len, 'C');
    free(copy);
    return result;
}

void operand_drop(operand *o)
{
    lw_buffer_destroy(o->own);
    if (o->has_view)
        PyBuffer_Release(&o->view);
    DROP_IF(o->array);
    o->own = NULL;
    o->has_view = false;
    o->array = NULL;
}

/* ---- wrap(device, object, dtype) ---- */

/* An array that shares the memory of what has a buffer; dtype -1: as the buffer says. */
PyObject *core_wrap(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core *c = core_of(module);
    array *a = NULL;
    holder *h;
    operand o = {0};
    device *d;
    long dtype;

    if (count != 3 || ((dtype = PyLong_AsLong(args[2])) == -1 && PyErr_Occurred()))
        return NULL;
    d = device_from(c, args[0]);
    if (!d || PyObject_GetBuffer(args[1], &o.view, PyBUF_RECORDS_RO)) {
        DROP_IF(d);
        return NULL;
    }
    h = take_view(c, &o) ? NULL : holder_create(c);
    if (h && dtype >= 0)
        o.dtype = (lw_dtype)dtype;
    if (h && (o.is_large || !o.has_dtype))
        raise_text(c, LW_E_ARG,
                   "the array cannot be shared: its strides are no multiples of its "
                   "elements, it is not aligned, or has more than 4 axes");
    else if (h) {
        h->view = o.view;
        h->has_view = true;
        a = array_wrap(d, &o, h);
        o.has_view = !a;
    }
    if (h && !a)
        free(h);
    operand_drop(&o);
    DROP(d);
    return (PyObject *)a;
}
