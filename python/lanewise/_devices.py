"""Devices and streams."""
from __future__ import annotations

import copyreg
import os
import weakref
from dataclasses import dataclass
from typing import Union

from . import _core
from ._core import Device, Stream
from ._errors import ArgumentError

DeviceLike = Union[str, Device, None]
_default: list[Device] = []  # the extension looks there, too


@dataclass(frozen=True)
class DeviceInfo:
    """What is known of a device that need not be there: name, description, available, and why it
    is unavailable."""

    name: str
    description: str
    available: bool
    unavailable: str


copyreg.pickle(Device, lambda d: (Device, (d.name,)))  # the one of that name, as copies are, too


def devices() -> list[DeviceInfo]:
    """The devices this library knows, in the order of preference.

    >>> [d.available for d in lw.devices() if d.name == 'ref']
    [True]
    """
    return [DeviceInfo(*row) for row in _core.devices()]


def device(name: str) -> Device:
    """The device of that name: "cpu", "cuda", "cuda:1", "ref", "check", "null".

    Raises DeviceError if there is none or it cannot be used.

    >>> lw.device('ref')
    lanewise.Device('ref')
    """
    return Device(name)


def default_device(name: DeviceLike = None) -> Device:
    """The device for what is on none; with a name, this is set first.

    At the start it is what LANEWISE_DEVICE in the environment names, or else "cpu".

    >>> old = lw.default_device()
    >>> lw.default_device('ref').name
    'ref'
    >>> _ = lw.default_device(old)
    """
    if name is not None:
        _default[:] = [name if isinstance(name, Device) else Device(name)]
    elif not _default:
        # NumPy's arrays lie in host memory, so a GPU is chosen only where the caller names it. To
        # ask what is there would load its driver: a fifth of a second.
        _default.append(Device(os.environ.get("LANEWISE_DEVICE", "cpu")))
    return _default[0]


def device_of(where: DeviceLike) -> Device:
    if where is None:
        return default_device()
    return where if isinstance(where, Device) else Device(where)


def stream(device: DeviceLike = None, *, native: int | None = None) -> Stream:
    """A queue of launches that run in order, apart from this thread.

    native is the handle of a CUDA stream of another library, on top of which this one is.
    Without a device it is of the default one. Raises DeviceError, UnsupportedError.

    >>> s = lw.stream()
    >>> s.wait()
    """
    if native is not None and not isinstance(native, int):
        raise ArgumentError(f"native is {native!r}; need an int, the stream's handle")
    made = Stream(device_of(device), native)
    _known.append(weakref.ref(made))
    if len(_known) > 64:
        _known[:] = [known for known in _known if known()]
    return made


def current_stream(device: Device) -> Stream | None:
    """The stream for calls of this thread that name none, if there is one of that device."""
    stream = _core.use_stream(None)
    _core.use_stream(stream)
    return stream if stream is not None and stream.device is device else None


# The streams that synchronize() waits for, for as long as somebody else holds them.
_known: list[weakref.ref[Stream]] = []


def synchronize(device: DeviceLike = None) -> None:
    """Wait for all streams of a device, or of all devices.

    Raises what went wrong in the first that failed.

    >>> lw.synchronize()
    """
    name = None if device is None else device_of(device).name
    for known in list(_known):
        made = known()
        if made is not None and name in (None, made.device.name):
            made.wait()


# A child of fork has none of the parent's threads: what its streams were doing never ends there.
os.register_at_fork(after_in_child=_known.clear)
