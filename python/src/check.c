/* check.c - launches under the checker. While a check is on, a launch of a kernel on the host runs
 * on the device "check" instead, on memory of its arrays, and has ended when the call returns. What
 * cannot be run there is noted: nothing is said to be clean that was not looked at.
 */
#include "core.h"
#include <lanewise/check.h>
#include <stdlib.h>

/* Checks may be nested; the innermost gets the findings. */
struct checker {
    struct checker *outer;
    device *device;
    lw_check_options options;
    stream *stream;      /* the last of streams */
    PyObject *streams;   /* a stream that has failed is of no more use, but for its findings */
    PyObject *unchecked; /* what was not checked, as texts */
};

static int add_stream(struct checker *k)
{
    stream *s = stream_create(k->device, NULL, false);

    if (!s)
        return -1;
    s->is_checked = true;
    k->stream = s;
    if (PyList_Append(k->streams, (PyObject *)s))
        k->stream = NULL;
    DROP(s);
    return k->stream ? 0 : -1;
}

static int configure(core *c, const struct checker *k)
{
    const lw_status status = lw_check_configure(k->device->handle, &k->options);

    return status ? raise_status(c, status) : 0;
}

static void release(struct checker *k)
{
    DROP_IF(k->device);
    DROP_IF(k->streams);
    DROP_IF(k->unchecked);
    free(k);
}

/* check_begin(schedules, strict) */
PyObject *core_check_begin(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core *c = core_of(module);
    struct checker *k = count == 2 ? calloc(1, sizeof *k) : NULL;
    const long schedules = k ? PyLong_AsLong(args[0]) : 0;

    if (!k)
        return PyErr_NoMemory();
    k->outer = c->checker;
    k->options =
        (lw_check_options){.schedules = (int)schedules, .strict = PyObject_IsTrue(args[1]) == 1};
    k->device = device_by_name(c, "check");
    k->streams = PyList_New(0);
    k->unchecked = PyList_New(0);
    if (PyErr_Occurred() || !k->device || configure(c, k) || add_stream(k)) {
        release(k);
        return NULL;
    }
    c->checker = k;
    Py_RETURN_NONE;
}

/* check_end(): the streams with their findings, and what was not checked */
PyObject *core_check_end(PyObject *module, PyObject *unused)
{
    core *c = core_of(module);
    struct checker *k = c->checker;
    const struct checker all_default = {.device = k ? k->device : NULL};

    (void)unused;
    if (!k)
        return raise_text(c, LW_E_ARG, "no check is on"), NULL;
    c->checker = k->outer;
    PyObject *result = configure(c, k->outer ? k->outer : &all_default)
                           ? NULL
                           : PyTuple_Pack(2, k->streams, k->unchecked);
    release(k);
    return result;
}

/* check_place(device): where a graph for it runs instead, or None. A device that cannot be checked
 * is noted. */
PyObject *core_check_place(PyObject *module, PyObject *where)
{
    core *c = core_of(module);
    device *d = c->checker ? device_from(c, where) : NULL;
    device *checked = d ? check_device(c, d) : NULL;
    PyObject *place = NULL;

    if (c->checker && !d)
        return NULL;
    if (checked)
        place = Py_NewRef((PyObject *)checked);
    else if (!d || !check_note(c, "a graph on %U: it ran on a GPU", d->name))
        place = Py_NewRef(Py_None);
    DROP_IF(d);
    return place;
}

/* ---- launches -------------------------------------------------------------------------------- */

device *check_device(const core *c, const device *d)
{
    return c->checker && d->is_host ? c->checker->device : NULL;
}

int check_note(const core *c, const char *format, PyObject *what)
{
    PyObject *text = c->checker ? PyUnicode_FromFormat(format, what) : NULL;
    int failed = c->checker && !text ? -1 : 0;

    if (text)
        failed = PyList_Append(c->checker->unchecked, text);
    DROP_IF(text);
    return failed;
}

stream *check_stream(const core *c)
{
    return c->checker->stream;
}

/* The exception that there is stays. */
int check_failed(core *c)
{
    stream *s = c->checker ? c->checker->stream : NULL;

    if (!s || !(s->is_interrupted || lw_stream_check(s->handle)))
        return -1;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (add_stream(c->checker))
        PyErr_Clear();
    PyErr_Restore(type, value, trace);
    return -1;
}

/* ---- findings -------------------------------------------------------------------------------- */

/* _findings(format, path): as lw_check_write */
PyObject *stream_findings(PyObject *self, PyObject *args)
{
    stream *s = (stream *)self;
    const char *path;
    lw_status status;
    int format;

    if (!PyArg_ParseTuple(args, "is", &format, &path))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = lw_check_write(s->handle, (lw_check_format)format, path);
    Py_END_ALLOW_THREADS;
    if (status)
        return raise_status(s->core, status), NULL;
    Py_RETURN_NONE;
}

/* The exception has what was found, for programs. */
int check_raise(stream *s)
{
    PyObject *type, *value, *trace, *module, *findings = NULL;

    raise_status(s->core, LW_E_CHECK);
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    module = PyImport_ImportModule("lanewise._check");
    if (module)
        findings = PyObject_CallMethod(module, "findings_of", "O", (PyObject *)s);
    if (!findings || PyObject_SetAttrString(value, "findings", findings))
        PyErr_Clear();
    DROP_IF(findings);
    DROP_IF(module);
    PyErr_Restore(type, value, trace);
    return -1;
}
