/* core.h - what the files of the extension lanewise._core share.
 *
 * An Array is a view of a memory, which owns an lw_buffer; many arrays can share one. Memory of
 * others (NumPy, DLPack) is wrapped, and a holder keeps its owner. The library may release it in
 * any thread. So the holder goes on a list, and the next call with the GIL releases all on the
 * list.
 */
#ifndef LANEWISE_PYTHON_CORE_H
#define LANEWISE_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <lanewise/op_info.h>
#include <lanewise/ops.h>
#include <lanewise/record.h>
#include <stdatomic.h>

/* The limited API takes PyObject * alone. */
#define HOLD(object) Py_INCREF((PyObject *)(object))
#define HOLD_IF(object) Py_XINCREF((PyObject *)(object))
#define DROP(object) Py_DECREF((PyObject *)(object))
#define DROP_IF(object) Py_XDECREF((PyObject *)(object))

#define DTYPE_WORDS                                                                                \
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool float16 bfloat16 float32 float64"

enum {
    RANKS = 4, /* of the library's tensors */
    AXES = 8,  /* of an Array */
    INPUTS = 8,
    OUTPUTS = 4,
    STATUSES = 13,
    ARITY = 8,
    OPERATORS = 22,
    ARRAY_OPERATORS = 30, /* slots */
    IDLE_STREAMS = 8,
    REQUEST_BITS = 6,
    SLICE_NS = 50000000
};

struct holder;

/* Holders that the library is done with. It outlives the module: threads of the library see it. */
typedef struct waste {
    _Atomic(struct holder *) first;
    atomic_bool is_pending;
} waste;

/* What is kept for memory of others until nothing uses it. */
typedef struct holder {
    struct holder *next;
    waste *waste;
    PyObject *owner; /* or NULL */
    bool has_view;
    Py_buffer view;
    void (*drop)(void *argument); /* or NULL; with the GIL */
    void *argument;
} holder;

/* A NumPy array of rank 0 that nobody has, and its memory as the device's: for the next result. */
struct scalar {
    PyObject *array; /* NULL: none */
    lw_buffer *buffer;
    char *data;
};

/* The module's state. */
typedef struct core {
    PyTypeObject *device_type, *memory_type, *array_type, *stream_type;
    PyTypeObject *program_type, *kernel_type, *launcher_type, *function_type, *elementwise_type;
    PyObject *errors[STATUSES]; /* by -status */
    PyObject *dtypes[LW_DTYPE_COUNT];
    PyObject *array_class; /* the Python class on array_type */
    PyObject *convert;     /* what has no buffer: to an Array or a NumPy array */
    PyObject *get_default; /* chooses the default device, which is then that of */
    PyObject *defaults;    /* a list, empty at first */
    PyObject *empty;       /* numpy.empty */
    PyObject *ndarray;     /* numpy.ndarray */
    PyObject *generic;     /* numpy.generic, a scalar */
    PyObject *deliver;     /* Array and what came in: what goes out */
    PyObject *settled;     /* inputs, with Python's numbers among them as scalars of dtypes */
    PyObject *devices;     /* name: Device */
    PyObject *joined;      /* operate for arrays of more than RANKS axes */
    PyObject *out_word;    /* "out" */
    PyObject *operators[OPERATORS]; /* of Array: Elementwise, in the order of enum operator */
    PyObject *other;                /* (function, operands): an operator on what is no Array */
    PyObject *matmul;               /* (x, y) */
    bool waits;                     /* results of operators wait until they are read */
    signed char promoted[LW_DTYPE_COUNT][LW_DTYPE_COUNT];
    unsigned walk;       /* the latest over a waiting result's operands */
    struct sight *sight; /* the latest call that is watched; or NULL */
    struct request *requests[1 << REQUEST_BITS];
    struct scalar scalars[LW_DTYPE_COUNT];
    waste *waste;
    struct checker *checker;   /* check.c; NULL: none is on */
    bool traps_faults;         /* lw_trap_faults has been called */
    bool has_bfloat16_buffers; /* NumPy's stand-in for bf16, whose buffers say so */
} core;

typedef struct stream stream;
typedef struct waiting waiting;

typedef struct device {
    PyObject_HEAD core *core;
    lw_device *handle;
    PyObject *name, *description;
    bool is_host;
    int dl_index; /* of cuda */
    size_t idle_count;
    stream *idle[IDLE_STREAMS]; /* for calls without a stream */
} device;

struct stream {
    PyObject_HEAD core *core;
    device *device;
    lw_stream *handle;
    void *native;
    PyObject *weak;     /* the list of weak references */
    PyObject *recorder; /* the Python side of the graph that has the handle; or NULL */
    PyObject *allocate; /* (dtype, shape): an Array, for all that its work needs; or NULL */
    char *printed;      /* what kernels printed, not yet in sys.stdout */
    size_t printed_length, printed_room, lost; /* lost: lines */
    bool has_native, is_interrupted;
    bool is_overdue; /* the last wait ran out of time */
    bool is_checked; /* findings are no failure of it: a check tells them at its end */
};

/* A waiting result among those that read an array. */
typedef struct reader {
    struct reader *next, **place; /* place: what points here; NULL: in no list */
    struct array *array;
} reader;

typedef struct memory {
    PyObject_HEAD device *device;
    lw_buffer *buffer;
    void *data; /* of the host, or the GPU's; NULL: a graph's tensor, or empty */
    bool readonly;
    bool is_shared;  /* others may write it at any time: it is theirs, or was handed out */
    size_t exports;  /* buffers of Python that may be written */
    PyObject *owner; /* whose buffer it is; NULL: the memory's own */
    reader *readers;
} memory;

typedef struct array {
    PyObject_HEAD core *core;
    memory *memory;   /* NULL: it waits */
    waiting *waiting; /* how it is computed; NULL: it is there */
    PyObject *weak;   /* the list of weak references */
    lw_dtype dtype;
    bool readonly;
    int rank;
    Py_ssize_t offset, extent[AXES], stride[AXES]; /* in elements */
} array;

/* An argument that stands for memory, from take to drop. */
typedef struct operand {
    lw_tensor tensor; /* of more than RANKS axes: all elements in a row, if they are in C order */
    int rank;
    lw_dtype dtype;
    bool has_dtype, readonly, copies_back, has_view, is_large;
    bool is_copy;     /* of values that were in no memory, as a list's */
    device *device;   /* of an Array; else NULL */
    char *low, *high; /* its bytes on the host or device; NULL where not known */
    char *data;       /* of the first element */
    PyObject *object; /* what was given */
    array *array;
    lw_buffer *own;
    Py_buffer view;
    Py_ssize_t itemsize;
} operand;

/* state.c */
core *core_of(PyObject *module);
core *core_of_type(PyTypeObject *type);
int raise_status(core *c, lw_status status);
int raise_text(core *c, lw_status status, const char *format, ...);
int raise_within(core *c, const char *format, ...);

/* waste.c */
holder *holder_create(core *c);
void holder_release(void *memory, void *user);
void waste_empty(core *c);

/* waste_announce - the caller will empty it: what is released from now on asks for no other call.
 * waste_empty_announced - is_own: as waste_announce said. */
bool waste_announce(core *c);
void waste_empty_announced(core *c, bool is_own);

/* device.c */
extern PyType_Spec device_spec, stream_spec;
device *device_default(core *c);
device *device_by_name(core *c, const char *name);
device *device_from(core *c, PyObject *object);
stream *stream_take(device *d);
void stream_give(device *d, stream *s);
int stream_finish(stream *s, double timeout);

/* stream_settle - after a call has queued its work: raise what it or a wait of a slice gave, wait
 * on after a slice, print; under the checker wait for all. idle: the device that lent the stream
 * or NULL. */
int stream_settle(stream *s, device *idle, bool is_checked, lw_status status, lw_status waited);
stream *stream_create(device *d, void *native, bool has_native);
stream *stream_current(const device *d);
PyObject *stream_allocate(const stream *s, lw_dtype dtype, PyObject *extents);
PyObject *core_devices(PyObject *module, PyObject *unused);
PyObject *core_use_stream(PyObject *module, PyObject *object);

/* print.c */
void stream_keep_line(const lw_output *output, void *s);
int stream_print(stream *s);
void stream_print_last(stream *s);

/* blocks.c: aligned memory of a multiple of 64 bytes. It is kept for the next who needs as much.
 * block_take - NULL: there is none. block_give - in any thread. */
void *block_take(size_t bytes);
void block_give(void *memory, size_t bytes);

/* array.c, array_buffer.c: array_allocate leaves the elements as they come, array_zeros clears
 * them; array_device is there also while it waits */
extern PyType_Spec memory_spec;
PyType_Spec *array_spec(const PyType_Slot *operators); /* ARRAY_OPERATORS of them */
array *array_allocate(device *d, lw_dtype dtype, int rank, const Py_ssize_t *extents);
array *array_zeros(device *d, lw_dtype dtype, int rank, const Py_ssize_t *extents);
array *array_waiting(core *c, lw_dtype dtype, int rank, const Py_ssize_t *extents);
device *array_device(const array *a);
array *array_on(device *d, lw_buffer *buffer, lw_dtype dtype, int rank, const Py_ssize_t *extents);
array *array_of(device *d, lw_buffer *buffer, PyObject *owner, lw_dtype dtype, int rank,
                const Py_ssize_t *extents);
array *array_wrap(device *d, const operand *o, int rank, const Py_ssize_t *extents,
                  const Py_ssize_t *strides, holder *h);
int array_wait(array *a);
bool is_array(core *c, PyObject *object);
bool is_plain_array(core *c, PyObject *object); /* or NumPy's; no subclass */
lw_tensor array_tensor(const array *a);
int check_rank(core *c, int rank); /* is it one of the library's? */
bool array_is_contiguous(const array *a);
Py_ssize_t array_size(const array *a);
int array_get_buffer(PyObject *self, Py_buffer *view, int flags);
void array_release_buffer(PyObject *self, Py_buffer *view);
int read_extents(core *c, PyObject *shape, int most, int *rank, Py_ssize_t *extents);
PyObject *extents_tuple(int rank, const Py_ssize_t *extents, Py_ssize_t times);
PyObject *core_allocate(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_wrap(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_wrap_address(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_view(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_transfer(PyObject *module, PyObject *const *args, Py_ssize_t count);

/* operand.c */
int operand_take(core *c, PyObject *object, operand *o);
int operand_bind(core *c, operand *o, device *d, bool as_bytes, bool is_written);
int operand_copy_back(core *c, operand *o);
int operand_refuse_capture(core *c, const operand *o, const stream *s);
void operand_drop(operand *o);
bool operand_is_contiguous(const operand *o);
PyObject *core_check_buffer(PyObject *module, PyObject *object);

/* operand_find_bytes - of an array in C order; refused: an extent below 0, and where the
 * extents other than 0 are more than 64 bits say.
 * operand_find_range - low and high, from the lowest byte to after the highest, where data and
 * itemsize say the first element; strides times unit are bytes. */
int operand_find_bytes(core *c, int rank, const Py_ssize_t *extents, Py_ssize_t size,
                       Py_ssize_t *bytes);
int operand_find_range(core *c, operand *o, int rank, const Py_ssize_t *extents,
                       const Py_ssize_t *strides, Py_ssize_t unit);

/* dlpack.c */
PyObject *core_to_dlpack(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_from_dlpack(PyObject *module, PyObject *const *args, Py_ssize_t count);

/* program.c, launch.c */
extern PyType_Spec program_spec, kernel_spec, launcher_spec;
typedef struct program {
    PyObject_HEAD device *device;
    lw_program *handle;
    bool is_cuda; /* pointers take addresses */
} program;

typedef struct instance { /* of a kernel on a device */
    device *device;
    program *program;
    lw_kernel *handle;
    size_t count;
    lw_param *params;
} instance;

typedef struct kernel {
    PyObject_HEAD core *core;
    PyObject *name, *build; /* build(device): a program */
    device *fixed;          /* or NULL: any */
    PyObject *weak;         /* the list of weak references */
    size_t count;
    instance *instances;
} kernel;

typedef struct launcher {
    PyObject_HEAD kernel *kernel;
    lw_dim3 grid, block;
    stream *stream; /* or NULL */
    size_t shared;
} launcher;

instance *kernel_on(kernel *k, device *d);
int trap_faults(core *c, const device *d);
int read_dim(core *c, const char *what, PyObject *object, lw_dim3 *dim);
PyObject *launcher_call(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *core_build(PyObject *module, PyObject *const *args, Py_ssize_t count);

/* check.c */
PyObject *core_check_begin(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_check_end(PyObject *module, PyObject *unused);
PyObject *core_check_place(PyObject *module, PyObject *where);
PyObject *stream_findings(PyObject *self, PyObject *args);

/* picture.c */
PyObject *stream_picture_begin(PyObject *self, PyObject *args);
PyObject *stream_picture_write(PyObject *self, PyObject *args);

/* check_device - where a launch for a device runs instead; NULL: there. Borrowed.
 * check_stream - on which stream; a check is on. Borrowed. check_failed - a launch on it has
 * failed, and there is an exception: -1. check_note - what is not checked, where a check is on.
 * check_raise - CheckError with the findings of the stream: -1. */
device *check_device(const core *c, const device *d);
stream *check_stream(const core *c);
int check_failed(core *c);
int check_note(const core *c, const char *format, PyObject *what);
int check_raise(stream *s);

/* fill.c */
PyObject *core_fill(PyObject *module, PyObject *const *args, Py_ssize_t count);

/* parameters.c: a call's operation and its parameters. None is a default. */
enum { PARAMETERS = 16 };
enum reduction { NO_REDUCTION, SUM, MEAN, MAX, MIN, ANY, ALL };
typedef struct request {
    size_t uses; /* calls, and one more while it is kept; under the GIL */
    const char *name;
    size_t outputs;
    bool has_expression;    /* its kernels have code of the user */
    enum reduction reduces; /* of a chain: in the fixed order, with its own dtype */
    bool of_all, keepdims;
    long axis;
    lw_params *params;   /* whose texts are those of `values` */
    size_t shaped;       /* inputs of the last call, one or two, with one output; 0: none yet */
    lw_shape in[2], out; /* and their shapes */
    size_t count;
    PyObject *op_name, *names[PARAMETERS], *values[PARAMETERS];
} request;
request *request_take(core *c, PyObject *name, PyObject *dict); /* NULL: an exception */
void request_drop(request *r);                                  /* r may be NULL */
bool is_constant(PyObject *value);                              /* it is what it is */

/* waiting.c: reductions of what waits, without the elements between. waiting_find - the one array
 * that the request reduces in C order or along its last axis, if it waits; else NULL. */
array *waiting_find(core *c, const request *r, PyObject *inputs, Py_ssize_t first, PyObject *out);
array *waiting_reduce(array *a, const request *r);

/* operate.c */
typedef struct dtypes {
    size_t inputs;
    int in[INPUTS], out; /* out: -1 where none was given */
} dtypes;

/* What a call of a Function, in Python, asks of operate. */
typedef struct sight {
    unsigned long thread;
    PyObject *args; /* the inputs: from `first` on */
    Py_ssize_t first;
    PyObject *out;    /* or None */
    size_t calls;     /* of operate */
    request *request; /* held, as the next: of the first call, of just these arrays; or NULL */
    PyObject *result;
    dtypes dtypes;
} sight;

/* operate_again - a call that was seen before, if the dtypes are those. False: they are not. */
bool operate_again(core *c, request *r, const dtypes *dtypes, PyObject *args, Py_ssize_t first,
                   PyObject *out, PyObject **result);
PyObject *core_operate(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_record(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_infer(PyObject *module, PyObject *const *args, Py_ssize_t count);

/* waiting.h: results that wait until they are read */

/* What one element is made of, for one dtype of the operands. $0, $1, $2 in text stand for them. */
typedef struct overload {
    bool is_there;
    lw_dtype in[ARITY], out;
    char *text, *head; /* head: C before the kernel, or NULL */
} overload;

typedef struct elementwise {
    PyObject_HEAD core *core;
    PyObject *name, *dict;
    PyObject *other;             /* the function for what is no Array */
    size_t arity, first, weight; /* first: the operand from which on dtypes are promoted */
    overload overloads[LW_DTYPE_COUNT];
} elementwise;

/* A number as a kernel takes it. */
typedef struct number {
    lw_arg_kind kind; /* INT, UINT, REAL */
    union {
        int64_t i;
        uint64_t u;
        double f;
    } as;
} number;

/* An Array, or a number. */
typedef struct term {
    array *array; /* or NULL; borrowed */
    number number;
} term;

/* waiting_create - the result of a function on terms that fit, as an Array that waits, or is there
 * where it may not wait.
 * array_settle - compute what waits.
 * memory_settle - compute all that waits and reads the memory, which is about to be written or
 * handed out.
 * waiting_write - compute the result in the elements of an array that is there, of one shape. */
array *waiting_create(elementwise *f, const overload *o, const term *terms);
int waiting_write(elementwise *f, const overload *o, const term *terms, array *to);
int array_settle(array *a);
int memory_settle(memory *m);
void waiting_drop(array *a);

/* elementwise.c: functions of elements, and Array's operators */
enum operator{
    OPERATOR_ADD,
    OPERATOR_SUBTRACT,
    OPERATOR_MULTIPLY,
    OPERATOR_DIVIDE,
    OPERATOR_FLOOR_DIVIDE,
    OPERATOR_REMAINDER,
    OPERATOR_POW,
    OPERATOR_AND,
    OPERATOR_OR,
    OPERATOR_XOR,
    OPERATOR_LEFT,
    OPERATOR_RIGHT,
    OPERATOR_NEGATIVE,
    OPERATOR_POSITIVE,
    OPERATOR_ABS,
    OPERATOR_INVERT,
    OPERATOR_LESS,
    OPERATOR_LESS_EQUAL,
    OPERATOR_EQUAL,
    OPERATOR_NOT_EQUAL,
    OPERATOR_GREATER,
    OPERATOR_GREATER_EQUAL
};
extern PyType_Spec elementwise_spec;
extern PyType_Slot array_operators[ARRAY_OPERATORS];
PyObject *core_elementwise(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_operators(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_fusion(PyObject *module, PyObject *object);

/* function.c: a function whose calls repeat themselves */
extern PyType_Spec function_spec;
PyObject *core_function(PyObject *module, PyObject *wrapped);

/* dist.c */
PyObject *core_comm_devices(PyObject *module, PyObject *list);
PyObject *core_comm_create(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_comm_info(PyObject *module, PyObject *capsule);
PyObject *core_comm_limit(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_dist(PyObject *module, PyObject *const *args, Py_ssize_t count);

/* graph.c */
PyObject *core_graph_create(PyObject *module, PyObject *where);
PyObject *core_graph_stream(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_graph_tensor(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_graph_output(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_graph_draw(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_graph_compile(PyObject *module, PyObject *capsule);
PyObject *core_executable_info(PyObject *module, PyObject *capsule);
PyObject *core_executable_run(PyObject *module, PyObject *const *args, Py_ssize_t count);

/* xla.c */
PyObject *core_xla_handlers(PyObject *module, PyObject *const *args, Py_ssize_t count);

#endif
