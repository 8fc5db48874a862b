"""lanewise.Array: memory of a device, as views that keep it alive."""
from __future__ import annotations

import math
import sys
from typing import Any, Sequence

import numpy as np

from . import _core, _dtypes, _indexing
from ._core import Device, Stream
from ._devices import DeviceLike, current_stream, default_device, device_of
from ._errors import ArgumentError, DtypeError, UnsupportedError
from ._standard import Standard
from ._values import Values
from ._views import (c_strides, index_parts, ints, is_contiguous, reshaped, reshaped_strides,
                     slice_axis)

_LIMIT = 8  # of axes, as python/src/core.h has it
# Packages whose arrays never change, which their capsules do not say.
_NEVER_WRITTEN = ("jax", "jaxlib", "pyarrow")


class Array(Values, Standard, _core.Array):
    """A strided view of memory of a device, of rank 0 to 8.

    Made by asarray, empty, zeros, full, arange, random and from_dlpack. Views share the memory and
    keep it alive.

    >>> x = lw.arange(6).reshape(2, 3)
    >>> x[:, 1].numpy()
    array([1, 4])
    """

    __slots__ = ()

    def _is_host(self) -> bool:
        return not self.device.name.startswith("cuda")

    def _contiguous_view(self) -> "Array | None":
        return self if is_contiguous(self.shape, self._strides) else None

    def _contiguous(self) -> "Array":
        whole = self._contiguous_view()
        return self.copy() if whole is None else whole

    def numpy(self) -> np.ndarray[Any, Any]:
        """A NumPy array, which shares the memory on cpu, ref and null; a copy from cuda.

        >>> x = lw.zeros(2)
        >>> x.numpy()[0] = 5
        >>> x
        lanewise.Array([5., 0.], dtype=float32, device=cpu)
        """
        if not self._is_host():
            whole = self._contiguous()
            bits = np.empty(self.shape, "u2" if self._code == _dtypes.BF16 else self.dtype)
            _core.transfer(whole, bits, False)
            return bits.view(self.dtype) if self._code == _dtypes.BF16 else bits
        self._wait()
        return _as_numpy(self)

    def to(self, device: DeviceLike) -> "Array":
        """The same on another device; itself if it is there already."""
        there = device if isinstance(device, Device) else Device(str(device))
        if there.name == self.device.name:
            return self
        return _upload(self.numpy(), self._code, there)

    def _settled(self) -> "Array":
        """Itself, once the launches that use it are over. They are in order with calls that follow
        a stream."""
        if current_stream(self.device) is None:
            self._wait()
        return self

    def copy(self) -> "Array":
        """A C-contiguous copy on the same device, of what launches that use the array leave."""
        return _core.operate("copy", {}, (self._settled(),), None, None)

    def reshape(self, *shape: int) -> "Array":
        """The elements in C order under another shape; one extent may be -1. A view if the strides
        allow it, else a copy.

        >>> lw.arange(6).reshape(-1, 2).shape
        (3, 2)
        """
        extents = reshaped(self.shape, ints(shape))
        view = self._reshaped_view(extents)
        return self.copy().reshape(extents) if view is None else view

    def _reshaped_view(self, extents: tuple[int, ...]) -> "Array | None":
        strides = reshaped_strides(self.shape, self._strides, extents) if self.size else \
            c_strides(extents)
        return None if strides is None else _core.view(self, self._offset, extents, strides)

    def _broadcast_to(self, shape: tuple[int, ...]) -> "Array":
        return _broadcast(self, shape)

    def transpose(self, *axes: int) -> "Array":
        """The axes in another order, reversed without any; a view."""
        if not axes or axes == (None,):
            order = tuple(reversed(range(self.ndim)))
        else:
            order = tuple(a + self.ndim if a < 0 else a for a in ints(axes))
        if sorted(order) != list(range(self.ndim)):
            raise ArgumentError(f"axes are {axes}; need each of 0 to {self.ndim - 1} once")
        shape, strides = self.shape, self._strides
        return _core.view(self, self._offset, tuple(shape[k] for k in order),
                          tuple(strides[k] for k in order))

    def astype(self, dtype: Any) -> "Array":
        """A copy with another dtype, each element rounded once."""
        if self._waits:
            from ._elementwise import cast
            return cast(_dtypes.dtype_code(dtype))(self)
        name = _dtypes.dtype_name(dtype)
        return _core.operate("copy", {"dtype": name}, (self._settled(),), None, None)

    def item(self) -> Any:
        """The only element as a Python number. Raises ArgumentError if there is not one."""
        if self.size != 1:
            raise ArgumentError(f"item: the array has {self.size} elements; need one")
        value = self.reshape(1).numpy()
        return bits_to_float(value)[0].item() if self._code == _dtypes.BF16 else value[0].item()

    def _place(self, key: Any) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
        offset, shape, strides, axis = self._offset, [], [], 0
        for part in index_parts(key, self.shape):
            if part is None:
                shape.append(1)
                strides.append(0)
                continue
            begin, step, extent = slice_axis(part, self.shape[axis])
            stride = self._strides[axis]
            axis += 1
            if extent is None or extent > 0:
                offset += begin * stride
            if extent is not None:
                shape.append(extent)
                strides.append(step * stride)
        return offset, tuple(shape), tuple(strides)

    def __getitem__(self, key: Any) -> "Array":
        if not _indexing.is_plain(key):
            found: Array = _indexing.get(self, key)
            return found
        offset, shape, strides = self._place(key)
        return _core.view(self, 0 if math.prod(shape) == 0 else offset, shape, strides)

    def __setitem__(self, key: Any, value: Any) -> None:
        if not _indexing.is_plain(key):
            _indexing.put(self, key, value)
            return
        view = self[key]
        if self.readonly:
            raise ArgumentError("the array is read-only")
        _refuse_masked(value)
        _core.check_buffer(value)
        foreign = None if isinstance(value, Array) else _foreign(value)
        value = value if foreign is None else foreign
        if self._is_host() and not isinstance(value, Array):
            try:
                if self._code == _dtypes.BF16:
                    value = asarray(np.asarray(value, "f4")).astype("bf16").numpy()
                view.numpy()[...] = value
            except (ValueError, RuntimeError) as e:
                raise ArgumentError(str(e)) from None
            return
        if not isinstance(value, Array):
            value = asarray(value, device=self.device)
        while value.ndim > view.ndim and value.shape[0] == 1:
            value = value[0]
        if value.ndim > view.ndim:
            raise ArgumentError(f"shape {value.shape} does not broadcast to {view.shape}")
        there = value.to(self.device)._settled()
        _core.operate("copy", {}, (_broadcast(there, view.shape),), view._settled(), None)

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of an array of rank 0")
        return self.shape[0]

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ArgumentError(f"the truth value of an array of {self.size} elements is not "
                                "clear; need lw.any or lw.all")
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __repr__(self) -> str:
        values = self.numpy()
        if self._code == _dtypes.BF16:
            values = bits_to_float(values)
        text = np.array2string(values, separator=", ")
        dtype = _dtypes.TITLES[self._code]
        return f"lanewise.Array({text}, dtype={dtype}, device={self.device.name})"

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **words: Any) -> Any:
        """NumPy's functions give NumPy's arrays; an operator after NumPy's scalar an Array."""
        from ._elementwise import of_ufunc
        ours = of_ufunc(ufunc.__name__) if isinstance(inputs[0], np.generic) else None
        if ours is not None and method == "__call__" and not words:
            return ours(*inputs)
        out = words.get("out")
        if out is not None:
            words["out"] = tuple(x.numpy() if isinstance(x, Array) else x for x in out)
        return getattr(ufunc, method)(
            *(x.numpy() if isinstance(x, Array) else x for x in inputs), **words)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        values = self.numpy()
        if copy is False and (not self._is_host() or (dtype is not None and dtype != values.dtype)):
            raise ValueError("a copy is needed")
        if dtype is not None and dtype != values.dtype:
            return values.astype(dtype)
        return values.copy() if copy else values

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None,
                   copy: bool | None = None) -> Any:
        """A capsule of DLPack, versioned where max_version is at least (1, 0).

        Queued work that uses the array is waited for, whatever the stream; -1 does not wait.
        dl_device (1, 0), the host, makes a copy from a GPU unless copy is False.
        """
        here = self.__dlpack_device__()
        there = here if dl_device is None else (int(dl_device[0]), int(dl_device[1]))
        if there != here and (there != (1, 0) or copy is False):
            raise BufferError(f"the array is on device {here}, not {there}")
        if stream is not None and self._is_host():
            raise BufferError("an array of the host takes no stream")
        if stream is not None and (not isinstance(stream, int) or stream < -1 or stream == 0):
            raise BufferError(f"stream is {stream!r}; need None, -1, 1, 2 or a stream's handle")
        source = self.to("cpu") if there != here else self.copy() if copy else self
        return _core.to_dlpack(source, max_version is not None and max_version[0] >= 1,
                               stream != -1)

    def __dlpack_device__(self) -> tuple[int, int]:
        name = self.device.name
        return (1, 0) if self._is_host() else (2, int(name[5:] or 0))

    def _interface(self) -> dict[str, Any]:
        if self._code == _dtypes.BF16:
            raise AttributeError("NumPy's interface has no bf16")
        self._wait()
        return {"shape": self.shape, "typestr": self.dtype.str, "version": 3,
                "strides": self.strides, "data": (self._pointer or 0, self.readonly)}

    @property
    def __array_interface__(self) -> dict[str, Any]:
        if not self._is_host():
            raise AttributeError("the array is on a GPU")
        return self._interface()

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self._is_host():
            raise AttributeError("the array is not on a GPU")
        return self._interface()


class Recorded:
    """What stands for a tensor of a graph; _array has no memory."""

    __slots__ = ("_array",)
    _array: Array


def bits_to_float(bits: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """bf16 as float32."""
    return (bits.view("u2").astype("u4") << 16).view("f4")


def _as_numpy(a: Array) -> np.ndarray[Any, Any]:
    """On the host, sharing memory."""
    if a._code != _dtypes.BF16 or _dtypes.HAS_STAND_IN:
        return np.asarray(memoryview(a)) if a._code != _dtypes.BF16 else _as_stand_in(a)
    return _as_stand_in(a).view(a.dtype)


class _Bits:
    """The bits of a bf16 array for NumPy, which keeps this alive."""

    def __init__(self, a: Array) -> None:
        self.array = a
        self.__array_interface__ = {"shape": a.shape, "typestr": "<u2", "version": 3,
                                    "strides": a.strides, "data": (a._pointer or 0, a.readonly)}


def _as_stand_in(a: Array) -> np.ndarray[Any, Any]:
    bits = np.asarray(_Bits(a))
    return bits.view(a.dtype) if bits.ndim else bits.reshape(1).view(a.dtype).reshape(())


def _broadcast(a: Array, shape: Sequence[int]) -> Array:
    lead = len(shape) - a.ndim
    own = (1,) * lead + a.shape
    if any(e not in (1, n) for e, n in zip(own, shape)):
        raise ArgumentError(f"shape {a.shape} does not broadcast to {tuple(shape)}")
    strides = (0,) * lead + a._strides
    return _core.view(a, a._offset, tuple(shape),
                      tuple(0 if e == 1 else s for e, s in zip(own, strides)))


def _upload(values: np.ndarray[Any, Any], code: int, there: Device) -> Array:
    """A copy of NumPy's values of that dtype on a device."""
    if values.ndim > _LIMIT:
        raise ArgumentError(f"the array has {values.ndim} axes; need 0 to {_LIMIT}")
    made = _core.allocate(there, code, values.shape, False)
    whole = np.ascontiguousarray(values).reshape(values.shape)
    _core.transfer(made, whole.reshape(-1).view("u1"), True)
    return made


def _share(values: np.ndarray[Any, Any], code: int, there: Device) -> Array | None:
    """An array on the memory of NumPy's, or None if that cannot be."""
    fits = (not there.name.startswith("cuda") and values.ndim <= _LIMIT and values.flags.aligned
            and all(s % values.itemsize == 0 for s in values.strides))
    if not fits:
        return None
    plain = values.view("u2") if code == _dtypes.BF16 and values.ndim else values
    if code == _dtypes.BF16 and not values.ndim:
        plain = values.reshape(1).view("u2").reshape(())
    return _core.wrap(there, plain, code)


def _foreign(x: Any) -> Array | None:
    """What another library's array is without a copy: DLPack or CUDA's interface."""
    if isinstance(x, (np.ndarray, np.generic, type)):  # a class has what its objects have
        return None
    if hasattr(x, "__dlpack__"):
        return from_dlpack(x)
    if hasattr(x, "__cuda_array_interface__"):
        return _from_interface(x, x.__cuda_array_interface__)
    return None


def _from_interface(x: Any, says: dict[str, Any]) -> Array:
    """An Array on the memory of what has CUDA's interface, once its stream has come there."""
    try:
        dtype, shape = np.dtype(str(says["typestr"])), ints((says["shape"],))
        address, readonly = says["data"][0].__index__(), bool(says["data"][1])
        strides = says.get("strides")
        strides = None if strides is None else ints((strides,))
    except (KeyError, IndexError, TypeError, AttributeError) as e:
        raise ArgumentError(f"{type(x).__name__} has a __cuda_array_interface__ that cannot be "
                            f"read ({type(e).__name__}: {e}): {says!r}") from None
    if says.get("mask") is not None:
        raise UnsupportedError("the array of __cuda_array_interface__ has a mask")
    code = _dtypes.dtype_code(dtype)
    if strides is not None and len(strides) != len(shape):
        raise ArgumentError(f"the array has shape {shape} and strides {strides}; need as many")
    if strides is not None and any(stride % dtype.itemsize for stride in strides):
        raise ArgumentError(f"the array has strides of {strides} bytes; need multiples of "
                            f"its elements' {dtype.itemsize}")
    steps = c_strides(shape) if strides is None else \
        tuple(stride // dtype.itemsize for stride in strides)
    there = Device("cuda")
    stream = says.get("stream")
    if stream is not None:
        Stream(there, 0 if stream == 1 else stream).wait()  # 1 is the default stream
    return _core.wrap_address(there, x, address, code, shape, steps, readonly)


def _refuse_masked(x: Any) -> None:
    """A masked element has no value; NumPy's buffer gives what lies beneath."""
    if isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x):
        raise ArgumentError(f"the array has {np.ma.count_masked(x)} masked elements of {x.size}; "
                            "need one without, as x.filled(value) or x.compressed()")


def values_of(x: Any) -> np.ndarray[Any, Any]:
    """What NumPy makes of x, whose buffer is checked first: NumPy reads what it says."""
    _refuse_masked(x)
    _core.check_buffer(x)
    try:
        values = np.asarray(x)
    except (ValueError, RuntimeError) as e:  # as of lists whose rows differ in length
        raise ArgumentError(f"{type(x).__name__}: {e}") from None
    if values.dtype == object and not isinstance(x, np.ndarray):
        raise DtypeError(f"{type(x).__name__} is no array of numbers; need what NumPy makes an "
                         f"array of {' '.join(_dtypes.TITLES)} of")
    return values


def _large(x: Any, values: np.ndarray[Any, Any], dtype: Any) -> np.ndarray[Any, Any]:
    """A list of integers as uint64, where one is beyond int64: NumPy makes it float64."""
    if not isinstance(x, (list, tuple)) or values.dtype != np.float64 or \
            _dtypes.dtype_name(dtype) != "u64" or \
            not all(type(n) is int and n >= 0 for n in np.asarray(x, object).flat):
        return values
    return np.asarray(x, np.uint64)


def _is_copy(x: Any, values: np.ndarray[Any, Any]) -> bool:
    """True if NumPy put what x holds into memory of its own, and not just found it."""
    if isinstance(x, np.ndarray) or hasattr(x, "__array_interface__") or \
            hasattr(x, "__array_struct__"):
        return False
    # What has __array__ may make an array each time, or give the one that it has.
    return not hasattr(x, "__array__") or not np.may_share_memory(values, np.asarray(x))


def convert(x: Any) -> tuple[Any, bool]:
    """For the extension: an argument that has no buffer of numbers, as an Array or NumPy's; and
    whether that is a copy."""
    if isinstance(x, Recorded):
        return x._array, False
    other = _foreign(x)
    if other is not None:
        return other, False
    values = values_of(x)
    is_copy = _is_copy(x, values)
    if values.dtype == _dtypes.DTYPES[_dtypes.BF16]:
        if values.ndim:
            return values.view(_dtypes.STAND_IN), is_copy
        return values.reshape(1).view(_dtypes.STAND_IN).reshape(()), is_copy
    _dtypes.dtype_code(values.dtype)
    return values, is_copy


def _root(x: Any) -> str:
    """The package of x's type."""
    return type(x).__module__.partition(".")[0]


def deliver(result: Array, like: Any, is_queued: bool) -> Any:
    """For the extension: an Array as what the first argument was, if its package has from_dlpack;
    else NumPy's, of which a rank of 0 is a scalar, or an array where the call names a stream."""
    root = _root(like)
    give = getattr(sys.modules.get(root), "from_dlpack", None)
    if root in ("jax", "jaxlib"):
        give = sys.modules["jax"].dlpack.from_dlpack
    if root == "numpy" or like is None or give is None:
        values = result.numpy()
        return values if values.ndim or is_queued else values[()]
    return give(result)


def asarray(x: Any, *, dtype: Any = None, device: DeviceLike = None,
            copy: bool | None = None) -> Array:
    """An Array of what x holds; it shares x's memory where dtype and device allow.

    copy=False insists on that (ArgumentError if it cannot be), copy=True copies. Without a device
    it stays where it is, host memory on the default device.

    >>> values = np.array([1.0, 2.0])
    >>> x = lw.asarray(values)
    >>> values[0] = 7
    >>> x
    lanewise.Array([7., 2.], dtype=float64, device=cpu)
    """
    there = None if device is None else device if isinstance(device, Device) else Device(device)
    source = x if isinstance(x, Array) else _foreign(x)
    shared: Array | None
    if source is None:
        values = values_of(x) if dtype is None else _large(x, values_of(x), dtype)
        code = _dtypes.dtype_code(values.dtype)
        target = there or default_device()
        shared = None if copy else _share(values, code, target)
        made = shared if shared is not None else _upload(values, code, target)
        is_shared = shared is not None and (values.base is not None or not _is_copy(x, values))
    else:
        made = source if there is None else source.to(there)
        is_shared = made is source
        if copy and is_shared:
            made, is_shared = source.copy(), False
    if dtype is not None and _dtypes.dtype_code(dtype) != made._code:
        made, is_shared = made.astype(dtype), False
    if copy is False and not is_shared:
        raise ArgumentError("copy=False: the memory cannot be shared; dtype, device, strides or "
                            "what the values are in need a copy")
    return made


def empty(shape: Any, dtype: Any = "f32", *, device: DeviceLike = None) -> Array:
    """An Array whose values are not to be relied on.

    >>> lw.empty((2, 3)).shape
    (2, 3)
    """
    return _core.allocate(device_of(device), _dtypes.dtype_code(dtype), shape, False)


def temporary(stream: Stream, dtype: Any, shape: Any) -> Array:
    """For the extension: memory for launches on a stream."""
    code = _dtypes.dtype_code(dtype)
    if stream._allocate is None:
        return _core.allocate(stream.device, code, shape, False)
    extents = (shape,) if hasattr(shape, "__index__") else tuple(shape)
    made: Array = stream._allocate(code, extents)
    return made


def zeros(shape: Any, dtype: Any = "f32", *, device: DeviceLike = None) -> Array:
    """An Array of zeros.

    >>> lw.zeros(3, 'i32')
    lanewise.Array([0, 0, 0], dtype=int32, device=cpu)
    """
    return _core.allocate(device_of(device), _dtypes.dtype_code(dtype), shape)


def full(shape: Any, value: Any, dtype: Any = None, *, device: DeviceLike = None) -> Array:
    """An Array of one value; without a dtype that of NumPy's for the value.

    >>> lw.full(2, 1.5)
    lanewise.Array([1.5, 1.5], dtype=float64, device=cpu)
    """
    made = empty(shape, values_of(value).dtype if dtype is None else dtype, device=device)
    made[...] = value
    return made


def from_dlpack(x: Any, *, device: DeviceLike = None, copy: bool | None = None) -> Array:
    """An Array on the memory of what has __dlpack__, or on a device.

    copy=True copies; copy=False raises BufferError where another device needs that. Raises
    ArgumentError, DtypeError.

    >>> lw.from_dlpack(np.arange(3)).numpy()
    array([0, 1, 2])
    """
    there = x.device if device is None and isinstance(x, Array) else \
        None if device is None else device_of(device)
    made = _from_dlpack(x, there)
    if there is None or made.device is there:
        return made.copy() if copy else made
    if copy is False:
        raise BufferError(f"copy=False: the memory is on {made.device.name}, not {there.name}")
    return made.to(there)


def _from_dlpack(x: Any, there: Device | None) -> Array:
    """Where the memory is; that of the host on `there`, if that is a device of the host."""
    if not hasattr(x, "__dlpack__"):
        raise ArgumentError(f"{type(x).__name__} has no __dlpack__")
    where = tuple(x.__dlpack_device__()) if hasattr(x, "__dlpack_device__") else (1, 0)
    if len(where) != 2:
        raise ArgumentError(f"__dlpack_device__ gives {where}; need a type and a number")
    words: dict[str, Any] = {} if where[0] == 1 else {"stream": 1}
    try:
        capsule = x.__dlpack__(max_version=(1, 0), **words)
    except TypeError:
        capsule = x.__dlpack__(**words)
    if where[0] in (2, 13):  # the producer's work is in the default stream now
        Stream(Device(f"cuda:{where[1]}"), 0).wait()
    host = there or default_device()
    if host.name.startswith("cuda"):
        host = Device("cpu")
    return _core.from_dlpack(capsule, host, _root(x) in _NEVER_WRITTEN)
