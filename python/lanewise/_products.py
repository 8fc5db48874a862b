"""Sums of products over labelled axes, made of sums, matrix products and the order of axes."""
from __future__ import annotations

import math
from typing import Any, Collection, Hashable, Sequence

import numpy as np

from . import _core, _maps, _operations
from ._axes import axes_of, axis_of
from ._composed import composed, promoted, public
from ._core import Stream
from ._errors import ArgumentError

ArrayLike = Any
DtypeLike = Any
Labels = list[Hashable]  # of each axis


def _diagonal(x: Any, labels: Labels) -> tuple[Any, Labels]:
    """A view without second axes of a label."""
    once = list(dict.fromkeys(labels))
    if len(once) == len(labels):
        return x, labels

    def view(a: Any, size: Any) -> Any:
        strides = [sum(s for s, c in zip(a._strides, labels) if c == label) for label in once]
        return _core.view(a, a._offset, tuple(a.shape[labels.index(c)] for c in once),
                          tuple(strides))

    for label, extent in zip(labels, x.shape):
        if extent != x.shape[labels.index(label)]:
            raise ArgumentError(f"label {label} has extents {x.shape[labels.index(label)]} and "
                                f"{extent} in one operand; need the same")
    return x._view(view) if hasattr(x, "_view") else view(x, None), once


def _without(x: Any, labels: Labels, kept: Collection[Hashable]) -> tuple[Any, Labels]:
    """The sum over all other labels."""
    gone = tuple(k for k, label in enumerate(labels) if label not in kept)
    if not gone:
        return x, labels
    return _operations.sum(x, axis=gone, dtype=x.dtype), [c for c in labels if c in kept]


def _spread(x: Any, labels: Labels, sizes: dict[Hashable, int]) -> Any:
    """x with the sizes of its labels, in the place of extents of 1."""
    shape = tuple(sizes[label] for label in labels)
    return x if x.shape == shape else x._broadcast_to(shape)


def _merged(x: Any, labels: Labels, groups: list[Labels], sizes: dict[Hashable, int]) -> Any:
    """x as (batch, rows, columns), each an axis for a group of labels. Where the columns come first
    in x, they are the rows of what is transposed then."""
    batch, rows, columns = groups
    swap = bool(rows and columns) and labels.index(columns[0]) < labels.index(rows[0])
    order = [*batch, *columns, *rows] if swap else [*batch, *rows, *columns]
    extents = [math.prod(sizes[c] for c in group) for group in groups]
    if swap:
        extents[1:] = extents[:0:-1]
    x = x.transpose(tuple(labels.index(c) for c in order)) if order else x
    x = x.reshape(tuple(extents))
    return x.transpose(0, 2, 1) if swap else x


def _product(x: Any, y: Any, is_sum: bool, dtype: Any) -> Any:
    """(b, l, k) times (b, k, r), or (b, l, 1) times (b, 1, r)."""
    if x.shape[0] == 1:
        return _operations.matmul(x[0], y[0], dtype=dtype)
    if is_sum:
        return _operations.matmul(x, y, dtype=dtype)
    return _maps.map("a * b", x, y, dtype=dtype)


def _contracted(x: Any, xs: Labels, y: Any, ys: Labels, kept: set[Hashable],
                dtype: Any) -> tuple[Any, Labels]:
    """The product of two, summed over the labels that are not kept."""
    x, xs = _without(x, xs, kept | set(ys))
    y, ys = _without(y, ys, kept | set(xs))
    sizes = dict(zip(ys, y.shape))
    for label, extent in zip(xs, x.shape):
        other = sizes.get(label, 1)
        if extent != other and 1 not in (extent, other):
            raise ArgumentError(f"label {label} has extents {extent} and {other}; need the same")
        sizes[label] = extent if other == 1 else other
    both = [c for c in xs if c in ys]
    batch, inner = [c for c in both if c in kept], [c for c in both if c not in kept]
    left, right = [c for c in xs if c not in ys], [c for c in ys if c not in xs]
    made = _product(_merged(_spread(x, xs, sizes), xs, [batch, left, inner], sizes),
                    _merged(_spread(y, ys, sizes), ys, [batch, inner, right], sizes),
                    bool(inner), dtype)
    labels = batch + left + right
    return made.reshape(tuple(sizes[c] for c in labels)), labels


def _evaluated(tensors: Sequence[Any], labels: list[Labels], result: Labels, dtype: Any) -> Any:
    """From left to right. A label is summed once no later operand and not the result has it."""
    x, xs = _diagonal(tensors[0], labels[0])
    for k, y in enumerate(tensors[1:], 1):
        later = {c for row in labels[k + 1:] for c in row}
        x, xs = _contracted(x, xs, *_diagonal(y, labels[k]), later | set(result), dtype)
    x, xs = _without(x, xs, result)
    return x.transpose(tuple(xs.index(c) for c in result)) if result != xs else x


def _labels_of(text: str, x: Any, number: int) -> Labels:
    """A letter each; the axes of ... are counted from its last, -1."""
    begin, dots, end = text.partition("...")
    letters = begin + end
    if not all(c.isalpha() and c.isascii() for c in letters):
        raise ArgumentError(f"the subscripts are '{text}'; need letters and at most one '...'")
    count = x.ndim - len(letters)
    if count < 0 or (count and not dots):
        raise ArgumentError(f"operand {number} has shape {x.shape}; the subscripts '{text}' are "
                            f"for {len(letters)} axes")
    return [*begin, *range(-count, 0), *end]


@composed
def einsum(subscripts: str, *arrays: ArrayLike, dtype: DtypeLike = None,
           out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """Einstein's sum: a letter for each axis, summed where the result has it not; ... broadcasts.

    The operands are multiplied from left to right in the result's dtype, their common one. So no
    product on the way may have more than 8 axes. docs/order.md has the order of the sums.

    >>> lw.einsum('ij,j->i', np.eye(2), np.array([3.0, 4.0]))
    array([3., 4.])
    """
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    texts = inputs.split(",")
    if not arrays or len(texts) != len(arrays):
        raise ArgumentError(f"the subscripts '{subscripts}' are for {len(texts)} operands; there "
                            f"are {len(arrays)}")
    labels = [_labels_of(text, x, k) for k, (text, x) in enumerate(zip(texts, arrays))]
    given = [c for row in labels for c in row]
    dots = list(range(min([0, *(c for c in given if isinstance(c, int))]), 0))
    result: Labels
    if arrow:
        begin, has_dots, end = output.partition("...")
        result = [*begin, *(dots if has_dots else ()), *end]
        if not set(result) <= set(given) or len(set(result)) < len(result):
            raise ArgumentError(f"the result's subscripts are '{output}'; need letters of the "
                                "operands, each once")
    else:
        result = [*dots, *sorted(c for c in set(given) if isinstance(c, str)
                                 and given.count(c) == 1)]
    kind = promoted(*(x.dtype for x in arrays)) if dtype is None else dtype
    made = _evaluated(arrays, labels, result, kind)
    return made if made.dtype == kind else made.astype(kind)


@composed
def tensordot(x1: ArrayLike, x2: ArrayLike, /, *,
              axes: int | tuple[Sequence[int], Sequence[int]] = 2, dtype: DtypeLike = None,
              out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """The sum of products over so many last axes of x1 and first of x2, or over pairs of axes.

    >>> lw.tensordot(np.ones((2, 3)), np.ones((3, 2)), axes=1)
    array([[3., 3.],
           [3., 3.]])
    """
    if hasattr(axes, "__index__"):
        count = axes.__index__()  # type: ignore[union-attr]
        if not 0 <= count <= min(x1.ndim, x2.ndim):
            raise ArgumentError(f"axes is {axes}; the shapes are {x1.shape} and {x2.shape}")
        first, second = list(range(x1.ndim - count, x1.ndim)), list(range(count))
    elif isinstance(axes, (tuple, list)) and len(axes) == 2:
        first, second = (axes_of(a, x.ndim) for a, x in zip(axes, (x1, x2)))
    else:
        raise ArgumentError(f"axes is {axes!r}; need an integer or a pair of axes")
    if len(first) != len(second) or \
            any(x1.shape[a] != x2.shape[b] for a, b in zip(first, second)):
        raise ArgumentError(f"axes is {axes}; the shapes {x1.shape} and {x2.shape} do not agree "
                            "there")
    xs: Labels = [(0, k) for k in range(x1.ndim)]
    ys: Labels = [(0, first[second.index(k)]) if k in second else (1, k) for k in range(x2.ndim)]
    result = [c for k, c in enumerate(xs) if k not in first] + \
        [c for k, c in enumerate(ys) if k not in second]
    kind = promoted(x1.dtype, x2.dtype) if dtype is None else dtype
    return _evaluated([x1, x2], [xs, ys], result, kind)


@composed
def vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1, dtype: DtypeLike = None,
           out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """The sums of products along an axis of both; the other axes broadcast.

    >>> lw.vecdot(np.array([[1, 2], [3, 4]]), np.array([1, 10]))
    array([21, 43])
    """
    first, second = axis_of(axis, x1.ndim), axis_of(axis, x2.ndim)
    extents = x1.shape[first], x2.shape[second]
    if extents[0] != extents[1]:
        raise ArgumentError(f"the extents of axis {axis} are {extents[0]} and {extents[1]}; need "
                            "the same")
    if first - x1.ndim != second - x2.ndim:  # to where they broadcast
        x1, x2 = (x.transpose((*range(k), *range(k + 1, x.ndim), k))
                  for x, k in ((x1, first), (x2, second)))
        first = x1.ndim - 1
    common = promoted(x1.dtype, x2.dtype)
    kind = common if dtype is None else np.dtype(dtype)
    if x1.ndim == x2.ndim == 1 and kind != np.bool_:
        return _operations.dot(x1, x2, dtype=kind)
    is_whole = common.kind in "iub"
    word = "uint64_t" if is_whole else "double" if common.itemsize == 8 else "float"
    product = f"({word})a * ({word})b"
    return _maps.map_reduce(f"(int64_t)({product})" if is_whole else product, "x + y", x1, x2,
                            axis=first - x1.ndim, dtype=kind)


@composed
def outer(x1: ArrayLike, x2: ArrayLike, /, *, dtype: DtypeLike = None,
          out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """The products of all elements of x1 with all of x2, as a matrix.

    >>> lw.outer(np.array([1, 2]), np.array([1, 10]))
    array([[ 1, 10],
           [ 2, 20]])
    """
    rows, columns = (x.reshape(math.prod(x.shape)) for x in (x1, x2))
    kind = promoted(x1.dtype, x2.dtype) if dtype is None else dtype
    return _evaluated([rows, columns], [["i"], ["j"]], ["i", "j"], kind)


__all__ = public(globals())
