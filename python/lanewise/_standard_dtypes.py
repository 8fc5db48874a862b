"""Dtypes as the Python array API standard speaks of them, and what it asks of a namespace."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _dtypes, _numbers
from ._array import Array
from ._composed import promoted
from ._core import Device
from ._devices import default_device, devices
from ._errors import ArgumentError, DtypeError

DtypeLike = Any

_KINDS = {"bool": ("bool",), "signed integer": ("int8", "int16", "int32", "int64"),
          "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
          "real floating": ("float16", "bfloat16", "float32", "float64"), "complex floating": ()}
_KINDS["integral"] = _KINDS["signed integer"] + _KINDS["unsigned integer"]
_KINDS["numeric"] = _KINDS["integral"] + _KINDS["real floating"]

# The standard's own: without float16 and bfloat16.
DTYPES = {name: np.dtype(name) for name in
          ("bool", *_KINDS["integral"], "float32", "float64")}
# Bits of the mantissa, and the largest exponent.
_FLOATS = {"float16": (10, 15), "bfloat16": (7, 127), "float32": (23, 127), "float64": (52, 1023)}


def _titles(kind: str) -> tuple[str, ...]:
    if kind not in _KINDS:
        raise ArgumentError(f"kind is {kind!r}; need one of {', '.join(_KINDS)}")
    return _KINDS[kind]


def _each(kind: Any) -> tuple[Any, ...]:
    return kind if isinstance(kind, tuple) else (kind,)


def _dtype_of(x: Any) -> np.dtype[Any]:
    """Of an array, or the dtype that it is."""
    is_array = hasattr(x, "dtype") and not isinstance(x, type)
    return _dtypes.DTYPES[_dtypes.dtype_code(x.dtype if is_array else x)]


def _title_of(x: Any) -> str:
    return _dtypes.TITLES[_dtypes.dtype_code(_dtype_of(x))]


def isdtype(dtype: DtypeLike, kind: DtypeLike | str | tuple[DtypeLike | str, ...]) -> bool:
    """True if the dtype is of a kind as "real floating", is another dtype, or is one of a tuple of
    these.

    >>> lw.array_api.isdtype(lw.array_api.int8, "integral")
    True
    """
    title = _title_of(dtype)
    return any(title in _titles(k) if isinstance(k, str) else title == _title_of(k)
               for k in _each(kind))


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """The common dtype of arrays, dtypes and Python's numbers, which are weak; NumPy's.

    >>> lw.array_api.result_type(lw.zeros(2), 1.5)
    dtype('float32')
    """
    numbers = [x for x in arrays_and_dtypes if type(x) in _numbers._KINDS]
    dtypes = [_dtype_of(x) for x in arrays_and_dtypes if type(x) not in _numbers._KINDS]
    if not dtypes:
        raise ArgumentError("there is no array and no dtype; need one or more")
    empty = np.empty(0, promoted(*dtypes))
    return promoted(empty.dtype, *(x.dtype for x in _numbers.settled((empty, *numbers))[1:]))


def can_cast(from_: Any, to: DtypeLike, /) -> bool:
    """True if a dtype, or an array's, becomes another one of its kind beside that.

    >>> lw.array_api.can_cast(lw.array_api.int8, lw.array_api.int16)
    True
    """
    kind = next(k for k in ("bool", "integral", "real floating") if isdtype(_dtype_of(from_), k))
    return isdtype(to, kind) and promoted(_dtype_of(from_), _dtype_of(to)) == _dtype_of(to)


@dataclass(frozen=True)
class finfo_object:
    """What finfo gives."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: np.dtype[Any]


@dataclass(frozen=True)
class iinfo_object:
    """What iinfo gives."""

    bits: int
    max: int
    min: int
    dtype: np.dtype[Any]


def finfo(type: Any, /) -> finfo_object:
    """Limits of a floating dtype, or of an array's: bits, eps, max, min, smallest_normal, dtype.

    >>> lw.array_api.finfo(lw.bfloat16).eps
    0.0078125
    """
    dtype, title = _dtype_of(type), _title_of(type)
    if title not in _FLOATS:
        raise DtypeError(f"dtype is {title}; need one of {' '.join(_FLOATS)}")
    mantissa, exponent = _FLOATS[title]
    eps = 2.0 ** -mantissa
    most = (2 - eps) * 2.0 ** exponent
    return finfo_object(8 * dtype.itemsize, eps, most, -most, 2.0 ** (1 - exponent), dtype)


def iinfo(type: Any, /) -> iinfo_object:
    """Limits of an integer dtype, or of an array's: bits, max, min, dtype.

    >>> lw.array_api.iinfo(lw.array_api.uint8).max
    255
    """
    dtype, title = _dtype_of(type), _title_of(type)
    if title not in _KINDS["integral"]:
        raise DtypeError(f"dtype is {title}; need one of {' '.join(_KINDS['integral'])}")
    limits = np.iinfo(dtype)
    return iinfo_object(limits.bits, limits.max, limits.min, dtype)


class Info:
    """What __array_namespace_info__ gives: capabilities, devices and dtypes."""

    def capabilities(self) -> dict[str, Any]:
        """Masks are indices, results may have a length that depends on values, ranks are to 4."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self) -> Device:
        """That of lw.default_device()."""
        return default_device()

    def devices(self) -> list[Device]:
        """Those that are there, but for the checker and the one that computes nothing."""
        return [Device(d.name) for d in devices() if d.available and
                d.name not in ("check", "null")]

    def default_dtypes(self, *, device: Any = None) -> dict[str, np.dtype[Any]]:
        """float64 and int64, on all devices."""
        return {"real floating": DTYPES["float64"], "integral": DTYPES["int64"],
                "indexing": DTYPES["int64"]}

    def dtypes(self, *, device: Any = None,
               kind: str | tuple[str, ...] | None = None) -> dict[str, np.dtype[Any]]:
        """The dtypes of a kind, of several, or all, by name; they are those of all devices."""
        kinds = ("bool", "numeric") if kind is None else kind
        wanted = [title for k in _each(kinds) for title in _titles(k)]
        return {name: dtype for name, dtype in DTYPES.items() if name in wanted}
