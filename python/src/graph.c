/* graph.c - graphs and executables of the library, as capsules. lanewise/_graph.py has what people
 * see of them.
 */
#include "core.h"
#include <string.h>

enum { MOST_BOUND = 64 };

static const char graph_name[] = "lanewise.graph", executable_name[] = "lanewise.executable";

/* The stream that records into a graph, of which `recorder` is the Python side. */
static stream *recording_stream(device *d, lw_graph *graph, PyObject *recorder)
{
    stream *s = PyObject_New(stream, d->core->stream_type);

    if (!s)
        return NULL;
    memset((char *)s + sizeof(PyObject), 0, sizeof *s - sizeof(PyObject));
    s->core = d->core;
    s->device = (device *)Py_NewRef((PyObject *)d);
    s->recorder = Py_NewRef(recorder);
    s->handle = lw_graph_stream(graph);
    return s;
}

static void drop_device(PyObject *capsule)
{
    DROP_IF((PyObject *)PyCapsule_GetContext(capsule));
}

static void drop_graph(PyObject *capsule)
{
    lw_graph_destroy(PyCapsule_GetPointer(capsule, graph_name));
    drop_device(capsule);
}

static void drop_executable(PyObject *capsule)
{
    lw_executable *x = PyCapsule_GetPointer(capsule, executable_name);

    Py_BEGIN_ALLOW_THREADS;
    lw_executable_destroy(x);
    Py_END_ALLOW_THREADS;
    drop_device(capsule);
}

/* Takes the reference to the device. */
static PyObject *encapsulate(void *handle, const char *name, PyCapsule_Destructor drop, device *d)
{
    PyObject *capsule = PyCapsule_New(handle, name, drop);

    if (capsule)
        (void)PyCapsule_SetContext(capsule, d);
    else
        DROP(d);
    return capsule;
}

/* graph_create(device): a graph */
PyObject *core_graph_create(PyObject *module, PyObject *where)
{
    core *c = core_of(module);
    device *d = device_from(c, where);

    if (!d)
        return NULL;
    lw_graph *graph;
    lw_status status = lw_graph_create(d->handle, &graph);
    if (!status)
        return encapsulate(graph, graph_name, drop_graph, d);
    DROP(d);
    raise_status(c, status);
    return NULL;
}

static lw_graph *graph_of(PyObject *capsule, device **d)
{
    lw_graph *graph = PyCapsule_GetPointer(capsule, graph_name);

    *d = graph ? PyCapsule_GetContext(capsule) : NULL;
    return graph;
}

/* graph_stream(graph, recorder): the stream that records into it */
PyObject *core_graph_stream(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 2)
        return PyErr_Format(PyExc_TypeError, "graph_stream takes 2");
    device *d;
    lw_graph *graph = graph_of(args[0], &d);
    return graph ? (PyObject *)recording_stream(d, graph, args[1]) : NULL;
}

/* graph_tensor(graph, name or None, dtype, shape): an input, or without a name a temporary */
PyObject *core_graph_tensor(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core *c = core_of(module);
    Py_ssize_t extents[RANKS];
    const char *name = NULL;
    lw_graph *graph;
    device *d;

    if (count != 4 || !(graph = graph_of(args[0], &d)))
        return NULL;
    if (args[1] != Py_None && !(name = PyUnicode_AsUTF8AndSize(args[1], NULL)))
        return NULL;
    long dtype = PyLong_AsLong(args[2]);
    int rank;
    if ((dtype == -1 && PyErr_Occurred()) || read_extents(c, args[3], RANKS, &rank, extents))
        return NULL;
    lw_tensor t;
    lw_status status = name ? lw_graph_input(graph, name, (lw_dtype)dtype, rank, extents, &t)
                            : lw_graph_temporary(graph, (lw_dtype)dtype, rank, extents, &t);
    if (status) {
        raise_status(c, status);
        return NULL;
    }
    lw_buffer_hold(t.buffer);
    return (PyObject *)array_on(d, t.buffer, (lw_dtype)dtype, rank, extents);
}

/* graph_output(graph, name, array) */
PyObject *core_graph_output(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core *c = core_of(module);
    lw_graph *graph;
    const char *name;
    device *d;

    if (count != 3 || !(graph = graph_of(args[0], &d)) || !is_array(c, args[2]) ||
        !(name = PyUnicode_AsUTF8AndSize(args[1], NULL)))
        return NULL;
    if (check_rank(c, ((array *)args[2])->rank))
        return NULL;
    lw_status status = lw_graph_output(graph, name, array_tensor((array *)args[2]));
    if (!status)
        Py_RETURN_NONE;
    raise_status(c, status);
    return NULL;
}

/* graph_draw(graph, format, path) */
PyObject *core_graph_draw(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    const char *format, *path;
    lw_graph *graph;
    device *d;

    if (count != 3 || !(graph = graph_of(args[0], &d)) ||
        !(format = PyUnicode_AsUTF8AndSize(args[1], NULL)) ||
        !(path = PyUnicode_AsUTF8AndSize(args[2], NULL)))
        return NULL;
    lw_status status = lw_graph_draw(graph, format, path);
    if (!status)
        Py_RETURN_NONE;
    raise_status(core_of(module), status);
    return NULL;
}

/* graph_compile(graph): an executable */
PyObject *core_graph_compile(PyObject *module, PyObject *capsule)
{
    lw_executable *x;
    lw_status status;
    device *d;
    lw_graph *graph = graph_of(capsule, &d);

    if (!graph)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = lw_graph_compile(graph, &x);
    Py_END_ALLOW_THREADS;
    if (!status)
        return encapsulate(x, executable_name, drop_executable, (device *)Py_NewRef((PyObject *)d));
    raise_status(core_of(module), status);
    return NULL;
}

/* executable_info(executable): bytes, bytes unshared, launches, rows of temporaries */
PyObject *core_executable_info(PyObject *module, PyObject *capsule)
{
    lw_executable *x = PyCapsule_GetPointer(capsule, executable_name);

    if (!x)
        return NULL;
    lw_executable_info info;
    lw_status status = lw_executable_get_info(x, &info);
    if (status)
        return raise_status(core_of(module), status), NULL;
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < info.temporaries; k++) {
        const lw_placement *p = &info.placements[k];
        PyObject *row = Py_BuildValue(
            "{s:n,s:n,s:n,s:n}", "bytes", (Py_ssize_t)p->bytes, "offset", (Py_ssize_t)p->offset,
            "first_launch", (Py_ssize_t)p->first_launch, "last_launch", (Py_ssize_t)p->last_launch);

        if (!row || PyList_Append(list, row))
            Py_CLEAR(list);
        DROP_IF(row);
    }
    PyObject *result =
        list ? Py_BuildValue("(nnnO)", (Py_ssize_t)info.bytes_planned,
                             (Py_ssize_t)info.bytes_unshared, (Py_ssize_t)info.launches, list)
             : NULL;
    DROP_IF(list);
    return result;
}

/* On the stream; the arrays are of its device. */
static int run_there(core *c, lw_executable *x, const stream *s, PyObject *arrays, size_t count)
{
    lw_tensor tensors[MOST_BOUND];
    lw_status status;

    for (size_t k = 0; k < count; k++) {
        array *a = (array *)PyTuple_GetItem(arrays, (Py_ssize_t)k);

        if (check_rank(c, a->rank) || array_settle(a) ||
            memory_settle(a->memory)) /* may be written */
            return -1;
        tensors[k] = array_tensor(a);
    }
    Py_BEGIN_ALLOW_THREADS;
    status = lw_executable_run(x, s->handle, NULL, tensors, count);
    Py_END_ALLOW_THREADS;
    return status ? raise_status(c, status) : 0;
}

/* Under the checker, on memory of arrays of another device. It has ended then. */
static int run_checked(core *c, lw_executable *x, device *d, PyObject *arrays, size_t count)
{
    operand operands[MOST_BOUND];
    lw_tensor tensors[MOST_BOUND];
    stream *s = check_stream(c);
    lw_status status = LW_OK;
    size_t taken = 0;
    int failed = 0;

    for (; taken < count && !failed; taken++) {
        operand *o = &operands[taken];

        failed = operand_take(c, PyTuple_GetItem(arrays, (Py_ssize_t)taken), o);
        if (failed)
            break;
        failed =
            (o->array && memory_settle(o->array->memory)) || operand_bind(c, o, d, false, false);
        tensors[taken] = o->tensor;
    }
    if (!failed) {
        Py_BEGIN_ALLOW_THREADS;
        status = lw_executable_run(x, s->handle, NULL, tensors, count);
        Py_END_ALLOW_THREADS;
        failed = status ? raise_status(c, status) : stream_finish(s, -1);
        failed = failed ? check_failed(c) : 0;
    }
    while (taken-- > 0)
        operand_drop(&operands[taken]);
    return failed;
}

/* executable_run(executable, stream, arrays): inputs, then outputs, in the order of declaration */
PyObject *core_executable_run(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core *c = core_of(module);
    lw_executable *x = count == 3 ? PyCapsule_GetPointer(args[0], executable_name) : NULL;
    const Py_ssize_t arrays = x ? PyTuple_Size(args[2]) : -1;
    const bool is_checked = x && args[1] == Py_None && c->checker;

    if (arrays < 0)
        return NULL;
    if (arrays > MOST_BOUND || (!is_checked && Py_TYPE(args[1]) != c->stream_type))
        return raise_text(c, LW_E_ARG, "a graph with %zd inputs and outputs, of at most %d, on %R",
                          arrays, MOST_BOUND, args[1]),
               NULL;
    for (Py_ssize_t k = 0; k < arrays; k++) {
        PyObject *a = PyTuple_GetItem(args[2], k);

        if (!is_array(c, a))
            return PyErr_Format(PyExc_TypeError, "%R is no Array", a);
    }
    int failed = is_checked
                     ? run_checked(c, x, PyCapsule_GetContext(args[0]), args[2], (size_t)arrays)
                     : run_there(c, x, (const stream *)args[1], args[2], (size_t)arrays);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}
