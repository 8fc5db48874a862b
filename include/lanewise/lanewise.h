/* lanewise.h - the host API: build kernels written in plain C, launch them on any device.
 *
 *     #include <lanewise/lanewise.h>
 *     #include <stdio.h>
 *
 *     static const char source[] =
 *         "#include <lanewise/kernel.h>\n"
 *         "KERNEL void scale(int n, float x[n], float by) {\n"
 *         "    for (int i = global_idx.x; i < n; i += block_dim.x * grid_dim.x) x[i] *= by;\n"
 *         "}\n";
 *
 *     int main(void)
 *     {
 *         static lw_build_options options; // zeros are the defaults
 *         lw_device *dev = NULL;
 *         lw_program *prog = NULL;
 *         lw_kernel *k = NULL;
 *         lw_buffer *x = NULL;
 *         lw_stream *s = NULL;
 *         float values[1000];
 *         for (int i = 0; i < 1000; i++)
 *             values[i] = (float)i;
 *         options.source = source;
 *
 *         lw_status status = lw_device_open(NULL, &dev);
 *         if (!status) status = lw_program_build(dev, "scale.c", &options, &prog);
 *         if (!status) status = lw_program_kernel(prog, "scale", &k);
 *         if (!status) status = lw_buffer_create(dev, LW_F32, 1000, &x);
 *         if (!status) status = lw_buffer_write(x, 0, 1000, values);
 *         if (!status) status = lw_stream_create(dev, &s);
 *         if (!status) status = LW_LAUNCH(s, k, 4, 256, 1000, x, 0.5);
 *         if (!status) status = lw_stream_wait(s);
 *         if (!status) status = lw_buffer_read(x, 0, 1000, values);
 *         if (status)
 *             fprintf(stderr, "%s\n", lw_last_error());
 *         else
 *             printf("%g %g %g ... %g\n", values[0], values[1], values[2], values[999]);
 *
 *         lw_stream_destroy(s);
 *         lw_buffer_destroy(x);
 *         lw_program_destroy(prog);
 *         lw_device_close(dev);
 *         return status != LW_OK;
 *     }
 *
 * Built by `cc host.c $(pkg-config --cflags --libs lanewise)`, as C11 or C++17, it prints
 *
 *     0 0.5 1 ... 499.5
 *
 * Every call that can fail returns an lw_status and leaves its result through the last parameter.
 * On failure the result is NULL or 0, and lw_last_error() gives a one-line message. The library
 * never exits, aborts or prints. Objects are reference-counted: a destroy call gives up the
 * caller's reference, and launches and other objects keep theirs. Calls are safe from any thread
 * unless they say otherwise.
 */
#ifndef LANEWISE_LANEWISE_H
#define LANEWISE_LANEWISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LW_VERSION "0.1.0"

#if defined(__GNUC__)
#define LW_API __attribute__((visibility("default")))
#define LW_CHECKED __attribute__((visibility("default"), warn_unused_result))
#define LW__PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define LW_API
#define LW_CHECKED
#define LW__PRINTF(text, first)
#endif

/* Statuses: values are fixed for ever. X(name, value, text) */
#define LW_STATUS_MAP(X)                                                                           \
    X(OK, 0, "no error")                                                                           \
    X(E_ARG, -1, "an argument is wrong")                                                           \
    X(E_SHAPE, -2, "a size or shape does not fit")                                                 \
    X(E_DTYPE, -3, "an element type does not fit")                                                 \
    X(E_COMPILE, -4, "the kernel does not compile")                                                \
    X(E_MEMORY, -5, "out of memory")                                                               \
    X(E_DEVICE, -6, "the device is not there or cannot be used")                                   \
    X(E_LAUNCH, -7, "the launch failed")                                                           \
    X(E_TIMEOUT, -8, "the time limit ran out")                                                     \
    X(E_UNSUPPORTED, -9, "this is not built yet or not possible here")                             \
    X(E_CHECK, -10, "the checker found something")                                                 \
    X(E_IO, -11, "a file cannot be read or written")                                               \
    X(E_INTERNAL, -12, "a defect in Lanewise")

typedef enum lw_status {
#define LW__STATUS(name, value, text) LW_##name = value,
    LW_STATUS_MAP(LW__STATUS)
#undef LW__STATUS
} lw_status;

/* Element types. ORDER DTYPE: src/base/types.def. */
typedef enum lw_dtype {
    LW_I8, LW_I16, LW_I32, LW_I64, LW_U8, LW_U16, LW_U32, LW_U64,
    LW_BOOL, LW_F16, LW_BF16, LW_F32, LW_F64
} lw_dtype;

enum { LW_WARP_SIZE = 32, LW_DTYPE_COUNT = 13 };

typedef struct lw_device lw_device;
typedef struct lw_program lw_program;
typedef struct lw_kernel lw_kernel;
typedef struct lw_buffer lw_buffer;
typedef struct lw_stream lw_stream;
typedef struct lw_event lw_event;
typedef struct lw_image lw_image; /* kernels compiled ahead of time, by `lanewise cc` */

/* lw_last_error - the message of the last failed call on this thread: what was wrong, the values,
 * what is needed. One line, but for LW_E_COMPILE (lw_program_build); "" before the first failure;
 * valid until the thread's next lw_ call. Calls that succeed do not change it. */
LW_API const char *lw_last_error(void);

/* lw_fail - set this thread's message, one line of at most 1023 bytes, and return the status. It
 * is for libraries on top of this one, and for functions that they call back. */
LW_API lw_status lw_fail(lw_status status, const char *format, ...) LW__PRINTF(2, 3);
/* lw_fail_lines - the same, and lines below it, as of a source, if there is room for them. */
LW_API lw_status lw_fail_lines(lw_status status, const char *below, const char *format, ...)
    LW__PRINTF(3, 4);

/* lw_status_text - what a status means in general; "unknown status" for other values. */
LW_API const char *lw_status_text(lw_status status);

/* lw_version - LW_VERSION of the library in use. */
LW_API const char *lw_version(void);

/* lw_warp_size - 32, on every device. */
LW_API int lw_warp_size(void);

/* lw_dtype_size - bytes of one element; 0 for a value that is no dtype. */
LW_API size_t lw_dtype_size(lw_dtype dtype);

/* lw_dtype_name - "f32" and the like; "?" for a value that is no dtype. */
LW_API const char *lw_dtype_name(lw_dtype dtype);

#include <lanewise/device.h>

/* ---- programs and kernels ------------------------------------------------------------------ */

/* One message of the compiler. Strings live during the callback only. */
typedef struct lw_diagnostic {
    const char *severity;  /* "error", "warning", "note", "remark" */
    const char *file;      /* as given, or the name of the source; "" where there is no place */
    int line, column;      /* from 1; 0 where there is none */
    const char *text;
    const char *picture;   /* lines to print below it, as clang's: source, caret, suggestion;
                            * without colour or a newline at the end; "": none */
} lw_diagnostic;

typedef struct lw_dim3 {
    uint32_t x, y, z;
} lw_dim3;

/* All zero means the defaults. Code for a size of block is made at the first launch with it. If
 * first_block says it before, it is made with the program, in the same start of the compiler; what
 * cannot be launched so is left out, and the launch says why. */
typedef struct lw_build_options {
    const char *source;             /* the kernels' text; path is then only its name */
    const char *const *defines;     /* "NAME" or "NAME=VALUE", define_count of them */
    size_t define_count;
    const char *const *include_dirs;
    size_t include_dir_count;
    void (*on_diagnostic)(const lw_diagnostic *diagnostic, void *user); /* in the calling thread */
    void *user;
    bool debug, picture; /* code for a debugger, on "ref"; for lw_picture_begin, on "check" too */
    lw_dim3 first_block;      /* of the first launch; x 0: not known yet */
    const char *first_kernel; /* its kernel; NULL: the only one */
    lw_bounds_mode bounds;    /* device.h; DEFAULT: those of the device */
    bool cuda;                /* the text is CUDA C++, as that of a path that ends in .cu or .cuh */
    int cuda_arch;            /* NN of sm_NN, for __CUDA_ARCH__; 0: 80 */
    const char *instantiate;  /* CUDA: kernels to compile that the text does not launch, as C++
                               * writes them after &, "scale<float>;sum<int, 256>"; NULL: none */
} lw_build_options;

/* lw_program_build - compile a kernel file for a device, or take it from the cache.
 * path     the file; with options->source the name used in messages (NULL: "<source>")
 * errors   LW_E_ARG; LW_E_IO the file cannot be read, or too many are open; LW_E_COMPILE (the
 *          message is the first error, "file:line:column: text", and below that line its
 *          picture where it fits; all of them went to on_diagnostic); LW_E_MEMORY;
 *          LW_E_INTERNAL the compiler crashed, was killed or is not installed; LW_E_UNSUPPORTED
 *          options->debug or options->picture, and it is not a device for that
 * owns     release with lw_program_destroy */
LW_CHECKED lw_status lw_program_build(lw_device *device, const char *path,
                                      const lw_build_options *options, lw_program **program);
LW_API void lw_program_destroy(lw_program *program);

/* lw_program_load - the program of an image on a device, without a compiler. The device keeps one
 * program for each image. A program that links an object of `lanewise cc` calls its FILE_program
 * instead. On "cpu" and "cuda" a launch uses the image's best code for the device and the block
 * size; for a block size that the image lacks, the library calls the compiler.
 * image    must stay in memory until the device is closed
 * errors   LW_E_ARG; LW_E_UNSUPPORTED the image is of another version of Lanewise; or it has no
 *          code for "ref", which needs the code when the program is loaded; LW_E_MEMORY
 * owns     release with lw_program_destroy */
LW_CHECKED lw_status lw_program_load(lw_device *device, const lw_image *image,
                                     lw_program **program);

/* lw_program_share - the program of a text on a device. The first call with the text builds it;
 * later calls return the same program. The device keeps it.
 * name     of the text in messages
 * errors   LW_E_ARG; as lw_program_build: LW_E_COMPILE, LW_E_MEMORY, LW_E_IO, LW_E_INTERNAL
 * owns     release with lw_program_destroy */
LW_CHECKED lw_status lw_program_share(lw_device *device, const char *name, const char *source,
                                      lw_program **program);

/* lw_program_kernel_count - how many kernels the program has. */
LW_API size_t lw_program_kernel_count(const lw_program *program);

/* lw_program_kernel_at - the index-th kernel in source order.
 * errors   LW_E_ARG index out of range. owns: nothing; the kernel lives as long as the program */
LW_CHECKED lw_status lw_program_kernel_at(lw_program *program, size_t index, lw_kernel **kernel);

/* lw_program_kernel - the kernel of that name. Blanks in it do not count. Of a CUDA program it may
 * be what C++ takes after &, "ns::scale<float>": an instance of a template that the text does not
 * launch is built when it is asked for. An overload has its parameters' types, "f(float *, int)".
 * errors   LW_E_ARG no kernel has that name; the text lists the kernels. LW_E_COMPILE a kernel of
 *          a CUDA program uses what is not in the language: "file:line:column: text"; so does
 *          lw_program_kernel_at if there is no other
 * owns     nothing; the kernel lives as long as the program */
LW_CHECKED lw_status lw_program_kernel(lw_program *program, const char *name, lw_kernel **kernel);

/* lw_program_symbol - of CUDA: the __device__ or __constant__ variable of that name, with its
 * namespaces, as a buffer that kernels which use it share. It begins with the variable's
 * initialiser, and keeps what launches write.
 * errors   LW_E_ARG no kernel uses such a variable; the text lists those that are used
 * owns     nothing; the buffer lives as long as the program */
LW_CHECKED lw_status lw_program_symbol(lw_program *program, const char *name, lw_buffer **buffer);

/* lw_kernel_name, lw_kernel_signature - the name; the C declaration with types and names, as
 * "void dot(float *out, const float *a, int n)". Both live as long as the program. */
LW_API const char *lw_kernel_name(const lw_kernel *kernel);
LW_API const char *lw_kernel_signature(const lw_kernel *kernel);

/* lw_kernel_fixed_block - the size that BLOCK(...) fixed; all 0 where it did not. */
LW_API lw_dim3 lw_kernel_fixed_block(const lw_kernel *kernel);

typedef enum lw_param_kind { LW_PARAM_SCALAR, LW_PARAM_STRUCT, LW_PARAM_POINTER, LW_PARAM_TENSOR }
    lw_param_kind;

/* A parameter of a kernel. Strings live as long as the program. */
typedef struct lw_param {
    const char *name;
    const char *type;       /* as C spells it: "const float *", "struct particle" */
    lw_param_kind kind;
    bool has_dtype;         /* false: a struct, or a pointer to structs, void or pointers */
    lw_dtype dtype;         /* of the scalar, or of what the pointer or tensor points to; for a
                             * pointer to short vectors the vector's element */
    size_t element_bytes;   /* pointer, tensor: bytes of one thing pointed to; 0 for void */
    size_t bytes;           /* of the parameter itself */
    bool is_const;          /* pointer, tensor: what it points to is not written through it */
    int rank;               /* tensor: 1 to 4 */
    int dims;               /* how many declared sizes `a[rows][cols]` has; 0 where none */
    const char *layout;     /* the whole type, machine-readable; grammar in docs/layout.md */
} lw_param;

/* lw_kernel_param_count - how many parameters the kernel has. */
LW_API size_t lw_kernel_param_count(const lw_kernel *kernel);

/* lw_kernel_param - the index-th parameter.
 * errors   LW_E_ARG index out of range */
LW_CHECKED lw_status lw_kernel_param(const lw_kernel *kernel, size_t index, lw_param *param);

/* lw_program_symbol_param - its type, "int [4]", and as what a kernel gets it: a pointer to its
 * elements. The strings live as long as the program.
 * errors   as lw_program_symbol */
LW_CHECKED lw_status lw_program_symbol_param(lw_program *program, const char *name,
                                             lw_param *param);

/* ---- buffers ------------------------------------------------------------------------------- */

/* lw_buffer_create - count elements, all zero. count 0 is allowed.
 * errors   LW_E_ARG, LW_E_DTYPE, LW_E_MEMORY
 * owns     release with lw_buffer_destroy */
LW_CHECKED lw_status lw_buffer_create(lw_device *device, lw_dtype dtype, size_t count,
                                      lw_buffer **buffer);

/* lw_buffer_create_structs - count elements of element_bytes each, all zero; for pointers to
 * structs.
 * errors   LW_E_ARG, LW_E_SHAPE element_bytes is 0, LW_E_MEMORY */
LW_CHECKED lw_status lw_buffer_create_structs(lw_device *device, size_t element_bytes, size_t count,
                                              lw_buffer **buffer);

/* lw_buffer_create_bytes - so many bytes of no type, all zero: every pointer takes them, as memory
 * of malloc. Views of it count in bytes for a pointer, and in its elements for a TENSOR.
 * errors   LW_E_ARG, LW_E_MEMORY */
LW_CHECKED lw_status lw_buffer_create_bytes(lw_device *device, size_t bytes, lw_buffer **buffer);
LW_API void lw_buffer_destroy(lw_buffer *buffer);

/* lw_buffer_wrap - a buffer in memory that the caller owns: count elements at `memory`. On "cuda"
 * the GPU must be able to access this memory. Lanewise orders the accesses that go through this
 * buffer, the caller all others. A read_only buffer is for const parameters and lw_buffer_read.
 * release(memory, user), if not NULL, is called once, after the buffer is destroyed and its last
 * launch has ended; on "cuda" the call may come later. Any thread may call it, so it must not wait
 * for a stream. If lw_buffer_wrap fails it is never called.
 * errors   LW_E_ARG memory is NULL and count is not 0; it is not aligned for the dtype; the GPU
 *          cannot access it; LW_E_DTYPE; LW_E_MEMORY; LW_E_DEVICE */
LW_CHECKED lw_status lw_buffer_wrap(lw_device *device, lw_dtype dtype, size_t count, void *memory,
                                    bool read_only, void (*release)(void *memory, void *user),
                                    void *user, lw_buffer **buffer);

LW_API size_t lw_buffer_count(const lw_buffer *buffer);         /* elements */
LW_API size_t lw_buffer_bytes(const lw_buffer *buffer);         /* count times element size */
LW_API void *lw_buffer_address(const lw_buffer *buffer);        /* of the host, or the GPU's; NULL
                                                                 * where there is no memory */
LW_API size_t lw_buffer_alignment(const lw_buffer *buffer);     /* of its memory: up to 256 bytes */
LW_API bool lw_buffer_is_read_only(const lw_buffer *buffer);    /* it was wrapped so */
LW_API lw_device *lw_buffer_device(const lw_buffer *buffer);    /* borrowed; NULL for NULL */
LW_API bool lw_buffer_has_dtype(const lw_buffer *buffer);       /* false: made of structs */
LW_API lw_dtype lw_buffer_dtype(const lw_buffer *buffer);       /* U8 for structs */

/* lw_buffer_write, lw_buffer_read - copy count elements from offset on, and return when done. They
 * first wait for the launches that use the buffer; on "cuda" also for some later launches.
 * errors   LW_E_ARG, also if a buffer to write is read-only; LW_E_SHAPE offset + count is beyond
 *          the end; LW_E_DEVICE */
LW_CHECKED lw_status lw_buffer_write(lw_buffer *buffer, size_t offset, size_t count,
                                     const void *from);
LW_CHECKED lw_status lw_buffer_read(lw_buffer *buffer, size_t offset, size_t count, void *to);

/* lw_buffer_wait_for - wait for the launches that use the buffer, at most so long.
 * errors   LW_E_ARG, LW_E_DEVICE; LW_E_TIMEOUT: they go on */
LW_CHECKED lw_status lw_buffer_wait_for(lw_buffer *buffer, uint64_t nanoseconds);

/* lw_buffer_fill - set every element to *value (one element); waits as lw_buffer_write does.
 * errors   LW_E_ARG, also if it is read-only; LW_E_DEVICE, LW_E_MEMORY */
LW_CHECKED lw_status lw_buffer_fill(lw_buffer *buffer, const void *value);

/* lw_buffer_discard - declare the contents uninitialised: the checker reports a use before a write.
 * errors   LW_E_ARG, also if it is read-only; LW_E_MEMORY */
LW_CHECKED lw_status lw_buffer_discard(lw_buffer *buffer);

/* lw_buffer_map - the contents as host memory, for reading and writing, until lw_buffer_unmap. A
 * launch that uses a mapped buffer is an error.
 * errors   LW_E_ARG already mapped, or read-only; LW_E_DEVICE; LW_E_MEMORY */
LW_CHECKED lw_status lw_buffer_map(lw_buffer *buffer, void **memory);
LW_CHECKED lw_status lw_buffer_unmap(lw_buffer *buffer);

/* ---- streams and events -------------------------------------------------------------------- */

/* lw_stream_create - a queue of launches that run in order, and not in the calling thread. There
 * are two exceptions, for a launch with the same grid and scalar arguments as an earlier one:
 * - If that took at most 10 microseconds and the stream is idle, the calling thread may run it.
 * - If that took at most half a millisecond and a wait followed at once, the launch may begin late.
 *   It then begins with the next wait or call.
 * On "cuda" the calling thread passes launches to the GPU, which may run other streams' launches
 * at the same time. Launches queued after one that fails may run before the failure is known.
 * errors   LW_E_ARG, LW_E_MEMORY
 * owns     release with lw_stream_destroy */
LW_CHECKED lw_status lw_stream_create(lw_device *device, lw_stream **stream);

/* lw_stream_destroy - wait for the work that is queued, then release the stream; NULL is allowed.
 * If the last wait ran out of time and nothing was queued since, it cancels the work instead.
 * The end of the process waits for no stream: kernels that still run end with it. */
LW_API void lw_stream_destroy(lw_stream *stream);

/* lw_stream_device - what lw_stream_create was given; borrowed. NULL for NULL. */
LW_API lw_device *lw_stream_device(const lw_stream *stream);

/* lw_stream_wrap - a stream of "cuda" on top of the caller's: native is a CUstream of the device's
 * primary context, NULL the default stream. native must outlive the new stream, which neither
 * synchronises nor destroys it.
 * The library queues launches in native and does not track them. The first launch of a kernel with
 * a block size may prepare code. Later ones allocate nothing, call no host function and never
 * wait; native can then be captured into a CUDA graph. The next call that notices a failure
 * returns it, or lw_stream_check. Launches do not count as uses of a wrapped buffer. To read or
 * destroy another buffer waits for all wrapped streams of the device.
 * While native is captured it is LW_E_ARG to wait for the stream, or to record or wait for an
 * event. So is a launch that prints or needs memory. This stream and all that the graph uses must
 * live as long as the graph.
 * errors   LW_E_ARG, LW_E_MEMORY; LW_E_DEVICE it is of another context, or the device is lost;
 *          LW_E_UNSUPPORTED the device has no such streams
 * owns     release with lw_stream_destroy, which waits for it unless it is captured */
LW_CHECKED lw_status lw_stream_wrap(lw_device *device, void *native, lw_stream **stream);

/* lw_stream_check - the failures of a stream that are known so far, without waiting.
 * errors   as lw_stream_wait */
LW_CHECKED lw_status lw_stream_check(lw_stream *stream);

/* lw_stream_wait - wait until all work queued so far is done. The waiting thread may do part of it.
 * errors   that of the first LW_LAUNCH refused since the last wait, given once: the other launches
 *          have run. Else that of the first launch that failed, with the kernel's name in the text:
 *          LW_E_LAUNCH, LW_E_MEMORY ... A failed stream runs nothing more and stays failed. On
 *          "check" LW_E_CHECK: launches since the last wait had findings (lanewise/check.h). It is
 *          given once, and the stream goes on */
LW_CHECKED lw_status lw_stream_wait(lw_stream *stream);

/* lw_stream_wait_for - the same with a limit.
 * errors   also LW_E_TIMEOUT: the work goes on, and can be waited for again or cancelled */
LW_CHECKED lw_status lw_stream_wait_for(lw_stream *stream, uint64_t nanoseconds);

/* lw_stream_cancel - stop the running launch and drop the queued ones. The stream stays failed, and
 * the buffers' contents are undefined. It returns within 100 milliseconds; a wait for the stream,
 * or its destruction, then returns at once.
 * - On "ref" and "check" the launch has ended.
 * - On "cpu" its threads have left the kernel. They are told by SIGURG. The first cancel that needs
 *   it sets a handler, which passes other SIGURG to the handler set before. Threads that run
 *   kernels unblock SIGURG, threads of the host, too.
 * - On "cuda" threads in spin loops return. The GPU finishes other launches that it has.
 * A launch that has not ended by then is given up. It runs on, and until it ends it keeps the
 * program, the buffers and the device in memory; "cuda" is then never closed. On "cpu" this happens
 * only if the program blocks SIGURG again or replaces the handler. Then another thread does the
 * work of each that is stuck. */
LW_API void lw_stream_cancel(lw_stream *stream);

/* lw_stream_scratch - lend memory of the stream: *buffer has at least `bytes` elements of u8, with
 * undefined contents. Launches on this stream may use it that are queued before
 * lw_stream_scratch_done. Then the stream lends it again; launches run in order, so two do not use
 * it at once. The stream keeps it until it is destroyed, and replaces it by a larger one when
 * needed; queued launches keep theirs. A second call before that _done gets other memory.
 * errors   LW_E_ARG, LW_E_MEMORY, LW_E_DEVICE
 * owns     nothing: *buffer is the stream's; give it to lw_stream_scratch_done */
LW_CHECKED lw_status lw_stream_scratch(lw_stream *stream, size_t bytes, lw_buffer **buffer);

/* lw_stream_scratch_done - all launches that use the lent buffer are queued; NULL is allowed. */
LW_API void lw_stream_scratch_done(lw_stream *stream, lw_buffer *buffer);

/* lw_stream_reserve - allocate so many bytes of scratch memory in advance.
 * errors   LW_E_ARG, LW_E_MEMORY, LW_E_DEVICE */
LW_CHECKED lw_status lw_stream_reserve(lw_stream *stream, size_t scratch_bytes);

/* lw_stream_on_output - call fn for every line that kernels print, in launch order of blocks and
 * threads. What a thread prints is joined, as in C: a newline ends a line, and the launch its last.
 * lw_stream_wait calls fn, in the waiting thread. text has no newline. Without fn the text is
 * dropped. A last call with text NULL gives in lost the number of lines that did not fit.
 * lw_stream_on_print - the same, but each call of printf begins a line.
 * lw_stream_on_text - each call of printf as it is, with its newlines. The last of these calls
 * holds. */
typedef struct lw_output {
    lw_dim3 block, thread;
    const char *text;
    size_t lost;
} lw_output;
LW_API void lw_stream_on_output(lw_stream *stream, void (*fn)(const lw_output *output, void *user),
                                void *user);
LW_API void lw_stream_on_print(lw_stream *stream, void (*fn)(const lw_output *output, void *user),
                               void *user);
LW_API void lw_stream_on_text(lw_stream *stream, void (*fn)(const lw_output *output, void *user),
                              void *user);

/* lw_event_create / record / wait - a mark in a stream: lw_event_wait returns when all work queued
 * before the mark is done; lw_stream_wait_event makes a stream wait for it.
 * errors   LW_E_ARG never recorded; LW_E_MEMORY; the stream's own failure */
LW_CHECKED lw_status lw_event_create(lw_device *device, lw_event **event);
LW_API void lw_event_destroy(lw_event *event);
LW_CHECKED lw_status lw_event_record(lw_event *event, lw_stream *stream);
LW_CHECKED lw_status lw_event_wait(lw_event *event);
LW_CHECKED lw_status lw_stream_wait_event(lw_stream *stream, lw_event *event);

/* lw_event_elapsed - nanoseconds from one event to a later one, both done. On "cuda" the GPU's
 * clock measures them, in steps of half a microsecond.
 * errors   LW_E_ARG one was never recorded or is not done */
LW_CHECKED lw_status lw_event_elapsed(const lw_event *begin, const lw_event *end,
                                      uint64_t *nanoseconds);

/* ---- launching ----------------------------------------------------------------------------- */

/* A strided view of a buffer, of rank 0 (one element) to 4; offset, extent and stride in elements.
 * strided true: the strides are used as they are; a stride of 0 repeats an element.
 * strided false: if all strides are 0 they mean C order; others are used as they are.
 * A pointer parameter takes a view in C order too: the pointer is to its first element. If the view
 * has the rank of `a[rows][cols]`, its first extent must be at least the declared one. The other
 * extents must be equal. */
typedef struct lw_tensor {
    lw_buffer *buffer;
    size_t offset;
    int rank;
    ptrdiff_t extent[4], stride[4];
    bool strided;
} lw_tensor;

typedef enum lw_arg_kind {
    LW_ARG_INT, LW_ARG_UINT, LW_ARG_REAL, LW_ARG_BUFFER, LW_ARG_TENSOR, LW_ARG_BYTES,
    LW_ARG_ADDRESS
} lw_arg_kind;

/* One argument of a launch, tagged with what it is. */
typedef struct lw_arg {
    lw_arg_kind kind;
    union {
        int64_t i;
        uint64_t u;
        double f;
        lw_buffer *buffer;
        lw_tensor tensor;
        struct {
            const void *data; /* copied by the launch call */
            size_t size;
        } bytes;
        const void *address; /* of the device, in a buffer of it; or NULL */
    } as;
} lw_arg;

/* All zero means the defaults. */
typedef struct lw_launch_options {
    size_t shared_bytes; /* dynamic block memory; above 0 for a kernel with DYNAMIC_SHARED */
} lw_launch_options;

/* lw_stream_launch - queue one launch of grid x block threads.
 * The call checks before anything runs: count, types and dtypes of the arguments, and their device;
 * sizes declared as `a[rows][cols]` against buffers and extents; limits of block and grid,
 * BLOCK(...); that a kernel with DYNAMIC_SHARED gets some. Integers convert to any integer or
 * floating type that can represent the value, reals to floating types.
 * On "cpu" and "cuda" the first launch with a new block size builds code, unless the cache has it.
 * On "cuda" the call may wait while more than 1000 launches of the stream are pending. A repeated
 * launch allocates no host memory, unless more launches are pending than ever before, or they
 * print. On "ref" each launch allocates some.
 * options  NULL: defaults
 * errors   LW_E_ARG, LW_E_SHAPE, LW_E_DTYPE, LW_E_DEVICE, LW_E_MEMORY; of that build LW_E_COMPILE
 *          ("file:line:column: text"), LW_E_IO, LW_E_INTERNAL; LW_E_UNSUPPORTED an image has no
 *          code for that size, and there is no compiler. lw_stream_wait gives later failures */
LW_CHECKED lw_status lw_stream_launch(lw_stream *stream, lw_kernel *kernel, lw_dim3 grid,
                                      lw_dim3 block, const lw_launch_options *options,
                                      const lw_arg *args, size_t count);

/* lw_stream_launch_noted - the same for callers who may ignore the status, as LW_LAUNCH's do. The
 * stream notes the first refusal; its next lw_stream_wait or lw_stream_wait_for gives this status
 * and text, once. Events, a timeout and a failed stream keep the note; lw_stream_destroy drops it.
 * A program that handles refusals itself calls lw_stream_launch.
 * errors   those of lw_stream_launch */
LW_API lw_status lw_stream_launch_noted(lw_stream *stream, lw_kernel *kernel, lw_dim3 grid,
                                        lw_dim3 block, const lw_launch_options *options,
                                        const lw_arg *args, size_t count);

/* lw_image_launch - lw_stream_launch for the index-th kernel of an image, which the stream's device
 * loads if need be. The functions that `lanewise cc` makes call it.
 * errors   as lw_program_load, lw_program_kernel_at and lw_stream_launch: LW_E_ARG,
 *          LW_E_UNSUPPORTED, LW_E_SHAPE, LW_E_DTYPE, LW_E_DEVICE, LW_E_MEMORY, LW_E_COMPILE,
 *          LW_E_IO, LW_E_INTERNAL */
LW_CHECKED lw_status lw_image_launch(const lw_image *image, size_t index, lw_stream *stream,
                                     lw_dim3 grid, lw_dim3 block,
                                     const lw_launch_options *options, const lw_arg *args,
                                     size_t count);

/* lw_kernel_suggest - a launch that keeps all of the device busy, for kernels whose grid-stride
 * loops allow any grid. *block is the size that BLOCK(...) fixes, or else 256 threads. *grid has
 * blocks in x alone: on "cuda" as many as run at once, given the kernel's registers and shared
 * memory; on "cpu" some for each thread; elsewhere 1. It is where to start, not always the fastest.
 * Code is built as for a launch with that block.
 * options  of the launch; NULL: defaults
 * errors   LW_E_ARG, LW_E_SHAPE too much block memory, LW_E_DEVICE, LW_E_MEMORY; of the build
 *          LW_E_COMPILE, LW_E_IO, LW_E_INTERNAL */
LW_CHECKED lw_status lw_kernel_suggest(lw_kernel *kernel, const lw_launch_options *options,
                                       lw_dim3 *grid, lw_dim3 *block);

#ifdef __cplusplus
}
#endif

#include <lanewise/launch.h>
#endif
