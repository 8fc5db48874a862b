/* picture.c - lw.picture: a stream records its next launch, and writes what its threads did. */
#include "core.h"
#include <lanewise/picture.h>

/* read_names - an array of texts that live as long as the tuple; release with PyMem_Free. */
static const char **read_names(PyObject *names, size_t *count)
{
    const Py_ssize_t n = PyTuple_Size(names);
    const char **texts = n < 0 ? NULL : PyMem_Calloc((size_t)n + 1, sizeof *texts);

    if (!texts)
        return NULL;
    for (Py_ssize_t i = 0; i < n; i++) {
        texts[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
        if (!texts[i]) {
            PyMem_Free(texts);
            return NULL;
        }
    }
    *count = (size_t)n;
    return texts;
}

/* _picture_begin(block, steps, traces, source or None) */
PyObject *stream_picture_begin(PyObject *self, PyObject *args)
{
    stream *s = (stream *)self;
    lw_picture_options options = {0};
    PyObject *names;
    const char **traces;

    if (!PyArg_ParseTuple(args, "(III)IO!z", &options.block.x, &options.block.y, &options.block.z,
                          &options.steps, &PyTuple_Type, &names, &options.source) ||
        !(traces = read_names(names, &options.trace_count)))
        return NULL;
    options.traces = traces;
    s->is_checked = true; /* findings are part of the picture */
    lw_status status = lw_picture_begin(s->handle, &options);
    PyMem_Free(traces);
    if (status)
        return raise_status(s->core, status), NULL;
    Py_RETURN_NONE;
}

/* _picture_write(format, path): why it is cut, or None */
PyObject *stream_picture_write(PyObject *self, PyObject *args)
{
    stream *s = (stream *)self;
    const char *path, *why;
    lw_status status;
    int format;

    if (!PyArg_ParseTuple(args, "is", &format, &path))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = lw_picture_write(s->handle, (lw_picture_format)format, path);
    Py_END_ALLOW_THREADS;
    if (status)
        return raise_status(s->core, status), NULL;
    why = lw_picture_why_cut(s->handle);
    if (why)
        return PyUnicode_FromString(why);
    Py_RETURN_NONE;
}
