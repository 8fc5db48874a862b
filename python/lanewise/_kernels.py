"""Own kernels: programs from C source, built for each device they are used on."""
from __future__ import annotations

import os
import re
from typing import Any, Mapping, Sequence

from . import _core
from ._array import Array
from ._core import Device, Kernel
from ._devices import DeviceLike, default_device
from ._errors import ArgumentError


class _Builder:
    """Builds one source for the devices that ask. Kernels hold it, and not their program."""

    def __init__(self, path: str, source: str | None, defines: tuple[str, ...],
                 include: tuple[str, ...], debug: bool, bounds: bool | None, cuda: bool,
                 arch: int, instantiate: str | None) -> None:
        self.path, self._source, self._debug, self._bounds = path, source, debug, bounds
        self._defines, self._include = defines, include
        self.is_cuda = cuda
        self._language = cuda, arch, instantiate
        self._built: dict[tuple[str, bool], Any] = {}

    @property
    def text(self) -> str | None:
        """The source, where it is in no file."""
        return self._source

    def __call__(self, device: Device, picture: bool = False) -> Any:
        built = self._built.get((device.name, picture))
        if built is None or built.device is not device:
            built = _core.build(device, self.path, self._source, self._defines, self._include,
                                self._debug and not picture, picture, self._bounds,
                                *self._language)
            self._built[device.name, picture] = built
        return built


def _plain(name: str) -> str:
    return name.replace(" ", "")


class Program:
    """The kernels of a source: `prog.name`, `prog["name"]`, `prog.kernels`. Made by compile.

    Of CUDA a name is what C++ takes after &, `prog["scale<float, 256>"]`. An instance of a template
    that the source does not launch is built when it is asked for so, and is then in `kernels`.
    """

    def __init__(self, build: _Builder, fixed: Device | None) -> None:
        self._path = build.path
        self._builder, self._fixed = build, fixed
        names = build(fixed or default_device()).names
        self.kernels = {name: Kernel(name, build, fixed) for name in names}

    def __getitem__(self, name: str) -> Kernel:
        if name in self.kernels:
            return self.kernels[name]
        if not self._builder.is_cuda:
            raise ArgumentError(self._without(name))
        for known, kernel in self.kernels.items():
            if _plain(known) == _plain(name):
                return kernel
        found = self._builder(self._fixed or default_device()).kernel_name(name)
        if found not in self.kernels:
            self.kernels[found] = Kernel(name, self._builder, self._fixed)
        return self.kernels[found]

    def __getattr__(self, name: str) -> Kernel:
        kernels = self.__dict__.get("kernels", {})
        if name in kernels:
            return kernels[name]
        raise AttributeError(self._without(name))

    def symbol(self, name: str, *, device: DeviceLike = None) -> Array:
        """A __device__ or __constant__ variable of CUDA, as an Array that is its memory.

        To write the Array sets the variable; launches on the same device write it, too. name has
        its namespaces, "state::count". Structs are rows of bytes, uint8. A number has no axes:
        `prog.symbol("factor")[()] = 2`. Raises ArgumentError where no kernel uses it.
        """
        on = self._fixed or default_device() if device is None else \
            device if isinstance(device, Device) else Device(device)
        array: Array = self._builder(on).symbol(name)
        return array

    def _without(self, name: str) -> str:
        kernels = self.__dict__.get("kernels", {})
        return f"no kernel '{name}'; " + (f"there is {', '.join(kernels)}" if kernels else
                                          "the program has none: no function is a KERNEL")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.kernels]

    def __repr__(self) -> str:
        return f"<lanewise.Program {self._path}: {', '.join(self.kernels) or 'no kernels'}>"


def _is_path(source: str) -> bool:
    return "\n" not in source and (source.endswith((".c", *_CUDA)) or os.path.exists(source))


_CUDA = ".cu", ".cuh"


def _read_arch(arch: str | None) -> int:
    found = re.fullmatch(r"sm_(\d{2,3})", arch or "sm_00")
    if not found:
        raise ArgumentError(f"arch is {arch!r}; need 'sm_NN', as 'sm_80'")
    return int(found[1])


def _define(name: str, value: Any) -> str:
    if value is True or value is None:
        return name
    return f"{name}={int(value) if isinstance(value, bool) else value}"


def compile(source: str | os.PathLike[str], *, device: DeviceLike = None,
            defines: Mapping[str, Any] | None = None, include: Sequence[str] = (),
            debug: bool = False, bounds: bool | None = None, cuda: bool = False,
            arch: str | None = None, instantiate: Sequence[str] = ()) -> Program:
    """Build the kernels of a C or CUDA file, or of a text.

    source is a path if it ends in .c, .cu or .cuh, or exists, else the text. With a device the
    program is for this one; without, it is built for each device when it is first used there.
    Raises CompileError, whose `diagnostics` has every message of the compiler, FileError,
    DeviceError. debug asks for code for a debugger, on the device "ref" only: docs/debugging.md.

    bounds is about "cpu", where an access outside of an array is a LaunchError, and "cuda", where
    it is with True: False takes code without comparisons, which then reads and writes other memory;
    True compares in every launch, also in those that are proved to need none. None is as
    LANEWISE_BOUNDS says.

    A path that ends in .cu or .cuh is CUDA C++, and so is any source with cuda=True. Then arch,
    'sm_86', is what __CUDA_ARCH__ says, and instantiate has kernels to build with the rest that the
    source does not launch, ['scale<float>']; prog['scale<float>'] builds what is missing.

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
    if isinstance(instantiate, str):
        raise ArgumentError(f"instantiate is {instantiate!r}; need a list, as [{instantiate!r}]")
    is_path = isinstance(source, os.PathLike) or _is_path(text)
    is_cuda = cuda or arch is not None or (is_path and text.endswith(_CUDA))
    if instantiate and not is_cuda:
        raise ArgumentError("instantiate is for CUDA: a file .cu or .cuh, or cuda=True")
    return Program(_Builder(text if is_path else "<source>", None if is_path else text, words,
                            folders, bool(debug), bounds, is_cuda, _read_arch(arch),
                            ";".join(instantiate) or None), fixed)
