"""Operators and functions of elements against NumPy; what waits, and when it is computed."""
from __future__ import annotations

import operator
import threading
from typing import Any

import numpy as np
import pytest

import lanewise as lw
from conftest import FULL

RNG = np.random.default_rng(3)
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
DTYPES = [*INTEGERS, "bool", *FLOATS]
NAMES = {"acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh",
         "atan": "arctan", "atan2": "arctan2", "atanh": "arctanh", "pow": "power",
         "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift"}
EXACT = {"add", "subtract", "multiply", "divide", "floor_divide", "remainder", "bitwise_and",
         "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "negative",
         "positive", "abs", "bitwise_invert", "less", "less_equal", "equal", "not_equal",
         "greater", "greater_equal", "logical_and", "logical_or", "logical_xor", "logical_not",
         "maximum", "minimum", "sign", "square", "reciprocal", "isnan", "isinf", "isfinite",
         "signbit", "floor", "ceil", "trunc", "round", "copysign", "nextafter", "sqrt"}
OTHERS = {"where", "clip", "erf", "rsqrt"}
TWO = {"add": operator.add, "subtract": operator.sub, "multiply": operator.mul,
       "divide": operator.truediv, "floor_divide": operator.floordiv, "remainder": operator.mod,
       "pow": operator.pow, "bitwise_and": operator.and_, "bitwise_or": operator.or_,
       "bitwise_xor": operator.xor, "bitwise_left_shift": operator.lshift,
       "bitwise_right_shift": operator.rshift}
ALL = sorted(set(lw._elementwise._FUNCTIONS) - OTHERS)


def numbers(dtype: str, size: int = 60) -> np.ndarray:
    kind = np.dtype(dtype).kind
    if kind == "b":
        return RNG.random(size) < 0.5
    if kind in "iu":
        info = np.iinfo(dtype)
        few = RNG.integers(max(info.min, -9), 10, size)
        wide = RNG.integers(info.min, info.max, size, dtype=dtype, endpoint=True)
        return np.where(RNG.random(size) < 0.7, few.astype(dtype), wide)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5]
    return np.concatenate([RNG.standard_normal(size - 8) * 3, special]).astype(dtype)


def same(got: Any, want: Any, exact: bool = True) -> None:
    got, want = np.asarray(got), np.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    if exact or got.dtype.kind not in "f":
        np.testing.assert_array_equal(got, want)
        return
    tiny = np.finfo(got.dtype)
    np.testing.assert_allclose(got, want, rtol=8 * tiny.eps, atol=float(tiny.smallest_subnormal))


def ours(x: Any, device: str | None = None) -> lw.Array:
    return lw.asarray(x, device=device).copy()


def on_ref(x: Any) -> lw.Array:
    """Kernels are built soonest there; test_bits compares the devices."""
    return ours(x, None if FULL else "ref")


def of_numpy(name: str) -> Any:
    return getattr(np, NAMES.get(name, name))


def operands(name: str, dtype: str) -> list[np.ndarray]:
    made = [RNG.permutation(numbers(dtype)) for _ in range(lw._elementwise._RULES[name][0])]
    if name == "pow" and np.dtype(dtype).kind == "i":
        made[1] = abs(made[1] % 5)
    if "shift" in name and np.dtype(dtype).kind in "iu":  # NumPy leaves counts below 0 open
        made[1] = abs(made[1] % np.array(70).astype(dtype))
    if name == "reciprocal" and np.dtype(dtype).kind != "f":
        made[0] = np.where(made[0] == 0, np.array(1, dtype), made[0])
    return made


@pytest.mark.on_cpu
@pytest.mark.parametrize("name", ALL)
def test_functions(name: str) -> None:
    at = ALL.index(name)
    for dtype in DTYPES if FULL else [DTYPES[(at * 5 + k * 4) % 12] for k in range(2)]:
        given = operands(name, dtype)
        with np.errstate(all="ignore"):
            try:
                want = of_numpy(name)(*given)
            except TypeError:
                want = None
        function = getattr(lw, name)
        if want is None or (name in ("sign",) and dtype == "bool"):
            with pytest.raises(lw.DtypeError, match=name):
                function(*map(on_ref, given))._wait()
            continue
        if dtype == "bool" and want.dtype in (np.float16, np.int8) or \
                name in ("copysign", "nextafter", "hypot", "atan2", "logaddexp", "signbit"):
            want = want.astype(np.asarray(function(*map(on_ref, given))).dtype)
        exact = name in EXACT and not (name == "remainder" and np.dtype(dtype).kind == "f")
        same(function(*map(on_ref, given)), want, exact)


@pytest.mark.on_cpu
@pytest.mark.parametrize("dtype", DTYPES if FULL else ["float32"])
def test_bits(dtype: str) -> None:
    """All functions in a few chains: the bits of ref."""
    def chains(device: str) -> list[lw.Array]:
        x, y = ours(X, device), ours(Y, device)
        made, total = [], x * 0
        for name in sorted(lw._elementwise._FUNCTIONS)[::1 if FULL else 8]:
            function, arity = getattr(lw, name), lw._elementwise._RULES[name][0]
            try:
                term = function(*(x, y, y)[:arity])
            except lw.DtypeError:
                continue
            total = lw.where(lw.isfinite(term), total + term, total)
            if len(made) % 7 == 6:
                total = total.astype(dtype)
            made.append(total)
        return made[6::7] + made[-1:]

    X, Y = numbers(dtype), abs(numbers(dtype))
    if dtype == "bool":
        return
    for here, there in zip(chains("cpu"), chains("ref")):
        same(here, there)


@pytest.mark.on_cpu
@pytest.mark.parametrize("dtype", DTYPES if FULL else ["int8", "uint64", "bool", "float16"])
def test_operators(dtype: str) -> None:
    x, y = numbers(dtype), numbers(dtype)
    a, b = on_ref(x), on_ref(y)
    with np.errstate(all="ignore"):
        if dtype != "bool":
            same(a + b * a - b, x + y * x - y)
            same(-a, -x)
            same(3 * a + b, 3 * x + y)
        same(a / b, x / y)
        same((a < b) | (a == b) & ~(b >= a), (x < y) | (x == y) & ~(y >= x))
        same(abs(a), abs(x))
        if np.dtype(dtype).kind in "iu":
            same(a ^ b & ~a | b, x ^ y & ~x | y)
            same(a // b + a % b, x // y + x % y)
            same(7 // b, 7 // y)
        c, z = a.copy(), x.copy()
        if dtype != "bool":
            c += b
            c *= 2
            z += y
            z *= 2
            same(c, z)


@pytest.mark.on_cpu
@pytest.mark.parametrize("a", DTYPES)
def test_promotion(a: str) -> None:
    for b in DTYPES if FULL else DTYPES[DTYPES.index(a)::4]:
        x, y = np.ones((2, 3), a), np.ones(3, b)
        if {a, b} == {"bool"}:
            continue
        same(on_ref(x) + on_ref(y), x + y)
    x = np.array([0, 1], a)
    for number in (True, 2, 1.5):
        same(on_ref(x) + number, x + number)
    same(on_ref(x) * np.float32(2), x * np.float32(2))
    same(np.float64(2) * on_ref(x), np.float64(2) * x)


def test_numbers_that_do_not_fit() -> None:
    x = ours(np.array([1, 2], "int8"))
    with pytest.raises(lw.OverflowError, match="300"):
        x + 300
    with pytest.raises(lw.OverflowError, match="-1"):
        lw.maximum(ours(np.ones(2, "uint8")), -1)
    same(x < 300, [True, True])
    same(x == -1000, [False, False])
    same(ours(np.array([2**64 - 1], "uint64")) == 2**64 - 1, [True])


def test_broadcasting() -> None:
    x, y, z = RNG.random((5, 40)), RNG.random((3, 1, 40)), RNG.random((5, 1))
    same(ours(x) * ours(y) + ours(z), x * y + z)
    same(ours(x)[:, ::-1] + ours(x).T.T[::-1], x[:, ::-1] + x[::-1])
    same(ours(np.zeros((0, 3))) + 1, np.zeros((0, 3)) + 1)
    same(ours(np.float32(3)) + 1, np.float32(3) + 1)
    with pytest.raises(lw.ArgumentError, match=r"add: shape \(3,\) does not broadcast to \(2,\)"):
        lw.zeros(2) + lw.zeros(3)


def test_functions_of_what_is_no_array() -> None:
    x = np.array([1.0, 4.0], "f4")
    assert isinstance(lw.sqrt(x), np.ndarray) and lw.sqrt(x).tolist() == [1, 2]
    assert lw.add([1, 2], 3).tolist() == [4, 5] and lw.sqrt(4.0) == 2
    out = np.zeros(2, "f4")
    assert lw.add(x, 1, out=out) is out and out.tolist() == [2, 5]
    kept = lw.zeros(2)
    assert lw.multiply(ours(x), 2, out=kept) is kept and kept.numpy().tolist() == [2, 8]
    with pytest.raises(lw.DtypeError, match="divide"):
        lw.divide(np.ones(2), 2, out=np.zeros(2, "i4"))
    s = lw.stream()
    later = lw.exp(ours(x), stream=s)
    s.wait()
    same(later, np.exp(x), False)
    assert isinstance(x + ours(x), np.ndarray) and isinstance(ours(x) + x, lw.Array)
    assert isinstance(np.float32(1) + ours(x), lw.Array)
    with pytest.raises(TypeError):
        ours(x) + "text"
    with pytest.raises(TypeError):
        lw.add(ours(x))


@pytest.mark.on_cpu
def test_where_and_clip() -> None:
    for dtype in ("int8", "uint32", "float32", "float64"):
        x, y = numbers(dtype), numbers(dtype)
        same(lw.where(on_ref(x) > 1, on_ref(x), on_ref(y)), np.where(x > 1, x, y))
        same(lw.where(on_ref(x > 1), on_ref(x), 2), np.where(x > 1, x, np.array(2, dtype)))
        same(lw.clip(on_ref(x), 1, 3), np.clip(x, 1, 3))
        same(lw.clip(on_ref(x), min=2), np.clip(x, 2, None))
        same(lw.clip(on_ref(x), max=2), np.clip(x, None, 2))


def test_a_chain_has_the_bits_of_its_functions() -> None:
    x, y = ours(RNG.random(1000, "f4")), ours(RNG.random(1000, "f4"))

    def chain() -> lw.Array:
        z = lw.exp(x) * y + 0.1
        return lw.tanh(z / (x + 1.5)) ** 2 - z

    with lw.fusion(False):
        apart = chain()
    same(chain(), apart)


HOST = lw.default_device().name in ("cpu", "ref")


@pytest.mark.skipif(not HOST, reason="NumPy shares no memory of a GPU")
def test_what_is_written_after_does_not_show() -> None:
    x, y = lw.zeros(4), lw.zeros(4)
    a, b, c, d, e = x + 1, x + 2, x + 3, x * 4, x - 5
    f = a + b  # of what waits
    x[0] = 9
    x += 1
    x.numpy()[1] = 9
    np.asarray(x)[2] = 9
    lw.add(y, 7, out=x)
    for got, want in ((a, 1), (b, 2), (c, 3), (d, 0), (e, -5), (f, 3)):
        assert got.numpy().tolist() == [want] * 4
    z = x.numpy()
    g = x + 1  # others can write x now: it is computed at once
    z[:] = 0
    assert g.numpy().tolist() == [8] * 4
    del z
    view = x[1:3]
    h = x * 1
    view += 1
    assert h.numpy().tolist() == [0] * 4 and x.numpy().tolist() == [0, 1, 1, 0]
    late = h + 1
    h -= 5
    assert late.numpy().tolist() == [1] * 4
    shared = np.zeros(3)
    i = lw.asarray(shared) + 1
    shared[:] = 7
    assert i.numpy().tolist() == [1] * 3


def test_kernels_and_operations_finish_who_reads() -> None:
    program = lw.compile("""
#include <lanewise/kernel.h>
KERNEL void add_one(int n, float x[n])
{
    int i = global_idx.x;
    if (i < n)
        x[i] += 1;
}
""")
    x = lw.zeros(5)
    a = x + 1
    program.add_one[1, 32](5, x)
    b = x * 2
    lw.softmax(x, out=x)
    assert a.numpy().tolist() == [1] * 5 and b.numpy().tolist() == [2] * 5
    c = a + b
    program.add_one[1, 32](5, c)  # what waits is there before
    assert c.numpy().tolist() == [4] * 5


def test_long_and_wide_chains() -> None:
    x, want = ours(np.ones(3, "f8")), np.ones(3)
    for k in range(100):
        x = x * 1.0 + k
        want = want * 1.0 + k
    same(x, want)
    arrays = [ours(RNG.random(5)) for _ in range(20)]
    total, want = arrays[0], np.asarray(arrays[0])
    for a in arrays[1:]:
        total, want = total + a, want + np.asarray(a)
    same(total, want)
    t = ours(np.full(3, 1.5))
    u = np.full(3, 1.5)
    for _ in range(12):  # each doubles what it is made of
        t, u = t * t - t, u * u - u
    same(t, u)


@pytest.mark.on_cpu
def test_terms_that_are_read_before_the_chain() -> None:
    x = ours(np.arange(3.0))
    for use in (np.asarray, lw.sum, np.sqrt):
        terms = [x + k for k in range(14)]
        total, want = terms[0], np.arange(3.0)
        for k in range(1, 14):
            total, want = total + terms[k], want + (np.arange(3.0) + k)
        for t in terms:
            t._wait()  # now they are 14 arrays
        np.testing.assert_array_equal(np.asarray(use(total)), np.asarray(use(want))
                                      if use is not lw.sum else want.sum())


@pytest.mark.on_cpu
def test_threads_read_a_chain_whose_terms_are_many() -> None:
    x, got = ours(np.arange(20000.0)), []
    for _ in range(5):
        terms = [x + k for k in range(12)]
        total = terms[0]
        for t in terms[1:]:
            total = total + t
        for t in terms:
            t._wait()
        threads = [threading.Thread(target=lambda t=total, f=f: got.append(float(f(t)[-1])))
                   for f in (np.asarray, lambda t: np.asarray(t + 0.0)) * 3]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert got == [12 * 19999.0 + 66] * 30


@pytest.mark.on_cpu
def test_terms_of_a_graph_that_are_used_before_the_chain() -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f64", (3,))}) as g:
        terms = [g.x + k for k in range(14)]
        total = sum(terms, 0.0)
        for t in terms:
            t.copy()
        g.output(out=total)
    np.testing.assert_array_equal(g.compile()(x=np.arange(3.0))["out"],
                                  sum(np.arange(3.0) + k for k in range(14)))


def test_operands_live_as_long_as_their_results() -> None:
    def made() -> lw.Array:
        return (lw.zeros(1000) + 1) * (lw.zeros(1000) + 2)
    results = [made() for _ in range(50)]
    assert all(r.numpy().tolist() == [2] * 1000 for r in results)


def test_a_result_waits_for_threads() -> None:
    x = lw.zeros(100000) + 1
    for _ in range(5):
        y = lw.exp(x) * 2
        got: list[Any] = [None] * 4

        def read(k: int) -> None:
            got[k] = np.asarray(y).copy()
        threads = [threading.Thread(target=read, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert all(np.array_equal(g, got[0]) for g in got)


@pytest.mark.skipif(not HOST, reason="NumPy shares no memory of a GPU")
def test_in_place_errors() -> None:
    x = ours(np.arange(4))
    with pytest.raises(lw.DtypeError, match="f64, and the array i64"):
        x += 1.5
    with pytest.raises(lw.ArgumentError):
        x += lw.zeros((2, 4), "int64")
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    with pytest.raises(lw.ArgumentError, match="read-only"):
        y = lw.asarray(fixed)
        y += 1
    y = ours(np.arange(6))
    y += y[::-1]
    same(y, [5] * 6)


@pytest.mark.skipif(not HOST, reason="what a graph writes must lie on its device")
def test_in_a_graph() -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", ("n", 4)),
                          "c": lw.TensorType("f32", (4,))}) as g:
        y = lw.tanh(g.x * 2 + g.c) @ g.x[0]
        g.c += 1
        g.output(y=1 - y, big=g.x > 0.5, c=g.c)
    x, c = RNG.random((3, 4), "f4"), RNG.random(4, "f4")
    kept = c.copy()
    got = g.compile()(x=x, c=c)
    same(got["big"], x > 0.5)
    np.testing.assert_allclose(got["y"], 1 - np.tanh(x * 2 + kept) @ x[0], rtol=1e-5)
    np.testing.assert_array_equal(c, kept + 1)


def launches(record: Any, **inputs: lw.TensorType) -> int:
    with lw.Graph(inputs=inputs) as g:
        g.output(out=record(g))
    return g.compile().plan.launches


@pytest.mark.skipif(not HOST, reason="what a graph writes must lie on its device")
def test_a_chain_of_a_graph_is_one_launch() -> None:
    x = lw.TensorType("f32", (4, 50))

    def gelu(g: lw.Graph) -> Any:
        return 0.5 * g.x * (1 + lw.tanh(0.8 * (g.x + 0.04 * g.x ** 3)))
    assert launches(gelu, x=x) == 1
    with lw.fusion(False):
        assert launches(gelu, x=x) > 5
    assert launches(lambda g: lw.where(g.x > 0, g.x // 2, -g.x) % 3, x=x) == 1
    inputs = {f"x{k}": x for k in range(12)}
    assert launches(lambda g: sum((getattr(g, n) for n in inputs), 1.5), **inputs) == 2

    def written(g: lw.Graph) -> Any:
        late = g.x + 1
        g.x[0] = 5
        return late
    with lw.Graph(inputs={"x": x}) as g:
        g.output(late=written(g), x=g.x, top=(g.x * 2)[0])
    values = RNG.random((4, 50), "f4")
    kept, got = values.copy(), g.compile()(x=values)
    same(got["late"], kept + 1)
    same(got["top"], np.full(50, 10, "f4"))


@pytest.mark.parametrize("size", [1, 40])
def test_a_graph_has_the_bits_of_arrays(size: int) -> None:
    def chain(x: Any, y: Any) -> Any:
        z = (x - 0.1) * y
        return lw.where(z > 1, z / 3, lw.exp(-z)) + float("inf") * (z != z)

    with lw.Graph(inputs={"x": lw.TensorType("f32", ("n", 3)),
                          "y": lw.TensorType("f32", ("n", 1))}) as g:
        g.output(out=chain(g.x, g.y))
    x, y = RNG.random((size, 3), "f4") * 4, RNG.random((size, 1), "f4")
    np.testing.assert_array_equal(g.compile()(x=x, y=y)["out"], np.asarray(chain(ours(x), ours(y))))


@pytest.mark.skipif(not HOST, reason="the checker does not run on a GPU")
def test_under_the_checker() -> None:
    x = lw.zeros(40) + 1
    with lw.check() as report:
        y = (x * 2 + 1).numpy()
    assert report.verdict == "clean" and y.tolist() == [3] * 40


def test_vectorize() -> None:
    mix = lw.vectorize("""
        static float halved(float x) { return x / 2; }
        float mix(float a, const float b, int which) { return which ? halved(a) : b; }""")
    x, y, z = np.arange(3.0), np.ones((2, 1), "f4"), np.array([0, 1, 0])
    want = np.where(z, x / 2, y).astype("f4")
    same(mix(x, y, z), want)
    same(mix(ours(x), ours(y), ours(z)) * 2 + 1, want * 2 + 1)
    same(mix(ours(x), 1, True), (x / 2).astype("f4"))
    for which in (1.5, np.float32(1.5), 0.5):  # to int, as an array of them
        same(mix(ours(x), ours(y), which), mix(x, y, np.array([which])))
    with lw.Graph(inputs={"x": lw.TensorType("f64", (3,))}) as g:
        g.output(out=mix(g.x, y, z))
    same(g.compile()(x=x)["out"], want)
    other = lw.vectorize("float mix(float a, float b, int c) { return a + b; }")
    same(mix(ours(x), ours(y), 1) + other(ours(x), ours(y), 1), (x / 2 + x + y).astype("f4"))
    eight = "int8_t f(" + ", ".join(f"int x{k}" for k in range(8)) + ") { return x0 + x7; }"
    same(lw.vectorize(eight)(*[ours(np.array([k])) for k in range(8)]), np.array([7], "i1"))
    for wrong in (3, "float x;", "float f(void) { return 1; }", "float f(float *x) { return 1; }",
                  "void f(int x) { }", "float f(struct s x) { return 1; }"):
        with pytest.raises(lw.ArgumentError, match="vectorize"):
            lw.vectorize(wrong)
    with pytest.raises(lw.CompileError, match="f:1:"):
        lw.vectorize("float f(float x) { return y; }")


@pytest.mark.parametrize("dtype", ["float32", "bool", "float16"] +
                         (["float64", "int8", "uint16"] if FULL else []))
@pytest.mark.parametrize("shape", [(5, 7, 700), (1,), (30000,), (0, 4), (4, 0)])
def test_sums_of_what_waits(dtype: str, shape: tuple[int, ...]) -> None:
    x, y = (numbers(dtype, int(np.prod(shape)) + 8)[:int(np.prod(shape))].reshape(shape)
            for _ in range(2))
    a, b = ours(np.where(np.isfinite(x), x, 1).astype(dtype)), ours(y[..., :1] == y[..., :1])
    for words in ({}, {"axis": -1}, {"axis": 0, "keepdims": True}, {"keepdims": True}):
        got = lw.sum(lw.where(b, a * a, a), **words)
        with lw.fusion(False):
            want = lw.sum(lw.where(b, a * a, a), **words)
        same(got, want)
    late = a * a
    total = lw.sum(late)
    same(lw.sum(late), total)
    same(lw.sum(late * 3, sum="exact") if np.dtype(dtype).kind == "f" else total,
         lw.sum(np.asarray(late * 3), sum="exact") if np.dtype(dtype).kind == "f" else total)
    with pytest.raises(lw.ArgumentError):
        lw.sum(a * a, axis=len(shape))
