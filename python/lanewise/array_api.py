"""The namespace of the Python array API standard, version 2024.12; docs/array-api.md explains it.

Most functions are those of lanewise itself; the others have another signature or dtype there.

>>> xp = lw.zeros(2).__array_namespace__()
>>> xp.sum(xp.ones((2, 3)), axis=1)
lanewise.Array([3., 3.], dtype=float64, device=cpu)
"""
from __future__ import annotations

import math as _math
from typing import Any as _Any, Sequence as _Sequence

from . import _operations as _lw
from . import (  # noqa: F401 # the functions that have the standard's signature
    abs, acos, acosh, add, all, any, arange, argmax, argmin, asarray, asin, asinh, atan, atan2,
    atanh, bitwise_and, bitwise_invert, bitwise_left_shift, bitwise_or, bitwise_right_shift,
    bitwise_xor, broadcast_arrays, broadcast_to, ceil, clip, concat, copysign, cos, cosh,
    count_nonzero, cumulative_prod, cumulative_sum, diff, divide, empty_like, equal, exp,
    expand_dims, expm1, flip, floor, floor_divide, from_dlpack, full_like, greater, greater_equal,
    hypot, isfinite, isinf, isnan, less, less_equal, linspace, log, log10, log1p, log2, logaddexp,
    logical_and, logical_not, logical_or, logical_xor, matrix_transpose, max, maximum, mean,
    meshgrid, min, minimum, moveaxis, multiply, negative, nextafter, nonzero, not_equal, ones_like,
    permute_dims, positive, pow, reciprocal, remainder, repeat, reshape, roll, round, searchsorted,
    sign, signbit, sin, sinh, sqrt, square, squeeze, stack, std, subtract, take, take_along_axis,
    tan, tanh, tensordot, tile, tril, triu, trunc, unique_all, unique_counts, unique_inverse,
    unique_values, unstack, var, vecdot, where, zeros_like)
from . import _creation, _array
from ._array import Array as _Array
from ._elementwise import matmul  # noqa: F401
from ._numbers import dtype_of as _dtype_of
from ._standard_dtypes import DTYPES as _DTYPES, Info as _Info
from ._standard_dtypes import can_cast, finfo, iinfo, isdtype, result_type  # noqa: F401

__array_api_version__ = "2024.12"

e, inf, nan, newaxis, pi = _math.e, _math.inf, _math.nan, None, _math.pi

bool = _DTYPES["bool"]
int8, int16, int32, int64 = (_DTYPES[f"int{bits}"] for bits in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (_DTYPES[f"uint{bits}"] for bits in (8, 16, 32, 64))
float32, float64 = _DTYPES["float32"], _DTYPES["float64"]


def __array_namespace_info__() -> _Info:
    """What the namespace can do, its devices and its dtypes.

    >>> lw.array_api.__array_namespace_info__().capabilities()["max dimensions"]
    8
    """
    return _Info()


# ---- arrays of one value: float64 is the default ----

def _or_default(dtype: _Any) -> _Any:
    return float64 if dtype is None else dtype


def empty(shape: int | _Sequence[int], *, dtype: _Any = None, device: _Any = None) -> _Array:
    """lanewise.empty, of float64 without a dtype."""
    return _array.empty(shape, _or_default(dtype), device=device)


def zeros(shape: int | _Sequence[int], *, dtype: _Any = None, device: _Any = None) -> _Array:
    """lanewise.zeros, of float64 without a dtype."""
    return _array.zeros(shape, _or_default(dtype), device=device)


def ones(shape: int | _Sequence[int], *, dtype: _Any = None, device: _Any = None) -> _Array:
    """lanewise.ones, of float64 without a dtype."""
    return _creation.ones(shape, _or_default(dtype), device=device)


def full(shape: int | _Sequence[int], fill_value: _Any, *, dtype: _Any = None,
         device: _Any = None) -> _Array:
    """lanewise.full."""
    return _array.full(shape, fill_value, dtype, device=device)


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: _Any = None,
        device: _Any = None) -> _Array:
    """lanewise.eye, of float64 without a dtype."""
    return _creation.eye(n_rows, n_cols, k=k, dtype=_or_default(dtype), device=device)


# ---- functions with another signature, or dtype ----

def astype(x: _Array, dtype: _Any, /, *, copy: _Any = True, device: _Any = None) -> _Array:
    """x in another dtype, and on a device; copy=False gives x itself where it has that dtype."""
    made = x if device is None else x.to_device(device)
    return made if made.dtype == dtype and (not copy or made is not x) else made.astype(dtype)


def _sum_dtype(x: _Any, dtype: _Any) -> _Any:
    """That of sums: of unsigned integers uint64."""
    return uint64 if dtype is None and isdtype(_dtype_of(x), "unsigned integer") else dtype


def sum(x: _Array, /, *, axis: _Any = None, dtype: _Any = None, keepdims: _Any = False) -> _Any:
    """lanewise.sum; of unsigned integers in uint64."""
    return _lw.sum(x, axis=axis, dtype=_sum_dtype(x, dtype), keepdims=keepdims)


def prod(x: _Array, /, *, axis: _Any = None, dtype: _Any = None, keepdims: _Any = False) -> _Any:
    """lanewise.prod; of unsigned integers in uint64."""
    return _lw.prod(x, axis=axis, dtype=_sum_dtype(x, dtype), keepdims=keepdims)


def sort(x: _Array, /, *, axis: int = -1, descending: _Any = False, stable: _Any = True) -> _Any:
    """lanewise.sort, which is stable always."""
    return _lw.sort(x, axis=axis, descending=descending)


def argsort(x: _Array, /, *, axis: int = -1, descending: _Any = False, stable: _Any = True) -> _Any:
    """lanewise.argsort, which is stable always."""
    return _lw.argsort(x, axis=axis, descending=descending)


# ---- functions of complex numbers, of which there are none ----

def conj(x: _Array, /) -> _Any:
    """x, since it is real."""
    return positive(x)


def real(x: _Array, /) -> _Any:
    """x, since it is real."""
    return positive(x)


def imag(x: _Array, /) -> _Any:
    """Zeros, since x is real."""
    return zeros_like(x)


del annotations
__all__ = [name for name in dir() if name[0] != "_"]
