/* language_c.c - the kernel language as a language of trees: names, and what is done together. */
#include "kernel.h"
#include <string.h>

/* What kernels use of their own making. */
static const struct {
    const char *name, *text;
} prelude[] = {
    {"THREAD", "#define THREAD (warp_id() * WARP_SIZE + lane_id())\n"},
    {"FROM_ACTIVE",
     "/* what was moved, but our own where its source was absent */\n"
     "#define FROM_ACTIVE(moved, source, own)                                             \\\n"
     "    __extension__({                                                                 \\\n"
     "        __typeof__(moved) moved_ = (moved);                                         \\\n"
     "        uint32_t who_ = ballot(true);                                               \\\n"
     "        int64_t from_ = (source);                                                   \\\n"
     "        moved_ = from_ >= 0 && from_ < 32 && (who_ >> from_ & 1) ? moved_ : (own);  \\\n"
     "        moved_; /* a condition's value is an int where this is a short */           \\\n"
     "    })\n"},
    {"UNLESS_OVER",
     "/* a sum, difference or product; the opposite of its low bits where they are not all */\n"
     "#define UNLESS_OVER(op, T, a, b)                                                    \\\n"
     "    __extension__({                                                                 \\\n"
     "        T result_;                                                                  \\\n"
     "        bool is_over_ = __builtin_##op##_overflow(a, b, &result_);                  \\\n"
     "        is_over_ ? (T)~result_ : result_;                                           \\\n"
     "    })\n"},
    {"CAS_ADD",
     "/* atomic_add by atomic_cas */\n"
     "#define CAS_ADD(p, v)                                                               \\\n"
     "    do {                                                                            \\\n"
     "        __typeof__(*(p)) add_ = (v), old_ = atomic_load(p), now_;                   \\\n"
     "        while ((now_ = atomic_cas(p, old_, old_ + (uint64_t)add_)) != old_)         \\\n"
     "            old_ = now_;                                                            \\\n"
     "    } while (0)\n"},
    {"WARP_EXCHANGE",
     "/* what that lane has written, where it is there; else what we have */\n"
     "#define WARP_EXCHANGE(to, cells, value, lane)                                       \\\n"
     "    do {                                                                            \\\n"
     "        const int lane_ = (int)(lane) & 31;                                         \\\n"
     "        cells[THREAD] = (value);                                                    \\\n"
     "        const uint32_t who_ = ballot(true);                                         \\\n"
     "        warp_sync();                                                                \\\n"
     "        to = cells[THREAD - lane_id() + (who_ >> lane_ & 1 ? lane_ : lane_id())];   \\\n"
     "        warp_sync();                                                                \\\n"
     "    } while (0)\n"},
    {"CLZ", "/* without a value for 0, which is the language's then */\n"
            "#define CLZ(x) __builtin_clzg(LW__UNSIGNED(x))\n"},
    {"CTZ", "#define CTZ(x) __builtin_ctzg(LW__UNSIGNED(x))\n"},
    {"IN_TURN",
     "/* what the warps before have left in chain; first lanes wait for them, or all do */\n"
     "#define IN_TURN(to, value, by_all)                                                  \\\n"
     "    do {                                                                            \\\n"
     "        const uint32_t value_ = (value), who_ = ballot(true);                       \\\n"
     "        const bool first_ = (who_ & ((1u << lane_id()) - 1)) == 0;                  \\\n"
     "        int turn_ = block_exclusive_sum((int)first_);                               \\\n"
     "        turn_ = turn + warp_broadcast(turn_, ctz(who_));                            \\\n"
     "        uint32_t left_ = 0;                                                         \\\n"
     "        barrier();                                                                  \\\n"
     "        if (by_all || first_)                                                       \\\n"
     "            while (atomic_load(&turn) != turn_) {                                   \\\n"
     "            }                                                                       \\\n"
     "        warp_sync();                                                                \\\n"
     "        if (first_) {                                                               \\\n"
     "            fence_block();                                                          \\\n"
     "            left_ = chain;                                                          \\\n"
     "            chain = left_ * 5 + value_;                                             \\\n"
     "            fence_block();                                                          \\\n"
     "            atomic_store(&turn, turn_ + 1);                                         \\\n"
     "        }                                                                           \\\n"
     "        to = warp_broadcast(left_, ctz(who_));                                      \\\n"
     "    } while (0)\n"},
};

static void write_prelude(FILE *to, const char *kernels)
{
    fputs("#include <lanewise/kernel.h>\n", to);
    for (size_t i = 0; i < sizeof prelude / sizeof *prelude; i++)
        if (!kernels || strstr(kernels, prelude[i].name))
            fprintf(to, "\n%s", prelude[i].text);
}

static void name(const struct program *p, char text[NAME_MAX_BYTES])
{
    snprintf(text, NAME_MAX_BYTES, "kernel%d", p->number);
}

static void head(struct kernel_writer *w)
{
    const struct program *p = w->p;
    fputs("\nKERNEL ", w->to);
    if (p->fixed_block)
        fprintf(w->to, "BLOCK(%d, %d, %d) ", p->block[0], p->block[1], p->block[2]);
    fprintf(w->to, "void kernel%d(", p->number);
}

/* ---- expressions --------------------------------------------------------------------------- */

static void parenthesised(FILE *to, const struct program *p, const struct expr *e)
{
    fputc('(', to);
    kernel_expression(to, p, e);
    fputc(')', to);
}

static void cast(FILE *to, const struct program *p, const struct expr *e, enum type type)
{
    fprintf(to, "(%s)", p->language->type[type]);
    parenthesised(to, p, e);
}

static void scalar(FILE *to, const struct program *p, const struct expr *e, enum type type)
{
    (void)type; /* C converts to the elements' */
    parenthesised(to, p, e);
}

/* A sum of signed numbers takes a thousand without overflow, a product only signs. */
void together_value(FILE *to, const struct program *p, const struct expr *e, enum type type)
{
    const struct together_info *info = &togethers[e->op];
    fputc('(', to);
    kernel_operand(to, p, e->kid[0], type);
    fputc(')', to);
    const char *name = p->language->type[e->type];
    if (is_signed(e->type) && info->by == BY_PROD)
        fprintf(to, " & 1 ? (%s)-1 : (%s)1", name, name);
    else if (is_signed(e->type) && info->by == BY_SUM && types[e->kid[0]->type].bits >= 32)
        fputs(" >> 10", to);
}

static void reduce_by_user(FILE *to, const struct program *p, const struct expr *e)
{
    const struct user_operator *o = &user_operators[e->index];
    fputs(togethers[e->op].is_block ? "BLOCK_REDUCE(" : "WARP_REDUCE(", to);
    kernel_expression(to, p, e->kid[0]);
    fprintf(to, ", %s, a, b, %s)", o->identity, o->expression);
}

static void together(FILE *to, const struct program *p, const struct expr *e)
{
    const struct together_info *info = &togethers[e->op];
    if (info->by_user) {
        reduce_by_user(to, p, e);
        return;
    }
    bool is_safe = info->moves && e->safe;
    fprintf(to, "%s%s(", is_safe ? "FROM_ACTIVE(" : "", info->name);
    together_value(to, p, e, e->kid[0]->type);
    if (info->moves) {
        fputs(", ", to);
        kernel_expression(to, p, e->kid[1]);
    }
    fputc(')', to);
    if (!is_safe)
        return;
    static const char *const source[] = {[T_shuffle] = "",
                                         [T_shuffle_up] = "lane_id() - ",
                                         [T_shuffle_down] = "lane_id() + ",
                                         [T_shuffle_xor] = "lane_id() ^ ",
                                         [T_warp_broadcast] = ""};
    fprintf(to, ", %s(int64_t)", source[e->op]);
    parenthesised(to, p, e->kid[1]);
    fputs(", ", to);
    parenthesised(to, p, e->kid[0]);
    fputc(')', to);
}

/* ---- all of it ----------------------------------------------------------------------------- */

const struct language kernel_language = {
    .file = "random.c",
    .type = {"int8_t", "int16_t", "int", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
             "bool", "_Float16", "__bf16", "float", "double"},
    .vector = {"schar", "short", "int", "long", "uchar", "ushort", "uint", "ulong", "uchar", "half",
               "bfloat", "float", "double"},
    .place = {"THREAD", "lane_id()", "warp_id()", "thread_idx.x", "thread_idx.y", "thread_idx.z",
              "(int)global_idx.x", "block_idx.x", "block_idx.y", "block_idx.z", "block_dim.x",
              "grid_dim.x"},
    .fence = {"fence_block()", "fence_device()", "__atomic_thread_fence(__ATOMIC_ACQUIRE)",
              "__atomic_thread_fence(__ATOMIC_SEQ_CST)", "__atomic_signal_fence(__ATOMIC_ACQ_REL)",
              "__builtin_prefetch((void *)(size_t)THREAD)"},
    .barrier = "barrier()",
    .warp_sync = "warp_sync()",
    .maths = {"sqrt", "fabs", "floor", "ceil", "trunc", "round", "rint", "logb", "fmod",
              "remainder", "fdim", "copysign", "fmin", "fmax", "fma"},
    .bits = {"popcount", "clz", "ctz", "ffs", "CLZ", "CTZ"},
    .whole = {"abs", "bitreverse", "byte_swap", "min", "max", "mulhi", "rotate_left", "clamp"},
    .exponent = {[E_FRACTION] = "__extension__({ int n_; __builtin_frexp",
                 [E_LDEXP] = "(__builtin_ldexp",
                 [E_POWI] = "(__builtin_powi",
                 [E_OF] = "__extension__({ int n_; (void)__builtin_frexp"},
    .exponent_end = {[E_FRACTION] = ", &n_); })",
                     [E_LDEXP] = "))",
                     [E_POWI] = " & 31) - 15))",
                     [E_OF] = ", &n_); n_; })"},
    .atomic = {"atomic_add", "atomic_min", "atomic_max", "atomic_and", "atomic_or", "atomic_xor",
               "atomic_exchange", "atomic_cas", "atomic_sub"},
    .cas_add = "CAS_ADD",
    .helper = "static ",
    .table = "static const ",
    .shared = "SHARED ",
    .launch_shared = "DYNAMIC_SHARED(%s, s%d);\n",
    .hidden_zero = "shuffle(0, lane_id())",
    .hidden = "shuffle(%s, lane_id())",
    .matrix = "const %s %s[height][width]",
    .has_literals = true,
    .has_plain_volatile = true,
    .prelude = write_prelude,
    .name = name,
    .head = head,
    .cast = cast,
    .together = together,
    .scalar = scalar,
};
