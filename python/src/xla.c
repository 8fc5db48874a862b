/* xla.c - what JAX calls: handlers of XLA's foreign function interface, on the CPU and on CUDA.
 *
 * While JAX traces a call of an operation, Python records it as a graph and gives it a key. The key
 * is the call's only attribute. A handler finds the key's executable, binds XLA's buffers to it,
 * and runs it. Only the first run of a key calls Python: lanewise/_jax.py compiles.
 *
 * Runs of one executable follow one another. On the host XLA has many threads; a run takes a runner
 * that no other run uses, or makes one more. On CUDA there is one for each stream of XLA, whose
 * work is in order anyway; the handler queues and returns.
 */
#include "base/base.h"
#include "core.h"
#include "xla_ffi.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BOUND = 64, BUCKETS = 256, TEXT_BYTES = 2048, HOST = -1 };

/* An executable with a stream, for one run at a time on the host. They live until the process
 * ends: code of XLA may call them as long. */
typedef struct runner {
    struct runner *next;
    PyObject *executable, *stream;
    lw_executable *x;
    lw_stream *s;
    lw_device *device;
    void *native; /* XLA's stream; NULL on the host */
    int ordinal;  /* of the GPU; or HOST */
    bool is_busy;
} runner;

typedef struct entry {
    struct entry *next;
    runner *runners;
    size_t length;
    char key[];
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry *buckets[BUCKETS];
static PyObject *maker; /* maker(key, ordinal, native): an executable and a stream */

/* What XLA hears: the version that both know. What is used here is the same in all of them. */
static int minor_version = XLA_FFI_API_MINOR;

/* A failure on its way to XLA. */
typedef struct failure {
    XLA_FFI_Error_Code code;
    char text[TEXT_BYTES];
} failure;

/* ---- errors ---- */

static XLA_FFI_Error_Code code_of(lw_status status)
{
    switch (status) {
    case LW_E_MEMORY: return XLA_FFI_Error_Code_RESOURCE_EXHAUSTED;
    case LW_E_DEVICE: return XLA_FFI_Error_Code_FAILED_PRECONDITION;
    case LW_E_LAUNCH: return XLA_FFI_Error_Code_ABORTED;
    case LW_E_TIMEOUT: return XLA_FFI_Error_Code_DEADLINE_EXCEEDED;
    case LW_E_UNSUPPORTED: return XLA_FFI_Error_Code_UNIMPLEMENTED;
    case LW_E_INTERNAL: return XLA_FFI_Error_Code_INTERNAL;
    default: return XLA_FFI_Error_Code_INVALID_ARGUMENT;
    }
}

static int fail(failure *f, XLA_FFI_Error_Code code, const char *text)
{
    f->code = code;
    snprintf(f->text, sizeof f->text, "%s", text);
    return -1;
}

static int fail_with(failure *f, lw_status status)
{
    return fail(f, code_of(status), lw_last_error());
}

/* The exception that is set; with the GIL. */
static int fail_with_exception(failure *f)
{
    PyObject *type, *value, *trace;

    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *text = value ? PyObject_Str(value) : NULL;
    const char *words = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    fail(f, XLA_FFI_Error_Code_INVALID_ARGUMENT, words ? words : "an exception without a text");
    DROP_IF(text);
    DROP_IF(type);
    DROP_IF(value);
    DROP_IF(trace);
    PyErr_Clear();
    return -1;
}

static XLA_FFI_Error *to_xla(const XLA_FFI_Api *api, XLA_FFI_Error_Code code, const char *text)
{
    XLA_FFI_Error_Create_Args args = {.struct_size = sizeof args, .message = text, .errc = code};

    return api->XLA_FFI_Error_Create(&args);
}

/* ---- runners ---- */

/* locked: the entry of a key, made where there is none; NULL: no memory */
static entry *entry_of(XLA_FFI_ByteSpan key)
{
    entry **bucket = &buckets[lw__hash(LW_HASH_START, key.ptr, key.len) % BUCKETS], *e = *bucket;

    while (e && (e->length != key.len || memcmp(e->key, key.ptr, key.len)))
        e = e->next;
    if (e)
        return e;
    e = calloc(1, sizeof *e + key.len + 1);
    if (!e)
        return NULL;
    memcpy(e->key, key.ptr, key.len);
    e->length = key.len;
    e->next = *bucket;
    return *bucket = e;
}

/* locked */
static runner *find_runner(entry *e, int ordinal, void *native)
{
    runner *i = e->runners;

    while (i && (i->ordinal != ordinal || i->native != native || i->is_busy))
        i = i->next;
    if (i)
        i->is_busy = ordinal == HOST;
    return i;
}

/* Takes the reference to the pair. */
static runner *runner_of(PyObject *pair)
{
    runner *i = pair ? calloc(1, sizeof *i) : NULL;

    if (i) {
        i->executable = Py_XNewRef(PyTuple_GetItem(pair, 0));
        i->stream = Py_XNewRef(PyTuple_GetItem(pair, 1));
        i->x = PyCapsule_GetPointer(i->executable, "lanewise.executable");
        i->s = ((stream *)i->stream)->handle;
        i->device = ((stream *)i->stream)->device->handle;
    } else if (pair)
        PyErr_NoMemory();
    DROP_IF(pair);
    return i;
}

static void destroy_runner(runner *i)
{
    const PyGILState_STATE state = PyGILState_Ensure();

    DROP_IF(i->executable);
    DROP_IF(i->stream);
    free(i);
    PyGILState_Release(state);
}

static runner *make_runner(XLA_FFI_ByteSpan key, int ordinal, void *native, failure *f)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *where = ordinal == HOST ? Py_NewRef(Py_None) : PyLong_FromVoidPtr(native);
    PyObject *pair =
        where ? PyObject_CallFunction(maker, "s#iO", key.ptr, (Py_ssize_t)key.len, ordinal, where)
              : NULL;
    runner *i = runner_of(pair);

    if (i) {
        i->ordinal = ordinal;
        i->native = native;
        i->is_busy = ordinal == HOST;
    } else
        fail_with_exception(f);
    DROP_IF(where);
    PyGILState_Release(state);
    return i;
}

/* Give it back with give_runner. */
static runner *take_runner(XLA_FFI_ByteSpan key, int ordinal, void *native, failure *f)
{
    pthread_mutex_lock(&lock);
    entry *e = entry_of(key);
    runner *i = e ? find_runner(e, ordinal, native) : NULL;
    pthread_mutex_unlock(&lock);
    if (!e)
        fail(f, XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, "out of memory: a call from JAX");
    if (i || !e)
        return i;
    i = make_runner(key, ordinal, native, f);
    if (!i)
        return NULL;
    pthread_mutex_lock(&lock);
    i->next = e->runners;
    e->runners = i;
    pthread_mutex_unlock(&lock);
    return i;
}

/* locked */
static void unlink_runner(XLA_FFI_ByteSpan key, const runner *i)
{
    entry *e = entry_of(key);
    runner **place = e ? &e->runners : NULL;

    while (place && *place && *place != i)
        place = &(*place)->next;
    if (place && *place)
        *place = i->next;
}

/* A stream that has failed stays failed: on the host the next run gets another one. */
static void give_runner(XLA_FFI_ByteSpan key, runner *i, bool has_failed)
{
    const bool is_over = has_failed && i->ordinal == HOST;

    pthread_mutex_lock(&lock);
    if (is_over)
        unlink_runner(key, i);
    else if (i->ordinal == HOST)
        i->is_busy = false;
    pthread_mutex_unlock(&lock);
    if (is_over)
        destroy_runner(i);
}

/* ---- a run ---- */

static bool dtype_of(XLA_FFI_DataType type, lw_dtype *dtype)
{
    static const unsigned char known[] = {
        [XLA_FFI_DataType_PRED] = LW_BOOL + 1, [XLA_FFI_DataType_S8] = LW_I8 + 1,
        [XLA_FFI_DataType_S16] = LW_I16 + 1,   [XLA_FFI_DataType_S32] = LW_I32 + 1,
        [XLA_FFI_DataType_S64] = LW_I64 + 1,   [XLA_FFI_DataType_U8] = LW_U8 + 1,
        [XLA_FFI_DataType_U16] = LW_U16 + 1,   [XLA_FFI_DataType_U32] = LW_U32 + 1,
        [XLA_FFI_DataType_U64] = LW_U64 + 1,   [XLA_FFI_DataType_F16] = LW_F16 + 1,
        [XLA_FFI_DataType_F32] = LW_F32 + 1,   [XLA_FFI_DataType_F64] = LW_F64 + 1,
        [XLA_FFI_DataType_BF16] = LW_BF16 + 1,
    };

    if ((size_t)type >= sizeof known || !known[type])
        return false;
    *dtype = (lw_dtype)(known[type] - 1);
    return true;
}

static int bind_one(lw_device *device, const XLA_FFI_Buffer *b, bool is_read_only, lw_tensor *t,
                    failure *f)
{
    size_t count = 1;
    lw_dtype dtype;

    if (!dtype_of(b->dtype, &dtype) || b->rank < 0 || b->rank > RANKS)
        return fail(f, XLA_FFI_Error_Code_INVALID_ARGUMENT,
                    "a buffer has an element type that Lanewise lacks, or more than 4 axes");
    memset(t, 0, sizeof *t);
    t->rank = (int)b->rank;
    for (int k = 0; k < t->rank; k++) {
        t->extent[k] = (ptrdiff_t)b->dims[k];
        count *= (size_t)b->dims[k];
    }
    lw_status status =
        lw_buffer_wrap(device, dtype, count, b->data, is_read_only, NULL, NULL, &t->buffer);
    return status ? fail_with(f, status) : 0;
}

/* How many have been bound is in *bound, also after a failure. */
static int bind(lw_device *device, const XLA_FFI_CallFrame *frame, lw_tensor *tensors,
                size_t *bound, failure *f)
{
    const int64_t inputs = frame->args.size, all = inputs + frame->rets.size;

    if (all > MOST_BOUND)
        return fail(f, XLA_FFI_Error_Code_INVALID_ARGUMENT, "more than 64 inputs and outputs");
    for (int64_t k = 0; k < all; k++) {
        const bool is_input = k < inputs;
        void *const given = is_input ? frame->args.args[k] : frame->rets.rets[k - inputs];

        if (bind_one(device, given, is_input, &tensors[k], f))
            return -1;
        *bound = (size_t)k + 1;
    }
    return 0;
}

static int run(runner *i, const XLA_FFI_CallFrame *frame, failure *f)
{
    lw_tensor tensors[MOST_BOUND];
    size_t bound = 0;
    int failed = bind(i->device, frame, tensors, &bound, f);

    lw_status status;
    if (!failed) {
        status = lw_executable_run(i->x, i->s, NULL, tensors, bound);
        if (status)
            failed = fail_with(f, status);
        else {
            status = i->ordinal == HOST ? lw_stream_wait(i->s) : lw_stream_check(i->s);
            failed = status ? fail_with(f, status) : 0;
            stream_print_last((stream *)i->stream);
        }
    }
    for (size_t k = 0; k < bound; k++)
        lw_buffer_destroy(tensors[k].buffer);
    return failed;
}

/* ---- what XLA asks ---- */

static void tell_version(XLA_FFI_Metadata *metadata)
{
    metadata->api_version.struct_size = sizeof metadata->api_version;
    metadata->api_version.extension_start = NULL;
    metadata->api_version.major_version = XLA_FFI_API_MAJOR;
    metadata->api_version.minor_version = minor_version;
    metadata->traits = 0;
}

/* True if this frame asks about the handler, and is no call. */
static bool answer(const XLA_FFI_CallFrame *frame)
{
    for (XLA_FFI_Extension_Base *e = frame->extension_start; e; e = e->next)
        if (e->type == XLA_FFI_Extension_Metadata) {
            tell_version(((XLA_FFI_Metadata_Extension *)e)->metadata);
            return true;
        }
    return false;
}

static bool find_key(const XLA_FFI_Attrs *attrs, XLA_FFI_ByteSpan *key)
{
    for (int64_t k = 0; k < attrs->size; k++)
        if (attrs->types[k] == XLA_FFI_AttrType_STRING && attrs->names[k]->len == 3 &&
            !memcmp(attrs->names[k]->ptr, "key", 3)) {
            *key = *(const XLA_FFI_ByteSpan *)attrs->attrs[k];
            return true;
        }
    return false;
}

static XLA_FFI_Error *call(const XLA_FFI_CallFrame *frame, int ordinal, void *native)
{
    char text[TEXT_BYTES + 256];

    XLA_FFI_ByteSpan key;
    if (!find_key(&frame->attrs, &key))
        return to_xla(
            frame->api, XLA_FFI_Error_Code_INVALID_ARGUMENT,
            "lanewise: the call has no attribute 'key'; call it by lanewise.jax.register");
    failure f;
    runner *i = take_runner(key, ordinal, native, &f);
    int failed = i ? run(i, frame, &f) : -1;
    if (i)
        give_runner(key, i, failed);
    if (!failed)
        return NULL;
    snprintf(text, sizeof text, "lanewise: %.*s: %s", key.len < 200 ? (int)key.len : 200, key.ptr,
             f.text);
    return to_xla(frame->api, f.code, text);
}

/* Called by XLA in any thread, without the GIL. */
static XLA_FFI_Error *on_host(XLA_FFI_CallFrame *frame)
{
    return answer(frame) ? NULL : call(frame, HOST, NULL);
}

static XLA_FFI_Error *on_cuda(XLA_FFI_CallFrame *frame)
{
    XLA_FFI_Stream_Get_Args at = {.struct_size = sizeof at, .ctx = frame->ctx};
    XLA_FFI_DeviceOrdinal_Get_Args on = {.struct_size = sizeof on, .ctx = frame->ctx};

    if (answer(frame))
        return NULL;
    if (frame->api->struct_size < sizeof *frame->api)
        return to_xla(frame->api, XLA_FFI_Error_Code_UNIMPLEMENTED,
                      "lanewise: this XLA does not tell the GPU's number; need JAX 0.7 or newer");
    XLA_FFI_Error *error = frame->api->XLA_FFI_Stream_Get(&at);
    if (!error)
        error = frame->api->XLA_FFI_DeviceOrdinal_Get(&on);
    return error ? error : call(frame, on.device_ordinal, at.stream);
}

/* xla_handlers(maker, minor): capsules of the handlers on the CPU and on CUDA. minor: the version
 * of XLA's interface, which older ones do not tell themselves. */
PyObject *core_xla_handlers(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    XLA_FFI_Handler *const handlers[] = {on_host, on_cuda};
    const long minor = count == 2 ? PyLong_AsLong(args[1]) : -1;
    PyObject *capsules[2];

    (void)module;
    if (minor < 0)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "xla_handlers takes 2");
    minor_version = minor < XLA_FFI_API_MINOR ? (int)minor : XLA_FFI_API_MINOR;
    for (int k = 0; k < 2; k++) {
        void *address;

        memcpy(&address, &handlers[k], sizeof address);
        capsules[k] = PyCapsule_New(address, NULL, NULL);
    }
    HOLD(args[0]);
    DROP_IF(maker);
    maker = args[0];
    return Py_BuildValue("(NN)", capsules[0], capsules[1]);
}
