"""Element types: the library's numbers and names, and NumPy's dtypes and names.

Python's words for them are NumPy's, and of the library's those that NumPy does not take for another
type: "i8" and "u8" are 8 bits in the library and 64 in NumPy, so they are refused. "f16" is half
everywhere: what NumPy has by that name, of 16 bytes, is no element type.
"""
from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ._errors import DtypeError


def _find_bfloat16() -> tuple[Any, np.dtype[Any]]:
    """ml_dtypes' where it is installed, else a struct of one u16 that holds the bits."""
    try:
        import ml_dtypes  # type: ignore[import-not-found]
    except ImportError:
        stand_in = np.dtype([("bfloat16", "<u2")])
        return stand_in, stand_in
    return ml_dtypes.bfloat16, np.dtype(ml_dtypes.bfloat16)


bfloat16, _BF16 = _find_bfloat16()
HAS_STAND_IN = bfloat16 is _BF16
STAND_IN = np.dtype([("bfloat16", "<u2")])

NAMES = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool", "f16", "bf16", "f32", "f64")
_AMBIGUOUS = {"i8": ("int8", "int64"), "u8": ("uint8", "uint64")}
BF16 = NAMES.index("bf16")
DTYPES: tuple[np.dtype[Any], ...] = tuple(
    np.dtype(t) for t in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "f2")
) + (_BF16, np.dtype("f4"), np.dtype("f8"))
TITLES = tuple("bfloat16" if k == BF16 else dtype.name for k, dtype in enumerate(DTYPES))
_CODES: dict[Any, int] = {dtype: code for code, dtype in enumerate(DTYPES)}
_CODES[STAND_IN] = BF16
_CODES.update((name, code) for code, name in enumerate(NAMES) if name not in _AMBIGUOUS)
_CODES["bfloat16"] = BF16


def dtype_code(dtype: Any) -> int:
    """The library's number of a dtype."""
    code = _CODES.get(dtype) if isinstance(dtype, (str, np.dtype)) else None
    if code is not None:
        return code
    if isinstance(dtype, str) and dtype in _AMBIGUOUS:
        short, long = _AMBIGUOUS[dtype]
        raise DtypeError(f"dtype {dtype!r} is {long} in NumPy and {short} in the library; need "
                         f"{short!r} or {long!r}")
    if type(dtype).__module__.partition(".")[0] == "torch":
        return dtype_code(str(dtype).removeprefix("torch."))
    try:
        return _CODES[np.dtype(dtype)]
    except (KeyError, TypeError, ValueError):
        pass
    name = str(dtype) if isinstance(dtype, np.dtype) else repr(dtype)
    if isinstance(dtype, np.dtype) and dtype.newbyteorder("=") in _CODES:
        raise DtypeError(f"dtype {name} has the other byte order; need this machine's, "
                         f"{sys.byteorder}-endian")
    raise DtypeError(f"dtype is {name}; need one of {' '.join(TITLES)}")


def code_or_none(dtype: Any) -> int | None:
    """The library's number of NumPy's dtype, if it has one."""
    return _CODES.get(dtype)


def dtype_name(dtype: Any) -> str:
    """The library's name, "f32" and the like, for its parameters."""
    return NAMES[dtype_code(dtype)]
