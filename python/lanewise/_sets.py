"""Which elements there are: by a sort, a comparison of neighbours, and compact.

How many there are is a value, so a graph has none of these functions but isin.
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _indexing, _maps, _operations, _scattering
from ._array import Recorded
from ._composed import composed, filled, new, promoted, public
from ._core import Stream
from ._errors import ArgumentError
from ._joining import concat

ArrayLike = Any


class UniqueAllResult(NamedTuple):
    """What unique_all gives."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCountsResult(NamedTuple):
    """What unique_counts gives."""

    values: Any
    counts: Any


class UniqueInverseResult(NamedTuple):
    """What unique_inverse gives."""

    values: Any
    inverse_indices: Any


def _refuse_symbol(x: Any) -> None:
    if isinstance(x, Recorded):
        raise ArgumentError("how many elements the result has is not known before the graph runs")


def _firsts(ordered: Any, are_nans_equal: bool) -> Any:
    """A mask of the first of equal neighbours. NaNs, which come last, are equal to each other or to
    nothing."""
    mask = new(ordered, ordered.shape, np.bool_)
    if ordered.shape[0]:
        filled(mask[:1], True)
    if ordered.shape[0] > 1:
        differ = "a != b && (a == a || b == b)" if are_nans_equal else "a != b"
        _maps.map(differ, ordered[1:], ordered[:-1], out=mask[1:])
    return mask


def _values(x: Any, are_nans_equal: bool) -> Any:
    _refuse_symbol(x)
    ordered = _operations.sort(x.reshape(-1))
    return _operations.compact(ordered, _firsts(ordered, are_nans_equal))


def _all(x: Any, are_nans_equal: bool) -> UniqueAllResult:
    _refuse_symbol(x)
    row = x.reshape(-1)
    order = _operations.argsort(row)
    ordered = _operations.take(row, order)
    mask = _firsts(ordered, are_nans_equal)
    begins, = _indexing.places(mask)
    counts = _operations.difference(concat([begins, np.array(row.shape)]))
    group = _maps.map("a - 1", _operations.scan(mask))
    inverse = _scattering.scatter(group, order, group).reshape(x.shape)
    return UniqueAllResult(_operations.take(ordered, begins), _operations.take(order, begins),
                           inverse, counts)


@composed
def unique_values(x: ArrayLike, /, *, stream: Stream | None = None) -> Any:
    """The different elements, in rising order. Each NaN is different from all others.

    Of -0 and 0 it is the first. ArgumentError in a graph, as for all of these functions.

    >>> lw.unique_values(np.array([3, 1, 3]))
    array([1, 3])
    """
    return _values(x, False)


@composed
def unique_counts(x: ArrayLike, /, *, stream: Stream | None = None) -> Any:
    """A named tuple: values, as of unique_values, and counts, how often each is there (int64).

    >>> lw.unique_counts(np.array([3, 1, 3])).counts
    array([1, 2])
    """
    found = _all(x, False)
    return UniqueCountsResult(found.values, found.counts)


@composed
def unique_inverse(x: ArrayLike, /, *, stream: Stream | None = None) -> Any:
    """A named tuple: values, as of unique_values, and inverse_indices, which make x of them.

    >>> lw.unique_inverse(np.array([3, 1, 3])).inverse_indices
    array([1, 0, 1])
    """
    found = _all(x, False)
    return UniqueInverseResult(found.values, found.inverse_indices)


@composed
def unique_all(x: ArrayLike, /, *, stream: Stream | None = None) -> Any:
    """A named tuple: values, as of unique_values; indices, where each is first in x as one row;
    inverse_indices, which make x of the values; and counts.

    >>> lw.unique_all(np.array([3, 1, 3])).indices
    array([1, 0])
    """
    return _all(x, False)


@composed
def unique(x: ArrayLike, /, return_index: bool = False, return_inverse: bool = False,
           return_counts: bool = False, *, equal_nan: bool = True,
           stream: Stream | None = None) -> Any:
    """The different elements, in rising order; NaNs are one, unless equal_nan is False.

    With return_... a tuple of them and what unique_all says, in this order.

    >>> lw.unique(np.array([3, 1, 3]), return_counts=True)
    (array([1, 3]), array([1, 2]))
    """
    flags = (True, return_index, return_inverse, return_counts)
    if not any(flags[1:]):
        return _values(x, equal_nan)
    return tuple(row for row, is_wanted in zip(_all(x, equal_nan), flags) if is_wanted)


@composed
def isin(x1: ArrayLike, x2: ArrayLike, /, *, invert: bool = False,
         stream: Stream | None = None) -> Any:
    """Which elements of x1 are among x2's (invert=True: are not), by a sort of x2. No NaN is.

    >>> lw.isin(np.array([1, 2, 3]), [3, 1])
    array([ True, False,  True])
    """
    dtype = promoted(x1.dtype, x2.dtype)
    x, among = (a if a.dtype == dtype else a.astype(dtype) for a in (x1, x2.reshape(-1)))
    if among.shape[0] == 0:
        return filled(new(x, x.shape, np.bool_), invert)
    ordered = _operations.sort(among)
    places = _operations.searchsorted(ordered, x)
    last = np.int64(ordered.shape[0] - 1)
    near = _operations.take(ordered, _maps.map("a < b ? a : b", places, last))
    return _maps.map("a != b" if invert else "a == b", near, x)


@composed
def nonzero(x: ArrayLike, /, *, stream: Stream | None = None) -> Any:
    """Where elements are not 0: a tuple of the indices (int64) along each axis, in C order.

    >>> lw.nonzero(np.array([[0, 1], [2, 0]]))
    (array([0, 1]), array([1, 0]))
    """
    _refuse_symbol(x)
    if not x.ndim:
        raise ArgumentError("x has rank 0; need an axis or more")
    return tuple(_indexing.places(x))


__all__ = public(globals())
