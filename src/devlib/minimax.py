#!/usr/bin/env python3
"""minimax.py - recomputes the coefficients and split constants of maths_*.c, trig_*.c, more_*.c.

Each row of ROWS is one polynomial P: the function it stands for, the interval, the degree and the
weight that turns its error into the error of the final result. The method is the Remez exchange
(E. Remez 1934; in the form of Muller, "Elementary Functions", 3rd ed., chapter 3), in 60 digits.
Prints the coefficients, lowest power first, as C constants, and the weighted error in bits before
they are rounded. Run it by hand after changing a row (needs the Python package mpmath):

    python3 src/devlib/minimax.py [row ...]
"""
import re
import struct
import sys
from mpmath import (mp, mpf, asin, atan, cos, erfc, erf, exp, log, lu_solve, matrix, pi, sin, sqrt,
                    tan)

mp.dps = 60
LN2 = log(2)


def taylor(f, terms):
    """f(x), or the series sum(terms(k) * x^k) where f cancels."""
    return lambda x: f(x) if abs(x) > mpf("1e-12") else sum(terms(k) * x**k for k in range(6))


def exp_tail(r):       # (e^r - 1 - r) / r^2
    return taylor(lambda x: (exp(x) - 1 - x) / x**2, lambda k: 1 / mp.factorial(k + 2))(r)


def log_tail(f):       # (log(1 + f) - f) / f^2
    return taylor(lambda x: (log(1 + x) - x) / x**2, lambda k: mpf(-1) ** (k + 1) / (k + 2))(f)


def atanh_tail(z):     # log((1+s)/(1-s)) = 2s + s^3 (2/3 + z Q(z)), z = s^2; this is Q
    def closed(z):
        s = sqrt(z)
        return ((log((1 + s) / (1 - s)) - 2 * s) / s**3 - mpf(2) / 3) / z
    return taylor(closed, lambda k: mpf(2) / (2 * k + 5))(z)


def sin_tail(z):       # sin r = r + r^3 S(z), z = r^2
    return taylor(lambda z: (sin(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3,
                  lambda k: mpf(-1) ** (k + 1) / mp.factorial(2 * k + 3))(z)


def cos_tail(z):       # cos r = 1 - z/2 + z^2 C(z), z = r^2
    return taylor(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2,
                  lambda k: mpf(-1) ** k / mp.factorial(2 * k + 4))(z)


def erf_small(z):      # erf x = x + x P(z), z = x^2
    return taylor(lambda z: erf(sqrt(z)) / sqrt(z) - 1,
                  lambda k: 2 / sqrt(pi) * mpf(-1) ** k / (mp.factorial(k) * (2 * k + 1))
                  - (k == 0))(z)


def erfc_log(t):       # log erfc(1 + t)
    return log(erfc(1 + t))


def atan_tail(z):      # atan t = t + t^3 A(z), z = t^2
    return taylor(lambda z: (atan(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3,
                  lambda k: mpf(-1) ** (k + 1) / (2 * k + 3))(z)


def asin_tail(z):      # asin s = s + s^3 A(z), z = s^2
    return taylor(lambda z: (asin(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3,
                  lambda k: mp.binomial(2 * k + 2, k + 1) / (mpf(4) ** (k + 1) * (2 * k + 3)))(z)


def erfc_scaled(k):    # (1 + 2x) e^(x^2) erfc x of t = (x - k) / (x + k)
    def of(t):
        x = k * (1 + t) / (1 - t)
        return (1 + 2 * x) * exp(x * x) * erfc(x)
    return of


def erfc_place(k, x):
    return (x - k) / (x + k)


R_EXP = LN2 / 2 * mpf("1.001")
Z_TRIG = (pi / 4 * mpf("1.001")) ** 2
Z_LOG = ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2 * mpf("1.001")
Z_ATAN = tan(pi / 8) ** 2 * mpf("1.001")
ERFC_FROM, ERFC_F32, ERFC_F64 = mpf("0.64"), mpf("10.2"), mpf("27.3")
K_F32, K_F64 = mpf("2.5"), mpf(4)
one = lambda x: mpf(1)
# name: type, function, interval, degree, weight
ROWS = {
    "exp_f32": ("f", exp_tail, -R_EXP, R_EXP, 4, lambda r: r**2 / exp(r)),
    "exp_f64": ("d", exp_tail, -R_EXP, R_EXP, 9, lambda r: r**2 / exp(r)),
    "log_f32": ("f", log_tail, sqrt(mpf(1) / 2) - 1, sqrt(2) - 1, 8,
                lambda f: abs(f) * abs(f / log(1 + f) if abs(f) > mpf("1e-12") else 1)),
    "atanh_f32": ("f", atanh_tail, mpf(0), Z_LOG, 2, lambda z: z**2 / 2),
    "atanh_f64": ("d", atanh_tail, mpf(0), Z_LOG, 6, lambda z: z**2 / 2),
    "sin_f32": ("f", sin_tail, mpf(0), Z_TRIG, 3, lambda z: z),
    "sin_f64": ("d", sin_tail, mpf(0), Z_TRIG, 5, lambda z: z),
    "cos_f32": ("f", cos_tail, mpf(0), Z_TRIG, 2, lambda z: z**2),
    "cos_f64": ("d", cos_tail, mpf(0), Z_TRIG, 5, lambda z: z**2),
    "erf_f32": ("f", erf_small, mpf(0), mpf(1), 6, one),
    "erf_f64": ("d", erf_small, mpf(0), mpf(1), 12, one),
    "erfc_f32": ("f", erfc_log, mpf(0), mpf(3), 7, lambda t: erfc(1 + t)),
    "erfc_f64": ("d", erfc_log, mpf(0), mpf(5), 17, lambda t: erfc(1 + t)),
    "atan_f32": ("f", atan_tail, mpf(0), Z_ATAN, 4, lambda z: z),
    "atan_f64": ("d", atan_tail, mpf(0), Z_ATAN, 10, lambda z: z),
    "asin_f32": ("f", asin_tail, mpf(0), mpf(1) / 4, 4, lambda z: z),
    "asin_f64": ("d", asin_tail, mpf(0), mpf(1) / 4, 12, lambda z: z),
    "erfc_scaled_f32": ("f", erfc_scaled(K_F32), erfc_place(K_F32, ERFC_FROM),
                        erfc_place(K_F32, ERFC_F32), 10, one),
    "erfc_scaled_f64": ("d", erfc_scaled(K_F64), erfc_place(K_F64, ERFC_FROM),
                        erfc_place(K_F64, ERFC_F64), 22, one),
}
# name: value, bits of each float part, bits of each double part (the sum of the parts is the value)
SPLITS = {
    "LN2": (LN2, (24, 24), (53, 53)),
    "LN2_SHORT": (LN2, (16, 24), (42, 53)),       # times an exponent: exact in the first part
    "LOG2E": (1 / LN2, (24, 24), (53, 53)),
    "PIO2": (pi / 2, (24, 24, 24), (53, 53, 53)),
    "TWO_OVER_PI": (2 / pi, (24,), (53,)),
    "PIO4": (pi / 4, (24, 24), (53, 53)),
    "PI": (pi, (24, 24), (53, 53)),
    "LN10": (log(mpf(10)), (24, 24), (53, 53)),
    "LOG10E": (1 / log(mpf(10)), (24, 24), (53, 53)),
    "LOG10_2_SHORT": (log(mpf(2)) / log(mpf(10)), (16, 24), (42, 53)),
    "TWO_THIRDS": (mpf(2) / 3, (24, 24), (53, 53)),
}


def solve(f, weight, nodes, degree):
    """Coefficients of P and level e with weight * (P - f) = +e, -e, +e ... at the nodes."""
    n = degree + 2
    a, b = matrix(n, n), matrix(n, 1)
    for i, x in enumerate(nodes):
        w = weight(x)
        for k in range(degree + 1):
            a[i, k] = w * x**k
        a[i, degree + 1] = mpf(-1) ** i
        b[i] = w * f(x)
    x = lu_solve(a, b)
    return [x[k] for k in range(degree + 1)]


def extrema(error, lo, hi, count):
    """The alternating extrema of the error on a dense Chebyshev grid, largest of each sign run."""
    points = 60 * count
    grid = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * i / points) for i in range(points + 1)]
    runs = []
    for x in grid:
        e = error(x)
        if runs and (e > 0) == (runs[-1][1] > 0):
            if abs(e) > abs(runs[-1][1]):
                runs[-1] = (x, e)
        elif e != 0:
            runs.append((x, e))
    while len(runs) > count:
        runs.pop(0 if abs(runs[0][1]) < abs(runs[-1][1]) else -1)
    return runs


def minimax(f, lo, hi, degree, weight):
    n = degree + 2
    nodes = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    for _ in range(12):
        c = solve(f, weight, nodes, degree)
        runs = extrema(lambda x: weight(x) * (mp.polyval(c[::-1], x) - f(x)), lo, hi, n)
        worst = max(abs(e) for _, e in runs)
        if len(runs) < n or worst < mpf("1.01") * min(abs(e) for _, e in runs):
            break
        nodes = [x for x, _ in runs]
    return c, worst


def constant(kind, value):
    if kind == "f":
        text = float.hex(struct.unpack("f", struct.pack("f", float(value)))[0]) + "f"
    else:
        text = float.hex(float(value))
    return re.sub(r"\.?0*p", "p", text)


def split(value, kind, widths):
    """The value as parts of the given widths, each the rounded remainder of those before."""
    parts = []
    for bits in widths:
        unit = mpf(2) ** (mp.floor(log(abs(value), 2)) + 1 - bits)
        part = mp.nint(value / unit) * unit
        value -= part
        parts.append(constant(kind, part))
    return ", ".join(parts)


def print_constants():
    for name, (value, narrow, wide) in SPLITS.items():
        print(f"{name}: {split(value, 'f', narrow)}")
        print(f"{name}: {split(value, 'd', wide)}")
    with mp.workdps(500):
        two_over_pi = 2 / mp.pi
        print("2/pi, 32-bit words:", *(f"0x{int(two_over_pi * 2 ** (32 * k)) & 0xffffffff:08x}"
                                       for k in range(1, 8)))
        print("2/pi, 64-bit words:", *(f"0x{int(two_over_pi * 2 ** (64 * k)) & (2**64 - 1):016x}"
                                       for k in range(1, 20)))


def main():
    for name in sys.argv[1:] or ROWS:
        kind, f, lo, hi, degree, weight = ROWS[name]
        c, worst = minimax(f, lo, hi, degree, weight)
        print(f"{name}: 2^{float(log(worst, 2)):.1f}")
        for x in c:
            print(f"    {constant(kind, x)},")
    if len(sys.argv) == 1:
        print_constants()


if __name__ == "__main__":
    main()
