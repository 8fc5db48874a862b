"""Functions of elements of a graph's tensors: a chain of them is recorded as one map.

A result waits until it is used for something else, or until a tensor is written that it may read.
"""
from __future__ import annotations

import math
import re
import weakref
from typing import Any

import numpy as np

from . import _dtypes
from ._array import Recorded
from ._dims import in_sample

_C = _dtypes.C_TYPES
LETTERS = tuple("abcdefgh")  # the library's names of operands
_LENGTH = 32  # as python/src/waiting.h has it


def _literal(value: Any) -> str:
    """A number's C text, which the dtype of the operand rounds once."""
    number = value.item()
    if isinstance(number, int):
        return f"{int(number)}" + ("u" if number > 2**63 - 1 else "l")
    if math.isinf(number):
        return "-INFINITY" if number < 0 else "INFINITY"
    return "NAN" if math.isnan(number) else number.hex()


class Waiting:
    """How a tensor is computed: a function's overload, and operands."""

    def __init__(self, graph: Any, how: tuple[Any, ...], weight: int,
                 operands: tuple[Any, ...]) -> None:
        self.graph, self.how, self.operands = graph, how, operands
        self.dtype = _dtypes.DTYPES[how[1]]
        self.length = weight + sum(x._waiting.length for x in _those_that_wait(operands))

    def record(self) -> Any:
        """The tensor that the map gives."""
        chain = _Chain()
        result = chain.add(self)
        words = {"expression": "({\n" + "".join(chain.statements) + result + "; })",
                 "head": "\n".join(chain.heads) or None, "dtype": _dtypes.NAMES[self.how[1]]}
        return self.graph._operate("map", words, tuple(chain.inputs), None, None)


class _Chain:
    def __init__(self) -> None:
        self.statements: list[str] = []
        self.heads: dict[str, None] = {}
        self.inputs: list[Any] = []
        self.names: dict[int, str] = {}

    def _term(self, x: Any) -> str:
        if _is_number(x):
            return _literal(x)
        waiting = isinstance(x, Recorded) and x._waiting  # type: ignore[attr-defined]
        if waiting:
            return self.add(waiting)
        place = next((k for k, other in enumerate(self.inputs) if other is x), len(self.inputs))
        if place == len(self.inputs):
            self.inputs.append(x)
        return LETTERS[place]

    def add(self, waiting: Waiting) -> str:
        """The name of what it gives, after the statements that it takes."""
        if id(waiting) in self.names:
            return self.names[id(waiting)]
        codes, out, text, head = waiting.how
        terms = [f"(({_C[code]}){self._term(x)})" for code, x in zip(codes, waiting.operands)]
        if head:
            self.heads[head] = None
        name = f"t{len(self.statements)}"
        value = re.sub(r"\$(\d)", lambda m: terms[int(m[1])], text)
        self.statements.append(f"const {_C[out]} {name} = ({_C[out]})({value});\n")
        self.names[id(waiting)] = name
        return name


def _is_number(x: Any) -> bool:
    return isinstance(x, (np.ndarray, np.generic)) and not x.ndim and \
        _dtypes.code_or_none(x.dtype) not in (None, _dtypes.BF16)


def wait(graph: Any, how: tuple[Any, ...], weight: int, operands: tuple[Any, ...]) -> Any:
    """A tensor of the graph, which is recorded when it is needed."""
    from ._symbol import Symbol
    for x in operands:
        if isinstance(x, Recorded) and x._graph is not graph:  # type: ignore[attr-defined]
            graph._plain(x)  # it says so
    graph._check_open()
    while True:
        waiting = Waiting(graph, how, weight, operands)
        if waiting.length <= _LENGTH and len(_inputs(waiting)) <= len(LETTERS):
            break
        longest = _longest(operands)
        if longest is None:
            break
        arrive(longest)
    shapes = [x.shape for x in operands]
    if graph._is_symbolic:
        shape, = graph._table.ask(lambda sample: [np.broadcast_shapes(
            *(in_sample(s, sample) for s in shapes))])
    else:
        from ._shaping import broadcast_shapes
        shape = broadcast_shapes(*shapes)
    made = Symbol._waits(graph, shape, waiting)
    graph._waiting.append(weakref.ref(made))
    return made


def _those_that_wait(operands: tuple[Any, ...]) -> list[Any]:
    return [x for x in operands if isinstance(x, Recorded) and x._waiting]  # type: ignore


def _longest(operands: tuple[Any, ...]) -> Any:
    """The operand that waits and is longest, or None."""
    return max(_those_that_wait(operands), key=lambda x: x._waiting.length, default=None)


def _inputs(waiting: Waiting) -> dict[int, Any]:
    """What the map would read now, by identity."""
    found: dict[int, Any] = {}
    for x in waiting.operands:
        if isinstance(x, Recorded) and x._waiting:  # type: ignore[attr-defined]
            found.update(_inputs(x._waiting))
        elif not _is_number(x):
            found[id(x)] = x
    return found


def arrive(symbol: Any) -> None:
    """Record what the tensor is computed by."""
    while len(_inputs(symbol._waiting)) > len(LETTERS):  # operands have arrived since
        arrive(_longest(symbol._waiting.operands))
    waiting, symbol._waiting = symbol._waiting, None
    try:
        made = waiting.record()
    except BaseException:
        symbol._waiting = waiting
        raise
    symbol._index, symbol._array = made._index, made._array
    symbol._graph._later(lambda again: again.keep(symbol, again(made)))


def arrive_all(graph: Any) -> None:
    """Before a tensor of the graph is written."""
    references, graph._waiting = graph._waiting, []
    for reference in references:
        symbol = reference()
        if symbol is not None and symbol._waiting:
            arrive(symbol)
