/* fill.c - random numbers, the fills of the command: the same bits everywhere. */
#include "core.h"
#include "text/fill.h"

/* fill(array, seed, is_normal): of a C-contiguous array in memory of the host. */
PyObject *core_fill(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    core *c = core_of(module);
    int is_normal;

    if (count != 3 || !is_array(c, args[0]) || (is_normal = PyObject_IsTrue(args[2])) < 0)
        return NULL;
    unsigned long long seed = PyLong_AsUnsignedLongLong(args[1]);
    if (PyErr_Occurred())
        return NULL;
    array *a = (array *)args[0];
    if (array_settle(a) || memory_settle(a->memory))
        return NULL;
    size_t size = (size_t)array_size(a);
    char *to = (char *)a->memory->data + (size_t)a->offset * lw_dtype_size(a->dtype);
    Py_BEGIN_ALLOW_THREADS;
    lw__fill_make(is_normal ? LW_FILL_NORMAL : LW_FILL_RAND, a->dtype, seed, size, to);
    Py_END_ALLOW_THREADS;
    Py_RETURN_NONE;
}
