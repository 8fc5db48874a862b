/* devlib_maths_long.h - the parts of the long test: devlib_maths_long.c says what it does.
 *
 *     long    the tests, the threads that share their jobs, the report
 *     unary   functions of one argument: all floats, doubles by octaves
 *     pair    pow, atan2, hypot, those of two arguments that are exact, fma
 *     judge   MPFR
 */
#ifndef DEVLIB_MATHS_LONG_H
#define DEVLIB_MATHS_LONG_H

#include "devlib_maths.h"
#include "devlib_ulp.h"
#include <mpfr.h>

/* What a judge in the next wider type cannot tell: nearer than this to the bound or to the worst
 * error so far, MPFR decides. One result in many is given to MPFR anyway, to see that the wider
 * type is right to within this. */
#define MARGIN_F32 0x1p-20
#define MARGIN_F64 0x1p-6
#define BELOW_INTEREST 0.4 /* errors up to here are not worth MPFR's time */

struct tally {
    uint64_t count;    /* results compared */
    uint64_t judged;   /* of these, by MPFR */
    uint64_t misled;   /* the wider type was off by more than the margin */
    uint64_t exceeded; /* errors above the bound */
    double worst;      /* largest error, ULP */
    double x, y, z;    /* its input; y and z NaN where there is none */
};

struct test {
    const char *name, *type;
    double bound;
    size_t row; /* of its table in unary or pair */
    unsigned jobs;
    void (*run)(const struct test *test, unsigned job, struct tally *tally);
    struct tally total;
    unsigned done; /* jobs */
};

/* Set by the command line before the threads start. */
extern uint64_t maths_stride; /* of float bit patterns; 1 is all */
extern uint64_t maths_points; /* doubles an octave; the sampled pairs follow it */

/* The tests of this part, put into list; returns how many, at most 64. */
size_t maths_unary_tests(struct test *list);
size_t maths_pair_tests(struct test *list);

/* An error that is surely right enough: enter it. */
void maths_enter(struct tally *tally, const struct test *test, double error, double x, double y,
                 double z);

enum maths_format { FORMAT_F32, FORMAT_F64 };
typedef int (*maths_true1)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
typedef int (*maths_true2)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

/* The distance of got from f(x), f(x, y) in ULP, by MPFR. */
double maths_judge1(maths_true1 f, double x, double got, enum maths_format format);
double maths_judge2(maths_true2 f, double x, double y, double got, enum maths_format format);
int true_rsqrt(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t round);

/* Doubles q 2^e that are closest to multiples of pi/4, for a given e; returns how many, at most
 * 64. */
size_t maths_near_pio4(int e, double *x);

#endif
