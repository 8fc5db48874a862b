"""Axes that the library does not have: None, where it has no such default, and tuples.

They become one axis of an array in C order: a view, or a copy that the call's stream makes.
"""
from __future__ import annotations

import math
import operator
from typing import Any, Callable, Sequence

import numpy as np

from . import _core
from ._array import Array, Recorded, asarray, deliver, values_of
from ._core import Stream
from ._errors import ArgumentError, IndexError

Run = Callable[..., Any]  # (x, axis, out): the operation


def _taken(x: Any) -> Any:
    """What has shape, reshape and transpose as NumPy's arrays."""
    if isinstance(x, (np.ndarray, Array, Recorded)):
        return x
    return asarray(x) if hasattr(x, "__dlpack__") and not isinstance(x, np.generic) or \
        hasattr(x, "__cuda_array_interface__") else values_of(x)


def _is_whole(x: Any) -> bool:
    """True if x is C-contiguous, so that reshape gives a view."""
    if isinstance(x, np.ndarray):
        return bool(x.flags.c_contiguous)
    return (x._array if isinstance(x, Recorded) else x)._contiguous_view() is not None


def _in_order(x: Any, order: Sequence[int], stream: Stream | None) -> Any:
    """The axes in that order, C-contiguous."""
    if list(order) == list(range(x.ndim)) and _is_whole(x):
        return x
    return _core.operate("permute", {"axes": ",".join(map(str, order))}, (x,), None, stream)


def _length(extents: Sequence[Any]) -> Any:
    """Of the axis that they become; -1 where a size is not known yet."""
    return math.prod(extents) if all(isinstance(e, int) for e in extents) else -1


def _flat(x: Any, stream: Stream | None) -> Any:
    return _in_order(x, range(x.ndim), stream).reshape(_length(x.shape))


def row(x: Any, stream: Stream | None) -> Any:
    """All elements in C order, of rank 1."""
    return _flat(_taken(x), stream)


def _given(result: Any, x: Any, stream: Stream | None) -> Any:
    """A result of what _taken made of x, as those of x are."""
    if isinstance(result, Array) and not isinstance(x, Array):
        return deliver(result, x, stream is not None)
    if isinstance(result, np.ndarray) and not result.ndim and stream is None:
        return result[()]
    return result


def _check_integer(axis: Any, needed: str) -> None:
    if not hasattr(axis, "__index__"):
        raise ArgumentError(f"axis is {axis!r}; need {needed}")


def over_one(axis: Any) -> int:
    """The axis, an integer."""
    _check_integer(axis, "an integer")
    return operator.index(axis)


def over_all(run: Run, x: Any, axis: Any, out: Any, stream: Stream | None) -> Any:
    """An operation along one axis; None: of the elements in C order, as NumPy's sort and cumsum."""
    if axis is not None:
        _check_integer(axis, "an integer or None")
        return run(x, operator.index(axis), out)
    result = run(_flat(_taken(x), stream), 0, out)
    if out is not None:
        return out
    if isinstance(result, tuple):
        return tuple(_given(r, x, stream) for r in result)
    return _given(result, x, stream)


def in_place(run: Run, x: Any, axis: Any, out: Any, stream: Stream | None) -> Any:
    """An operation whose result has x's shape; None: over all elements as one row."""
    if axis is not None:
        _check_integer(axis, "an integer or None")
        return run(x, operator.index(axis), out)
    taken = _taken(x)
    row, shape = _flat(taken, stream), tuple(taken.shape)
    if out is None:
        return _given(run(row, 0, None).reshape(shape), x, stream)
    into = _taken(out)
    if tuple(into.shape) != shape:
        raise ArgumentError(f"out has shape {tuple(into.shape)}; need {shape}")
    if _is_whole(into):
        run(row, 0, into.reshape(_length(shape)))
    else:
        _core.operate("copy", {}, (run(row, 0, None).reshape(shape),), into, stream)
    return out


def axes_of(axis: Any, rank: int) -> list[int]:
    """An axis or a tuple of them, counted from the first, in the order given. Raises ArgumentError,
    of which IndexError is one, as NumPy's AxisError is one of both."""
    given = axis if isinstance(axis, (tuple, list)) else (over_one(axis),)
    for k in given:
        _check_integer(k, "integers in the tuple")
        if not -rank <= operator.index(k) < rank:
            raise IndexError(f"axis is {axis}; x has no axis {k}, its rank is {rank}")
    axes = [operator.index(k) % rank for k in given]
    if len(set(axes)) < len(axes):
        raise ArgumentError(f"axis is {axis}; need each axis once")
    return axes


def axis_of(axis: Any, rank: int) -> int:
    """One axis, counted from the first."""
    if type(axis) is int and -rank <= axis < rank:
        return axis % rank
    return axes_of(over_one(axis), rank)[0]


def reduced(run: Run, x: Any, axis: Any, keepdims: bool, out: Any, stream: Stream | None) -> Any:
    """A reduction run(x, axis, out, keepdims) over one axis, all (None), or a tuple of axes: these
    as one that has their elements in C order. () is that of each element by itself."""
    if not isinstance(axis, tuple):
        if axis is not None:
            _check_integer(axis, "an integer, a tuple of them or None")
        return run(x, axis, out, keepdims)
    taken = _taken(x)
    axes = sorted(axes_of(axis, taken.ndim))
    if len(axes) == taken.ndim:
        return _given(run(taken, None, out, keepdims), x, stream) if out is None else \
            run(taken, None, out, keepdims)
    kept = [k for k in range(taken.ndim) if k not in axes]
    rows = _in_order(taken, kept + axes, stream)
    extents = [taken.shape[k] for k in kept]
    if axes:
        rows = rows.reshape(*extents, _length([taken.shape[k] for k in axes]))
    else:  # four axes have no room for one more
        rows = rows.reshape(_length(extents), 1)
    shape = tuple(1 if k in axes else e for k, e in enumerate(taken.shape)) if keepdims else \
        tuple(extents)
    if out is None:
        result = run(rows, rows.ndim - 1, None, False)
        return _given(result if result.shape == shape else result.reshape(shape), x, stream)
    into = _taken(out)
    if tuple(into.shape) != shape:
        raise ArgumentError(f"out has shape {tuple(into.shape)}; need {shape}")
    if axes and not keepdims:
        run(rows, rows.ndim - 1, into, False)
    else:
        made = run(rows, rows.ndim - 1, None, False, into.dtype)
        _core.operate("copy", {}, (made.reshape(shape),), into, stream)
    return out
