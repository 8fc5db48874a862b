/* devlib_maths_judge.c - errors in ULP by MPFR, and the arguments where reduction is hardest.
 *
 * MPFR rounds correctly, so 128 bits of the true value leave nothing to decide.
 */
#include "devlib_maths_long.h"

#define JUDGE_BITS 128

static const struct {
    int bits, lowest, highest; /* of the significand; exponents of the normal numbers */
} formats[] = {[FORMAT_F32] = {24, -126, 127}, [FORMAT_F64] = {53, -1022, 1023}};

/* As ulps_f32 and ulps_f64. */
static double distance(double got, mpfr_srcptr want, enum maths_format format)
{
    if (isnan(got) || mpfr_nan_p(want))
        return isnan(got) && mpfr_nan_p(want) ? 0 : INFINITY;
    if (!signbit(got) != !mpfr_signbit(want) || (mpfr_zero_p(want) && got != 0))
        return INFINITY;
    if (mpfr_zero_p(want) || mpfr_inf_p(want))
        return mpfr_zero_p(want) || isinf(got) ? 0 : INFINITY;
    int exponent = (int)(mpfr_get_exp(want) - 1), highest = formats[format].highest;
    if (isinf(got) && exponent > highest)
        return 0;
    exponent = exponent < formats[format].lowest ? formats[format].lowest : exponent;
    exponent = exponent > highest ? highest : exponent;
    mpfr_t difference;
    mpfr_init2(difference, JUDGE_BITS);
    if (isinf(got))
        mpfr_set_si_2exp(difference, got > 0 ? 1 : -1, highest + 1, MPFR_RNDN);
    else
        mpfr_set_d(difference, got, MPFR_RNDN);
    mpfr_sub(difference, difference, want, MPFR_RNDN);
    mpfr_mul_2si(difference, difference, formats[format].bits - 1 - exponent, MPFR_RNDN);
    double error = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return error;
}

double maths_judge1(maths_true1 f, double x, double got, enum maths_format format)
{
    mpfr_t argument;
    mpfr_init2(argument, 53);
    mpfr_t want;
    mpfr_init2(want, JUDGE_BITS);
    mpfr_set_d(argument, x, MPFR_RNDN);
    f(want, argument, MPFR_RNDN);
    double error = distance(got, want, format);
    mpfr_clears(argument, want, (mpfr_ptr)0);
    return error;
}

double maths_judge2(maths_true2 f, double x, double y, double got, enum maths_format format)
{
    mpfr_t a;
    mpfr_init2(a, 53);
    mpfr_t b;
    mpfr_init2(b, 53);
    mpfr_t want;
    mpfr_init2(want, JUDGE_BITS);
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_set_d(b, y, MPFR_RNDN);
    f(want, a, b, MPFR_RNDN);
    double error = distance(got, want, format);
    mpfr_clears(a, b, want, (mpfr_ptr)0);
    return error;
}

/* IEEE 754's rSqrt: of -0 it is -inf, where MPFR's is inf. */
int true_rsqrt(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t round)
{
    if (!mpfr_zero_p(x))
        return mpfr_rec_sqrt(result, x, round);
    mpfr_set_inf(result, mpfr_signbit(x) ? -1 : 1);
    return 0;
}

/* The denominators of the continued fraction of 2^e 4/pi are the integers q for which q 2^e 4/pi
 * comes closest to an integer (W. Kahan's program `nearpi`, 1983, has the same idea). */
size_t maths_near_pio4(int e, double *x)
{
    size_t count = 0;
    double q = 0, next = 1; /* denominators; exact below 2^53 */
    mpfr_t rest, whole;
    mpfr_init2(rest, 1400);
    mpfr_init2(whole, 1400);
    mpfr_const_pi(rest, MPFR_RNDN);
    mpfr_ui_div(rest, 4, rest, MPFR_RNDN);
    mpfr_mul_2si(rest, rest, e, MPFR_RNDN);
    mpfr_frac(rest, rest, MPFR_RNDN);
    while (count < 64) {
        mpfr_ui_div(rest, 1, rest, MPFR_RNDN);
        mpfr_modf(whole, rest, rest, MPFR_RNDN);
        double following = mpfr_get_d(whole, MPFR_RNDN) * next + q;
        if (!(following < 0x1p53))
            break;
        q = next;
        next = following;
        x[count++] = scalbn(next, e);
    }
    mpfr_clears(rest, whole, (mpfr_ptr)0);
    return count;
}
