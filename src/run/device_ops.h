/* device_ops.h - what a device is: a const struct of data and functions.
 *
 * To add a device: copy null/device.c, fill in a struct lw__device_ops, add a row to devices.def.
 * All devices share streams, buffers, argument checks, the cache and the pool.
 */
#ifndef LW_DEVICE_OPS_H
#define LW_DEVICE_OPS_H

#include "base/conversion.h"
#include "base/manifest.h"
#include "lanewise/image.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* The limits of the kernel language, and our own. */
enum {
    LW_ARG_BYTES_MAX = 32764, /* packed arguments of a launch */
    LW_BLOCK_THREADS_MAX = 1024,
    LW_WORKERS_MAX = 256, /* threads that run kernels */
    LW_BLOCK_Z_MAX = 64,
    LW_GRID_YZ_MAX = 65535,
    LW_SHARED_BYTES_MAX = 48 << 10
};
#define LW_GRID_X_MAX 0x7fffffffu

/* A source line that a collective stands on; from the manifest's site rows. */
struct lw__site {
    const char *file;
    int line, column;
    const char *what; /* "warp_sum", "barrier" ... */
};

/* Text that a kernel prints, kept until the launch is over; run/report/output.c. Safe from any
 * thread. False: memory is short. */
struct lw__output;
struct lw__findings; /* run/report/findings.h */
bool lw__output_add(struct lw__output *out, const int32_t block[3], const int32_t thread[3],
                    const char *text);
void lw__output_lose(struct lw__output *out, size_t lines); /* that the device had no room for */

/* lw__alloc_shared - memory for a block on the host; NULL: there is none. owns: free() */
static inline void *lw__alloc_shared(size_t bytes)
{
    const size_t align = LW_SHARED_ALIGN;

    return aligned_alloc(align, (bytes + align - 1) / align * align);
}

/* How long launches took that had the same work: see cpu/launch.c. All zero: unknown. */
enum { LW_TIMES = 8 };
struct lw__times {
    _Atomic uint64_t entry[LW_TIMES];
};

struct lw__recorder; /* run/ref/ref.h */

/* What a pointer or tensor argument may reach: its buffer, of float a[rows][cols] what is declared.
 * memory NULL: the parameter is neither. */
struct lw__object {
    const char *name; /* the parameter's */
    char *memory;     /* where it begins */
    size_t bytes;
    size_t element_bytes; /* of what the parameter points to; 0: it is void */
    size_t place;         /* of the pointer in the packed arguments */
    const char *layout;   /* of the parameter, docs/layout.md */
    bool is_null;         /* the argument is */
    int rank;             /* of an array in C order; 0: it is a row of elements */
    ptrdiff_t extent[4];
    uint8_t *undefined; /* for a device with findings: a byte for each that is 0 where it is
                           * defined; NULL: all is */
};

/* What a launch may reach that follows pointers which are no arguments: held, by address. Mapped
 * and read-only buffers are not among them. */
struct lw__reach {
    lw_buffer **buffers;
    size_t count;
    struct lw__object objects[]; /* of each */
};

/* lw__reach_object - that which has all of an access; NULL: none. report/outside.c */
const struct lw__object *lw__reach_object(const struct lw__reach *reach, uint64_t address,
                                          uint64_t bytes);

/* One launch, checked and packed, as a device gets it. All of it lives until launch() returns. */
struct lw__launch {
    const char *kernel;   /* its name, for messages */
    const char *file;     /* of the program, as it was named */
    void *queue;          /* what ops->queue->create made for the stream; NULL: nothing */
    void *code;           /* what ops->load made of the program, or of the kernel alone */
    void *entry;          /* what ops->find gave for this kernel in it */
    lw_dim3 grid, block;  /* within the limits; every component at least 1 */
    size_t shared_bytes;  /* static SHARED */
    size_t dynamic_bytes; /* dynamic block memory: after the static; manifest.h says where */
    size_t shared_align;  /* of block memory */
    const char *args;     /* packed, args_bytes; pointers are the device's addresses */
    size_t args_bytes;
    const struct lw__object *objects; /* one a parameter; object_count may be 0 */
    size_t object_count;
    const struct lw__reach *reach; /* what it may reach besides; NULL: nothing */
    const struct lw__site *sites;  /* site_count of them */
    size_t site_count;
    const struct lw__lines *lines; /* of this code */
    const char *source;            /* its text, where findings are made; else NULL */
    const char *source_name;
    bool is_guarded;         /* the code is that of ops->guarded */
    uint64_t work;           /* equal for launches of the same grid, memory and scalars */
    struct lw__times *times; /* of this code */
    atomic_bool *cancelled;  /* poll it; true: stop soon and return LW_E_LAUNCH */
    struct lw__output *output;
    struct lw__findings *findings;          /* the stream's; NULL: the device makes none */
    const struct lw__recorder *recorder;    /* NULL: nobody records the launch */
    void *recording;                        /* of the recorder */
    const struct lw__launch *next_of_batch; /* NULL: it is the last, or of none */
};

/* For a device that takes work ahead of its end, like a GPU: a queue behind each stream, whose work
 * is done in order. Any thread calls, one at a time for what adds to a queue. */
struct lw__queue_ops {
    lw_status (*create)(void *state, void **queue);
    void (*destroy)(void *state, void *queue); /* all its launches are retired, but after a fork */

    /* wrap - a queue that is the device's own `native`, of someone else; NULL: there is no such.
     * The stream of such a queue has nothing ahead: issue leaves *flight NULL, and nothing is
     * retired. refuse_capture - LW_E_ARG with `what` if it is wrapped and its owner captures it.
     * check - what is known by now of what went wrong; asks: also that which takes a call. */
    lw_status (*wrap)(void *state, void *native, void **queue);
    lw_status (*refuse_capture)(void *state, void *queue, const char *what);
    lw_status (*check)(void *state, void *queue, bool asks);

    /* stop - its stream is cancelled: what runs should end soon. Under the lock. */
    void (*stop)(void *state, void *queue);

    /* takes - can the launch be issued? Else lw__device_ops.launch runs it to the end. Under the
     * lock. issue - put it into launch->queue; *flight stands for it. It lives until retire. */
    bool (*takes)(void *state, const struct lw__launch *launch);
    lw_status (*issue)(void *state, const struct lw__launch *launch, void **flight);

    /* retire - its end has been awaited; awaited is the message if that failed, or NULL. The result
     * is the launch's, as that of lw__device_ops.launch. Under the lock. */
    lw_status (*retire)(void *state, const struct lw__launch *launch, void *flight,
                        const char *awaited);

    /* Batches: launches that are issued as one, each after those that it follows; runs of a batch
     * never overlap. batch_create - *batch stands for those of one shape: after[begin[k]] up to
     * after[begin[k + 1]] are the numbers of the launches that number k follows; LW_E_UNSUPPORTED,
     * or NULL: one by one. batch_takes - can these be issued so? batch_issue, batch_retire - as
     * issue and retire; from one to the next only arguments and the queue change. */
    lw_status (*batch_create)(void *state, size_t count, const size_t *begin, const size_t *after,
                              void **batch);
    void (*batch_destroy)(void *state, void *batch); /* none of it is under way */
    bool (*batch_takes)(void *state, const struct lw__launch *first);
    lw_status (*batch_issue)(void *state, void *batch, const struct lw__launch *first,
                             void **flight);
    lw_status (*batch_retire)(void *state, const struct lw__launch *first, void *flight,
                              const char *awaited);

    /* mark - put a mark into a queue. mark_destroy: under the lock. mark_await - have what comes
     * into the queue wait for a mark of any queue of the device. mark_elapsed - the time between
     * two that have been reached, negative where `end` came first. */
    lw_status (*mark)(void *state, void *queue, void **mark);
    void (*mark_destroy)(void *state, void *mark);
    lw_status (*mark_await)(void *state, void *queue, void *mark);
    lw_status (*mark_elapsed)(void *state, void *begin, void *end, int64_t *nanoseconds);

    /* await - until the mark is reached, or, where that is NULL, all is over that is in the queue
     * now; at most until `deadline` by the monotonic clock, if there is one: then LW_E_TIMEOUT,
     * without a message. */
    lw_status (*await)(void *state, void *queue, void *mark, const struct timespec *deadline);
};

struct lw__device_ops {
    lw_device_info info;        /* available and unavailable are filled in by probe */
    const char *target;         /* what lanewise-compile --device takes; NULL: target_of says it */
    const char *picture_target; /* of code for a picture; NULL: it makes none */
    bool has_debug;             /* takes code for a debugger: lw_build_options.debug */
    bool has_findings;          /* its streams keep what launches find */
    bool is_gpu;
    int (*vector_bits)(const void *state); /* NULL: its code uses no vectors */
    bool (*has_amx)(const void *state);    /* NULL: it has none */

    /* target_of - the target of an open device. describe - put into *info, a copy of `info`, what
     * is not constant; state NULL: of the device that open would give now. Both: text that lives as
     * long as the device, any thread. NULL: target, info. */
    const char *(*target_of)(void *state);

    /* spare_target_of - the target of code that does the same, slower, and takes less time to
     * compile; NULL, also what it gives: there is none. */
    const char *(*spare_target_of)(void *state);
    void (*describe)(void *state, lw_device_info *info);

    /* probe - is the device usable here? "" if so, else the reason, until the thread asks again.
     * Any thread. NULL: always. */
    const char *(*probe)(void);

    /* open, close - the device's own state. open may leave NULL. Any thread. */
    lw_status (*open)(const char *name, void **state);
    void (*close)(void *state);

    /* memory_*: NULL for devices whose memory is the host's; objects/memory.c then uses plain
     * memory. traps_faults: memory that is guarded where lw_trap_faults has been called, and lines
     * are kept for faults. */
    bool traps_faults;
    lw_status (*memory_create)(void *state, size_t bytes, void **memory);
    void (*memory_destroy)(void *state, void *memory);
    lw_status (*memory_write)(void *state, void *to, const void *from, size_t bytes);
    lw_status (*memory_read)(void *state, void *to, const void *from, size_t bytes);

    /* memory_copy - from another device of the same ops, or from itself. NULL: its memory is the
     * host's. Any thread. */
    lw_status (*memory_copy)(void *state, void *to, void *from_state, const void *from,
                             size_t bytes);

    /* memory_made, memory_gone - a buffer has memory of its own now; it is about to be released.
     * Any thread. NULL: the device need not know. */
    void (*memory_made)(void *state, const void *memory, size_t bytes);
    void (*memory_gone)(void *state, const void *memory, size_t bytes);

    /* memory_check - can kernels use this memory of someone else? LW_E_ARG. Any thread. NULL: it is
     * the host's, and they can. */
    lw_status (*memory_check)(void *state, const void *memory, size_t bytes);

    /* load, unload - take a program's payload, a file that can be dlopened (path) or bytes; NULL
     * for devices that run nothing. find: the entry of a kernel; with `common`, asked of a program
     * for the kernels that BLOCK(...) fixes, it may leave NULL: they too are built as all others.
     * Any thread. */
    lw_status (*load)(void *state, const char *path, const void *payload, size_t bytes,
                      void **code);
    void (*unload)(void *state, void *code);
    lw_status (*find)(void *code, const char *kernel, void **entry);

    /* suits - how well code for that target of lanewise-compile does here: more is better, negative
     * is not at all. attach - take code that is linked into the process, as load and find do; it
     * leaves *code NULL where there is nothing to unload. NULL where code is text. Any thread; NULL
     * for devices that run nothing. */
    int (*suits)(void *state, const char *target);
    lw_status (*attach)(void *state, const lw_image_code *linked, void **code, void **entry);

    /* sizes - the host function lw.sizes.<kernel> (base/manifest.h), as a void *. Asked for only
     * where a parameter has declared sizes; NULL only for devices that load nothing. Any thread. */
    lw_status (*sizes)(void *code, const char *kernel, void **function);

    /* symbol - the value that a variable of the device has before any launch, in the code. Else as
     * sizes. */
    lw_status (*symbol)(void *code, const char *name, void **value);

    /* common - the bitcode from which a kernel is built again for each size of block
     * (base/cpu_abi.h): program/specialize.c then loads that as it does a program, and finds the
     * kernel in it. NULL: find gives the entry for all sizes. Any thread. */
    lw_status (*common)(void *code, const void **bitcode, size_t *bytes);

    /* guarded - the same of the form whose accesses stay within their objects; its code gets
     * launches with is_guarded. NULL: there is no such form. Any thread. info.bounds says which
     * launches have it where LANEWISE_BOUNDS is not set. */
    lw_status (*guarded)(void *code, const void **bitcode, size_t *bytes);

    /* check - can the device run it? Asked before it is queued; LW_E_SHAPE. Any thread. NULL: it
     * can. */
    lw_status (*check)(void *state, const struct lw__launch *launch);

    /* fill - how many blocks of the launch keep all of the device busy. Any thread. NULL: 1. */
    lw_status (*fill)(void *state, const struct lw__launch *launch, uint32_t *blocks);

    const struct lw__queue_ops *queue; /* NULL: it has no queues of its own */

    /* known_time - nanoseconds that launches with the same work took, of all their threads
     * together; 0: not known. Asked under the lock, of idle streams. NULL: it never is. */
    uint64_t (*known_time)(void *state, const struct lw__launch *launch);

    /* thread_ready - has this thread what it needs to run launches, as a stack for kernels? Not
     * locked. NULL: it has. */
    bool (*thread_ready)(void);

    /* launch - run to the end, after all that is in launch->queue. A pool thread or the host's
     * thread calls it: one launch of a stream at a time, several streams at the same time. On
     * failure it has called lw__fail with the kernel's name in the text. */
    lw_status (*launch)(void *state, const struct lw__launch *launch);
};

#define LW_DEVICE(name) extern const struct lw__device_ops lw__device_##name;
#include "run/devices.def"
#endif
