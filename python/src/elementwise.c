/* elementwise.c - Elementwise: a function of elements, as add or exp; and Array's operators.
 *
 * What it does for each dtype comes from Python, as text of C. Here the dtypes are promoted, and
 * Arrays and numbers become terms of a result (waiting.c). Everything else goes back to Python:
 * arrays of NumPy and others, tensors of a graph, out and stream.
 */
#include "base/base.h"
#include "core.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>

enum { KIND_BOOL, KIND_INTEGER, KIND_FLOAT, NO_DTYPE = -1 };

/* An operand as it was given. */
typedef struct given {
    array *array;    /* or NULL: a number */
    PyObject *value; /* of a number: Python's; held */
    int dtype, kind; /* dtype: NO_DTYPE of Python's numbers, which are weak */
} given;

static int kind_of(int dtype)
{
    return dtype == LW_BOOL ? KIND_BOOL : dtype < LW_BOOL ? KIND_INTEGER : KIND_FLOAT;
}

/* ---- operands ---- */

static void give_back(given *all, size_t count)
{
    for (size_t k = 0; k < count; k++)
        DROP_IF(all[k].value);
}

/* NumPy's scalar: its value, and its dtype, which is no weak one. */
static int read_scalar(core *c, PyObject *object, given *g)
{
    PyObject *dtype = PyObject_GetAttrString(object, "dtype");
    int found = 0;

    for (int k = 0; dtype && k < LW_DTYPE_COUNT && !found; k++) {
        found = PyObject_RichCompareBool(dtype, c->dtypes[k], Py_EQ);
        g->dtype = k;
    }
    DROP_IF(dtype);
    if (!dtype || found < 0)
        return -1;
    g->kind = kind_of(g->dtype);
    g->value = found && g->dtype != LW_BF16 ? PyObject_CallMethod(object, "item", NULL) : NULL;
    return g->value ? 1 : PyErr_Occurred() ? -1 : 0;
}

/* 1: an Array or a number. 0: something else. -1: an exception. */
static int read_given(core *c, PyObject *object, given *g)
{
    *g = (given){.dtype = NO_DTYPE};
    if (is_array(c, object)) {
        g->array = (array *)object;
        g->dtype = (int)g->array->dtype;
        return 1;
    }
    if (PyFloat_CheckExact(object))
        g->kind = KIND_FLOAT;
    else if (PyLong_CheckExact(object))
        g->kind = KIND_INTEGER;
    else if (PyBool_Check(object))
        g->kind = KIND_BOOL;
    else
        return PyObject_IsInstance(object, c->generic) == 1 ? read_scalar(c, object, g) : 0;
    g->value = Py_NewRef(object);
    return 1;
}

/* The common dtype of all from `first` on; NO_DTYPE: of numbers alone. */
static int promote(const core *c, const given *all, size_t first, size_t count)
{
    int dtype = NO_DTYPE, kind = KIND_BOOL;

    for (size_t k = first; k < count; k++)
        if (all[k].dtype != NO_DTYPE)
            dtype = dtype == NO_DTYPE ? all[k].dtype : c->promoted[dtype][all[k].dtype];
        else if (all[k].kind > kind)
            kind = all[k].kind;
    if (dtype == NO_DTYPE || kind_of(dtype) >= kind)
        return dtype;
    return kind == KIND_INTEGER ? LW_I64 : LW_F64;
}

/* 1: the number as a kernel takes it. 0: the dtype does not hold it. -1: an exception. */
static int read_number(PyObject *value, lw_dtype dtype, number *n)
{
    if (kind_of((int)dtype) == KIND_FLOAT) {
        *n = (number){LW_ARG_REAL, {.f = PyFloat_AsDouble(value)}};
        return PyErr_Occurred() ? -1 : 1;
    }
    if (dtype == LW_BOOL) {
        const int is_true = PyObject_IsTrue(value);

        *n = (number){LW_ARG_INT, {.i = is_true}};
        return is_true < 0 ? -1 : 1;
    }
    const int bits = 8 * (int)lw_dtype_size(dtype);
    const bool is_signed = dtype <= LW_I64;
    int overflow;
    const long long whole = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (whole == -1 && PyErr_Occurred())
        return -1;
    if (dtype == LW_U64 && overflow > 0) {
        *n = (number){LW_ARG_UINT, {.u = PyLong_AsUnsignedLongLong(value)}};
        const bool fits = !PyErr_Occurred();

        PyErr_Clear();
        return fits;
    }
    const long long most = bits == 64 ? INT64_MAX : (1LL << (bits - is_signed)) - 1;
    const long long least = !is_signed ? 0 : bits == 64 ? INT64_MIN : -most - 1;
    *n = (number){LW_ARG_INT, {.i = whole}};
    return !overflow && whole >= least && whole <= most;
}

static const overload *find_overload(const elementwise *f, int dtype)
{
    const overload *o = &f->overloads[dtype];

    if (o->is_there)
        return o;
    raise_text(f->core, LW_E_DTYPE, "%U: it does not take %s", f->name, lw__dtypes[dtype].name);
    return NULL;
}

/* 1: terms and how. 0: for Python. -1: an exception. */
static int read_terms(elementwise *f, PyObject *const *objects, term *terms, const overload **how)
{
    given all[ARITY];
    bool has_array = false;
    size_t taken = 0;
    int found = 1;

    for (; taken < f->arity && found == 1; taken++) {
        found = read_given(f->core, objects[taken], &all[taken]);
        has_array = has_array || all[taken].array;
    }
    const int dtype =
        found == 1 && has_array ? promote(f->core, all, f->first, f->arity) : NO_DTYPE;
    if (found == 1)
        found = dtype == NO_DTYPE ? 0 : (*how = find_overload(f, dtype)) ? 1 : -1;
    for (size_t k = 0; k < f->arity && found == 1; k++) {
        terms[k].array = all[k].array;
        if (!all[k].array)
            found = read_number(all[k].value, all[k].kind == KIND_FLOAT ? LW_F64 : (*how)->in[k],
                                &terms[k].number);
    }
    give_back(all, taken);
    return found;
}

/* ---- operators ---- */

/* To Python; what neither side can do is NotImplemented. */
static PyObject *leave(elementwise *f, PyObject *const *objects)
{
    PyObject *operands =
        f->arity == 1 ? PyTuple_Pack(1, objects[0]) : PyTuple_Pack(2, objects[0], objects[1]);
    PyObject *result =
        operands ? PyObject_CallFunctionObjArgs(f->core->other, f, operands, NULL) : NULL;

    DROP_IF(operands);
    return result;
}

static PyObject *operate_on(elementwise *f, PyObject *const *objects)
{
    const overload *how;
    term terms[ARITY];
    const int found = read_terms(f, objects, terms, &how);

    if (found == 1)
        return (PyObject *)waiting_create(f, how, terms);
    return found < 0 ? NULL : leave(f, objects);
}

static PyObject *positive(PyObject *a);

/* Of an Array, whose operators these are; else NULL. */
static core *core_of_array(PyObject *object)
{
    return PyType_GetSlot(Py_TYPE(object), Py_nb_positive) == (void *)positive
               ? ((array *)object)->core
               : NULL;
}

/* One of them is an Array. */
static core *core_of_two(PyObject *a, PyObject *b)
{
    core *c = core_of_array(a);

    return c ? c : core_of_array(b);
}

static elementwise *operator_of(core *c, enum operator number)
{
    return (elementwise *)c->operators[number];
}

static PyObject *two(PyObject *a, PyObject *b, enum operator number)
{
    return operate_on(operator_of(core_of_two(a, b), number), (PyObject *[]){a, b});
}

static PyObject *one(PyObject *a, enum operator number)
{
    return operate_on(operator_of(core_of_array(a), number), &a);
}

/* x += y: in the elements of x, whose dtype has at least the result's kind. */
static PyObject *in_place(PyObject *x, PyObject *y, enum operator number)
{
    elementwise *f = operator_of(core_of_array(x), number);
    core *c = f->core;
    array *to = (array *)x;
    const overload *how;
    term terms[ARITY];

    int found = read_terms(f, (PyObject *[]){x, y}, terms, &how);
    if (!found) {
        PyObject *made = two(x, y, number);

        found = made && made != Py_NotImplemented ? PyObject_SetItem(x, Py_Ellipsis, made) : -1;
        if (made == Py_NotImplemented)
            return made;
        DROP_IF(made);
        return found ? NULL : Py_NewRef(x);
    }
    if (found < 0)
        return NULL;
    if (to->readonly)
        return raise_text(c, LW_E_ARG, "%U: the array is read-only", f->name), NULL;
    if (kind_of((int)how->out) > kind_of((int)to->dtype))
        return raise_text(c, LW_E_DTYPE,
                          "%U in place: the result is %s, and the array %s; need an array that "
                          "holds it, as of astype",
                          f->name, lw__dtypes[how->out].name, lw__dtypes[to->dtype].name),
               NULL;
    if (array_settle(to) || waiting_write(f, how, terms, to))
        return NULL;
    return Py_NewRef(x);
}

#define TWO(function, number)                                                                      \
    static PyObject *function(PyObject *a, PyObject *b)                                            \
    {                                                                                              \
        return two(a, b, number);                                                                  \
    }                                                                                              \
    static PyObject *function##_in_place(PyObject *a, PyObject *b)                                 \
    {                                                                                              \
        return in_place(a, b, number);                                                             \
    }
#define ONE(function, number)                                                                      \
    static PyObject *function(PyObject *a)                                                         \
    {                                                                                              \
        return one(a, number);                                                                     \
    }
TWO(add, OPERATOR_ADD)
TWO(subtract, OPERATOR_SUBTRACT)
TWO(multiply, OPERATOR_MULTIPLY)
TWO(divide, OPERATOR_DIVIDE)
TWO(floor_divide, OPERATOR_FLOOR_DIVIDE)
TWO(remainder_of, OPERATOR_REMAINDER)
TWO(bitwise_and, OPERATOR_AND)
TWO(bitwise_or, OPERATOR_OR)
TWO(bitwise_xor, OPERATOR_XOR)
TWO(shift_left, OPERATOR_LEFT)
TWO(shift_right, OPERATOR_RIGHT)
ONE(negative, OPERATOR_NEGATIVE)
ONE(positive, OPERATOR_POSITIVE)
ONE(absolute, OPERATOR_ABS)
ONE(invert, OPERATOR_INVERT)

static PyObject *power(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None)
        return Py_NewRef(Py_NotImplemented);
    return two(a, b, OPERATOR_POW);
}

static PyObject *power_in_place(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None)
        return Py_NewRef(Py_NotImplemented);
    return in_place(a, b, OPERATOR_POW);
}

static PyObject *matmul(PyObject *a, PyObject *b)
{
    return PyObject_CallFunctionObjArgs(core_of_two(a, b)->matmul, a, b, NULL);
}

static PyObject *compare(PyObject *a, PyObject *b, int sign)
{
    static const enum operator numbers[] = {
        [Py_LT] = OPERATOR_LESS,
        [Py_LE] = OPERATOR_LESS_EQUAL,
        [Py_EQ] = OPERATOR_EQUAL,
        [Py_NE] = OPERATOR_NOT_EQUAL,
        [Py_GT] = OPERATOR_GREATER,
        [Py_GE] = OPERATOR_GREATER_EQUAL
    };

    elementwise *f = operator_of(core_of_two(a, b), numbers[sign]);
    const bool are_apart = is_array(f->core, a) && is_array(f->core, b) &&
                           array_device((array *)a) != array_device((array *)b);
    return are_apart ? leave(f, (PyObject *[]){a, b}) : operate_on(f, (PyObject *[]){a, b});
}

PyType_Slot array_operators[] = {
    {Py_nb_add, (void *)add},
    {Py_nb_subtract, (void *)subtract},
    {Py_nb_multiply, (void *)multiply},
    {Py_nb_true_divide, (void *)divide},
    {Py_nb_floor_divide, (void *)floor_divide},
    {Py_nb_remainder, (void *)remainder_of},
    {Py_nb_power, (void *)power},
    {Py_nb_and, (void *)bitwise_and},
    {Py_nb_or, (void *)bitwise_or},
    {Py_nb_xor, (void *)bitwise_xor},
    {Py_nb_lshift, (void *)shift_left},
    {Py_nb_rshift, (void *)shift_right},
    {Py_nb_negative, (void *)negative},
    {Py_nb_positive, (void *)positive},
    {Py_nb_absolute, (void *)absolute},
    {Py_nb_invert, (void *)invert},
    {Py_nb_matrix_multiply, (void *)matmul},
    {Py_nb_inplace_add, (void *)add_in_place},
    {Py_nb_inplace_subtract, (void *)subtract_in_place},
    {Py_nb_inplace_multiply, (void *)multiply_in_place},
    {Py_nb_inplace_true_divide, (void *)divide_in_place},
    {Py_nb_inplace_floor_divide, (void *)floor_divide_in_place},
    {Py_nb_inplace_remainder, (void *)remainder_of_in_place},
    {Py_nb_inplace_power, (void *)power_in_place},
    {Py_nb_inplace_and, (void *)bitwise_and_in_place},
    {Py_nb_inplace_or, (void *)bitwise_or_in_place},
    {Py_nb_inplace_xor, (void *)bitwise_xor_in_place},
    {Py_nb_inplace_lshift, (void *)shift_left_in_place},
    {Py_nb_inplace_rshift, (void *)shift_right_in_place},
    {Py_tp_richcompare, (void *)compare},
};

/* operators(functions, promoted, other, matmul): promoted: bytes, a row for each dtype */
PyObject *core_operators(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core *c = core_of(module);
    char *table;
    Py_ssize_t length;

    _Static_assert(sizeof array_operators / sizeof *array_operators == ARRAY_OPERATORS, "core.h");
    if (count != 4 || PyTuple_Size(args[0]) != OPERATORS ||
        PyBytes_AsStringAndSize(args[1], &table, &length) || length != sizeof c->promoted)
        return PyErr_Format(PyExc_TypeError, "operators takes 4");
    for (int k = 0; k < OPERATORS; k++)
        c->operators[k] = Py_NewRef(PyTuple_GetItem(args[0], k));
    memcpy(c->promoted, table, sizeof c->promoted);
    c->other = Py_NewRef(args[2]);
    c->matmul = Py_NewRef(args[3]);
    c->waits = true;
    Py_RETURN_NONE;
}

/* fusion(bool or None): may results wait? What it was; None leaves it. */
PyObject *core_fusion(PyObject *module, PyObject *object)
{
    core *c = core_of(module);
    const bool before = c->waits;
    const int waits = PyObject_IsTrue(object);

    if (waits < 0)
        return NULL;
    c->waits = object == Py_None ? before : waits;
    return PyBool_FromLong(before);
}

/* ---- the type ---- */

static PyObject *elementwise_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    elementwise *f = (elementwise *)self;
    PyObject *objects[ARITY];
    const overload *how;
    term terms[ARITY];

    if ((kwargs && PyDict_Size(kwargs)) || PyTuple_Size(args) != (Py_ssize_t)f->arity)
        return PyObject_Call(f->other, args, kwargs);
    for (size_t k = 0; k < f->arity; k++)
        objects[k] = PyTuple_GetItem(args, (Py_ssize_t)k);
    const int found = read_terms(f, objects, terms, &how);
    if (found == 1)
        return (PyObject *)waiting_create(f, how, terms);
    return found < 0 ? NULL : PyObject_Call(f->other, args, NULL);
}

static void elementwise_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    elementwise *f = (elementwise *)self;

    PyObject_GC_UnTrack(self);
    for (int k = 0; k < LW_DTYPE_COUNT; k++) {
        free(f->overloads[k].text);
        free(f->overloads[k].head);
    }
    DROP_IF(f->name);
    DROP_IF(f->other);
    DROP_IF(f->dict);
    PyObject_GC_Del(self);
    DROP(type);
}

static int elementwise_traverse(PyObject *self, visitproc visit, void *arg)
{
    elementwise *f = (elementwise *)self;

    Py_VISIT(Py_TYPE(self));
    Py_VISIT(f->other);
    Py_VISIT(f->dict);
    return 0;
}

static int elementwise_clear(PyObject *self)
{
    elementwise *f = (elementwise *)self;

    Py_CLEAR(f->other);
    Py_CLEAR(f->dict);
    return 0;
}

static PyObject *elementwise_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<lanewise.Elementwise %U>", ((elementwise *)self)->name);
}

/* For pickles: a name, as of a function. */
static PyObject *elementwise_reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    return Py_NewRef(((elementwise *)self)->name);
}

static PyObject *elementwise_get(PyObject *self, PyObject *object, PyObject *type)
{
    (void)object;
    (void)type;
    return Py_NewRef(self);
}

/* row: None, or (dtypes of the operands, dtype of the result, text, head or None) */
static int read_overload(PyObject *row, size_t arity, overload *o)
{
    const char *text, *head;
    PyObject *in;
    int out;

    if (row == Py_None)
        return 0;
    if (!PyArg_ParseTuple(row, "Oisz", &in, &out, &text, &head))
        return -1;
    for (size_t k = 0; k < arity; k++)
        o->in[k] = (lw_dtype)PyLong_AsLong(PyTuple_GetItem(in, (Py_ssize_t)k));
    o->out = (lw_dtype)out;
    o->text = strdup(text);
    o->head = head ? strdup(head) : NULL;
    o->is_there = true;
    if (!o->text || (head && !o->head))
        PyErr_NoMemory();
    return PyErr_Occurred() ? -1 : 0;
}

/* elementwise(name, arity, first, overloads, other, weight) */
PyObject *core_elementwise(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core *c = core_of(module);
    const long arity = count == 6 ? PyLong_AsLong(args[1]) : -1;

    if (arity < 1 || arity > ARITY || PyTuple_Size(args[3]) != LW_DTYPE_COUNT)
        return PyErr_Format(PyExc_TypeError, "elementwise takes 6");
    elementwise *f = (elementwise *)PyType_GenericAlloc(c->elementwise_type, 0);
    if (!f)
        return NULL;
    f->core = c;
    f->name = Py_NewRef(args[0]);
    f->arity = (size_t)arity;
    f->first = PyLong_AsSize_t(args[2]);
    f->other = Py_NewRef(args[4]);
    f->weight = PyLong_AsSize_t(args[5]);
    for (int k = 0; k < LW_DTYPE_COUNT; k++)
        if (read_overload(PyTuple_GetItem(args[3], k), f->arity, &f->overloads[k])) {
            DROP(f);
            return NULL;
        }
    return (PyObject *)f;
}

static PyMethodDef elementwise_methods[] = {
    {"__reduce__", elementwise_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyMemberDef elementwise_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(elementwise, dict), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyGetSetDef elementwise_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot elementwise_slots[] = {
    {Py_tp_call, (void *)elementwise_call},
    {Py_tp_repr, (void *)elementwise_repr},
    {Py_tp_descr_get, (void *)elementwise_get},
    {Py_tp_dealloc, (void *)elementwise_dealloc},
    {Py_tp_traverse, (void *)elementwise_traverse},
    {Py_tp_clear, (void *)elementwise_clear},
    {Py_tp_methods, elementwise_methods},
    {Py_tp_members, elementwise_members},
    {Py_tp_getset, elementwise_getset},
    {0, NULL},
};
PyType_Spec elementwise_spec = {
    "lanewise._core.Elementwise", sizeof(elementwise), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_GC, elementwise_slots};
