/* operand.c - an argument that stands for memory: an Array, or what has a buffer. First it is
 * taken, which reads dtype and shape; then bound to a device as an lw_tensor; last dropped.
 */
#include "base/base.h"
#include "core.h"
#include <stdlib.h>
#include <string.h>

/* ---- what a buffer says ---- */

/* False: structs, or nothing that the library knows. ctypes says of long that it is standard, and
 * has its 8 bytes. */
static bool dtype_of_format(const char *format, Py_ssize_t size, lw_dtype *dtype)
{
    const int power = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : 4;
    const char *const known[] = {"?bBc", "ehH", "fiIlL", "dqQlLnN", ""};

    if (!format)
        format = "B";
    for (int k = 0; *format == 'T' && k < LW_DTYPE_COUNT; k++) {
        const char *bits = lw__dtypes[k].format; /* T{H:NAME:}, also as T{=H:NAME:} */

        if (bits[1] && !strncmp(format, bits, 2) &&
            !strcmp(format + 2 + (format[2] == '='), bits + 2)) {
            *dtype = (lw_dtype)k;
            return size == lw__dtypes[k].bytes;
        }
    }
    if (*format == '<' || *format == '=' || *format == '@' || (*format == '>' && size == 1))
        format++;
    if (!format[0] || format[1] || !strchr(known[power], *format))
        return false;
    if (strchr("?efd", *format))
        *dtype = power == 0 ? LW_BOOL : power == 1 ? LW_F16 : power == 2 ? LW_F32 : LW_F64;
    else
        *dtype = (lw_dtype)((strchr("bhilqn", *format) ? LW_I8 : LW_U8) + power);
    return true;
}

/* ctypes says of unions and packed structs that they are bytes. */
static bool is_struct(const Py_buffer *v)
{
    return v->format && (v->format[0] == 'T' || (v->itemsize > 1 && !strcmp(v->format, "B")));
}

int operand_find_bytes(core *c, int rank, const Py_ssize_t *extents, Py_ssize_t size,
                       Py_ssize_t *bytes)
{
    bool is_empty = false, is_more = false;

    *bytes = size;
    for (int k = 0; k < rank; k++) {
        if (extents[k] < 0)
            return raise_text(c, LW_E_SHAPE,
                              "axis %d of the array has %zd elements; need 0 or more", k,
                              extents[k]);
        is_empty = is_empty || !extents[k];
        is_more = is_more || (extents[k] && __builtin_mul_overflow(*bytes, extents[k], bytes));
    }
    if (is_more)
        return raise_text(c, LW_E_SHAPE, "the array has too many elements for 64 bits");
    if (is_empty)
        *bytes = 0;
    return 0;
}

int operand_find_range(core *c, operand *o, int rank, const Py_ssize_t *extents,
                       const Py_ssize_t *strides, Py_ssize_t unit)
{
    Py_ssize_t above = o->itemsize, below = 0, reach, bytes;
    bool is_outside = false;

    if (operand_find_bytes(c, rank, extents, o->itemsize, &bytes))
        return -1;
    o->low = o->high = o->data;
    if (!bytes)
        return 0;
    for (int k = 0; k < rank && !is_outside; k++)
        is_outside = __builtin_mul_overflow(extents[k] - 1, strides[k], &reach) ||
                     __builtin_mul_overflow(reach, unit, &reach) ||
                     (reach < 0 ? __builtin_add_overflow(below, reach, &below)
                                : __builtin_add_overflow(above, reach, &above));
    if (is_outside || (uintptr_t)o->data < (uintptr_t)0 - (uintptr_t)below ||
        (uintptr_t)o->data > UINTPTR_MAX - (uintptr_t)above)
        return raise_text(c, LW_E_ARG, "the array's strides lead out of the memory at %p", o->data);
    o->low += below;
    o->high += above;
    return 0;
}

/* What an exporter says has to fit together before a byte is read. Strides may be NULL: C order. */
static int check_view(core *c, const Py_buffer *v)
{
    if (v->ndim < 0 || v->ndim > PyBUF_MAX_NDIM || v->itemsize < 1 || v->len < 0)
        return raise_text(c, LW_E_ARG,
                          "the buffer says %d axes, elements of %zd bytes, %zd bytes in all; need "
                          "0 to %d axes and elements of 1 byte or more",
                          v->ndim, v->itemsize, v->len, PyBUF_MAX_NDIM);
    if (v->ndim && !v->shape)
        return raise_text(c, LW_E_ARG, "the buffer has %d axes and no shape", v->ndim);
    Py_ssize_t bytes;
    if (operand_find_bytes(c, v->ndim, v->shape, v->itemsize, &bytes))
        return -1;
    if (bytes != v->len)
        return raise_text(c, LW_E_ARG, "the buffer has %zd bytes; its shape needs %zd", v->len,
                          bytes);
    if (bytes && !v->buf)
        return raise_text(c, LW_E_ARG, "the buffer has %zd bytes and no memory", bytes);
    if (v->suboffsets)
        return raise_text(c, LW_E_ARG, "the buffer has suboffsets, for which it was not asked");
    return 0;
}

static void in_c_order(operand *o)
{
    Py_ssize_t stride = 1;

    o->tensor.offset = 0;
    for (int k = o->tensor.rank; k-- > 0;) {
        o->tensor.stride[k] = stride;
        stride *= o->tensor.extent[k] ? o->tensor.extent[k] : 1;
    }
}

/* The bytes, shape and strides in elements. Memory that these cannot describe is copied. */
static int read_shape(core *c, operand *o)
{
    const Py_buffer *v = &o->view;
    bool is_exact = true;

    o->data = o->low = v->buf;
    o->high = o->low + v->len;
    if (v->strides && operand_find_range(c, o, v->ndim, v->shape, v->strides, 1))
        return -1;
    o->rank = v->ndim;
    o->is_large = v->ndim > RANKS;
    o->tensor.rank = o->is_large ? 0 : v->ndim;
    o->tensor.strided = true;
    for (int k = 0; k < o->tensor.rank; k++)
        o->tensor.extent[k] = v->shape[k];
    in_c_order(o);
    for (int k = 0; v->strides && k < o->tensor.rank; k++) {
        if (v->shape[k] < 2 || !v->len)
            continue; /* its stride says nothing, and may be any number */
        is_exact = is_exact && v->strides[k] % v->itemsize == 0;
        o->tensor.stride[k] = v->strides[k] / v->itemsize;
    }
    o->is_large = o->is_large || !is_exact || (uintptr_t)o->data % (size_t)v->itemsize;
    return 0;
}

static int take_array(array *a, operand *o)
{
    const Py_ssize_t size = (Py_ssize_t)lw_dtype_size(a->dtype);

    if (array_settle(a))
        return -1;
    o->array = (array *)Py_NewRef((PyObject *)a);
    o->device = a->memory->device;
    o->tensor = array_tensor(a);
    o->rank = a->rank;
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

/* 0 if the exception says that there is no buffer, as NumPy's ValueError for dtypes that have none;
 * else -1: it is what went wrong, as with a memoryview that was released. */
static int no_buffer(core *c, PyObject *object)
{
    int found = -1;

    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (PyErr_GivenExceptionMatches(type, PyExc_TypeError) ||
        PyErr_GivenExceptionMatches(type, PyExc_BufferError))
        found = 0;
    else if (!PyErr_GivenExceptionMatches(type, PyExc_ValueError)) {
        PyErr_Restore(type, value, trace);
        return -1;
    } else if (PyObject_HasAttrString(object, "dtype"))
        found = 0;
    else
        raise_text(c, LW_E_ARG, "%R: %S", (PyObject *)Py_TYPE(object), value);
    DROP_IF(type);
    DROP_IF(value);
    DROP_IF(trace);
    return found;
}

/* 1: taken. 0: it has no buffer, or one whose dtype is for NumPy to name. -1: an exception. */
static int take_buffer(core *c, PyObject *object, operand *o)
{
    Py_buffer *v = &o->view;
    int taken = 0;

    if (PyObject_GetBuffer(object, v, PyBUF_RECORDS_RO))
        return no_buffer(c, object);
    o->has_dtype = dtype_of_format(v->format, v->itemsize, &o->dtype);
    o->readonly = v->readonly;
    o->itemsize = v->itemsize;
    if (o->has_dtype || is_struct(v))
        taken = check_view(c, v) || read_shape(c, o) ? -1 : 1;
    else if (!PyObject_HasAttrString(object, "dtype"))
        taken = raise_text(c, LW_E_DTYPE,
                           "the elements are '%s' of %zd bytes; need one of " DTYPE_WORDS
                           ", in this machine's byte order",
                           v->format ? v->format : "B", v->itemsize);
    o->has_view = taken > 0;
    if (taken < 1)
        PyBuffer_Release(v);
    return taken;
}

/* True for NumPy's masked arrays, whose buffers do not tell what is masked. */
static bool is_masked(const core *c, PyObject *object)
{
    return Py_TYPE(object) != (PyTypeObject *)c->ndarray &&
           PyObject_IsInstance(object, c->ndarray) == 1 &&
           PyObject_HasAttrString(object, "compressed");
}

/* An Array, or what has a buffer; else what Python makes of it. */
int operand_take(core *c, PyObject *object, operand *o)
{
    memset(o, 0, sizeof *o);
    o->object = object;
    if (is_array(c, object))
        return take_array((array *)object, o);
    int taken = is_masked(c, object) ? 0 : take_buffer(c, object, o);
    if (taken)
        return taken > 0 ? 0 : -1;
    PyObject *made = PyObject_CallFunctionObjArgs(c->convert, object, NULL);
    if (!made)
        return -1;
    PyObject *other = PyTuple_GetItem(made, 0);
    o->is_copy = PyTuple_GetItem(made, 1) == Py_True;
    if (is_array(c, other))
        taken = take_array((array *)other, o) ? -1 : 1;
    else
        taken = take_buffer(c, other, o);
    if (!taken)
        raise_text(c, LW_E_DTYPE, "%R has no buffer of numbers", (PyObject *)Py_TYPE(object));
    DROP(made);
    return taken > 0 ? 0 : -1;
}

bool operand_is_contiguous(const operand *o)
{
    return o->has_view ? PyBuffer_IsContiguous(&o->view, 'C') : array_is_contiguous(o->array);
}

/* ---- binding ---- */

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

    if (!copy)
        return raise_text(c, LW_E_MEMORY, "no memory for %zd bytes", o->view.len);
    if (PyBuffer_ToContiguous(copy, &o->view, o->view.len, 'C')) {
        free(copy);
        return -1;
    }
    lw_status status;
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

    if (!h)
        return -1;
    h->view = o->view;
    h->has_view = true;
    lw_status status = lw_buffer_wrap(d->handle, dtype, (size_t)(o->high - o->low) / size, o->low,
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

    if (array_wait(o->array))
        return -1;
    lw_status status = lw_buffer_wrap(d->handle, o->dtype, (size_t)(o->high - o->low) / size,
                                      o->low, o->readonly, NULL, NULL, &o->own);
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

    if (is_written && o->is_copy)
        return raise_text(c, LW_E_ARG,
                          "%R is no array: its values were copied, and what is written to the copy "
                          "would be lost; need an array",
                          (PyObject *)Py_TYPE(o->object));
    if (is_written && o->readonly)
        return raise_text(c, LW_E_ARG, "the array is read-only and would be written");
    if (is_written && o->array && memory_settle(o->array->memory))
        return -1;
    if (o->array) {
        if (o->device != d && check_device(c, o->device) == d)
            return bind_other(c, o, d);
        if (o->device != d)
            return raise_text(c, LW_E_DEVICE, "the array is on device %U, the call on %U",
                              o->device->name, d->name);
        return 0;
    }
    if (o->own)
        return 0; /* bound before */
    if (!o->has_view)
        return raise_text(c, LW_E_INTERNAL, "an operand without memory");
    if (dtype == LW_U8 && o->itemsize != 1 && !operand_is_contiguous(o))
        return raise_text(c, LW_E_SHAPE, "the array of structs is not C-contiguous");
    int status;
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

/* check_buffer(object): raises if it has a buffer that is wrong */
PyObject *core_check_buffer(PyObject *module, PyObject *object)
{
    operand o = {0};

    if (take_buffer(core_of(module), object, &o) < 0)
        return NULL;
    operand_drop(&o);
    Py_RETURN_NONE;
}

/* ---- wrap(device, object, dtype) ---- */

/* The strides in elements; false: the memory cannot be an Array's. */
static bool read_strides(const operand *o, Py_ssize_t *strides)
{
    const Py_buffer *v = &o->view;
    Py_ssize_t stride = 1;

    if (!o->has_dtype || v->ndim > AXES || (uintptr_t)o->data % (size_t)v->itemsize)
        return false;
    for (int k = v->ndim; k-- > 0;) {
        const bool says_nothing = v->shape[k] < 2 || !v->len || !v->strides;

        if (!says_nothing && v->strides[k] % v->itemsize)
            return false;
        strides[k] = says_nothing ? stride : v->strides[k] / v->itemsize;
        stride *= v->shape[k] ? v->shape[k] : 1;
    }
    return true;
}

/* An array that shares the memory of what has a buffer; dtype -1: as the buffer says. */
PyObject *core_wrap(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core *c = core_of(module);
    Py_ssize_t strides[AXES];
    array *a = NULL;
    operand o = {0};
    long dtype;

    if (count != 3 || ((dtype = PyLong_AsLong(args[2])) == -1 && PyErr_Occurred()))
        return NULL;
    device *d = device_from(c, args[0]);
    if (!d)
        return NULL;
    holder *h = take_buffer(c, args[1], &o) > 0 ? holder_create(c) : NULL;
    if (h && dtype >= 0)
        o.dtype = (lw_dtype)dtype;
    if (h && !read_strides(&o, strides))
        raise_text(c, LW_E_ARG,
                   "the array cannot be shared: its strides are no multiples of its "
                   "elements, it is not aligned, or has more than %d axes",
                   AXES);
    else if (h) {
        h->view = o.view;
        h->has_view = true;
        a = array_wrap(d, &o, o.view.ndim, o.view.shape, strides, h);
        o.has_view = !a;
    }
    if (h && !a)
        free(h);
    operand_drop(&o);
    DROP(d);
    return (PyObject *)a;
}
