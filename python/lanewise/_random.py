"""Random numbers."""
from __future__ import annotations

from typing import Any

from . import _core, _dtypes
from ._array import Array
from ._core import Device
from ._devices import DeviceLike, device_of
from ._errors import ArgumentError, DtypeError


class random:
    """Random numbers, the same on every machine: the fills rand:SEED and normal:SEED."""

    @staticmethod
    def _fill(seed: int, shape: Any, dtype: Any, device: DeviceLike, is_normal: bool) -> Array:
        where, code = device_of(device), _dtypes.dtype_code(dtype)
        if not 0 <= seed < 2**64:
            raise ArgumentError(f"seed is {seed}; need a whole number from 0 to 2**64 - 1")
        if is_normal and code < _dtypes.NAMES.index("f16"):
            raise DtypeError(f"normal is for floats, not for {_dtypes.TITLES[code]}")
        host = Device("cpu") if where.name.startswith("cuda") else where
        made = _core.allocate(host, code, shape, False)
        _core.fill(made, seed, is_normal)
        return made.to(where)

    @staticmethod
    def uniform(seed: int, shape: Any, dtype: Any = "f32", *, device: DeviceLike = None) -> Array:
        """Uniform in [0, 1) for floats, over the whole range for integers.

        >>> lw.random.uniform(1, 2, 'uint8').numpy()
        array([112, 188], dtype=uint8)
        """
        return random._fill(seed, shape, dtype, device, False)

    @staticmethod
    def normal(seed: int, shape: Any, dtype: Any = "f32", *, device: DeviceLike = None) -> Array:
        """Normally distributed, mean 0 and variance 1; floats only.

        >>> lw.random.normal(1, 1000).shape
        (1000,)
        """
        return random._fill(seed, shape, dtype, device, True)
