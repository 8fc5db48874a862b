"""Element types: the library's numbers and names, and NumPy's dtypes and names.

Python's words for them are NumPy's, and of the library's those that NumPy does not take for another
type: "i8" and "u8" are 8 bits in the library and 64 in NumPy, so they are refused. "f16" is half
everywhere: what NumPy has by that name, of 16 bytes, is no element type.
"""
from __future__ import annotations

import sys
from typing import Any

import numpy as np

from . import _core
from ._errors import DtypeError


NAMES, _FORMATS = zip(*_core.dtypes())
C_TYPES = ("int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",
           "uint64_t", "bool", "_Float16", "__bf16", "float", "double")  # in the order of NAMES
_AMBIGUOUS = {"i8": ("int8", "int64"), "u8": ("uint8", "uint64")}
BF16 = NAMES.index("bf16")


def _numpy_dtype(form: str) -> np.dtype[Any]:
    """Of a buffer's format: NumPy's own, or a struct that holds the bits, T{H:bfloat16:}."""
    if len(form) == 1:
        return np.dtype(form)
    bits, title, _ = form[2:].split(":")
    return np.dtype([(title, bits)])


STAND_IN = _numpy_dtype(_FORMATS[BF16])
try:
    from ml_dtypes import bfloat16  # type: ignore[import-not-found]
except ImportError:
    bfloat16 = STAND_IN
HAS_STAND_IN = bfloat16 is STAND_IN
DTYPES: tuple[np.dtype[Any], ...] = tuple(
    np.dtype(bfloat16) if k == BF16 else _numpy_dtype(form) for k, form in enumerate(_FORMATS))
TITLES = tuple((_numpy_dtype(form).names or [_numpy_dtype(form).name])[0] for form in _FORMATS)
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


def promoted(a: int, b: int) -> int:
    """NumPy's common dtype, by numbers; bf16 is as f16, and with it f32."""
    f16 = NAMES.index("f16")
    if BF16 not in (a, b) or a == b:
        return _CODES[np.result_type(DTYPES[a], DTYPES[b])]
    other = a if b == BF16 else b
    if other == f16:
        return NAMES.index("f32")
    both = promoted(f16, other)
    return BF16 if both == f16 else both
