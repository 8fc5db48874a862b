"""Checks of custom operations."""
from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Iterator, Sequence

import numpy as np

from . import _core, _dtypes
from ._array import Array, asarray, values_of
from ._check import check
from ._core import Device, Stream
from ._custom import Op, TensorType
from ._devices import default_device
from ._errors import ArgumentError, CheckError, Error
from ._graph import Graph

_POISONS = (0xff, 0x3e)  # bytes: NaN, -1, true; a number near 1, an even one, false
Results = tuple[Any, ...]
_BOOL = _dtypes.NAMES.index("bool")


def _need(holds: bool, text: str) -> None:
    """As assert, also under python -O."""
    if not holds:
        raise AssertionError(text)


def _tuple(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def _bits(array: Array) -> bytes:
    return array.numpy().tobytes()


def _strided(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same values with gaps between them."""
    if not values.ndim:
        return values
    return np.repeat(values, 2, axis=-1)[..., ::2]


# ---- memory that nothing has written ----

class _Poisoned:
    """Makes what the work of a stream needs, outputs and temporaries, of one byte."""

    def __init__(self, device: Device, poison: int) -> None:
        self._device, self._poison = device, poison

    def __call__(self, code: int, extents: tuple[int, ...]) -> Array:
        made: Array = _core.allocate(self._device, code, extents)
        byte = self._poison & 1 if code == _BOOL else self._poison
        _core.transfer(made, np.full(made.nbytes, byte, "u1"), True)
        return made


@contextmanager
def _poisoned(device: str, poison: int) -> Iterator[Stream]:
    """The stream of this thread has poisoned memory; at the end its work has ended."""
    there = Device(device)
    stream = Stream(there, None, _Poisoned(there, poison))
    before = _core.use_stream(stream)
    try:
        yield stream
        stream.wait()
    finally:
        _core.use_stream(before)


def _unwritten(n: int, one: Array, other: Array, where: str) -> str:
    """What is wrong with output n, which differs in runs with the two poisons."""
    left = np.full(one.size, True)
    for array, poison in zip((one, other), _POISONS):
        byte = poison & 1 if array._code == _BOOL else poison
        left &= (np.frombuffer(_bits(array), "u1").reshape(one.size, -1) == byte).all(axis=1)
    if not left.any():
        return f"output {n} depends on memory that nothing has written, {where}"
    first = [int(k) for k in np.unravel_index(int(left.argmax()), one.shape or (1,))]
    return (f"{left.sum()} of {one.size} elements of output {n} are not written {where}, "
            f"the first is {first}")


def _need_same(name: str, first: Results, again: Results, other: Results, where: str) -> None:
    """Two runs with one poison, and one with the other."""
    for n, (one, two, three) in enumerate(zip(first, again, other)):
        _need(_bits(one) == _bits(two), f"{name}: output {n} is another one in each run, {where}")
        if _bits(one) != _bits(three):
            raise AssertionError(f"{name}: {_unwritten(n, one, three, where)}")


# ---- runs ----

def _check_types(op: Op, inputs: Sequence[Any], results: Sequence[Any],
                 parameters: dict[str, Any]) -> None:
    if op._infer is None:
        return
    expected = op.infer(*(TensorType(x.dtype, x.shape) for x in inputs), **op._values(parameters))
    got = tuple(TensorType(r.dtype, r.shape) for r in results)
    _need(got == expected, f"{op.name}: infer says {expected}, the outputs are {got}")


def _run_on(op: Op, device: str, values: list[Any], parameters: dict[str, Any],
            poison: int) -> Results:
    arrays = [asarray(v, device=device, copy=True) for v in values]
    before = [_bits(a) for a in arrays]
    with _poisoned(device, poison):
        results = _tuple(op(*arrays, **parameters))
    for n, (array, was) in enumerate(zip(arrays, before)):
        _need(_bits(array) == was, f"{op.name}: input {n} was changed on {device}")
        for result in results:
            apart = not np.shares_memory(array.numpy(), result.numpy()) or device[:4] == "cuda"
            _need(apart, f"{op.name}: an output shares memory with input {n}")
    _check_types(op, arrays, results, parameters)
    return results


def _recorded(op: Op, values: list[Any], parameters: dict[str, Any], poison: int,
              bytes: int) -> Graph:
    """The operation in a graph, where as much memory as it takes is poisoned first."""
    with Graph([TensorType(v.dtype, v.shape) for v in values]) as g:
        if bytes:
            g.temporary("uint8", (bytes,))[...] = poison
        inputs = [getattr(g, name) for name in g.inputs]
        results = _tuple(op(*inputs, **parameters))
        _check_types(op, inputs, results, parameters)
        g.output(*results)
    return g


def _check_graph(op: Op, device: str, values: list[Any], parameters: dict[str, Any],
                 expected: Results) -> None:
    arrays = [asarray(v, device=device) for v in values]
    runs = []
    try:
        bytes = _recorded(op, values, parameters, 0, 0).compile(device).plan.bytes
    except (Error, TypeError):
        return
    for poison in (_POISONS[0], *_POISONS):
        model = _recorded(op, values, parameters, poison, bytes).compile(device)
        with _poisoned(device, poison) as stream:
            runs.append(tuple(model(*arrays, stream=stream).values()))
    _need_same(op.name, *runs, f"in a graph on {device}")
    for n, (one, other) in enumerate(zip(expected, runs[0])):
        _need(_bits(one) == _bits(other),
              f"{op.name}: output {n} is another one in a graph on {device}")


def _check_strides(op: Op, device: str, values: list[Any], parameters: dict[str, Any],
                   expected: Results) -> None:
    arrays = [asarray(_strided(v), device=device) for v in values]
    try:
        results = _tuple(op(*arrays, **parameters))
    except ArgumentError:
        return
    _need([_bits(r) for r in results] == [_bits(r) for r in expected],
          f"{op.name}: other results for inputs with strides on {device}")


def _check_empty(op: Op, device: str, values: list[Any], parameters: dict[str, Any]) -> None:
    arrays = [asarray(np.zeros((0,) * v.ndim, v.dtype), device=device) for v in values]
    try:
        results = _tuple(op(*arrays, **parameters))
    except Error:
        return
    _check_types(op, arrays, results, parameters)


def _check_launches(op: Op, values: list[Any], parameters: dict[str, Any],
                    expected: Results) -> None:
    device = default_device().name
    try:
        with check():
            runs = [_run_on(op, device, values, parameters, poison) for poison in _POISONS]
    except CheckError as error:
        raise AssertionError(f"{op.name}: {error}") from None
    _need_same(op.name, expected, *runs, "under the checker")


class testing:
    """Checks of custom operations."""

    @staticmethod
    def opcheck(op: Op, *args: Any, devices: Sequence[str] = ("ref", "cpu"),
                **parameters: Any) -> None:
        """Run an operation in many ways; AssertionError says what is wrong.

        Checked: the inferred types, inputs that stay unchanged and apart from outputs, outputs
        that are written, all of them, and depend on nothing else that is in memory, the same bits
        in each run, in a graph, on all devices and under the checker, inputs with strides and
        empty ones, and the launches under the checker. It may refuse strides, empty inputs, and
        to be recorded in a graph. Raises ArgumentError for what is no operation of lanewise.op.

        >>> @lw.op("doc::half")
        ... def half(x):
        ...     return lw.map("a / 2", x)
        >>> lw.testing.opcheck(half, np.arange(4.0))
        """
        if not isinstance(op, Op):
            raise ArgumentError(f"op is {op!r}; need an operation made by lanewise.op")
        values = [a.numpy() if isinstance(a, Array) else values_of(a) for a in args]
        first: Results = ()
        for device in devices:
            runs = [_run_on(op, device, values, parameters, poison)
                    for poison in (_POISONS[0], *_POISONS)]
            _need_same(op.name, *runs, f"on {device}")
            first = first or runs[0]
            _need([_bits(r) for r in runs[0]] == [_bits(r) for r in first],
                  f"{op.name}: other bits on {device} than on {devices[0]}")
            _check_strides(op, device, values, parameters, first)
            _check_empty(op, device, values, parameters)
        for device in devices:
            _check_graph(op, device, values, parameters, first)
        _check_launches(op, values, parameters, first)
