"""Slices set by index, or added to, and counts of numbers."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _axes, _core, _operations
from ._array import Recorded, zeros
from ._composed import public
from ._core import Stream
from ._errors import ArgumentError
from ._numbers import settled

ArrayLike = Any
_AXES = 4


def scatter(x: ArrayLike, indices: ArrayLike, values: ArrayLike, *, axis: int = 0,
            out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """x with the slices that the indices name set to values; of equal indices the last one stays.

    The values broadcast to what take gives of x and the indices, and become of x's dtype. A tuple
    has the indices of as many axes, from `axis` on. out=x changes x in place. An index that is out
    of range is an error as take's.

    >>> lw.scatter(np.zeros(4, int), [2, 0, 2], [5, 6, 7])
    array([6, 0, 7, 0])
    """
    return _scattered("scatter", x, indices, values, axis, out, stream)


def scatter_add(x: ArrayLike, indices: ArrayLike, values: ArrayLike, *, axis: int = 0,
                out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """x with values added to the slices that the indices name, in the order of the indices.

    So the bits are the same everywhere. As scatter otherwise, but that floats are not added to
    integers (DtypeError). f16 and bf16 are added in f32 and rounded once; integers wrap.

    >>> lw.scatter_add(np.zeros(4), [2, 0, 2], [1.0, 2.0, 4.0])
    array([2., 0., 5., 0.])
    >>> lw.scatter_add(np.zeros((2, 2), int), ([0, 1, 0], [1, 1, 1]), 1)
    array([[0, 2],
           [0, 1]])
    """
    return _scattered("scatter_add", x, indices, values, axis, out, stream)


def _scattered(name: str, x: ArrayLike, indices: ArrayLike, values: ArrayLike, axis: int,
               out: ArrayLike | None, stream: Stream | None) -> Any:
    several = indices if isinstance(indices, tuple) else (indices,)
    if not 0 < len(several) <= _AXES:
        raise ArgumentError(f"{name}: there are indices of {len(several)} axes; need 1 to {_AXES}")
    inputs = (x, *several, settled((x, values))[1])
    return _operations._run_told(name, {"axis": _axes.over_one(axis)}, inputs, out, stream)


def _limits(x: Any) -> tuple[int, int]:
    """The smallest element, or 0, and the largest."""
    if isinstance(x, np.ndarray) and x.dtype.kind == "i" and x.flags.c_contiguous:
        bits = x.view(f"u{x.itemsize}")  # those below 0 are the largest of these
        most = int(_operations.max(bits))
        if most <= np.iinfo(x.dtype).max:
            return 0, most
    return int(_operations.min(x)), int(_operations.max(x))


def bincount(x: ArrayLike, weights: ArrayLike | None = None, *, minlength: int = 0) -> Any:
    """How often each number from 0 on is in x, integers of rank 1, as int64; or the sums of their
    weights in the order of x, as float64.

    The result has max(x) + 1 elements, at least minlength. Raises ArgumentError for a number below
    0, and for weights of another shape.

    >>> lw.bincount(np.array([1, 3, 1]))
    array([0, 2, 0, 1])
    """
    taken = _axes._taken(x)
    if isinstance(taken, Recorded):
        raise ArgumentError("bincount: how many numbers there are is not known before the graph "
                            "runs; need lanewise.scatter_add")
    if taken.ndim != 1 or minlength < 0:
        raise ArgumentError(f"bincount: x has shape {tuple(taken.shape)}, minlength is {minlength};"
                            " need rank 1, and at least 0")
    if weights is not None and np.shape(weights) != taken.shape:
        raise ArgumentError(f"bincount: x has shape {tuple(taken.shape)} and the weights "
                            f"{np.shape(weights)}; need the same")
    least, most = _limits(taken) if taken.size else (0, -1)
    if least < 0:
        raise ArgumentError(f"bincount: x has {least}; need numbers from 0 on")
    length, dtype = max(most + 1, minlength), "int64" if weights is None else "float64"
    counts = np.zeros(length, dtype) if isinstance(taken, np.ndarray) else \
        zeros(length, dtype, device=taken.device)
    values = np.int64(1) if weights is None else weights
    _core.operate("scatter_add", {}, (counts, taken, values), counts, None)
    return _axes._given(counts, x, None)


__all__ = public(globals())
