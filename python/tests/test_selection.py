"""Elements selected by index and by mask, against NumPy."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import lanewise as lw

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "f2", "f4", "f8"]
SIZES = [1, 2, 3, 31, 33, 255, 1000, 5000]


@st.composite
def arrays(draw: Any, rank: int | None = None) -> np.ndarray:
    shape = draw(st.lists(st.integers(1, 4), min_size=rank or 1, max_size=rank or 3))
    shape[draw(st.integers(0, len(shape) - 1))] = draw(st.sampled_from(SIZES))
    values = np.random.default_rng(draw(st.integers(0, 99))).integers(0, 100, shape)
    x = values.astype(draw(st.sampled_from(DTYPES)))
    kind = draw(st.sampled_from(["plain", "reversed", "transposed", "strided", "broadcast"]))
    if kind == "reversed":
        return x[::-1]
    if kind == "transposed":
        return x.T
    if kind == "strided":
        return np.repeat(x, 2, axis=-1)[..., ::2]
    return np.broadcast_to(x[..., :1], x.shape) if kind == "broadcast" else x


@given(x=arrays(), data=st.data())
def test_take(x: np.ndarray, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    shape = data.draw(st.lists(st.sampled_from([0, 1, 3, 70]), max_size=5 - x.ndim))
    n, dtype = x.shape[axis], data.draw(st.sampled_from(["i8", "i4", "i2", "u4", "u8"]))
    low = 0 if dtype[0] == "u" else -n
    indices = np.random.default_rng(1).integers(low, n, shape).astype(dtype)
    expected = np.take(x, indices.astype("i8"), axis=axis)
    got = lw.take(x, indices, axis=axis)
    np.testing.assert_array_equal(got, expected)
    assert got.dtype == x.dtype
    out = np.zeros((*expected.shape, 2), x.dtype)[..., 1]
    assert lw.take(x, indices, axis=axis, out=out) is out
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("index, dtype", [(3, "i8"), (-4, "i4"), (200, "u1"), (2**63, "u8"),
                                          (2**40, "i8"), (-2**63, "i8")])
def test_an_index_out_of_range_fails(index: int, dtype: str) -> None:
    with pytest.raises(lw.LaunchError, match="take"):
        lw.take(np.arange(3.0), np.array([0, index], dtype))


def test_take_of_nothing() -> None:
    assert lw.take(np.zeros((0, 3)), np.zeros(0, "i8")).shape == (0, 3)
    assert lw.take(np.zeros((2, 0)), [1, 1, 0]).shape == (3, 0)
    with pytest.raises(lw.LaunchError):
        lw.take(np.zeros(0), [0])


@given(x=arrays(rank=1), mask_dtype=st.sampled_from(DTYPES),
       density=st.sampled_from([0, 1, 5, 9, 10]))
def test_compact(x: np.ndarray, mask_dtype: str, density: int) -> None:
    mask = (np.random.default_rng(density).integers(0, 10, x.shape) < density).astype(mask_dtype)
    for m in (mask, np.repeat(mask, 3)[::3]):
        got = lw.compact(x, m)
        np.testing.assert_array_equal(got, x[m != 0])
        assert got.dtype == x.dtype


def test_masks_of_floats() -> None:
    mask = np.array([0.0, -0.0, np.nan, 5e-324, -1.0, np.inf])
    assert lw.compact(np.arange(6), mask).tolist() == [2, 3, 4, 5]


def test_in_a_graph() -> None:
    x, mask = np.arange(300, dtype="f4"), np.arange(300) % 3 == 1
    types = {"x": lw.TensorType("f32", (300,)), "mask": lw.TensorType("bool", (300,)),
             "at": lw.TensorType("i64", (2,))}
    with lw.Graph(inputs=types) as g:
        kept, count = lw.compact(g.x, g.mask)
        g.output(kept=kept, count=count, some=lw.take(kept, g.at))
    model = g.compile()
    for turn in (mask, ~mask, mask & False):
        got = model(x=x, mask=turn, at=np.array([1, -1]))
        n = int(turn.sum())
        assert int(got["count"]) == n
        padded = np.concatenate([x[turn], np.zeros(300 - n, "f4")])
        np.testing.assert_array_equal(got["kept"], padded)
        np.testing.assert_array_equal(got["some"], got["kept"][[1, -1]])
    with pytest.raises(lw.LaunchError, match="take"):
        model(x=x, mask=mask, at=np.array([0, 300]))


@pytest.mark.parametrize("call, text", [
    (lambda x: lw.take(x, [0], axis=2), "take: x has no axis 2; its rank is 1"),
    (lambda x: lw.take(np.float64(1), [0]), "take: x has no axis 0; its rank is 0"),
    (lambda x: lw.take(np.zeros((1,) * 4), [[0]]), "rank 4 and indices of 2 give rank 5"),
    (lambda x: lw.compact(x, x[:2]), r"x has shape \(3,\) and mask has \(2,\)"),
    (lambda x: lw.compact(np.eye(2), np.eye(2)), r"x has shape \(2, 2\); need rank 1"),
])
def test_wrong_shapes(call: Any, text: str) -> None:
    with pytest.raises(lw.ArgumentError, match=text):
        call(np.arange(3.0))


def test_indices_are_integers() -> None:
    for indices in ([0.0], [True]):
        with pytest.raises(lw.DtypeError, match="indices are of .*; need an integer type"):
            lw.take(np.arange(3.0), indices)


def test_the_checker_finds_nothing() -> None:
    x = np.arange(5000, dtype="f4")
    with lw.check() as report:
        lw.compact(x, x % 3 == 0)
        lw.take(x.reshape(50, 100), [[3, -1], [0, 7]], axis=1)
    assert not report.findings
