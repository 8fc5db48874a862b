"""What Array has for the Python array API standard alone."""
from __future__ import annotations

from typing import Any

from ._errors import ArgumentError

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")


class Standard:
    """For Array."""

    __slots__ = ()

    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any:
        """The module lanewise.array_api, of any of the standard's versions to 2024.12."""
        from . import array_api
        if api_version is not None and api_version not in VERSIONS:
            raise ArgumentError(f"api_version is {api_version!r}; need one of {' '.join(VERSIONS)}")
        return array_api

    @property
    def mT(self: Any) -> Any:
        """The last two axes swapped, as a view."""
        if self.ndim < 2:
            raise ArgumentError(f"the array has shape {self.shape}; need two axes or more")
        return self.transpose((*range(self.ndim - 2), self.ndim - 1, self.ndim - 2))

    def to_device(self: Any, device: Any, /, *, stream: Any = None) -> Any:
        """As to(), once what is queued in the stream is over."""
        if stream is not None:
            stream.wait()
        return self.to(device)

    def __index__(self: Any) -> int:
        if self.ndim or self.dtype.kind not in "iu":
            raise TypeError(f"an array of shape {self.shape} and {self.dtype} is no index; need an "
                            "integer of rank 0")
        return int(self.item())

    def __complex__(self: Any) -> complex:
        return complex(self.item())
