"""Functions that make arrays, against NumPy."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st

import lanewise as lw

NUMBERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]


def name_of(dtype: str) -> str:
    return np.dtype(dtype).name


@given(a=st.integers(-20, 20), b=st.integers(-20, 20),
       step=st.integers(-4, 4).filter(bool), dtype=st.sampled_from(NUMBERS))
def test_ranges_of_integers(a: int, b: int, step: int, dtype: str) -> None:
    if dtype[0] == "u":
        a, b = (a, b) if min(a, b) >= 0 else (abs(a), abs(b))
    got = lw.arange(a, b, step, dtype=name_of(dtype))
    expected = np.arange(a, b, step).astype(dtype)
    assert isinstance(got, lw.Array) and got.dtype == expected.dtype
    np.testing.assert_array_equal(got.numpy(), expected)
    assert lw.arange(a, b, step).dtype == np.int64


@given(a=st.floats(-9, 9, width=32), b=st.floats(-9, 9, width=32),
       step=st.sampled_from([0.1, 1 / 3, 2.5, -0.7]), dtype=st.sampled_from(["f2", "f4", "f8"]))
def test_ranges_of_floats(a: float, b: float, step: float, dtype: str) -> None:
    got, expected = lw.arange(a, b, step, dtype=dtype), np.arange(a, b, step)
    assert got.shape == expected.shape and got.dtype == np.dtype(dtype)
    exact = a + np.arange(len(expected)) * step
    np.testing.assert_array_equal(got.numpy(), exact.astype(dtype))
    np.testing.assert_allclose(exact, expected, atol=1e-13)


def test_large_integers() -> None:
    for args in ((2**63, 2**63 + 9, 3), (2**64 - 1, 2**63, -2**62), (0, 2**64 - 1, 2**63)):
        np.testing.assert_array_equal(lw.arange(*args, dtype="uint64").numpy(),
                                      np.array(range(*args), "u8"))
    args = (-2**63, 2**63 - 1, 2**62)
    np.testing.assert_array_equal(lw.arange(*args).numpy(), np.array(range(*args)))


@given(a=st.floats(-1e3, 1e3), b=st.floats(-1e3, 1e3), num=st.integers(0, 9),
       endpoint=st.booleans(), dtype=st.sampled_from(["i4", "f4", "f8", None]))
def test_equal_distances(a: float, b: float, num: int, endpoint: bool, dtype: str | None) -> None:
    got = lw.linspace(a, b, num, endpoint=endpoint, dtype=dtype)
    expected = np.linspace(a, b, num, endpoint=endpoint)
    if dtype == "i4":
        expected = np.floor(expected)
    expected = expected.astype(dtype or "f8")
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got.numpy(), expected)
    assert lw.linspace(0, 1).shape == (50,)


def test_diagonals() -> None:
    for n, m in ((3, 3), (2, 4), (4, 2), (0, 3), (1, 0)):
        for k in range(-4, 5):
            got = lw.eye(n, m, k=k, dtype="i4")
            np.testing.assert_array_equal(got.numpy(), np.eye(n, m, k, "i4"))
    assert lw.eye(2).dtype == np.float32 and lw.eye(2, device="ref").device.name == "ref"


@pytest.mark.parametrize("name, more", [("zeros_like", ()), ("ones_like", ()),
                                        ("full_like", (3,)), ("empty_like", ())])
def test_like(name: str, more: tuple[Any, ...]) -> None:
    call, reference = getattr(lw, name), getattr(np, name)
    for dtype in (*NUMBERS, "?"):
        for x in (np.ones((), dtype), np.ones((2, 0), dtype), np.ones((4, 6), dtype).T[::2]):
            for array in (x, lw.asarray(x)):
                got, expected = call(array, *more), reference(x, *more)
                assert got.dtype == expected.dtype and got.shape == expected.shape
                if name != "empty_like":
                    np.testing.assert_array_equal(np.asarray(got), expected)
                assert isinstance(got, lw.Array) == isinstance(array, lw.Array)
    assert call([1, 2], *more, dtype="f4").dtype == np.float32
    there = call(np.ones(2), *more, device="ref")
    assert isinstance(there, lw.Array) and there.device.name == "ref"
    assert call(lw.zeros(2, "bf16"), *more).dtype == lw.zeros(1, "bf16").dtype


def test_like_in_graphs() -> None:
    for shape in ((2, 3), ("n", 3)):
        with lw.Graph(inputs={"x": lw.TensorType("f4", shape)}) as g:
            g.output(lw.concat([lw.full_like(g.x, 2.5), g.x, lw.zeros_like(g.x)], axis=1))
        x = np.ones((2, 3), "f4")
        expected = np.concatenate([x * 2.5, x, x * 0], axis=1)
        np.testing.assert_array_equal(g.compile()(x=x)["out"], expected)


def test_ones() -> None:
    assert (lw.ones((2, 3), "i4").numpy() == 1).all() and lw.ones(2).dtype == np.float32
    assert {call(2, dtype=None).dtype for call in (lw.ones, lw.eye, lw.zeros, lw.empty)} == \
        {np.dtype("f8")}


@pytest.mark.parametrize("call, text", [
    (lambda: lw.arange(3, "f4"), "stop is 'f4'; need a number"),
    (lambda: lw.arange(0, 1, 0), "step is 0; need another"),
    (lambda: lw.arange(float("nan")), "stop is nan; need a finite number"),
    (lambda: lw.arange(300, dtype="int8"), "the number 299 does not fit int8"),
    (lambda: lw.arange(-1, 3, dtype="uint64"), "the number -1 does not fit uint64"),
    (lambda: lw.arange(np.arange(2)), "stop is array.*; need a number"),
    (lambda: lw.linspace(0, 1, -1), "num is -1; need 0 or more"),
    (lambda: lw.full_like(np.zeros(2, "i1"), 300), "the number 300 does not fit int8"),
])
def test_what_is_refused(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(lw.ArgumentError, match=text):
        call()
