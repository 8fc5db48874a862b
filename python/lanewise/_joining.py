"""Functions that put elements together in new memory. They compute nothing, but for diff."""
from __future__ import annotations

import math
from typing import Any, Callable, Literal, Sequence

import numpy as np

from . import _core, _maps, _operations
from ._array import Recorded, asarray
from ._axes import axis_of
from ._composed import (along, composed, copied, cut, filled, new, part, promoted, public, taken)
from ._core import Stream
from ._errors import ArgumentError
from ._numbers import settled
from ._shaping import broadcast_shapes

ArrayLike = Any
DtypeLike = Any
Axes = int | tuple[int, ...]


def _joined(arrays: Sequence[Any], axis: int, dtype: Any = None) -> Any:
    """Along an axis that all have; the other extents are the same."""
    dtype = promoted(*(x.dtype for x in arrays)) if dtype is None else dtype
    shape = list(arrays[0].shape)
    shape[axis] = sum(x.shape[axis] for x in arrays)
    like = next((x for x in arrays if isinstance(x, Recorded)), arrays[0])
    made, begin = new(like, shape, dtype), 0
    if isinstance(made, Recorded):
        for x in arrays:
            end = begin + x.shape[axis]
            if math.prod(x.shape):
                copied(x, part(made, axis, begin, end))
            begin = end
        return made
    strides = made._strides
    for x in arrays:
        extents = x.shape
        if 0 not in extents:
            to = _core.view(made, begin * strides[axis], extents, strides)
            _core.operate("copy", {}, (x,), to, None)
        begin += extents[axis]
    return made


@composed
def concat(arrays: Sequence[ArrayLike], /, axis: int | None = 0, *, dtype: DtypeLike = None,
           out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """Arrays joined along an axis (None: all elements in one row), in their common dtype.

    The other extents must be the same. Raises ArgumentError.

    >>> lw.concat([np.zeros(2, 'f4'), np.arange(3)])
    array([0., 0., 0., 1., 2.])
    """
    if not arrays:
        raise ArgumentError("there are no arrays; need one or more")
    if axis is None:
        arrays, axis = [x.reshape(math.prod(x.shape)) for x in arrays], 0
    k = axis_of(axis, arrays[0].ndim)
    kept = arrays[0].shape[:k], arrays[0].shape[k + 1:]
    for x in arrays:
        if x.ndim != arrays[0].ndim or (x.shape[:k], x.shape[k + 1:]) != kept:
            raise ArgumentError(f"shapes {arrays[0].shape} and {x.shape} differ in more than axis "
                                f"{k}")
    return _joined(arrays, k, dtype)


concatenate = concat


@composed
def stack(arrays: Sequence[ArrayLike], /, axis: int = 0, *, dtype: DtypeLike = None,
          out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """Arrays of one shape joined along a new axis, in their common dtype.

    >>> lw.stack([np.arange(2), np.ones(2, 'int64')], axis=1)
    array([[0, 1],
           [1, 1]])
    """
    if not arrays:
        raise ArgumentError("there are no arrays; need one or more")
    k = axis_of(axis, arrays[0].ndim + 1)
    for x in arrays:
        if x.shape != arrays[0].shape:
            raise ArgumentError(f"the shapes {arrays[0].shape} and {x.shape} differ")
    return _joined([x[along(k, None)] for x in arrays], k, dtype)


@composed
def roll(x: ArrayLike, /, shift: Axes, axis: Axes | None = None, *,
         stream: Stream | None = None) -> Any:
    """The elements moved along axes (None: of all in one row); the last ones come first.

    >>> lw.roll(np.arange(5), 2)
    array([3, 4, 0, 1, 2])
    """
    if axis is None:
        return _rolled(x.reshape(math.prod(x.shape)), shift, (0,)).reshape(x.shape)
    return _rolled(x, shift, axis)


def _rolled(x: Any, shift: Axes, axis: Axes) -> Any:
    shifts = shift if isinstance(shift, (tuple, list)) else (shift,)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    if len(shifts) != len(axes) and 1 not in (len(shifts), len(axes)):
        raise ArgumentError(f"shift is {shift} and axis {axis}; need as many, or one of one")
    total = dict[int, int]()
    for by, k in np.broadcast(shifts, axes):  # an axis may come twice
        k = axis_of(int(k), x.ndim)
        total[k] = total.get(k, 0) + int(by)
    moves = [(k, by % x.shape[k]) for k, by in total.items() if x.shape[k] and by % x.shape[k]]
    for k, by in moves:
        at = x.shape[k] - by
        x = _joined([part(x, k, at, x.shape[k]), part(x, k, 0, at)], k)
    return x if moves else x.copy()


def _times(x: Any, axis: int, inner: int, count: int) -> Any:
    """Each run of so many elements along an axis comes so often."""
    before, behind = cut(x.shape, axis)
    runs = x.reshape(before * x.shape[axis] // inner if inner else 0, 1, inner * behind)
    shape = (*x.shape[:axis], x.shape[axis] * count, *x.shape[axis + 1:])
    return runs._broadcast_to((runs.shape[0], count, runs.shape[2])).copy().reshape(shape)


@composed
def tile(x: ArrayLike, /, repetitions: int | Sequence[int], *, stream: Stream | None = None) -> Any:
    """x so often along each axis; the last number is of the last axis.

    >>> lw.tile(np.array([1, 2]), (2, 2))
    array([[1, 2, 1, 2],
           [1, 2, 1, 2]])
    """
    times = repetitions if isinstance(repetitions, (tuple, list)) else (repetitions,)
    rank = max(x.ndim, len(times))
    times = (1,) * (rank - len(times)) + tuple(n.__index__() for n in times)
    if min(times, default=0) < 0:
        raise ArgumentError(f"repetitions is {repetitions}; need 0 or more")
    made = x.reshape((1,) * (rank - x.ndim) + x.shape)
    for k in range(rank):
        if times[k] != 1:
            made = _times(made, k, made.shape[k], times[k])
    return made if any(n != 1 for n in times) else made.copy()


@composed
def repeat(x: ArrayLike, /, repeats: int | ArrayLike, axis: int | None = None, *,
           stream: Stream | None = None) -> Any:
    """Each element along an axis (None: of all in one row) so often, or by an array of counts.

    The counts' values are needed at once, so in a graph they are an array, and no tensor.

    >>> lw.repeat(np.array([1, 2]), [1, 3])
    array([1, 2, 2, 2])
    """
    if isinstance(repeats, Recorded):
        raise ArgumentError("repeats is a tensor of a graph, which has no values; need an array")
    if axis is None:
        x, axis = x.reshape(math.prod(x.shape)), 0
    k = axis_of(axis, x.ndim)
    counts = np.asarray(repeats)
    if counts.dtype.kind not in "iub" or counts.ndim > 1 or (counts < 0).any() or \
            counts.size not in (1, x.shape[k]):
        raise ArgumentError(f"repeats is {repeats}; need an integer from 0 on, or one for each of "
                            f"{x.shape[k]} elements")
    if counts.size == 1:
        return _times(x, k, 1, int(counts.reshape(1)[0]))
    return _operations.take(x, np.repeat(np.arange(x.shape[k]), counts), axis=k)


@composed
def pad(x: ArrayLike, /, pad_width: Any,
        mode: Literal["constant", "edge", "reflect", "symmetric", "wrap"] = "constant", *,
        constant_values: float = 0, stream: Stream | None = None) -> Any:
    """More elements at both ends of each axis: so many, (before, after), or a pair for each axis.

    They are constant_values, the edge's, or x's as in NumPy's pad.

    >>> lw.pad(np.array([1, 2, 3]), (2, 1), 'reflect')
    array([3, 2, 1, 2, 3, 2])
    """
    try:
        widths = np.broadcast_to(np.asarray(pad_width), (x.ndim, 2))
    except ValueError:
        widths = np.array(-1.0)
    if widths.size and (widths.dtype.kind not in "iu" or widths.min() < 0):
        raise ArgumentError(f"pad_width is {pad_width}; need integers from 0 on: one, a pair, or a "
                            f"pair for each of {x.ndim} axes")
    if mode not in _PLACES and mode != "constant":
        raise ArgumentError(f"mode is {mode!r}; need constant, edge, reflect, symmetric or wrap")
    for k, (e, (low, high)) in enumerate(zip(x.shape, widths)):
        if mode != "constant" and not e and low + high:
            raise ArgumentError(f"axis {k} has no elements; need mode='constant'")
    if mode != "constant" and math.prod(x.shape) < _FEW and widths.any():
        for k, (low, high) in enumerate(widths.tolist()):
            if low + high:
                at = _PLACES[mode](np.arange(-low, x.shape[k] + high), x.shape[k])
                x = _operations.take(x, at, axis=k)
        return x
    ends = [(int(low), int(low) + e, int(low) + e + int(high))
            for e, (low, high) in zip(x.shape, widths)]
    made = new(x, [end for _, _, end in ends])
    inner = made[tuple(slice(begin, end) for begin, end, _ in ends)]
    if math.prod(x.shape):
        copied(x, inner)
    if mode == "constant":
        value = constant_values if isinstance(made, Recorded) else \
            asarray(settled((constant_values, x))[0], device=x.device)
        for k, (begin, end, last) in enumerate(ends):
            for border in (0, begin), (end, last):
                if border[0] < border[1] and math.prod(made.shape):
                    filled(part(made, k, *border), value)
        return made
    for k, (begin, end, last) in enumerate(ends):
        region = made[tuple(slice(b, e) if j > k else slice(None)
                            for j, (b, e, _) in enumerate(ends))]
        for border in (0, begin), (end, last):
            if border[0] < border[1] and math.prod(made.shape):
                at = begin + _PLACES[mode](np.arange(*border) - begin, x.shape[k])
                near = part(region, k, int(at.min()), int(at.max()) + 1)
                copied(_operations.take(near, at - at.min(), axis=k), part(region, k, *border))
    return made


def _mirrored(at: Any, extent: int) -> Any:
    """Places of a row that goes back from its last element, which does not come twice."""
    period = max(2 * (extent - 1), 1)
    return np.minimum(at % period, period - at % period) if extent > 1 else at * 0


_FEW = 1 << 14  # elements, of which copies cost less than the calls for the borders

# The places whose elements those beyond the ends are, by the mode of pad.
_PLACES: dict[str, Callable[[Any, int], Any]] = {
    "edge": lambda at, extent: np.clip(at, 0, extent - 1), "reflect": _mirrored,
    "symmetric": lambda at, extent: np.minimum(at % (2 * extent), (-1 - at) % (2 * extent)),
    "wrap": lambda at, extent: at % extent}


@composed
def meshgrid(*arrays: ArrayLike, indexing: Literal["xy", "ij"] = "xy",
             stream: Stream | None = None) -> list[Any]:
    """Coordinates of a grid from those of its axes, arrays of rank 1; at most four.

    indexing="xy" has the first two axes of the results swapped.

    >>> lw.meshgrid(np.arange(3), np.arange(2))[1]
    array([[0, 0, 0],
           [1, 1, 1]])
    """
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f"indexing is {indexing!r}; need xy or ij")
    rank = len(arrays)
    order = list(range(rank))
    if indexing == "xy" and rank > 1:
        order[:2] = 1, 0
    views = []
    for x, k in zip(arrays, order):
        if x.ndim > 1:
            raise ArgumentError(f"an array has shape {x.shape}; need rank 1")
        views.append(x.reshape(tuple(-1 if j == k else 1 for j in range(rank))))
    shape = broadcast_shapes(*(x.shape for x in views))
    return [x._broadcast_to(shape).copy() for x in views]


def _triangle(x: Any, k: int, sign: str) -> Any:
    if x.ndim < 2:
        raise ArgumentError(f"x has shape {x.shape}; need two axes or more")
    if not math.prod(x.shape):
        return x.copy()
    k = min(max(k, -x.shape[-2]), x.shape[-1])  # as far as there are diagonals
    rows, columns = (np.arange(extent) for extent in x.shape[-2:])
    return _maps.map(f"c - b {sign} d ? a : 0", x, rows.reshape(-1, 1), columns,
                     np.int64(k), dtype=x.dtype)


@composed
def tril(x: ArrayLike, /, k: int = 0, *, stream: Stream | None = None) -> Any:
    """The elements of matrices up to diagonal k, 0 above.

    >>> lw.tril(np.ones((2, 2)))
    array([[1., 0.],
           [1., 1.]])
    """
    return _triangle(x, k, "<=")


@composed
def triu(x: ArrayLike, /, k: int = 0, *, stream: Stream | None = None) -> Any:
    """The elements of matrices from diagonal k on, 0 below.

    >>> lw.triu(np.ones((2, 2)), 1)
    array([[0., 1.],
           [0., 0.]])
    """
    return _triangle(x, k, ">=")


def _ended(x: Any, ends: Sequence[Any], k: int) -> Any:
    """x with what comes before and behind it; what has rank 0 is one slice."""
    given = settled(tuple(part for part in (ends[0], x, ends[1]) if part is not None))
    parts = [taken(part, getattr(x, "device", None)) for part in given]
    return _joined([p._broadcast_to((*x.shape[:k], 1, *x.shape[k + 1:])) if not p.ndim and x.ndim
                    else p for p in parts], k)


@composed
def diff(x: ArrayLike, /, n: int = 1, axis: int = -1, prepend: ArrayLike | None = None,
         append: ArrayLike | None = None, *, stream: Stream | None = None) -> Any:
    """x[i+1] - x[i] along an axis, n times, with what is put before and behind x.

    >>> lw.diff(np.array([1, 4, 9]), prepend=0)
    array([1, 3, 5])
    """
    if n < 0:
        raise ArgumentError(f"n is {n}; need 0 or more")
    k = axis_of(axis, x.ndim)
    if prepend is not None or append is not None:
        x = _ended(x, (prepend, append), k)
    for _ in range(n):
        x = _operations.difference(x, axis=k)
    return x


__all__ = public(globals())
