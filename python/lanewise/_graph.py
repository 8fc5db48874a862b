"""Graphs: operations and kernels are recorded, their memory is planned, and the whole is run.

The library's graph is of one device. What is recorded is kept, and recorded again for another.
"""
from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Callable, Mapping, NoReturn, Sequence

import numpy as np

from . import _core, _dtypes
from ._array import Array, Recorded, asarray, deliver, temporary
from ._core import Device, Stream
from ._custom import TensorType
from ._devices import DeviceLike, current_stream, device_of, stream as make_stream
from ._dims import Dim, Table, in_sample, is_symbolic
from ._errors import ArgumentError, DeviceError, DtypeError
from ._symbol import Symbol
from ._waiting import arrive_all
from ._symbolic import Again, SymbolicRecording, sizes_of

DtypeLike = Any
Shape = Any


@dataclass(frozen=True)
class Plan:
    """The memory of a model: bytes, what they would be unshared, launches, and for each temporary
    a dict of bytes, offset, first_launch and last_launch."""

    bytes: int
    unshared_bytes: int
    launches: int
    temporaries: list[dict[str, int]]


class Model:
    """A compiled graph. Made by Graph.compile.

    Call it with the inputs, in order or by name: it gives a dict of the outputs, which are what
    the first array is (NumPy in, NumPy out). With a stream it does not wait. Raises ArgumentError
    and DtypeError for inputs that are not as declared, or that kernels write and that are not
    memory of the device; DeviceError for Arrays of another device.
    """

    def __init__(self, handle: Any, device: Device, inputs: dict[str, TensorType],
                 outputs: dict[str, TensorType], written: set[str],
                 make: Callable[[Device], Any], given: dict[str, str]) -> None:
        self._handle, self.device, self._written = handle, device, written
        self._given = given  # outputs that are an input
        self._make, self._checked = make, None  # for another device; the one under the checker
        self.inputs, self.outputs = inputs, outputs
        self._plan: Plan | None = Plan(*_core.executable_info(handle)) if handle else None

    @property
    def plan(self) -> Plan:
        """The memory it takes and its launches; with symbolic sizes those of the last call."""
        if self._plan is None:
            raise ArgumentError("there is no plan yet: the sizes are known when the model is "
                                "called")
        return self._plan

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a Model cannot be copied or pickled: compile its graph again")

    def __repr__(self) -> str:
        return f"<lanewise.Model on {self.device.name}: {self.inputs} -> {self.outputs}>"

    def _named(self, args: tuple[Any, ...], words: dict[str, Any]) -> list[Any]:
        names = list(self.inputs)
        if len(args) > len(names):
            raise ArgumentError(f"the graph takes {len(names)} inputs, got {len(args)}")
        given = dict(zip(names, args))
        for name, value in words.items():
            if name not in self.inputs:
                raise ArgumentError(f"the graph has no input '{name}'; it has {', '.join(names)}")
            if name in given:
                raise ArgumentError(f"input '{name}' is given twice")
            given[name] = value
        for name in names:
            if name not in given:
                raise ArgumentError(f"input '{name}', {self.inputs[name]}, is missing")
        return [given[name] for name in names]

    def _input(self, name: str, value: Any) -> Array:
        needed = self.inputs[name]
        if isinstance(value, Recorded):
            raise ArgumentError(f"input '{name}' is a tensor of a graph, which has no values")
        if isinstance(value, Array) and value.device is not self.device:
            raise DeviceError(f"input '{name}' is on device {value.device.name}, the graph on "
                              f"{self.device.name}")
        is_number = isinstance(value, (bool, int, float))
        array = asarray(value, device=self.device, dtype=needed.dtype if is_number else None,
                        copy=False if name in self._written else None)
        if array._code != needed.code:
            raise DtypeError(f"input '{name}' is {_dtypes.TITLES[array._code]}; need "
                             f"{_dtypes.TITLES[needed.code]}")
        if array.shape != needed.shape:
            raise ArgumentError(f"input '{name}' has shape {array.shape}; need {needed.shape}")
        return array

    def __call__(self, *args: Any, stream: Stream | None = None, **inputs: Any) -> dict[str, Any]:
        values = self._named(args, inputs)
        arrays = [self._input(name, value) for name, value in zip(self.inputs, values)]
        is_queued = stream is not None
        stream = current_stream(self.device) if stream is None else stream
        runs = stream if stream is not None else make_stream(self.device)
        results = {name: temporary(runs, t.dtype, t.shape) for name, t in self.outputs.items()
                   if name not in self._given}
        checked = _core.check_place(self.device)
        if checked is None:
            _core.executable_run(self._handle, runs, (*arrays, *results.values()))
            if stream is None:
                runs.wait()
        else:
            runs.wait()  # what it has queued comes before
            self._checked = self._checked or self._make(checked)
            _core.executable_run(self._checked, None, (*arrays, *results.values()))
        like = next((v for v in values if not isinstance(v, (bool, int, float))), None)
        given = dict(zip(self.inputs, zip(values, arrays)))

        def result(name: str) -> Any:
            value, array = given[self._given[name]] if name in self._given else \
                (None, results[name])
            if hasattr(value, "shape"):
                return value
            return array if isinstance(like, Array) else deliver(array, like, is_queued)

        return {name: result(name) for name in self.outputs}


_SIZES_KEPT = 32


def _output_again(title: str, tensor: Symbol) -> Any:
    return lambda again: again.graph.output(**{title: again(tensor)})


class _SizedModel(Model):
    """A model whose sizes come with the inputs; it is recorded and planned anew for each."""

    def __init__(self, graph: "Graph", device: Device) -> None:
        super().__init__(None, device, dict(graph.inputs), dict(graph._outputs), set(),
                         lambda device: None, {})
        self._graph = graph
        self._models: OrderedDict[tuple[int, ...], Model] = OrderedDict()

    def _at(self, sizes: dict[Dim, int]) -> Model:
        key = tuple(sizes.values())
        model = self._models.get(key)
        if model is None:
            model = self._graph._at_sizes(sizes, self.device)
            self._models[key] = model
        self._models.move_to_end(key)
        if len(self._models) > _SIZES_KEPT:
            self._models.popitem(last=False)
        self._plan = model.plan
        return model

    def __call__(self, *args: Any, stream: Stream | None = None, **inputs: Any) -> dict[str, Any]:
        values = self._named(args, inputs)
        if any(isinstance(v, Recorded) for v in values):
            raise ArgumentError("an input is a tensor of a graph, which has no values")
        return self._at(sizes_of(self.inputs, values))(*values, stream=stream)


class _Replay:
    """What is recorded again for another device is not kept again."""

    def _check_launch(self, args: tuple[Any, ...]) -> None:
        pass

    def _note_launch(self, *launch: Any) -> None:
        pass


class Graph(SymbolicRecording):
    """Operations and kernels, recorded to be run many times with planned memory.

    inputs are TensorTypes by name, or a list, which is named x0, x1 and so on; g.NAME is the
    tensor. What is called with such tensors is recorded, as is what is launched on g.stream.
    Types and shapes are checked then. name is the title of the graph. Sizes may be names, as in
    ("n", 3): then operations alone take the tensors, and the model is planned for each n it sees.

    >>> with lw.Graph(inputs={"x": lw.TensorType("f32", (4,))}) as g:
    ...     g.output(out=lw.softmax(lw.map("a * 2", g.x)))
    >>> model = g.compile()
    >>> model(x=np.zeros(4, "f4"))
    {'out': array([0.25, 0.25, 0.25, 0.25], dtype=float32)}
    """

    def __init__(self, inputs: Mapping[str, TensorType] | Sequence[TensorType], *,
                 name: str = "graph") -> None:
        named = dict(inputs) if isinstance(inputs, Mapping) else \
            {f"x{n}": t for n, t in enumerate(inputs)}
        self._start(named, name, device_of(None))

    def _start(self, named: dict[str, TensorType], name: str, device: Device) -> None:
        self.name, self._outputs, self._device = name, dict[str, TensorType](), device
        self._handle = _core.graph_create(self._device)
        self._steps: list[tuple[Any, ...]] = []
        self._tensors: dict[str, Symbol] = {}
        self._written: set[int] = set()
        self._whole: list[Array] = []  # each tensor as it was declared
        self._given: dict[str, str] = {}  # outputs that are an input
        self._is_closed, self._failure = False, ""
        self._table, self._again, self._last = Table(), [], None
        self._waiting: list[Any] = []  # references to tensors of _waiting.py
        for title, kind in named.items():
            if not isinstance(kind, TensorType):
                raise ArgumentError(f"input '{title}' is {kind!r}; need a TensorType")
        self.inputs = {title: self._bound(kind) for title, kind in named.items()}
        self._is_symbolic = any(is_symbolic(kind.shape) for kind in self.inputs.values())
        for title, kind in self.inputs.items():
            if hasattr(type(self), title) or title in self.__dict__:
                raise ArgumentError(f"an input cannot have the name '{title}': Graph has it")
            self._tensors[title] = self._tensor(title, kind)

    def __enter__(self) -> "Graph":
        return self

    def __exit__(self, *exc: Any) -> None:
        self._is_closed = True
        if exc and exc[0] is not None:
            self._failure = f"{exc[0].__name__}: {exc[1]}"

    def __getattr__(self, name: str) -> Symbol:
        tensors = self.__dict__.get("_tensors", {})
        if name in tensors:
            return tensors[name]
        raise AttributeError(f"the graph has no input '{name}'; it has "
                             f"{', '.join(tensors) or 'none'}")

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a Graph cannot be copied or pickled: record it again")

    def __repr__(self) -> str:
        return f"<lanewise.Graph {self.name}: {self.inputs} -> {self._outputs}>"

    # ---- recording ----

    def _check_open(self) -> None:
        if self._is_closed or self._failure:
            raise ArgumentError("the recording of the graph is over; nothing can be added")

    def _check_launch(self, args: tuple[Any, ...]) -> None:
        """For the extension: what is about to be launched."""
        self._check_open()
        arrive_all(self)
        self._check_sizes(args)

    def _later(self, call: Callable[[Again], None]) -> None:
        if self._is_symbolic:
            self._again.append(call)

    def _tensor(self, title: str | None, kind: TensorType) -> Symbol:
        extents = in_sample(kind.shape, 0)
        array = _core.graph_tensor(self._handle, title, kind.code, extents)
        self._steps.append(("tensor", title, kind.code, extents))
        self._whole.append(array)
        return Symbol(self, len(self._whole) - 1, array, kind.shape)

    def temporary(self, dtype: DtypeLike, shape: Shape) -> Symbol:
        """A tensor that is there while the graph runs; what kernels write becomes an output."""
        self._check_open()
        kind = TensorType(dtype, shape)
        if any(isinstance(size, str) for size in kind.shape):
            raise ArgumentError(f"the shape is {kind.shape}; names of sizes are for inputs")
        made = self._tensor(None, kind)
        self._later(lambda again: again.keep(made, again.graph.temporary(
            kind.dtype, tuple(again.size(size) for size in kind.shape))))
        return made

    @property
    def stream(self) -> Stream:
        """The recording stream, for kernels: `prog.k[grid, block, g.stream](...)`."""
        return _core.graph_stream(self._handle, self)

    def _plain(self, value: Any) -> Any:
        """What the library gets for a tensor."""
        if not isinstance(value, Symbol):
            return value
        if value._graph is not self:
            raise ArgumentError("the tensor is of another graph")
        return value._array

    def _results(self, types: Sequence[TensorType], out: Any) -> tuple[Symbol, ...]:
        """The tensors that an operation writes: the caller's, or new ones."""
        if out is None:
            return tuple(self._tensor(None, t) for t in types)
        given = out if isinstance(out, tuple) else (out,)
        if not all(isinstance(o, Symbol) for o in given) or len(given) != len(types):
            raise ArgumentError(f"out is {out!r}; need {len(types)} of the graph's tensors")
        return given

    def _operate(self, name: str, parameters: dict[str, Any], inputs: tuple[Any, ...], out: Any,
                 stream: Stream | None) -> Any:
        """For the extension: an operation with tensors of this graph."""
        self._check_open()
        if out is not None:
            arrive_all(self)
        if stream is not None and stream._graph is not self:
            raise ArgumentError("the tensors are of a graph, and the stream is not that graph's")
        plain = tuple(self._plain(i) for i in inputs)
        if self._is_symbolic:
            types = self._types(name, parameters, inputs)
        else:
            types = [TensorType(_dtypes.DTYPES[code], shape)
                     for code, shape in _core.infer(name, parameters, plain)]
        own = () if out is None else out if isinstance(out, tuple) else (out,)
        results = self._results(types[:len(own) or None], out)
        results += tuple(self._tensor(None, t) for t in types[len(results):])
        if self._is_symbolic:
            self._note_operation(name, parameters, inputs, out, results, types)
        else:
            given = tuple(self._plain(r) for r in results)
            _core.record(name, parameters, plain, given, self.stream)
            self._steps.append(("operation", name, parameters, inputs, results))
        self._written.update(r._index for r in results)
        if len(results) == 1:
            return out if out is not None else results[0]
        return (*own, *results[len(own):])

    def _note_operation(self, name: str, parameters: dict[str, Any], inputs: tuple[Any, ...],
                        out: Any, results: tuple[Symbol, ...], types: list[TensorType]) -> None:
        """An operation that is recorded when the sizes are numbers."""
        for given, needed in zip(results, types):
            if given.shape != needed.shape:
                raise ArgumentError(f"{name}: out has shape {given.shape}; need {needed.shape}")

        def call(again: Again) -> None:
            made = again.graph._operate(name, parameters, again(inputs), again(out), None)
            for symbol, tensor in zip(results, made if isinstance(made, tuple) else (made,)):
                again.keep(symbol, tensor)

        self._later(call)

    def _note_launch(self, *launch: Any) -> None:
        """For the extension: a launch that has been recorded."""
        self._steps.append(("launch", *launch))
        kernel, grid, block, shared, args = launch
        self._later(lambda again: kernel.launch(
            grid=grid, block=block, shared=shared, stream=again.graph.stream, args=again(args)))
        for parameter, value in zip(kernel.parameters, args):
            if isinstance(value, Symbol) and not parameter["const"]:
                self._written.add(value._index)

    def _fail(self, error: BaseException) -> None:
        self._failure = f"{type(error).__name__}: {error}"

    def output(self, *tensors: Symbol, **named: Symbol) -> None:
        """Make tensors outputs, by name; one without is "out", more are "out0", "out1" and so on.

        An output may have the name of an input. An input as an output is the array that is given
        for it, with what the graph writes there. Of a part of a tensor, and of one that is an
        output already, a copy is recorded. Raises ArgumentError for names of other outputs.
        """
        self._check_open()
        titles = ["out"] if len(tensors) == 1 else [f"out{n}" for n in range(len(tensors))]
        for title, tensor in [*zip(titles, tensors), *named.items()]:
            if not isinstance(tensor, Symbol):
                raise ArgumentError(f"output '{title}' is {tensor!r}; need a tensor of the graph")
            if title in self._outputs:
                raise ArgumentError(f"the graph has an output '{title}' already")
            self._plain(tensor)  # of this graph
            source = next((name for name, x in self._tensors.items() if x is tensor), None)
            if source is not None:
                self._given[title] = source
            elif not self._is_symbolic:
                self._output_memory(title, tensor)
            self._later(_output_again(title, tensor))
            self._outputs[title] = TensorType(tensor.dtype, tensor.shape)

    def _output_memory(self, title: str, tensor: Symbol) -> None:
        """An output that gets memory at each run: whole, in C order, and no other's."""
        array, whole = tensor._array, self._whole[tensor._index]
        taken = {x._index for x in self._tensors.values()}
        taken |= {step[2]._index for step in self._steps if step[0] == "output"}
        if tensor._index in taken or array._offset or array.size != whole.size or \
                array._contiguous_view() is None:
            tensor = tensor.copy()
        _core.graph_output(self._handle, title, tensor._array)
        self._steps.append(("output", title, tensor))

    def _assign(self, view: Symbol, value: Any) -> None:
        """view[...] = value: a copy is recorded."""
        self._check_open()
        if not isinstance(value, Symbol):
            value = asarray(value, dtype=view.dtype).numpy()
        lead = view.ndim - value.ndim
        if lead < 0 or any(e not in (1, n) for e, n in zip(value.shape, view.shape[lead:])):
            raise ArgumentError(f"shape {value.shape} does not broadcast to {view.shape}")
        if isinstance(value, Symbol):
            value = value._broadcast_to(view.shape)
        elif self._is_symbolic:
            self._later(lambda again: again.graph._assign(again(view), value))
            return
        else:
            value = np.broadcast_to(value, view.shape)
        name = _dtypes.dtype_name(view.dtype)
        self._operate("copy", {"dtype": name}, (value,), view, None)

    # ---- what is made of it ----

    def _replay(self, device: Device, steps: Sequence[tuple[Any, ...]]) -> Any:
        """The same, recorded for another device."""
        handle = _core.graph_create(device)
        stream = _core.graph_stream(handle, _Replay())
        made: list[Array] = []

        def there(value: Any) -> Any:
            if isinstance(value, Array) and value.device is not device:
                return value.numpy()  # a constant, in memory that each device can take
            if not isinstance(value, Symbol):
                return value
            a = value._array
            return _core.view(made[value._index], a._offset, a.shape, a._strides)

        for kind, *step in steps:
            if kind == "tensor":
                made.append(_core.graph_tensor(handle, *step))
            elif kind == "output":
                _core.graph_output(handle, step[0], there(step[1]))
            elif kind == "operation":
                name, parameters, inputs, results = step
                _core.record(name, parameters, tuple(there(i) for i in inputs),
                             tuple(there(r) for r in results), stream)
            else:
                kernel, grid, block, shared, args = step
                kernel.launch(grid=grid, block=block, shared=shared, stream=stream,
                              args=tuple(there(a) for a in args))
        return handle

    def compile(self, device: DeviceLike = None) -> Model:
        """Plan the memory, for a device (the default one); it can be done for several.

        Raises ArgumentError after a recording that failed, CompileError, DeviceError.
        """
        if self._failure:
            raise ArgumentError(f"the recording failed: {self._failure}")
        where = device_of(device)
        if self._is_symbolic:
            return _SizedModel(self, where)
        steps = tuple(self._steps)

        def make(device: Device) -> Any:
            return _core.graph_compile(self._handle if device is self._device and
                                       len(steps) == len(self._steps)
                                       else self._replay(device, steps))

        written = {name for name, x in self._tensors.items() if x._index in self._written}
        return Model(make(where), where, dict(self.inputs), dict(self._outputs), written, make,
                     dict(self._given))

    def _at_sizes(self, sizes: dict[Dim, int], device: Device) -> Model:
        """The model for inputs of known sizes: what was called is called again."""
        graph = Graph.__new__(Graph)
        graph._start({title: TensorType(kind.dtype, tuple(
            sizes[e] if isinstance(e, Dim) else e for e in kind.shape))
            for title, kind in self.inputs.items()}, self.name, device)
        again = Again(graph, sizes)
        for title, symbol in self._tensors.items():
            again.keep(symbol, graph._tensors[title])
        with graph:
            again.record(self._again)
        self._last = graph
        return graph.compile(device)

    def draw(self, path: str) -> None:
        """Draw the graph into a file that ends in .svg or .dot.

        With symbolic sizes it is drawn for those that it ran with last.
        """
        if self._is_symbolic:
            if self._last is None:
                raise ArgumentError("draw: the sizes are known when a model of the graph has run")
            return self._last.draw(path)
        kind = str(path).rpartition(".")[2]
        if kind not in ("svg", "dot"):
            raise ArgumentError(f"draw: the path is '{path}'; need one that ends in .svg or .dot")
        _core.graph_draw(self._handle, kind, str(path))
