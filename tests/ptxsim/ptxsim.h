/* ptxsim.h - what the files of the PTX simulator share.
 *
 * It is a library with the functions of NVIDIA's driver that the device `cuda` calls, and runs
 * kernels by interpreting their PTX: each thread by itself, until it has to meet others. What
 * hardware leaves undefined is found or poisoned: registers and memory begin with POISON.
 *
 * Files in flow order: driver and driver_queue (the functions), device (the work of streams),
 * memory; reader (tokens), module (text to functions), operands and decode (statements to
 * instructions); launch (blocks), warp (threads that meet), execute (one thread).
 */
#ifndef PTXSIM_H
#define PTXSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LANES = 32, BLOCK_THREADS = 1024, WARPS = BLOCK_THREADS / LANES, CALLS_MAX = 8 };
enum {
    SHARED_BYTES = 227 << 10,
    PROCESSORS = 132,
    PROCESSOR_THREADS = 2048,
    PROCESSOR_BLOCKS = 32
};
#define POISON 0xdeadbeefdeadbeefu
enum { POISON_BYTE = 0xdb };

/* Generic addresses: of global memory they are the host's, of the other spaces they lie where no
 * host has memory. A shared or local address itself is small; none is 0. */
#define SHARED_WINDOW ((uint64_t)1 << 56)
#define LOCAL_WINDOW ((uint64_t)2 << 56)
#define PARAM_WINDOW ((uint64_t)3 << 56)
enum { SPACE_BEGIN = 1024, LOCAL_ALIGN_MAX = 1 << 16, LOCAL_BYTES_MAX = 1 << 19 };

/* ---- a module ---- */

enum opcode {
#define VALUE1(name, ...) OP_##name,
#define VALUE2(name, ...) OP_##name,
#define VALUE3(name, ...) OP_##name,
#define VALUE4(name, ...) OP_##name,
#define LOAD(name, ...) OP_##name,
#define STORE(name, ...) OP_##name,
#define ATOMIC(name, ...) OP_##name,
#define CONTROL(name, ...) OP_##name,
#include "instructions.def"
#undef VALUE1
#undef VALUE2
#undef VALUE3
#undef VALUE4
#undef LOAD
#undef STORE
#undef ATOMIC
#undef CONTROL
    OPCODES
};

/* Operands are slots of the function's frame: registers, constants, what the thread is. */
struct instruction {
    uint16_t op, count; /* count: elements of a load or store */
    int32_t offset;     /* of an address; of bra: the target; of call: the row of calls */
    uint32_t d, a, b, c, e;
    uint32_t line;
};

/* What a frame has in a slot from its beginning: is poison, a number, or ... */
enum special {
    TID_X,
    TID_Y,
    TID_Z,
    CTAID_X,
    CTAID_Y,
    CTAID_Z,
    NCTAID_X,
    NCTAID_Y,
    NCTAID_Z,
    NTID_X,
    NTID_Y,
    NTID_Z,
    LANE,
    LANES_UP_TO,
    LANES_BEHIND,
    LOCAL_BEGIN,
    DYNAMIC_BEGIN,
    SPECIALS
};

struct call {
    const struct function *callee;
    uint32_t *arguments, argument_count; /* slots of the caller */
    uint32_t result;                     /* a slot of the caller; NO_SLOT: none */
    char *name;                          /* of the callee, until all are known */
    uint32_t line;
};
#define NO_SLOT UINT32_MAX

/* A .func or an .entry. */
struct function {
    struct function *next;
    char *name;
    bool is_entry;
    struct instruction *code;
    uint32_t code_count;
    uint64_t *frame; /* as it begins */
    uint32_t frame_slots;
    uint32_t special[SPECIALS]; /* its slot, or NO_SLOT */
    uint32_t *lists;            /* slots of vectors */
    uint32_t list_count;
    struct call *calls;
    uint32_t call_count;
    uint32_t local_bytes, local_align;
    uint32_t *parameters, parameter_count;   /* of a .func: slots */
    uint32_t *parameter_at, parameter_bytes; /* of an .entry: where each lies */
    uint32_t *parameter_size;
    uint32_t result;
    uint32_t threads[3];                      /* .reqntid; 0: any */
    uint32_t depth, stack_slots, stack_local; /* with all it calls */
    struct module *module;
    int dynamic_bytes; /* that a launch may have */
};

struct variable {
    struct variable *next;
    char *name;
    bool is_shared;
    uint64_t address; /* shared: in that space */
    size_t bytes;
};

struct module {
    struct function *functions;
    struct variable *variables;
    uint32_t shared_bytes;  /* from address 0, with SPACE_BEGIN; dynamic memory is behind it */
    uint32_t dynamic_align; /* 0: there is none */
};

/* module_load - translate PTX text. NULL: it is invalid, and log says why. */
struct module *module_load(const char *text, char *log, size_t room);
void module_unload(struct module *m);
const struct variable *module_variable(const struct module *m, const char *name);

/* ---- memory.c: all that a kernel may touch; any thread ---- */

struct extent {
    uint64_t begin, bytes;
};
uint64_t memory_create(size_t bytes); /* 0: none left */
bool memory_destroy(uint64_t address);
void memory_destroy_all(void);
bool memory_find(uint64_t address, struct extent *in); /* the allocation that has the address */
void memory_info(size_t *unused, size_t *total);

/* ---- a launch ---- */

enum state { RUNS, MEETS_WARP, MEETS_BLOCK, EXITED };

struct frame {
    const struct function *function;
    uint64_t *slots;
    const struct instruction *at;
    uint32_t local;
};

struct thread {
    struct frame now, callers[CALLS_MAX];
    uint32_t depth;
    bool carry; /* of add.cc and its like, or what sub.cc has borrowed */
    enum state state;
    uint32_t index; /* in the block, x fastest */
    struct block *block;
    char *local;
};

struct block {
    struct block *next;
    struct launch *launch;
    uint32_t index[3], threads, running; /* running: not exited */
    struct thread *thread;
    uint64_t *slots;
    char *shared, *local;
};

struct launch {
    const struct function *function;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes; /* all of a block's, with what lies before it */
    uint32_t dynamic_bytes;
    char *parameters;
    uint64_t next, blocks;
    struct block *resident, *idle;
    uint32_t resident_count, resident_limit, resident_most, stalls;
    struct extent seen[16]; /* allocations that instructions touched lately */
    uint64_t random;        /* 0: threads run in their order */
    int error;              /* of the driver */
};

/* launch_create - NULL: no memory. parameters as for cuLaunchKernel. */
struct launch *launch_create(const struct function *f, const uint32_t grid[3],
                             const uint32_t block[3], uint32_t dynamic_bytes, void **parameters);
bool launch_run(struct launch *l); /* one turn of one block; true: the launch is done or failed */
void launch_destroy(struct launch *l);
int launch_resident(const struct function *f, uint32_t threads, size_t dynamic_bytes);

/* block_fail - the launch has gone wrong: say what, of which thread, on standard error. */
void block_fail(const struct thread *t, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* thread_start, thread_run - at most so many instructions, and until it meets others. */
void thread_start(struct thread *t);
void thread_run(struct thread *t, uint32_t instructions);

/* warp_meet, block_meet - let those go on whose partners have come; was there anyone? */
bool warp_meet(struct block *b, uint32_t warp);
bool block_meet(struct block *b);

/* random_next - of a launch's seed. */
uint32_t random_next(uint64_t *state);

enum result { /* of the driver, as far as run/cuda/driver.h has them not */
              INVALID_CONTEXT = 201,
              INVALID_HANDLE = 400,
              MISALIGNED_ADDRESS = 716,
              CAPTURE_UNSUPPORTED = 900,
              CAPTURE_INVALIDATED = 901,
};
#endif
