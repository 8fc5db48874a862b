"""Calls of operations while JAX traces them: each is recorded as a graph, and gets a key.

The handler that JAX calls (python/src/xla.c) finds the compiled graph by its key. A key is a text
made of the operation, its arguments and their types, so that all processes of a cluster that trace
one program make the same keys.
"""
from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any, Callable, Sequence

import jax
import numpy as np

from . import _core, _dtypes
from ._array import Array, Recorded
from ._core import Device, Stream
from ._custom import Op, TensorType
from ._devices import default_device
from ._errors import ArgumentError
from ._graph import Graph, Symbol

TARGET = "lanewise"
_recipes: dict[str, "Recipe"] = {}
_names: dict[str, list[Any]] = {}


class Slot:
    """The place of the n-th array among a call's arguments."""

    def __init__(self, number: int) -> None:
        self.number = number


class Arguments:
    """A call's arguments by position and by keyword, with Slots in the place of arrays."""

    def __init__(self, args: Sequence[Any], words: dict[str, Any]) -> None:
        self.arrays: list[Any] = []
        self.args = [self._take(a) for a in args]
        self.words = {name: self._take(value) for name, value in words.items()}

    def _take(self, value: Any) -> Any:
        if not isinstance(value, (jax.Array, np.ndarray, np.generic, Array)):
            return value
        self.arrays.append(jax.numpy.asarray(value))
        return Slot(len(self.arrays) - 1)

    def filled(self, values: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments with values in the place of the arrays."""
        def fill(value: Any) -> Any:
            return values[value.number] if isinstance(value, Slot) else value
        return [fill(a) for a in self.args], {n: fill(v) for n, v in self.words.items()}

    def text(self, types: Sequence[TensorType]) -> str:
        """The arguments as a key has them."""
        def told(value: Any) -> str:
            if not isinstance(value, Slot):
                return repr(value)
            kind = types[value.number]
            return f"{_dtypes.NAMES[kind.code]}[{','.join(map(str, kind.shape))}]"
        words = [told(a) for a in self.args]
        words += [f"{name}={told(value)}" for name, value in sorted(self.words.items())]
        return f"({', '.join(words)})"


def unique_name(name: str, function: Any) -> str:
    """The name of a function in keys: another one of that name gets a number."""
    known = _names.setdefault(name, [])
    if function not in known:
        known.append(function)
    at = known.index(function)
    return name if at == 0 else f"{name}#{at + 1}"


def _host() -> Device:
    """The device that stands for JAX's CPU: the default one, if that is in host memory."""
    device = default_device()
    return Device("cpu") if device.name.startswith("cuda") else device


def _narrowed(dtype: Any) -> np.dtype[Any]:
    """The dtype that JAX has for it: of 64 bits only with jax_enable_x64."""
    return np.dtype(jax.dtypes.canonicalize_dtype(dtype))


class Recipe:
    """A call with the types of its arrays. It is recorded for each device on which it runs."""

    def __init__(self, key: str, name: str, function: Callable[..., Any], arguments: Arguments,
                 types: Sequence[TensorType], host: Device) -> None:
        self.key, self.name, self._host = key, name, host
        self._function, self._arguments, self._types = function, arguments, list(types)
        self._graphs: dict[str, Graph] = {}
        self._lock = threading.Lock()
        self.outputs: list[TensorType] = []
        self.is_tuple = False
        self._graph_on(host)

    def _graph_on(self, device: Device) -> Graph:
        with self._lock:
            graph = self._graphs.get(device.name)
            if graph is None:
                graph = self._graphs[device.name] = self._record(device)
            return graph

    def _record(self, device: Device) -> Graph:
        graph = Graph.__new__(Graph)
        graph._start({f"x{n}": t for n, t in enumerate(self._types)}, self.name, device)
        symbols = list(graph._tensors.values())
        with graph:
            args, words = self._arguments.filled(symbols)
            if isinstance(self._function, Op) and self._function._infer is not None:
                words["stream"] = graph.stream  # it is recorded, also without inputs
            results = self._function(*args, **words)
            self.is_tuple = isinstance(results, (tuple, list))
            given = list(results) if self.is_tuple else [results]
            for n, result in enumerate(given):
                given[n] = self._output(graph, n, result)
        for symbol in symbols:
            if symbol._index in graph._written:
                raise ArgumentError(f"{self.name}: it writes its input {symbol._index}, and JAX's "
                                    "arrays are read-only")
        self.outputs = [TensorType(o.dtype, o.shape) for o in given]
        return graph

    def _output(self, graph: Graph, n: int, result: Any) -> Symbol:
        """Make a result an output. Of an input it is a copy: JAX's arrays are of one owner."""
        if not isinstance(result, Recorded) and not self._types:
            raise ArgumentError(f"{self.name}: no argument is an array of JAX or NumPy")
        if not isinstance(result, Recorded):
            raise ArgumentError(f"{self.name}: it gave {result!r}; need what operations give")
        dtype = _narrowed(result.dtype)
        if dtype != result.dtype or any(result is x for x in graph._tensors.values()):
            result = result.astype(dtype)
        graph.output(**{f"out{n}": result})
        return result

    def make(self, ordinal: int, native: int | None) -> tuple[Any, Stream]:
        """An executable and a stream for it: on GPU number `ordinal` and its stream, or below 0
        on the host."""
        device = self._host if ordinal < 0 else Device(f"cuda:{ordinal}")
        graph = self._graph_on(device)
        with self._lock:
            return graph.compile(device)._handle, Stream(device, native)

    def bind(self, *arrays: Any) -> tuple[Any, ...]:
        """The call of the handler; in JAX's trace."""
        results = [jax.ShapeDtypeStruct(t.shape, t.dtype) for t in self.outputs]
        made = jax.ffi.ffi_call(TARGET, results)(*arrays, key=self.key)
        axes = set().union(*map(_varying_axes, arrays))
        return tuple(_vary(r, axes) for r in made)


def _varying_axes(array: Any) -> set[Any]:
    """The mesh axes of shard_map over which a traced array varies."""
    kind = jax.typeof(array) if hasattr(jax, "typeof") else None
    manual = getattr(kind, "manual_axis_type", None)  # since JAX 0.10; vma before
    return set(getattr(kind, "vma", ()) if manual is None else manual.varying)


def _vary(array: Any, axes: set[Any]) -> Any:
    """The array as one that varies over these axes too, which changes no value."""
    lacking = tuple(sorted(axes - _varying_axes(array)))
    if not lacking:
        return array
    if hasattr(jax.lax, "pcast"):
        return jax.lax.pcast(array, lacking, to="varying")
    return jax.lax.pvary(array, lacking)


def varying_alike(arrays: Sequence[Any]) -> list[Any]:
    """Arrays that vary over the same mesh axes of shard_map: ffi_call needs that."""
    axes = set().union(*map(_varying_axes, arrays))
    return [_vary(a, axes) for a in arrays]


def recipe_of(name: str, function: Callable[..., Any], arguments: Arguments) -> Recipe:
    """The recipe of a call, recorded at the first call with these types and parameters."""
    types = [TensorType(a.dtype, a.shape) for a in arguments.arrays]
    host = _host()
    wide = "" if jax.config.jax_enable_x64 else " narrow"
    key = f"{name}{arguments.text(types)} on {host.name}{wide}"
    recipe = _recipes.get(key)
    if recipe is None:
        recipe = _recipes[key] = Recipe(key, name, function, arguments, types, host)
    return recipe


def _make(key: str, ordinal: int, native: int | None) -> tuple[Any, Stream]:
    """For the handler: what runs the call of a key."""
    recipe = _recipes.get(key)
    if recipe is None:
        raise ArgumentError("this process has not traced that call; trace the function here, since "
                            "what JAX exports or keeps holds no code of Lanewise")
    return recipe.make(ordinal, native)


def _interface_version() -> int:
    """The minor version of XLA's interface, which stands in the header that comes with jaxlib."""
    header = Path(jax.ffi.include_dir()) / "xla" / "ffi" / "api" / "c_api.h"
    found = re.search(r"define XLA_FFI_API_MINOR (\d+)", header.read_text()) \
        if header.exists() else None
    return int(found[1]) if found else 1


def register_handlers() -> None:
    """Tell JAX of the handlers. XLA refuses those of an interface that it does not know."""
    on_host, on_cuda = _core.xla_handlers(_make, _interface_version())
    jax.ffi.register_ffi_target(TARGET, on_host, platform="cpu")
    jax.ffi.register_ffi_target(TARGET, on_cuda, platform="CUDA")
