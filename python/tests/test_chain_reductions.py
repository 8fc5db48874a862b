"""Reductions of chains that wait, in one pass: the bits of the chain's elements reduced."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import lanewise as lw

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1e-40, 1.5]
DTYPES = ["bool", "int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32",
          "float64"]
CALLS: list[Callable[..., Any]] = [lw.sum, lw.mean, lw.max, lw.min, lw.any, lw.all]


def bits(x: lw.Array) -> tuple[Any, ...]:
    values = x.numpy().copy()
    if values.dtype.kind == "f":
        values[np.isnan(values)] = np.nan  # every NaN counts as the same value
    return x.shape, x.dtype, values.tobytes()


def values(dtype: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(3)
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype[0] == "f":
        x = rng.normal(0, 9, shape).astype(dtype)
        x[..., :1] = -0.0
        return x
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    return rng.integers(low, high, shape, dtype=dtype, endpoint=True)


@pytest.mark.parametrize("call", CALLS, ids=lambda c: c.__name__)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(7,), (9001,), (3, 5000), (20, 300, 5)])
def test_the_bits_are_those_of_two_steps(call: Any, dtype: str, shape: tuple[int, ...]) -> None:
    x = lw.asarray(values(dtype, shape)).copy()
    flag = lw.asarray(True).copy()
    for words in ({}, {"axis": -1}, {"axis": -1, "keepdims": True}, {"keepdims": True},
                  {"axis": 0}):
        chain = lw.where(flag, x, x)
        assert chain._waits
        got = call(chain, **words)
        assert bits(got) == bits(call(x, **words))


@pytest.mark.parametrize("name", ["max", "min", "any", "all", "mean", "sum"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_values(name: str, dtype: str) -> None:
    call = getattr(lw, name)
    for a in SPECIAL:
        for b in SPECIAL:
            x = lw.asarray(np.array([a] * 4096 + [b] * 4096, dtype)).copy()
            y = lw.asarray(np.array([[a] * 70 + [b] * 70] * 60, dtype)).copy()
            assert bits(call(lw.positive(x))) == bits(call(x))
            assert bits(call(lw.positive(y), axis=1)) == bits(call(y, axis=1))


def test_nothing_is_stored() -> None:
    x = lw.random.normal(1, (100, 100))
    for call in CALLS:
        chain = x * 2 + 1
        call(chain)
        call(chain, axis=1)
        assert chain._waits


def test_of_nothing() -> None:
    x = lw.zeros((2, 0))
    for call in (lw.max, lw.min):
        with pytest.raises(lw.ArgumentError, match="need an element"):
            call(x + 1, axis=1)
    assert np.isnan(lw.mean(x + 1).numpy())
    assert lw.all(x + 1).item() and not lw.any(x + 1).item()
    assert lw.sum(x + 1, axis=0).shape == (0,) and lw.max(x + 1, axis=0).shape == (0,)
