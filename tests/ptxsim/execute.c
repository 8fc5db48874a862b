/* execute.c - one thread runs by itself until it meets others, ends or has run long enough.
 *
 * Values lie in 64-bit slots; each instruction reads as many bits as its type has.
 */
#include "ptxsim.h"
#include "run/cuda/driver.h"
#include <math.h>
#include <string.h>

typedef bool c_pred;
typedef int8_t c_s8;
typedef uint8_t c_u8;
typedef int16_t c_s16;
typedef uint16_t c_u16, c_b16;
typedef int32_t c_s32;
typedef uint32_t c_u32, c_b32;
typedef int64_t c_s64;
typedef uint64_t c_u64, c_b64;
typedef float c_f32, c_bf16, c_f16;
typedef double c_f64;
__extension__ typedef __int128 wide;
__extension__ typedef _Float16 half;

/* ---- values in slots ---- */

static inline float get_f32(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float f;

    memcpy(&f, &low, sizeof f);
    return f;
}

static inline double get_f64(uint64_t bits)
{
    double f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint64_t put_f32(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof f);
    return f == f ? bits : 0x7fffffff;
}

static inline uint64_t put_f64(double f)
{
    uint64_t bits;

    memcpy(&bits, &f, sizeof f);
    return f == f ? bits : 0x7fffffffffffffff;
}

/* The upper half of an f32; to nearest, even. */
static inline float get_bf16(uint64_t bits)
{
    return get_f32(bits << 16);
}

static inline uint64_t put_bf16(float f)
{
    const uint64_t bits = put_f32(f);

    return f == f ? (bits + 0x7fff + (bits >> 16 & 1)) >> 16 : 0x7fff;
}

static inline float get_f16(uint64_t bits)
{
    const uint16_t low = (uint16_t)bits;
    half f;

    memcpy(&f, &low, sizeof f);
    return (float)f;
}

static inline uint64_t put_f16(float f)
{
    const half rounded = (half)f;
    uint16_t bits;

    memcpy(&bits, &rounded, sizeof bits);
    return f == f ? bits : 0x7fff;
}

#define get_pred(x) ((x) & 1)
#define get_s8(x) ((int8_t)(x))
#define get_u8(x) ((uint8_t)(x))
#define get_s16(x) ((int16_t)(x))
#define get_u16(x) ((uint16_t)(x))
#define get_s32(x) ((int32_t)(x))
#define get_u32(x) ((uint32_t)(x))
#define get_s64(x) ((int64_t)(x))
#define get_u64(x) (x)
#define get_b16 get_u16
#define get_b32 get_u32
#define get_b64 get_u64
#define put_pred(x) ((x) & 1)
#define put_s8(x) ((uint64_t)(int8_t)(x))
#define put_u8(x) ((uint64_t)(uint8_t)(x))
#define put_s16(x) ((uint64_t)(int16_t)(x))
#define put_u16(x) ((uint64_t)(uint16_t)(x))
#define put_s32(x) ((uint64_t)(int32_t)(x))
#define put_u32(x) ((uint64_t)(uint32_t)(x))
#define put_s64(x) ((uint64_t)(int64_t)(x))
#define put_u64(x) ((uint64_t)(x))
#define put_b16 put_u16
#define put_b32 put_u32
#define put_b64 put_u64

/* ---- what C has no operator for ---- */

static inline int64_t divide_signed(int64_t a, int64_t b)
{
    return b == 0 ? -1 : b == -1 ? -a : a / b;
}

static inline int64_t remainder_signed(int64_t a, int64_t b)
{
    return b == 0 ? a : b == -1 ? 0 : a % b;
}

static inline uint64_t low_bits(uint64_t x, int bits)
{
    return x & (UINT64_MAX >> (64 - bits));
}

static inline uint64_t with_carry(bool *carry, uint64_t a, uint64_t b, bool more, int bits)
{
    const wide sum = (wide)low_bits(a, bits) + low_bits(b, bits) + more;

    if (carry)
        *carry = sum >> bits & 1;
    return (uint64_t)sum;
}

static inline uint64_t with_borrow(bool *borrow, uint64_t a, uint64_t b, bool more, int bits)
{
    const wide rest = (wide)low_bits(a, bits) - low_bits(b, bits) - more;

    if (borrow)
        *borrow = rest < 0;
    return (uint64_t)rest;
}

/* Of two numbers; one that is none loses, and -0 < +0. */
static inline double minimum(double a, double b)
{
    if (a != a || b != b)
        return a != a ? b : a;
    return a < b || (a == b && signbit(a)) ? a : b;
}

static inline double maximum(double a, double b)
{
    if (a != a || b != b)
        return a != a ? b : a;
    return a > b || (a == b && !signbit(a)) ? a : b;
}

/* Towards 0, to the nearest that there is; what is no number is 0. */
static inline int64_t to_signed(double x, int bits)
{
    const double limit = ldexp(1, bits - 1);
    const int64_t most = (int64_t)(UINT64_MAX >> (65 - bits));

    if (x != x)
        return 0;
    return x >= limit ? most : x <= -limit ? -most - 1 : (int64_t)x;
}

static inline uint64_t to_unsigned(double x, int bits)
{
    if (!(x > 0))
        return 0;
    return x >= ldexp(1, bits) ? UINT64_MAX >> (64 - bits) : (uint64_t)x;
}

static inline uint64_t extract(uint64_t a, uint32_t bits, uint32_t from, uint32_t count)
{
    from &= 255;
    count &= 255;
    a = from < bits ? a >> from : 0;
    return count < 64 ? a & (((uint64_t)1 << count) - 1) : a;
}

/* What lies beyond is the sign, of the field's last bit that there is. */
static inline int64_t extract_signed(int64_t a, uint32_t bits, uint32_t from, uint32_t count)
{
    from &= 255;
    count &= 255;
    if (!count)
        return 0;
    a >>= from < bits ? from : bits - 1;
    return count < bits ? (int64_t)((uint64_t)a << (64 - count)) >> (64 - count) : a;
}

/* The lowest bits of a, so many of b's place. */
static inline uint64_t insert(uint64_t a, uint64_t b, uint32_t bits, uint32_t from, uint32_t count)
{
    uint64_t field = extract(UINT64_MAX, 64, 0, count);

    from &= 255;
    if (from >= bits)
        return b;
    field <<= from;
    return (a << from & field) | (b & ~field);
}

static inline uint32_t permute_bytes(uint32_t a, uint32_t b, uint32_t selection)
{
    const uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;

    for (int i = 0; i < 4; i++) {
        const uint32_t choice = selection >> 4 * i & 15;
        const uint32_t byte = (uint32_t)(bytes >> 8 * (choice & 7)) & 255;
        result |= (choice & 8 ? (byte & 128 ? 255 : 0) : byte) << 8 * i;
    }
    return result;
}

static inline uint64_t reverse_bits(uint64_t a)
{
    uint64_t result = 0;

    for (int i = 0; i < 64; i++)
        result |= (a >> i & 1) << (63 - i);
    return result;
}

/* ---- memory ---- */

static void *fail_access(const struct thread *t, uint64_t address, uint32_t bytes,
                         const char *space)
{
    const bool aligned = address % bytes == 0;

    block_fail(t, aligned ? LW_CU_ILLEGAL_ADDRESS : MISALIGNED_ADDRESS,
               "%u bytes at %s address 0x%llx: %s", bytes, space, (unsigned long long)address,
               aligned ? "not in any allocation" : "misaligned");
    return NULL;
}

static inline void *reach_global(struct thread *t, const struct instruction *i, uint64_t address,
                                 uint32_t bytes)
{
    struct extent *seen = &t->block->launch->seen[(uintptr_t)i / sizeof *i % 16];

    if (address % bytes)
        return fail_access(t, address, bytes, "global");
    if (address - seen->begin >= seen->bytes && !memory_find(address, seen))
        return fail_access(t, address, bytes, "global");
    if (seen->bytes - (address - seen->begin) < bytes)
        return fail_access(t, address, bytes, "global");
    return (void *)(uintptr_t)address;
}

/* In a memory whose first byte has the address `begin`, behind its last one is `end`. */
static inline void *reach_small(struct thread *t, char *memory, uint64_t begin, uint64_t end,
                                uint64_t address, uint32_t bytes, const char *space)
{
    if (address % bytes || address < begin || address >= end || end - address < bytes)
        return fail_access(t, address, bytes, space);
    return memory + (address - begin);
}

static inline void *reach_shared(struct thread *t, const struct instruction *i, uint64_t address,
                                 uint32_t bytes)
{
    (void)i;
    return reach_small(t, t->block->shared, SPACE_BEGIN, t->block->launch->shared_bytes, address,
                       bytes, "shared");
}

static inline void *reach_local(struct thread *t, const struct instruction *i, uint64_t address,
                                uint32_t bytes)
{
    (void)i;
    return reach_small(t, t->local, LOCAL_ALIGN_MAX,
                       (uint64_t)LOCAL_ALIGN_MAX + t->block->launch->function->stack_local, address,
                       bytes, "local");
}

static inline void *reach_param(struct thread *t, const struct instruction *i, uint64_t address,
                                uint32_t bytes)
{
    const struct launch *l = t->block->launch;

    (void)i;
    return reach_small(t, l->parameters, SPACE_BEGIN,
                       (uint64_t)SPACE_BEGIN + l->function->parameter_bytes, address - PARAM_WINDOW,
                       bytes, "parameter");
}

static inline void *reach_generic(struct thread *t, const struct instruction *i, uint64_t address,
                                  uint32_t bytes)
{
    switch (address >> 56) {
    case SHARED_WINDOW >> 56: return reach_shared(t, i, address - SHARED_WINDOW, bytes);
    case LOCAL_WINDOW >> 56: return reach_local(t, i, address - LOCAL_WINDOW, bytes);
    default: return reach_global(t, i, address, bytes);
    }
}

/* Element k of a load or store. */
static inline uint64_t *element(const struct frame *f, const struct instruction *i, int k)
{
    return &f->slots[i->count == 1 ? i->d : f->function->lists[i->d + (uint32_t)k]];
}

/* ---- calls ---- */

static void enter(struct thread *t)
{
    const struct frame *now = &t->now;
    const struct function *f = now->function;
    const struct block *b = t->block;
    const struct launch *l = b->launch;
    const uint32_t *d = l->block;
    const uint64_t values[SPECIALS] = {
        [TID_X] = t->index % d[0],
        [TID_Y] = t->index / d[0] % d[1],
        [TID_Z] = t->index / d[0] / d[1],
        [CTAID_X] = b->index[0],
        [CTAID_Y] = b->index[1],
        [CTAID_Z] = b->index[2],
        [NCTAID_X] = l->grid[0],
        [NCTAID_Y] = l->grid[1],
        [NCTAID_Z] = l->grid[2],
        [NTID_X] = d[0],
        [NTID_Y] = d[1],
        [NTID_Z] = d[2],
        [LANE] = t->index % LANES,
        [LANES_UP_TO] = UINT32_MAX >> (LANES - 1 - t->index % LANES),
        [LANES_BEHIND] = (UINT32_MAX - 1) << t->index % LANES,
        [LOCAL_BEGIN] = LOCAL_ALIGN_MAX + now->local,
        [DYNAMIC_BEGIN] = f->module->shared_bytes,
    };

    if (f->frame_slots)
        memcpy(now->slots, f->frame, f->frame_slots * sizeof *f->frame);
    for (int i = 0; i < SPECIALS; i++)
        if (f->special[i] != NO_SLOT)
            now->slots[f->special[i]] = values[i];
}

void thread_start(struct thread *t)
{
    const struct function *f = t->block->launch->function;

    t->now = (struct frame){f, t->block->slots + (size_t)t->index * f->stack_slots, f->code, 0};
    t->local = t->block->local + (size_t)t->index * f->stack_local;
    t->depth = 0;
    t->state = RUNS;
    enter(t);
}

static void call(struct thread *t, const struct instruction *i)
{
    struct frame *from = &t->callers[t->depth];
    const struct function *f = t->now.function;
    const struct call *c = &f->calls[i->offset];
    const uint32_t align = c->callee->local_align, local = t->now.local + f->local_bytes;

    t->now.at = i;
    t->callers[t->depth++] = t->now;
    t->now = (struct frame){c->callee, from->slots + f->frame_slots, c->callee->code,
                            align ? (local + align - 1) / align * align : local};
    enter(t);
    for (uint32_t k = 0; k < c->argument_count; k++)
        t->now.slots[c->callee->parameters[k]] = from->slots[c->arguments[k]];
}

static void leave(struct thread *t)
{
    t->state = EXITED;
    t->block->running--;
}

/* From a .func to behind its call, from an .entry for good. */
static void return_from(struct thread *t)
{
    const struct frame from = t->now;

    if (!t->depth) {
        leave(t);
        return;
    }
    t->now = t->callers[--t->depth];
    const struct call *c = &t->now.function->calls[t->now.at->offset];
    if (c->result != NO_SLOT)
        t->now.slots[c->result] = from.slots[from.function->result];
    t->now.at++;
}

/* ---- running ---- */

/* The halves of b, each of so many bits. */
static void unpack(uint64_t *r, const struct instruction *i, int bits)
{
    const uint64_t whole = r[i->b], low = ((uint64_t)1 << bits) - 1;

    r[i->d] = whole & low;
    r[i->a] = whole >> bits & low;
}

/* What is not a value, a load, a store or an atomic. Is it to go on? t->now.at says where. */
static bool control(struct thread *t, const struct instruction *i)
{
    uint64_t *r = t->now.slots;

    t->now.at = i + 1;
    switch (i->op) {
    case OP_unpack_b32: unpack(r, i, 16); return true;
    case OP_unpack_b64: unpack(r, i, 32); return true;
    case OP_call: call(t, i); return true;
    case OP_ret: return_from(t); return t->state == RUNS;
    case OP_exit: leave(t); return false;
    case OP_bar:
    case OP_bar_popc:
    case OP_bar_and:
    case OP_bar_or: t->state = MEETS_BLOCK; break;
    case OP_fence:
    case OP_fence_gl:
    case OP_fence_sys:
    case OP_fence_sc_cta:
    case OP_fence_sc_gpu:
    case OP_fence_cta:
    case OP_fence_gpu:
    case OP_wait_grid: return true;
    default: t->state = MEETS_WARP; break;
    }
    t->now.at = i;
    return false;
}

#define VALUE1(name, text, TO, A, result)                                                          \
    case OP_##name: {                                                                              \
        const c_##A a = get_##A(r[i->a]);                                                          \
        r[i->d] = put_##TO(result);                                                                \
        i++;                                                                                       \
        break;                                                                                     \
    }
#define VALUE2(name, text, TO, A, B, result)                                                       \
    case OP_##name: {                                                                              \
        const c_##A a = get_##A(r[i->a]);                                                          \
        const c_##B b = get_##B(r[i->b]);                                                          \
        r[i->d] = put_##TO(result);                                                                \
        i++;                                                                                       \
        break;                                                                                     \
    }
#define VALUE3(name, text, TO, A, B, C, result)                                                    \
    case OP_##name: {                                                                              \
        const c_##A a = get_##A(r[i->a]);                                                          \
        const c_##B b = get_##B(r[i->b]);                                                          \
        const c_##C c = get_##C(r[i->c]);                                                          \
        r[i->d] = put_##TO(result);                                                                \
        i++;                                                                                       \
        break;                                                                                     \
    }
#define VALUE4(name, text, TO, A, B, C, E, result)                                                 \
    case OP_##name: {                                                                              \
        const c_##A a = get_##A(r[i->a]);                                                          \
        const c_##B b = get_##B(r[i->b]);                                                          \
        const c_##C c = get_##C(r[i->c]);                                                          \
        const c_##E e = get_##E(r[i->e]);                                                          \
        r[i->d] = put_##TO(result);                                                                \
        i++;                                                                                       \
        break;                                                                                     \
    }
#define REACH(SPACE, T, elements)                                                                  \
    volatile c_##T *p =                                                                            \
        reach_##SPACE(t, i, r[i->a] + (uint64_t)(int64_t)i->offset, sizeof(c_##T) * (elements));   \
    if (!p)                                                                                        \
        return;
#define LOAD(name, text, SPACE, T)                                                                 \
    case OP_##name: {                                                                              \
        REACH(SPACE, T, i->count)                                                                  \
        for (int k = 0; k < i->count; k++)                                                         \
            *element(&t->now, i, k) = put_##T(p[k]);                                               \
        i++;                                                                                       \
        break;                                                                                     \
    }
#define STORE(name, text, SPACE, T)                                                                \
    case OP_##name: {                                                                              \
        REACH(SPACE, T, i->count)                                                                  \
        for (int k = 0; k < i->count; k++)                                                         \
            p[k] = get_##T(*element(&t->now, i, k));                                               \
        i++;                                                                                       \
        break;                                                                                     \
    }
#define ATOMIC(name, text, SPACE, T, result)                                                       \
    case OP_##name: {                                                                              \
        REACH(SPACE, T, 1)                                                                         \
        const c_##T a = *p, b = get_##T(r[i->b]), c = get_##T(r[i->c]);                            \
        (void)b, (void)c;                                                                          \
        *p = result;                                                                               \
        r[i->d] = put_##T(a);                                                                      \
        i++;                                                                                       \
        break;                                                                                     \
    }
#define CONTROL(name, ...)

/* Where it stops, the next instruction is in the thread's frame. After a failed access the launch
 * has failed, and nothing runs any more. */
void thread_run(struct thread *t, uint32_t instructions)
{
    const struct instruction *i = t->now.at;
    uint64_t *r = t->now.slots;

    for (; instructions; instructions--) {
        t->now.at = i;
        switch (i->op) {
        case OP_bra: i = t->now.function->code + i->offset; break;
        case OP_bra_if: i = r[i->a] & 1 ? t->now.function->code + i->offset : i + 1; break;
        case OP_bra_unless: i = r[i->a] & 1 ? i + 1 : t->now.function->code + i->offset; break;
        case OP_skip_if: i += 1 + (r[i->a] & 1); break;
        case OP_skip_unless: i += 2 - (r[i->a] & 1); break;
#include "instructions.def"
        default:
            if (!control(t, i))
                return;
            i = t->now.at;
            r = t->now.slots;
        }
    }
    t->now.at = i;
}
