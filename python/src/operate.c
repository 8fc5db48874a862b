/* operate.c - operations by name: arrays in, arrays out. The result is what the first array
 * argument is: NumPy's, an Array, or another library's.
 */
#include "call.h"
#include <stddef.h>
#include <string.h>

static void begin(call *c, core *m)
{
    memset(c, 0, offsetof(call, in));
    c->core = m;
    for (size_t k = 0; k < OUTPUTS; k++) { /* what operand_drop looks at */
        c->out[k].own = NULL;
        c->out[k].has_view = false;
        c->out[k].array = NULL;
    }
}

/* ---- taking ---- */

static bool is_number(PyObject *object)
{
    return PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyBool_Check(object);
}

/* Ours, or of another library: its arrays were converted, or are no NumPy's though they have a
 * buffer, as JAX's. */
static void note_kind(call *c, PyObject *object, const operand *o)
{
    const bool is_foreign = o->array || (Py_TYPE(object) != (PyTypeObject *)c->core->ndarray &&
                                         PyObject_IsInstance(object, c->core->ndarray) != 1 &&
                                         PyObject_HasAttrString(object, "__dlpack__"));

    if (!c->like && !is_number(object))
        c->like = is_foreign ? object : c->core->empty;
}

/* An object that is no Array but stands for a graph's tensor names its graph. */
static int note_recorder(call *c, PyObject *object, const operand *o)
{
    if (c->recorder || !o->array || is_array(c->core, object) ||
        !lw_buffer_is_blank(o->array->memory->buffer))
        return 0;
    c->recorder = PyObject_GetAttrString(object, "_graph");
    return c->recorder ? 0 : -1;
}

/* An operand of an operation has elements that are numbers. */
static int check_operand(call *c, const char *what, size_t k, const operand *o)
{
    c->is_converted = c->is_converted ||
                      (o->has_view ? o->view.obj != o->object : (PyObject *)o->array != o->object);
    if (!o->has_dtype)
        return raise_text(c->core, LW_E_DTYPE, "%s: %s %zu is made of structs", c->name, what, k);
    c->has_more_axes = c->has_more_axes || o->rank > RANKS;
    return 0;
}

/* The items of the tuple from `first` on. */
static int take_inputs(call *c, PyObject *inputs, Py_ssize_t first)
{
    const Py_ssize_t count = PyTuple_Size(inputs) - first;

    if (count < 0)
        return -1;
    if (count > INPUTS)
        return raise_text(c->core, LW_E_ARG, "%s: got %zd inputs; need at most %d", c->name, count,
                          INPUTS);
    for (Py_ssize_t k = 0; k < count && !c->settled; k++)
        if (is_number(PyTuple_GetItem(inputs, first + k)) &&
            !(c->settled = PyObject_CallFunctionObjArgs(c->core->settled, inputs, NULL)))
            return -1;
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *object = PyTuple_GetItem(inputs, first + k);
        operand *o = &c->in[k];

        if (operand_take(c->core, c->settled ? PyTuple_GetItem(c->settled, k) : object, o))
            return raise_within(c->core, "%s: input %zd: ", c->name, k);
        c->inputs++;
        if (check_operand(c, "input", (size_t)k, o))
            return -1;
        note_kind(c, object, o);
        if (note_recorder(c, object, o))
            return -1;
        if (!c->device && o->array)
            c->device = (device *)Py_NewRef((PyObject *)o->device);
    }
    return 0;
}

/* The first ones, or all. */
static int take_outputs(call *c, PyObject *out)
{
    const bool is_tuple = PyTuple_Check(out);
    const Py_ssize_t count = is_tuple ? PyTuple_Size(out) : 1;

    if (!count || (size_t)count > c->outputs)
        return raise_text(c->core, LW_E_ARG, "%s: out has %zd arrays; need %zu", c->name, count,
                          c->outputs);
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *object = is_tuple ? PyTuple_GetItem(out, k) : out;

        if (operand_take(c->core, object, &c->out[k]))
            return -1;
        c->results[k] = Py_NewRef(object);
        c->given++;
        if (check_operand(c, "output", (size_t)k, &c->out[k]))
            return -1;
        if (c->out[k].is_copy)
            return raise_text(c->core, LW_E_ARG, "%s: out is %R; need an array", c->name, object);
        if (!c->device && c->out[k].array)
            c->device = (device *)Py_NewRef((PyObject *)c->out[k].device);
    }
    return 0;
}

/* ---- results ---- */

static int infer(call *c, lw_shape *shapes)
{
    request *const r = c->request;
    const size_t bytes = c->inputs * sizeof(lw_shape);
    const bool is_kept = bytes && bytes <= sizeof r->in && c->outputs == 1;
    lw_shape in[INPUTS];

    memset(in, 0, bytes); /* also between the members */
    for (size_t k = 0; k < c->inputs; k++) {
        in[k].dtype = c->in[k].dtype;
        in[k].rank = c->in[k].tensor.rank;
        memcpy(in[k].extent, c->in[k].tensor.extent, sizeof in[k].extent);
    }
    if (is_kept && r->shaped == c->inputs && !memcmp(r->in, in, bytes)) {
        *shapes = r->out;
        return 0;
    }
    lw_status status = lw_params_infer(r->params, in, c->inputs, shapes, OUTPUTS);
    if (status)
        return raise_status(c->core, status);
    if (is_kept) {
        memcpy(r->in, in, bytes);
        r->out = *shapes;
        r->shaped = c->inputs;
    }
    return 0;
}

/* The scalar that an earlier call left, as an operand that is bound. */
static bool take_scalar(call *c, lw_dtype dtype, operand *o)
{
    struct scalar *s = &c->core->scalars[dtype];

    if (!s->array || c->core->checker || lw_buffer_device(s->buffer) != c->device->handle)
        return false;
    memset(o, 0, sizeof *o);
    o->object = s->array;
    o->dtype = dtype;
    o->has_dtype = true;
    o->itemsize = (Py_ssize_t)lw_dtype_size(dtype);
    o->data = o->low = s->data;
    o->high = o->low + o->itemsize;
    o->tensor.buffer = o->own = s->buffer;
    o->tensor.strided = true;
    s->array = NULL;
    return true;
}

/* Of a result whose value has been read, and that nobody else has. */
static void keep_scalar(call *c, size_t k)
{
    operand *o = &c->out[k];
    struct scalar *s = &c->core->scalars[o->dtype];

    if (s->array || !o->own || c->core->checker || c->shared[k])
        return;
    *s = (struct scalar){Py_NewRef(c->results[k]), o->own, o->data};
    o->own = NULL;
}

/* NumPy's memory on the host, else an Array, which becomes what is asked for at the end. */
static int make_result(call *c, const lw_shape *shape, PyObject **result, operand *o)
{
    const bool is_numpy = !c->like || c->like == c->core->empty;

    if (c->stream && c->stream->allocate) {
        PyObject *extents = extents_tuple(shape->rank, shape->extent, 1);

        *result = extents ? stream_allocate(c->stream, shape->dtype, extents) : NULL;
        DROP_IF(extents);
    } else if (is_numpy && !shape->rank && take_scalar(c, shape->dtype, o)) {
        *result = o->object;
        return 0;
    } else if (is_numpy && c->device->is_host && shape->dtype != LW_BF16) {
        PyObject *extents = extents_tuple(shape->rank, shape->extent, 1);

        *result = extents ? PyObject_CallFunctionObjArgs(c->core->empty, extents,
                                                         c->core->dtypes[shape->dtype], NULL)
                          : NULL;
        DROP_IF(extents);
    } else
        *result = (PyObject *)array_allocate(c->device, shape->dtype, shape->rank, shape->extent);
    return *result ? operand_take(c->core, *result, o) : -1;
}

static int make_results(call *c)
{
    lw_shape shapes[OUTPUTS];

    if (c->given == c->outputs)
        return 0;
    if (infer(c, shapes))
        return -1;
    for (size_t k = c->given; k < c->outputs; k++)
        if (make_result(c, &shapes[k], &c->results[k], &c->out[k]))
            return -1;
    return 0;
}

/* A rank of 0 as NumPy's scalar, whose value is there now, unless the call is queued; an Array as
 * the other library's, unless it is to be one. */
static PyObject *deliver(call *c, size_t k)
{
    PyObject *result = c->results[k], *other;

    if (k < c->given || (c->like && is_array(c->core, c->like)))
        return Py_NewRef(result);
    if (is_array(c->core, result))
        return PyObject_CallFunctionObjArgs(
            c->core->deliver, result, c->like && c->like != c->core->empty ? c->like : Py_None,
            c->is_queued ? Py_True : Py_False, NULL);
    if (c->out[k].tensor.rank || c->is_queued)
        return Py_NewRef(result);
    other = PyTuple_New(0);
    result = other ? PyObject_GetItem(result, other) : NULL;
    DROP_IF(other);
    if (result)
        keep_scalar(c, k);
    return result;
}

/* ---- running ---- */

/* Where the call names no stream, that of this thread. */
static void follow_current(call *c)
{
    if (c->stream || c->records)
        return;
    c->stream = stream_current(c->device);
    if (c->stream && !c->device)
        c->device = (device *)Py_NewRef((PyObject *)c->stream->device);
}

/* NumPy's results are there when a call that names no stream returns, also where it follows one. */
static int wait_for_numpy(call *c)
{
    bool is_numpy = false;

    for (size_t k = 0; k < c->outputs; k++)
        is_numpy = is_numpy || !c->out[k].array;
    return c->stream && !c->is_queued && !c->records && is_numpy ? stream_finish(c->stream, -1) : 0;
}

/* Under the checker the call goes where that is, unless it records. What the stream of the call has
 * queued comes before. */
static int follow_check(call *c, PyObject *name)
{
    device *checked = check_device(c->core, c->device);

    if (!c->core->checker || c->records)
        return 0;
    if (!checked)
        return check_note(c->core, "operation '%U': it ran on a GPU", name);
    if (c->stream && stream_finish(c->stream, -1))
        return -1;
    DROP(c->device);
    c->device = (device *)Py_NewRef((PyObject *)checked);
    c->stream = check_stream(c->core);
    c->is_checked = true;
    return 0;
}

static int bind(call *c)
{
    for (size_t k = 0; k < c->inputs; k++) {
        operand *o = &c->in[k];

        if (operand_refuse_capture(c->core, o, c->stream) ||
            operand_bind(c->core, o, c->device, false, false))
            return -1;
    }
    for (size_t k = 0; k < c->outputs; k++)
        if (operand_refuse_capture(c->core, &c->out[k], c->stream) ||
            operand_bind(c->core, &c->out[k], c->device, false, true))
            return -1;
    return share_overlaps(c);
}

static int run(call *c)
{
    lw_tensor in[INPUTS], out[OUTPUTS];
    stream *s = c->stream ? c->stream : stream_take(c->device);
    lw_status status, waited = LW_OK;

    if (!s)
        return -1;
    for (size_t k = 0; k < c->inputs; k++)
        in[k] = c->in[k].tensor;
    for (size_t k = 0; k < c->outputs; k++)
        out[k] = c->out[k].tensor;
    Py_BEGIN_ALLOW_THREADS;
    status = lw_params_run(c->request->params, s->handle, out, c->outputs, in, c->inputs);
    if (!c->stream)
        waited = lw_stream_wait_for(s->handle, SLICE_NS);
    Py_END_ALLOW_THREADS;
    return stream_settle(s, c->stream ? NULL : c->device, c->is_checked, status, waited);
}

static PyObject *finish(call *c)
{
    if (c->outputs == 1)
        return deliver(c, 0);
    PyObject *tuple = PyTuple_New((Py_ssize_t)c->outputs), *item;
    for (size_t k = 0; tuple && k < c->outputs; k++) {
        item = deliver(c, k);
        if (!item || PyTuple_SetItem(tuple, (Py_ssize_t)k, item))
            Py_CLEAR(tuple);
    }
    return tuple;
}

/* All that was given has been taken. */
static PyObject *perform(call *c)
{
    follow_current(c);
    if (!c->device)
        c->device = device_default(c->core);
    if (!c->device || make_results(c) || follow_check(c, c->request->op_name) ||
        (c->request->has_expression && trap_faults(c->core, c->device)) || bind(c) || run(c) ||
        wait_for_numpy(c))
        return NULL;
    for (size_t k = 0; k < c->outputs; k++)
        if (c->out[k].copies_back && operand_copy_back(c->core, &c->out[k]))
            return NULL;
    return finish(c);
}

/* Of take, whose result has the axes of x and of the indices. */
static bool takes_more_axes(const call *c)
{
    int most = 0;

    for (size_t k = 1; k < c->inputs; k++)
        most = c->in[k].rank > most ? c->in[k].rank : most;
    return c->inputs > 1 && c->in[0].rank - (int)(c->inputs - 1) + most > RANKS &&
           !strcmp(c->name, "take");
}

/* Where nobody joins them. */
static int refuse_axes(call *c)
{
    for (size_t k = 0; k < c->inputs + c->given; k++) {
        const bool is_input = k < c->inputs;
        const size_t at = is_input ? k : k - c->inputs;
        const int rank = is_input ? c->in[at].rank : c->out[at].rank;

        if (rank > RANKS)
            return raise_text(c->core, LW_E_SHAPE, "%s: %s %zu has %d axes; need 0 to %d", c->name,
                              is_input ? "input" : "output", at, rank, RANKS);
    }
    return 0;
}

/* By Python, which calls this again with views of fewer axes. */
static PyObject *join(call *c, PyObject *const *args)
{
    if ((c->records || c->recorder) && refuse_axes(c))
        return NULL;
    return PyObject_CallFunctionObjArgs(c->core->joined, args[0], args[1], args[2], args[3],
                                        args[4], NULL);
}

static PyObject *operate(call *c, PyObject *const *args)
{
    PyObject *inputs = args[2], *out = args[3];
    array *x = c->is_queued ? NULL : waiting_find(c->core, c->request, inputs, 0, out);

    if (x)
        return (PyObject *)waiting_reduce(x, c->request);
    if (take_inputs(c, inputs, 0))
        return NULL;
    if (!c->recorder && c->stream)
        c->recorder = Py_XNewRef(c->stream->recorder);
    if (out != Py_None && (c->records || !c->recorder) && take_outputs(c, out))
        return NULL;
    if (c->has_more_axes || (!c->recorder && !c->records && takes_more_axes(c)))
        return join(c, args);
    if (c->recorder && !c->records)
        return PyObject_CallMethod(c->recorder, "_operate", "OOOOO", args[0], args[1], inputs, out,
                                   args[4]);
    return perform(c);
}

/* The request, whose hold it takes; NULL: there is an exception. */
static int take_request(call *c, request *r)
{
    c->request = r;
    if (!r)
        return -1;
    c->name = r->name;
    c->outputs = r->outputs;
    return 0;
}

static void clean_up(call *c)
{
    const bool is_own = waste_announce(c->core);

    for (size_t k = 0; k < c->inputs; k++)
        operand_drop(&c->in[k]);
    for (size_t k = 0; k < c->outputs; k++) {
        lw_buffer_destroy(c->shared[k]);
        operand_drop(&c->out[k]);
        DROP_IF(c->results[k]);
    }
    request_drop(c->request);
    DROP_IF(c->device);
    DROP_IF(c->recorder);
    DROP_IF(c->settled);
    waste_empty_announced(c->core, is_own);
}

/* ---- calls that repeat themselves ---- */

/* False: an array's own dtype is another. */
static bool read_dtypes(const call *c, dtypes *d)
{
    d->inputs = c->inputs;
    for (size_t k = 0; k < c->inputs; k++)
        d->in[k] = (int)c->in[k].dtype;
    d->out = c->given ? (int)c->out[0].dtype : -1;
    return !c->is_converted;
}

static bool has_dtypes(const call *c, const dtypes *d)
{
    dtypes own;

    return read_dtypes(c, &own) && own.inputs == d->inputs && own.out == d->out &&
           !memcmp(own.in, d->in, own.inputs * sizeof *own.in);
}

/* To who watches this thread: the first call, if it has just the arrays that the Function got. */
static void show(const call *c, sight *s, PyObject *const *args, PyObject *result)
{
    bool is_same = !s->calls++ && result && c->inputs && !c->recorder && !c->settled &&
                   args[3] == s->out && args[4] == Py_None &&
                   PyTuple_Size(args[2]) == PyTuple_Size(s->args) - s->first;

    for (size_t k = 0; is_same && k < c->inputs; k++)
        is_same = PyTuple_GetItem(args[2], (Py_ssize_t)k) ==
                  PyTuple_GetItem(s->args, s->first + (Py_ssize_t)k);
    if (!is_same || !read_dtypes(c, &s->dtypes))
        return;
    s->request = c->request;
    s->request->uses++;
    s->result = Py_NewRef(result);
}

bool operate_again(core *m, request *r, const dtypes *dtypes, PyObject *args, Py_ssize_t first,
                   PyObject *out, PyObject **result)
{
    call c;

    begin(&c, m);
    r->uses++;
    m->sight = NULL; /* who watches sees one call that is none of operate */
    array *waits = waiting_find(m, r, args, first, out);
    if (waits) { /* it still does if Python is asked */
        const bool is_same = dtypes->inputs == 1 && (int)waits->dtype == dtypes->in[0];

        *result = is_same ? (PyObject *)waiting_reduce(waits, r) : NULL;
        request_drop(r);
        return is_same;
    }
    const bool is_taken = !take_request(&c, r) && !take_inputs(&c, args, first) &&
                          (out == Py_None || !take_outputs(&c, out));
    const bool is_known = is_taken && !c.has_more_axes && has_dtypes(&c, dtypes);
    *result = is_known ? perform(&c) : NULL;
    if (!is_taken)
        PyErr_Clear(); /* Python will say it */
    clean_up(&c);
    return is_known;
}

static PyObject *start(call *c, PyObject *const *args)
{
    core *m = c->core;
    PyObject *result = NULL;
    sight *s = m->sight && m->sight->thread == PyThread_get_thread_ident() ? m->sight : NULL;

    if (args[4] != Py_None && Py_TYPE(args[4]) != m->stream_type)
        return raise_text(m, LW_E_ARG, "the stream is %R; need a lanewise.Stream", args[4]), NULL;
    c->is_queued = args[4] != Py_None;
    if (c->is_queued) {
        c->stream = (stream *)args[4];
        c->device = (device *)Py_NewRef((PyObject *)c->stream->device);
    }
    if (!take_request(c, request_take(m, args[0], args[1])))
        result = operate(c, args);
    if (s)
        show(c, s, args, result);
    clean_up(c);
    return result;
}

/* operate(name, parameters, inputs, out or None, stream or None) */
PyObject *core_operate(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    call c;

    begin(&c, core_of(module));
    return count == 5 ? start(&c, args) : PyErr_Format(PyExc_TypeError, "operate takes 5");
}

/* record(name, parameters, inputs, out, stream): operate for the recorder of a graph */
PyObject *core_record(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    call c;

    begin(&c, core_of(module));
    c.records = true;
    return count == 5 ? start(&c, args) : PyErr_Format(PyExc_TypeError, "record takes 5");
}

static PyObject *infer_types(call *c, PyObject *inputs)
{
    lw_shape shapes[OUTPUTS];
    const bool has_failed = take_inputs(c, inputs, 0) || refuse_axes(c) || infer(c, shapes);
    PyObject *list = has_failed ? NULL : PyList_New(0);

    for (size_t k = 0; list && k < c->outputs; k++) {
        PyObject *extents = extents_tuple(shapes[k].rank, shapes[k].extent, 1);
        PyObject *row = extents ? Py_BuildValue("(iO)", (int)shapes[k].dtype, extents) : NULL;

        if (!row || PyList_Append(list, row))
            Py_CLEAR(list);
        DROP_IF(extents);
        DROP_IF(row);
    }
    return list;
}

/* infer(name, parameters, inputs): dtype and shape of each result */
PyObject *core_infer(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    PyObject *result = NULL;
    call c;

    if (count != 3)
        return PyErr_Format(PyExc_TypeError, "infer takes 3");
    begin(&c, core_of(module));
    if (!take_request(&c, request_take(c.core, args[0], args[1])))
        result = infer_types(&c, args[2]);
    c.outputs = 0; /* there is none to clean up */
    clean_up(&c);
    return result;
}
