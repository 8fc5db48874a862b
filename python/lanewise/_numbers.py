"""Python's numbers beside arrays: they are weak, as in NumPy 2, and take the arrays' dtype.

A number is a bool, an int or a float; NumPy's scalars have a dtype, as arrays do.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _dtypes
from ._array import Array, Recorded, asarray, values_of
from ._errors import OverflowError

_BOOL, _I64, _U64, _F16, _F32, _F64 = (
    _dtypes.NAMES.index(name) for name in ("bool", "i64", "u64", "f16", "f32", "f64"))
_KINDS: dict[type, int] = {bool: 0, int: 1, float: 2}  # of numbers


def dtype_of(x: Any) -> np.dtype[Any]:
    """What the library takes x for by itself; it need not know the dtype."""
    if isinstance(x, (np.ndarray, np.generic, Array, Recorded)):
        return x.dtype
    if hasattr(x, "__dlpack__"):
        return _dtypes.DTYPES[_dtypes.dtype_code(x.dtype)] if hasattr(x, "dtype") else \
            asarray(x).dtype
    return values_of(x).dtype


def _kind(code: int) -> int:
    return 0 if code == _BOOL else 1 if code < _BOOL else 2


def _widest(codes: list[int]) -> int:
    """Of one kind. Without a common one, those of f16 and bf16 is f32, of u64 and signed i64."""
    if {_F16, _dtypes.BF16} <= set(codes):
        return max(*codes, _F32)
    if _U64 in codes and min(codes) <= _I64:
        return _I64
    if _kind(codes[0]) != 1:
        return max(codes)
    return _dtypes.dtype_code(np.result_type(*(_dtypes.DTYPES[code] for code in codes)))


def _code_for(number: Any, codes: list[int]) -> int:
    """The widest dtype of the arrays' highest kind, if that holds numbers of this kind."""
    kind = _KINDS[type(number)]
    highest = max(map(_kind, codes), default=-1)
    if highest >= kind:
        return _widest([code for code in codes if _kind(code) == highest])
    if kind == 1:
        return _U64 if not codes and 2**63 <= number < 2**64 else _I64
    return (_BOOL, _I64, _F64)[kind]


def _as_scalar(number: Any, code: int) -> Any:
    """A value of rank 0 of the dtype."""
    dtype = _dtypes.DTYPES[code]
    if code == _dtypes.BF16:
        return asarray(np.float32(number), device="cpu").astype(dtype).numpy()
    if dtype.kind in "iu":
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        if not low <= number <= high:
            raise OverflowError(f"the number {number} does not fit {dtype}, which it has beside "
                                f"the arrays; need {low} to {high}, or NumPy's scalar of a dtype")
    return np.asarray(number, dtype)


def settled(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The inputs of an operation with the numbers among them as values of their dtypes.

    Raises OverflowError for an int that does not fit.
    """
    if not any(type(x) in _KINDS for x in inputs):
        return inputs
    found = (_dtypes.code_or_none(dtype_of(x)) for x in inputs if type(x) not in _KINDS)
    codes = [code for code in found if code is not None]
    return tuple(_as_scalar(x, _code_for(x, codes)) if type(x) in _KINDS else x for x in inputs)
