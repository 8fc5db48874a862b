/* parameters.c - an operation's parameters, from Python's values to the library's words. */
#include "core.h"
#include <string.h>

enum { PARAMETERS = 16 };

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

lw_params *parameters_read(core *c, const lw_op *op, PyObject *dict)
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
