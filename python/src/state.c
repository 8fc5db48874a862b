/* state.c - the state of the module; errors by status. */
#include "core.h"
#include <stdarg.h>
#include <string.h>

core *core_of(PyObject *module)
{
    return *(core **)PyModule_GetState(module);
}

core *core_of_type(PyTypeObject *type)
{
    return *(core **)PyType_GetModuleState(type);
}

/* The library's text of its last failure as an exception; -1. */
int raise_status(core *c, lw_status status)
{
    const int k = -(int)status;
    const char *text = lw_last_error();
    const bool is_outside = status == LW_E_LAUNCH && strstr(text, " outside: ");

    PyErr_Format(k > 0 && k < STATUSES && c->errors[k] ? c->errors[k] : PyExc_RuntimeError, "%s%s",
                 text, is_outside ? "; lw.check() tells of all such accesses" : "");
    return -1;
}

int raise_text(core *c, lw_status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    PyErr_FormatV(c->errors[-(int)status] ? c->errors[-(int)status] : PyExc_RuntimeError, format,
                  args);
    va_end(args);
    return -1;
}

/* The exception there is, if it is one of ours, with a text before its own; -1. */
int raise_within(core *c, const char *format, ...)
{
    PyObject *type, *value, *trace;

    PyErr_Fetch(&type, &value, &trace);
    if (!PyErr_GivenExceptionMatches(type, c->errors[0])) {
        PyErr_Restore(type, value, trace);
        return -1;
    }
    PyErr_NormalizeException(&type, &value, &trace);
    va_list args;
    va_start(args, format);
    PyObject *before = PyUnicode_FromFormatV(format, args);
    va_end(args);
    if (before)
        PyErr_Format(type, "%U%S", before, value);
    DROP_IF(before);
    DROP_IF(type);
    DROP_IF(value);
    DROP_IF(trace);
    return -1;
}
