/* LW_SUM_EXACT: sum, dot and mean of hard cases, against exact integers: cancellation, subnormals,
 * ties and what is a little off a tie, all exponents, overflow on the way and in the end,
 * infinities, NaN; for each dtype and each pair of them, rounded to each floating type.
 * Arguments: the device, and "small" where it is slow.
 */
#include "ops_values.h"

/* ---- exact numbers ---- */

/* A whole number of 2^LOWEST: limbs of 32 bits, kept in 64, the highest has the sign. */
enum { LIMBS = 140, LOWEST = -2160 };

struct exact {
    int64_t limb[LIMBS];
    bool is_nan, plus, minus; /* terms that are no numbers */
};

/* Adds m 2^exponent, half by half. */
static void add_shifted(struct exact *e, uint64_t m, int exponent, bool minus)
{
    for (int place = exponent - LOWEST; m; m >>= 32, place += 32) {
        const uint64_t part = (m & 0xffffffff) << place % 32;
        const int64_t low = part & 0xffffffff, high = (int64_t)(part >> 32);
        e->limb[place / 32] += minus ? -low : low;
        e->limb[place / 32 + 1] += minus ? -high : high;
    }
}

/* |v| = m 2^exponent */
static uint64_t whole_of(double v, int *exponent)
{
    const double f = frexp(fabs(v), exponent);

    *exponent -= 53;
    return (uint64_t)ldexp(f, 53);
}

/* Adds a b, in four pieces of 27 bits times 27. */
static void add_product(struct exact *e, double a, double b)
{
    const bool minus = !signbit(a) != !signbit(b);

    if (!isfinite(a) || !isfinite(b)) {
        const double v = a * b;
        e->is_nan |= isnan(v);
        e->plus |= v > 0;
        e->minus |= v < 0;
        return;
    }
    if (a == 0 || b == 0)
        return;
    int of_a, of_b;
    uint64_t m = whole_of(a, &of_a), n = whole_of(b, &of_b);
    while (!(m & 1)) /* so that no bit is below the lowest */
        m >>= 1, of_a++;
    while (!(n & 1))
        n >>= 1, of_b++;
    for (int i = 0; i < 54; i += 27)
        for (int j = 0; j < 54; j += 27) {
            const uint64_t part = (m >> i & 0x7ffffff) * (n >> j & 0x7ffffff);
            if (part)
                add_shifted(e, part, of_a + of_b + i + j, minus);
        }
}

static void carry(struct exact *e)
{
    for (int k = 0; k < LIMBS - 1; k++) {
        const int64_t low = e->limb[k] & 0xffffffff;
        e->limb[k + 1] += (e->limb[k] - low) / ((int64_t)1 << 32);
        e->limb[k] = low;
    }
}

static bool bit_of(const struct exact *e, int i)
{
    return i >= 0 && (e->limb[i / 32] >> i % 32 & 1);
}

/* The number, rounded to nearest, ties to even; a zero is +0. */
static double round_exact(struct exact e, lw_dtype t)
{
    const int precision = t == LW_F16 ? 11 : t == LW_BF16 ? 8 : t == LW_F32 ? 24 : 53;
    const int lowest = t == LW_F16 ? -24 : t == LW_BF16 ? -133 : t == LW_F32 ? -149 : -1074;
    const int highest = t == LW_F16 ? 16 : t == LW_F64 ? 1024 : 128;
    int top = 32 * LIMBS - 1, last;
    uint64_t kept = 0;
    bool rest = false, minus;

    if (e.is_nan || (e.plus && e.minus))
        return (double)NAN;
    if (e.plus || e.minus)
        return e.plus ? (double)INFINITY : (double)-INFINITY;
    carry(&e);
    minus = e.limb[LIMBS - 1] < 0;
    if (minus) {
        for (int k = 0; k < LIMBS; k++)
            e.limb[k] = -e.limb[k];
        carry(&e);
    }
    while (top >= 0 && !bit_of(&e, top))
        top--;
    last = top - precision + 1 > lowest - LOWEST ? top - precision + 1 : lowest - LOWEST;
    for (int i = top; i >= last; i--)
        kept = kept * 2 + bit_of(&e, i);
    for (int i = 0; i < last - 1; i++)
        rest |= bit_of(&e, i);
    if (bit_of(&e, last - 1) && (rest || (kept & 1)))
        kept++;
    if (!kept)
        return 0;
    if (ilogb((double)kept) + last + LOWEST >= highest)
        return minus ? (double)-INFINITY : (double)INFINITY;
    return ldexp(minus ? -(double)kept : (double)kept, last + LOWEST);
}

/* ---- one case ---- */

static void compare(const char *name, const struct array *x, const struct array *y,
                    const struct array *out, double need, const char *what)
{
    const double got = as_real(out->memory, out->dtype, 0);

    if (isnan(need) ? isnan(got) : need == got && !signbit(need) == !signbit(got))
        return;
    failures++;
    printf("%s of %s and %s, %zu elements, to %s, %s: %a, need %a\n", name, lw_dtype_name(x->dtype),
           lw_dtype_name(y->dtype), x->count, lw_dtype_name(out->dtype), what, got, need);
}

static struct exact exact_of(const struct array *x, const struct array *y)
{
    struct exact e = {0};

    for (size_t i = 0; i < x->count; i++)
        add_product(&e, as_real(x->memory, x->dtype, i), y ? as_real(y->memory, y->dtype, i) : 1);
    return e;
}

static void try_dot(const struct array *x, const struct array *y, const char *what)
{
    const lw_dot_options options = {.sum = LW_SUM_EXACT};
    const struct exact e = exact_of(x, y);

    for (int t = LW_F16; t <= LW_F64; t++) {
        struct array out = new_array((lw_dtype)t, 0, NULL);
        WORKS(lw_dot(stream, out.t, x->t, y->t, &options));
        receive(&out);
        compare("dot", x, y, &out, round_exact(e, out.dtype), what);
        drop(&out);
    }
}

static void try_sum(const struct array *x, const char *what)
{
    const lw_reduce_options options = {.sum = LW_SUM_EXACT};
    const struct exact e = exact_of(x, NULL);
    const double n = (double)x->count;

    for (int t = LW_F16; t <= LW_F64; t++) {
        const lw_dtype type = x->dtype == LW_F64 || t == LW_F64 ? LW_F64 : LW_F32;
        const double sum = round_exact(e, type);
        struct array out = new_array((lw_dtype)t, 0, NULL);
        WORKS(lw_sum(stream, out.t, x->t, &options));
        receive(&out);
        compare("sum", x, x, &out, round_exact(e, out.dtype), what);
        WORKS(lw_mean(stream, out.t, x->t, &options));
        receive(&out);
        if (x->count)
            compare("mean", x, x, &out,
                    rounded(type == LW_F32 ? (double)((float)sum / (float)n) : sum / n, out.dtype),
                    what);
        drop(&out);
    }
}

/* ---- hard cases ---- */

static const char *const cases[] = {"random",
                                    "ones",
                                    "cancels",
                                    "cancels, out of order",
                                    "all exponents",
                                    "cancels, a tiny rest",
                                    "subnormal",
                                    "few subnormals",
                                    "overflows on the way",
                                    "a tie",
                                    "above a tie",
                                    "below a tie",
                                    "overflows",
                                    "+-huge",
                                    "inf",
                                    "-inf",
                                    "inf - inf",
                                    "NaN",
                                    "zeros",
                                    "half the range"};
enum { CASES = sizeof cases / sizeof *cases };

struct range {
    int precision, lowest, highest;
};
static struct range range_of(lw_dtype t)
{
    return t == LW_F16    ? (struct range){11, -24, 15}
           : t == LW_BF16 ? (struct range){8, -133, 127}
           : t == LW_F32  ? (struct range){24, -149, 127}
                          : (struct range){53, -1074, 1023};
}

static double between(int low, int high)
{
    return ldexp(random_real(), low + (int)random_below((size_t)(high - low)));
}

/* A second half that is the first one's opposite, then all but the first elements in disorder. */
static void cancel(double *v, size_t n, bool mix)
{
    for (size_t i = 0; i < n / 2; i++)
        v[n / 2 + i] = -v[i];
    if (n % 2)
        v[n - 1] = 0;
    for (size_t i = n; mix && i > 1; i--) {
        const size_t j = random_below(i);
        const double kept = v[i - 1];
        v[i - 1] = v[j];
        v[j] = kept;
    }
}

static double plain_element(int number, struct range r)
{
    switch (number) {
    case 1: return 1;
    case 4:
    case 5: return between(r.lowest, r.highest);
    case 6: return ldexp(1, r.lowest);
    case 7: return ldexp((double)random_below(19) - 9, r.lowest);
    case 12: return ldexp(1.5, r.highest);
    case 13: return random_bits() & 1 ? ldexp(1, r.highest) : -ldexp(1, r.highest);
    case 19: return between(r.lowest / 2, r.highest / 2);
    case 8:
    case 9:
    case 10:
    case 11:
    case 18: return 0;
    default: return random_real();
    }
}

/* What makes the case hard, at places anywhere. */
static void place_hard(int number, struct range r, double *v, size_t n)
{
    const size_t a = random_below(n - 3), b = a + 1 + random_below(n - a - 2), c = b + 1;

    if (number == 2 || number == 3 || number == 5)
        cancel(v, n, number != 2);
    if (number == 5)
        v[a] = ldexp(1, r.lowest);
    if (number == 8) {
        v[a] = v[b] = ldexp(1, r.highest);
        v[c] = -v[a];
        v[a ? 0 : n - 1] = a || c < n - 1 ? ldexp(1, -5) : v[a ? 0 : n - 1];
    }
    if (number >= 9 && number <= 11) {
        const int far = r.lowest > -r.precision - 30 ? r.lowest : -r.precision - 30;
        v[a] = 1;
        v[b] = ldexp(1, -r.precision);
        v[c] = number == 9 ? 0 : ldexp(number == 10 ? 1 : -1, far);
    }
    if (number == 14 || number == 16)
        v[a] = INFINITY;
    if (number == 15 || number == 16)
        v[b] = -INFINITY;
    if (number == 17)
        v[c] = NAN;
}

static struct array make_case(int number, lw_dtype t, size_t n)
{
    const ptrdiff_t extent = (ptrdiff_t)n;
    const struct range r = range_of(t);
    struct array a = new_array(t, 1, &extent);
    double *v = calloc(n + 1, sizeof *v);

    for (size_t i = 0; i < n; i++)
        v[i] = plain_element(number, r);
    if (n > 4)
        place_hard(number, r, v, n);
    for (size_t i = 0; i < n; i++)
        put_real(a.memory, t, i, v[i]);
    send(&a);
    free(v);
    return a;
}

static void try_size(size_t n)
{
    for (int number = 0; number < CASES; number++)
        for (int a = LW_F16; a <= LW_F64; a++) {
            struct array x = make_case(number, (lw_dtype)a, n);
            try_sum(&x, cases[number]);
            for (int b = LW_F16; b <= LW_F64; b++) {
                struct array y = make_case(random_below(2) ? number : 0, (lw_dtype)b, n);
                try_dot(&x, &y, cases[number]);
                drop(&y);
            }
            drop(&x);
        }
}

/* Products of which each has its opposite, but one: the fast sum has no right bit. */
static void try_products(lw_dtype t, size_t n)
{
    const ptrdiff_t extent = (ptrdiff_t)n;
    struct array x = new_array(t, 1, &extent), y = new_array(t, 1, &extent);

    for (size_t i = 0; i + 1 < n; i += 2) {
        const double a = between(-8, 8), b = random_real();
        put_real(x.memory, t, i, a);
        put_real(x.memory, t, n - 2 - i, a);
        put_real(y.memory, t, i, b);
        put_real(y.memory, t, n - 2 - i, -b);
    }
    put_real(x.memory, t, n - 1, 0x1p-10);
    put_real(y.memory, t, n - 1, 0x1p-14);
    send(&x);
    send(&y);
    try_dot(&x, &y, "products that cancel");
    drop(&x);
    drop(&y);
}

/* Rows, columns, and pairs with integers. */
static void try_rows(lw_dtype t, int axis)
{
    const ptrdiff_t extents[] = {axis ? 7 : 1100, axis ? 1100 : 7}, rows = 7;
    const lw_reduce_options options = {.axis = LW_AXIS(axis), .sum = LW_SUM_EXACT};
    struct array x = new_array(t, 2, extents), out = new_array(t, 1, &rows);

    for (size_t i = 0; i < x.count; i++)
        put_real(x.memory, t, i, i % 5 ? between(-10, 5) : 1e4);
    send(&x);
    WORKS(lw_sum(stream, out.t, x.t, &options));
    receive(&out);
    for (size_t row = 0; row < 7; row++) {
        struct exact e = {0};
        for (size_t i = 0; i < 1100; i++)
            add_product(&e, as_real(x.memory, t, axis ? row * 1100 + i : i * 7 + row), 1);
        if (as_real(out.memory, t, row) != round_exact(e, t)) {
            failures++;
            printf("row %zu of axis %d, %s: %a, need %a\n", row, axis, lw_dtype_name(t),
                   as_real(out.memory, t, row), round_exact(e, t));
        }
    }
    drop(&x);
    drop(&out);
}

static void try_mixed(void)
{
    const ptrdiff_t extent = 3000;

    for (int a = LW_F16; a <= LW_F64; a++)
        for (int b = LW_I8; b <= LW_BOOL; b++) {
            struct array x = make_case(0, (lw_dtype)a, (size_t)extent);
            struct array y = random_array((lw_dtype)b, 1, &extent);
            try_dot(&x, &y, "with integers");
            try_dot(&y, &x, "with integers");
            drop(&x);
            drop(&y);
        }
}

int main(int count, char **arguments)
{
    static const size_t sizes[] = {0, 1, 2, 3, 31, 33, 64, 65, 1000, 1025, 5000, 70000};
    const bool small = count > 2;

    if (!open_device(count, arguments))
        return 77;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes - (small ? 3 : 0); i++)
        try_size(sizes[i]);
    for (int t = LW_F16; t <= LW_F64; t++) {
        try_products((lw_dtype)t, 1001);
        try_rows((lw_dtype)t, 0);
        try_rows((lw_dtype)t, 1);
    }
    try_products(LW_F32, small ? 3001 : 300001);
    try_mixed();
    return done();
}
