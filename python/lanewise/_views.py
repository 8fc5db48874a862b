"""Views: the parts of an index, and the strides of another shape."""
from __future__ import annotations

from typing import Any, Sequence


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
