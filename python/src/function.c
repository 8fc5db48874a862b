/* function.c - Function: a function of Python around an operation, whose calls repeat themselves.
 *
 * A call is told by its texts and words, which are the very same objects, and by the dtypes of its
 * arrays. The first one runs the Python code. If that asked for one operation, of the arrays as
 * they were given, and gave its result away as it was, the next such call goes to the operation at
 * once. So the Python code may look at nothing else of its arguments.
 */
#include "core.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>

enum { KNOWN_BITS = 4, TEXTS = 2, WORDS = 8 };

/* What is said in a call besides its arrays: texts come first; words have names. */
typedef struct words {
    Py_ssize_t texts, count;
    PyObject *text[TEXTS], *name[WORDS], *value[WORDS];
} words;

typedef struct known {
    words words; /* held */
    request *request;
    dtypes dtypes;
} known;

typedef struct function {
    PyObject_HEAD core *core;
    PyObject *wrapped, *dict;
    known *known[1 << KNOWN_BITS];
} function;

/* ---- telling calls ---- */

/* False: there is something among the arguments that Python is to look at. */
static bool read_words(core *c, PyObject *args, PyObject *kwargs, words *w, PyObject **out)
{
    const Py_ssize_t count = PyTuple_Size(args);
    PyObject *key, *value;
    Py_ssize_t at = 0;

    w->texts = w->count = 0;
    *out = Py_None;
    for (; w->texts < count && PyUnicode_CheckExact(PyTuple_GetItem(args, w->texts)); w->texts++) {
        if (w->texts == TEXTS)
            return false;
        w->text[w->texts] = PyTuple_GetItem(args, w->texts);
    }
    for (Py_ssize_t k = w->texts; k < count; k++)
        if (!is_plain_array(c, PyTuple_GetItem(args, k)))
            return false;
    while (kwargs && PyDict_Next(kwargs, &at, &key, &value)) {
        if (key == c->out_word && is_plain_array(c, value)) {
            *out = value;
            continue;
        }
        if (!is_constant(value) || w->count == WORDS)
            return false;
        w->name[w->count] = key;
        w->value[w->count++] = value;
    }
    return count > w->texts && count - w->texts <= INPUTS;
}

static known **place_of(function *f, const words *w)
{
    uintptr_t hash = 0;

    for (Py_ssize_t k = 0; k < w->texts; k++)
        hash = (hash ^ (uintptr_t)w->text[k]) * 0x9e3779b97f4a7c15u;
    for (Py_ssize_t k = 0; k < w->count; k++)
        hash = (hash ^ (uintptr_t)w->value[k]) * 0x9e3779b97f4a7c15u;
    return &f->known[hash >> (8 * sizeof hash - KNOWN_BITS)];
}

static bool are_same(const words *a, const words *b)
{
    if (a->texts != b->texts || a->count != b->count)
        return false;
    for (Py_ssize_t k = 0; k < a->texts; k++)
        if (a->text[k] != b->text[k])
            return false;
    for (Py_ssize_t k = 0; k < a->count; k++)
        if (a->name[k] != b->name[k] || a->value[k] != b->value[k])
            return false;
    return true;
}

/* ---- what is known ---- */

static void known_drop(known *k)
{
    if (!k)
        return;
    for (Py_ssize_t n = 0; n < k->words.texts; n++)
        DROP(k->words.text[n]);
    for (Py_ssize_t n = 0; n < k->words.count; n++) {
        DROP(k->words.name[n]);
        DROP(k->words.value[n]);
    }
    request_drop(k->request);
    free(k);
}

/* Takes the sight's hold of its request. */
static void keep(known **place, const words *w, const sight *s)
{
    known *k = malloc(sizeof *k), *old = *place;

    if (!k) {
        request_drop(s->request);
        return;
    }
    *k = (known){*w, s->request, s->dtypes};
    for (Py_ssize_t n = 0; n < w->texts; n++)
        HOLD(w->text[n]);
    for (Py_ssize_t n = 0; n < w->count; n++) {
        HOLD(w->name[n]);
        HOLD(w->value[n]);
    }
    *place = k;
    known_drop(old);
}

/* ---- calls ---- */

/* By Python, with an eye on what it asks for. */
static PyObject *call_in_sight(function *f, PyObject *args, PyObject *kwargs, const words *w,
                               PyObject *out)
{
    sight s = {.thread = PyThread_get_thread_ident(), .args = args, .first = w->texts, .out = out};

    f->core->sight = &s;
    PyObject *result = PyObject_Call(f->wrapped, args, kwargs);
    if (f->core->sight == &s)
        f->core->sight = NULL;
    if (s.request && s.calls == 1 && s.result == result)
        keep(place_of(f, w), w, &s);
    else
        request_drop(s.request);
    DROP_IF(s.result);
    return result;
}

static PyObject *function_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    function *f = (function *)self;
    PyObject *out, *result;
    words w;

    if (f->core->checker || !read_words(f->core, args, kwargs, &w, &out))
        return PyObject_Call(f->wrapped, args, kwargs);
    const known *k = *place_of(f, &w);
    if (k && are_same(&k->words, &w) &&
        operate_again(f->core, k->request, &k->dtypes, args, w.texts, out, &result))
        return result;
    return call_in_sight(f, args, kwargs, &w, out);
}

/* ---- the type ---- */

static PyObject *function_get(PyObject *self, PyObject *object, PyObject *type)
{
    (void)object;
    (void)type;
    return Py_NewRef(self);
}

static PyObject *function_repr(PyObject *self)
{
    return PyObject_Repr(((function *)self)->wrapped);
}

/* For pickles: a name, as of a function. */
static PyObject *function_reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyObject_GetAttrString(self, "__qualname__");
}

static int function_traverse(PyObject *self, visitproc visit, void *arg)
{
    function *f = (function *)self;

    Py_VISIT(Py_TYPE(self));
    Py_VISIT(f->wrapped);
    Py_VISIT(f->dict);
    return 0;
}

static int function_clear(PyObject *self)
{
    function *f = (function *)self;

    Py_CLEAR(f->wrapped);
    Py_CLEAR(f->dict);
    return 0;
}

static void function_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    function *f = (function *)self;

    PyObject_GC_UnTrack(self);
    for (int k = 0; k < 1 << KNOWN_BITS; k++)
        known_drop(f->known[k]);
    (void)function_clear(self);
    PyObject_GC_Del(self);
    DROP(type);
}

/* function(wrapped) */
PyObject *core_function(PyObject *module, PyObject *wrapped)
{
    core *c = core_of(module);
    function *f = (function *)PyType_GenericAlloc(c->function_type, 0);

    if (!f)
        return NULL;
    f->core = c;
    f->wrapped = Py_NewRef(wrapped);
    return (PyObject *)f;
}

static PyMethodDef function_methods[] = {
    {"__reduce__", function_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyMemberDef function_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(function, dict), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyGetSetDef function_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot function_slots[] = {
    {Py_tp_call, (void *)function_call},
    {Py_tp_repr, (void *)function_repr},
    {Py_tp_descr_get, (void *)function_get},
    {Py_tp_dealloc, (void *)function_dealloc},
    {Py_tp_traverse, (void *)function_traverse},
    {Py_tp_clear, (void *)function_clear},
    {Py_tp_methods, function_methods},
    {Py_tp_members, function_members},
    {Py_tp_getset, function_getset},
    {0, NULL},
};
PyType_Spec function_spec = {
    "lanewise._core.Function", sizeof(function), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_GC, function_slots};
