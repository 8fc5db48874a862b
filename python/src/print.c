/* print.c - what kernels print: lines of a stream, kept until a wait has ended, then written to
 * sys.stdout as one text.
 */
#include "core.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define AT "%" PRIu32 ",%" PRIu32 ",%" PRIu32
#define PREFIX "[block " AT " thread " AT "] " /* as the command has it */
enum { PREFIX_BYTES = 128 };

/* Keep a line; without memory for it, it is lost. */
void stream_keep_line(const lw_output *output, void *user)
{
    const PyGILState_STATE state = PyGILState_Ensure(); /* two threads may wait */
    const lw_dim3 b = output->block, t = output->thread;
    stream *s = user;
    const size_t bytes = output->text ? strlen(output->text) + PREFIX_BYTES : 0;
    size_t room = s->printed_room;

    while (room < s->printed_length + bytes)
        room = room ? 2 * room : 4096;
    if (room > s->printed_room) {
        char *more = PyMem_Realloc(s->printed, room);

        s->printed = more ? more : s->printed;
        s->printed_room = more ? room : s->printed_room;
    }
    if (!output->text || room > s->printed_room)
        s->lost += output->text ? 1 : output->lost;
    else
        s->printed_length += (size_t)sprintf(s->printed + s->printed_length, PREFIX "%s\n", b.x,
                                             b.y, b.z, t.x, t.y, t.z, output->text);
    PyGILState_Release(state);
}

/* What the file cannot encode is written as escapes. */
static int write_text(const char *name, PyObject *text)
{
    PyObject *file = PySys_GetObject(name), *bytes, *escaped; /* borrowed */
    int failed;

    if (!file || file == Py_None)
        return 0;
    HOLD(file);
    failed = PyFile_WriteObject(text, file, Py_PRINT_RAW);
    if (failed && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
        PyErr_Clear();
        bytes = PyUnicode_AsEncodedString(text, "ascii", "backslashreplace");
        escaped = bytes ? PyUnicode_FromEncodedObject(bytes, "ascii", NULL) : NULL;
        failed = escaped ? PyFile_WriteObject(escaped, file, Py_PRINT_RAW) : -1;
        DROP_IF(bytes);
        DROP_IF(escaped);
    }
    DROP(file);
    return failed;
}

static int write_kept(stream *s)
{
    char *printed = s->printed;
    const size_t length = s->printed_length, lost = s->lost;
    PyObject *text = PyUnicode_DecodeUTF8(printed, (Py_ssize_t)length, "backslashreplace");

    s->printed = NULL;
    s->printed_length = s->printed_room = s->lost = 0;
    PyMem_Free(printed);
    int failed = text ? write_text("stdout", text) : -1;
    DROP_IF(text);
    if (failed || !lost)
        return failed;
    text = PyUnicode_FromFormat("lanewise: %zu printed lines did not fit\n", lost);
    failed = text ? write_text("stderr", text) : -1;
    DROP_IF(text);
    return failed;
}

static void tell_unraisable(void)
{
    PyObject *what = PyUnicode_FromString("writing what a kernel printed");

    PyErr_WriteUnraisable(what);
    DROP_IF(what);
}

/* After a wait: write to sys.stdout what kernels have printed. -1 if that raises. An exception that
 * there is already stays, and one of sys.stdout is then told as unraisable. */
int stream_print(stream *s)
{
    if (!s->printed_length && !s->lost)
        return 0;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    int failed = write_kept(s);
    if (!type)
        return failed;
    if (failed)
        tell_unraisable();
    PyErr_Restore(type, value, trace);
    return 0;
}

/* The same where no exception can be raised. It takes the GIL if there is something to write. */
void stream_print_last(stream *s)
{
    if (!s->printed_length && !s->lost)
        return;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (stream_print(s))
        tell_unraisable();
    PyErr_Restore(type, value, trace);
    PyGILState_Release(state);
}
