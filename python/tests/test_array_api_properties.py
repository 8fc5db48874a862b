"""Properties of Arrays that the array API standard asks for, with hypothesis' strategies for it;
NumPy is the oracle. The standard's own suite, which is no package, has tests of this kind."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.array_api import make_strategies_namespace

import lanewise as lw

pytestmark = pytest.mark.on_cpu
xp = lw.array_api
xps = make_strategies_namespace(xp)  # which knows the namespace by Array.__array_namespace__

DTYPES = st.sampled_from([*xp.__array_namespace_info__().dtypes().values()])
SHAPES = xps.array_shapes(min_dims=0, min_side=0, max_side=5)
ARRAYS = xps.arrays(dtype=DTYPES, shape=SHAPES)


def same(got: Any, wanted: Any) -> None:
    assert type(got) is lw.Array and got.shape == wanted.shape and got.dtype == wanted.dtype
    np.testing.assert_array_equal(got.numpy(), wanted)


def value_of(x: Any) -> Any:
    """What is set: a number, or an array of rank 0."""
    return xps.from_dtype(x.dtype) | xps.arrays(dtype=x.dtype, shape=())


@given(ARRAYS, st.data())
def test_indices(x: Any, data: Any) -> None:
    key = data.draw(xps.indices(shape=x.shape, allow_newaxis=True, max_dims=4))
    same(x[key], np.asarray(x.numpy()[key]))


@given(ARRAYS, st.data())
def test_assignment(x: Any, data: Any) -> None:
    key, value = data.draw(xps.indices(shape=x.shape)), data.draw(value_of(x))
    mine, numpys = xp.asarray(x, copy=True), x.numpy().copy()
    mine[key] = value
    numpys[key] = np.asarray(value)
    same(mine, numpys)


@given(ARRAYS, st.data())
def test_masks(x: Any, data: Any) -> None:
    """Also with extents of 0, of another rank, and of shapes that are wrong."""
    cut = st.lists(st.booleans(), min_size=x.ndim, max_size=x.ndim).map(
        lambda row: tuple(n if is_kept else 0 for n, is_kept in zip(x.shape, row)))
    shape = data.draw(st.sampled_from([x.shape, (), x.shape[:1]]) | cut | SHAPES)
    mask = data.draw(xps.arrays(dtype=xp.bool, shape=shape))
    try:
        wanted = x.numpy()[mask.numpy()]
    except IndexError:
        with pytest.raises(IndexError):
            x[mask]
        return
    same(x[mask], wanted)
    value = data.draw(value_of(x))
    mine, numpys = xp.asarray(x, copy=True), x.numpy().copy()
    mine[mask] = value
    numpys[mask.numpy()] = np.asarray(value)
    same(mine, numpys)


@given(ARRAYS)
def test_lists_and_copies(x: Any) -> None:
    if x.size:
        same(xp.asarray(x.numpy().tolist(), dtype=x.dtype), x.numpy())
    copy, itself = xp.asarray(x, copy=True), xp.asarray(x, copy=False)
    before = x.numpy().copy()
    copy[...] = 1
    same(x, before)
    itself[...] = 1
    same(x, np.ones(x.shape, x.dtype))


@given(xps.arrays(dtype=DTYPES, shape=()))
def test_numbers(x: Any) -> None:
    for kind in (bool, int, float, complex, operator.index):
        try:
            wanted = kind(x.numpy()[()])
        except (TypeError, ValueError, OverflowError) as error:
            with pytest.raises(type(error)):
                kind(x)
            continue
        got = kind(x)
        assert type(got) is type(wanted) and (got == wanted or got != got)


IN_PLACE = ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "iand", "ior", "ixor",
            "ilshift", "irshift")


@given(st.sampled_from(IN_PLACE), DTYPES, xps.mutually_broadcastable_shapes(2, max_side=3),
       st.data())
def test_in_place(name: str, dtype: Any, shapes: Any, data: Any) -> None:
    x = data.draw(xps.arrays(dtype=dtype, shape=shapes.result_shape))
    small = {"min_value": 1, "max_value": 7} if dtype != xp.bool else {}
    y = data.draw(xps.arrays(dtype=dtype, shape=shapes.input_shapes[0], elements=small) |
                  xps.from_dtype(dtype, **small))
    numpys = x.numpy().copy()
    with np.errstate(all="ignore"):
        try:
            getattr(operator, name)(numpys, y.numpy() if isinstance(y, lw.Array) else y)
        except TypeError:
            return
    mine = getattr(operator, name)(x, y)
    assert mine is x
    same(mine, numpys)


@given(ARRAYS, st.data())
def test_dlpack(x: Any, data: Any) -> None:
    words = data.draw(st.fixed_dictionaries({}, optional={
        "copy": st.sampled_from([None, True, False]), "dl_device": st.just((1, 0)),
        "max_version": st.sampled_from([(0, 8), (1, 0), (2, 0)])}))
    x.__dlpack__(**words)
    device = data.draw(st.sampled_from([None, lw.device("cpu"), lw.device("ref")]))
    for copy in (None, True, False):
        made = xp.from_dlpack(x, device=device, copy=copy)
        assert made.device == (device or x.device)
        same(made, x.numpy())


@given(st.integers(), st.integers(0, 5), st.none() | st.integers(0, 5), DTYPES)
def test_diagonals(k: int, rows: int, columns: int | None, dtype: Any) -> None:
    near = max(min(k, 100), -100)
    same(xp.eye(rows, columns, k=k, dtype=dtype), np.eye(rows, columns, near, dtype))
    x = xp.ones((rows, columns or 2), dtype=dtype)
    same(xp.tril(x, k=k), np.tril(x.numpy(), near))
    same(xp.triu(x, k=k), np.triu(x.numpy(), near))


@given(st.integers(0, 30), st.booleans(), st.sampled_from([xp.int16, xp.uint32, xp.float32]),
       st.integers(0, 1000), st.integers(0, 1000))
def test_linspace(num: int, endpoint: bool, dtype: Any, start: int, stop: int) -> None:
    made = xp.linspace(start, stop, num, dtype=dtype, endpoint=endpoint)
    assert made.shape == (num,) and made.dtype == dtype
    if num:
        assert made[0] == start
    if num > 1 and endpoint:
        assert made[-1] == stop
    if not endpoint:
        same(made, xp.linspace(start, stop, num + 1, dtype=dtype)[:-1].numpy())


def test_empty_and_nan() -> None:
    none = xp.asarray([])
    assert (xp.sum(none), xp.prod(none), xp.all(none), xp.any(none)) == (0, 1, True, False)
    for name in ("mean", "std", "var"):
        assert xp.isnan(getattr(xp, name)(none))
    for name in ("max", "mean", "min", "prod", "std", "sum", "var"):
        assert xp.isnan(getattr(xp, name)(xp.asarray([1.0, xp.nan, 2.0])))
