"""lanewise.array_api beside array-api-strict: each function of the standard, with arguments made
from its signature. What strict refuses the standard does not define; it is no case."""
from __future__ import annotations

import inspect
import itertools
import math
import os
import warnings
from typing import Any, Iterator

import numpy as np
import pytest

import lanewise as lw

strict = pytest.importorskip("array_api_strict", reason="array-api-strict is not installed")
xp = lw.array_api

FULL = bool(os.environ.get("LANEWISE_TEST_FULL"))
pytestmark = pytest.mark.on_cpu

COMPLEX = {"complex64", "complex128", "conj", "imag", "real"}
EXTENSIONS = {"fft", "linalg"}
LATER = {"broadcast_shapes", "isin"}  # in versions after 2024.12
OF_STRICT = {"ArrayAPIStrictFlags", "Device", "__version__", "get_array_api_strict_flags",
             "reset_array_api_strict_flags", "set_array_api_strict_flags"}
NAMES = sorted(set(strict.__all__) - COMPLEX - EXTENSIONS - LATER - OF_STRICT)
FUNCTIONS = [name for name in NAMES if inspect.isfunction(getattr(strict, name))
             and name != "__array_namespace_info__"]
DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float32", "float64")
FEW = ("bool", "int16", "uint8", "float32")
MIXED = (*((d, d) for d in FEW), ("int16", "uint8"), ("uint16", "int8"), ("float32", "float64"))
SHAPES = ((), (19,), (0,), (3, 4), (2, 0), (2, 3, 4), (2, 1, 3, 1, 2, 2))
HAVE_AXES = {"argsort", "cumulative_prod", "cumulative_sum", "diff", "sort", "squeeze", "unstack"}
Call = tuple[tuple[Any, ...], dict[str, Any]]


@pytest.fixture(autouse=True)
def version() -> Iterator[None]:
    strict.set_array_api_strict_flags(api_version="2024.12")
    before = lw.default_device()
    lw.default_device(before if FULL else "ref")  # which compiles the fastest
    yield
    lw.default_device(before)
    strict.reset_array_api_strict_flags()


# ---- arguments ----

class Dtype(str):
    """The namespace's dtype of a name."""


def array(dtype: str, shape: tuple[int, ...], seed: int = 0) -> np.ndarray[Any, Any]:
    """Small numbers of both signs, some of them equal; of floats also what is special."""
    rng, size = np.random.default_rng(seed), math.prod(shape)
    if dtype[0] != "f":
        low, high = (0, 2) if dtype == "bool" else (0 if dtype[0] == "u" else -4, 9)
        return rng.integers(low, high, size).astype(dtype).reshape(shape)
    made = np.round(rng.normal(0, 2, size), 1).astype(dtype)
    if len(shape) == 1:
        special = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -1.0, 0.5, 1e-40, 3.0]
        made[:10] = (special if seed == 0 else special[::-1])[:size]
    return made.reshape(shape)


def is_taken(name: str, dtype: str, count: int) -> bool:
    try:
        getattr(strict, name)(*[strict.asarray(array(dtype, (3, 4)))] * count)
    except ValueError:  # of the values, as a negative power
        pass
    except TypeError:
        return False
    return True


def some(name: str, count: int) -> tuple[str, ...]:
    """The dtypes that a function of so many arrays takes; without --full float32 and one more."""
    taken = tuple(d for d in DTYPES if is_taken(name, d, count))
    if FULL or not taken:
        return taken
    return "float32" if "float32" in taken else taken[0], taken[NAMES.index(name) % len(taken)]


def arrays(dtypes: Any) -> Iterator[tuple[Any, ...]]:
    for dtype, shape in itertools.product(dtypes, SHAPES):
        yield array(dtype, shape),


def pairs(dtypes: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    """Pairs of dtypes; shapes that broadcast; of floats each special value with each."""
    for a, b in itertools.product(dtypes, dtypes) if FULL else [dtypes, dtypes[1:] * 2]:
        yield array(a, (3, 4), 1), array(b, (3, 4), 2)
    for a, b in (((), ()), ((2, 1, 4), (3, 1)), ((0,), (1,))):
        yield array(dtypes[-1], a, 1), array(dtypes[-1], b, 2)
    for dtype in ("float32", "float64") if FULL else ("float32",):
        x = array(dtype, (19,))
        yield x[:, None], x[None, :]
        yield x, 2.0
        yield 0.0, x
    yield array("int16", (19,)), 3


def products() -> Iterator[tuple[Any, ...]]:
    for a, b in itertools.product(DTYPES[1:], DTYPES[1:]) if FULL else MIXED:
        yield array(a, (4,), 1), array(b, (4,), 2)
    for dtype in FEW:
        for a, b in (((3, 4), (4,)), ((0,), (0,)), ((3, 4), (4, 2)), ((2, 3, 4), (2, 4, 3)),
                     ((2, 3, 4), (4,)), ((4,), (4, 2)), ((4, 3), (2, 3, 2))):
            yield array(dtype, a, 1), array(dtype, b, 2)


def tensordots() -> Iterator[tuple[Any, ...]]:
    for a, b in itertools.product(DTYPES[1:], FEW[1:]) if FULL else MIXED:
        for shape in (3,), (2, 3), (3, 2), (2, 3, 2), (2, 2):
            yield array(a, (2, 3)), array(b, shape)


def chosen() -> Iterator[tuple[Any, ...]]:
    for a, b in itertools.product(FEW, FEW):
        yield array("bool", (3, 4)), array(a, (4,)), array(b, (3, 1))
    yield array("bool", (3, 4)), array("float32", (4,)), 2.0
    yield array("bool", (3, 4)), 1, array("int8", (4,))


def clipped() -> Iterator[tuple[Any, ...]]:
    for x, in arrays(DTYPES[1:] if FULL else FEW[1:]):
        kind = float if x.dtype.kind == "f" else int
        for low, high in itertools.product((None, kind(1), x.dtype.type(1)), (None, kind(3))):
            yield x, low, high
        yield x, np.asarray(kind(2), x.dtype), np.full(x.shape, 4, x.dtype)


def indexed() -> Iterator[tuple[Any, ...]]:
    for x, in arrays(FEW):
        for indices in ([0, 2, 1], [-1, 0], []):
            yield x, np.asarray(indices, "int64")


def along() -> Iterator[tuple[Any, ...]]:
    for x, in arrays(FEW):
        yield x, np.zeros((1,) * (x.ndim - 1) + (2,), "int64")
        yield x, np.ones(x.shape, "int32")


def searched() -> Iterator[tuple[Any, ...]]:
    for a, b in itertools.product(("int16", "uint8", "float32"), repeat=2):
        row = np.unique(np.nan_to_num(array(a, (19,)), posinf=9, neginf=-9))
        for shape in SHAPES:
            yield row, np.nan_to_num(array(b, shape, 3), posinf=99)


def casts() -> Iterator[tuple[Any, ...]]:
    for x, name in itertools.product((array(d, (2, 2)) for d in DTYPES), DTYPES):
        yield (x if x.dtype == bool else abs(x)), Dtype(name)


def lists() -> Iterator[tuple[Any, ...]]:
    for a, b in itertools.product(DTYPES[1:], DTYPES):
        if FULL or a in FEW:
            yield [array(a, (3, 4)), array(b, (3, 4))],
    for dtype, shape in itertools.product(FEW, SHAPES):
        yield [array(dtype, shape, seed) for seed in range(3)],
    yield [array("int8", (3, 4)), array("int8", (2, 4))],


def several() -> Iterator[tuple[Any, ...]]:
    for a, b in itertools.product(FEW, FEW):
        yield array(a, (3,)), array(b, (4,))
    yield array("int8", (3,)),
    yield array("int8", (2,)), array("int8", (3,)), array("int8", (4,))


OBJECTS = (0, 1.5, True, [], [1, 2], [1, 2.5], [[1], [2]], [[True, False]], [[1, 2], [3, 4]], 2**40)
KINDS = ("bool", "signed integer", "unsigned integer", "integral", "real floating", "numeric",
         "complex floating", ("bool", "integral"), Dtype("int8"), (Dtype("int8"), "bool"))
ALL = [Dtype(name) for name in DTYPES]
# Positional arguments by function; else by the names of the parameters.
OF_FUNCTION: dict[str, Any] = {
    "clip": clipped, "take": indexed, "take_along_axis": along, "searchsorted": searched,
    "astype": casts, "where": chosen, "isdtype": lambda: itertools.product(ALL, KINDS),
    "can_cast": lambda: itertools.product(ALL, ALL),
    "result_type": lambda: itertools.chain(itertools.product(ALL, ALL), pairs(FEW[:2])),
    "finfo": lambda: ((d,) for d in ALL), "iinfo": lambda: ((d,) for d in ALL),
    "asarray": lambda: ((x,) for x in (*OBJECTS, array("int8", (3, 4)))),
    "arange": lambda: itertools.chain(itertools.product((0, 5, 1.5)), itertools.product(
        (0, 1.5, -3), (7, 5.25, -2), (1, 2, 0.5, -1, -0.75))),
    "linspace": lambda: itertools.product((0, 1.5, 7), (5, 2.25), (0, 1, 2, 7)),
    "moveaxis": lambda: ((x, a, b) for x, in arrays(FEW) for a, b in
                         ((0, -1), (-1, 0), ((0, 1), (1, 0)), ((0, 2), (-1, 0)))),
    "repeat": lambda: ((x, n) for x, in arrays(FEW) for n in
                       (0, 2, np.asarray([2, 0, 1]), np.asarray([3]))),
    "tensordot": tensordots, "matmul": products, "vecdot": products,
    "eye": lambda: itertools.product((0, 2, 3), (None, 0, 4)),
}
BY_NAMES: dict[tuple[str, ...], Any] = {
    ("x",): arrays, ("x1", "x2"): pairs}
# What other parameters may be.
OPTIONS: dict[str, Any] = {
    "axis": (0, 1, -1, (0, 1), (), (0, -1)), "keepdims": (False, True), "dtype": ALL[1:],
    "correction": (0, 1.0, 0.5), "descending": (False, True), "stable": (True,),
    "include_initial": (False, True), "k": (-1, 0, 1, 5), "n": (1, 2), "copy": (None, True),
    "indexing": ("xy", "ij"), "endpoint": (True, False), "device": (None,),
    "fill_value": (0, 1, 2.5, True), "side": ("left", "right"), "sorter": (None,),
    "shape": ((), 3, (0,), (2, 3), (-1,), (4, 3), (2, 6), (2, 2, 6), (19, 1)), "shift": (
        1, -2, (1, 2), 0), "repetitions": ((2,), (2, 1, 2), (), (0,)), "axes": (
        (), (0,), (1, 0), (2, 0, 1)),
    "prepend": (np.zeros((), "int16"), np.zeros((2,), "int16"), np.zeros((3, 1), "float32")),
    "append": (np.ones((3, 2), "int16"), np.ones((1,), "uint8"))}


def calls(name: str) -> Iterator[Call]:
    """Positional arguments, with each keyword alone and beside each axis."""
    parameters = inspect.signature(getattr(strict, name)).parameters.values()
    lead = [p for p in parameters if p.kind is not p.KEYWORD_ONLY]
    words = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    names = tuple(p.name for p in lead)
    if name in OF_FUNCTION:
        given = OF_FUNCTION[name]()
    elif names == ("arrays",):
        given = several() if lead[0].kind is lead[0].VAR_POSITIONAL else lists()
    elif names in BY_NAMES:
        given = BY_NAMES[names](some(name, len(names)))
    else:
        given = ((*x, *rest) for x in (arrays(FEW) if names[0] == "x" else [()]) for rest in
                 itertools.product(*(OPTIONS[n] for n in names if n != "x")))
    axes = [{}, *({"axis": a} for a in OPTIONS["axis"])] if "axis" in words else [{}]
    options = [{}, *({w: o} for w in words if w != "axis" for o in OPTIONS[w])]
    for args in given:
        for axis, option in itertools.product(axes, options):
            yield args, axis | option


def there(x: Any, namespace: Any) -> Any:
    """Arguments as the namespace has them."""
    if isinstance(x, Dtype):
        return getattr(namespace, x)
    if isinstance(x, np.ndarray):
        return namespace.asarray(x)
    if isinstance(x, (list, tuple)):
        return type(x)(there(v, namespace) for v in x)
    return x


def is_defined(name: str, call: Call) -> bool:
    """False for what NumPy does beyond the standard, and strict with it."""
    args, words = call
    x = args[0] if args and isinstance(args[0], np.ndarray) else np.zeros(1)
    if not x.ndim and (name in HAVE_AXES or words.get("axis") is not None):
        return False
    if "sort" in name and np.isnan(x).any():  # where NaNs are is left open
        return False
    is_float = "float" in str(x.dtype) if x.size > 1 else any(type(a) is float for a in args)
    return not (is_float and words.get("dtype", "f")[0] in "iu")


def called(name: str, call: Call, namespace: Any) -> Any:
    args, words = call
    return getattr(namespace, name)(*there(args, namespace), **{
        word: there(value, namespace) for word, value in words.items()})


# ---- results ----

def same(got: Any, wanted: Any, has_values: bool) -> None:
    if isinstance(wanted, (list, tuple)):
        assert isinstance(got, (list, tuple)) and len(got) == len(wanted)
        assert getattr(got, "_fields", None) == getattr(wanted, "_fields", None)
        for a, b in zip(got, wanted):
            same(a, b, has_values)
    elif hasattr(wanted, "bits"):
        assert all(getattr(got, n) == getattr(wanted, n) for n in ("bits", "max", "min"))
    elif not hasattr(wanted, "shape"):
        assert str(got) == str(wanted).rpartition(".")[2]
    else:
        assert type(got) is lw.Array and got.shape == wanted.shape
        assert str(got.dtype) == str(wanted.dtype).rpartition(".")[2]
        if has_values:
            values, eps = np.asarray(wanted), 0.0
            if values.dtype.kind == "f":
                eps = 16 * float(np.finfo(values.dtype).eps)
            np.testing.assert_allclose(got.numpy(), values, rtol=eps, atol=eps)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name: str) -> None:
    count = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls(name):
            if not is_defined(name, call):
                continue
            try:
                wanted = called(name, call, strict)
            except (TypeError, ValueError, IndexError, OverflowError, AttributeError):
                continue
            if any(part.ndim > 8 for part in (wanted if isinstance(wanted, tuple) else (wanted,))
                   if hasattr(part, "ndim")):
                continue
            count += 1
            try:
                same(called(name, call, xp), wanted, "empty" not in name)
            except Exception as error:
                raise AssertionError(f"xp.{name}, {call}: {error}") from error
    assert count


def test_in_a_graph() -> None:
    """The functions take a graph's tensors, too."""
    x = np.arange(6, dtype="u1").reshape(2, 3)
    with lw.Graph(inputs={"x": lw.TensorType("u1", (2, 3))}) as g:
        g.output(total=xp.sum(g.x, axis=1), scaled=xp.astype(g.x, xp.float64) / 2,
                 product=xp.matmul(g.x, xp.matrix_transpose(g.x)), order=xp.sort(g.x, axis=0))
    made = g.compile()(x=x)
    assert {name: str(row.dtype) for name, row in made.items()} == {
        "total": "uint64", "scaled": "float64", "product": "uint8", "order": "uint8"}
    np.testing.assert_array_equal(made["product"], x @ x.T)


def test_what_is_refused() -> None:
    x = lw.zeros(2)
    with pytest.raises(lw.ArgumentError, match="api_version is '2020.1'"):
        x.__array_namespace__(api_version="2020.1")
    with pytest.raises(lw.DtypeError):
        xp.asarray([1j])
    with pytest.raises(lw.ArgumentError, match="kind is 'float'"):
        xp.isdtype(xp.int8, "float")
    with pytest.raises(TypeError, match="is no index"):
        range(x)  # type: ignore[call-overload]
    with pytest.raises(lw.ArgumentError, match="two axes"):
        x.mT
    with pytest.raises(lw.ArgumentError):
        xp.result_type(1, 2.0)
    for function in (xp.finfo, xp.iinfo):
        with pytest.raises(lw.DtypeError, match="dtype is bool"):
            function(xp.bool)
