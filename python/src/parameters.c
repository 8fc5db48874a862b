/* parameters.c - what a call asks for: the operation of a name, and its parameters, from Python's
 * values to the library's words. Calls repeat themselves, so the last ones are kept. They are known
 * again by the very objects that they were made of, which cannot change.
 */
#include "core.h"
#include <stdlib.h>
#include <string.h>

/* A number as the library reads it; *kept has the text. */
static int write_number(core *c, PyObject *name, PyObject *value, lw_word *word, PyObject **kept)
{
    const bool is_real = PyFloat_Check(value);
    PyObject *plain;

    if (PyObject_IsInstance(value, c->generic) == 1) {
        plain = PyObject_CallMethod(value, "item", NULL);
        if (plain && PyBool_Check(plain)) {
            word->text = plain == Py_True ? "true" : "false";
            DROP(plain);
            return 0;
        }
    } else if (is_real)
        plain = PyNumber_Float(value);
    else if (PyIndex_Check(value))
        plain = PyNumber_Index(value);
    else
        return raise_text(c, LW_E_ARG, "parameter '%U' is %R; need a number, a bool or a text",
                          name, value);
    *kept = plain ? PyObject_Repr(plain) : NULL;
    DROP_IF(plain);
    word->text = *kept ? PyUnicode_AsUTF8AndSize(*kept, NULL) : NULL;
    if (!word->text)
        return -1;
    if (strpbrk(word->text, "an")) /* inf and nan */
        word->form = LW_WORD_STRING;
    return 0;
}

static int write_word(core *c, PyObject *name, PyObject *value, lw_word *word, PyObject **kept)
{
    *word = (lw_word){.name = PyUnicode_AsUTF8AndSize(name, NULL), .form = LW_WORD_PLAIN};
    if (!word->name)
        return -1;
    if (PyBool_Check(value))
        word->text = value == Py_True ? "true" : "false";
    else if (PyUnicode_Check(value)) {
        word->form = LW_WORD_STRING;
        word->text = PyUnicode_AsUTF8AndSize(value, NULL);
    } else
        return write_number(c, name, value, word, kept);
    return word->text ? 0 : -1;
}

static lw_params *read_parameters(core *c, const lw_op *op, PyObject *dict)
{
    lw_word words[PARAMETERS];
    PyObject *kept[PARAMETERS] = {NULL}, *name, *value;
    lw_params *params = NULL;
    Py_ssize_t at = 0;
    size_t count = 0;
    int failed = 0;

    while (!failed && PyDict_Next(dict, &at, &name, &value))
        if (value != Py_None && count == PARAMETERS)
            failed = raise_text(c, LW_E_ARG, "there are more than %d parameters", PARAMETERS);
        else if (value != Py_None) {
            failed = write_word(c, name, value, &words[count], &kept[count]);
            count++;
        }
    if (!failed) {
        const lw_status status = lw_params_create(op, words, count, &params);

        if (status)
            raise_status(c, status);
    }
    for (size_t k = 0; k < count; k++)
        DROP_IF(kept[k]);
    return params;
}

/* ---- what is kept ---- */

bool is_constant(PyObject *value)
{
    return value == Py_None || PyBool_Check(value) || PyUnicode_CheckExact(value) ||
           PyLong_CheckExact(value) || PyFloat_CheckExact(value);
}

static request **place_of(core *c, PyObject *name, PyObject *dict)
{
    uintptr_t hash = (uintptr_t)name;
    PyObject *key, *value;
    Py_ssize_t at = 0;

    while (PyDict_Next(dict, &at, &key, &value))
        hash = (hash ^ (uintptr_t)value) * 0x9e3779b97f4a7c15u;
    return &c->requests[hash >> (8 * sizeof hash - REQUEST_BITS)];
}

static bool is_same(const request *r, PyObject *name, PyObject *dict)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    size_t k = 0;

    if (r->op_name != name)
        return false;
    for (; PyDict_Next(dict, &at, &key, &value); k++)
        if (k == r->count || r->names[k] != key || r->values[k] != value)
            return false;
    return k == r->count;
}

/* Holds what it was made of; false: it may not be kept. */
static bool hold_objects(request *r, PyObject *name, PyObject *dict)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    bool is_kept = true;

    r->op_name = Py_NewRef(name);
    while (PyDict_Next(dict, &at, &key, &value)) {
        is_kept = is_kept && PyUnicode_CheckExact(key) && is_constant(value);
        if (r->count == PARAMETERS)
            return false; /* of which some are None */
        r->names[r->count] = Py_NewRef(key);
        r->values[r->count++] = Py_NewRef(value);
    }
    return is_kept;
}

static enum reduction reduction_of(const char *name)
{
    static const char *const names[] = {"", "sum", "mean", "max", "min", "any", "all"};

    for (int k = SUM; k <= ALL; k++)
        if (!strcmp(name, names[k]))
            return (enum reduction)k;
    return NO_REDUCTION;
}

/* The words of lw.sum and the like, as the waiting results can do them. */
static void note_reduction(request *r)
{
    bool is_known = true;

    r->reduces = reduction_of(r->name);
    r->of_all = true;
    for (size_t k = 0; k < r->count && r->reduces && is_known; k++) {
        PyObject *const value = r->values[k];

        if (!PyUnicode_CompareWithASCIIString(r->names[k], "axis")) {
            r->of_all = value == Py_None;
            r->axis = r->of_all ? 0 : PyLong_AsLong(value);
        } else if (!PyUnicode_CompareWithASCIIString(r->names[k], "keepdims"))
            r->keepdims = value == Py_True;
        else if (!PyUnicode_CompareWithASCIIString(r->names[k], "sum"))
            is_known = value == Py_None || !PyUnicode_CompareWithASCIIString(value, "fixed");
        else
            is_known = value == Py_None;
    }
    if (PyErr_Occurred()) { /* the library will say it */
        PyErr_Clear();
        is_known = false;
    }
    if (!is_known)
        r->reduces = NO_REDUCTION;
}

static request *make_request(core *c, PyObject *name, PyObject *dict, bool *is_kept)
{
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    lw_op *op;

    if (!text)
        return NULL;
    lw_status status = lw_op_find(text, &op);
    lw_op_info info;
    if (!status)
        status = lw_op_get_info(op, &info);
    if (status)
        return raise_status(c, status), NULL;
    request *r = calloc(1, sizeof *r);
    if (!r)
        return (request *)PyErr_NoMemory();
    r->uses = 1;
    r->name = text;
    r->outputs = info.outputs < OUTPUTS ? info.outputs : OUTPUTS;
    r->has_expression = !strcmp(text, "map") || !strcmp(text, "map_reduce");
    *is_kept = hold_objects(r, name, dict);
    note_reduction(r);
    r->params = read_parameters(c, op, dict);
    if (!r->params) {
        request_drop(r);
        return NULL;
    }
    return r;
}

request *request_take(core *c, PyObject *name, PyObject *dict)
{
    request **place = place_of(c, name, dict);
    bool is_kept = false;

    if (*place && is_same(*place, name, dict)) {
        (*place)->uses++;
        return *place;
    }
    request *r = make_request(c, name, dict, &is_kept);
    if (r && is_kept) {
        request *old = *place;

        *place = r;
        r->uses++;
        request_drop(old);
    }
    return r;
}

void request_drop(request *r)
{
    if (!r || --r->uses)
        return;
    lw_params_destroy(r->params);
    for (size_t k = 0; k < r->count; k++) {
        DROP(r->names[k]);
        DROP(r->values[k]);
    }
    DROP(r->op_name);
    free(r);
}
