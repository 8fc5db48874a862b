"""Own kernels: programs from C source, built for each device they are used on."""
from __future__ import annotations

import os
from typing import Any, Mapping, Sequence

from . import _core
from ._core import Device, Kernel
from ._devices import DeviceLike, default_device
from ._errors import ArgumentError


class _Builder:
    """Builds one source for the devices that ask. Kernels hold it, and not their program."""

    def __init__(self, path: str, source: str | None, defines: tuple[str, ...],
                 include: tuple[str, ...], debug: bool, bounds: bool | None) -> None:
        self.path, self._source, self._debug, self._bounds = path, source, debug, bounds
        self._defines, self._include = defines, include
        self._built: dict[tuple[str, bool], Any] = {}

    @property
    def text(self) -> str | None:
        """The source, where it is in no file."""
        return self._source

    def __call__(self, device: Device, picture: bool = False) -> Any:
        built = self._built.get((device.name, picture))
        if built is None or built.device is not device:
            built = _core.build(device, self.path, self._source, self._defines, self._include,
                                self._debug and not picture, picture, self._bounds)
            self._built[device.name, picture] = built
        return built


class Program:
    """The kernels of a source: `prog.name`, `prog["name"]`, `prog.kernels`. Made by compile."""

    def __init__(self, build: _Builder, fixed: Device | None) -> None:
        self._path = build.path
        names = build(fixed or default_device()).names
        self.kernels = {name: Kernel(name, build, fixed) for name in names}

    def __getitem__(self, name: str) -> Kernel:
        try:
            return self.kernels[name]
        except KeyError:
            raise ArgumentError(self._without(name)) from None

    def __getattr__(self, name: str) -> Kernel:
        kernels = self.__dict__.get("kernels", {})
        if name in kernels:
            return kernels[name]
        raise AttributeError(self._without(name))

    def _without(self, name: str) -> str:
        kernels = self.__dict__.get("kernels", {})
        return f"no kernel '{name}'; " + (f"there is {', '.join(kernels)}" if kernels else
                                          "the program has none: no function is a KERNEL")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.kernels]

    def __repr__(self) -> str:
        return f"<lanewise.Program {self._path}: {', '.join(self.kernels) or 'no kernels'}>"


def _is_path(source: str) -> bool:
    return "\n" not in source and (source.endswith(".c") or os.path.exists(source))


def _define(name: str, value: Any) -> str:
    if value is True or value is None:
        return name
    return f"{name}={int(value) if isinstance(value, bool) else value}"


def compile(source: str | os.PathLike[str], *, device: DeviceLike = None,
            defines: Mapping[str, Any] | None = None, include: Sequence[str] = (),
            debug: bool = False, bounds: bool | None = None) -> Program:
    """Build the kernels of a C file, or of a text.

    source is a path if it ends in .c or exists, else the text. With a device the program is for
    this one; without, it is built for each device when it is first used there. Raises
    CompileError, whose `diagnostics` has every message of the compiler, FileError, DeviceError.
    debug asks for code for a debugger, on the device "ref" only: docs/debugging.md.

    bounds is about "cpu", where an access outside of an array is a LaunchError, and "cuda", where
    it is with True: False takes code without comparisons, which then reads and writes other memory;
    True compares in every launch, also in those that are proved to need none. None is as
    LANEWISE_BOUNDS says.

    >>> prog = lw.compile('''
    ... #include <lanewise/kernel.h>
    ... KERNEL void scale(int n, float x[n], float by)
    ... {
    ...     int i = global_idx.x;
    ...     if (i < n) x[i] *= by;
    ... }''')
    >>> x = np.ones(4, 'f4')
    >>> prog.scale[1, 32](4, x, 0.5)
    >>> x
    array([0.5, 0.5, 0.5, 0.5], dtype=float32)
    """
    if not isinstance(source, (str, os.PathLike)):
        raise ArgumentError(f"source is {type(source).__name__}; need a path or a text")
    if isinstance(include, (str, os.PathLike)):
        raise ArgumentError(f"include is {include!r}; need a list of folders, as [{include!r}]")
    if bounds is not None and not isinstance(bounds, bool):
        raise ArgumentError(f"bounds is {bounds!r}; need True, False or None")
    text = os.fspath(source)
    fixed = None if device is None else device if isinstance(device, Device) else Device(device)
    words = tuple(_define(name, value) for name, value in (defines or {}).items())
    folders = tuple(os.fspath(folder) for folder in include)
    if isinstance(source, os.PathLike) or _is_path(text):
        return Program(_Builder(text, None, words, folders, bool(debug), bounds), fixed)
    return Program(_Builder("<source>", text, words, folders, bool(debug), bounds),
                   fixed)
