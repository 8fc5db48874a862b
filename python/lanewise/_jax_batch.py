"""How ready-made operations take a batch at once: their rules for jax.vmap.

A rule gets the arguments by name, with a Lane in the place of each array, and gives the result of
the whole batch; or None where the operation has no axis for it, and is called for one element
after the other. Operations take 4 axes at most.
"""
from __future__ import annotations

import inspect
import re
from typing import Any, Callable

import jax
import numpy as np

from . import _maps, _operations as _ops

RANKS = 4
Rule = Callable[[Any, dict[str, Any], int], Any]


class Lane:
    """An array of a call under vmap: the first axis is the batch's if it is batched."""

    def __init__(self, array: Any, is_batched: bool) -> None:
        self.array, self.is_batched = array, is_batched
        self.ndim = array.ndim - is_batched  # of one element of the batch

    def raised(self, ndim: int) -> Any:
        """With leading axes of 1, so that one element has ndim axes."""
        if not self.is_batched:
            return self.array
        size, *rest = self.array.shape
        return self.array.reshape(size, *(1,) * (ndim - self.ndim), *rest)


def apply(rule: Rule, call: Any, function: Any, args: list[Any], words: dict[str, Any],
          size: int) -> Any:
    """The rule's result for a call of `function`, which is `call` in JAX."""
    bound = inspect.signature(function).bind(*args, **words)
    bound.apply_defaults()
    for name in ("out", "stream"):
        bound.arguments.pop(name, None)
    return rule(call, bound.arguments, size)


def _plain(named: dict[str, Any], *but: str) -> dict[str, Any] | None:
    """The arguments as they are; None if one that is not in `but` is batched."""
    if any(isinstance(v, Lane) and v.is_batched for n, v in named.items() if n not in but):
        return None
    return {n: v.array if isinstance(v, Lane) else v for n, v in named.items()}


def _along_axis(call: Any, named: dict[str, Any], size: int) -> Any:
    """An axis of x, or several, which the batch moves by one."""
    words, x = _plain(named, "x"), named["x"]
    if words is None or x.ndim >= RANKS or words["axis"] is None:
        return None
    axis = words["axis"]
    words["axis"] = tuple(a + (a >= 0) for a in axis) if isinstance(axis, tuple) else \
        axis + (axis >= 0)
    return call(words.pop("x"), **words)


def _reduction(call: Any, named: dict[str, Any], size: int) -> Any:
    """Over an axis of x, or over all of them, which become one."""
    if named["axis"] is not None:
        return _along_axis(call, named, size)
    x = named["x"]
    words = {name: value for name, value in named.items() if name != "x"}
    words.update(axis=1, keepdims=False)
    result = call(x.array.reshape(size, int(np.prod(x.array.shape[1:]))), **words)
    return result.reshape(size, *(1,) * x.ndim) if named["keepdims"] else result


def _map(call: Any, named: dict[str, Any], size: int) -> Any:
    """Element by element; i and n would count the whole batch."""
    lanes = [v for v in named["inputs"] if isinstance(v, Lane)]
    ndim = max(v.ndim for v in lanes)
    if ndim >= RANKS or re.search(r"\b[in]\b", named["expression"]):
        return None
    values = [v.raised(ndim) if isinstance(v, Lane) else v for v in named["inputs"]]
    return call(named["expression"], *values, dtype=named["dtype"])


def _transpose(call: Any, named: dict[str, Any], size: int) -> Any:
    x, axes = named["x"], named["axes"]
    if x.ndim >= RANKS:
        return None
    order = range(x.ndim)[::-1] if axes is None else axes
    return call(x.array, axes=(0, *(a % x.ndim + 1 for a in order)))


def _matmul(call: Any, named: dict[str, Any], size: int) -> Any:
    """NumPy's broadcasting of leading axes; a vector is a matrix of one row or column."""
    words, x, y = _plain(named, "x", "y"), named["x"], named["y"]
    ndim = max(x.ndim, y.ndim, 2)
    if words is None or ndim >= RANKS or 1 in (x.ndim, y.ndim):
        return None
    return call(x.raised(ndim), y.raised(ndim), bias=words["bias"], dtype=words["dtype"],
                sum=words["sum"])


def _attention(call: Any, named: dict[str, Any], size: int) -> Any:
    """Rank 2 as one of the heads of rank 4."""
    q, k, v = (named.pop(name) for name in "qkv")
    if (q.ndim, k.ndim, v.ndim) != (2, 2, 2) or named["return_weights"]:
        return None
    heads = [jax.numpy.broadcast_to(x.raised(3) if x.is_batched else x.array[None, None],
                                    (size, 1, *x.array.shape[-2:])) for x in (q, k, v)]
    return call(*heads, **named)[:, 0]


RULES: dict[Any, Rule] = {
    **dict.fromkeys((_ops.sum, _ops.mean, _ops.prod, _ops.max, _ops.min, _ops.any, _ops.all,
                     _ops.argmax, _ops.argmin), _reduction),
    **dict.fromkeys((_ops.scan, _ops.difference, _ops.moving_average, _ops.mean_normalize,
                     _ops.layer_norm, _ops.rms_norm, _ops.softmax, _ops.log_softmax),
                    _along_axis),
    _maps.map: _map, _ops.transpose: _transpose, _ops.matmul: _matmul, _ops.attention: _attention,
}
