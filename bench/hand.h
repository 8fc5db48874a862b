/* hand.h - the kernels written by hand for one vector width, and what the machine itself can do.
 *
 * All take one struct work, so that a row of the table needs no code of its own. They store with
 * plain stores, as compiled code does; only the limit `copy_streaming` goes around the caches.
 */
#ifndef LW_BENCH_HAND_H
#define LW_BENCH_HAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The data of one run. Letters: n elements of a, or a matrix of rows x cols in C order. */
struct work {
    const float *a;
    const void *b;  /* floats, bools, bytes or uint32_t, as the row says; NULL where it has none */
    const float *x; /* a third array; NULL where the row has none */
    uint32_t *u;    /* offsets, or a counter; NULL where the row has none */
    float *out;
    size_t n, rows, cols;
};

typedef void work_fn(const struct work *work);

enum hand_op {
    HAND_NONE,
    HAND_DOT,               /* out[0] = sum a[i] b[i] */
    HAND_DOT_BOOL,          /* the same, b bools */
    HAND_DIFFERENCE,        /* out[i] = a[i+1] - a[i], n - 1 of them */
    HAND_AVERAGE,           /* out[i] = (a[i] + a[i+1] + a[i+2]) / 3, n - 2 of them */
    HAND_NORMALISE,         /* out[i] = a[i] / mean of its 128; n a multiple of 128 */
    HAND_SOFTMAX,           /* rows of cols, a multiple of 64 */
    HAND_TRANSPOSE,         /* out (cols,rows); both multiples of 16 */
    HAND_SCAN,              /* inclusive sums in blocks of 256; n a multiple of 256 */
    HAND_MATMUL,            /* out = a b, rows x rows, a multiple of 32 up to 1024 */
    HAND_MANDELBROT,        /* steps until |z| > 2, up to 256; cols a multiple of 32 */
    HAND_MANDELBROT_SCALAR, /* the same in plain C */
    HAND_NBODY,             /* out (3,cols) from a (4,cols), cols a multiple of 64 */
    HAND_STENCIL,           /* five points, the edges as they are; rows even, cols at least 18 */
    HAND_LAYERNORM,         /* rows of cols, a multiple of 64 */
    HAND_ATTENTION_ONE,     /* query and keys in a, values in b; rows a multiple of 128, cols 128 */
    HAND_BITONIC,           /* each 1024 of a in ascending order; n a multiple of 1024 */
    HAND_HISTOGRAM_SCALAR,  /* out (256) uint32_t: how often each byte is in b; plain C */
    HAND_COMPACT,           /* the elements of a above 0.5, in their order; u[0]: how many */
    HAND_CSR_SCALAR,        /* out = matrix x: values a, columns b, row offsets u; plain C */
    HAND_ATTENTION,         /* queries a, keys b, values x: matrices of rows x 64 */
    /* limits */
    HAND_READ,           /* n floats of a */
    HAND_READ_TWO,       /* n floats of a and of b */
    HAND_READ_BOOL,      /* n floats of a and n bytes of b */
    HAND_SOFTMAX_CACHED, /* the arithmetic of HAND_SOFTMAX on one row again and again */
    HAND_COPY,           /* n floats from a to out */
    HAND_COPY_HALF,      /* n floats from a, half as many to out */
    HAND_COPY_STREAMING, /* the same by non-temporal stores */
    HAND_PEAK,           /* HAND_PEAK_FLOPS multiply-adds' worth of arithmetic in registers */
    HAND_OPS
};

enum { HAND_PEAK_FLOPS = 1 << 27 };

struct hand {
    const char *level;     /* a value of LANEWISE_CPU */
    bool (*usable)(void);  /* has this processor the instructions? */
    work_fn *op[HAND_OPS]; /* all but HAND_NONE */
};

extern const struct hand hand_avx512, hand_avx2;

/* hand_find - the level of that name, or NULL. */
const struct hand *hand_find(const char *level);

/* A team runs a kernel on several threads, each with its own part of the n elements; part t stores
 * to out[t]. Its helpers sleep between runs, so that they take no processor from other variants.
 * hand_team_create   NULL where the threads cannot be made
 * hand_team_wake     outside the time: the helpers wake up and spin until the run
 * hand_team_run      b_element: bytes of an element of b
 * The helpers live as long as the process, which measures one row and ends. */
enum { HAND_THREADS_MAX = 64 };
struct hand_team *hand_team_create(int threads);
void hand_team_wake(struct hand_team *team);
void hand_team_run(struct hand_team *team, work_fn *fn, const struct work *work, size_t b_element);

#endif
