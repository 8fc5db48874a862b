/* device.c - Device and Stream. Calls without a stream borrow an idle one of the device. */
#include "core.h"
#include <structmember.h>
#include <stdlib.h>
#include <string.h>

/* ---- devices ---- */

static int describe(device *d)
{
    lw_device_info info;
    const lw_status status = lw_device_get_info(d->handle, &info);

    if (status)
        return raise_status(d->core, status);
    d->description = PyUnicode_FromString(info.description);
    return d->description ? 0 : -1;
}

static lw_status open_device(const char *name, lw_device **handle)
{
    lw_status status;

    Py_BEGIN_ALLOW_THREADS;
    status = lw_device_open(name, handle);
    Py_END_ALLOW_THREADS;
    return status;
}

static device *device_open(core *c, const char *name, PyObject *key)
{
    device *d = PyObject_New(device, c->device_type);

    if (!d)
        return NULL;
    memset((char *)d + sizeof(PyObject), 0, sizeof *d - sizeof(PyObject));
    d->core = c;
    d->is_host = strncmp(name, "cuda", 4) != 0;
    d->dl_index = d->is_host || !name[4] ? 0 : atoi(name + 5);
    d->name = PyUnicode_FromString(name);
    lw_status status = d->name ? open_device(name, &d->handle) : LW_E_MEMORY;
    if (d->name && status)
        raise_status(c, status);
    if (status || describe(d) || PyDict_SetItem(c->devices, key, (PyObject *)d)) {
        DROP(d);
        return NULL;
    }
    return d;
}

/* One Device for each name, as long as the process lives. A new reference. */
device *device_by_name(core *c, const char *name)
{
    PyObject *key = PyUnicode_FromString(!strcmp(name, "cuda:0") ? "cuda" : name);
    device *d = key ? (device *)PyDict_GetItemWithError(c->devices, key) : NULL;

    HOLD_IF(d);
    if (key && !d && !PyErr_Occurred())
        d = device_open(c, name, key);
    DROP_IF(key);
    return d;
}

device *device_default(core *c)
{
    PyObject *chosen = PyList_Size(c->defaults) ? PyList_GetItem(c->defaults, 0) : NULL;

    return (device *)(chosen ? Py_NewRef(chosen) : PyObject_CallNoArgs(c->get_default));
}

/* A Device, a name, or None for the default. A new reference. */
device *device_from(core *c, PyObject *object)
{
    if (!object || object == Py_None)
        return device_default(c);
    if (Py_TYPE(object) == c->device_type) {
        HOLD(object);
        return (device *)object;
    }
    if (!PyUnicode_Check(object)) {
        PyErr_Format(c->errors[-LW_E_ARG], "a device is a name or a Device, not %R",
                     (PyObject *)Py_TYPE(object));
        return NULL;
    }
    const char *name = PyUnicode_AsUTF8AndSize(object, NULL);
    return name ? device_by_name(c, name) : NULL;
}

static PyObject *device_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *words[] = {"name", NULL};
    const char *name;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s", words, &name))
        return NULL;
    return (PyObject *)device_by_name(core_of_type(type), name);
}

static void device_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    device *d = (device *)self;

    while (d->idle_count) {
        stream *s = d->idle[--d->idle_count];

        s->device = NULL; /* an idle stream has no hold on its device */
        DROP(s);
    }
    lw_device_close(d->handle);
    DROP_IF(d->name);
    DROP_IF(d->description);
    PyObject_Free(self);
    DROP(type);
}

static PyObject *device_get(PyObject *self, void *closure)
{
    PyObject *text = closure ? ((device *)self)->description : ((device *)self)->name;

    HOLD(text);
    return text;
}

static PyObject *device_repr(PyObject *self)
{
    return PyUnicode_FromFormat("lanewise.Device(%R)", ((device *)self)->name);
}

static PyGetSetDef device_attributes[] = {
    {"name", device_get, NULL, "what `lanewise devices` calls it", NULL},
    {"description", device_get, NULL, "one line for people", (void *)1},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot device_slots[] = {
    {Py_tp_new, (void *)device_new},
    {Py_tp_dealloc, (void *)device_dealloc},
    {Py_tp_repr, (void *)device_repr},
    {Py_tp_getset, device_attributes},
    {Py_tp_doc, "Device(name)\n--\n\nA device that runs kernels. One object for each name.\n\n"
                ">>> lw.Device('ref').name\n'ref'"},
    {0, NULL},
};
PyType_Spec device_spec = {"lanewise.Device", sizeof(device), 0, Py_TPFLAGS_DEFAULT, device_slots};

PyObject *core_devices(PyObject *module, PyObject *unused)
{
    lw_device_info rows[16];
    const size_t count = lw_device_list(rows, 16);
    PyObject *list = PyList_New(0);

    (void)module;
    (void)unused;
    for (size_t k = 0; list && k < count && k < 16; k++) {
        PyObject *row = Py_BuildValue("(ssOs)", rows[k].name, rows[k].description,
                                      rows[k].available ? Py_True : Py_False, rows[k].unavailable);

        if (!row || PyList_Append(list, row))
            Py_CLEAR(list);
        DROP_IF(row);
    }
    return list;
}

/* ---- streams ---- */

stream *stream_create(device *d, void *native, bool has_native)
{
    stream *s = PyObject_New(stream, d->core->stream_type);

    if (!s)
        return NULL;
    memset((char *)s + sizeof(PyObject), 0, sizeof *s - sizeof(PyObject));
    s->core = d->core;
    HOLD(d);
    s->device = d;
    s->native = native;
    s->has_native = has_native;
    lw_status status = has_native ? lw_stream_wrap(d->handle, native, &s->handle)
                                  : lw_stream_create(d->handle, &s->handle);
    if (status) {
        raise_status(d->core, status);
        DROP(s);
        return NULL;
    }
    lw_stream_on_print(s->handle, stream_keep_line, s);
    return s;
}

/* A stream for one call. While it is idle it has no hold on its device. */
stream *stream_take(device *d)
{
    if (!d->idle_count)
        return stream_create(d, NULL, false);
    stream *s = d->idle[--d->idle_count];
    HOLD(d);
    s->device = d;
    return s;
}

/* Takes the reference. A stream that has failed is of no more use. */
void stream_give(device *d, stream *s)
{
    if (d->idle_count == IDLE_STREAMS || s->is_interrupted || lw_stream_check(s->handle) ||
        Py_REFCNT((PyObject *)s) != 1) {
        DROP(s);
        return;
    }
    s->device = NULL;
    d->idle[d->idle_count++] = s;
    DROP(d);
}

/* ---- the stream for calls that name none ---- */

static _Thread_local stream *current; /* or NULL: an idle one, which is waited for */

/* Borrowed. NULL: there is none, or it is of another device. */
stream *stream_current(const device *d)
{
    return current && (!d || current->device == d) ? current : NULL;
}

PyObject *core_use_stream(PyObject *module, PyObject *object)
{
    core *c = core_of(module);
    stream *before = current;

    if (object != Py_None && Py_TYPE(object) != c->stream_type)
        return raise_text(c, LW_E_ARG, "the stream is %R; need a lanewise.Stream", object), NULL;
    current = object == Py_None ? NULL : (stream *)Py_NewRef(object);
    return before ? (PyObject *)before : Py_NewRef(Py_None);
}

/* ---- memory from the stream's owner ---- */

/* An Array of `allocate`. A new reference. */
PyObject *stream_allocate(const stream *s, lw_dtype dtype, PyObject *extents)
{
    PyObject *made = PyObject_CallFunction(s->allocate, "iO", (int)dtype, extents);

    if (!made || is_array(s->core, made))
        return made;
    raise_text(s->core, LW_E_INTERNAL, "the stream's allocator gave %R; need an Array", made);
    DROP(made);
    return NULL;
}

/* The exception as the library's message. */
static lw_status fail_as_raised(void)
{
    PyObject *type, *value, *trace;

    PyErr_Fetch(&type, &value, &trace);
    PyObject *text = value ? PyObject_Str(value) : NULL;
    PyErr_Clear();
    lw_status status = lw_fail(LW_E_MEMORY, "no scratch memory: %s",
                               text ? PyUnicode_AsUTF8AndSize(text, NULL) : "the allocator failed");
    DROP_IF(text);
    DROP_IF(type);
    DROP_IF(value);
    DROP_IF(trace);
    return status;
}

/* The buffer keeps the memory of the Array, until it is given back. */
static lw_status lend(size_t bytes, lw_buffer **buffer, void *user)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *extents = Py_BuildValue("(n)", (Py_ssize_t)bytes);
    PyObject *made = extents ? stream_allocate(user, LW_U8, extents) : NULL;
    lw_status status = made ? LW_OK : fail_as_raised();

    if (made) {
        *buffer = ((array *)made)->memory->buffer;
        lw_buffer_hold(*buffer);
    }
    DROP_IF(made);
    DROP_IF(extents);
    PyGILState_Release(state);
    return status;
}

static void take_back(lw_buffer *buffer, void *user)
{
    (void)user;
    lw_buffer_destroy(buffer);
}

static void cancel(stream *s)
{
    s->is_interrupted = true;
    Py_BEGIN_ALLOW_THREADS;
    lw_stream_cancel(s->handle);
    Py_END_ALLOW_THREADS;
}

/* In slices, so that Ctrl-C is heard. */
static int finish(stream *s, double timeout)
{
    double left = timeout * 1e9;
    lw_status status;

    for (;;) {
        uint64_t slice =
            timeout >= 0 && left < SLICE_NS ? (uint64_t)(left > 0 ? left : 0) : SLICE_NS;

        Py_BEGIN_ALLOW_THREADS;
        status = lw_stream_wait_for(s->handle, slice);
        Py_END_ALLOW_THREADS;
        if (status == LW_E_CHECK && s->is_checked)
            status = LW_OK;
        if (status != LW_E_TIMEOUT)
            break;
        left -= (double)slice;
        if (PyErr_CheckSignals()) {
            cancel(s);
            return -1;
        }
        if (timeout >= 0 && left <= 0) {
            s->is_overdue = true;
            return raise_text(s->core, LW_E_TIMEOUT,
                              "the work of the stream is not done in time; it goes on");
        }
    }
    s->is_overdue = false;
    if (status == LW_E_CHECK)
        return check_raise(s);
    return status ? raise_status(s->core, status) : 0;
}

/* Wait, and write what kernels have printed. timeout below 0: none. */
int stream_finish(stream *s, double timeout)
{
    const int failed = finish(s, timeout);

    return stream_print(s) ? -1 : failed;
}

int stream_settle(stream *s, device *idle, bool is_checked, lw_status status, lw_status waited)
{
    int failed = waited == LW_E_TIMEOUT ? stream_finish(s, -1) : 0;

    if (!failed && !status && waited == LW_E_CHECK && !s->is_checked)
        failed = check_raise(s);
    else if (!failed && (status || (waited && waited != LW_E_TIMEOUT)))
        failed = raise_status(s->core, status ? status : waited);
    failed = stream_print(s) ? -1 : failed;
    if (is_checked) {
        failed = failed || stream_finish(s, -1);
        return failed ? check_failed(s->core) : 0;
    }
    if (idle && waited && failed)
        DROP(s);
    else if (idle)
        stream_give(idle, s);
    return failed;
}

/* To destroy a stream is to wait for its work, unless nobody wants that any more. Ctrl-C ends the
 * wait, and is raised where Python code goes on. */
static void finish_or_cancel(stream *s)
{
    bool is_stopped = false;

    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    lw_stream_on_output(s->handle, NULL, NULL);
    if (s->is_overdue)
        cancel(s);
    lw_status status;
    do {
        Py_BEGIN_ALLOW_THREADS;
        status = lw_stream_wait_for(s->handle, SLICE_NS);
        Py_END_ALLOW_THREADS;
        is_stopped = status == LW_E_TIMEOUT && PyErr_CheckSignals();
    } while (status == LW_E_TIMEOUT && !is_stopped);
    if (is_stopped) {
        cancel(s);
        if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt))
            PyErr_SetInterrupt();
        else
            PyErr_WriteUnraisable(NULL);
    }
    PyErr_Restore(type, value, trace); /* and drops what is set */
}

static void stream_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    stream *s = (stream *)self;
    lw_stream *handle = s->handle;

    if (s->weak)
        PyObject_ClearWeakRefs(self);
    if (handle && !s->recorder) {
        if (!s->has_native)
            finish_or_cancel(s);
        Py_BEGIN_ALLOW_THREADS;
        lw_stream_destroy(handle);
        Py_END_ALLOW_THREADS;
    }
    PyMem_Free(s->printed);
    DROP_IF(s->device);
    DROP_IF(s->recorder);
    DROP_IF(s->allocate);
    PyObject_Free(self);
    DROP(type);
}

static PyObject *stream_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *words[] = {"device", "native", "allocate", NULL};
    PyObject *where = NULL, *native = NULL, *allocate = NULL;
    core *c = core_of_type(type);
    void *handle = NULL;
    stream *s = NULL;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOO", words, &where, &native, &allocate))
        return NULL;
    if (native && native != Py_None && !(handle = PyLong_AsVoidPtr(native)) && PyErr_Occurred())
        return NULL;
    device *d = device_from(c, where);
    if (d)
        s = stream_create(d, handle, native && native != Py_None);
    DROP_IF(d);
    if (s && allocate && allocate != Py_None) {
        s->allocate = Py_NewRef(allocate);
        if (s->has_native)
            lw_stream_on_scratch(s->handle, (lw_lender){lend, take_back, s});
    }
    return (PyObject *)s;
}

static PyObject *stream_wait(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *words[] = {"timeout", NULL};
    PyObject *timeout = Py_None;
    double seconds = -1;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", words, &timeout))
        return NULL;
    if (timeout != Py_None) {
        seconds = PyFloat_AsDouble(timeout);
        if (seconds == -1 && PyErr_Occurred())
            return NULL;
        if (!(seconds >= 0)) {
            PyErr_Format(((stream *)self)->core->errors[-LW_E_ARG],
                         "timeout is %S; need seconds from 0 on, or None", timeout);
            return NULL;
        }
    }
    if (stream_finish((stream *)self, seconds))
        return NULL;
    waste_empty(((stream *)self)->core);
    Py_RETURN_NONE;
}

static PyObject *stream_check(PyObject *self, PyObject *unused)
{
    const lw_status status = lw_stream_check(((stream *)self)->handle);

    (void)unused;
    if (!status)
        Py_RETURN_NONE;
    raise_status(((stream *)self)->core, status);
    return NULL;
}

static PyObject *stream_cancel(PyObject *self, PyObject *unused)
{
    (void)unused;
    cancel((stream *)self);
    Py_RETURN_NONE;
}

/* An Array of the device, which the launches that use it keep; a Symbol where they are recorded. */
static PyObject *stream_temporary(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *words[] = {"dtype", "shape", NULL};
    PyObject *dtype, *shape, *module, *result = NULL;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO", words, &dtype, &shape))
        return NULL;
    if (((stream *)self)->recorder)
        return PyObject_CallMethod(((stream *)self)->recorder, "temporary", "OO", dtype, shape);
    module = PyImport_ImportModule("lanewise._array");
    if (module)
        result = PyObject_CallMethod(module, "temporary", "OOO", self, dtype, shape);
    DROP_IF(module);
    return result;
}

static PyObject *stream_get_device(PyObject *self, void *closure)
{
    (void)closure;
    HOLD(((stream *)self)->device);
    return (PyObject *)((stream *)self)->device;
}

static PyObject *stream_get_recorder(PyObject *self, void *closure)
{
    PyObject *recorder = ((stream *)self)->recorder;

    (void)closure;
    return Py_NewRef(recorder ? recorder : Py_None);
}

static PyObject *stream_get_allocate(PyObject *self, void *closure)
{
    PyObject *allocate = ((stream *)self)->allocate;

    (void)closure;
    return Py_NewRef(allocate ? allocate : Py_None);
}

static PyObject *stream_get_native(PyObject *self, void *closure)
{
    stream *s = (stream *)self;

    (void)closure;
    if (s->has_native)
        return PyLong_FromVoidPtr(s->native);
    raise_text(s->core, LW_E_UNSUPPORTED,
               "native: only a stream that was made with native= has a handle");
    return NULL;
}

static PyMethodDef stream_methods[] = {
    {"wait", (PyCFunction)(void (*)(void))stream_wait, METH_VARARGS | METH_KEYWORDS,
     "wait($self, /, timeout=None)\n--\n\n"
     "Wait until all queued work is done; raises what went wrong."},
    {"temporary", (PyCFunction)(void (*)(void))stream_temporary, METH_VARARGS | METH_KEYWORDS,
     "temporary($self, /, dtype, shape)\n--\n\n"
     "Memory for launches on this stream, as an Array."},
    {"_findings", stream_findings, METH_VARARGS,
     "_findings($self, format, path, /)\n--\n\n"
     "Write what the checker found to a file: 0 as text, 1 as JSON, 2 as SARIF."},
    {"_picture_begin", stream_picture_begin, METH_VARARGS,
     "_picture_begin($self, block, steps, traces, source, /)\n--\n\n"
     "Record the next launch."},
    {"_picture_write", stream_picture_write, METH_VARARGS,
     "_picture_write($self, format, path, /)\n--\n\n"
     "Write what was recorded: 0 as JSON, 1 as a page, 2 as a drawing. Why it is cut, or None."},
    {"_check", stream_check, METH_NOARGS,
     "_check($self, /)\n--\n\n"
     "Raise what is known by now of what went wrong, without waiting."},
    {"cancel", stream_cancel, METH_NOARGS,
     "cancel($self, /)\n--\n\n"
     "Stop the running launch and drop the queued ones; the stream then stays failed."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef stream_attributes[] = {
    {"device", stream_get_device, NULL, "the Device", NULL},
    {"_graph", stream_get_recorder, NULL, "the Graph that records, or None", NULL},
    {"_allocate", stream_get_allocate, NULL, "makes what its work needs, or None", NULL},
    {"native", stream_get_native, NULL, "the CUDA stream's handle", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef stream_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(stream, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot stream_slots[] = {
    {Py_tp_members, stream_members},
    {Py_tp_new, (void *)stream_new},
    {Py_tp_dealloc, (void *)stream_dealloc},
    {Py_tp_methods, stream_methods},
    {Py_tp_getset, stream_attributes},
    {Py_tp_doc, "A queue of launches that run in order. Made by lanewise.stream."},
    {0, NULL},
};
PyType_Spec stream_spec = {"lanewise._core.Stream", sizeof(stream), 0, Py_TPFLAGS_DEFAULT,
                           stream_slots};
