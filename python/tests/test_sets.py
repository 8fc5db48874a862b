"""unique, isin and nonzero, against NumPy."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import lanewise as lw
from conftest import LAYOUTS, laid_out

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "f2", "f4", "f8"]


@st.composite
def some(draw: Any) -> np.ndarray:
    shape = draw(st.lists(st.integers(0, 5), max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    x = rng.integers(0, 6, shape).astype(draw(st.sampled_from(DTYPES)))
    if x.dtype.kind == "f" and draw(st.booleans()):
        x = np.where(x == 3, np.nan, x - 2).astype(x.dtype)
    layout = draw(st.sampled_from(LAYOUTS))
    return laid_out(x, layout)


def same(got: Any, expected: Any, kind: type) -> None:
    assert isinstance(got, kind) or not expected.ndim and isinstance(got, np.generic)
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(np.asarray(got), expected)


@pytest.mark.parametrize("name", ["unique_values", "unique_counts", "unique_inverse",
                                  "unique_all"])
@given(x=some())
def test_the_standards(name: str, x: np.ndarray) -> None:
    expected = getattr(np, name)(x)
    for array, kind in ((x, np.ndarray), (lw.asarray(x), lw.Array)):
        got = getattr(lw, name)(array)
        if name == "unique_values":
            same(got, np.sort(expected), kind)
            continue
        assert got._fields == expected._fields
        for field in got._fields:  # unique_all's sort is stable
            same(getattr(got, field), getattr(np.unique_all(x), field), kind)


@given(x=some(), flags=st.tuples(*[st.booleans()] * 3), equal_nan=st.booleans())
def test_numpys(x: np.ndarray, flags: tuple[bool, ...], equal_nan: bool) -> None:
    every = np.unique(x, True, True, True, equal_nan=equal_nan)  # by a stable sort
    expected = [row for row, is_wanted in zip(every, (True, *flags)) if is_wanted]
    for array, kind in ((x, np.ndarray), (lw.asarray(x), lw.Array)):
        got = lw.unique(array, *flags, equal_nan=equal_nan)
        if not any(flags):
            same(got, expected[0], kind)
            continue
        assert len(got) == len(expected)
        for a, b in zip(got, expected):
            same(a, b, kind)


@given(x=some())
def test_where_it_is_not_zero(x: np.ndarray) -> None:
    if not x.ndim:
        with pytest.raises(lw.ArgumentError, match="x has rank 0; need an axis or more"):
            lw.nonzero(x)
        return
    for array, kind in ((x, np.ndarray), (lw.asarray(x), lw.Array)):
        got = lw.nonzero(array)
        assert len(got) == x.ndim
        for a, b in zip(got, np.nonzero(x)):
            same(a, b, kind)


@given(x=some(), y=some(), invert=st.booleans())
def test_what_is_in(x: np.ndarray, y: np.ndarray, invert: bool) -> None:
    expected = np.isin(x, y, invert=invert)
    same(lw.isin(x, y, invert=invert), expected, np.ndarray)
    same(lw.isin(lw.asarray(x), lw.asarray(y), invert=invert), expected, lw.Array)


def test_what_is_in_graphs() -> None:
    x, y = np.arange(6, dtype="f4").reshape(2, 3), np.array([4, 1], "f4")
    for n in (2, "n"):
        with lw.Graph([lw.TensorType("f4", (n, 3)), lw.TensorType("f4", (2,))]) as g:
            g.output(lw.isin(g.x0, g.x1))
        np.testing.assert_array_equal(g.compile()(x, y)["out"], np.isin(x, y))
    same(lw.isin(x, 3), np.isin(x, 3), np.ndarray)
    assert lw.isin(2, [1, 2]) and not lw.isin(np.nan, [np.nan])


def test_many() -> None:
    x = np.random.default_rng(1).integers(0, 900, (100, 1000)).astype("f4")
    for a, b in zip(lw.unique_all(x), np.unique_all(x)):
        np.testing.assert_array_equal(a, b)
    s = lw.stream()
    np.testing.assert_array_equal(lw.unique(lw.asarray(x), stream=s).numpy(), np.unique(x))


def test_zeros_of_both_signs_are_equal() -> None:
    got = lw.unique(np.array([0.0, -0.0, 1.0]), return_counts=True)
    assert got[1].tolist() == [2, 1] and not np.signbit(got[0]).any()


def test_graphs_have_none() -> None:
    for call in (lw.unique, lw.unique_all, lw.nonzero, lw.unique_values):
        with lw.Graph(inputs={"x": lw.TensorType("f4", (3,))}) as g:
            with pytest.raises(lw.ArgumentError, match="not known before the graph runs"):
                call(g.x)
