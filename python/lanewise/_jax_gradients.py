"""Formulas of ready-made operations in JAX, of which JAX makes their gradients.

Each takes the arguments of its operation, and gives what the operation gives but for rounding.
They run only where a gradient is asked for. Floats of 16 bits are computed in f32.
"""
from __future__ import annotations

from typing import Any, Callable

import jax
import jax.numpy as jnp

from . import _operations as _ops
from ._errors import UnsupportedError


def wide(x: Any) -> Any:
    """f16 and bf16 as f32, others as they are."""
    return x.astype("float32") if x.dtype in (jnp.float16, jnp.bfloat16) else x


def _dot(x: Any, y: Any, **_: Any) -> Any:
    return jnp.dot(x, y)


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def formula(x: Any, axis: Any = None, keepdims: bool = False, **_: Any) -> Any:
        return function(x, axis=axis, keepdims=keepdims)
    return formula


def _scan(x: Any, op: str = "add", axis: int = -1, exclusive: bool = False, **_: Any) -> Any:
    if exclusive and op != "add":
        raise UnsupportedError(f"scan has no gradient for op={op!r} with exclusive=True")
    along = axis % x.ndim
    running = {"add": jax.lax.cumsum, "mul": jax.lax.cumprod, "max": jax.lax.cummax,
               "min": jax.lax.cummin}[op](x, axis=along)
    return running - x if exclusive else running


def _difference(x: Any, axis: int = -1, edge: str = "valid") -> Any:
    steps = jnp.diff(x, axis=axis)
    if edge == "valid":
        return steps
    return jnp.concatenate([steps, jnp.zeros_like(x).take(jnp.array([0]), axis=axis)], axis=axis)


def _mean_normalize(x: Any, axis: int = -1) -> Any:
    return x / jnp.mean(x, axis=axis, keepdims=True)


def _along(x: Any, weight: Any, axis: int | None) -> Any:
    """A vector in the direction of an axis of x; None: of all elements."""
    if axis is None:
        return weight.reshape(x.shape)
    return weight.reshape([-1 if k == axis % x.ndim else 1 for k in range(x.ndim)])


def _layer_norm(x: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5,
                axis: int = -1) -> Any:
    centred = x - jnp.mean(x, axis=axis, keepdims=True)
    y = centred * jax.lax.rsqrt(jnp.mean(centred * centred, axis=axis, keepdims=True) + eps)
    y = y if weight is None else y * _along(x, weight, axis)
    return y if bias is None else y + _along(x, bias, axis)


def _rms_norm(x: Any, weight: Any = None, eps: float = 1e-5, axis: int = -1) -> Any:
    y = x * jax.lax.rsqrt(jnp.mean(x * x, axis=axis, keepdims=True) + eps)
    return y if weight is None else y * _along(x, weight, axis)


def _transpose(x: Any, axes: Any = None) -> Any:
    return jnp.transpose(x, axes)


def _matmul(x: Any, y: Any, bias: Any = None, dtype: Any = None, sum: str = "fixed") -> Any:
    product = jnp.matmul(x, y, precision="highest")
    return product if bias is None else product + bias


def _attention(q: Any, k: Any, v: Any, scale: float = 1.0, causal: bool = False,
               window: int | None = None, return_weights: bool = False, sum: str = "fixed") -> Any:
    if window is not None:
        raise UnsupportedError("attention has no gradient with window=")
    scores = scale * jnp.matmul(q, jnp.swapaxes(k, -1, -2), precision="highest")
    if causal and q.ndim > 1:
        queries, keys = scores.shape[-2:]
        seen = jnp.arange(keys) <= jnp.arange(queries)[:, None] + keys - queries
        scores = jnp.where(seen, scores, -jnp.inf)
    weights = jax.nn.softmax(scores, axis=-1)
    out = jnp.matmul(weights, v, precision="highest")
    return (out, weights) if return_weights else out


FORMULAS: dict[Any, Callable[..., Any]] = {
    _ops.dot: _dot, _ops.sum: _reduction(jnp.sum), _ops.mean: _reduction(jnp.mean),
    _ops.prod: _reduction(jnp.prod), _ops.max: _reduction(jnp.max),
    _ops.min: _reduction(jnp.min), _ops.scan: _scan, _ops.difference: _difference,
    _ops.mean_normalize: _mean_normalize, _ops.layer_norm: _layer_norm,
    _ops.rms_norm: _rms_norm, _ops.softmax: jax.nn.softmax,
    _ops.log_softmax: jax.nn.log_softmax, _ops.transpose: _transpose, _ops.matmul: _matmul,
    _ops.attention: _attention,
}


def gradients(formula: Callable[..., Any], arguments: Any, arrays: tuple[Any, ...],
              slopes: tuple[Any, ...]) -> tuple[Any, ...]:
    """The gradient of each array of a call, for those of its results."""
    def results(*values: Any) -> tuple[Any, ...]:
        args, words = arguments.filled([wide(v) for v in values])
        made = formula(*args, **words)
        made = made if isinstance(made, tuple) else (made,)
        return tuple(m.astype(s.dtype) for m, s in zip(made, slopes))

    return jax.vjp(results, *arrays)[1](tuple(slopes))
