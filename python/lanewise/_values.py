"""What Arrays are as values: copies, pickles, `in`."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _array, _core, _dtypes
from ._core import Device
from ._errors import ArgumentError, DeviceError, OverflowError


def _restore(dtype: str, device: str, values: np.ndarray[Any, Any]) -> Any:
    """An Array of what a pickle holds: the elements, of bfloat16 the bits."""
    try:
        there = Device(device)
    except DeviceError as e:
        raise DeviceError(f"the pickled array was on device '{device}' ({e}); need that device, or "
                          "a pickle of what .to('cpu') gives") from None
    return _array._upload(values, _dtypes.dtype_code(dtype), there)


class Values:
    """For Array: copies and pickles are by value."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

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
