/* Every collective of `ref` on every type, over block sizes, returned lanes and lanes that are
 * elsewhere, against a second, recursive statement of KERNEL_LANGUAGE's rules. */
#include "ref_machine.h"
#include <math.h>

/* Where a thread is while the others meet. */
enum presence { HERE, RETURNED, ELSEWHERE };

static struct {
    uint32_t op, type;
    int count; /* threads of the block */
    enum presence presence[1024];
    uint64_t value[1024], identity[1024], result[1024];
    int32_t number[1024];
} io;

static void collective(struct machine *m)
{
    int i = m->t->linear;
    m->t->value = io.value[i];
    m->t->identity = io.identity[i];
    m->t->number = io.number[i];
    BEGIN(m);
    if (io.presence[i] == HERE) {
        AT(m, io.op, io.type, 0, KEY(10));
        io.result[i] = m->t->result;
    } else if (io.presence[i] == ELSEWHERE) {
        AT(m, io.op, io.type, 1, KEY(20));
    }
    END(m);
}

/* ---- the rules, once more -------------------------------------------------------------------- */

union number {
    uint64_t bits;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
};

static double max_of(double a, double b)
{
    if (a == 0 && b == 0)
        return signbit(a) ? b : a;
    return fmax(a, b);
}

static double min_of(double a, double b)
{
    return -max_of(-a, -b);
}

enum { SUM, MAX, MIN, PROD };

static uint64_t combine(int op, uint64_t left, uint64_t right)
{
    union number a = {left}, b = {right}, r = {0};
    bool first = op == SUM, last = op == PROD, max = op == MAX;
    switch (io.type) {
    case LW_I32:
    case LW_U32:
        if (first || last)
            r.u32 = first ? a.u32 + b.u32 : a.u32 * b.u32;
        else if (io.type == LW_U32)
            r.u32 = (a.u32 > b.u32) == max ? a.u32 : b.u32;
        else
            r.i32 = (a.i32 > b.i32) == max ? a.i32 : b.i32;
        break;
    case LW_I64:
    case LW_U64:
        if (first || last)
            r.u64 = first ? a.u64 + b.u64 : a.u64 * b.u64;
        else if (io.type == LW_U64)
            r.u64 = (a.u64 > b.u64) == max ? a.u64 : b.u64;
        else
            r.i64 = (a.i64 > b.i64) == max ? a.i64 : b.i64;
        break;
    case LW_F32:
        if (first || last)
            r.f32 = first ? a.f32 + b.f32 : a.f32 * b.f32;
        else
            r.f32 = (float)(max ? max_of(a.f32, b.f32) : min_of(a.f32, b.f32));
        break;
    default:
        if (first || last)
            r.f64 = first ? a.f64 + b.f64 : a.f64 * b.f64;
        else
            r.f64 = max ? max_of(a.f64, b.f64) : min_of(a.f64, b.f64);
    }
    return r.bits;
}

static bool is_here(int64_t i)
{
    return i >= 0 && i < io.count && io.presence[i] == HERE;
}

/* fold - the tree over the size (a power of two) places from first on; false: none is there. */
static bool fold(int op, int first, int size, uint64_t *result)
{
    if (size == 1) {
        if (is_here(first))
            *result = io.value[first];
        return is_here(first);
    }
    uint64_t left;
    bool has_left = fold(op, first, size / 2, &left);
    uint64_t right;
    bool has_right = fold(op, first + size / 2, size / 2, &right);
    if (has_left && has_right)
        *result = combine(op, left, right);
    else if (has_left || has_right)
        *result = has_left ? left : right;
    return has_left || has_right;
}

/* stage - x[i] after so many steps of Kogge-Stone. */
static uint64_t stage(const uint64_t *x, int i, int steps)
{
    if (steps == 0)
        return x[i];
    int distance = 1 << (steps - 1);
    uint64_t own = stage(x, i, steps - 1);
    return i < distance ? own : combine(SUM, stage(x, i - distance, steps - 1), own);
}

static uint64_t warp_inclusive(int i)
{
    uint64_t x[32];
    int k = 0;
    for (int j = i / 32 * 32; j <= i; j++)
        if (is_here(j))
            x[k++] = io.value[j];
    return stage(x, k - 1, 5);
}

static int last_here(int first, int end)
{
    for (int i = end - 1; i >= first; i--)
        if (is_here(i))
            return i;
    return -1;
}

static uint64_t block_inclusive(int i)
{
    uint64_t totals[32];
    int warps = 0;
    for (int w = 0; w < i / 32; w++) {
        int last = last_here(32 * w, 32 * w + 32);
        if (last >= 0)
            totals[warps++] = warp_inclusive(last);
    }
    return warps == 0 ? warp_inclusive(i)
                      : combine(SUM, stage(totals, warps - 1, 5), warp_inclusive(i));
}

static uint64_t count_true(int first, int end)
{
    uint64_t count = 0;
    for (int i = first; i < end; i++)
        count += is_here(i) && io.value[i];
    return count;
}

static uint64_t count_here(int first, int end)
{
    uint64_t count = 0;
    for (int i = first; i < end; i++)
        count += is_here(i);
    return count;
}

static uint64_t votes(int first)
{
    uint64_t bits = 0;
    for (int i = first; i < first + 32; i++)
        if (is_here(i) && io.value[i])
            bits |= UINT64_C(1) << (i - first);
    return bits;
}

static uint64_t from(int i, int first, int end, int64_t source)
{
    return source >= 0 && source < end - first && is_here(first + source) ? io.value[first + source]
                                                                          : io.value[i];
}

static uint64_t partner_of(int i, int first, int end, int distance)
{
    int group = ((i - first) / distance) ^ 1;
    for (int j = first + group * distance; j < first + (group + 1) * distance && j < end; j++)
        if (is_here(j))
            return io.value[j];
    return io.identity[i];
}

static uint64_t reduced(int op, int first, int size)
{
    uint64_t result = 0;
    fold(op, first, size, &result);
    return result;
}

static uint64_t expected(int i)
{
    int first = i / 32 * 32, end = first + 32, all = 1024;
    int64_t lane = i - first, number = io.number[i];
    switch (io.op) {
    case LW_OP_shuffle:
    case LW_OP_warp_broadcast: return from(i, first, end, number);
    case LW_OP_shuffle_up: return from(i, first, end, lane - number);
    case LW_OP_shuffle_down: return from(i, first, end, lane + number);
    case LW_OP_shuffle_xor: return from(i, first, end, lane ^ number);
    case LW_OP_block_broadcast: return from(i, 0, io.count, number);
    case LW_OP_warp_sum: return reduced(SUM, first, 32);
    case LW_OP_warp_max: return reduced(MAX, first, 32);
    case LW_OP_warp_min: return reduced(MIN, first, 32);
    case LW_OP_warp_prod: return reduced(PROD, first, 32);
    case LW_OP_block_sum: return reduced(SUM, 0, all);
    case LW_OP_block_max: return reduced(MAX, 0, all);
    case LW_OP_block_min: return reduced(MIN, 0, all);
    case LW_OP_block_prod: return reduced(PROD, 0, all);
    case LW_OP_warp_inclusive_sum: return warp_inclusive(i);
    case LW_OP_block_inclusive_sum: return block_inclusive(i);
    case LW_OP_warp_exclusive_sum:
        return last_here(first, i) < 0 ? 0 : warp_inclusive(last_here(first, i));
    case LW_OP_block_exclusive_sum:
        return last_here(0, i) < 0 ? 0 : block_inclusive(last_here(0, i));
    case LW_OP_warp_partner: return partner_of(i, first, end, io.number[i]);
    case LW_OP_block_partner: return partner_of(i, 0, io.count, io.number[i]);
    case LW_OP_ballot: return votes(first);
    case LW_OP_warp_any: return count_true(first, end) > 0;
    case LW_OP_warp_all: return count_true(first, end) == count_here(first, end);
    case LW_OP_block_any: return count_true(0, all) > 0;
    case LW_OP_block_all: return count_true(0, all) == count_here(0, all);
    case LW_OP_block_count: return count_true(0, all);
    default: return 0;
    }
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static uint64_t state = 1;

static uint64_t random_bits(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 32 ^ state << 31;
}

static uint64_t random_value(void)
{
    union number r = {0};
    static const double special[] = {0.0, -0.0, NAN, INFINITY, 1e-40, -1e-310, 3e38, 1e300};
    double real = (double)(int64_t)random_bits() / (double)(1u << random_bits() % 31);
    if (random_bits() % 16 == 0)
        real = special[random_bits() % 8];
    switch (io.type) {
    case LW_F32: r.f32 = (float)(real * 1e-10); break;
    case LW_F64: r.f64 = real; break;
    case LW_I32:
    case LW_U32: r.u32 = (uint32_t)random_bits(); break;
    default: r.u64 = random_bits();
    }
    return r.bits;
}

static bool is_same(uint64_t a, uint64_t b)
{
    union number x = {a}, y = {b};
    if (a == b)
        return true;
    if (io.type == LW_F32)
        return isnan(x.f32) && isnan(y.f32) && a >> 32 == 0 && b >> 32 == 0;
    return io.type == LW_F64 && isnan(x.f64) && isnan(y.f64);
}

static bool is_partner(uint32_t op)
{
    return op == LW_OP_warp_partner || op == LW_OP_block_partner;
}

static void fill_operands(int round)
{
    static const int32_t far[] = {0, 1, -1, 31, 32, -32, 33, INT32_MAX, INT32_MIN, 1023, 1024, 7};
    bool block = lw__ref_is_block_op(io.op);
    int32_t distance = 1 << random_bits() % (block ? 10 : 5);
    for (int i = 0; i < io.count; i++) {
        io.value[i] = random_value();
        if (io.type == 0) /* votes: mixed, nearly all true, all true, all false */
            io.value[i] = round == 0   ? random_bits() % 2
                          : round == 1 ? random_bits() % 100 > 0
                                       : round == 2;
        io.identity[i] = random_value();
        io.number[i] = is_partner(io.op)        ? distance
                       : random_bits() % 2 == 0 ? far[random_bits() % 12]
                                                : (int32_t)(random_bits() % (block ? 1024 : 32));
        io.result[i] = 0xdead;
    }
}

/* fill_presence - all, every third returned, many elsewhere, few there, whole warps returned. */
static void fill_presence(int round)
{
    bool block = lw__ref_is_block_op(io.op);
    for (int i = 0; i < io.count; i++) {
        bool absent = round == 1   ? i % 3 == 1
                      : round == 2 ? random_bits() % 2
                      : round == 3 ? random_bits() % 16 > 0
                                   : round == 4 && i / 32 % 2 == 0;
        bool elsewhere = !block && random_bits() % 2;
        io.presence[i] = !absent ? HERE : elsewhere ? ELSEWHERE : RETURNED;
    }
}

static void run_and_compare(const char *name, int round)
{
    if (run_1d(1, (uint32_t)io.count, collective, NULL) != LW_OK) {
        fprintf(stderr, "%s: %s\n", name, lw_last_error());
        failures++;
        return;
    }
    int step = io.count > 256 ? 13 : 1; /* the second statement is slow; 13 meets every lane */
    for (int i = 0; i < io.count; i += step)
        if (is_here(i) && !is_same(io.result[i], expected(i))) {
            fprintf(stderr, "%s type %u count %d round %d place %d: %" PRIx64 ", not %" PRIx64 "\n",
                    name, io.type, io.count, round, i, io.result[i], expected(i));
            failures++;
            return;
        }
}

static void test_operation(const char *name, uint32_t op, const uint32_t *types, int type_count)
{
    static const int counts[] = {1, 31, 32, 33, 64, 100, 256, 1000, 1024};
    for (int k = 0; k < type_count; k++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
            for (int round = 0; round < 5; round++) {
                io.op = op;
                io.type = types[k];
                io.count = counts[c];
                fill_operands(round);
                fill_presence(round);
                run_and_compare(name, round);
            }
}

static void test_table(void)
{
    static const uint32_t NONE[] = {0}, ANY[] = {LW_U64, LW_F16}, /* bits only */
        SUMS[] = {LW_I32, LW_U32, LW_I64, LW_U64, LW_F32, LW_F64};
#define LW_OP(name, scope, types, arguments, result, ...)                                          \
    test_operation(#name, LW_OP_##name, types, (int)(sizeof types / sizeof types[0]));
#include "lanewise/warp_ops.def"
#undef LW_OP
}

/* ---- values written down --------------------------------------------------------------------- */

static uint64_t first_result(uint32_t op, uint32_t type, const double *values, int count)
{
    io.op = op;
    io.type = type;
    io.count = count;
    for (int i = 0; i < count; i++) {
        union number n = {0};
        if (type == LW_F32)
            n.f32 = (float)values[i];
        else
            n.i32 = (int32_t)values[i];
        io.value[i] = n.bits;
        io.presence[i] = HERE;
    }
    CHECK(run_1d(1, (uint32_t)count, collective, NULL) == LW_OK);
    return io.result[count - 1];
}

static void test_literals(void)
{
    static const double zeros[] = {0.0, -0.0}, nans[] = {NAN, 2, NAN, 1}, only_nan[] = {NAN, NAN},
                        ends[] = {INT32_MAX, 1}, order[] = {1e8, 1, -1e8, 1};
    CHECK(first_result(LW_OP_warp_max, LW_F32, zeros, 2) == 0);
    CHECK(first_result(LW_OP_warp_min, LW_F32, zeros, 2) == 0x80000000u);
    CHECK(first_result(LW_OP_block_max, LW_F32, nans, 4) == 0x40000000u);
    CHECK(first_result(LW_OP_block_min, LW_F32, nans, 4) == 0x3f800000u);
    CHECK(isnan((union number){first_result(LW_OP_warp_max, LW_F32, only_nan, 2)}.f32));
    CHECK(first_result(LW_OP_warp_sum, LW_I32, ends, 2) == 0x80000000u);
    /* (1e8 + 1) + (-1e8 + 1): both sums round to +-1e8; from left to right it would be 1 */
    CHECK(first_result(LW_OP_block_sum, LW_F32, order, 4) == 0);
}

static void test_refused(void)
{
    io.count = 4;
    memset(io.presence, 0, sizeof io.presence);
    io.op = LW_OP_warp_sum;
    io.type = LW_F16;
    CHECK(run_1d(1, 4, collective, NULL) == LW_E_INTERNAL);
    io.op = LW_OP_COUNT;
    CHECK(run_1d(1, 4, collective, NULL) == LW_E_INTERNAL);
    io.op = UINT32_MAX;
    CHECK(run_1d(1, 4, collective, NULL) == LW_E_INTERNAL);
}

int main(void)
{
    test_table();
    test_literals();
    test_refused();
    return failures != 0;
}
