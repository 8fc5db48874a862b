"""Arrays made of numbers. The values are computed in int64 or float64 on the host, so that their
bits are the same on every device."""
from __future__ import annotations

import math
import operator
from typing import Any, Sequence

import numpy as np

from . import _core, _dtypes
from ._array import Array, asarray, empty, full, zeros
from ._axes import _taken
from ._composed import composed, filled, new, public
from ._core import Device
from ._devices import device_of
from ._errors import ArgumentError, OverflowError

ArrayLike = Any
DtypeLike = Any
Shape = Sequence[int]


def _number(name: str, value: Any) -> int | float:
    """A Python int or float, which is finite."""
    if hasattr(value, "__index__") and not getattr(value, "ndim", 0):
        return operator.index(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} is {value!r}; need a number") from None
    if not math.isfinite(number):
        raise ArgumentError(f"{name} is {number}; need a finite number")
    return number


def _made(values: np.ndarray[Any, Any], code: int, device: str | Device | None) -> Array:
    """An Array of a dtype, to which each value is rounded once."""
    made = asarray(values, device=device_of(device))
    return made if made._code == code else made.astype(_dtypes.DTYPES[code])


def arange(start: float, stop: float | None = None, step: float = 1, *, dtype: DtypeLike = None,
           device: str | Device | None = None) -> Array:
    """start, start + step, ... below stop; arange(n) is 0, 1, ... below n.

    The dtype is int64, or float64 if one of the numbers is no integer. Element i is
    start + i * step in float64, rounded once. Raises ArgumentError, and OverflowError for integers
    that do not fit.

    >>> lw.arange(3)
    lanewise.Array([0, 1, 2], dtype=int64, device=cpu)
    >>> lw.arange(5, 0, -2, dtype='f32')
    lanewise.Array([5., 3., 1.], dtype=float32, device=cpu)
    """
    begin, end = (0, start) if stop is None else (start, stop)
    a, b, by = _number("start", begin), _number("stop", end), _number("step", step)
    if by == 0:
        raise ArgumentError("step is 0; need another")
    is_whole = all(isinstance(n, int) for n in (a, b, by))
    if dtype is None:
        dtype = np.int64 if is_whole else np.float64
    code = _dtypes.dtype_code(dtype)
    if not is_whole:
        return _made(a + np.arange(max(0, math.ceil((b - a) / by))) * by, code, device)
    numbers = range(a, b, by)  # type: ignore[arg-type]
    kind = _dtypes.DTYPES[code]
    wide = np.dtype("u8" if kind == np.uint64 else "i8")
    limits = np.iinfo(kind if kind.kind in "iu" else wide)
    for number in numbers[:1], numbers[-1:]:
        if number and not limits.min <= number[0] <= limits.max:
            raise OverflowError(f"the number {number[0]} does not fit {limits.dtype}")
    values = np.arange(len(numbers), dtype=wide) * wide.type(by % 2**64 if wide == "u8" else by)
    return _made(values + wide.type(a), code, device) if numbers else _made(values, code, device)


def linspace(start: float, stop: float, num: int = 50, *, dtype: DtypeLike = None,
             device: str | Device | None = None, endpoint: bool = True) -> Array:
    """num numbers at equal distances from start to stop; endpoint=False leaves out stop.

    The dtype is float64. The numbers are NumPy's in float64, rounded once; of an integer dtype they
    are rounded down.

    >>> lw.linspace(0, 1, 5)
    lanewise.Array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float64, device=cpu)
    """
    a, b = float(_number("start", start)), float(_number("stop", stop))
    count, code = operator.index(num), _dtypes.dtype_code(np.float64 if dtype is None else dtype)
    if count < 0:
        raise ArgumentError(f"num is {num}; need 0 or more")
    steps = max(count - 1 if endpoint else count, 1)
    step = (b - a) / steps
    places = np.arange(count, dtype="f8")
    values = (places * step if step else places / steps * (b - a)) + a
    if endpoint and count > 1:
        values[-1] = b
    return _made(np.floor(values) if _dtypes.DTYPES[code].kind in "iu" else values, code, device)


def eye(n_rows: int, n_cols: int | None = None, *, k: int = 0, dtype: DtypeLike = "f32",
        device: str | Device | None = None) -> Array:
    """A matrix with ones on diagonal k and zeros elsewhere; square without n_cols.

    >>> lw.eye(2, k=1)
    lanewise.Array([[0., 1.],
     [0., 0.]], dtype=float32, device=cpu)
    """
    columns = n_rows if n_cols is None else n_cols
    made = zeros((n_rows, columns), dtype, device=device)
    count = min(n_rows + min(k, 0), columns - max(k, 0))
    if count > 0:
        begin = max(k, 0) + max(-k, 0) * columns
        filled(_core.view(made, begin, (count,), (columns + 1,)), 1)
    return made


def ones(shape: int | Shape, dtype: DtypeLike = "f32", *,
         device: str | Device | None = None) -> Array:
    """An Array of ones.

    >>> lw.ones(2)
    lanewise.Array([1., 1.], dtype=float32, device=cpu)
    """
    return full(shape, 1, np.float64 if dtype is None else dtype, device=device)


@composed
def _like(x: Any, /, value: Any, dtype: Any) -> Any:
    made = new(x, x.shape, dtype)
    return made if value is None else filled(made, value)


def _alike(x: Any, value: Any, dtype: Any, device: Any) -> Any:
    if device is None:
        return _like(x, value, dtype)
    like = _taken(x)
    made = empty(like.shape, like.dtype if dtype is None else dtype, device=device)
    return made if value is None else filled(made, value)


def empty_like(x: ArrayLike, /, *, dtype: DtypeLike = None,
               device: str | Device | None = None) -> Any:
    """An array of x's shape, and of its dtype without one, whose values are not to be relied on.

    It is what x is: NumPy's, an Array on x's device, a tensor of x's graph; on a device an Array.

    >>> lw.empty_like(np.ones((2, 3), 'f4')).shape
    (2, 3)
    """
    return _alike(x, None, dtype, device)


def zeros_like(x: ArrayLike, /, *, dtype: DtypeLike = None,
               device: str | Device | None = None) -> Any:
    """Zeros of x's shape; empty_like says what they are.

    >>> lw.zeros_like(np.ones(2, 'f4'))
    array([0., 0.], dtype=float32)
    """
    return _alike(x, 0, dtype, device)


def ones_like(x: ArrayLike, /, *, dtype: DtypeLike = None,
              device: str | Device | None = None) -> Any:
    """Ones of x's shape; empty_like says what they are.

    >>> lw.ones_like(np.zeros(2, 'f4'))
    array([1., 1.], dtype=float32)
    """
    return _alike(x, 1, dtype, device)


def full_like(x: ArrayLike, /, fill_value: float, *, dtype: DtypeLike = None,
              device: str | Device | None = None) -> Any:
    """One value in x's shape; empty_like says what it is. OverflowError if it does not fit.

    >>> lw.full_like(np.zeros(2, 'f4'), 7)
    array([7., 7.], dtype=float32)
    """
    return _alike(x, fill_value, dtype, device)


__all__ = public(globals())
