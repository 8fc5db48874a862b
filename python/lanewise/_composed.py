"""Functions that are made of several operations: what goes in and out of them.

Such a function computes with Arrays of one device, or with tensors of a graph. `composed` lets it
take all that an operation takes.
"""
from __future__ import annotations

import functools
import inspect
import math
from typing import Any, Callable, Iterator, Sequence, TypeVar

import numpy as np

from . import _core, _dtypes
from ._array import Array, Recorded, _foreign, asarray, deliver, temporary
from ._core import Device, Stream
from ._devices import current_stream
from ._errors import ArgumentError
from ._numbers import settled
from ._symbolic import each

Function = TypeVar("Function", bound=Callable[..., Any])
_NUMBERS = (bool, int, float)


def composed(function: Function) -> Function:
    """A decorator. Parameters before the / are tensors; `arrays` is a sequence of them, and *arrays
    are each one. The others stay as they are, but for sizes of a graph, which become numbers.

    Where the function has stream=, the calls in it follow that stream; a result is copied to out=.
    """
    parameters = inspect.signature(function).parameters
    kinds = [p.kind for p in parameters.values()]
    lead = kinds.count(inspect.Parameter.POSITIONAL_ONLY)
    is_list = lead == 1 and "arrays" in parameters
    others = kinds.index(inspect.Parameter.VAR_POSITIONAL) if not lead else 0
    names = {"stream", "out"} & set(parameters)

    def run(tensors: tuple[Any, ...], args: tuple[Any, ...], words: dict[str, Any]) -> Any:
        if is_list:
            return function(tensors, *args, **words)
        return function(*tensors, *args, **words) if lead else function(*args, *tensors, **words)

    @functools.wraps(function)
    def call(*args: Any, **words: Any) -> Any:
        if len(args) < lead:
            return function(*args, **words)  # it says what is missing
        queue = {name: words.pop(name, None) for name in names}
        tensors, rest = (args[:lead], args[lead:]) if lead else (args[others:], args[:others])
        given = _sequence(tensors[0]) if is_list else tensors
        return _called(run, given, rest, words, queue.get("out"), queue.get("stream"))

    return call  # type: ignore[return-value]


def _sequence(arrays: Any) -> tuple[Any, ...]:
    if isinstance(arrays, (str, bytes)) or not hasattr(arrays, "__getitem__") and \
            not hasattr(arrays, "__iter__"):
        raise ArgumentError(f"arrays is {arrays!r}; need a sequence of arrays")
    return tuple(arrays)


def _called(run: Callable[..., Any], given: tuple[Any, ...], args: tuple[Any, ...],
            words: dict[str, Any], out: Any, stream: Stream | None) -> Any:
    if stream is None and out is None and all(type(x) is Array for x in given):
        return run(given, args, words)  # as below, and sooner
    graph = next((x._graph for x in (*given, out) if isinstance(x, Recorded)), None)
    if graph is not None:
        if stream is not None and stream._graph is not graph:
            raise ArgumentError("the tensors are of a graph, and the stream is not that graph's")
        tensors = tuple(taken(x, graph._device) for x in settled(given))
        made = graph._record_composed(run, tensors, args, words) if graph._is_symbolic else \
            run(tensors, args, words)
        return made if out is None else copied(made, out)
    before = _core.use_stream(stream) if stream is not None else None
    try:
        like = next((x for x in given if not isinstance(x, _NUMBERS)), None)
        result = run(_on_one_device(settled(given), stream), args, words)
        if out is not None:
            return _core.operate("copy", {}, (result,), out, stream)
        return each(lambda x: _given(x, like, stream is not None), result)
    finally:
        if stream is not None:
            _core.use_stream(before)


def taken(x: Any, device: Device | None) -> Any:
    """An Array on the device, or x where it is one, or a graph's tensor."""
    return x if isinstance(x, (Array, Recorded)) else asarray(x, device=device)


def _on_one_device(given: tuple[Any, ...], stream: Stream | None) -> tuple[Any, ...]:
    """Arrays stay where they are; others follow the first that lies on a device."""
    if all(isinstance(x, Array) for x in given):
        return given
    found = [x if isinstance(x, Array) else _foreign(x) for x in given]
    device = next((x.device for x in found if x is not None),
                  stream.device if stream is not None else None)
    return tuple(taken(x, device) if x is not None else asarray(value, device=device)
                 for x, value in zip(found, given))


def _given(result: Any, like: Any, is_queued: bool) -> Any:
    """A result as what the first argument was."""
    if not isinstance(result, Array) or isinstance(like, Array):
        return result
    if isinstance(like, (np.ndarray, np.generic)) or not hasattr(like, "__dlpack__"):
        values = deliver(result, like, is_queued)
        if isinstance(values, np.ndarray) and 0 in result._strides and values.size > 1:
            values.flags.writeable = False  # elements share memory, as NumPy's broadcast_to
        return values
    return deliver(result._contiguous(), like, is_queued)  # not all libraries have all strides


# ---- what the functions use ----

def public(names: dict[str, Any]) -> list[str]:
    """The names of a module's functions, for its __all__."""
    return [name for name, thing in names.items() if inspect.isfunction(thing) and
            thing.__module__ == names["__name__"] and name[0] != "_"]


def along(axis: int, key: Any) -> tuple[Any, ...]:
    """An index with the key at an axis."""
    return (slice(None),) * axis + (key,)


def cut(shape: Sequence[int], axis: int) -> tuple[int, int]:
    """How many elements the axes before an axis have together, and how many those after it."""
    return math.prod(shape[:axis]), math.prod(shape[axis + 1:])


def promoted(*dtypes: Any) -> np.dtype[Any]:
    """NumPy's common dtype."""
    if all(dtype is dtypes[0] for dtype in dtypes):
        return np.dtype(dtypes[0])
    return _dtypes.DTYPES[functools.reduce(_dtypes.promoted, map(_dtypes.dtype_code, dtypes))]


def new(like: Any, shape: Sequence[int], dtype: Any = None) -> Any:
    """Memory where `like` is: a tensor of its graph, or an Array."""
    dtype = like.dtype if dtype is None else dtype
    if isinstance(like, Recorded):
        return like._graph.temporary(dtype, shape)  # type: ignore[attr-defined]
    stream = current_stream(like.device)
    if stream is not None:
        return temporary(stream, dtype, tuple(shape))
    return _core.allocate(like.device, _dtypes.dtype_code(dtype), tuple(shape), False)


def copied(value: Any, view: Any) -> Any:
    """The view, to which the value is copied in the order of calls."""
    if isinstance(view, Recorded):
        words = {"dtype": _dtypes.dtype_name(view.dtype)}
        view._graph._operate("copy", words, (value,), view, None)  # type: ignore[attr-defined]
    else:
        _core.operate("copy", {}, (value,), view, None)
    return view


def filled(view: Any, value: Any) -> Any:
    """The view, each element of which becomes the value, a number."""
    scalar, _ = settled((value, view)) if isinstance(value, _NUMBERS) else (value, None)
    if isinstance(view, Recorded):
        return copied(np.broadcast_to(scalar, view.shape), view)  # type: ignore[attr-defined]
    return copied(asarray(scalar, device=view.device)._broadcast_to(view.shape), view)


def part(x: Any, axis: int, begin: int, end: int) -> Any:
    """The elements of an axis from begin up to end; a view."""
    if isinstance(x, Recorded):
        return x._view(lambda a, size: part(a, axis, begin, end))  # type: ignore[attr-defined]
    shape = (*x.shape[:axis], end - begin, *x.shape[axis + 1:])
    offset = x._offset + begin * x._strides[axis] if math.prod(shape) else 0
    return _core.view(x, offset, shape, x._strides)


def pieces(x: Any, axis: int, bounds: Sequence[int]) -> Iterator[Any]:
    """x cut along an axis at the bounds."""
    for begin, end in zip((0, *bounds), (*bounds, x.shape[axis])):
        yield x[along(axis, slice(begin, end))]
