/* objects.h - devices that are open, and buffers.
 *
 *     device   an open device: its holds, what it says of itself, its end
 *     alive    what a program has created and not destroyed yet
 *     reach    buffers by their addresses, and what a launch may reach by them
 *     memory   a buffer's memory: created, read, written
 *     buffer   its life, and what it says of itself
 *
 * What is fixed when an object is made is read freely. References are counted atomically; the last
 * release frees. What moves while work is queued is marked "locked". What waits for work is not
 * here: queue/ reads and writes buffers once no launch uses them.
 */
#ifndef LW_RUN_OBJECTS_H
#define LW_RUN_OBJECTS_H

#include "lanewise/record.h"
#include "run/threads/threads.h"

/* ---- device.c ---- */

/* What the folders above do for a device and its buffers; queue/hooks.c has it. */
struct lw__device_hooks {
    /* close - nobody holds it any more: free what is kept with it. Not locked. */
    void (*close)(lw_device *device);
    /* retire - memory is short: let go of some work that the device has done. Locked, but while it
     * waits. False: there is none. */
    bool (*retire)(const lw_device *device);
    /* await_unseen - wait for launches that use a buffer and do not count in its uses. Locked, but
     * while it waits. errors: as lw_stream_wait */
    lw_status (*await_unseen)(const lw_device *device);
};

/* The buffers that are alive, by address; rows NULL: it is to be made anew. */
struct lw__index {
    lw_buffer **rows;
    size_t count;
};

enum { LW_RESIDENT_BUCKETS = 32 };

struct lw_device {
    atomic_size_t holds;
    const struct lw__device_ops *ops;
    const struct lw__device_hooks *hooks;
    void *state;
    lw_device_info info;     /* of this one, as it was opened */
    struct lw__alive *alive; /* locked; alive.c */
    struct lw__index index;  /* locked; reach.c */
    /* Kept with it by the folders above, whose hook frees them. */
    struct lw__mark *spare_marks; /* locked; queue/mark.c: to be used again */
    /* program/residents.c: of images, by address, and of texts; each list grows at its head */
    _Atomic(lw_program *) residents[LW_RESIDENT_BUCKETS];
    _Atomic(lw_program *) shared;
};

/* lw__device_create - of such devices the one with the name.
 * errors   LW_E_MEMORY; those of ops->open. owns: lw_device_close */
lw_status lw__device_create(const struct lw__device_ops *ops, const struct lw__device_hooks *hooks,
                            const char *name, lw_device **device);
void lw__device_describe(const struct lw__device_ops *ops, void *state, lw_device_info *info);
const char *
lw__device_probe(const struct lw__device_ops *ops);     /* why it cannot be used; "": it can */
void lw__device_hold(lw_device *device);                /* lw_device_close lets go */
const char *lw__device_target(const lw_device *device); /* for lanewise-compile --device */

/* ---- alive.c ---- */

/* On the list of a device; all zero: it is on none. */
struct lw__alive {
    bool is_listed;                 /* of who has it */
    struct lw__alive *next, **link; /* locked */
    lw_buffer *buffer;              /* NULL: it is a stream */
    const void *creator;            /* where the call that made it returned to; NULL: the library */
};

/* Of something on the list, a copy. */
struct lw__alive_row {
    bool is_stream, has_dtype;
    lw_dtype dtype;
    size_t number;       /* from the oldest */
    size_t count, bytes; /* of a buffer */
    const void *creator;
};

/* lw__alive_add - it has been created. lw__alive_remove - it is about to be released.
 * lw__alive_list - locked: what the program has created, the oldest first; false: memory is short.
 * owns     free(*rows) */
void lw__alive_add(lw_device *device, struct lw__alive *alive, lw_buffer *buffer,
                   const void *creator);
void lw__alive_remove(lw_device *device, struct lw__alive *alive);
bool lw__alive_list(lw_device *device, struct lw__alive_row **rows, size_t *count);

/* ---- reach.c ---- */

/* lw__reach_find - the buffer that has the byte at the address, held, or NULL: there is none.
 * lw__reach_take - all that are there.
 * errors   LW_E_MEMORY
 * owns     lw_buffer_destroy; lw__reach_release */
lw_status lw__reach_find(lw_device *device, uint64_t address, lw_buffer **buffer);
lw_status lw__reach_take(lw_device *device, struct lw__reach **reach);
void lw__reach_release(struct lw__reach *reach);

/* ---- buffer.c ---- */

struct lw_buffer {
    atomic_size_t holds;
    lw_device *device;
    bool has_dtype;
    lw_dtype dtype;
    size_t element_bytes, count, bytes;
    void *memory;               /* the device's address */
    void *block;                /* host memory: what to free, */
    struct lw__guarded guarded; /* or, where that is NULL, this */
    void *staging; /* mapped device memory: its copy on the host; of who holds the mapping */
    bool is_wrapped, read_only;                /* memory is someone else's */
    void (*release)(void *memory, void *user); /* wrapped; NULL: nobody wants to know */
    void *user;
    uint8_t *undefined;  /* of a device with findings, as lw__object says; NULL: all is defined */
    bool mapped;         /* locked */
    bool is_used_unseen; /* locked: launches on wrapped streams have it, or had */
    size_t uses;         /* locked: queued or running launches that hold it */
    const lw_stream *blank_of; /* it has no memory: the stream that records it; else NULL */
    struct lw__alive alive;
};
void lw__buffer_hold(lw_buffer *buffer); /* lw_buffer_destroy lets go */
void lw__buffer_list(lw_buffer *buffer); /* programs have its address, though the library made it */

/* lw__buffer_create - as lw_buffer_create, for memory that is not the program's. */
lw_status lw__buffer_create(lw_device *device, lw_dtype dtype, size_t count, lw_buffer **buffer);

/* lw__buffer_create_structs - the same of structs. */
lw_status lw__buffer_create_structs(lw_device *device, size_t element_bytes, size_t count,
                                    lw_buffer **buffer);

/* lw__buffer_create_at - of memory that the caller knows to be good.
 * errors   LW_E_DTYPE, LW_E_MEMORY */
lw_status lw__buffer_create_at(lw_device *device, lw_dtype dtype, size_t count, void *memory,
                               lw_buffer **buffer);

/* Can the call have a buffer without memory? LW_E_ARG, naming the call. */
lw_status lw__buffer_check_memory(const lw_buffer *buffer, const char *call);

/* ---- memory.c: of a buffer, the device's, or the host's where the device has none ---- */

/* lw__memory_read, lw__memory_write - bytes from `at` on, now; lw__memory_copy - where at least one
 * of the two is the host's, or both are of the same ops.
 * lw__memory_define - the host may have written there. */
lw_status lw__memory_write(lw_buffer *buffer, size_t at, const void *from, size_t bytes);
lw_status lw__memory_read(lw_buffer *buffer, size_t at, void *to, size_t bytes);
lw_status lw__memory_copy(lw_buffer *to, size_t to_at, lw_buffer *from, size_t from_at,
                          size_t bytes);
void lw__memory_define(lw_buffer *buffer, size_t at, size_t bytes);

/* ---- inside this folder ---- */

/* Of its own. errors: LW_E_MEMORY; those of the device */
lw_status lw__memory_create(lw_buffer *buffer);
void lw__memory_destroy(lw_buffer *buffer);
#endif
