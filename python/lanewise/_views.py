"""Views: shapes and strides in elements, the parts of an index."""
from __future__ import annotations

import math
from typing import Any, Sequence

from ._errors import ArgumentError, IndexError


def is_contiguous(shape: Sequence[int], strides: Sequence[int]) -> bool:
    step = 1
    for extent, stride in zip(reversed(shape), reversed(strides)):
        if extent > 1 and stride != step:
            return False
        step *= extent
    return True


def c_strides(shape: Sequence[int]) -> tuple[int, ...]:
    steps, step = [], 1
    for extent in reversed(shape):
        steps.append(step)
        step *= max(extent, 1)
    return tuple(reversed(steps))


def ints(values: tuple[Any, ...]) -> tuple[int, ...]:
    """reshape(2, 3) and reshape((2, 3)) are the same."""
    if len(values) == 1 and not hasattr(values[0], "__index__"):
        values = tuple(values[0])
    return tuple(v.__index__() for v in values)


def reshaped(shape: tuple[int, ...], wanted: tuple[int, ...]) -> tuple[int, ...]:
    """The extents that a shape gets; one that is wanted may be -1."""
    size, extents = math.prod(shape), wanted
    if wanted.count(-1) == 1:
        rest = -math.prod(wanted)
        known = rest and size % rest == 0
        extents = tuple(size // rest if known and e == -1 else e for e in wanted)
    if math.prod(extents) != size or min(extents, default=0) < 0:
        raise ArgumentError(f"an array of shape {shape} cannot have shape {wanted}")
    return extents


def reshaped_strides(shape: Sequence[int], strides: Sequence[int],
                     extents: Sequence[int]) -> tuple[int, ...] | None:
    """The strides of as many elements in C order under other extents; None: that needs a copy.

    Axes whose elements follow each other at one distance are one run, which is cut into the new
    axes from the last on. There are elements.
    """
    runs: list[tuple[int, int]] = []
    for extent, stride in zip(shape, strides):
        if runs and extent > 1 and runs[-1][1] == extent * stride:
            runs[-1] = runs[-1][0] * extent, stride
        elif extent > 1:
            runs.append((extent, stride))
    made, left, step = [], 1, 1
    for extent in reversed(extents):
        if left == 1 and extent > 1:
            left, step = runs.pop()
        made.append(step)
        if left % extent:
            return None
        left //= extent
        step *= extent
    return tuple(reversed(made))


def index_parts(key: Any, shape: Sequence[Any]) -> list[Any]:
    """The parts of an index, one for each axis and each None. Raises IndexError."""
    parts = list(key) if isinstance(key, tuple) else [key]
    given = sum(part is not None and part is not Ellipsis for part in parts)
    dots = [n for n, part in enumerate(parts) if part is Ellipsis]
    if len(dots) > 1 or given > len(shape):
        raise IndexError(f"index {key!r} has too many parts for shape {tuple(shape)}")
    at = dots[0] if dots else len(parts)
    parts[at:at + 1] = [slice(None)] * (len(shape) - given)
    return parts


def slice_axis(key: Any, extent: int) -> tuple[int, int, int | None]:
    """First element, step and extent (None: the axis goes) of a key on one axis."""
    if isinstance(key, slice):
        try:
            begin, end, step = key.indices(extent)
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"index {key!r}: {error}") from None
        return begin, step, len(range(begin, end, step))
    index = key.__index__()
    if not -extent <= index < extent:
        raise IndexError(f"index {index} is out of bounds for an axis of {extent}")
    return index % extent, 0, None
