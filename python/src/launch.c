/* launch.c - one launch of a kernel with Python's arguments. Each is read as its parameter's type
 * says; arrays are used where they are.
 */
#include "core.h"
#include <string.h>

enum { FEW = 8 };

/* Arguments between Python and the library. */
typedef struct call {
    core *core;
    device *device;
    PyObject *tuple;
    Py_ssize_t count;
    size_t taken;    /* operands that are to be dropped, by index */
    bool is_checked; /* it runs under the checker */
    lw_arg *args;
    operand *operands;
    lw_arg few_args[FEW];
    operand few_operands[FEW];
} call;

static int read_dim_of(core *c, const char *what, PyObject *object, PyObject *item, uint32_t *to)
{
    const long long v = item ? PyLong_AsLongLong(item) : -1;

    if (v >= 0 && v <= UINT32_MAX) {
        *to = (uint32_t)v;
        return 0;
    }
    PyErr_Clear();
    return raise_text(c, LW_E_ARG, "the %s is %R; need 1 to 3 whole numbers from 1 on", what,
                      object);
}

/* An int or a tuple of one to three. */
int read_dim(core *c, const char *what, PyObject *object, lw_dim3 *dim)
{
    uint32_t *const to[] = {&dim->x, &dim->y, &dim->z};

    *dim = lw_dim_1(1);
    if (PyLong_CheckExact(object))
        return read_dim_of(c, what, object, object, &dim->x);
    Py_ssize_t count = PyTuple_Check(object) || PyList_Check(object) ? PySequence_Size(object) : -1;
    if (count < 1 || count > 3) {
        PyObject *index = count < 0 ? PyNumber_Index(object) : NULL;
        const int failed = read_dim_of(c, what, object, index, &dim->x);

        DROP_IF(index);
        return failed;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *item = PySequence_GetItem(object, k), *index = item ? PyNumber_Index(item) : NULL;
        const int failed = read_dim_of(c, what, object, index, to[k]);

        DROP_IF(item);
        DROP_IF(index);
        if (failed)
            return -1;
    }
    return 0;
}

/* ---- scalars and structs ---- */

static int name_parameter(core *c, const lw_param *p)
{
    return raise_within(c, "parameter '%s' (%s): ", p->name, p->type);
}

static int not_scalar(core *c, PyObject *object, const char *what)
{
    PyErr_Clear();
    return raise_text(c, LW_E_ARG, "got %R; need %s", object, what);
}

static int read_integer(core *c, PyObject *object, lw_arg *arg)
{
    PyObject *whole = PyLong_Check(object) ? Py_NewRef(object) : PyNumber_Index(object);
    int overflow = 0;

    if (!whole) {
        PyErr_Clear();
        double real = PyFloat_AsDouble(object);
        whole = PyErr_Occurred() || real != real ? NULL : PyLong_FromDouble(real);
        if (!whole || PyLong_AsDouble(whole) != real) {
            DROP_IF(whole);
            return not_scalar(c, object, "a whole number");
        }
    }
    long long v = PyLong_AsLongLongAndOverflow(whole, &overflow);
    *arg = lw_arg_int(v);
    if (overflow > 0)
        *arg = lw_arg_uint(PyLong_AsUnsignedLongLong(whole));
    DROP(whole);
    if (overflow < 0 || PyErr_Occurred())
        return not_scalar(c, object, "a whole number of 64 bits");
    return 0;
}

static int read_scalar(core *c, const lw_param *p, PyObject *object, lw_arg *arg)
{
    if (p->dtype < LW_F16)
        return read_integer(c, object, arg);
    double real = PyFloat_AsDouble(object);
    if (real == -1 && PyErr_Occurred())
        return not_scalar(c, object, "a number");
    *arg = lw_arg_real(real);
    return 0;
}

static int read_struct(core *c, PyObject *object, operand *o, lw_arg *arg)
{
    if (PyObject_GetBuffer(object, &o->view, PyBUF_SIMPLE))
        return not_scalar(c, object, "the struct's bytes, as a structured NumPy scalar");
    o->has_view = true;
    if (o->view.len < 0 || (o->view.len && !o->view.buf))
        return raise_text(c, LW_E_ARG, "the buffer has %zd bytes at %p", o->view.len, o->view.buf);
    *arg = lw_arg_bytes(o->view.buf, (size_t)o->view.len);
    return 0;
}

/* ---- arguments ---- */

static bool is_memory(const lw_param *p)
{
    return p->kind == LW_PARAM_POINTER || p->kind == LW_PARAM_TENSOR;
}

/* True if it is an address of the device: a number, but no bool, or None for NULL. */
static bool is_address(PyObject *object)
{
    return object == Py_None || (PyLong_Check(object) && !PyBool_Check(object));
}

static int read_address(core *c, PyObject *object, lw_arg *arg)
{
    void *address = object == Py_None ? NULL : PyLong_AsVoidPtr(object);

    if (PyErr_Occurred())
        return not_scalar(c, object, "an array, an address or None");
    *arg = lw_arg_address(address);
    return 0;
}

static int take(call *l, const instance *i)
{
    for (size_t k = 0; k < i->count; k++) {
        const lw_param *p = &i->params[k];
        PyObject *object = PyTuple_GetItem(l->tuple, (Py_ssize_t)k);
        operand *o = &l->operands[k];

        o->own = NULL;
        o->array = NULL;
        o->has_view = o->copies_back = false;
        l->taken = k + 1;
        int failed;
        l->args[k].kind = LW_ARG_BUFFER;
        if (p->kind == LW_PARAM_POINTER && i->program->is_cuda && is_address(object))
            failed = read_address(l->core, object, &l->args[k]);
        else if (is_memory(p) && (PyLong_Check(object) || PyFloat_Check(object)))
            failed = not_scalar(l->core, object, "an array");
        else if (is_memory(p))
            failed = operand_take(l->core, object, o);
        else if (p->kind == LW_PARAM_STRUCT)
            failed = read_struct(l->core, object, o, &l->args[k]);
        else
            failed = read_scalar(l->core, p, object, &l->args[k]);
        if (failed)
            return name_parameter(l->core, p);
    }
    return 0;
}

static int bind_one(call *l, const stream *s, const lw_param *p, operand *o, lw_arg *arg)
{
    const bool as_bytes = !p->has_dtype && p->element_bytes;

    if (p->kind == LW_PARAM_POINTER && !operand_is_contiguous(o)) {
        PyObject *strides = o->has_view ? extents_tuple(o->view.ndim, o->view.strides, 1)
                                        : extents_tuple(o->rank, o->array->stride, o->itemsize);

        raise_text(l->core, LW_E_ARG,
                   "the array has strides of %R bytes; a pointer needs it C-contiguous", strides);
        DROP_IF(strides);
        return -1;
    }
    if (p->kind == LW_PARAM_TENSOR && o->rank > RANKS)
        return raise_text(l->core, LW_E_SHAPE, "the array has %d axes; need %d", o->rank, p->rank);
    if (operand_refuse_capture(l->core, o, s) ||
        operand_bind(l->core, o, l->device, as_bytes, !p->is_const))
        return -1;
    if (p->kind == LW_PARAM_POINTER && (as_bytes || !o->has_dtype || o->is_large))
        *arg = lw_arg_buffer(o->tensor.buffer);
    else
        *arg = lw_arg_tensor(o->tensor);
    return 0;
}

static int bind(call *l, const stream *s, const instance *i)
{
    for (size_t k = 0; k < i->count; k++)
        if (is_memory(&i->params[k]) && l->args[k].kind != LW_ARG_ADDRESS &&
            bind_one(l, s, &i->params[k], &l->operands[k], &l->args[k]))
            return name_parameter(l->core, &i->params[k]);
    return 0;
}

static int make_room(call *l, size_t count)
{
    l->args = l->few_args;
    l->operands = l->few_operands;
    if (count <= FEW)
        return 0;
    l->args = PyMem_Calloc(count, sizeof *l->args);
    l->operands = PyMem_Calloc(count, sizeof *l->operands);
    if (l->args && l->operands)
        return 0;
    PyErr_NoMemory();
    return -1;
}

static void clean_up(call *l)
{
    for (size_t k = 0; k < l->taken; k++)
        operand_drop(&l->operands[k]);
    if (l->args != l->few_args)
        PyMem_Free(l->args);
    if (l->operands != l->few_operands)
        PyMem_Free(l->operands);
    waste_empty(l->core);
}

/* ---- the launch ---- */

/* The first code of a user that is to run on the processor switches it on; ready-made operations
 * have checked what they access. */
int trap_faults(core *c, const device *d)
{
    if (c->traps_faults || PyUnicode_CompareWithASCIIString(d->name, "cpu"))
        return 0;
    lw_status status = lw_trap_faults();
    c->traps_faults = !status;
    return status ? raise_status(c, status) : 0;
}

/* The stream's, the program's, that of the first Array, or the default. A new reference. */
static device *choose_device(const launcher *l, PyObject *tuple, Py_ssize_t count)
{
    device *d = l->stream ? l->stream->device : l->kernel->fixed;

    for (Py_ssize_t k = 0; k < count && !d; k++) {
        PyObject *object = PyTuple_GetItem(tuple, k);

        if (is_array(l->kernel->core, object))
            d = array_device((array *)object);
    }
    return d ? (device *)Py_NewRef((PyObject *)d) : device_default(l->kernel->core);
}

/* Memory of another library may be on a device that the first look did not find. */
static int follow_arrays(call *l, const launcher *from, instance **i)
{
    for (size_t k = 0; k < l->taken; k++) {
        const operand *o = &l->operands[k];

        if (!o->array || o->device == l->device || is_array(l->core, o->object) || from->stream ||
            from->kernel->fixed)
            continue;
        DROP(l->device);
        l->device = (device *)Py_NewRef((PyObject *)o->device);
        *i = kernel_on(from->kernel, l->device);
        return *i ? 0 : -1;
    }
    return 0;
}

/* The stream that the call names, or that of this thread; borrowed. NULL: an idle one. */
static stream *stream_of(const launcher *from, const device *d)
{
    return from->stream ? from->stream : stream_current(d);
}

/* Under the checker the launch goes where that is, unless a graph records it. What the stream of
 * the call has queued comes before. */
static int follow_check(call *l, const launcher *from, instance **i)
{
    device *checked = check_device(l->core, l->device);
    stream *given = stream_of(from, l->device);

    if (given && given->recorder)
        return 0;
    if (!checked)
        return check_note(l->core, "kernel '%U': it ran on a GPU", from->kernel->name);
    if (given && stream_finish(given, -1))
        return -1;
    DROP(l->device);
    l->device = (device *)Py_NewRef((PyObject *)checked);
    l->is_checked = true;
    *i = kernel_on(from->kernel, checked);
    return *i ? 0 : -1;
}

static int run(call *l, const launcher *from, lw_kernel *handle, size_t count)
{
    const lw_launch_options options = {.shared_bytes = from->shared};
    stream *given = l->is_checked ? check_stream(l->core) : stream_of(from, l->device);
    stream *s = given ? given : stream_take(l->device);
    lw_status status, waited = LW_OK;

    if (!s)
        return -1;
    Py_BEGIN_ALLOW_THREADS;
    status = lw_stream_launch(s->handle, handle, from->grid, from->block, &options, l->args, count);
    if (!status && !given)
        waited = lw_stream_wait_for(s->handle, SLICE_NS);
    Py_END_ALLOW_THREADS;
    return stream_settle(s, given ? NULL : l->device, l->is_checked, status, waited);
}

/* What is written in NumPy's memory is there when a launch that names no stream returns, also where
 * it follows one. */
static int wait_for_numpy(const call *l, const launcher *from, const instance *i)
{
    stream *followed = from->stream || l->is_checked ? NULL : stream_current(l->device);
    bool is_numpy = false;

    for (size_t k = 0; k < i->count; k++)
        is_numpy = is_numpy ||
                   (is_memory(&i->params[k]) && !i->params[k].is_const && !l->operands[k].array);
    return followed && is_numpy ? stream_finish(followed, -1) : 0;
}

static int launch(call *l, const launcher *from)
{
    instance *i = kernel_on(from->kernel, l->device);

    if (!i)
        return -1;
    size_t count = i->count;
    if ((size_t)l->count != count)
        return raise_text(l->core, LW_E_ARG, "kernel '%U' takes %zu arguments, got %zd: %s",
                          from->kernel->name, count, l->count, lw_kernel_signature(i->handle));
    if (make_room(l, count) || take(l, i) || follow_arrays(l, from, &i) ||
        (l->core->checker && follow_check(l, from, &i)) || trap_faults(l->core, l->device) ||
        bind(l, stream_of(from, l->device), i))
        return -1;
    int failed = run(l, from, i->handle, count) || wait_for_numpy(l, from, i);
    for (size_t k = 0; k < count && !failed; k++)
        if (l->operands[k].copies_back)
            failed = operand_copy_back(l->core, &l->operands[k]);
    return failed;
}

/* A graph keeps what was launched, for other devices. */
static int note_launch(const launcher *from, PyObject *args)
{
    const lw_dim3 g = from->grid, b = from->block;
    PyObject *done = PyObject_CallMethod(from->stream->recorder, "_note_launch", "O(III)(III)nO",
                                         (PyObject *)from->kernel, g.x, g.y, g.z, b.x, b.y, b.z,
                                         (Py_ssize_t)from->shared, args);

    DROP_IF(done);
    return done ? 0 : -1;
}

static int check_launch(PyObject *recorder, PyObject *args)
{
    PyObject *done = PyObject_CallMethod(recorder, "_check_launch", "(O)", args);

    DROP_IF(done);
    return done ? 0 : -1;
}

PyObject *launcher_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    launcher *from = (launcher *)self;
    call l;

    l.core = from->kernel->core;
    l.tuple = args;
    l.count = PyTuple_Size(args);
    l.taken = 0;
    l.is_checked = false;
    l.args = l.few_args;
    l.operands = l.few_operands;
    if (kwargs && PyDict_Size(kwargs)) {
        raise_text(l.core, LW_E_ARG, "kernel '%U' takes its arguments by place, not by keyword",
                   from->kernel->name);
        return NULL;
    }
    if (from->stream && from->stream->recorder && check_launch(from->stream->recorder, args))
        return NULL;
    l.device = choose_device(from, args, l.count);
    if (!l.device)
        return NULL;
    int failed = launch(&l, from);
    clean_up(&l);
    DROP(l.device);
    if (!failed && from->stream && from->stream->recorder)
        failed = note_launch(from, args);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}
