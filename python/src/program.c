/* program.c - Program, what was built of a source for a device, and Kernel, which finds its own
 * program on each device.
 */
#include "core.h"
#include <stddef.h>
#include <stdlib.h>
#include <structmember.h>
#include <string.h>

/* ---- building ---- */

static void on_diagnostic(const lw_diagnostic *diagnostic, void *user)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *row = Py_BuildValue("{s:s,s:i,s:i,s:s,s:s}", "file", diagnostic->file, "line",
                                  diagnostic->line, "column", diagnostic->column, "severity",
                                  diagnostic->severity, "text", diagnostic->text);

    if (!row || PyList_Append(user, row))
        PyErr_Clear();
    DROP_IF(row);
    PyGILState_Release(state);
}

/* The texts live as long as the tuple. */
static const char **read_texts(PyObject *tuple, size_t *count)
{
    const Py_ssize_t n = PyTuple_Size(tuple);
    const char **texts = n < 0 ? NULL : PyMem_Calloc((size_t)n + 1, sizeof *texts);

    for (Py_ssize_t k = 0; texts && k < n; k++) {
        texts[k] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, k), NULL);
        if (!texts[k]) {
            PyMem_Free(texts);
            return NULL;
        }
    }
    *count = n < 0 ? 0 : (size_t)n;
    return texts;
}

/* CompileError with its diagnostics; other failures as always. */
static void raise_build(core *c, lw_status status, PyObject *diagnostics)
{
    if (status != LW_E_COMPILE) {
        raise_status(c, status);
        return;
    }
    PyObject *error = PyObject_CallFunction(c->errors[-LW_E_COMPILE], "s", lw_last_error());
    if (error && !PyObject_SetAttrString(error, "diagnostics", diagnostics))
        PyErr_SetObject(c->errors[-LW_E_COMPILE], error);
    DROP_IF(error);
}

static program *build(core *c, device *d, const char *path, lw_build_options *options)
{
    PyObject *diagnostics = PyList_New(0);
    lw_program *handle = NULL;
    program *p = NULL;
    lw_status status;

    if (!diagnostics)
        return NULL;
    options->on_diagnostic = on_diagnostic;
    options->user = diagnostics;
    Py_BEGIN_ALLOW_THREADS;
    status = lw_program_build(d->handle, path, options, &handle);
    Py_END_ALLOW_THREADS;
    if (status)
        raise_build(c, status, diagnostics);
    else if ((p = PyObject_New(program, c->program_type))) {
        HOLD(d);
        p->device = d;
        p->handle = handle;
    } else
        lw_program_destroy(handle);
    DROP(diagnostics);
    return p;
}

/* build(device, path, source or None, defines, include, debug, picture, bounds: bool or None, cuda,
 *       arch: NN of sm_NN or 0, instantiate: text or None) */
PyObject *core_build(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core *c = core_of(module);
    lw_build_options options = {0};
    const char **defines = NULL, **include = NULL, *path;
    program *p = NULL;

    if (count != 11 || Py_TYPE(args[0]) != c->device_type)
        return PyErr_Format(PyExc_TypeError, "build takes a device and 10 more");
    path = PyUnicode_AsUTF8AndSize(args[1], NULL);
    if (!path || (args[2] != Py_None && !(options.source = PyUnicode_AsUTF8AndSize(args[2], NULL))))
        return NULL;
    options.debug = args[5] == Py_True;
    options.picture = args[6] == Py_True;
    options.bounds = args[7] == Py_None   ? LW_BOUNDS_DEFAULT
                     : args[7] == Py_True ? LW_BOUNDS_ALWAYS
                                          : LW_BOUNDS_OFF;
    options.cuda = args[8] == Py_True;
    options.cuda_arch = (int)PyLong_AsLong(args[9]);
    if ((options.cuda_arch == -1 && PyErr_Occurred()) ||
        (args[10] != Py_None && !(options.instantiate = PyUnicode_AsUTF8AndSize(args[10], NULL))))
        return NULL;
    defines = read_texts(args[3], &options.define_count);
    include = defines ? read_texts(args[4], &options.include_dir_count) : NULL;
    options.defines = defines;
    options.include_dirs = include;
    if (include)
        p = build(c, (device *)args[0], path, &options);
    if (p)
        p->is_cuda = options.cuda;
    PyMem_Free(defines);
    PyMem_Free(include);
    return (PyObject *)p;
}

static void program_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    lw_program_destroy(((program *)self)->handle);
    DROP(((program *)self)->device);
    PyObject_Free(self);
    DROP(type);
}

static PyObject *program_get_names(PyObject *self, void *closure)
{
    lw_program *handle = ((program *)self)->handle;
    PyObject *list = PyList_New(0);

    (void)closure;
    lw_kernel *k;
    for (size_t i = 0; list && i < lw_program_kernel_count(handle); i++) {
        PyObject *name =
            lw_program_kernel_at(handle, i, &k) ? NULL : PyUnicode_FromString(lw_kernel_name(k));

        if (!name || PyList_Append(list, name))
            Py_CLEAR(list);
        DROP_IF(name);
    }
    return list;
}

static PyObject *program_get_device(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef((PyObject *)((program *)self)->device);
}

/* Of a CUDA program it may be built when it is asked for. */
static lw_status find_kernel(program *p, const char *name, lw_kernel **handle)
{
    lw_status status;

    Py_BEGIN_ALLOW_THREADS;
    status = lw_program_kernel(p->handle, name, handle);
    Py_END_ALLOW_THREADS;
    return status;
}

/* kernel_name(text): what the kernel of that name is called. */
static PyObject *program_kernel_name(PyObject *self, PyObject *text)
{
    const char *name = PyUnicode_AsUTF8AndSize(text, NULL);
    lw_kernel *k;
    lw_status status = name ? find_kernel((program *)self, name, &k) : LW_OK;

    if (status)
        raise_status(((program *)self)->device->core, status);
    return !name || status ? NULL : PyUnicode_FromString(lw_kernel_name(k));
}

/* The declared sizes of "float [2][3]"; 0: there are none, or they are too many. */
static int read_brackets(const char *type, Py_ssize_t *extents)
{
    int rank = 0;

    for (const char *c = strchr(type, '['); c && *c == '['; c = strchr(c, ']') + 1) {
        char *end;
        const unsigned long long extent = strtoull(c + 1, &end, 10);
        if (*end != ']' || rank == RANKS - 1)
            return 0;
        extents[rank++] = (Py_ssize_t)extent;
    }
    return rank;
}

/* symbol(name): the variable of the device as an Array; structs are rows of bytes. */
static PyObject *program_symbol(PyObject *self, PyObject *text)
{
    program *p = (program *)self;
    const char *name = PyUnicode_AsUTF8AndSize(text, NULL);
    Py_ssize_t extents[RANKS], product = 1;
    lw_buffer *buffer;
    lw_param param;

    if (!name)
        return NULL;
    lw_status status = lw_program_symbol(p->handle, name, &buffer);
    if (!status)
        status = lw_program_symbol_param(p->handle, name, &param);
    if (status) {
        raise_status(p->device->core, status);
        return NULL;
    }
    const lw_dtype dtype = lw_buffer_dtype(buffer);
    const size_t bytes = lw_buffer_bytes(buffer), size = lw_dtype_size(dtype);
    const Py_ssize_t count = (Py_ssize_t)(bytes / size);
    int rank = read_brackets(param.type, extents);
    if (param.element_bytes > size)
        extents[rank++] = (Py_ssize_t)(param.element_bytes / size);
    for (int k = 0; k < rank; k++)
        product *= extents[k];
    if (product != count) {
        rank = 1;
        extents[0] = count;
    }
    return (PyObject *)array_of(p->device, buffer, self, dtype, rank, extents);
}

static PyMethodDef program_methods[] = {
    {"kernel_name", program_kernel_name, METH_O, "the name of a kernel, built if need be"},
    {"symbol", program_symbol, METH_O, "a variable of the device: an Array"},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef program_attributes[] = {
    {"device", program_get_device, NULL, "the Device it was built for", NULL},
    {"names", program_get_names, NULL, "of the kernels, in source order", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot program_slots[] = {
    {Py_tp_dealloc, (void *)program_dealloc},
    {Py_tp_getset, program_attributes},
    {Py_tp_methods, program_methods},
    {0, NULL},
};
PyType_Spec program_spec = {"lanewise._core.Program", sizeof(program), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, program_slots};

/* ---- kernels on their devices ---- */

static int add_instance(kernel *k, device *d, program *p)
{
    const char *name = PyUnicode_AsUTF8AndSize(k->name, NULL);
    lw_kernel *handle;
    lw_status status = name ? find_kernel(p, name, &handle) : LW_OK;
    if (!name || status)
        return name ? raise_status(k->core, status) : -1;
    instance *all = PyMem_Realloc(k->instances, (k->count + 1) * sizeof *all), *i;
    if (!all)
        return PyErr_NoMemory(), -1;
    k->instances = all;
    i = &all[k->count];
    *i = (instance){.device = d, .program = p, .handle = handle};
    i->count = lw_kernel_param_count(i->handle);
    i->params = PyMem_Calloc(i->count + 1, sizeof *i->params);
    if (!i->params)
        return PyErr_NoMemory(), -1;
    for (size_t n = 0; n < i->count; n++)
        if ((status = lw_kernel_param(i->handle, n, &i->params[n]))) {
            PyMem_Free(i->params);
            return raise_status(k->core, status);
        }
    HOLD(d);
    HOLD(p);
    k->count++;
    return 0;
}

/* The kernel on a device, built if need be. Valid until the GIL is given up. */
instance *kernel_on(kernel *k, device *d)
{
    for (size_t n = 0; n < k->count; n++)
        if (k->instances[n].device == d)
            return &k->instances[n];
    if (k->fixed && k->fixed != d && check_device(k->core, k->fixed) != d) {
        raise_text(k->core, LW_E_DEVICE, "kernel '%U' was compiled for device %U, not for %U",
                   k->name, k->fixed->name, d->name);
        return NULL;
    }
    PyObject *p = PyObject_CallFunctionObjArgs(k->build, (PyObject *)d, NULL);
    if (!p)
        return NULL;
    int failed = add_instance(k, d, (program *)p);
    DROP(p);
    return failed ? NULL : &k->instances[k->count - 1];
}

/* On the device it was compiled for, or the default one. */
static instance *any_instance(kernel *k)
{
    if (k->count)
        return &k->instances[0];
    device *d = k->fixed ? (device *)Py_NewRef((PyObject *)k->fixed) : device_default(k->core);
    instance *i = d ? kernel_on(k, d) : NULL;
    DROP_IF(d);
    return i;
}

static PyObject *kernel_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *name, *build, *fixed;

    if (kwargs || !PyArg_ParseTuple(args, "UOO", &name, &build, &fixed))
        return NULL;
    kernel *k = (kernel *)PyType_GenericAlloc(type, 0);
    if (!k)
        return NULL;
    k->core = core_of_type(type);
    k->name = Py_NewRef(name);
    k->build = Py_NewRef(build);
    k->fixed = fixed == Py_None ? NULL : (device *)Py_NewRef(fixed);
    return (PyObject *)k;
}

static void kernel_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    kernel *k = (kernel *)self;

    if (k->weak)
        PyObject_ClearWeakRefs(self);
    for (size_t n = 0; n < k->count; n++) {
        PyMem_Free(k->instances[n].params);
        DROP(k->instances[n].program);
        DROP(k->instances[n].device);
    }
    PyMem_Free(k->instances);
    DROP_IF(k->name);
    DROP_IF(k->build);
    DROP_IF(k->fixed);
    PyObject_Free(self);
    DROP(type);
}

/* ---- attributes ---- */

static PyObject *kernel_get_name(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef(((kernel *)self)->name);
}

static PyObject *kernel_get_signature(PyObject *self, void *closure)
{
    instance *i = any_instance((kernel *)self);

    (void)closure;
    return i ? PyUnicode_FromString(lw_kernel_signature(i->handle)) : NULL;
}

static PyObject *describe(core *c, const lw_param *p)
{
    static const char *const kinds[] = {"scalar", "struct", "pointer", "tensor"};
    PyObject *none = Py_None;

    return Py_BuildValue("{s:s,s:s,s:s,s:O,s:i,s:O}", "name", p->name, "type", p->type, "kind",
                         kinds[p->kind], "dtype", p->has_dtype ? c->dtypes[p->dtype] : none, "rank",
                         p->rank, "const", p->is_const ? Py_True : Py_False);
}

static PyObject *kernel_get_parameters(PyObject *self, void *closure)
{
    instance *i = any_instance((kernel *)self);
    PyObject *list = i ? PyList_New(0) : NULL;

    (void)closure;
    for (size_t n = 0; list && n < i->count; n++) {
        PyObject *row = describe(((kernel *)self)->core, &i->params[n]);

        if (!row || PyList_Append(list, row))
            Py_CLEAR(list);
        DROP_IF(row);
    }
    return list;
}

static PyObject *kernel_get_build(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef(((kernel *)self)->build);
}

static PyGetSetDef kernel_attributes[] = {
    {"_build", kernel_get_build, NULL, "builds its program for a device", NULL},
    {"name", kernel_get_name, NULL, "the name", NULL},
    {"signature", kernel_get_signature, NULL, "its declaration in C", NULL},
    {"parameters", kernel_get_parameters, NULL,
     "a dict for each parameter: name type kind dtype rank const", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* ---- launching ---- */

static launcher *launcher_create(kernel *k, PyObject *grid, PyObject *block, PyObject *on,
                                 size_t shared)
{
    core *c = k->core;
    launcher *l = PyObject_New(launcher, c->launcher_type);

    if (!l)
        return NULL;
    l->kernel = (kernel *)Py_NewRef((PyObject *)k);
    l->stream = NULL;
    l->shared = shared;
    if (read_dim(c, "grid", grid, &l->grid) || read_dim(c, "block", block, &l->block))
        Py_CLEAR(l);
    else if (on && on != Py_None && Py_TYPE(on) != c->stream_type) {
        raise_text(c, LW_E_ARG, "the stream is %R; need a lanewise.Stream", on);
        Py_CLEAR(l);
    } else if (on && on != Py_None)
        l->stream = (stream *)Py_NewRef(on);
    return l;
}

static void launcher_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    DROP(((launcher *)self)->kernel);
    DROP_IF((PyObject *)((launcher *)self)->stream);
    PyObject_Free(self);
    DROP(type);
}

static PyType_Slot launcher_slots[] = {
    {Py_tp_dealloc, (void *)launcher_dealloc},
    {Py_tp_call, (void *)launcher_call},
    {0, NULL},
};
PyType_Spec launcher_spec = {"lanewise._core.Launcher", sizeof(launcher), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             launcher_slots};

static PyObject *kernel_subscript(PyObject *self, PyObject *key)
{
    kernel *k = (kernel *)self;
    const Py_ssize_t count = PyTuple_Check(key) ? PyTuple_Size(key) : 0;

    if (count != 2 && count != 3) {
        raise_text(k->core, LW_E_ARG,
                   "kernel '%U': the configuration is %R; need [grid, block] "
                   "or [grid, block, stream]",
                   k->name, key);
        return NULL;
    }
    return (PyObject *)launcher_create(k, PyTuple_GetItem(key, 0), PyTuple_GetItem(key, 1),
                                       count == 3 ? PyTuple_GetItem(key, 2) : NULL, 0);
}

static PyObject *kernel_launch(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *words[] = {"grid", "block", "args", "shared", "stream", NULL};
    PyObject *grid = NULL, *block = NULL, *list = NULL, *on = NULL, *tuple, *result = NULL;
    Py_ssize_t shared = 0;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOnO", words, &grid, &block, &list, &shared,
                                     &on))
        return NULL;
    if (!grid || !block || !list)
        return PyErr_Format(PyExc_TypeError, "launch needs grid=, block= and args=");
    if (shared < 0) {
        raise_text(((kernel *)self)->core, LW_E_ARG, "shared is %zd; need bytes from 0 on", shared);
        return NULL;
    }
    tuple = PySequence_Tuple(list);
    launcher *l = tuple ? launcher_create((kernel *)self, grid, block, on, (size_t)shared) : NULL;
    if (l)
        result = launcher_call((PyObject *)l, tuple, NULL);
    DROP_IF(l);
    DROP_IF(tuple);
    return result;
}

static PyObject *kernel_suggest(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *words[] = {"shared", NULL};
    lw_launch_options options = {0};
    lw_dim3 grid, block;
    lw_status status;
    Py_ssize_t shared = 0;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|n", words, &shared))
        return NULL;
    instance *i = any_instance((kernel *)self);
    if (!i)
        return NULL;
    options.shared_bytes = shared < 0 ? 0 : (size_t)shared;
    lw_kernel *handle = i->handle;
    Py_BEGIN_ALLOW_THREADS;
    status = lw_kernel_suggest(handle, &options, &grid, &block);
    Py_END_ALLOW_THREADS;
    if (status) {
        raise_status(((kernel *)self)->core, status);
        return NULL;
    }
    return Py_BuildValue("((III)(III))", grid.x, grid.y, grid.z, block.x, block.y, block.z);
}

static PyObject *kernel_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<lanewise.Kernel %U>", ((kernel *)self)->name);
}

#define WORDS (METH_VARARGS | METH_KEYWORDS)

static PyMethodDef kernel_methods[] = {
    {"launch", (PyCFunction)(void (*)(void))kernel_launch, WORDS,
     "launch($self, /, *, grid, block, args, shared=0, stream=None)\n--\n\n"
     "Launch the kernel.\n\nWithout a stream it has ended when the call returns."},
    {"suggest", (PyCFunction)(void (*)(void))kernel_suggest, WORDS,
     "suggest($self, /, shared=0)\n--\n\n"
     "Grid and block that keep the device busy, each of three ints."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef kernel_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(kernel, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot kernel_slots[] = {
    {Py_tp_members, kernel_members},
    {Py_tp_new, (void *)kernel_new},
    {Py_tp_dealloc, (void *)kernel_dealloc},
    {Py_tp_repr, (void *)kernel_repr},
    {Py_tp_getset, kernel_attributes},
    {Py_tp_methods, kernel_methods},
    {Py_mp_subscript, (void *)kernel_subscript},
    {Py_tp_doc, "A kernel of a Program: k[grid, block](...) or k[grid, block, stream](...)."},
    {0, NULL},
};
PyType_Spec kernel_spec = {"lanewise._core.Kernel", sizeof(kernel), 0, Py_TPFLAGS_DEFAULT,
                           kernel_slots};
