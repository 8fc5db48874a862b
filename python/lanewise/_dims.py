"""Sizes that are not known while a graph is recorded.

A Dim carries what it would be in a few samples, in each of which every named size is another
prime. So the library's own inference, which knows numbers alone, is asked once a sample, and what
it gives is a number in all samples, a Dim that is known, or a new one.
"""
from __future__ import annotations

import re
from typing import Any, Callable, NoReturn, Sequence

from ._errors import ArgumentError, Error
from ._views import index_parts, slice_axis

SAMPLES = 3
_FIRST, _LAST = 5003, 9973


def _primes() -> list[int]:
    found = []
    for n in range(_FIRST, _LAST + 1, 2):
        if all(n % k for k in range(3, int(n ** 0.5) + 1, 2)):
            found.append(n)
    return found


def _no_arithmetic(self: Any, *args: Any) -> NoReturn:
    raise ArgumentError(f"the size {self} is not known before the graph runs: it can be compared "
                        "and be a size of a shape, and nothing can be computed with it")


class Dim:
    """An unknown size of a graph's tensors: "n" in the inputs, or what an operation makes of it.

    It can be compared for equality and stand in a shape. Anything else is ArgumentError.

    >>> with lw.Graph(inputs={"x": lw.TensorType("f32", ("n", 3))}) as g:
    ...     g.output(lw.sum(g.x, axis=1))
    >>> g.x.shape, g.x.shape[0] == 3
    ((n, 3), False)
    """

    __slots__ = ("_text", "_values")

    def __init__(self, text: str, values: tuple[int, ...]) -> None:
        self._text, self._values = text, values

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and \
            (self._text, self._values) == (other._text, other._values)

    def __hash__(self) -> int:
        return hash(self._values)

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _no_arithmetic
    __neg__ = __abs__ = _no_arithmetic
    __floordiv__ = __rfloordiv__ = __truediv__ = __rtruediv__ = __mod__ = __rmod__ = _no_arithmetic
    __pow__ = __rpow__ = __divmod__ = __lt__ = __le__ = __gt__ = __ge__ = _no_arithmetic
    __int__ = __float__ = __index__ = __bool__ = _no_arithmetic


Size = int | Dim


class Table:
    """The named sizes of one graph."""

    def __init__(self) -> None:
        self.named: dict[str, Dim] = {}

    def named_size(self, text: str) -> Dim:
        if not text.isidentifier():
            raise ArgumentError(f"the size is '{text}'; need a number, or a name of letters, "
                                "digits and _")
        if text not in self.named:
            begin, primes = SAMPLES * len(self.named), _primes()
            if begin + SAMPLES > len(primes):
                raise ArgumentError(f"a graph has at most {len(primes) // SAMPLES} named sizes")
            self.named[text] = Dim(text, tuple(primes[begin:begin + SAMPLES]))
        return self.named[text]

    def of_values(self, values: tuple[int, ...]) -> Size:
        """The size that has these values in the samples."""
        if len(set(values)) == 1:
            return values[0]
        text = next((d._text for d in self.named.values() if d._values == values), None)
        return Dim(self._derived(values) if text is None else text, values)

    def _derived(self, values: tuple[int, ...]) -> str:
        for a in self.named.values():
            pairs = list(zip(values, a._values))
            if len({v - n for v, n in pairs}) == 1:
                return f"{a}{values[0] - a._values[0]:+d}"
            if len({v / n for v, n in pairs}) == 1 and values[0] % a._values[0] == 0:
                return f"{values[0] // a._values[0]}*{a}"
            for b in self.named.values():
                if len({v / (n * m) for (v, n), m in zip(pairs, b._values)}) == 1:
                    times = values[0] // (a._values[0] * b._values[0])
                    return f"{a}*{b}" if times == 1 else f"{times}*{a}*{b}"
        return "?"

    def ask(self, question: Callable[[int], list[tuple[int, ...]]]) -> list[tuple[Size, ...]]:
        """Shapes from their extents in each sample. Errors name sizes, and not their samples."""
        answers = []
        for sample in range(SAMPLES):
            try:
                answers.append(question(sample))
            except Error as error:
                raise type(error)(self._translate(str(error), sample)) from None
        if len({tuple(len(shape) for shape in answer) for answer in answers}) != 1:
            raise ArgumentError("the rank of the result depends on sizes that are not known")
        return [tuple(self.of_values(values) for values in zip(*shapes))
                for shapes in zip(*answers)]

    def _translate(self, text: str, sample: int) -> str:
        def name(found: re.Match[str]) -> str:
            number = int(found[0])
            for size in self.named.values():
                times, rest = divmod(number, size._values[sample])
                if times and not rest:
                    return str(size) if times == 1 else f"{times}*{size}"
            return found[0]
        return re.sub(r"[0-9]+", name, text)


def in_sample(shape: Sequence[Any], sample: int) -> tuple[int, ...]:
    """The extents of a shape in a sample."""
    return tuple(e._values[sample] if isinstance(e, Dim) else e for e in shape)


def is_symbolic(shape: Sequence[Any]) -> bool:
    """True if an extent is not known."""
    return any(isinstance(e, Dim) for e in shape)


def index_at(key: Any, size: Callable[[Any], int]) -> Any:
    """An index with the sizes among the bounds of its slices as numbers."""
    if isinstance(key, tuple):
        return tuple(index_at(part, size) for part in key)
    if not isinstance(key, slice):
        return key
    return slice(*(size(bound) for bound in (key.start, key.stop, key.step)))


def _is_within(bound: Dim, extent: Size) -> bool:
    """True if the bound is at most the extent, whatever the sizes are."""
    pairs = [(in_sample((extent,), k)[0], n) for k, n in enumerate(bound._values)]
    return len({e - n for e, n in pairs}) == 1 and pairs[0][0] >= pairs[0][1] or \
        len({e / n for e, n in pairs}) == 1 and pairs[0][0] % pairs[0][1] == 0


def _check_slice(part: slice, extent: Size) -> None:
    """Refuse a slice whose number of elements depends on the size in an unknown way."""
    text = ":".join("" if b is None else str(b) for b in (part.start, part.stop, part.step)[
        :2 if part.step is None else 3])
    dims = [b for b in (part.start, part.stop) if isinstance(b, Dim)]
    for bound in dims:
        if not _is_within(bound, extent):
            raise ArgumentError(f"[{text}] of an axis of {extent}: {bound} may be larger than that")
    if not isinstance(extent, Dim):
        return
    samples = [index_at(part, lambda b, k=k: in_sample((b,), k)[0]) for k in range(SAMPLES)]
    counts = [slice_axis(s, n)[2] or 0 for s, n in zip(samples, extent._values)]
    if min(counts) == 0 or len(set(counts)) == 1:
        raise ArgumentError(f"[{text}] of an axis of {extent}: how many elements that are depends "
                            f"on {extent}; need an index, lanewise.take, or a slice from a fixed "
                            "begin to a fixed distance from the end")


def check_index(key: Any, shape: Sequence[Size]) -> None:
    """Raises ArgumentError for an index whose result is not known for all sizes."""
    axis = 0
    for part in index_parts(key, shape):
        if part is None:
            continue
        extent = shape[axis]
        axis += 1
        bounds = [part] if not isinstance(part, slice) else [part.start, part.stop]
        if isinstance(extent, Dim) and any(isinstance(b, int) and abs(b) >= _FIRST
                                           for b in bounds):
            raise ArgumentError(f"an index of an axis of {extent} is beyond {_FIRST - 1}")
        if isinstance(part, slice):
            _check_slice(part, extent)

