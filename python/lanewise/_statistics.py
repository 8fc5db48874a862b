"""Variances, running sums, counts of what is not 0."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import _elementwise, _maps, _operations
from ._axes import axis_of, reduced
from ._composed import along, composed, filled, new, public
from ._core import Stream
from ._errors import ArgumentError

ArrayLike = Any
DtypeLike = Any
Axes = int | tuple[int, ...] | None


# Texts are the same objects in each call, which repeats an earlier one then.
_SQUARES = {"f32": "((float)a - b) * ((float)a - b)", "f64": "((double)a - b) * ((double)a - b)"}


def _spread(x: Any, axis: Axes, correction: float, keepdims: bool) -> Any:
    """The sum of squares of what differs from the mean, by its divisor."""
    wide = "f64" if x.dtype.kind in "iub" or x.dtype == np.float64 else "f32"

    def run(x: Any, axis: int | None, out: Any, keepdims: bool) -> Any:
        count = math.prod(x.shape) if axis is None else x.shape[axis_of(axis, x.ndim)]
        mean = _operations.mean(x, axis=axis, keepdims=True, dtype=wide)
        squares = _maps.map_reduce(_SQUARES[wide], "x + y", x, mean, axis=axis, keepdims=keepdims,
                                   dtype=wide)
        return squares / (float(count - correction) if count > correction else math.nan)

    return reduced(run, x, axis, keepdims, None, None)


def _rounded(result: Any, x: Any) -> Any:
    """In x's dtype, of integers as it is."""
    return result if x.dtype.kind in "iub" or result.dtype == x.dtype else result.astype(x.dtype)


@composed
def var(x: ArrayLike, /, axis: Axes = None, *, correction: float = 0, keepdims: bool = False,
        out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """The variance over an axis, several, or all; of integers in float64.

    It is the sum of (x - mean)^2 divided by n - correction, and NaN where that is not above 0.

    >>> lw.var(np.array([1.0, 3.0]), correction=1)
    np.float64(2.0)
    """
    return _rounded(_spread(x, axis, correction, keepdims), x)


@composed
def std(x: ArrayLike, /, axis: Axes = None, *, correction: float = 0, keepdims: bool = False,
        out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """The standard deviation over an axis, several, or all: the square root of var.

    >>> lw.std(np.array([[1.0, 3.0], [2.0, 2.0]]), axis=1)
    array([1., 0.])
    """
    return _rounded(_elementwise.sqrt(_spread(x, axis, correction, keepdims)), x)


def _cumulative(op: Any, first: int, x: Any, axis: int | None, dtype: DtypeLike,
                include_initial: bool) -> Any:
    if axis is None and x.ndim != 1:
        raise ArgumentError(f"x has shape {x.shape}; need axis=, which only rank 1 can do without")
    k = axis_of(0 if axis is None else axis, x.ndim)
    if dtype is None:
        dtype = {"u": np.uint64, "i": np.int64, "b": np.int64}.get(x.dtype.kind, x.dtype)
    if not include_initial:
        return _operations.scan(x, op=op, axis=k, dtype=dtype)
    made = new(x, (*x.shape[:k], x.shape[k] + 1, *x.shape[k + 1:]), dtype)
    if math.prod(made.shape):
        filled(made[along(k, slice(0, 1))], first)
    if math.prod(x.shape):
        _operations.scan(x, op=op, axis=k, out=made[along(k, slice(1, None))])
    return made


@composed
def cumulative_sum(x: ArrayLike, /, *, axis: int | None = None, dtype: DtypeLike = None,
                   include_initial: bool = False, out: ArrayLike | None = None,
                   stream: Stream | None = None) -> Any:
    """Running sums along an axis, which rank 1 need not name; include_initial=True begins with 0.

    Those of integers are int64, of unsigned ones uint64.

    >>> lw.cumulative_sum(np.array([1, 2, 3]), include_initial=True)
    array([0, 1, 3, 6])
    """
    return _cumulative("add", 0, x, axis, dtype, include_initial)


@composed
def cumulative_prod(x: ArrayLike, /, *, axis: int | None = None, dtype: DtypeLike = None,
                    include_initial: bool = False, out: ArrayLike | None = None,
                    stream: Stream | None = None) -> Any:
    """Running products along an axis; as cumulative_sum, but include_initial=True begins with 1.

    >>> lw.cumulative_prod(np.array([1, 2, 3]))
    array([1, 2, 6])
    """
    return _cumulative("mul", 1, x, axis, dtype, include_initial)


@composed
def count_nonzero(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False,
                  stream: Stream | None = None) -> Any:
    """How many are not 0, over an axis, several, or all; int64.

    >>> lw.count_nonzero(np.array([[0, 1], [2, 3]]), axis=1)
    array([1, 2])
    """
    def run(x: Any, axis: int | None, out: Any, keepdims: bool) -> Any:
        return _maps.map_reduce("a != 0", "x + y", x, axis=axis, keepdims=keepdims,
                                      dtype=np.int64)
    return reduced(run, x, axis, keepdims, None, None)


__all__ = public(globals())
