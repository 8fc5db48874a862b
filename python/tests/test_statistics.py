"""Variances, running sums and counts, against NumPy."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st

import lanewise as lw
from conftest import LAYOUTS, laid_out

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "f2", "f4", "f8"]
BOUND = {"e": 4e-3, "f": 2e-6, "d": 1e-14}


@st.composite
def some(draw: Any, least: int = 0, side: int = 1) -> np.ndarray:
    shape = draw(st.lists(st.integers(side, 5), min_size=least, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    x = (rng.integers(0, 16, shape) / 4).astype(draw(st.sampled_from(DTYPES)))
    layout = draw(st.sampled_from(LAYOUTS))
    return laid_out(x, layout)


def close(got: Any, expected: Any) -> None:
    got = got.numpy() if isinstance(got, lw.Array) else got
    assert type(got) is type(expected), (type(got), type(expected))
    assert got.shape == expected.shape and got.dtype == expected.dtype
    bound = BOUND.get(expected.dtype.char, 0)
    np.testing.assert_allclose(got, expected, rtol=bound, atol=bound)


def axes_of(data: st.DataObject, rank: int) -> Any:
    axes = data.draw(st.lists(st.sampled_from(range(-rank, 0)), unique=True, max_size=rank)
                     if rank else st.just([]))
    return data.draw(st.sampled_from([None, tuple(axes), *axes]))


@pytest.mark.parametrize("name", ["var", "std"])
@given(x=some(), data=st.data())
def test_spreads(name: str, x: np.ndarray, data: st.DataObject) -> None:
    axis, keepdims = axes_of(data, x.ndim), data.draw(st.booleans())
    correction = data.draw(st.sampled_from([0, 0.5]))
    words = {"axis": axis, "keepdims": keepdims, "correction": correction}
    expected = getattr(np, name)(x.astype("f8"), **words)
    expected = expected.astype(x.dtype if x.dtype.kind == "f" else "f8")[()]
    got = getattr(lw, name)(x, **words)
    close(got, expected)
    assert isinstance(getattr(lw, name)(lw.asarray(x), **words), lw.Array)
    np.testing.assert_array_equal(getattr(lw, name)(lw.asarray(x), **words).numpy(), got)


def test_a_large_mean_does_not_matter() -> None:
    x = np.arange(1000, dtype="f8") % 7 + 1e9
    close(lw.var(x), x.var())


def test_without_elements() -> None:
    for n, correction in ((1, 1), (3, 3), (3, 4), (0, 0)):
        assert np.isnan(lw.var(np.arange(float(n)), correction=correction))
    assert lw.std(np.ones((0, 3)), axis=1).shape == (0,)


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
@given(x=some(1, 0), data=st.data())
def test_running_ones(name: str, x: np.ndarray, data: st.DataObject) -> None:
    axis, initial = data.draw(st.integers(-x.ndim, x.ndim - 1)), data.draw(st.booleans())
    dtype = data.draw(st.sampled_from([None, "f8", "i4"]))
    if x.dtype.kind == "f" and dtype == "i4":
        dtype = "f4"
    words = {"axis": axis, "include_initial": initial, "dtype": dtype}
    kind = {"u": "u8", "i": "i8", "b": "i8"}.get(x.dtype.kind, x.dtype) if dtype is None else dtype
    expected = getattr(np, name)(x.astype(kind), **dict(words, dtype=kind))
    close(getattr(lw, name)(x, **words), expected)
    assert isinstance(getattr(lw, name)(lw.asarray(x), **words), lw.Array)
    if x.ndim == 1:
        close(getattr(lw, name)(x), getattr(np, name)(x))


@given(x=some(0, 0), data=st.data())
def test_counts(x: np.ndarray, data: st.DataObject) -> None:
    axis, keepdims = axes_of(data, x.ndim), data.draw(st.booleans())
    got = lw.count_nonzero(x, axis=axis, keepdims=keepdims)
    close(got, np.sum(x != 0, axis=axis, keepdims=keepdims, dtype="i8"))


def test_brain_floats() -> None:
    x = lw.asarray([1.0, 2.0, 0.0, 5.0]).astype("bf16")
    assert lw.var(x).astype("f4").item() == 3.5 and lw.var(x).dtype == x.dtype
    assert lw.count_nonzero(x).item() == 3
    assert lw.cumulative_sum(x).astype("f4").numpy().tolist() == [1, 3, 3, 8]


def test_in_graphs() -> None:
    x = np.arange(24, dtype="f4").reshape(2, 3, 4) % 5
    for shape in (x.shape, ("n", 3, 4), (2, "n", 4)):
        with lw.Graph(inputs={"x": lw.TensorType("f4", shape)}) as g:
            g.output(var=lw.var(g.x, axis=(0, 2)), std=lw.std(g.x, keepdims=True),
                     sum=lw.cumulative_sum(g.x, axis=1, include_initial=True),
                     count=lw.count_nonzero(g.x, axis=0))
        got = g.compile()(x=x)
        np.testing.assert_allclose(got["var"], x.var((0, 2)), rtol=1e-6)
        np.testing.assert_allclose(got["std"], x.std(keepdims=True), rtol=1e-6)
        np.testing.assert_array_equal(got["sum"], np.cumulative_sum(x, axis=1,
                                                                    include_initial=True))
        np.testing.assert_array_equal(got["count"], np.count_nonzero(x, axis=0))


def test_out_and_streams() -> None:
    x, out, s = np.arange(6.0).reshape(2, 3), np.zeros((2, 2))[:, 0], lw.stream()
    assert lw.var(x, 1, out=out) is out and (out == x.var(1)).all()
    assert lw.std(lw.asarray(x), stream=s).item() == x.std()
    close(lw.cumulative_sum(x, axis=0, stream=s), np.cumsum(x, 0))


@pytest.mark.parametrize("call, text", [
    (lambda x: lw.var(x, 2), "x has no axis 2"),
    (lambda x: lw.std(x, (0, 0)), "need each axis once"),
    (lambda x: lw.cumulative_sum(x), r"x has shape \(2, 2\); need axis="),
    (lambda x: lw.cumulative_prod(np.float32(1)), r"x has shape \(\); need axis="),
    (lambda x: lw.count_nonzero(x, 0.5), "axis is 0.5"),
])
def test_what_is_refused(call: Callable[[Any], Any], text: str) -> None:
    with pytest.raises(lw.ArgumentError, match=text):
        call(np.eye(2))
