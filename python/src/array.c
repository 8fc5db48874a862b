/* array.c - Array: a strided view of memory of a device, which views share. */
#include "waiting.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>

/* ---- memory ---- */

static void memory_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    memory *m = (memory *)self;
    core *c = m->device->core;

    if (!m->owner)
        lw_buffer_destroy(m->buffer);
    DROP_IF(m->owner);
    DROP(m->device);
    PyObject_Free(self);
    DROP(type);
    waste_empty(c);
}

static PyType_Slot memory_slots[] = {
    {Py_tp_dealloc, (void *)memory_dealloc},
    {0, NULL},
};
PyType_Spec memory_spec = {"lanewise._core.Memory", sizeof(memory), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, memory_slots};

/* Takes the reference to the buffer, unless that is the owner's. */
static memory *memory_create(device *d, lw_buffer *buffer, void *data, bool readonly,
                             PyObject *owner)
{
    memory *m = PyObject_New(memory, d->core->memory_type);

    if (!m) {
        if (!owner)
            lw_buffer_destroy(buffer);
        return NULL;
    }
    HOLD(d);
    m->device = d;
    m->buffer = buffer;
    m->data = data ? data : lw_buffer_address(buffer);
    m->readonly = readonly;
    m->is_shared = false;
    m->exports = 0;
    m->owner = owner ? Py_NewRef(owner) : NULL;
    m->readers = NULL;
    return m;
}

/* ---- making arrays ---- */

bool is_array(core *c, PyObject *object)
{
    return (PyObject *)Py_TYPE(object) == c->array_class || Py_TYPE(object) == c->array_type;
}

bool is_plain_array(core *c, PyObject *object)
{
    return Py_TYPE(object) == (PyTypeObject *)c->ndarray || is_array(c, object);
}

device *array_device(const array *a)
{
    return a->memory ? a->memory->device : a->waiting->device;
}

Py_ssize_t array_size(const array *a)
{
    Py_ssize_t size = 1;

    for (int k = 0; k < a->rank; k++)
        size *= a->extent[k];
    return size;
}

/* In C order on the memory, whose reference it takes. */
static array *array_create(core *c, memory *m, lw_dtype dtype, int rank, const Py_ssize_t *extents)
{
    array *a = m ? array_waiting(c, dtype, rank, extents) : NULL;

    if (!a) {
        DROP_IF(m);
        return NULL;
    }
    a->memory = m;
    a->readonly = m->readonly;
    return a;
}

/* In C order, without memory. */
array *array_waiting(core *c, lw_dtype dtype, int rank, const Py_ssize_t *extents)
{
    array *a = (array *)PyType_GenericAlloc((PyTypeObject *)c->array_class, 0);
    Py_ssize_t stride = 1;

    if (!a)
        return NULL;
    a->core = c;
    a->dtype = dtype;
    a->rank = rank;
    for (int k = rank; k-- > 0;) {
        a->extent[k] = extents[k];
        a->stride[k] = stride;
        stride *= extents[k] > 1 ? extents[k] : 1;
    }
    return a;
}

static void release_host(void *memory, void *bytes)
{
    block_give(memory, (size_t)(uintptr_t)bytes);
}

/* Memory of the host is ours, so that NumPy can share it. */
static lw_status create_on_host(device *d, lw_dtype dtype, size_t count, bool is_cleared,
                                lw_buffer **buffer, void **data)
{
    const size_t bytes = count * lw_dtype_size(dtype), room = (bytes + 64) / 64 * 64;

    *data = block_take(room);
    if (!*data)
        return lw_fail(LW_E_MEMORY, "no memory for %zu bytes", bytes);
    if (is_cleared)
        memset(*data, 0, bytes);
    lw_status status = lw_buffer_wrap(d->handle, dtype, count, *data, false, release_host,
                                      (void *)(uintptr_t)room, buffer);
    if (status)
        block_give(*data, room);
    return status;
}

static array *allocate(device *d, lw_dtype dtype, int rank, const Py_ssize_t *extents,
                       bool is_cleared)
{
    size_t count = 1, most = PY_SSIZE_T_MAX / (2 * lw_dtype_size(dtype));
    lw_buffer *buffer = NULL;
    void *data = NULL;
    bool is_empty = false;

    for (int k = 0; k < rank; k++) { /* of none, too, the strides are to fit */
        is_empty = is_empty || !extents[k];
        if ((size_t)extents[k] > most / count) {
            raise_text(d->core, LW_E_MEMORY, "the array has too many elements");
            return NULL;
        }
        count *= extents[k] ? (size_t)extents[k] : 1;
    }
    count = is_empty ? 0 : count;
    lw_status status = d->is_host ? create_on_host(d, dtype, count, is_cleared, &buffer, &data)
                                  : lw_buffer_create(d->handle, dtype, count, &buffer);
    if (status) {
        raise_status(d->core, status);
        return NULL;
    }
    return array_create(d->core, memory_create(d, buffer, data, false, NULL), dtype, rank, extents);
}

array *array_allocate(device *d, lw_dtype dtype, int rank, const Py_ssize_t *extents)
{
    return allocate(d, dtype, rank, extents, false);
}

array *array_zeros(device *d, lw_dtype dtype, int rank, const Py_ssize_t *extents)
{
    return allocate(d, dtype, rank, extents, true);
}

/* In C order on a buffer, whose reference it takes. */
array *array_on(device *d, lw_buffer *buffer, lw_dtype dtype, int rank, const Py_ssize_t *extents)
{
    return array_create(d->core, memory_create(d, buffer, NULL, false, NULL), dtype, rank, extents);
}

/* In C order on a buffer of the owner, whose launches write it. */
array *array_of(device *d, lw_buffer *buffer, PyObject *owner, lw_dtype dtype, int rank,
                const Py_ssize_t *extents)
{
    array *a = array_waiting(d->core, dtype, rank, extents);
    memory *m = a ? memory_create(d, buffer, NULL, false, owner) : NULL;

    if (!m) {
        DROP_IF(a);
        return NULL;
    }
    m->is_shared = true;
    a->memory = m;
    return a;
}

/* An array on memory of another, which the holder keeps; takes the holder unless it fails. */
array *array_wrap(device *d, const operand *o, int rank, const Py_ssize_t *extents,
                  const Py_ssize_t *strides, holder *h)
{
    const size_t size = lw_dtype_size(o->dtype), count = (size_t)(o->high - o->low) / size;
    lw_buffer *buffer;
    const lw_status status =
        lw_buffer_wrap(d->handle, o->dtype, count, o->low, o->readonly, holder_release, h, &buffer);
    array *a;

    if (status) {
        raise_status(d->core, status);
        return NULL;
    }
    a = array_create(d->core, memory_create(d, buffer, o->low, o->readonly, NULL), o->dtype, rank,
                     extents);
    if (!a)
        return NULL;
    a->memory->is_shared = true;
    a->offset = (o->data - o->low) / (Py_ssize_t)size;
    for (int k = 0; k < a->rank && count; k++) /* others say nothing, and may be any number */
        if (a->extent[k] > 1)
            a->stride[k] = strides[k];
    return a;
}

int check_rank(core *c, int rank)
{
    return rank <= RANKS
               ? 0
               : raise_text(c, LW_E_SHAPE, "the array has %d axes; need 0 to %d", rank, RANKS);
}

bool array_is_contiguous(const array *a)
{
    Py_ssize_t stride = 1;

    for (int k = a->rank; k-- > 0;) {
        if (a->extent[k] > 1 && a->stride[k] != stride)
            return false;
        stride *= a->extent[k];
    }
    return true;
}

lw_tensor array_tensor(const array *a)
{
    lw_tensor t = {
        .buffer = a->memory->buffer, .offset = (size_t)a->offset, .rank = a->rank, .strided = true};

    if (a->rank > RANKS) {
        t.rank = 1;
        t.extent[0] = array_size(a);
        t.stride[0] = 1;
        return t;
    }
    for (int k = 0; k < a->rank; k++) {
        t.extent[k] = a->extent[k];
        t.stride[k] = a->stride[k];
    }
    return t;
}

/* Wait for the launches that use the memory, in slices, so that Ctrl-C is heard. */
int array_wait(array *a)
{
    lw_status status;

    do {
        Py_BEGIN_ALLOW_THREADS;
        status = lw_buffer_wait_for(a->memory->buffer, SLICE_NS);
        Py_END_ALLOW_THREADS;
        if (status == LW_E_TIMEOUT && PyErr_CheckSignals())
            return -1;
    } while (status == LW_E_TIMEOUT);
    return status ? raise_status(a->core, status) : 0;
}

/* ---- attributes ---- */

static void array_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    if (((array *)self)->weak)
        PyObject_ClearWeakRefs(self);
    waiting_drop((array *)self);
    DROP_IF(((array *)self)->memory);
    release(self);
    DROP(type);
}

PyObject *extents_tuple(int rank, const Py_ssize_t *extents, Py_ssize_t times)
{
    PyObject *tuple = PyTuple_New(rank);

    for (int k = 0; tuple && k < rank; k++) {
        PyObject *item = PyLong_FromSsize_t(extents[k] * times);

        if (!item || PyTuple_SetItem(tuple, k, item))
            Py_CLEAR(tuple);
    }
    return tuple;
}

/* The axes reversed, as a view. */
static PyObject *array_turned(array *from)
{
    if (array_settle(from))
        return NULL;
    HOLD(from->memory);
    array *a = array_create(from->core, from->memory, from->dtype, from->rank, from->extent);
    if (!a)
        return NULL;
    a->readonly = from->readonly;
    a->offset = from->offset;
    for (int k = 0; k < a->rank; k++) {
        a->extent[k] = from->extent[a->rank - 1 - k];
        a->stride[k] = from->stride[a->rank - 1 - k];
    }
    return (PyObject *)a;
}

enum attribute {
    SHAPE,
    STRIDES,
    STRIDES_IN_ELEMENTS,
    DTYPE,
    DTYPE_CODE,
    DEVICE,
    NBYTES,
    NDIM,
    SIZE,
    IS_READONLY,
    OFFSET,
    POINTER,
    ADDRESS,
    WAITS,
    TURNED
};

static PyObject *array_get(PyObject *self, void *closure)
{
    array *a = (array *)self;
    const Py_ssize_t size = (Py_ssize_t)lw_dtype_size(a->dtype);
    PyObject *object = NULL;

    switch ((enum attribute)(intptr_t)closure) {
    case SHAPE: return extents_tuple(a->rank, a->extent, 1);
    case STRIDES: return extents_tuple(a->rank, a->stride, size);
    case STRIDES_IN_ELEMENTS: return extents_tuple(a->rank, a->stride, 1);
    case DTYPE: object = a->core->dtypes[a->dtype]; break;
    case DTYPE_CODE: return PyLong_FromLong((long)a->dtype);
    case DEVICE: object = (PyObject *)array_device(a); break;
    case NBYTES: return PyLong_FromSsize_t(array_size(a) * size);
    case NDIM: return PyLong_FromLong(a->rank);
    case SIZE: return PyLong_FromSsize_t(array_size(a));
    case IS_READONLY: return PyBool_FromLong(a->readonly);
    case TURNED: return array_turned(a);
    case WAITS: return PyBool_FromLong(a->waiting != NULL);
    case OFFSET: return PyLong_FromSsize_t(a->offset);
    case POINTER:
    case ADDRESS:
        if (array_settle(a) || memory_settle(a->memory))
            return NULL;
        a->memory->is_shared = true;
        if (a->memory->data)
            return PyLong_FromVoidPtr((char *)a->memory->data + a->offset * size);
        if ((enum attribute)(intptr_t)closure == ADDRESS)
            return PyLong_FromLong(0);
        object = Py_None;
        break;
    }
    HOLD(object);
    return object;
}

#define ATTRIBUTE(name, code, doc) {name, array_get, NULL, doc, (void *)(intptr_t)(code)}

static PyGetSetDef array_attributes[] = {
    ATTRIBUTE("shape", SHAPE, "the extents"),
    ATTRIBUTE("strides", STRIDES, "in bytes, as NumPy's"),
    ATTRIBUTE("_strides", STRIDES_IN_ELEMENTS, "in elements"),
    ATTRIBUTE("dtype", DTYPE, "NumPy's dtype"),
    ATTRIBUTE("_code", DTYPE_CODE, "the library's number of the dtype"),
    ATTRIBUTE("device", DEVICE, "the Device"),
    ATTRIBUTE("nbytes", NBYTES, "bytes of all elements"),
    ATTRIBUTE("ndim", NDIM, "the number of axes, 0 to 8"),
    ATTRIBUTE("size", SIZE, "the number of elements"),
    ATTRIBUTE("readonly", IS_READONLY, "True if it cannot be written"),
    ATTRIBUTE("_offset", OFFSET, "of the first element in the memory"),
    ATTRIBUTE("_waits", WAITS, "True if it is not yet computed"),
    ATTRIBUTE("T", TURNED, "The axes reversed, as a view."),
    ATTRIBUTE("_pointer", POINTER, "address of the first element, or None"),
    ATTRIBUTE("address", ADDRESS,
              "Of the first element, on its device, for kernels that follow pointers; an int, 0 "
              "where there is no memory. It is good as long as the array lives."),
    {NULL, NULL, NULL, NULL, NULL},
};

static PyObject *array_method_wait(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (array_settle((array *)self) || array_wait((array *)self))
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef array_methods[] = {
    {"_wait", array_method_wait, METH_NOARGS, "wait for the launches that use the memory"},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef array_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(array, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static const PyType_Slot array_own_slots[] = {
    {Py_tp_members, array_members},
    {Py_tp_dealloc, (void *)array_dealloc},
    {Py_tp_getset, array_attributes},
    {Py_tp_methods, array_methods},
    {Py_bf_getbuffer, (void *)array_get_buffer},
    {Py_bf_releasebuffer, (void *)array_release_buffer},
    {0, NULL},
};
enum { OWN_SLOTS = sizeof array_own_slots / sizeof *array_own_slots };
static PyType_Slot array_slots[ARRAY_OPERATORS + OWN_SLOTS];
PyType_Spec *array_spec(const PyType_Slot *operators)
{
    static PyType_Spec spec = {
        "lanewise._core.Array", sizeof(array), 0,
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, array_slots};

    memcpy(array_slots, operators, ARRAY_OPERATORS * sizeof *operators);
    memcpy(array_slots + ARRAY_OPERATORS, array_own_slots, sizeof array_own_slots);
    return &spec;
}

/* ---- functions of the module ---- */

/* An int or a sequence of at most so many, from 0 on. */
int read_extents(core *c, PyObject *shape, int most, int *rank, Py_ssize_t *extents)
{
    const bool is_one = PyIndex_Check(shape);
    const Py_ssize_t count = is_one ? 1 : PySequence_Size(shape);

    if (count < 0)
        return -1;
    if (count > most)
        return raise_text(c, LW_E_SHAPE, "the shape %S has %zd axes; need 0 to %d", shape, count,
                          most);
    *rank = (int)count;
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *item = is_one ? Py_NewRef(shape) : PySequence_GetItem(shape, k);

        extents[k] = item ? PyNumber_AsSsize_t(item, PyExc_OverflowError) : -1;
        DROP_IF(item);
        if (extents[k] == -1 && PyErr_Occurred())
            return -1;
        if (extents[k] < 0)
            return raise_text(c, LW_E_SHAPE, "the shape %S has an extent below 0", shape);
    }
    return 0;
}

/* allocate(device, dtype, shape, is_cleared=True) */
PyObject *core_allocate(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core *c = core_of(module);
    Py_ssize_t extents[AXES];
    array *a = NULL;
    long dtype;
    int rank;

    if ((count != 3 && count != 4) ||
        ((dtype = PyLong_AsLong(args[1])) == -1 && PyErr_Occurred()) ||
        read_extents(c, args[2], AXES, &rank, extents))
        return NULL;
    device *d = device_from(c, args[0]);
    if (d)
        a = allocate(d, (lw_dtype)dtype, rank, extents, count == 3 || args[3] == Py_True);
    DROP_IF(d);
    return (PyObject *)a;
}

static int read_longs(PyObject *sequence, int rank, Py_ssize_t *values)
{
    for (int k = 0; k < rank; k++) {
        PyObject *item = PySequence_GetItem(sequence, k);

        values[k] = item ? PyLong_AsSsize_t(item) : -1;
        DROP_IF(item);
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* wrap_address(device, owner, address, dtype, shape, strides in elements, readonly): an array on
 * memory that the owner keeps. */
PyObject *core_wrap_address(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core *c = core_of(module);
    Py_ssize_t extents[AXES], strides[AXES];
    array *a = NULL;
    operand o = {0};
    long dtype;
    int rank;

    if (count != 7 || ((dtype = PyLong_AsLong(args[3])) == -1 && PyErr_Occurred()) ||
        (!(o.data = PyLong_AsVoidPtr(args[2])) && PyErr_Occurred()) ||
        read_extents(c, args[4], AXES, &rank, extents) || read_longs(args[5], rank, strides))
        return NULL;
    o.dtype = (lw_dtype)dtype;
    o.readonly = PyObject_IsTrue(args[6]) == 1;
    o.itemsize = (Py_ssize_t)lw_dtype_size(o.dtype);
    if (operand_find_range(c, &o, rank, extents, strides, o.itemsize))
        return NULL;
    device *d = device_from(c, args[0]);
    holder *h = d ? holder_create(c) : NULL;
    if (h) {
        h->owner = Py_NewRef(args[1]);
        a = array_wrap(d, &o, rank, extents, strides, h);
    }
    if (h && !a) {
        DROP(h->owner);
        free(h);
    }
    DROP_IF(d);
    return (PyObject *)a;
}

/* The caller has seen to it that the view is within the memory. */
PyObject *core_view(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core *c = core_of(module);
    Py_ssize_t extents[AXES];
    int rank;

    if (count != 4 || !is_array(c, args[0]) || read_extents(c, args[2], AXES, &rank, extents))
        return NULL;
    array *from = (array *)args[0];
    if (array_settle(from))
        return NULL;
    HOLD(from->memory);
    array *a = array_create(c, from->memory, from->dtype, rank, extents);
    if (!a)
        return NULL;
    a->readonly = from->readonly;
    a->offset = PyLong_AsSsize_t(args[1]);
    if (read_longs(args[3], rank, a->stride) || PyErr_Occurred())
        Py_CLEAR(a);
    return (PyObject *)a;
}

/* A transfer of all elements of a C-contiguous array, on any device. */
PyObject *core_transfer(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core *c = core_of(module);
    lw_status status;
    int writes;

    if (count != 3 || !is_array(c, args[0]) || (writes = PyObject_IsTrue(args[2])) < 0)
        return NULL;
    array *a = (array *)args[0];
    if (array_settle(a) || (writes && memory_settle(a->memory)))
        return NULL;
    Py_buffer view;
    if (PyObject_GetBuffer(args[1], &view, writes ? PyBUF_C_CONTIGUOUS : PyBUF_CONTIG))
        return NULL;
    size_t size = (size_t)array_size(a);
    stream *s = stream_current(a->memory->device);
    if ((s && stream_finish(s, -1)) || array_wait(a)) { /* what is yet to be done with the memory */
        PyBuffer_Release(&view);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    if ((size_t)view.len != size * lw_dtype_size(a->dtype))
        status = lw_fail(LW_E_SHAPE, "%zd bytes for %zu elements", view.len, size);
    else if (writes)
        status = lw_buffer_write(a->memory->buffer, (size_t)a->offset, size, view.buf);
    else
        status = lw_buffer_read(a->memory->buffer, (size_t)a->offset, size, view.buf);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&view);
    if (status) {
        raise_status(c, status);
        return NULL;
    }
    Py_RETURN_NONE;
}
