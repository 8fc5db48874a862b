/* bessel.h - Bessel functions of integer order: j0 j1 jn, y0 y1 yn, cyl_bessel_i0 and i1.
 *
 * Up to 25 all J come from the recurrence run downwards (Miller 1952). Y comes from series of J
 * (Abramowitz and Stegun 9.1.88). Above, Hankel's expansion gives orders 0 and 1, and the
 * recurrence upwards the others. The error is absolute, some units of 1e-16. Near a zero the
 * relative one grows.
 */
#ifndef LANEWISE_CUDA_BESSEL_H
#define LANEWISE_CUDA_BESSEL_H

#include "libdevice.h"

struct lw_bessel {
    double j0, j1, jn, y0, y1;
};

/* For 1e-8 <= x. The recurrence begins where J is far below the last bit of J at `n` and at x. */
LW_DEVICE lw_bessel lw_bessel_down(int n, double x)
{
    const int first = ((int)x > n ? (int)x : n) + 20 + 2 * (int)lw_sqrt(10 * (x + n));
    double above = 0, here = 1e-300, even = 0, y0 = 0, y1 = 0, jn = 0;
    for (int k = 2 * (first / 2); k > 0; k--) {
        /* `here` is J at k, up to a common factor. */
        if (k == n)
            jn = here;
        if (k % 2 == 0) {
            even += 2 * here;
            y0 += (k / 2 % 2 ? here : -here) / (k / 2);
        } else if (k > 1) {
            const int m = k / 2;
            y1 += (m % 2 ? here : -here) * k / ((double)m * (m + 1));
        }
        const double below = 2 * k / x * here - above;
        above = here, here = below;
        if (lw_fabs(here) > 1e250)
            here *= 1e-250, above *= 1e-250, even *= 1e-250, y0 *= 1e-250, y1 *= 1e-250,
                jn *= 1e-250;
    }
    const double scale = 1 / (even + here), two_by_pi = 0.63661977236758134308;
    lw_bessel b;
    b.j0 = here * scale, b.j1 = above * scale;
    b.jn = n == 0 ? b.j0 : jn * scale;
    const double logarithm = lw_log(x / 2) + 0.57721566490153286061;
    b.y0 = two_by_pi * (logarithm * b.j0 + 2 * y0 * scale);
    b.y1 = two_by_pi * ((logarithm - 1) * b.j1 + y1 * scale - b.j0 / x);
    return b;
}

/* sqrt(2 / (pi x)) (P cos(t) - Q sin(t)) and so on, with t = x - (2 order + 1) pi / 4. */
LW_DEVICE void lw_hankel(int order, double x, double *j, double *y)
{
    double p = 1, q = 0, term = 1;
    for (int k = 1; k < 30; k++) {
        term *= (4.0 * order * order - (2.0 * k - 1) * (2 * k - 1)) / (8 * k * x);
        if (k % 2)
            q += k / 2 % 2 ? -term : term;
        else
            p += k / 2 % 2 ? -term : term;
    }
    const double s = lw_sin(x), c = lw_cos(x), half = 1 / lw_sqrt(3.14159265358979323846 * x);
    const double cosine = order ? s - c : s + c, sine = order ? -s - c : s - c;
    *j = half * (p * cosine - q * sine);
    *y = half * (p * sine + q * cosine);
}

/* All five at once, for 0 < x < infinity and 0 <= n. */
LW_DEVICE lw_bessel lw_bessels(int n, double x)
{
    lw_bessel b;
    if (x < 1e-8) { /* the first terms of the series are all */
        const double two_by_pi = 0.63661977236758134308;
        b = lw_bessel{1, x / 2, 1, two_by_pi * (lw_log(x / 2) + 0.57721566490153286061),
                      -two_by_pi / x};
        for (int k = 1; k <= n; k++)
            b.jn *= x / 2 / k;
        return b;
    }
    if (x <= 25)
        return lw_bessel_down(n, x);
    lw_hankel(0, x, &b.j0, &b.y0);
    lw_hankel(1, x, &b.j1, &b.y1);
    double below = b.j0;
    b.jn = n == 0 ? b.j0 : b.j1;
    if (n > x)
        b.jn = lw_bessel_down(n, x).jn;
    else
        for (int k = 1; k < n; k++) {
            const double above = 2 * k / x * b.jn - below;
            below = b.jn, b.jn = above;
        }
    return b;
}

LW_DEVICE double __nv_jn(int n, double x)
{
    if (n < 0)
        return __builtin_nan("");
    if (__builtin_isnan(x) || __builtin_isinf(x))
        return __builtin_isnan(x) ? x : 0;
    if (x == 0)
        return n == 0 ? 1 : 0;
    const double value = lw_bessels(n, lw_fabs(x)).jn;
    return x < 0 && n % 2 ? -value : value;
}
LW_DEVICE double __nv_j0(double x) { return __nv_jn(0, x); }
LW_DEVICE double __nv_j1(double x) { return __nv_jn(1, x); }

LW_DEVICE double __nv_yn(int n, double x)
{
    if (n < 0 || __builtin_isnan(x) || x < 0)
        return __builtin_nan("");
    if (x == 0 || __builtin_isinf(x))
        return x == 0 ? -__builtin_inf() : 0;
    const lw_bessel b = lw_bessels(0, x);
    double below = b.y0, here = n == 0 ? b.y0 : b.y1;
    for (int k = 1; k < n && !__builtin_isinf(here); k++) {
        const double above = 2 * k / x * here - below;
        below = here, here = above;
    }
    return here;
}
LW_DEVICE double __nv_y0(double x) { return __nv_yn(0, x); }
LW_DEVICE double __nv_y1(double x) { return __nv_yn(1, x); }

/* I by its series, whose terms are of one sign; above 30 by the asymptotic one. */
LW_DEVICE double lw_bessel_i(int order, double x)
{
    const double size = lw_fabs(x);
    if (!(size <= 30)) {
        double sum = 1, term = 1;
        for (int k = 1; k < 30; k++) {
            term *= -(4.0 * order - (2.0 * k - 1) * (2 * k - 1)) / (8 * k * size);
            sum += term;
        }
        const double root = lw_exp(size / 2);
        const double value = root / lw_sqrt(6.28318530717958647693 * size) * root * sum;
        return __builtin_isinf(size) ? size : value;
    }
    const double square = size * size / 4;
    double term = order ? size / 2 : 1, sum = term;
    for (int k = 1; term > sum * 1e-18; k++) {
        term *= square / ((double)k * (k + order));
        sum += term;
    }
    return sum;
}
LW_DEVICE double __nv_cyl_bessel_i0(double x) { return lw_bessel_i(0, x); }
LW_DEVICE double __nv_cyl_bessel_i1(double x) { return lw_copysign(lw_bessel_i(1, x), x); }

#endif
