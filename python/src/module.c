/* module.c - the extension lanewise._core: its functions and types. */
#include "base/base.h"
#include "core.h"
#include <stdlib.h>

static int keep(PyObject **place, PyObject *object)
{
    PyObject *old = *place;

    *place = Py_NewRef(object);
    DROP_IF(old);
    return 0;
}

static int keep_list(PyObject **places, Py_ssize_t count, PyObject *list)
{
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *item = PySequence_GetItem(list, k);

        if (!item)
            return -1;
        keep(&places[k], item);
        DROP(item);
    }
    return 0;
}

/* setup(errors, dtypes, array_class, convert, get_default, empty, deliver, has_bfloat16_buffers,
 * ndarray, generic, settled, defaults, joined) */
static PyObject *core_setup(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core *c = core_of(module);

    if (count != 13)
        return PyErr_Format(PyExc_TypeError, "setup takes 13");
    if (keep_list(c->errors, STATUSES, args[0]) || keep_list(c->dtypes, LW_DTYPE_COUNT, args[1]))
        return NULL;
    keep(&c->array_class, args[2]);
    keep(&c->convert, args[3]);
    keep(&c->get_default, args[4]);
    keep(&c->empty, args[5]);
    keep(&c->deliver, args[6]);
    c->has_bfloat16_buffers = PyObject_IsTrue(args[7]) == 1;
    keep(&c->ndarray, args[8]);
    keep(&c->generic, args[9]);
    keep(&c->settled, args[10]);
    keep(&c->defaults, args[11]);
    keep(&c->joined, args[12]);
    Py_RETURN_NONE;
}

static PyObject *core_version(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyUnicode_FromString(lw_version());
}

static PyObject *core_dtypes(PyObject *module, PyObject *unused)
{
    PyObject *rows = PyTuple_New(LW_DTYPE_COUNT), *row;

    (void)module;
    (void)unused;
    for (int k = 0; rows && k < LW_DTYPE_COUNT; k++) {
        row = Py_BuildValue("ss", lw__dtypes[k].name, lw__dtypes[k].format);
        if (!row || PyTuple_SetItem(rows, k, row))
            Py_CLEAR(rows);
    }
    return rows;
}

static PyObject *core_operations(PyObject *module, PyObject *unused)
{
    const size_t count = lw_op_list(NULL, 0);
    const char **names = PyMem_Calloc(count + 1, sizeof *names);
    PyObject *list = names ? PyList_New(0) : PyErr_NoMemory();
    size_t found = names ? lw_op_list(names, count) : 0;

    (void)module;
    (void)unused;
    found = found < count ? found : count;
    for (size_t k = 0; list && k < found; k++) {
        PyObject *name = PyUnicode_FromString(names[k]);

        if (!name || PyList_Append(list, name))
            Py_CLEAR(list);
        DROP_IF(name);
    }
    PyMem_Free(names);
    return list;
}

#define FAST(name, function, doc)                                                                  \
    {name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL, doc}

static PyMethodDef functions[] = {
    {"dtypes", core_dtypes, METH_NOARGS, "name and buffer format of each element type"},
    FAST("setup", core_setup, "what the extension takes from Python"),
    {"version", core_version, METH_NOARGS, "the library's version"},
    {"devices", core_devices, METH_NOARGS, "name, description, available, unavailable of each"},
    {"use_stream", core_use_stream, METH_O,
     "(stream or None): for calls of this thread that name none; gives the one before"},
    FAST("allocate", core_allocate, "(device, dtype, shape, is_cleared=True): an Array"),
    {"check_buffer", core_check_buffer, METH_O, "(object): raises if its buffer is wrong"},
    FAST("wrap", core_wrap, "(device, object, dtype or -1): an Array on memory of another"),
    FAST("wrap_address", core_wrap_address,
         "(device, owner, address, dtype, shape, strides, readonly): an Array"),
    FAST("view", core_view, "(array, offset, shape, strides): a view, in elements"),
    FAST("transfer", core_transfer, "(array, buffer, to_array): copy contiguous memory"),
    FAST("to_dlpack", core_to_dlpack, "(array, is_versioned, waits): a capsule"),
    FAST("from_dlpack", core_from_dlpack, "(capsule, host device, is_readonly): an Array"),
    FAST("build", core_build, "(device, path, source, ...): a program"),
    FAST("fill", core_fill, "(array, seed, is_normal): random numbers"),
    FAST("operate", core_operate, "(name, parameters, inputs, out, stream): run an operation"),
    FAST("record", core_record, "operate on the tensors of a graph, all of them given"),
    FAST("infer", core_infer, "(name, parameters, inputs): dtype and shape of each result"),
    FAST("elementwise", core_elementwise,
         "(name, arity, first, overloads, other, weight): a function of elements"),
    FAST("operators", core_operators, "(functions, promoted, other, matmul): of Array"),
    {"fusion", core_fusion, METH_O, "(bool or None): may results of operators wait?"},
    {"function", core_function, METH_O, "(function): it, but that calls it knows skip Python"},
    FAST("check_begin", core_check_begin, "(schedules, strict): launches run under the checker"),
    {"check_place", core_check_place, METH_O, "(device): where its graphs run now, or None"},
    {"check_end", core_check_end, METH_NOARGS, "the streams with findings, what was not checked"},
    {"comm_devices", core_comm_devices, METH_O, "(devices): a comm for each"},
    FAST("comm_create", core_comm_create, "(device, transport, rank, size): a comm"),
    {"comm_info", core_comm_info, METH_O, "(comm): rank, size"},
    FAST("comm_limit", core_comm_limit, "(comm, nanoseconds)"),
    FAST("dist", core_dist, "(comm, name, out, inputs, part, options): operate over ranks"),
    {"graph_create", core_graph_create, METH_O, "(device): a graph"},
    FAST("graph_stream", core_graph_stream, "(graph, recorder): the stream that records"),
    FAST("graph_tensor", core_graph_tensor, "(graph, name or None, dtype, shape): an Array"),
    FAST("graph_output", core_graph_output, "(graph, name, array)"),
    FAST("graph_draw", core_graph_draw, "(graph, format, path)"),
    {"graph_compile", core_graph_compile, METH_O, "(graph): an executable"},
    {"executable_info", core_executable_info, METH_O, "(executable): its plan"},
    FAST("executable_run", core_executable_run,
         "(executable, stream or None: under the checker, arrays)"),
    FAST("xla_handlers", core_xla_handlers,
         "(maker, minor): what JAX calls on the CPU and on CUDA"),
    {"operations", core_operations, METH_NOARGS, "names of the operations"},
    {NULL, NULL, 0, NULL},
};

static int add_type(PyObject *module, PyTypeObject **place, PyType_Spec *spec)
{
    *place = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    return *place ? PyModule_AddType(module, *place) : -1;
}

static int core_exec(PyObject *module)
{
    core *c = *(core **)PyModule_GetState(module) = calloc(1, sizeof *c);

    if (!c)
        return -1;
    c->waste = calloc(1, sizeof *c->waste);
    c->devices = PyDict_New();
    c->out_word = PyUnicode_InternFromString("out");
    if (!c->waste || !c->devices || !c->out_word)
        return -1;
    return add_type(module, &c->device_type, &device_spec) ||
                   add_type(module, &c->stream_type, &stream_spec) ||
                   add_type(module, &c->memory_type, &memory_spec) ||
                   add_type(module, &c->array_type, array_spec(array_operators)) ||
                   add_type(module, &c->program_type, &program_spec) ||
                   add_type(module, &c->kernel_type, &kernel_spec) ||
                   add_type(module, &c->launcher_type, &launcher_spec) ||
                   add_type(module, &c->function_type, &function_spec) ||
                   add_type(module, &c->elementwise_type, &elementwise_spec)
               ? -1
               : 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)core_exec}, {0, NULL}};

/* The state is never let go: arrays and streams may outlive the module, and refer to it. */
static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,  .m_name = "lanewise._core", .m_size = sizeof(core *),
    .m_methods = functions, .m_slots = slots,
};

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}
