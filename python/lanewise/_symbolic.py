"""Recording with sizes that are not known.

While it is recorded, only the types are found. Each call is kept as a function. Once the sizes are
numbers, these functions record the calls on a graph of those sizes.
"""
from __future__ import annotations

from math import prod
from typing import Any, Callable, Sequence

from . import _core, _dtypes
from ._array import Array, Recorded
from ._custom import TensorType
from ._dims import SAMPLES, Dim, Table, in_sample, is_symbolic
from ._errors import ArgumentError, IndexError
from ._symbol import Symbol
from ._views import reshaped


def each(change: Callable[[Any], Any], value: Any) -> Any:
    """The value, or each in tuples, lists and dicts of them, changed."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(each(change, v) for v in value))
    if isinstance(value, (tuple, list)):
        return type(value)(each(change, v) for v in value)
    if isinstance(value, dict):
        return {name: each(change, v) for name, v in value.items()}
    return change(value)


def flat(values: Sequence[Any]) -> list[Any]:
    """What is in tuples and lists of them, in order."""
    found: list[Any] = []
    each(found.append, values)
    return found


class Again:
    """A graph of known sizes, on which what was recorded is called again."""

    def __init__(self, graph: Any, sizes: dict[Dim, int]) -> None:
        self.graph, self._named, self._sizes = graph, sizes, dict(sizes)
        self._made: dict[int, Any] = {}

    def __call__(self, value: Any) -> Any:
        """What stands for a tensor, or for each of a tuple; other things are as they were."""
        if isinstance(value, tuple):
            return tuple(self(v) for v in value)
        return self._made[id(value)] if isinstance(value, Recorded) else value

    def keep(self, symbol: Any, made: Any) -> None:
        """The tensor made for a symbol; sizes that come of an operation are learnt of it."""
        self._made[id(symbol)] = made
        for needed, size in zip(symbol.shape, made.shape):
            known = self._sizes.setdefault(needed, size) if isinstance(needed, Dim) else needed
            if known != size or symbol.ndim != made.ndim:
                raise ArgumentError(f"recorded as {symbol.shape}, and at "
                                    f"{self._told()} the shape is {made.shape}")

    def record(self, calls: Sequence[Callable[["Again"], None]]) -> None:
        """Call all of them. Of an index beyond a size IndexError tells the sizes."""
        try:
            for call in calls:
                call(self)
        except IndexError as error:
            raise IndexError(f"at {self._told()}: {error}") from None

    def _told(self) -> str:
        return ", ".join(f"{d} = {n}" for d, n in self._named.items())

    def size(self, extent: Any) -> int:
        """An extent as a number."""
        return self._sizes[extent] if isinstance(extent, Dim) else extent


class SymbolicRecording:
    """What a Graph does about unknown sizes; _is_symbolic is True if it has some."""

    _device: Any
    _handle: Any
    _table: Table
    _is_symbolic: bool
    _again: list[Callable[[Again], None]]

    def _bound(self, kind: TensorType) -> TensorType:
        """The type with Dims in place of names."""
        return TensorType(kind.dtype, tuple(self._table.named_size(e) if isinstance(e, str) else e
                                            for e in kind.shape))

    def _stand_in(self, code: int, shape: Sequence[Any], sample: int) -> Array:
        """An array of a shape in a sample; it has one element, and strides of 0."""
        extents = in_sample(shape, sample)
        return _core.view(_core.allocate(self._device, code, 1), 0, extents, (0,) * len(extents))

    def _types(self, name: str, parameters: dict[str, Any],
               inputs: tuple[Any, ...]) -> list[TensorType]:
        """The types of the results of an operation of the library."""
        codes: list[int] = []

        def question(sample: int) -> list[tuple[int, ...]]:
            plain = tuple(self._stand_in(i._array._code, i.shape, sample)
                          if isinstance(i, Recorded) else i for i in inputs)
            rows = _core.infer(name, parameters, plain)
            codes[:] = [code for code, _ in rows]
            return [shape for _, shape in rows]

        shapes = self._table.ask(question)
        return [TensorType(_dtypes.DTYPES[code], shape) for code, shape in zip(codes, shapes)]

    def _tensor(self, title: str | None, kind: TensorType) -> Symbol:
        raise NotImplementedError

    def _size_of(self, shape: tuple[Any, ...]) -> Any:
        """The number of elements."""
        return self._table.of_values(tuple(prod(in_sample(shape, k)) for k in range(SAMPLES)))

    def _record_view(self, x: Symbol, view: Callable[..., Any]) -> Symbol:
        """view(x, size) of a tensor."""
        def at(sample: int) -> Callable[[Any], int]:
            return lambda extent: in_sample((extent,), sample)[0]

        shape, = self._table.ask(
            lambda sample: [view(self._stand_in(0, x.shape, sample), at(sample)).shape])
        result = Symbol(self, x._index, view(x._array, at(0)), shape)
        self._again.append(lambda again: again.keep(result, view(again(x), again.size)))
        return result

    def _record_reshape(self, x: Symbol, words: tuple[Any, ...]) -> Symbol:
        flat = words[0] if len(words) == 1 and isinstance(words[0], (tuple, list)) else words
        shape, = self._table.ask(
            lambda sample: [reshaped(in_sample(x.shape, sample), in_sample(flat, sample))])
        array = x._array._reshaped_view(in_sample(shape, 0))
        result = self._tensor(None, TensorType(x.dtype, shape)) if array is None else \
            Symbol(self, x._index, array, shape)
        self._again.append(lambda again: again.keep(
            result, again(x).reshape(*(again.size(w) for w in flat))))
        return result

    def _note_call(self, op: Any, inputs: tuple[Any, ...], values: dict[str, Any], out: Any,
                   results: tuple[Any, ...]) -> None:
        """A custom operation, whose function is called when the sizes are numbers."""
        def call(again: Again) -> None:
            made = op(*again(inputs), out=again(out), stream=again.graph.stream, **values)
            for symbol, tensor in zip(results, made if isinstance(made, tuple) else (made,)):
                again.keep(symbol, tensor)

        self._again.append(call)

    def _record_whole(self, op: Any, inputs: tuple[Any, ...], values: dict[str, Any]) -> Any:
        """An operation without infer: it is called now for its types, and again at each size."""
        begin = len(self._again)
        results = op._function(*inputs, **values)
        given = results if isinstance(results, tuple) else (results,)
        if not all(isinstance(r, Recorded) for r in given):
            raise ArgumentError(f"{op.name}: it gave {results!r}; need tensors of the graph")
        if any(r is i for r in given for i in inputs):
            raise ArgumentError(f"{op.name}: it gave an input; need what operations give")
        del self._again[begin:]

        def call(again: Again) -> None:
            made = op(*again(inputs), **values)
            for symbol, tensor in zip(given, made if isinstance(made, tuple) else (made,)):
                again.keep(symbol, tensor)

        self._again.append(call)
        return results

    def _record_composed(self, run: Callable[..., Any], *arguments: Any) -> Any:
        """A function of several operations. What it gives at a sample tells the types, and at each
        size it is called again."""
        results: list[Any] = []

        def question(sample: int) -> list[tuple[int, ...]]:
            scratch = type(self)({})  # type: ignore[call-arg]

            def plain(value: Any) -> Any:
                if isinstance(value, Dim):
                    return in_sample((value,), sample)[0]
                return scratch._tensor(None, TensorType(value.dtype, in_sample(
                    value.shape, sample))) if isinstance(value, Recorded) else value

            results[:] = [run(*each(plain, arguments))]
            return [r.shape for r in flat(results)]

        shapes = iter(self._table.ask(question))
        made = each(lambda r: self._tensor(None, TensorType(r.dtype, next(shapes))), results[0])

        def call(again: Again) -> None:
            def there(value: Any) -> Any:
                return again.size(value) if isinstance(value, Dim) else again(value)

            given = run(*each(there, arguments))
            for symbol, tensor in zip(flat([made]), flat([given])):
                again.keep(symbol, tensor)

        self._again.append(call)
        return made

    def _check_sizes(self, args: tuple[Any, ...]) -> None:
        for place, x in enumerate(args, 1):
            if isinstance(x, Recorded) and is_symbolic(x.shape):
                raise ArgumentError(f"argument {place} of the kernel has shape {x.shape}, which is "
                                    "not known yet; launch it in an operation (lanewise.op), which "
                                    "is recorded when the sizes are numbers")


def sizes_of(inputs: dict[str, TensorType], values: Sequence[Any]) -> dict[Dim, int]:
    """The sizes that the inputs give. The model of those sizes refuses a wrong rank."""
    sizes: dict[Dim, int] = {}
    source: dict[Dim, str] = {}
    for (name, kind), value in zip(inputs.items(), values):
        shape = getattr(value, "shape", None)
        if shape is None:
            import numpy as np
            shape = np.shape(value)
        if len(shape) != len(kind.shape):
            raise ArgumentError(f"input '{name}' has shape {tuple(shape)}; need {kind.shape}")
        for needed, size in zip(kind.shape, shape):
            if isinstance(needed, Dim) and sizes.setdefault(needed, int(size)) != size:
                raise ArgumentError(f"input '{name}' has shape {tuple(shape)}; need {kind.shape}, "
                                    f"and {needed} is {sizes[needed]} in input '{source[needed]}'")
            if isinstance(needed, Dim):
                source.setdefault(needed, name)
    return sizes
