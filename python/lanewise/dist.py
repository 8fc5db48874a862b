"""Operations over ranks: parts of arrays on several devices, or in several processes of MPI.

Results have the bits of one rank that holds everything. Each rank calls the same operations in the
same order, with its part of an axis: `part=(global, first)`, the axis' whole extent, and where the
rank's elements begin.

>>> comms = lw.dist.devices(["cpu"])
>>> lw.dist.sum(comms[0], np.arange(5.0), part=(5, 0))
np.float64(10.0)
"""
import time
from typing import Any, Literal, Sequence

import numpy as np

from . import _core, _dtypes
from ._array import Array, asarray
from ._core import Device
from ._devices import device as _device, default_device
from ._errors import ArgumentError

ArrayLike = Any
DtypeLike = Any
Part = tuple[int, int]
__all__ = ["Comm", "argmax", "attention", "devices", "dot", "gather", "layer_norm", "matmul", "max",
           "mean", "mpi", "scan", "scatter", "softmax", "sum"]
_SUMS = {"fixed": 0, "exact": 1, "free": 2}
_SCANS = {"add": 0, "mul": 1, "max": 2, "min": 3}


class Comm:
    """A rank: its number, how many there are, its device. One thread at a time uses it."""

    rank: int
    size: int
    device: Device

    def __init__(self, handle: Any, device: Device) -> None:
        self._handle = handle
        self.rank, self.size = _core.comm_info(handle)
        self.device = device

    def set_limit(self, seconds: float) -> None:
        """How long one exchange may take; then TimeoutError names who did not answer."""
        if not seconds >= 0:
            raise ArgumentError(f"the limit is {seconds!r}; need seconds, at least 0")
        _core.comm_limit(self._handle, int(seconds * 1e9))


def devices(names: Sequence[str | Device]) -> list[Comm]:
    """A rank for each device, in this process. Each is for a thread of its own.

    >>> [c.rank for c in lw.dist.devices(["cpu", "ref"])]
    [0, 1]
    """
    all_of_them = [d if isinstance(d, Device) else _device(d) for d in names]
    return [Comm(handle, d)
            for handle, d in zip(_core.comm_devices(all_of_them), all_of_them)]


class _Mpi:
    """A transport of mpi4py: bytes between processes, with a limit."""

    def __init__(self, comm: Any) -> None:
        from mpi4py import MPI
        self.mpi = MPI
        self.comm = (MPI.COMM_WORLD if comm is None else comm).Dup()
        self.sent: list[Any] = []

    def _wait(self, request: Any, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        polls = 0
        while not request.Test():
            if time.monotonic() > deadline:
                return False
            polls += 1
            if polls > 1000:
                time.sleep(1e-5)
        return True

    def send(self, to: int, tag: int, data: bytes) -> None:
        self.sent = [r for r in self.sent if not r.Test()]
        self.sent.append(self.comm.Isend([data, self.mpi.BYTE], to, tag))

    def receive(self, source: int, tag: int, count: int, seconds: float) -> bytes:
        data = bytearray(count)
        request = self.comm.Irecv([data, self.mpi.BYTE], source, tag)
        if not self._wait(request, seconds):
            request.Cancel()
            raise TimeoutError(f"rank {source} did not answer")
        return bytes(data)

    def allgather(self, data: bytes, seconds: float) -> bytes:
        """Each rank's bytes; from all to all, so who is missing is known."""
        rank, size, count = self.comm.Get_rank(), self.comm.Get_size(), len(data)
        everything = [bytearray(count) for _ in range(size)]
        everything[rank][:] = data
        others = [r for r in range(size) if r != rank]
        requests = {r: self.comm.Irecv([everything[r], self.mpi.BYTE], r, 1) for r in others}
        for r in others:
            self.send(r, 1, data)
        deadline = time.monotonic() + seconds
        missing = [r for r in others
                   if not self._wait(requests[r], deadline - time.monotonic())]
        if missing:
            for r in missing:
                requests[r].Cancel()
            who = ("rank " if len(missing) == 1 else "ranks ") + ", ".join(map(str, missing))
            raise TimeoutError(f"{who} did not answer")
        return b"".join(everything)


def mpi(comm: Any = None, *, device: str | Device | None = None) -> Comm:
    """A rank of an MPI communicator of mpi4py, COMM_WORLD where none is given."""
    transport = _Mpi(comm)
    d = default_device() if device is None else \
        device if isinstance(device, Device) else _device(device)
    return Comm(_core.comm_create(d, transport, transport.comm.Get_rank(),
                                  transport.comm.Get_size()), d)


# ---- calls

def _axis(axis: int | None) -> int:
    return 0 if axis is None else axis + 1 if axis >= 0 else axis


def _options(axis: int | None = None, *, keepdims: bool = False, sum: str = "fixed",
             exclusive: bool = False, op: str = "add", eps: float = 0.0, scale: float = 0.0,
             causal: bool = False, window: int | None = None) -> tuple[Any, ...]:
    if sum not in _SUMS or op not in _SCANS:
        raise ArgumentError(f"sum is {sum!r} and op {op!r}; need fixed or free, and add, mul, max "
                            "or min")
    return (_axis(axis), int(keepdims), _SUMS[sum], int(exclusive), _SCANS[op], eps, scale,
            int(causal), window or 0)


def _inputs(comm: Comm, given: Sequence[ArrayLike]) -> list[Array]:
    return [asarray(x, device=comm.device) for x in given]


def _like(name: str, parameters: dict[str, Any], inputs: Sequence[Array]) -> Any:
    return _core.infer(name, parameters, tuple(inputs))[0]


def _result(comm: Comm, shape: Sequence[int], dtype: Any) -> Array:
    code = dtype if isinstance(dtype, int) else _dtypes.dtype_code(dtype)
    made: Array = _core.allocate(comm.device, code, tuple(shape))
    return made


def _or(dtype: DtypeLike, found: int) -> Any:
    return found if dtype is None else dtype


def _give(out: Array, given: ArrayLike) -> Any:
    """NumPy's for NumPy's; a number for one element."""
    if isinstance(given, Array):
        return out
    value = out.numpy()
    return value[()] if value.ndim == 0 else value


def _run(comm: Comm, name: str, given: Sequence[ArrayLike], part: Part, count: int,
         shape: Sequence[int], dtype: Any, options: tuple[Any, ...]) -> Any:
    inputs = _inputs(comm, given)
    out = _result(comm, shape, dtype)
    _core.dist(comm._handle, name, out, tuple(inputs), (part[0], part[1], count), options)
    return _give(out, given[0])


def _extent(x: Array, axis: int | None, otherwise: int) -> int:
    k = otherwise if axis is None else axis
    if not -x.ndim <= k < x.ndim:
        raise ArgumentError(f"x has no axis {k}; its rank is {x.ndim}")
    return int(x.shape[k])


def _reduce(comm: Comm, name: str, x: ArrayLike, part: Part, axis: int | None, keepdims: bool,
            dtype: DtypeLike, sum: str) -> Any:
    a = _inputs(comm, [x])[0]
    parameters: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
    found = _like(name, parameters, [a])
    return _run(comm, name, [a if isinstance(x, Array) else x], part, _extent(a, axis, 0),
                found[1], _or(dtype, found[0]), _options(axis, keepdims=keepdims, sum=sum))


def dot(comm: Comm, x: ArrayLike, y: ArrayLike, *, part: Part, dtype: DtypeLike = None,
        sum: Literal["fixed", "free"] = "fixed") -> Any:
    """The sum of x[i] * y[i] over all ranks' parts, on all ranks."""
    a, b = _inputs(comm, [x, y])
    found = _like("dot", {}, [a, b])
    return _run(comm, "dot", [x, y], part, _extent(a, None, 0), (), _or(dtype, found[0]),
                _options(sum=sum))


def sum(comm: Comm, x: ArrayLike, *, part: Part, axis: int | None = None, keepdims: bool = False,
        dtype: DtypeLike = None, sum: Literal["fixed", "free"] = "fixed") -> Any:
    """The sum over the axis that is cut, or all axes of which the first is, on all ranks."""
    return _reduce(comm, "sum", x, part, axis, keepdims, dtype, sum)


def mean(comm: Comm, x: ArrayLike, *, part: Part, axis: int | None = None, keepdims: bool = False,
         dtype: DtypeLike = None, sum: Literal["fixed", "free"] = "fixed") -> Any:
    """The sum divided by the number, on all ranks."""
    return _reduce(comm, "mean", x, part, axis, keepdims, dtype, sum)


def max(comm: Comm, x: ArrayLike, *, part: Part, axis: int | None = None,
        keepdims: bool = False) -> Any:
    """The largest, on all ranks; a NaN wins."""
    return _reduce(comm, "max", x, part, axis, keepdims, None, "fixed")


def argmax(comm: Comm, x: ArrayLike, *, part: Part, axis: int | None = None,
           keepdims: bool = False) -> Any:
    """Where the largest is along the whole axis, on all ranks."""
    return _reduce(comm, "argmax", x, part, axis, keepdims, None, "fixed")


def scan(comm: Comm, x: ArrayLike, *, part: Part,
         op: Literal["add", "mul", "max", "min"] = "add", axis: int = -1, exclusive: bool = False,
         dtype: DtypeLike = None) -> Any:
    """Running results along the axis that is cut: this rank's part of them."""
    a = _inputs(comm, [x])[0]
    found = _like("scan", {"axis": axis, "op": op}, [a])
    return _run(comm, "scan", [x], part, _extent(a, axis, -1), a.shape, _or(dtype, found[0]),
                _options(axis, exclusive=exclusive, op=op))


def softmax(comm: Comm, x: ArrayLike, *, part: Part, axis: int = -1) -> Any:
    """softmax along the axis that is cut: this rank's part."""
    a = _inputs(comm, [x])[0]
    return _run(comm, "softmax", [x], part, _extent(a, axis, -1), a.shape, a.dtype,
                _options(axis))


def layer_norm(comm: Comm, x: ArrayLike, *, part: Part, weight: ArrayLike | None = None,
               bias: ArrayLike | None = None, eps: float = 1e-5, axis: int = -1) -> Any:
    """layer_norm along the axis that is cut: this rank's part. weight and bias are cut, too."""
    a = _inputs(comm, [x])[0]
    if bias is not None and weight is None:
        weight = np.ones(_extent(a, axis, -1), np.float32)
    more = [w for w in (weight, bias) if w is not None]
    return _run(comm, "layer_norm", [x, *more], part, _extent(a, axis, -1), a.shape, a.dtype,
                _options(axis, eps=eps))


def matmul(comm: Comm, x: ArrayLike, y: ArrayLike, *, part: Part,
           bias: ArrayLike | None = None, dtype: DtypeLike = None,
           sum: Literal["fixed", "free"] = "fixed") -> Any:
    """The rows of the product for this rank's rows of x; y is whole on each rank."""
    a, b = _inputs(comm, [x, y])
    found = _like("matmul", {}, [a, b])
    more = [] if bias is None else [bias]
    return _run(comm, "matmul", [x, y, *more], part, _extent(a, -2, -2), found[1],
                _or(dtype, found[0]), _options(sum=sum))


def attention(comm: Comm, q: ArrayLike, k: ArrayLike, v: ArrayLike, *, part: Part,
              scale: float = 1.0, causal: bool = False, window: int | None = None,
              sum: Literal["fixed", "free"] = "fixed") -> Any:
    """attention with keys and values cut over the ranks, on all ranks; queries are whole."""
    a, b, c = _inputs(comm, [q, k, v])
    return _run(comm, "attention", [q, k, v], part, _extent(b, -2, -2),
                (*a.shape[:-1], c.shape[-1]), a.dtype,
                _options(scale=scale, causal=causal, window=window, sum=sum))


def gather(comm: Comm, x: ArrayLike, *, part: Part) -> Any:
    """The whole array, cut along the first axis, on all ranks."""
    a = _inputs(comm, [x])[0]
    count = _extent(a, 0, 0)
    return _run(comm, "gather", [x], part, count, (part[0], *a.shape[1:]), a.dtype, _options())


def scatter(comm: Comm, x: ArrayLike, *, part: tuple[int, int, int]) -> Any:
    """This rank's part (global, first, count) of rank 0's array; others give one that is like it
    but for the first axis, whose elements do not count."""
    a = _inputs(comm, [x])[0]
    if len(part) != 3:
        raise ArgumentError(f"part is {part!r}; need (global, first, count)")
    return _run(comm, "scatter", [x], (part[0], part[1]), part[2], (part[2], *a.shape[1:]),
                a.dtype, _options())


def __dir__() -> list[str]:
    return sorted(__all__)
