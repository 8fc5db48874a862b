/* language_cuda.c - CUDA as a language of trees.
 *
 * Where CUDA lacks a function, or gives it another meaning, prelude.cuh and together.cuh have one.
 * What CUDA lacks altogether, the generator leaves out. A comparison is a bool in C++, so templates
 * get their type: clz<int>(a < b).
 */
#include "kernel.h"
#include <stdlib.h>
#include <string.h>

bool has_style(const struct program *p, enum style style)
{
    struct dice d = {p->seed ^ 0xc0da};
    const uint64_t bits = dice_next(&d);
    return p->language == &cuda_language && bits >> style & 1 &&
           (style != BY_SCOPE || bits >> 40 & 1);
}

static void is_left(struct stmt *s, void *user)
{
    *(bool *)user |= s->kind == S_BREAK || s->kind == S_CONTINUE || s->kind == S_GOTO ||
                     s->kind == S_RETURN || s->kind == S_ENTRY;
}

bool is_closed(const struct block *b)
{
    bool leaves = false;
    struct block statements = *b;
    const struct visitor v = {NULL, is_left, &leaves};
    visit_block(&statements, &v);
    return !leaves;
}

bool is_cxx_reference(const struct program *p, const struct var *v)
{
    return v->is_reference && v->id % 2 && has_style(p, BY_REFERENCE);
}

bool is_generic(const struct program *p, const struct helper *h)
{
    const struct var *first = h->parameters ? h->parameter[0] : NULL;
    return first && first->shape == SCALAR && !first->is_reference && has_style(p, BY_TEMPLATE);
}

bool is_functor(const struct program *p, const struct helper *h)
{
    return has_style(p, BY_FUNCTOR) && h->id % 2 == 0 && !is_generic(p, h);
}

/* ---- the prelude --------------------------------------------------------------------------- */

static void append_file(FILE *to, const char *path)
{
    char bytes[4096];
    FILE *from = fopen(path, "r");
    if (!from) {
        perror(path);
        exit(1);
    }
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, from)) > 0;)
        fwrite(bytes, 1, n, to);
    fclose(from);
}

/* All of it: its functions need each other. */
static void prelude(FILE *to, const char *kernels)
{
    (void)kernels;
    append_file(to, LW_RANDOM_INCLUDE "/prelude.cuh");
    append_file(to, LW_RANDOM_INCLUDE "/together.cuh");
}

/* ---- a kernel ------------------------------------------------------------------------------ */

static void name(const struct program *p, char text[NAME_MAX_BYTES])
{
    char space[24] = "", threads[16] = "";
    if (has_style(p, BY_NAMESPACE))
        snprintf(space, sizeof space, "space%d::", p->number);
    if (has_style(p, BY_TEMPLATE))
        snprintf(threads, sizeof threads, "<%d>", program_threads(p));
    snprintf(text, NAME_MAX_BYTES, "%skernel%d%s", space, p->number, threads);
}

static void begin(struct kernel_writer *w)
{
    fprintf(w->to, "\n#undef FAMILY\n#define FAMILY %s\n",
            has_style(w->p, BY_LIBRARY) ? "library" : "plain");
    if (has_style(w->p, BY_NAMESPACE))
        fprintf(w->to, "namespace space%d {\n", w->p->number);
}

static void end(struct kernel_writer *w)
{
    fputs(has_style(w->p, BY_NAMESPACE) ? "}\n" : "", w->to);
}

static void head(struct kernel_writer *w)
{
    const struct program *p = w->p;
    const bool has_other = has_style(p, BY_TEMPLATE) || has_style(p, BY_NAMESPACE);
    fputs(has_style(p, BY_TEMPLATE) ? "\ntemplate <int THREADS>" : "", w->to);
    fputs(has_style(p, BY_EXTERN) && !has_other ? "\nextern \"C\"" : "", w->to);
    fputs("\n__global__ void ", w->to);
    if (p->fixed_block)
        fprintf(w->to, "__launch_bounds__(%d) ", program_threads(p));
    fprintf(w->to, "kernel%d(", p->number);
}

static void symbol_name(const struct program *p, const struct buffer *b, char text[NAME_MAX_BYTES])
{
    char space[24] = "";
    if (has_style(p, BY_NAMESPACE))
        snprintf(space, sizeof space, "space%d::", p->number);
    snprintf(text, NAME_MAX_BYTES, "%skernel%d_%s", space, p->number, b->name);
}

/* ---- expressions --------------------------------------------------------------------------- */

static const char *half_name(enum type t)
{
    return t == F16 ? "half" : "bfloat16";
}

static void to_half(FILE *to, enum type type, enum type from)
{
    static const char *const names[TYPES] = {"int", "short", "int", "ll", "int",   "ushort", "uint",
                                             "ull", "int",   NULL,  NULL, "float", "double"};
    if (is_half(from))
        fprintf(to, "__float2%s_rn(__%s2float", half_name(type), half_name(from));
    else
        fprintf(to, "__%s2%s%s", names[from], half_name(type), from == F64 ? "" : "_rn");
}

static void from_half(FILE *to, const struct program *p, enum type type, enum type from)
{
    static const char *const names[TYPES] = {
        [I16] = "short", [I32] = "int", [U16] = "ushort", [U32] = "uint"};
    if (names[type])
        fprintf(to, "__%s2%s_rz", half_name(from), names[type]);
    else
        fprintf(to, "(%s)__%s2float", p->language->type[type], half_name(from));
}

/* conversion - a function that does what a cast does, of numbers that are no 16-bit floats. */
static const char *conversion(enum type type, enum type from)
{
    static const char *const to_f32[TYPES] = {[I32] = "__int2float_rn",
                                              [U32] = "__uint2float_rn",
                                              [I64] = "__ll2float_rn",
                                              [U64] = "__ull2float_rn",
                                              [F64] = "__double2float_rn"};
    static const char *const to_f64[TYPES] = {[I32] = "__int2double_rn",
                                              [U32] = "__uint2double_rn",
                                              [I64] = "__ll2double_rn",
                                              [U64] = "__ull2double_rn"};
    return type == F32                  ? to_f32[from]
           : type == F64                ? to_f64[from]
           : type == I32 && from == F32 ? "__float2int_rz"
           : type == U32 && from == F32 ? "__float2uint_rz"
                                        : NULL;
}

static const char *named(const struct program *p, const struct expr *e, enum type type)
{
    static const char *const arithmetic[][4] = {
        {"__fadd_rn", "__fsub_rn", "__fmul_rn", "__fdiv_rn"},
        {"__dadd_rn", "__dsub_rn", "__dmul_rn", "__ddiv_rn"},
        {"__hadd", "__hsub", "__hmul", "__hdiv"}};
    static const char *const comparisons[] = {"__hlt", "__hle", "__hgt",
                                              "__hge", "__heq", "__hneu"};
    if (!has_style(p, BY_NAME) || !is_float(type))
        return NULL;
    if (e->kind == X_BINARY)
        return arithmetic[is_half(type) ? 2 : type == F64][e->op];
    if (e->kind == X_COMPARE)
        return is_half(type) ? comparisons[e->op] : NULL;
    if (e->kind == X_MATHS && !strcmp(cuda_language.maths[e->op], "sqrt"))
        return type == F64 ? "__dsqrt_rn" : "__fsqrt_rn";
    if (e->kind == X_MATHS && e->op == MATHS_THREE)
        return type == F64 ? "__fma_rn" : "__fmaf_rn";
    return NULL;
}

static void cast(FILE *to, const struct program *p, const struct expr *e, enum type type)
{
    const char *function = has_style(p, BY_NAME) ? conversion(type, e->type) : NULL;
    const bool is_between = is_half(type) && is_half(e->type) && type != e->type;
    if (type == e->type && is_half(type))
        ;
    else if (function)
        fputs(function, to);
    else if (is_half(type))
        to_half(to, type, e->type);
    else if (is_half(e->type))
        from_half(to, p, type, e->type);
    else
        fprintf(to, "(%s)", p->language->type[type]);
    fputc('(', to);
    kernel_expression(to, p, e);
    fputs(is_between ? "))" : ")", to);
}

static void scalar(FILE *to, const struct program *p, const struct expr *e, enum type type)
{
    fputs(type == F16 ? "__half2half2" : type == BF16 ? "__bfloat162bfloat162" : "", to);
    fputc('(', to);
    kernel_operand(to, p, e, type);
    fputc(')', to);
}

/* What together.cuh has, and *_tree of the user's operators. */
static bool has_collective(enum together op)
{
    static const bool has[TOGETHERS] = {
        [T_shuffle] = true,
        [T_shuffle_up] = true,
        [T_shuffle_down] = true,
        [T_shuffle_xor] = true,
        [T_warp_broadcast] = true,
        [T_warp_sum] = true,
        [T_warp_max] = true,
        [T_warp_min] = true,
        [T_warp_prod] = true,
        [T_warp_inclusive_sum] = true,
        [T_warp_exclusive_sum] = true,
        [T_warp_partner] = true,
        [T_ballot] = true,
        [T_warp_any] = true,
        [T_warp_all] = true,
        [T_block_sum] = true,
        [T_block_max] = true,
        [T_block_min] = true,
        [T_block_prod] = true,
        [T_block_inclusive_sum] = true,
        [T_block_exclusive_sum] = true,
        [T_block_broadcast] = true,
        [T_block_partner] = true,
        [T_block_any] = true,
        [T_block_all] = true,
        [T_block_count] = true,
    };
    return has[op];
}

static void move(FILE *to, const struct program *p, const struct expr *e)
{
    fprintf(to, "FAMILY::%s<%s>(", togethers[e->op].name, p->language->type[e->type]);
    kernel_operand(to, p, e->kid[0], e->type);
    fputs(", ", to);
    kernel_expression(to, p, e->kid[1]);
    fputc(')', to);
}

/* 16-bit floats go through float. */
static void combine(FILE *to, const struct program *p, const struct expr *e)
{
    const struct together_info *info = &togethers[e->op];
    const enum type type = is_half(e->type) ? F32 : e->type;
    const char *name = p->language->type[type];
    if (is_half(e->type)) {
        to_half(to, e->type, F32);
        fputc('(', to);
    }
    if (info->by_user)
        fprintf(to, "FAMILY::%s_tree<%s>(", info->is_block ? "block" : "warp", name);
    else
        fprintf(to, "FAMILY::%s<%s>(", info->name, name);
    together_value(to, p, e, is_half(e->type) ? F32 : e->kid[0]->type);
    if (info->by_user)
        fprintf(to, ", [](%s a, %s b) -> %s { return %s; }", name, name, name,
                user_operators[e->index].expression);
    fputs(is_half(e->type) ? "))" : ")", to);
}

static void together(FILE *to, const struct program *p, const struct expr *e)
{
    const struct together_info *info = &togethers[e->op];
    if (info->moves) {
        move(to, p, e);
    } else if (info->is_vote) {
        fprintf(to, "FAMILY::%s(", info->name);
        kernel_condition(to, p, e->kid[0]);
        fputc(')', to);
    } else {
        combine(to, p, e);
    }
}

/* ---- all of it ----------------------------------------------------------------------------- */

_Static_assert(WIDTH == 11, "the matrix of a CUDA kernel");

const struct language cuda_language = {
    .file = "random.cu",
    .is_cuda = true,
    .lacks = {.entries = true,
              .overflow = true,
              .powers = true,
              .reductions = true,
              .half_tables = true,
              .long_halves = true,
              .half_atomics = true},
    .type = {"signed char", "short", "int", "long long", "unsigned char", "unsigned short",
             "unsigned", "unsigned long long", "bool", "__half", "__nv_bfloat16", "float",
             "double"},
    .vector = {"char", "short", "int", "longlong", "uchar", "ushort", "uint", "ulonglong", "uchar",
               "__half", "__nv_bfloat16", "float", "double"},
    .place = {"THREAD", "lane_id()", "warp_id()", "(int)threadIdx.x", "(int)threadIdx.y",
              "(int)threadIdx.z", "(int)(blockIdx.x * blockDim.x + threadIdx.x)", "(int)blockIdx.x",
              "(int)blockIdx.y", "(int)blockIdx.z", "(int)blockDim.x", "(int)gridDim.x"},
    .fence = {"__threadfence_block()", "__threadfence()",
              "cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_block)",
              "cuda::atomic_thread_fence(cuda::memory_order_seq_cst)", "__threadfence_system()",
              "__nanosleep(20)"},
    .barrier = "FAMILY::barrier()",
    .warp_sync = "FAMILY::warp_sync()",
    .maths = {"sqrt", "fabs", "floor", "ceil", "trunc", "round", "rint", "logb", "fmod",
              "remainder", "fdim", "copysign", "fmin", "fmax", "fma"},
    .bits = {"popcount<@>", "clz<@>", "ctz<@>", "ffs<@>", "CLZ<@>", "CTZ<@>"},
    .whole = {"absolute<@>", "bitreverse<@>", "byte_swap<@>", "min", "max", "mulhi<@>",
              "rotate_left<@>", "clamp<@>"},
    .exponent = {[E_FRACTION] = "fraction", [E_LDEXP] = "ldexp", [E_OF] = "exponent"},
    .exponent_end = {[E_FRACTION] = ")", [E_LDEXP] = ")", [E_OF] = ")"},
    .atomic = {"FAMILY::atomic_add<@>", "FAMILY::atomic_min<@>", "FAMILY::atomic_max<@>",
               "FAMILY::atomic_and<@>", "FAMILY::atomic_or<@>", "FAMILY::atomic_xor<@>",
               "FAMILY::atomic_exchange<@>", "FAMILY::atomic_cas<@>", "FAMILY::atomic_sub<@>"},
    .cas_add = "FAMILY::cas_add<@>",
    .helper = "__device__ ",
    .table = "__constant__ const ",
    .shared = "__shared__ ",
    .launch_shared = "extern __shared__ %s s%d[];\n",
    .hidden_zero = "plain::shuffle<int>(0, lane_id())",
    .hidden = "plain::shuffle(%s, lane_id())",
    .symbol = {"__device__ ", "__constant__ "},
    .symbol_name = symbol_name,
    .matrix = "const %s %s[][11]",
    .halves_by_name = true,
    .prelude = prelude,
    .name = name,
    .head = head,
    .begin = begin,
    .end = end,
    .cast = cast,
    .named = named,
    .has_collective = has_collective,
    .together = together,
    .scalar = scalar,
};
