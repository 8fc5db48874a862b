"""Custom operations: a Python function that launches kernels or calls operations."""
from __future__ import annotations

import difflib
from typing import Any, Callable, Iterable, Mapping, Sequence

import numpy as np

from . import _core, _dtypes
from ._array import Array, Recorded, asarray, deliver, temporary
from ._core import Device, Stream
from ._dims import Dim
from ._devices import current_stream, device_of, stream as make_stream
from ._errors import ArgumentError
from ._kernels import Program, compile
from ._numbers import settled

DtypeLike = Any
Shape = Any
_custom: dict[str, "Op"] = {}
SIZE_TYPES: tuple[type, ...] = (str, Dim)  # of sizes that are no numbers yet


class TensorType:
    """A dtype and a shape. In the inputs of a Graph a size may be a name, as in ("n", 3).

    >>> lw.TensorType('f32', (2, 3))
    TensorType(float32, (2, 3))
    """

    def __init__(self, dtype: DtypeLike, shape: Shape) -> None:
        given = (shape,) if isinstance(shape, (int, str, Dim)) else tuple(shape)
        sizes = tuple(s if isinstance(s, SIZE_TYPES) else s.__index__() for s in given)
        if len(sizes) > 4 or any(isinstance(s, int) and s < 0 for s in sizes):
            raise ArgumentError(f"the shape is {shape}; need 0 to 4 extents from 0 on")
        self.code = _dtypes.dtype_code(dtype)
        self.dtype = _dtypes.DTYPES[self.code]
        self.shape: tuple[Any, ...] = sizes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorType) and \
            (self.code, self.shape) == (other.code, other.shape)

    def __hash__(self) -> int:
        return hash((self.code, self.shape))

    def __repr__(self) -> str:
        return f"TensorType({_dtypes.TITLES[self.code]}, {self.shape})"


# ---- parameters ----

def _dtype(value: Any) -> Any:
    """The same; DtypeError if it is no dtype."""
    _dtypes.dtype_code(value)
    return value


_READ: dict[str, Callable[[str], Any]] = {
    "int": int, "real": float, "string": str, "dtype": _dtype,
    "bool": lambda text: {"true": True, "false": False}[text],
}


def _accepts(kind: str, value: Any) -> bool:
    if kind == "bool":
        return isinstance(value, (bool, np.bool_))
    if kind == "int":
        return hasattr(value, "__index__") and not isinstance(value, bool)
    if kind == "real":
        return isinstance(value, (int, float, np.integer, np.floating)) and \
            not isinstance(value, bool)
    return isinstance(value, str) or kind == "dtype"


def _parse(name: str, text: str) -> dict[str, tuple[str, Any]]:
    """"d:int=0 causal:bool": the type of each, and its default; ... where there is none."""
    rows: dict[str, tuple[str, Any]] = {}
    for word in text.split():
        title, _, rest = word.partition(":")
        kind, has_default, default = rest.partition("=")
        if not title.isidentifier() or kind not in _READ or title in rows:
            raise ArgumentError(f"{name}: parameter '{word}' does not parse; need name:type or "
                                f"name:type=default, of {', '.join(_READ)}")
        try:
            rows[title] = kind, _READ[kind](default) if has_default else ...
        except (ValueError, KeyError):
            raise ArgumentError(f"{name}: the default of '{word}' is no {kind}") from None
    return rows


class Op:
    """A custom operation. Made by lanewise.op."""

    def __init__(self, name: str, function: Callable[..., Any],
                 infer: Callable[..., Any] | None, parameters: str, source: str | None) -> None:
        self.name = name
        self._function, self._infer, self._source = function, infer, source
        self._declared = _parse(name, parameters)
        self._program: Program | None = None
        self.__doc__ = function.__doc__
        self.parameters = {title: {"type": kind, "default": None if value is ... else value}
                           for title, (kind, value) in self._declared.items()}

    @property
    def program(self) -> Program:
        """The kernels of source=, built when they are first asked for."""
        if self._source is None:
            raise ArgumentError(f"{self.name} has no source=")
        if self._program is None:
            self._program = compile(self._source)
        return self._program

    def __repr__(self) -> str:
        return f"<lanewise.Op {self.name}>"

    def _values(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All declared parameters with their values."""
        for title in given:
            if title not in self._declared:
                raise ArgumentError(f"{self.name}: there is no parameter '{title}'; there is "
                                    f"{', '.join(self._declared) or 'none'}")
        values = {}
        for title, (kind, default) in self._declared.items():
            value = given.get(title, default)
            if value is ...:
                raise ArgumentError(f"{self.name}: parameter '{title}' ({kind}) is missing")
            if not _accepts(kind, value):
                raise ArgumentError(f"{self.name}: parameter '{title}' is {value!r}; need {kind}")
            values[title] = _dtype(value) if kind == "dtype" else value
        return values

    def infer(self, *inputs: TensorType, **parameters: Any) -> tuple[TensorType, ...]:
        """The types of the outputs for those of the inputs; needs infer=."""
        if self._infer is None:
            raise ArgumentError(f"{self.name} has no infer=")
        types = self._infer(*inputs, **parameters)
        outputs = tuple(types) if isinstance(types, Iterable) else (types,)
        if not outputs or not all(isinstance(t, TensorType) for t in outputs):
            raise ArgumentError(f"{self.name}: infer gave {types!r}; need the TensorType of the "
                                "output, or a tuple of one for each")
        return outputs

    def __call__(self, *inputs: Any, stream: Stream | None = None, out: Any = None,
                 **parameters: Any) -> Any:
        values = self._values(parameters)
        if self._infer is not None:
            return self._run(inputs, values, stream, out)
        if stream is not None or out is not None:
            raise ArgumentError(f"{self.name} has no infer=, so it takes neither stream= nor out=")
        graph = next((x._graph for x in inputs if isinstance(x, Recorded)), None)
        if graph is not None and graph._is_symbolic:
            return graph._record_whole(self, inputs, values)
        return self._function(*inputs, **values)

    def _run(self, inputs: tuple[Any, ...], values: dict[str, Any], stream: Stream | None,
             out: Any) -> Any:
        graph = stream._graph if stream is not None else None
        for x in inputs:
            graph = x._graph if isinstance(x, Recorded) else graph
        if graph is not None:
            return self._record(graph, inputs, values, stream, out)
        is_queued = stream is not None
        device = stream.device if stream is not None else _device_of(inputs)
        if stream is None:
            stream = current_stream(device)
        arrays = [_on(device, x) for x in settled(inputs)]
        types = self.infer(*(TensorType(a.dtype, a.shape) for a in arrays), **values)
        runs = stream if stream is not None else make_stream(device)
        outputs = self._outputs(types, runs, out)
        before = _core.use_stream(runs)  # a call without a stream is in order with the others
        try:
            self._function(runs, *outputs, *arrays, **values)
        finally:
            _core.use_stream(before)
        if stream is None:
            runs.wait()
        if out is not None:
            return out
        like = next((x for x in inputs if not isinstance(x, (int, float))), None)
        results = outputs if isinstance(like, Array) else \
            [deliver(o, like, is_queued) for o in outputs]
        return results[0] if len(results) == 1 else tuple(results)

    def _record(self, graph: Any, inputs: tuple[Any, ...], values: dict[str, Any],
                stream: Stream | None, out: Any) -> Any:
        """In a graph: its tensors are the outputs, its stream takes the launches."""
        graph._check_open()
        if stream is not None and stream._graph is not graph:
            raise ArgumentError(f"{self.name}: the inputs are of a graph, and the stream is not "
                                "that graph's")
        kept = [x if isinstance(x, Recorded) else asarray(x) for x in settled(inputs)]
        try:
            types = self.infer(*(TensorType(x.dtype, x.shape) for x in kept), **values)
            outputs = graph._results(types, out)
            for given, needed in zip(outputs, types):
                if TensorType(given.dtype, given.shape) != needed:
                    raise ArgumentError(f"{self.name}: out is {given!r}; need {needed}")
            if graph._is_symbolic:  # the function gets sizes that are numbers
                graph._note_call(self, tuple(kept), values, out, outputs)
            else:
                self._function(graph.stream, *outputs, *kept, **values)
        except BaseException as error:
            graph._fail(error)
            raise
        return out if out is not None else outputs[0] if len(outputs) == 1 else outputs

    def _outputs(self, types: Sequence[TensorType], stream: Stream, out: Any) -> list[Array]:
        if out is None:
            return [temporary(stream, t.dtype, t.shape) for t in types]
        given = out if isinstance(out, tuple) else (out,)
        if len(given) != len(types):
            raise ArgumentError(f"{self.name}: out has {len(given)} arrays; need {len(types)}")
        arrays = [asarray(o, device=stream.device, copy=False) for o in given]
        for array, needed in zip(arrays, types):
            if TensorType(array.dtype, array.shape) != needed:
                raise ArgumentError(f"{self.name}: out is {TensorType(array.dtype, array.shape)}; "
                                    f"need {needed}")
        return arrays


def _device_of(inputs: tuple[Any, ...]) -> Device:
    return next((x.device for x in inputs if isinstance(x, Array)), device_of(None))


def _on(device: Device, x: Any) -> Array:
    return x if isinstance(x, Array) else asarray(x).to(device)


# ---- by name ----

def _check_name(name: str) -> None:
    if not all(part.isidentifier() and part.isascii() for part in name.split("::")):
        raise ArgumentError(f"the name is {name!r}; need letters, digits, _ and ::")
    if name in _core.operations():
        raise ArgumentError(f"the name '{name}' is taken by a ready-made operation")


def _place_of(function: Callable[..., Any]) -> tuple[str, str, str]:
    """Module, name and line of a function."""
    code = getattr(function, "__code__", None)
    line = f" ({code.co_filename}:{code.co_firstlineno})" if code else ""
    title = getattr(function, "__qualname__", type(function).__qualname__)
    return str(getattr(function, "__module__", None)), title, line


def _check_taken(name: str, function: Callable[..., Any]) -> None:
    """A cell of a notebook that runs again, or a module that is loaded again, replaces what it has
    defined."""
    if name not in _custom:
        return
    there, here = _place_of(_custom[name]._function), _place_of(function)
    is_again = there[:2] == here[:2] and "<" not in here[1]  # no lambda or local function
    if not is_again and not there[0] == here[0] == "__main__":
        raise ArgumentError(f"the name '{name}' of {'.'.join(here[:2])}{here[2]} is taken by "
                            f"{'.'.join(there[:2])}{there[2]}")


def op(name: str, *, infer: Callable[..., Any] | None = None, parameters: str = "",
       source: str | None = None) -> Callable[[Callable[..., Any]], Op]:
    """A decorator that makes a function a custom operation, which lanewise.custom finds by name.

    infer gets the inputs' types and the parameters by keyword, and gives the outputs' types. With
    it the function gets a stream, the outputs, the inputs and the parameters by keyword, and
    launches kernels; without it inputs and parameters alone, and gives results. A function of the
    same module and name replaces the operation it made before, as does any in __main__: a cell of
    a notebook can run again. Raises ArgumentError if the name is taken otherwise.

    >>> @lw.op("doc::twice", parameters="times:int=2")
    ... def twice(x, *, times):
    ...     return lw.map("a * b", x, times)
    >>> twice(np.arange(3.0), times=3)
    array([0., 3., 6.])
    """
    _check_name(name)
    _parse(name, parameters)

    def make(function: Callable[..., Any]) -> Op:
        if not callable(function):
            raise ArgumentError(f"{name}: {function!r} is no function")
        _check_taken(name, function)
        made = Op(name, function, infer, parameters, source)
        _custom[name] = made
        return made

    return make


def ops() -> list[str]:
    """The names of the operations there are, ready-made and custom.

    >>> 'softmax' in lw.ops()
    True
    """
    return _core.operations() + list(_custom)


def custom(name: str, *inputs: Any, parameters: Mapping[str, Any] | None = None) -> Any:
    """An operation by its name. ArgumentError lists the nearest names.

    >>> lw.custom('sum', np.ones((2, 3)), parameters={'axis': 0})
    array([2., 2., 2.])
    """
    from ._operations import _by_name
    if name in _custom:
        return _custom[name](*inputs, **(parameters or {}))
    if name in _core.operations():
        return _by_name(name, dict(parameters or {}), inputs)
    near = difflib.get_close_matches(name, ops(), n=3, cutoff=0.4)
    raise ArgumentError(f"no operation '{name}'; the nearest: {', '.join(near) or 'none'}")
