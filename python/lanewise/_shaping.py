"""Functions that give views: other shapes of the same elements, and parts of them."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._axes import axes_of, axis_of
from ._composed import along, composed, pieces, public
from ._errors import ArgumentError
from ._views import ints, reshaped

ArrayLike = Any
Axes = int | tuple[int, ...]
Shape = Sequence[int]


@composed
def reshape(x: ArrayLike, /, shape: int | Shape, *, copy: bool | None = None) -> Any:
    """The elements in C order under another shape; one extent may be -1.

    A view where the strides allow it, else a copy; copy=True always copies, and copy=False raises
    ArgumentError where it is no view.

    >>> lw.reshape(np.arange(6), (2, -1))
    array([[0, 1, 2],
           [3, 4, 5]])
    """
    extents = reshaped(x.shape, ints((shape,)))
    array: Any = getattr(x, "_array", x)
    if copy is False and array._reshaped_view(extents) is None:
        raise ArgumentError(f"copy=False: an array of shape {x.shape} and strides "
                            f"{array.strides} has no view of shape {extents}")
    return (x.copy() if copy else x).reshape(extents)


@composed
def expand_dims(x: ArrayLike, /, axis: Axes = 0) -> Any:
    """New axes of extent 1, at these places of the result; a view.

    >>> lw.expand_dims(np.arange(3), 1).shape
    (3, 1)
    """
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    new = axes_of(axis, x.ndim + count)
    return x[tuple(None if k in new else slice(None) for k in range(x.ndim + count))]


@composed
def squeeze(x: ArrayLike, /, axis: Axes | None = None) -> Any:
    """Without axes of extent 1: these, or all such; a view. ArgumentError for another extent.

    >>> lw.squeeze(np.zeros((1, 3, 1)), 0).shape
    (3, 1)
    """
    gone = [k for k, e in enumerate(x.shape) if e == 1] if axis is None else axes_of(axis, x.ndim)
    for k in gone:
        if x.shape[k] != 1:
            raise ArgumentError(f"axis {k} has extent {x.shape[k]}; need 1")
    return x[tuple(0 if k in gone else slice(None) for k in range(x.ndim))]


@composed
def permute_dims(x: ArrayLike, /, axes: Sequence[int]) -> Any:
    """The axes in another order; a view.

    >>> lw.permute_dims(np.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    return x.transpose(tuple(axes))


@composed
def moveaxis(x: ArrayLike, /, source: Axes, destination: Axes) -> Any:
    """Axes moved to other places, the rest in its order; a view.

    >>> lw.moveaxis(np.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    begin, end = axes_of(source, x.ndim), axes_of(destination, x.ndim)
    if len(begin) != len(end):
        raise ArgumentError(f"source is {source} and destination {destination}; need as many axes")
    order = [k for k in range(x.ndim) if k not in begin]
    for to, k in sorted(zip(end, begin)):
        order.insert(to, k)
    return x.transpose(tuple(order))


@composed
def matrix_transpose(x: ArrayLike, /) -> Any:
    """The last two axes swapped; a view. ArgumentError for fewer axes.

    >>> lw.matrix_transpose(np.zeros((2, 3, 4))).shape
    (2, 4, 3)
    """
    if x.ndim < 2:
        raise ArgumentError(f"x has shape {x.shape}; need two axes or more")
    return x.transpose((*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


@composed
def flip(x: ArrayLike, /, axis: Axes | None = None) -> Any:
    """The elements in reverse order along axes, or all; a view.

    >>> lw.flip(np.arange(3))
    array([2, 1, 0])
    """
    turned = range(x.ndim) if axis is None else axes_of(axis, x.ndim)
    return x[tuple(slice(None, None, -1 if k in turned else 1) for k in range(x.ndim))]


def broadcast_shapes(*shapes: int | Shape) -> tuple[int, ...]:
    """The shape to which the shapes broadcast. ArgumentError if there is none.

    >>> lw.broadcast_shapes((3, 1), (2,))
    (3, 2)
    """
    try:
        return np.broadcast_shapes(*(ints((shape,)) for shape in shapes))
    except ValueError:
        raise ArgumentError(f"the shapes {' '.join(map(str, shapes))} do not broadcast") from None


@composed
def broadcast_to(x: ArrayLike, /, shape: int | Shape) -> Any:
    """x repeated along axes of extent 1 and new leading ones; a view, which is not to be written.

    >>> lw.broadcast_to(np.arange(2), (2, 2))
    array([[0, 1],
           [0, 1]])
    """
    return _spread(x, ints((shape,)))


def _spread(x: Any, shape: tuple[int, ...]) -> Any:
    if len(shape) < x.ndim:
        raise ArgumentError(f"shape {x.shape} does not broadcast to {shape}")
    return x if x.shape == shape else x._broadcast_to(shape)


@composed
def broadcast_arrays(*arrays: ArrayLike) -> list[Any]:
    """Views of one shape, as broadcast_to's.

    >>> [x.shape for x in lw.broadcast_arrays(np.zeros((3, 1)), np.zeros(2))]
    [(3, 2), (3, 2)]
    """
    shape = broadcast_shapes(*(x.shape for x in arrays))
    return [_spread(x, shape) for x in arrays]


@composed
def unstack(x: ArrayLike, /, *, axis: int = 0) -> tuple[Any, ...]:
    """The slices along an axis, without it, as views.

    >>> lw.unstack(np.array([[1, 2], [3, 4]]))
    (array([1, 2]), array([3, 4]))
    """
    k = axis_of(axis, x.ndim)
    return tuple(x[along(k, n)] for n in range(x.shape[k]))


@composed
def split(x: ArrayLike, /, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Any]:
    """Parts along an axis, as views: so many equal ones, or cut at these indices.

    >>> lw.split(np.arange(5), [2, 3])
    [array([0, 1]), array([2]), array([3, 4])]
    """
    k = axis_of(axis, x.ndim)
    if not hasattr(indices_or_sections, "__index__"):
        return list(pieces(x, k, ints((indices_or_sections,))))
    count = indices_or_sections.__index__()  # type: ignore[union-attr]
    if count < 1 or x.shape[k] % count:
        raise ArgumentError(f"axis {k} of extent {x.shape[k]} has no {count} equal parts")
    size = x.shape[k] // count
    return list(pieces(x, k, range(size, x.shape[k], size))) if size else [x] * count


__all__ = public(globals())
