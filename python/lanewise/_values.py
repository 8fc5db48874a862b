"""What Arrays are as values: comparisons, copies, pickles."""
from __future__ import annotations

import operator
from typing import Any, Callable

import numpy as np

from . import _array, _core, _dtypes
from ._core import Device
from ._errors import ArgumentError, DeviceError, OverflowError

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge}


def _on_host(x: Any) -> Any:
    """For NumPy: an Array as NumPy's, bfloat16 as float32."""
    if not isinstance(x, _array.Array):
        _core.check_buffer(x)
        return x
    values = x.numpy()
    return _array.bits_to_float(values) if x._code == _dtypes.BF16 else values


def _weak(x: Any, other: Any) -> Any:
    """A Python number as it is beside x, where that is of x's dtype; other things as they are."""
    from ._numbers import settled
    if type(other) in (bool, int, float) and (x._code == _dtypes.BF16 or not x._is_host()):
        try:
            scalar = _array.asarray(settled((x, other))[1], device=x.device)
        except OverflowError:  # not equal to any: NumPy knows
            return other
        return scalar if scalar._code == x._code else other
    return other


def _compare(x: Any, other: Any, sign: str) -> Any:
    """By NumPy on the host; two Arrays of one dtype on a GPU are compared there."""
    if isinstance(other, _array.Recorded):
        return NotImplemented
    other = _weak(x, other)
    try:
        if not x._is_host() and isinstance(other, _array.Array) and \
                (other._code, other.device) == (x._code, x.device):
            from ._operations import map
            shape = np.broadcast_shapes(x.shape, other.shape)
            return map(f"a {sign} b", _array._broadcast(x, shape), _array._broadcast(other, shape))
        values = _COMPARISONS[sign](_on_host(x), _on_host(other))
    except (ValueError, RuntimeError) as e:  # the shapes, or what NumPy cannot read
        raise ArgumentError(f"{sign}: {e}") from None
    return _array.asarray(values, device=x.device)


def _restore(dtype: str, device: str, values: np.ndarray[Any, Any]) -> Any:
    """An Array of what a pickle holds: the elements, of bfloat16 the bits."""
    try:
        there = Device(device)
    except DeviceError as e:
        raise DeviceError(f"the pickled array was on device '{device}' ({e}); need that device, or "
                          "a pickle of what .to('cpu') gives") from None
    return _array._upload(values, _dtypes.dtype_code(dtype), there)


class Values:
    """For Array. A comparison is elementwise, as NumPy's; copies and pickles are by value."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: Any) -> Any:
        return _compare(self, other, "==")

    def __ne__(self, other: Any) -> Any:
        return _compare(self, other, "!=")

    def __lt__(self, other: Any) -> Any:
        return _compare(self, other, "<")

    def __le__(self, other: Any) -> Any:
        return _compare(self, other, "<=")

    def __gt__(self, other: Any) -> Any:
        return _compare(self, other, ">")

    def __ge__(self, other: Any) -> Any:
        return _compare(self, other, ">=")

    def __contains__(self, value: Any) -> bool:
        return bool(np.any((self == value).numpy()))

    def __copy__(self: Any) -> Any:
        return self.copy()

    def __deepcopy__(self: Any, memo: Any) -> Any:
        return self.copy()

    def __reduce__(self: Any) -> tuple[Any, ...]:
        values = self.numpy()
        if self._code == _dtypes.BF16:
            values = values.reshape(-1).view("u2").reshape(self.shape)
        return _restore, (_dtypes.TITLES[self._code], self.device.name, values)
