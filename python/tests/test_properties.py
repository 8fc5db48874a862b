"""Operations against NumPy at sizes about a block's, with strided inputs and outputs."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import lanewise as lw

SIZES = [0, 1, 2, 31, 33, 63, 64, 65, 255, 257, 1023, 1024, 1025]
FLOATS = ["f2", "f4", "f8"]
INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]
UNIT = {"e": 2.0**-11, "f": 2.0**-24, "d": 2.0**-53}
LAYOUTS = ["plain", "reversed", "transposed", "strided", "broadcast"]


def laid_out(values: np.ndarray, layout: str, axis: int) -> np.ndarray:
    """The same shape, and the same elements unless they are broadcast, with other strides."""
    if layout == "reversed":
        return np.flip(np.flip(values, axis).copy(), axis)
    if layout == "transposed":
        return values.T.copy().T
    if layout == "strided":
        thirds = (slice(None),) * axis + (slice(1, None, 3),)
        return np.repeat(values, 3, axis=axis)[thirds]
    if layout == "broadcast" and values.shape[axis]:
        return np.broadcast_to(values.take([0], axis), values.shape)
    return values


def numbers(seed: int, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Quarters below 4, integers below 8, or truths."""
    rng, dtype = np.random.default_rng(seed), np.dtype(dtype)
    if dtype.kind == "f":
        return (rng.integers(-16, 17, shape) / 4).astype(dtype)
    low = -7 if dtype.kind == "i" else 0
    return rng.integers(low, 2 if dtype.kind == "b" else 8, shape).astype(dtype)


@st.composite
def sized(draw: Any, dtypes: list[str], least: int = 0) -> tuple[np.ndarray, int]:
    """An array with one axis of such a size, and that axis, which may be negative."""
    size = draw(st.sampled_from([s for s in SIZES if s >= least]))
    shape = draw(st.lists(st.integers(1, 3), max_size=2 if size > 300 else 3))
    axis = draw(st.integers(0, len(shape)))
    shape.insert(axis, size)
    values = numbers(draw(st.integers(0, 99)), tuple(shape), draw(st.sampled_from(dtypes)))
    layout, turned = draw(st.sampled_from(LAYOUTS)), draw(st.integers(0, len(shape) - 1))
    return laid_out(values, layout, turned), axis - draw(st.sampled_from([0, len(shape)]))


def near(got: Any, exact: Any, dtype: Any, units: float) -> None:
    """got has exact's shape and the dtype, and is within units of rounding of the largest."""
    got, exact = np.asarray(got), np.asarray(exact)
    assert (got.shape, got.dtype) == (exact.shape, np.dtype(dtype)), (got.dtype, got.shape)
    if got.dtype.kind != "f":
        np.testing.assert_array_equal(got, exact.astype(got.dtype))
        return
    unit = UNIT[got.dtype.char]
    scale = np.max(np.abs(exact), initial=0, where=np.isfinite(exact))
    with np.errstate(over="ignore"):
        rounded = exact.astype(got.dtype)
    np.testing.assert_allclose(got.astype("f8"), rounded.astype("f8"), rtol=unit * units,
                               atol=unit * units * max(1.0, scale))


def wide(x: np.ndarray) -> np.ndarray:
    """What the oracle computes with."""
    return x.astype("f8" if x.dtype.kind == "f" else "i8")


def sum_dtype(x: np.ndarray) -> np.dtype:
    return x.dtype if x.dtype.kind == "f" else np.dtype("i8")


def into(draw: Callable[..., Any], call: Callable[..., Any]) -> Any:
    """call()'s result, which a strided or reversed out has as well, and nothing beside it."""
    expected = np.asarray(call())
    if expected.ndim == 0:
        out = np.zeros((), expected.dtype)
        assert call(out=out) is out and out.tobytes() == expected.tobytes()
        return expected
    room = np.full((*expected.shape[:-1], 2 * expected.shape[-1] + 1), 77, expected.dtype)
    out = room[..., 1::2][..., :: draw(st.sampled_from([1, -1]))]
    assert call(out=out) is out
    assert np.ascontiguousarray(out).tobytes() == np.ascontiguousarray(expected).tobytes()
    assert (room[..., ::2] == np.array(77).astype(room.dtype)).all()
    return expected


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "any", "all", "argmax", "argmin"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@given(data=st.data())
def test_reductions(name: str, data: st.DataObject) -> None:
    least = 1 if name in ("max", "min", "argmax", "argmin") else 0
    x, axis = data.draw(sized(FLOATS + INTEGERS, least))
    axis = data.draw(st.sampled_from([axis, axis, None]))
    keepdims = data.draw(st.booleans())
    got = into(data.draw, lambda **out: getattr(lw, name)(x, axis=axis, keepdims=keepdims, **out))
    of = wide(x) if name in ("sum", "mean") else x
    exact = getattr(np, name)(of, axis=axis, keepdims=keepdims)
    dtype = {"sum": sum_dtype(x), "max": x.dtype, "min": x.dtype, "any": "?", "all": "?",
             "mean": x.dtype if x.dtype.kind == "f" else "f8"}.get(name, "i8")
    # Sums of quarters are exact, but where f16 ends.
    near(got, exact, dtype, 0 if name == "sum" else 4)


@given(data=st.data())
def test_products(data: st.DataObject) -> None:
    x, axis = data.draw(sized(FLOATS + INTEGERS))
    x = np.where(np.arange(x.size).reshape(x.shape) % 97 == 5, x, np.ones((), x.dtype))
    got = into(data.draw, lambda **out: lw.prod(x, axis=axis, **out))
    near(got, np.prod(wide(x), axis=axis), sum_dtype(x), 16)


@pytest.mark.parametrize("op", ["add", "mul", "max", "min"])
@given(data=st.data())
def test_scans(op: str, data: st.DataObject) -> None:
    x, axis = data.draw(sized(FLOATS + INTEGERS))
    exclusive = data.draw(st.booleans()) and op in ("add", "mul")
    if op == "mul":
        x = np.sign(wide(x)).astype(x.dtype)
    function = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}[op]
    exact = function.accumulate(wide(x), axis=axis)
    if exclusive and x.shape[axis]:
        first = np.full_like(exact.take([0], axis), op == "mul")
        exact = np.concatenate([first, exact.take(range(x.shape[axis] - 1), axis)], axis)
    got = into(data.draw, lambda **out: lw.scan(x, op=op, axis=axis, exclusive=exclusive, **out))
    near(got, exact, sum_dtype(x) if op in ("add", "mul") else x.dtype, 0)


@pytest.mark.parametrize("edge", ["valid", "zero"])
@given(data=st.data())
def test_differences(edge: str, data: st.DataObject) -> None:
    x, axis = data.draw(sized(FLOATS + INTEGERS[:-1], 1))
    exact = np.diff(wide(x), axis=axis)
    if edge == "zero":
        exact = np.concatenate([exact, np.zeros_like(wide(x).take([0], axis))], axis)
    got = into(data.draw, lambda **out: lw.difference(x, axis=axis, edge=edge, **out))
    near(got, exact, x.dtype, 1)


@given(data=st.data())
def test_moving_averages(data: st.DataObject) -> None:
    x, axis = data.draw(sized(FLOATS + INTEGERS, 1))
    n, edge = x.shape[axis], data.draw(st.sampled_from(["valid", "shrink"]))
    window, centre = data.draw(st.integers(1, min(n, 40))), data.draw(st.booleans())
    rows = np.moveaxis(wide(x), axis, -1)
    if edge == "valid":
        exact = np.lib.stride_tricks.sliding_window_view(rows, window, -1).mean(-1)
    else:
        before = (window - 1) // 2 if centre else 0
        ends = [(max(0, i - before), min(n, i - before + window)) for i in range(n)]
        exact = np.stack([rows[..., a:b].mean(-1) for a, b in ends], -1)
    got = into(data.draw, lambda **out: lw.moving_average(x, window, axis=axis, edge=edge,
                                                          centre=centre, **out))
    near(got, np.moveaxis(exact, -1, axis), x.dtype if x.dtype.kind == "f" else "f8", 16)


@given(data=st.data())
def test_softmax_and_norms(data: st.DataObject) -> None:
    x, axis = data.draw(sized(FLOATS, 1))
    v, n = wide(x), x.shape[axis]
    e = np.exp(v - v.max(axis, keepdims=True))
    near(into(data.draw, lambda **out: lw.softmax(x, axis=axis, **out)),
         e / e.sum(axis, keepdims=True), x.dtype, 40)
    near(into(data.draw, lambda **out: lw.log_softmax(x, axis=axis, **out)),
         v - v.max(axis, keepdims=True) - np.log(e.sum(axis, keepdims=True)), x.dtype, 40)
    w, b = numbers(5, (n,), x.dtype), numbers(6, (n,), x.dtype)[::-1]
    along = [n if k == axis % x.ndim else 1 for k in range(x.ndim)]
    centred = v - v.mean(axis, keepdims=True)
    norm = centred / np.sqrt((centred**2).mean(axis, keepdims=True) + 0.5)
    near(into(data.draw, lambda **out: lw.layer_norm(x, weight=w, bias=b, eps=0.5, axis=axis,
                                                     **out)),
         norm * wide(w).reshape(along) + wide(b).reshape(along), x.dtype, 40)
    norm = v / np.sqrt((v**2).mean(axis, keepdims=True) + 0.5)
    near(into(data.draw, lambda **out: lw.rms_norm(x, weight=w, eps=0.5, axis=axis, **out)),
         norm * wide(w).reshape(along), x.dtype, 40)
    x = np.abs(x) + x.dtype.type(1)
    near(into(data.draw, lambda **out: lw.mean_normalize(x, axis=axis, **out)),
         wide(x) / wide(x).mean(axis, keepdims=True), x.dtype, 16)


@given(data=st.data())
def test_copies_in_other_orders_and_dtypes(data: st.DataObject) -> None:
    x, _ = data.draw(sized(FLOATS + INTEGERS))
    axes = data.draw(st.permutations(range(x.ndim)))
    negative = [a - x.ndim for a in axes]
    near(into(data.draw, lambda **out: lw.transpose(x, negative, **out)), np.transpose(x, axes),
         x.dtype, 0)
    there = lw.asarray(x)
    assert there.copy().numpy().tobytes() == np.ascontiguousarray(x).tobytes()
    to = np.dtype(data.draw(st.sampled_from(FLOATS + INTEGERS)))
    if to.kind != "u" or x.dtype.kind != "f":  # NumPy leaves negative floats open
        near(there.astype(to).numpy(), x.astype(to), to, 0)


@pytest.mark.parametrize("text, function", [
    ("a - b", np.subtract), ("a * b", np.multiply), ("a > b ? a : b", np.maximum)])
@given(data=st.data())
def test_maps(text: str, function: Any, data: st.DataObject) -> None:
    x, _ = data.draw(sized(FLOATS[1:]))
    y = numbers(3, tuple(data.draw(st.sampled_from([1, s])) for s in x.shape[1:]), x.dtype)
    near(into(data.draw, lambda **out: lw.map(text, x, y, **out)), function(x, y), x.dtype, 0)


@given(data=st.data())
def test_map_reduce(data: st.DataObject) -> None:
    x, axis = data.draw(sized(["f4", "f8", "i4"]))
    y = laid_out(numbers(4, x.shape, x.dtype), "reversed", 0)
    keepdims = data.draw(st.booleans())
    got = into(data.draw, lambda **out: lw.map_reduce("a * b", "x + y", x, y, axis=axis,
                                                      keepdims=keepdims, **out))
    near(got, np.sum(wide(x) * wide(y), axis=axis, keepdims=keepdims), sum_dtype(x), 0)


@pytest.mark.parametrize("left", FLOATS + INTEGERS)
@pytest.mark.parametrize("right", FLOATS + INTEGERS)
def test_dot_of_each_pair(left: str, right: str) -> None:
    for n in (0, 1, 33, 1025):
        x, y = numbers(n, (n,), left), numbers(n + 1, (2 * n,), right)[::-2]
        common = np.result_type(x, y)
        if common.kind != "f" or "f" not in (x.dtype.kind, y.dtype.kind):
            common = np.dtype("i8")
        near(lw.dot(x, y), np.dot(wide(x).astype("f8"), wide(y).astype("f8")), common, 0)


@given(data=st.data())
def test_matmul(data: st.DataObject) -> None:
    side = st.sampled_from([0, 1, 3, 31, 33, 65])
    dtype = data.draw(st.sampled_from(FLOATS + ["i2", "u4", "?"]))
    m, n, k = data.draw(side), data.draw(side), data.draw(side)
    batch = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=2, max_side=3))
    x = numbers(1, data.draw(st.sampled_from([(*batch.input_shapes[0], m, k), (k,)])), dtype)
    y = numbers(2, data.draw(st.sampled_from([(*batch.input_shapes[1], k, n), (k,)])), dtype)
    x = laid_out(x, data.draw(st.sampled_from(LAYOUTS)), -1 % x.ndim)
    y = laid_out(y, data.draw(st.sampled_from(LAYOUTS)), 0)
    near(into(data.draw, lambda **out: lw.matmul(x, y, **out)), np.matmul(wide(x), wide(y)),
         sum_dtype(x), 0)


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, causal: bool,
              window: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Of (batch, heads, rows, width); fewer heads of keys serve groups of queries."""
    k, v = (np.repeat(a, q.shape[1] // a.shape[1], axis=1) for a in (k, v))
    rows, keys = q.shape[2], k.shape[2]
    at, key = np.arange(rows)[:, None] + keys - rows, np.arange(keys)
    seen = np.ones((rows, keys), bool)
    if causal:
        seen &= key <= at
    if window:
        seen &= (key > at - window) & (key < at + window)
    scores = np.where(seen, 0.5 * q @ np.swapaxes(k, -1, -2), -np.inf)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    weights = e / e.sum(-1, keepdims=True)
    return weights @ v, weights


@given(data=st.data())
def test_attention(data: st.DataObject) -> None:
    dtype, size = data.draw(st.sampled_from(FLOATS)), st.sampled_from([1, 2, 5, 31, 33])
    rows, width, out = data.draw(size), data.draw(size), data.draw(size)
    keys = rows + data.draw(st.sampled_from([0, 1, 33]))
    batch, heads, groups = (data.draw(st.integers(1, 2)) for _ in range(3))
    causal = data.draw(st.booleans())
    window = data.draw(st.sampled_from([None, 1, 3, 40]))
    layout = data.draw(st.sampled_from(LAYOUTS))
    q, k, v = (laid_out(numbers(n, shape, dtype) / np.array(4, dtype), layout, 2)
               for n, shape in enumerate([(batch, heads * groups, rows, width),
                                          (batch, heads, keys, width), (batch, heads, keys, out)]))
    result, weights = attention(wide(q), wide(k), wide(v), causal, window)
    words = {"scale": 0.5, "causal": causal, "window": window}
    near(into(data.draw, lambda **o: lw.attention(q, k, v, **words, **o)), result, dtype, 64)
    near(lw.attention(q, k, v, **words, return_weights=True)[1], weights, dtype, 64)


TO = [None, None, "f4", "f8", "i8", "i4", "f2"]  # dtype=
CALLS: dict[str, tuple[list[str], bool, Callable[..., Any]]] = {
    # name: axes that it takes, whether it takes dtype=, the oracle of (x, axis)
    "sum": (["all", "one", "some"], True, lambda x, a: np.sum(wide(x), axis=a)),
    "mean": (["all", "one", "some"], True, lambda x, a: np.mean(wide(x), axis=a)),
    "max": (["all", "one", "some"], False, lambda x, a: np.max(x, axis=a)),
    "any": (["all", "one", "some"], False, lambda x, a: np.any(x, axis=a)),
    "argmin": (["all", "one"], False, lambda x, a: np.argmin(x, axis=a)),
    "scan": (["all", "one"], True, lambda x, a: np.cumsum(wide(x), axis=a)),
    "sort": (["all", "one"], False, lambda x, a: np.sort(x, axis=a)),
    "argsort": (["all", "one"], False, lambda x, a: np.argsort(x, axis=a, kind="stable")),
    "softmax": (["all", "one"], False, lambda x, a: softmax(wide(x), a)),
    "difference": (["one"], False, lambda x, a: np.diff(wide(x), axis=a)),
    "map": ([], True, lambda x, a: wide(x) * 2),
    "map_reduce": (["all", "one"], True, lambda x, a: np.sum(wide(x) * 2, axis=a)),
}


def softmax(x: np.ndarray, axis: int | None) -> np.ndarray:
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def call_of(name: str, x: Any, words: dict[str, Any]) -> Any:
    if name == "map":
        return lw.map("a * 2", x, **words)
    if name == "map_reduce":
        return lw.map_reduce("a * 2", "x + y", x, **words)
    return getattr(lw, name)(x, **words)


@pytest.mark.parametrize("name", CALLS)
@given(data=st.data())
def test_words_together(name: str, data: st.DataObject) -> None:
    """axis, dtype, out and a stream in one call, for NumPy's arrays, Arrays and lists."""
    axes, has_dtype, oracle = CALLS[name]
    dtypes = FLOATS if name == "softmax" else ["f4", "f8", "i4", "i8"]
    x, axis = data.draw(sized(dtypes, 1))
    words: dict[str, Any] = {}
    kind = data.draw(st.sampled_from(axes)) if axes else None
    if kind == "all":
        axis = None
    elif kind == "some":
        picked = data.draw(st.lists(st.integers(0, x.ndim - 1), unique=True, max_size=x.ndim))
        axis = tuple(k - data.draw(st.sampled_from([0, x.ndim])) for k in picked)
    if kind:
        words["axis"] = axis
    exact = np.asarray(oracle(x, axis))
    to = data.draw(st.sampled_from(TO)) if has_dtype else None
    whole = {"sum": sum_dtype(x), "scan": sum_dtype(x), "map_reduce": sum_dtype(x),
             "mean": x.dtype if x.dtype.kind == "f" else np.dtype("f8"), "any": np.dtype("?"),
             "argmin": np.dtype("i8"), "argsort": np.dtype("i8")}.get(name, x.dtype)
    dtype = np.dtype(to or whole)
    if to is not None:
        words["dtype"] = data.draw(st.sampled_from([dtype, dtype.name]))
    out = None
    if name not in ("sort", "argsort") and data.draw(st.booleans()):
        out = words["out"] = np.full((*exact.shape, 2), 77, dtype)[..., 1]
    stream = data.draw(st.sampled_from([None, None, lw.stream()]))
    given_as = data.draw(st.sampled_from(["numpy", "array"]))
    got = call_of(name, lw.asarray(x) if given_as == "array" else x, {**words, "stream": stream})
    if stream is not None:
        stream.wait()
    if out is not None:
        assert got is out
    elif given_as == "array":
        assert isinstance(got, lw.Array)
    else:
        assert isinstance(got, np.ndarray if exact.ndim or stream is not None else np.generic)
    values = exact
    if dtype.kind in "iu" and exact.dtype.kind == "f":
        values = np.trunc(exact)
    near(got.numpy() if isinstance(got, lw.Array) else got, values, dtype, 40)
