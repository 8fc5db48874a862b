/* dist.c - ranks for Python: comms over devices of the process or over a transport that is a Python
 * object, and operations over them. A comm is a capsule; one thread at a time uses it.
 */
#include "core.h"
#include <lanewise/dist.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INPUTS = 3, TEXT = 200 };

static const char capsule_name[] = "lanewise.comm";

typedef struct comm {
    lw_comm *handle;
    device *device;
    PyObject *transport; /* of a Python object; or NULL */
    char text[TEXT];
} comm;

/* ---- a transport of Python ---- */

/* The exception as a text for the library; it is not raised. */
static const char *note_exception(comm *m)
{
    const char *said = NULL;

    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *text = value ? PyObject_Str(value) : NULL;
    said = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    strncpy(m->text, said ? said : "the transport failed", TEXT - 1);
    DROP_IF(text);
    DROP_IF(type);
    DROP_IF(value);
    DROP_IF(trace);
    PyErr_Clear();
    return m->text;
}

/* What came in: bytes of exactly this length. */
static const char *take_bytes(comm *m, PyObject *got, void *to, size_t bytes)
{
    const char *text = NULL;

    if (!got)
        return note_exception(m);
    if (!PyBytes_Check(got) || (size_t)PyBytes_Size(got) != bytes) {
        strncpy(m->text, "the transport gave no bytes, or another number of them", TEXT - 1);
        text = m->text;
    } else
        memcpy(to, PyBytes_AsString(got), bytes);
    DROP(got);
    return text;
}

static const char *send(void *context, int to, int tag, const void *data, size_t bytes)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    comm *m = context;
    const char *text = NULL;
    PyObject *done =
        PyObject_CallMethod(m->transport, "send", "iiy#", to, tag, data, (Py_ssize_t)bytes);

    if (!done)
        text = note_exception(m);
    DROP_IF(done);
    PyGILState_Release(state);
    return text;
}

static const char *receive(void *context, int from, int tag, void *data, size_t bytes,
                           uint64_t nanoseconds)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    comm *m = context;
    const char *text =
        take_bytes(m,
                   PyObject_CallMethod(m->transport, "receive", "iind", from, tag,
                                       (Py_ssize_t)bytes, (double)nanoseconds * 1e-9),
                   data, bytes);

    PyGILState_Release(state);
    return text;
}

static const char *allgather(void *context, const void *data, size_t bytes, void *all,
                             uint64_t nanoseconds)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    comm *m = context;
    const char *text =
        take_bytes(m,
                   PyObject_CallMethod(m->transport, "allgather", "y#d", data, (Py_ssize_t)bytes,
                                       (double)nanoseconds * 1e-9),
                   all, bytes * (size_t)lw_comm_size(m->handle));

    PyGILState_Release(state);
    return text;
}

/* ---- comms ---- */

static void comm_free(comm *m)
{
    lw_comm_destroy(m->handle);
    DROP_IF(m->device);
    DROP_IF(m->transport);
    free(m);
}

static void capsule_free(PyObject *capsule)
{
    comm_free(PyCapsule_GetPointer(capsule, capsule_name));
}

static PyObject *comm_new(device *d, comm **out)
{
    comm *m = calloc(1, sizeof *m);
    PyObject *capsule = m ? PyCapsule_New(m, capsule_name, capsule_free) : NULL;

    if (!capsule) {
        free(m);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    HOLD(d);
    m->device = d;
    *out = m;
    return capsule;
}

static PyObject *wrap_comms(lw_comm **handles, device **devices, Py_ssize_t count)
{
    PyObject *list = PyList_New(count);

    for (Py_ssize_t k = 0; k < count; k++) {
        comm *m;
        PyObject *capsule = list ? comm_new(devices[k], &m) : NULL;

        if (!capsule) {
            lw_comm_destroy(handles[k]);
            continue;
        }
        m->handle = handles[k];
        PyList_SetItem(list, k, capsule);
    }
    if (list && PyErr_Occurred()) {
        DROP(list);
        return NULL;
    }
    return list;
}

/* comm_devices(devices): a comm for each, in a list */
PyObject *core_comm_devices(PyObject *module, PyObject *list)
{
    core *c = core_of(module);
    const Py_ssize_t count = PyList_Size(list);
    device **devices = calloc((size_t)(count > 0 ? count : 1), sizeof(device *));
    lw_device **handles = calloc((size_t)(count > 0 ? count : 1), sizeof(lw_device *));
    lw_comm **comms = calloc((size_t)(count > 0 ? count : 1), sizeof(lw_comm *));
    PyObject *result = NULL;

    if (!devices || !handles || !comms)
        PyErr_NoMemory();
    for (Py_ssize_t k = 0; k < count && !PyErr_Occurred(); k++) {
        devices[k] = device_from(c, PyList_GetItem(list, k));
        handles[k] = devices[k] ? devices[k]->handle : NULL;
    }
    lw_status status;
    if (!PyErr_Occurred()) {
        status = lw_comm_devices(handles, (int)count, comms);
        if (status)
            raise_status(c, status);
        else
            result = wrap_comms(comms, devices, count);
    }
    for (Py_ssize_t k = 0; devices && k < count; k++)
        DROP_IF(devices[k]);
    free(devices);
    free(handles);
    free(comms);
    return result;
}

/* comm_create(device, transport, rank, size) */
PyObject *core_comm_create(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core *c = core_of(module);
    lw_transport t = {NULL, 0, 0, send, receive, allgather, NULL};
    device *d = count == 4 ? device_from(c, args[0]) : NULL;
    PyObject *capsule = NULL;
    lw_status status = LW_OK;

    if (!d)
        return NULL;
    t.rank = (int)PyLong_AsLong(args[2]);
    t.size = (int)PyLong_AsLong(args[3]);
    comm *m;
    if (!PyErr_Occurred())
        capsule = comm_new(d, &m);
    DROP(d);
    if (!capsule)
        return NULL;
    m->transport = Py_NewRef(args[1]);
    t.context = m;
    status = lw_comm_create(m->device->handle, &t, &m->handle);
    if (!status)
        return capsule;
    raise_status(c, status);
    DROP(capsule);
    return NULL;
}

/* comm_info(comm): rank, size */
PyObject *core_comm_info(PyObject *module, PyObject *capsule)
{
    const comm *m = PyCapsule_GetPointer(capsule, capsule_name);

    (void)module;
    return m ? Py_BuildValue("ii", lw_comm_rank(m->handle), lw_comm_size(m->handle)) : NULL;
}

/* comm_limit(comm, nanoseconds) */
PyObject *core_comm_limit(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    comm *m = count == 2 ? PyCapsule_GetPointer(args[0], capsule_name) : NULL;
    const unsigned long long limit = m ? PyLong_AsUnsignedLongLong(args[1]) : 0;

    (void)module;
    if (!m || PyErr_Occurred())
        return NULL;
    lw_comm_set_limit(m->handle, limit);
    Py_RETURN_NONE;
}

/* ---- operations ---- */

typedef struct call {
    const char *name;
    lw_tensor out, in[MOST_INPUTS];
    lw_part part;
    int axis, keepdims, sum, exclusive, op, causal, window;
    double eps, scale;
    Py_ssize_t inputs;
} call;

static lw_status run_reduction(comm *m, lw_stream *s, const call *k, bool *is_known)
{
    const lw_reduce_options o = {k->axis, k->keepdims, (lw_sum_order)k->sum};

    *is_known = true;
    if (!strcmp(k->name, "sum"))
        return lw_dist_sum(m->handle, s, k->out, k->in[0], k->part, &o);
    if (!strcmp(k->name, "mean"))
        return lw_dist_mean(m->handle, s, k->out, k->in[0], k->part, &o);
    if (!strcmp(k->name, "max"))
        return lw_dist_max(m->handle, s, k->out, k->in[0], k->part, &o);
    if (!strcmp(k->name, "argmax"))
        return lw_dist_argmax(m->handle, s, k->out, k->in[0], k->part, &o);
    *is_known = false;
    return LW_OK;
}

static lw_status run_row(comm *m, lw_stream *s, const call *k, bool *is_known)
{
    const lw_norm_options norm = {k->axis, k->eps, k->inputs > 1 ? &k->in[1] : NULL,
                                  k->inputs > 2 ? &k->in[2] : NULL};
    const lw_scan_options scan = {k->axis, k->exclusive, (lw_scan_op)k->op};

    *is_known = true;
    if (!strcmp(k->name, "scan"))
        return lw_dist_scan(m->handle, s, k->out, k->in[0], k->part, &scan);
    if (!strcmp(k->name, "softmax"))
        return lw_dist_softmax(m->handle, s, k->out, k->in[0], k->part, &norm);
    if (!strcmp(k->name, "layer_norm"))
        return lw_dist_layer_norm(m->handle, s, k->out, k->in[0], k->part, &norm);
    *is_known = false;
    return LW_OK;
}

static lw_status run(comm *m, lw_stream *s, const call *k)
{
    const lw_dot_options dot = {(lw_sum_order)k->sum};
    const lw_matmul_options product = {k->inputs > 2 ? &k->in[2] : NULL, (lw_sum_order)k->sum};
    const lw_attention_options attention = {k->scale, k->causal, k->window, NULL,
                                            (lw_sum_order)k->sum};
    bool is_known;
    lw_status status = run_reduction(m, s, k, &is_known);

    if (!is_known)
        status = run_row(m, s, k, &is_known);
    if (is_known)
        return status;
    if (!strcmp(k->name, "dot"))
        return lw_dist_dot(m->handle, s, k->out, k->in[0], k->in[1], k->part, &dot);
    if (!strcmp(k->name, "matmul"))
        return lw_dist_matmul(m->handle, s, k->out, k->in[0], k->in[1], k->part, &product);
    if (!strcmp(k->name, "attention"))
        return lw_dist_attention(m->handle, s, k->out, k->in[0], k->in[1], k->in[2], k->part,
                                 &attention);
    if (!strcmp(k->name, "gather"))
        return lw_dist_gather(m->handle, s, k->out, k->in[0], k->part);
    return lw_dist_scatter(m->handle, s, k->out, k->in[0], k->part);
}

static int take_tensors(core *c, PyObject *out, PyObject *inputs, call *k)
{
    k->inputs = PyTuple_Size(inputs);
    if (!is_array(c, out) || k->inputs < 1 || k->inputs > MOST_INPUTS)
        return raise_text(c, LW_E_ARG, "%s: need an Array for the result, and 1 to %d", k->name,
                          MOST_INPUTS);
    if (check_rank(c, ((array *)out)->rank) || array_settle((array *)out) ||
        memory_settle(((array *)out)->memory))
        return -1;
    k->out = array_tensor((array *)out);
    for (Py_ssize_t i = 0; i < k->inputs; i++) {
        PyObject *object = PyTuple_GetItem(inputs, i);

        if (!is_array(c, object))
            return raise_text(c, LW_E_ARG, "%s: input %zd is no Array", k->name, i);
        if (check_rank(c, ((array *)object)->rank) || array_settle((array *)object))
            return -1;
        k->in[i] = array_tensor((array *)object);
    }
    return 0;
}

/* dist(comm, name, out, inputs, part, options): on Arrays of the comm's device. It waits for the
 * result. */
PyObject *core_dist(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core *c = core_of(module);
    comm *m = count == 6 ? PyCapsule_GetPointer(args[0], capsule_name) : NULL;
    call k = {0};
    lw_status status;
    int failed;

    if (!m || !(k.name = PyUnicode_AsUTF8AndSize(args[1], NULL)) ||
        take_tensors(c, args[2], args[3], &k) ||
        !PyArg_ParseTuple(args[4], "nnn", &k.part.global, &k.part.first, &k.part.count) ||
        !PyArg_ParseTuple(args[5], "iiiiiddii", &k.axis, &k.keepdims, &k.sum, &k.exclusive, &k.op,
                          &k.eps, &k.scale, &k.causal, &k.window))
        return NULL;
    stream *s = stream_take(m->device);
    if (!s)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = run(m, s->handle, &k);
    Py_END_ALLOW_THREADS;
    failed = status ? raise_status(c, status) : stream_finish(s, -1);
    stream_give(m->device, s);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}
