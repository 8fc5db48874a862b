"""Symbol: a tensor of a graph while it is recorded. Views share its memory; the rest records."""
from __future__ import annotations

from typing import Any, Callable, Iterator, NoReturn

from . import _dtypes, _indexing
from ._array import Array, Recorded
from ._dims import check_index, index_at
from ._elementwise import COMPARISONS, OPERATORS, operate as _operator
from ._views import ints, reshaped
from ._waiting import arrive


def _no_values(self: Any, *args: Any, **words: Any) -> NoReturn:
    raise TypeError("a tensor of a graph has no values; they are there when the graph has run")


class Symbol(Recorded):
    """A tensor of a graph: an input, a temporary, or what an operation gives. Made by Graph.

    It has dtype and shape, and indices, slices, reshape and transpose are views, as an Array's.
    Assigning to a view records a copy, an operator a map. To ask for its values is TypeError.

    >>> with lw.Graph(inputs={"x": lw.TensorType("f32", ("n", 6))}) as g:
    ...     print(g.x[:, :3], g.x[-1, ::2].shape, len(g.x.T))
    <lanewise.Symbol float32 (n, 3)> (3,) 6
    """

    __slots__ = ("_graph", "_index", "_shape", "_waiting", "__weakref__")
    _index: int
    __array_ufunc__ = None
    __hash__ = object.__hash__

    def __init__(self, graph: Any, index: int, array: Array,
                 shape: tuple[Any, ...] | None = None) -> None:
        self._graph, self._index, self._array = graph, index, array
        self._shape = array.shape if shape is None else shape
        self._waiting: Any = None

    @classmethod
    def _waits(cls, graph: Any, shape: tuple[Any, ...], waiting: Any) -> "Symbol":
        """One without memory, until somebody asks for it."""
        made = cls.__new__(cls)
        made._graph, made._shape, made._waiting = graph, shape, waiting
        return made

    def __getattr__(self, name: str) -> Any:
        if name in ("_array", "_index") and self._waiting is not None:
            arrive(self)
            return getattr(self, name)
        raise AttributeError(f"a tensor of a graph has no attribute '{name}'")

    __array__ = __bool__ = __int__ = __float__ = __index__ = __contains__ = _no_values
    item = numpy = _no_values

    @property
    def dtype(self) -> Any:
        """NumPy's dtype."""
        return self._array.dtype if self._waiting is None else self._waiting.dtype

    @property
    def shape(self) -> tuple[Any, ...]:
        """The extents; one that is not known yet is a Dim."""
        return self._shape

    @property
    def ndim(self) -> int:
        """The number of axes, 0 to 4."""
        return len(self._shape)

    @property
    def size(self) -> Any:
        """The number of elements; a Dim if it is not known yet."""
        return self._graph._size_of(self._shape)

    @property
    def T(self) -> "Symbol":
        """The axes reversed, as a view."""
        return self.transpose()

    def _view(self, view: Callable[..., Any]) -> "Symbol":
        """view(x, size) of the tensor, where size(extent) is an extent as a number."""
        if self._graph._is_symbolic:
            made: Symbol = self._graph._record_view(self, view)
            return made
        return Symbol(self._graph, self._index, view(self._array, lambda extent: extent))

    def reshape(self, *shape: int) -> "Symbol":
        """The elements in C order under another shape; a copy is recorded if it is no view."""
        if self._graph._is_symbolic:
            return self._graph._record_reshape(self, shape)
        extents = reshaped(self.shape, ints(shape))
        whole = self if self._array._reshaped_view(extents) is not None else self.copy()
        return whole._view(lambda x, size: x._reshaped_view(extents))

    def transpose(self, *axes: int) -> "Symbol":
        """The axes in another order, reversed without any; a view."""
        return self._view(lambda x, size: x.transpose(*axes))

    def _broadcast_to(self, shape: tuple[Any, ...]) -> "Symbol":
        return self._view(lambda x, size: x._broadcast_to(tuple(map(size, shape))))

    def copy(self) -> "Symbol":
        """A C-contiguous copy, which is recorded."""
        return self._graph._operate("copy", {}, (self,), None, None)

    def astype(self, dtype: Any) -> "Symbol":
        """A copy with another dtype, each element rounded once, which is recorded."""
        name = _dtypes.dtype_name(dtype)
        return self._graph._operate("copy", {"dtype": name}, (self,), None, None)

    def __getitem__(self, key: Any) -> "Symbol":
        if not _indexing.is_plain(key):
            found: Symbol = _indexing.get(self, key)
            return found
        if self._graph._is_symbolic:
            check_index(key, self._shape)
        return self._view(lambda x, size: x[index_at(key, size)])

    def __setitem__(self, key: Any, value: Any) -> None:
        if not _indexing.is_plain(key):
            _indexing.put(self, key, value)
            return
        self._graph._assign(self[key], value)

    def __matmul__(self, other: Any) -> Any:
        from ._operations import matmul
        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        from ._operations import matmul
        return matmul(other, self)

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of a tensor of rank 0")
        length: int = self.shape[0].__index__()
        return length

    def __iter__(self) -> Iterator["Symbol"]:
        return (self[k] for k in range(len(self)))

    def __copy__(self) -> "Symbol":
        return self.copy()

    def __deepcopy__(self, memo: Any) -> "Symbol":
        return self.copy()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a tensor of a graph cannot be pickled: it is a part of the recording")

    def __repr__(self) -> str:
        return f"<lanewise.Symbol {_dtypes.TITLES[_dtypes.dtype_code(self.dtype)]} {self.shape}>"



def _swapped(function: Any) -> Callable[[Any, Any], Any]:
    return lambda self, other: _operator(function, (other, self))


def _straight(function: Any) -> Callable[..., Any]:
    return lambda self, *other: _operator(function, (self, *other))


def _in_place(function: Any) -> Callable[[Any, Any], Any]:
    return lambda self, other: function.other(self, other, out=self)


for _name, _function in OPERATORS.items():
    setattr(Symbol, f"__{_name}__", _straight(_function))
    if _function.other.arity == 2 and _function.__name__ not in COMPARISONS:
        setattr(Symbol, f"__r{_name}__", _swapped(_function))
        setattr(Symbol, f"__i{_name}__", _in_place(_function))
