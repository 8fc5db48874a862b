/* dlpack.c - capsules of DLPack, both ways, versioned (1.0) and not.
 *
 * source   https://dmlc.github.io/dlpack/latest/c_api.html
 */
#include "base/base.h"
#include "core.h"
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_CUDA_MANAGED = 13 };
enum { DL_INT, DL_UINT, DL_FLOAT, DL_BFLOAT = 4, DL_BOOL = 6 };
enum { DL_READ_ONLY = 1 };

typedef struct dl_tensor {
    void *data;
    struct {
        int32_t type, index;
    } device;
    int32_t rank;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed {
    dl_tensor tensor;
    void *context;
    void (*deleter)(struct dl_managed *self);
} dl_managed;

typedef struct dl_versioned {
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct dl_versioned *self);
    uint64_t flags;
    dl_tensor tensor;
} dl_versioned;

static uint8_t code_of(lw_dtype dtype)
{
    const char kind = lw__dtypes[dtype].kind;

    return kind == 'i'        ? DL_INT
           : kind == 'u'      ? DL_UINT
           : kind == 'b'      ? DL_BOOL
           : dtype == LW_BF16 ? DL_BFLOAT
                              : DL_FLOAT;
}

/* ---- out ---- */

/* What a capsule of ours holds: one of the two, with room for extents and strides. */
typedef struct exported {
    union {
        dl_managed plain;
        dl_versioned versioned;
    } as;
    PyObject *owner;
    int64_t extent[AXES], stride[AXES];
} exported;

/* The consumer may be in any thread, without the GIL. */
static void let_go(exported *e)
{
    if (!Py_IsInitialized())
        return;
    PyGILState_STATE state = PyGILState_Ensure();
    DROP(e->owner);
    free(e);
    PyGILState_Release(state);
}

static void delete_plain(dl_managed *self)
{
    let_go(self->context);
}
static void delete_versioned(dl_versioned *self)
{
    let_go(self->context);
}

static void drop_plain(PyObject *capsule)
{
    dl_managed *m =
        PyCapsule_IsValid(capsule, "dltensor") ? PyCapsule_GetPointer(capsule, "dltensor") : NULL;

    if (m && m->deleter)
        m->deleter(m);
}

static void drop_versioned(PyObject *capsule)
{
    dl_versioned *m = PyCapsule_IsValid(capsule, "dltensor_versioned")
                          ? PyCapsule_GetPointer(capsule, "dltensor_versioned")
                          : NULL;

    if (m && m->deleter)
        m->deleter(m);
}

static void fill(exported *e, array *a, dl_tensor *t)
{
    const size_t size = lw_dtype_size(a->dtype);

    *t = (dl_tensor){.data = (char *)a->memory->data + (size_t)a->offset * size,
                     .rank = a->rank,
                     .shape = e->extent,
                     .strides = e->stride};
    t->device.type = a->memory->device->is_host ? DL_CPU : DL_CUDA;
    t->device.index = a->memory->device->dl_index;
    t->dtype.code = code_of(a->dtype);
    t->dtype.bits = (uint8_t)(8 * size);
    t->dtype.lanes = 1;
    for (int k = 0; k < a->rank; k++) {
        e->extent[k] = a->extent[k];
        e->stride[k] = a->stride[k];
    }
    e->owner = Py_NewRef((PyObject *)a);
}

static PyObject *export_versioned(exported *e, array *a)
{
    dl_versioned *m = &e->as.versioned;

    *m = (dl_versioned){.major = 1, .minor = 0, .context = e, .deleter = delete_versioned};
    m->flags = a->readonly ? DL_READ_ONLY : 0;
    fill(e, a, &m->tensor);
    return PyCapsule_New(m, "dltensor_versioned", drop_versioned);
}

static PyObject *export_plain(exported *e, array *a)
{
    dl_managed *m = &e->as.plain;

    *m = (dl_managed){.context = e, .deleter = delete_plain};
    fill(e, a, &m->tensor);
    return PyCapsule_New(m, "dltensor", drop_plain);
}

/* to_dlpack(array, is_versioned, waits): waits for the work that uses the array, if asked to. */
PyObject *core_to_dlpack(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core *c = core_of(module);
    int is_versioned, waits;

    if (count != 3 || !is_array(c, args[0]) || (is_versioned = PyObject_IsTrue(args[1])) < 0 ||
        (waits = PyObject_IsTrue(args[2])) < 0)
        return NULL;
    array *a = (array *)args[0];
    if (array_settle(a) || memory_settle(a->memory))
        return NULL;
    a->memory->is_shared = true;
    if (lw_buffer_is_blank(a->memory->buffer)) {
        raise_text(c, LW_E_ARG, "a tensor of a graph has no memory");
        return NULL;
    }
    if (a->readonly && !is_versioned) {
        PyErr_SetString(PyExc_BufferError, "the array is read-only, which DLPack can say from "
                                           "version 1.0 on: need max_version=(1, 0)");
        return NULL;
    }
    if (waits && array_wait(a))
        return NULL;
    exported *e;
    e = calloc(1, sizeof *e);
    if (!e)
        return PyErr_NoMemory();
    return is_versioned ? export_versioned(e, a) : export_plain(e, a);
}

/* ---- in ---- */

static void drop_managed(void *managed)
{
    dl_managed *m = managed;

    if (m->deleter)
        m->deleter(m);
}

static void drop_managed_versioned(void *managed)
{
    dl_versioned *m = managed;

    if (m->deleter)
        m->deleter(m);
}

static int find_dtype(core *c, const dl_tensor *t, lw_dtype *dtype)
{
    const char *const kinds[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
    const size_t code = t->dtype.code;

    for (int k = 0; k < LW_DTYPE_COUNT; k++)
        if (code_of((lw_dtype)k) == code && 8 * lw_dtype_size((lw_dtype)k) == t->dtype.bits &&
            t->dtype.lanes == 1) {
            *dtype = (lw_dtype)k;
            return 0;
        }
    return raise_text(c, LW_E_DTYPE,
                      "the DLPack tensor has elements of %s%d (code %d, %d lanes); need one "
                      "of " DTYPE_WORDS ", 1 lane",
                      code < sizeof kinds / sizeof *kinds ? kinds[code] : "?", t->dtype.bits,
                      (int)code, t->dtype.lanes);
}

/* NULL strides: C order. */
static int read_tensor(core *c, const dl_tensor *t, operand *o, Py_ssize_t *extents,
                       Py_ssize_t *strides)
{
    Py_ssize_t bytes, stride = 1;

    if (t->rank < 0 || t->rank > AXES)
        return raise_text(c, LW_E_SHAPE, "the DLPack tensor has %d axes; need 0 to %d", t->rank,
                          AXES);
    if (t->rank && !t->shape)
        return raise_text(c, LW_E_SHAPE, "the DLPack tensor has %d axes and no shape", t->rank);
    if (find_dtype(c, t, &o->dtype))
        return -1;
    o->itemsize = (Py_ssize_t)lw_dtype_size(o->dtype);
    o->data = (char *)t->data + t->byte_offset;
    for (int k = 0; k < t->rank; k++)
        extents[k] = (Py_ssize_t)t->shape[k];
    if (operand_find_bytes(c, t->rank, extents, o->itemsize, &bytes))
        return -1;
    if (bytes && !t->data)
        return raise_text(c, LW_E_ARG, "the DLPack tensor has %zd bytes and no memory", bytes);
    for (int k = t->rank; k-- > 0;) {
        strides[k] = t->strides ? (Py_ssize_t)t->strides[k] : stride;
        stride *= extents[k] ? extents[k] : 1;
    }
    return operand_find_range(c, o, t->rank, extents, strides, o->itemsize);
}

static device *find_device(core *c, const dl_tensor *t, PyObject *host)
{
    char name[32];

    if (t->device.type == DL_CPU || t->device.type == DL_CUDA_HOST)
        return device_from(c, host);
    if (t->device.type == DL_CUDA || t->device.type == DL_CUDA_MANAGED) {
        snprintf(name, sizeof name, "cuda:%d", (int)t->device.index);
        return device_by_name(c, name);
    }
    raise_text(c, LW_E_DEVICE,
               "the DLPack tensor is on a device of type %d; need memory of the "
               "host or of CUDA",
               (int)t->device.type);
    return NULL;
}

static PyObject *import(core *c, PyObject *host, const dl_tensor *t, bool readonly, holder *h)
{
    Py_ssize_t extents[AXES], strides[AXES];
    operand o = {.readonly = readonly};
    device *d = read_tensor(c, t, &o, extents, strides) ? NULL : find_device(c, t, host);
    array *a = d ? array_wrap(d, &o, t->rank, extents, strides, h) : NULL;

    DROP_IF(d);
    return (PyObject *)a;
}

/* from_dlpack(capsule, the device for memory of the host, is it read-only whatever it says) */
PyObject *core_from_dlpack(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core *c = core_of(module);
    int is_readonly;

    if (count != 3 || (is_readonly = PyObject_IsTrue(args[2])) < 0)
        return PyErr_Format(PyExc_TypeError, "from_dlpack takes a capsule, a device and a bool");
    PyObject *capsule = args[0];
    bool is_versioned = PyCapsule_IsValid(capsule, "dltensor_versioned");
    if (!is_versioned && !PyCapsule_IsValid(capsule, "dltensor")) {
        raise_text(c, LW_E_ARG, "got %R; need a DLPack capsule that is not used yet", capsule);
        return NULL;
    }
    dl_versioned *v =
        PyCapsule_GetPointer(capsule, is_versioned ? "dltensor_versioned" : "dltensor");
    dl_managed *m = (dl_managed *)(void *)v;
    if (is_versioned && v->major != 1) {
        raise_text(c, LW_E_UNSUPPORTED, "the capsule is of DLPack %d.%d; need 1.x", (int)v->major,
                   (int)v->minor);
        return NULL;
    }
    holder *h = holder_create(c);
    if (!h)
        return NULL;
    h->argument = is_versioned ? (void *)v : (void *)m;
    h->drop = is_versioned ? drop_managed_versioned : drop_managed;
    PyObject *a = import(c, args[1], is_versioned ? &v->tensor : &m->tensor,
                         is_readonly || (is_versioned && (v->flags & DL_READ_ONLY)), h);
    if (!a)
        free(h);
    else if (PyCapsule_SetName(capsule, is_versioned ? "used_dltensor_versioned" : "used_dltensor"))
        Py_CLEAR(a);
    return a;
}
