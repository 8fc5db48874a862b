"""Custom operations of Lanewise as operators of PyTorch. It needs PyTorch 2.4 or newer.

What an operation needs - outputs, temporaries, the library's scratch memory - comes from PyTorch's
allocator, and its launches go to PyTorch's current stream. So memory and order are PyTorch's own,
also while a CUDA graph is captured.

>>> import torch, lanewise.torch
>>> @lw.op("doc::third")
... def third(x):
...     return lw.map("a / 3", x)
>>> lw.torch.register(third)(torch.tensor([3.0, 6.0]))
tensor([1., 2.])
"""
import inspect
import threading
import weakref
from typing import Any, Sequence

try:
    import torch
    from torch.library import custom_op
except ImportError as error:
    raise ImportError("lanewise.torch needs PyTorch 2.4 or newer: pip install torch") from error

from . import _core, _custom, _dtypes
from ._array import Array
from ._core import Device, Stream
from ._custom import Op, TensorType
from ._devices import default_device
from ._dims import Dim
from ._errors import ArgumentError, DeviceError, DtypeError, Error
from ._graph import Graph

__all__ = ["asarray", "current_stream", "register"]

_TORCH = tuple(getattr(torch, name, None) for name in _dtypes.TITLES)
_CODES = {dtype: code for code, dtype in enumerate(_TORCH) if dtype is not None}
_RANKS = 4

# Types see sizes that PyTorch does not know yet, while it compiles for any size.
_custom.SIZE_TYPES += (torch.SymInt,)


# ---- tensors as arrays ----

def _check(tensor: Any, what: str) -> int:
    """The library's number of a tensor's dtype. Raises where it is none that we can read."""
    if not isinstance(tensor, torch.Tensor):
        raise ArgumentError(f"{what} is {type(tensor).__name__}; need a torch.Tensor")
    code = _CODES.get(tensor.dtype)
    if code is None:
        raise DtypeError(f"{what} is {tensor.dtype}; need one of {' '.join(_dtypes.TITLES)}")
    if tensor.layout != torch.strided:
        raise ArgumentError(f"{what} has the layout {tensor.layout}; need torch.strided")
    if tensor.dim() > _RANKS:
        raise ArgumentError(f"{what} has {tensor.dim()} axes; need 0 to {_RANKS}")
    return code


def _wrap(tensor: torch.Tensor, code: int, there: Device, readonly: bool) -> Array:
    made: Array = _core.wrap_address(there, tensor, tensor.data_ptr(), code, tuple(tensor.shape),
                                     tensor.stride(), readonly)
    return made


def _device_of(device: torch.device) -> Device:
    """The device of the library that has a tensor's memory."""
    if device.type == "cuda":
        index = torch.cuda.current_device() if device.index is None else device.index
        return Device(f"cuda:{index}")
    if device.type != "cpu":
        raise DeviceError(f"a tensor is on device {device}; need cpu or cuda")
    host = default_device()
    return Device("cpu") if host.name.startswith("cuda") else host


def asarray(tensor: torch.Tensor) -> Array:
    """An Array on a tensor's memory, writable, for kernels on `current_stream`.

    Nothing is copied and nothing is waited for. Raises ArgumentError, DtypeError, DeviceError.

    >>> x = torch.zeros(2)
    >>> lw.torch.asarray(x).numpy()[0] = 5
    >>> x
    tensor([5., 0.])
    """
    return _wrap(tensor, _check(tensor, "the tensor"), _device_of(tensor.device), False)


# ---- streams ----

class _Memory:
    """Makes what the work of a stream needs, by PyTorch's allocator: `allocate` of a Stream."""

    def __init__(self, device: torch.device, there: Device, stream: Any) -> None:
        self.device, self.there, self.stream = device, there, stream

    def _empty(self, code: int, extents: tuple[int, ...]) -> torch.Tensor:
        return torch.empty(extents, dtype=_TORCH[code], device=self.device)

    def __call__(self, code: int, extents: tuple[int, ...]) -> Array:
        if self.stream is None or torch.cuda.current_stream(self.device) == self.stream:
            tensor = self._empty(code, extents)
        else:
            with torch.cuda.stream(self.stream):
                tensor = self._empty(code, extents)
        _threads.made[tensor.data_ptr()] = weakref.ref(tensor)
        return _wrap(tensor, code, self.there, False)


class _Threads(threading.local):
    """Of each thread: its streams of the host, and what the running call has allocated."""

    def __init__(self) -> None:
        self.streams: dict[Any, Stream] = {}
        self.made: dict[int, weakref.ref[torch.Tensor]] = {}


_threads = _Threads()
_cuda_streams: dict[Any, Stream] = {}
_failed: list[Stream] = []  # a CUDA graph that was captured may still use what they keep


def _stream_on(device: torch.device) -> Stream:
    there = _device_of(device)
    if device.type == "cpu":
        streams, key, current, native = _threads.streams, (there, 0), None, None
    else:
        current = torch.cuda.current_stream(device)
        native = current.cuda_stream
        streams, key = _cuda_streams, (there, native)
    stream = streams.get(key)
    if stream is None:
        stream = streams[key] = Stream(there, native, _Memory(device, there, current))
    return stream


def _drop_failed(stream: Stream) -> None:
    """A stream that has failed takes nothing more: the next call makes another one."""
    try:
        stream._check()
    except Error:
        for streams in (_threads.streams, _cuda_streams):
            for key in [key for key, known in streams.items() if known is stream]:
                del streams[key]
        if stream.device.name.startswith("cuda"):
            _failed.append(stream)


def current_stream(device: Any = None) -> Stream:
    """The stream of PyTorch's current stream of a CUDA device, for launches of own kernels.

    `wait` of it raises what went wrong. On a device "cpu" it is a stream of the calling thread.
    Without a device: the current CUDA device where there is one. Raises DeviceError.

    >>> lw.torch.current_stream("cpu").device.name
    'cpu'
    """
    if device is None:
        device = "cuda" if torch.cuda.is_available() else "cpu"
    where = torch.device(device)
    if where.type == "cuda" and where.index is None:
        where = torch.device("cuda", torch.cuda.current_device())
    return _stream_on(where)


# ---- one call ----

def _base_of(array: Array) -> torch.Tensor | None:
    """The tensor of this call in whose memory the array lies."""
    for address, known in _threads.made.items():
        tensor = known()
        if tensor is not None and \
                address <= (array._pointer or 0) < address + tensor.numel() * tensor.itemsize:
            return tensor
    return None


def _result(op: Op, array: Any, taken: list[torch.Tensor], stream: Stream) -> torch.Tensor:
    """What an operation without infer gave, as a tensor that shares memory with no other one."""
    if not isinstance(array, Array):
        raise ArgumentError(f"{op.name}: it gave {array!r}; need what operations give")
    base = _base_of(array)
    if base is None or any(base is t for t in taken):
        array = _core.operate("copy", {}, (array,), None, stream)
        base = _base_of(array)
    if base is None:  # without elements
        return stream._allocate._empty(array._code, array.shape)
    taken.append(base)
    if array._pointer == base.data_ptr() and array.shape == tuple(base.shape) and \
            array._strides == base.stride():
        return base
    offset = (array._pointer - base.data_ptr()) // base.itemsize
    return base.as_strided(array.shape, array._strides, offset)


def _run(op: Op, arrays: list[Array], values: dict[str, Any], stream: Stream,
         count: int) -> list[torch.Tensor]:
    """Queue an operation on the stream."""
    if op._infer is None:
        given = op._function(*arrays, **values)
        results = list(given) if isinstance(given, tuple) else [given]
        _check_count(op, len(results), count)
        taken: list[torch.Tensor] = []
        return [_result(op, r, taken, stream) for r in results]
    types = op.infer(*(TensorType(a.dtype, a.shape) for a in arrays), **values)
    _check_count(op, len(types), count)
    tensors = [stream._allocate._empty(t.code, t.shape) for t in types]
    outputs = [_wrap(t, kind.code, stream.device, False) for t, kind in zip(tensors, types)]
    op._function(stream, *outputs, *arrays, **values)
    return tensors


def _call(op: Op, tensors: Sequence[torch.Tensor], values: dict[str, Any],
          count: int) -> Any:
    """Run an operation. On the host it has ended then; on a GPU it is queued."""
    codes = _check_inputs(op, tensors)
    stream = _stream_on(tensors[0].device)
    arrays = [_wrap(t, code, stream.device, True) for t, code in zip(tensors, codes)]
    stream_before, made_before = _core.use_stream(stream), _threads.made
    _threads.made = {}
    try:
        results = _run(op, arrays, values, stream, count)
        if tensors[0].device.type == "cpu":
            stream.wait()
        else:
            stream._check()
    except BaseException:
        _drop_failed(stream)
        raise
    finally:
        _core.use_stream(stream_before)
        _threads.made = made_before
    return results[0] if count == 1 else tuple(results)


def _check_inputs(op: Op, tensors: Sequence[torch.Tensor]) -> list[int]:
    if not tensors:
        raise ArgumentError(f"{op.name}: there is no input; need a tensor, which says the device")
    codes = [_check(t, f"{op.name}: input {n}") for n, t in enumerate(tensors)]
    for n, t in enumerate(tensors):
        if t.device != tensors[0].device:
            raise DeviceError(f"{op.name}: input 0 is on {tensors[0].device} and input {n} on "
                              f"{t.device}; need all on one device")
    return codes


def _check_count(op: Op, got: int, count: int) -> None:
    if got != count:
        raise ArgumentError(f"{op.name}: it has {got} outputs, and was registered with {count}; "
                            "register it with outputs=")


# ---- types, for the fake implementation ----

def _named(size: Any, names: dict[str, Any]) -> Any:
    """A size for a graph: a name for one that PyTorch does not know."""
    if not isinstance(size, torch.SymInt):
        return size
    for name, known in names.items():
        if str(known) == str(size):
            return name
    name = f"d{len(names)}"
    names[name] = size
    return name


def _recorded(op: Op, kinds: list[TensorType], values: dict[str, Any]) -> list[TensorType]:
    """The types of the results of an operation without infer, which is recorded in a graph."""
    names: dict[str, Any] = {}
    inputs = [TensorType(kind.dtype, tuple(_named(e, names) for e in kind.shape))
              for kind in kinds]
    with Graph(inputs) as g:
        given = op(*(getattr(g, name) for name in g.inputs), **values)
    results = given if isinstance(given, tuple) else (given,)
    shapes = [[names.get(str(e)) if isinstance(e, Dim) else e for e in r.shape] for r in results]
    if any(e is None for shape in shapes for e in shape):
        raise ArgumentError(f"{op.name}: a size of the result is computed")
    return [TensorType(r.dtype, shape) for r, shape in zip(results, shapes)]


def _types(op: Op, kinds: list[TensorType], values: dict[str, Any]) -> Sequence[TensorType]:
    if op._infer is not None:
        return op.infer(*kinds, **values)
    try:
        return _recorded(op, kinds, values)
    except ArgumentError:
        if not any(isinstance(e, torch.SymInt) for kind in kinds for e in kind.shape):
            raise
    # What is computed of sizes has to be known: PyTorch then compiles for these alone.
    known = [TensorType(kind.dtype, tuple(int(e) for e in kind.shape)) for kind in kinds]
    return _recorded(op, known, values)


def _fake(op: Op, tensors: Sequence[torch.Tensor], values: dict[str, Any], count: int) -> Any:
    """Results without values."""
    codes = _check_inputs(op, tensors)
    kinds = [TensorType(_dtypes.DTYPES[code], t.shape) for code, t in zip(codes, tensors)]
    types = _types(op, kinds, values)
    _check_count(op, len(types), count)
    made = [tensors[0].new_empty(t.shape, dtype=_TORCH[t.code]) for t in types]
    return made[0] if count == 1 else tuple(made)


# ---- registering ----

_SCHEMA = {"int": "SymInt", "real": "float", "bool": "bool", "string": "str", "dtype": "str"}
_registered: dict[str, tuple[Op, Any]] = {}
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _tensors_of(op: Op, function: Any) -> tuple[list[str], str | None]:
    """The names of a function's parameters that are tensors, and that of *names."""
    parameters = inspect.signature(function).parameters.values()
    names = [p.name for p in parameters if p.kind in _POSITIONAL and p.name not in op._declared]
    return names, next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)


def _count_outputs(op: Op, inputs: list[str], rest: str | None) -> int:
    """How many outputs the function takes after the stream and before the inputs."""
    if op._infer is None:
        return 1
    names, others = _tensors_of(op, op._function)
    count = len(names) - 1 - len(inputs)
    if (others is None) != (rest is None) or count < 1:
        raise ArgumentError(f"{op.name}: its function does not tell how many outputs it has; "
                            "register it with outputs=")
    return count


def _parameter(title: str, kind: str, default: Any) -> str:
    """A parameter in the words of a schema."""
    if default is ...:
        return f"{_SCHEMA[kind]} {title}"
    if isinstance(default, float) and default - default != 0:  # which a schema cannot say
        return f"float? {title}=None"
    if isinstance(default, str):
        escaped = default.replace("\\", "\\\\").replace('"', '\\"')
        return f'{_SCHEMA[kind]} {title}="{escaped}"'
    return f"{_SCHEMA[kind]} {title}={default!r}"


def _schema(op: Op, inputs: list[str], rest: str | None, outputs: int) -> str:
    words = [f"Tensor {name}" for name in inputs] + ([f"Tensor[] {rest}"] if rest else [])
    if op._declared:
        words += ["*"] + [_parameter(title, *row) for title, row in op._declared.items()]
    results = ", ".join(["Tensor"] * outputs)
    return f"({', '.join(words)}) -> {results if outputs == 1 else f'({results})'}"


def _torch_name(name: str) -> str:
    title = name if "::" in name else f"lanewise::{name}"
    if title.count("::") != 1:
        raise ArgumentError(f"the name '{name}' has {name.count('::')} '::', and PyTorch's have "
                            "one; register it with name=")
    return title


def _flat(args: tuple[Any, ...]) -> list[torch.Tensor]:
    """The inputs; those of *names come as a list."""
    return [t for arg in args for t in (arg if isinstance(arg, (list, tuple)) else (arg,))]


def register(op: Op, *, name: str | None = None, outputs: int | None = None) -> Any:
    """An operation of lanewise.op as an operator of PyTorch: a torch.library.CustomOpDef.

    It takes the inputs by place and the parameters by keyword, CPU tensors or CUDA tensors, whose
    memory is used where it is, of rank 0 to 4 and any strides that the operation takes. It gives
    new tensors, and changes no input. On CUDA its launches go to the current stream, and nothing
    is waited for. torch.compile and torch.export know its types by its infer. A backward is added
    by `register_autograd` of what this returns.

    name is PyTorch's, "space::name"; without it that of op, in the space lanewise if it has none.
    outputs says how many there are, where op's function does not: one without infer has 1.
    Raises ArgumentError. An operation that is registered already is given again;
    one that replaces another replaces its operator.

    >>> @lw.op("doc::times", infer=lambda x, y, by: x, parameters="by:real=1")
    ... def times(s, out, x, y, by):
    ...     lw.map("a * b * (float)%r" % by, x, y, out=out)
    >>> torch_times = lw.torch.register(times)
    >>> torch_times(torch.ones(2), torch.ones(2), by=2.0)
    tensor([2., 2.])
    >>> torch.ops.doc.times(torch.ones(2), torch.ones(2))
    tensor([1., 1.])
    """
    if not isinstance(op, Op):
        raise ArgumentError(f"register: got {op!r}; need an operation made with lanewise.op")
    title = _torch_name(name or op.name)
    if title in _registered:
        known, made = _registered[title]
        if known is op:
            return made
        if known.name != op.name or _custom._custom.get(op.name) is not op:
            raise ArgumentError(f"register: the name '{title}' is taken by {known!r}")
    inputs, rest = _tensors_of(op, op._infer if op._infer is not None else op._function)
    count = outputs if outputs is not None else _count_outputs(op, inputs, rest)

    def values_of(parameters: dict[str, Any]) -> dict[str, Any]:
        return op._values({k: v for k, v in parameters.items() if v is not None})

    def run(*args: Any, **parameters: Any) -> Any:
        return _call(op, _flat(args), values_of(parameters), count)

    def fake(*args: Any, **parameters: Any) -> Any:
        return _fake(op, _flat(args), values_of(parameters), count)

    made = custom_op(title, run, mutates_args=(), schema=_schema(op, inputs, rest, count))
    made.register_fake(fake)
    made.__doc__ = op.__doc__
    _registered[title] = op, made
    return made


def __dir__() -> list[str]:
    return sorted(__all__)
