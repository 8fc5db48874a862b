"""Symbol: a tensor of a graph while it is recorded. Views share its memory; the rest records."""
from __future__ import annotations

from typing import Any, Callable, Iterator, NoReturn

from . import _dtypes, _indexing
from ._array import Array, Recorded
from ._dims import check_index, index_at
from ._views import ints, reshaped

_TWO = {"add": "a + b", "sub": "a - b", "mul": "a * b", "truediv": "a / b",
        "floordiv": "floor(a / b)", "mod": "fmod(a, b)", "pow": "pow(a, b)", "and": "a & b",
        "or": "a | b", "xor": "a ^ b", "lshift": "a << b", "rshift": "a >> b"}
_COMPARISONS = {"eq": "a == b", "ne": "a != b", "lt": "a < b", "le": "a <= b", "gt": "a > b",
                "ge": "a >= b"}
_ONE = {"neg": "-a", "invert": "~a", "abs": "fabs(a)"}


def _no_values(self: Any, *args: Any, **words: Any) -> NoReturn:
    raise TypeError("a tensor of a graph has no values; they are there when the graph has run")


def _operator(call: str) -> Callable[..., NoReturn]:
    def refuse(self: Any, *args: Any) -> NoReturn:
        raise TypeError(f"a tensor of a graph has no operators; need lanewise.{call}")
    return refuse


class Symbol(Recorded):
    """A tensor of a graph: an input, a temporary, or what an operation gives. Made by Graph.

    It has dtype and shape, and indices, slices, reshape and transpose are views, as an Array's.
    Assigning to a view records a copy. To ask for its values is TypeError, and so are operators.

    >>> with lw.Graph(inputs={"x": lw.TensorType("f32", ("n", 6))}) as g:
    ...     print(g.x[:, :3], g.x[-1, ::2].shape, len(g.x.T))
    <lanewise.Symbol float32 (n, 3)> (3,) 6
    """

    __slots__ = ("_graph", "_index", "_shape")
    __array_ufunc__ = None
    __hash__ = object.__hash__

    def __init__(self, graph: Any, index: int, array: Array,
                 shape: tuple[Any, ...] | None = None) -> None:
        self._graph, self._index, self._array = graph, index, array
        self._shape = array.shape if shape is None else shape

    __array__ = __bool__ = __int__ = __float__ = __index__ = __contains__ = _no_values
    item = numpy = _no_values

    @property
    def dtype(self) -> Any:
        """NumPy's dtype."""
        return self._array.dtype

    @property
    def shape(self) -> tuple[Any, ...]:
        """The extents; one that is not known yet is a Dim."""
        return self._shape

    @property
    def ndim(self) -> int:
        """The number of axes, 0 to 4."""
        return self._array.ndim

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
        self._graph._assign(self[key], value)

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
        return f"<lanewise.Symbol {_dtypes.TITLES[self._array._code]} {self.shape}>"


for _name, _expression in _TWO.items():
    setattr(Symbol, f"__{_name}__", _operator(f'map("{_expression}", x, y)'))
    setattr(Symbol, f"__r{_name}__", _operator(f'map("{_expression}", y, x)'))
for _name, _expression in _COMPARISONS.items():
    _same = ", or `is` for the same tensor" if _name in ("eq", "ne") else ""
    setattr(Symbol, f"__{_name}__", _operator(f'map("{_expression}", x, y){_same}'))
for _name, _expression in _ONE.items():
    setattr(Symbol, f"__{_name}__", _operator(f'map("{_expression}", x)'))
setattr(Symbol, "__matmul__", _operator("matmul(x, y)"))
setattr(Symbol, "__rmatmul__", _operator("matmul(y, x)"))
