"""The ready-made operations, under NumPy's names where NumPy has them.

The arguments go to the operation of that name in the library, which checks them.
"""
from __future__ import annotations

import builtins
import math
from typing import Any, Literal, Sequence

import numpy as np

from . import _core, _dtypes
from ._array import Recorded, asarray
from ._core import Stream
from ._errors import ArgumentError, UnsupportedError
from ._probe import expression_dtype

ArrayLike = Any
DtypeLike = Any
SumOrder = Literal["fixed", "exact", "free"]


def _value(name: str, value: Any) -> str:
    """A parameter in JSON."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if hasattr(value, "__index__"):
        return str(value.__index__())
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return "1e999" if number == math.inf else "-1e999" if number == -math.inf else repr(number)
    raise ArgumentError(f"parameter '{name}' is {value!r}; need a number, a bool or a text")


def _json(parameters: dict[str, Any]) -> str:
    return "{" + ", ".join(f'"{k}": {_value(k, v)}' for k, v in parameters.items()
                           if v is not None) + "}"


def _run(name: str, parameters: dict[str, Any], inputs: tuple[Any, ...], out: Any,
         stream: Stream | None) -> Any:
    try:
        return _core.operate(name, _json(parameters), inputs, out, stream)
    except ArgumentError:
        if name in _core.operations():
            raise
    raise UnsupportedError(f"{name} is not built yet")


def run_named(name: str, parameters: dict[str, Any], inputs: tuple[Any, ...]) -> Any:
    """An operation of the library with the parameters as they are."""
    if "dtype" in parameters:
        parameters["dtype"] = _named(parameters["dtype"])
    return _run(name, parameters, inputs, None, None)


def _named(dtype: DtypeLike) -> str | None:
    return None if dtype is None else _dtypes.dtype_name(dtype)


def dot(x: ArrayLike, y: ArrayLike, *, dtype: DtypeLike = None, out: ArrayLike | None = None,
        sum: SumOrder = "fixed", stream: Stream | None = None) -> Any:
    """The sum of x[i] * y[i] of two arrays of rank 1 and one length.

    Raises ArgumentError for other shapes (use matmul).

    >>> lw.dot(np.arange(8.0), np.arange(8.0))
    np.float64(140.0)
    """
    if dtype is None and sum == "fixed":
        return _core.operate("dot", "{}", (x, y), out, stream)
    return _run("dot", {"dtype": _named(dtype), "sum": sum}, (x, y), out, stream)


def sum(x: ArrayLike, *, axis: int | None = None, keepdims: bool = False, dtype: DtypeLike = None,
        out: ArrayLike | None = None, sum: SumOrder = "fixed", stream: Stream | None = None) -> Any:
    """The sum over an axis, or all; of integers in int64. sum="exact" rounds the exact sum once.

    >>> lw.sum(np.ones((2, 3), 'f4'), axis=1)
    array([3., 3.], dtype=float32)
    """
    return _run("sum", {"axis": axis, "keepdims": keepdims, "dtype": _named(dtype), "sum": sum},
                (x,), out, stream)


def mean(x: ArrayLike, *, axis: int | None = None, keepdims: bool = False,
         dtype: DtypeLike = None, out: ArrayLike | None = None, sum: SumOrder = "fixed",
         stream: Stream | None = None) -> Any:
    """The sum divided by the number, over an axis, or all; of integers in float64.

    >>> lw.mean(np.arange(4))
    np.float64(1.5)
    """
    return _run("mean", {"axis": axis, "keepdims": keepdims, "dtype": _named(dtype), "sum": sum},
                (x,), out, stream)


def prod(x: ArrayLike, *, axis: int | None = None, keepdims: bool = False,
         dtype: DtypeLike = None, out: ArrayLike | None = None,
         stream: Stream | None = None) -> Any:
    """The product over an axis, or all; of integers in int64.

    >>> lw.prod(np.array([2, 3, 4]))
    np.int64(24)
    """
    return _run("prod", {"axis": axis, "keepdims": keepdims, "dtype": _named(dtype)}, (x,), out,
                stream)


def max(x: ArrayLike, *, axis: int | None = None, keepdims: bool = False,
        out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """The largest, over an axis, or all; a NaN wins. ArgumentError if there is none.

    >>> lw.max(np.array([2, 9, 4]))
    np.int64(9)
    """
    return _run("max", {"axis": axis, "keepdims": keepdims}, (x,), out, stream)


def min(x: ArrayLike, *, axis: int | None = None, keepdims: bool = False,
        out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """The smallest, over an axis, or all; a NaN wins. ArgumentError if there is none.

    >>> lw.min(np.array([2, 9, 4]))
    np.int64(2)
    """
    return _run("min", {"axis": axis, "keepdims": keepdims}, (x,), out, stream)


def any(x: ArrayLike, *, axis: int | None = None, keepdims: bool = False,
        out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """True if one is not 0.

    >>> lw.any(np.array([[0, 1], [0, 0]]), axis=1)
    array([ True, False])
    """
    return _run("any", {"axis": axis, "keepdims": keepdims}, (x,), out, stream)


def all(x: ArrayLike, *, axis: int | None = None, keepdims: bool = False,
        out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """True if none is 0.

    >>> lw.all(np.array([1.0, 2.0]))
    np.True_
    """
    return _run("all", {"axis": axis, "keepdims": keepdims}, (x,), out, stream)


def argmax(x: ArrayLike, *, axis: int | None = None, keepdims: bool = False,
           out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """Where the largest is, as int64: the first of equals, or the first NaN.

    >>> lw.argmax(np.array([3, 7, 7]))
    np.int64(1)
    """
    return _run("argmax", {"axis": axis, "keepdims": keepdims}, (x,), out, stream)


def argmin(x: ArrayLike, *, axis: int | None = None, keepdims: bool = False,
           out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """Where the smallest is, as int64: the first of equals, or the first NaN.

    >>> lw.argmin(np.array([3, 1, 1]))
    np.int64(1)
    """
    return _run("argmin", {"axis": axis, "keepdims": keepdims}, (x,), out, stream)


def map(expression: str, *inputs: ArrayLike, dtype: DtypeLike = None,
        out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """A C expression of a, b, c, d at each place, which broadcast; i is the place, n their number.

    The result has the expression's C type, and bool where that is a truth value as of a comparison,
    unless dtype or out says otherwise. Python's numbers take the arrays' dtype, as in NumPy 2.
    Raises CompileError, and OverflowError for an int that does not fit.

    >>> lw.map('a * b + 1', np.arange(3.0), 2.0)
    array([1., 3., 5.])
    """
    if dtype is None and out is None and len(inputs) <= 4:
        dtype = expression_dtype(expression, inputs)
    return _run("map", {"expression": expression, "dtype": _named(dtype)}, inputs, out, stream)


def map_reduce(map: str, combine: str, *inputs: ArrayLike, initial: float = 0,
               axis: int | None = None, keepdims: bool = False, dtype: DtypeLike = None,
               out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """A C expression of a, b, c, d at each place, then an associative one of x and y over all.

    >>> lw.map_reduce('a * a', 'x + y', np.array([3.0, 4.0]))
    np.float64(25.0)
    """
    parameters = {"map": map, "combine": combine, "identity": float(initial), "axis": axis,
                  "keepdims": keepdims, "dtype": _named(dtype)}
    return _run("map_reduce", parameters, inputs, out, stream)


def scan(x: ArrayLike, *, op: Literal["add", "mul", "max", "min"] = "add", axis: int = -1,
         exclusive: bool = False, dtype: DtypeLike = None, out: ArrayLike | None = None,
         stream: Stream | None = None) -> Any:
    """Running sums (products, maxima, minima) along an axis; an exclusive one begins with 0 (1).

    >>> lw.scan(np.array([1, 2, 3]))
    array([1, 3, 6])
    """
    parameters = {"op": op, "axis": axis, "exclusive": exclusive, "dtype": _named(dtype)}
    return _run("scan", parameters, (x,), out, stream)


def difference(x: ArrayLike, *, axis: int = -1, edge: Literal["valid", "zero"] = "valid",
               out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """x[i+1] - x[i] along an axis; edge="zero" adds a last 0.

    >>> lw.difference(np.array([1, 4, 9]))
    array([3, 5])
    """
    return _run("difference", {"axis": axis, "edge": edge}, (x,), out, stream)


def moving_average(x: ArrayLike, window: int = 3, *, axis: int = -1,
                   edge: Literal["valid", "shrink"] = "valid", centre: bool = False,
                   out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """Means of a window; edge="shrink" has fewer points at the ends, and as many results as x.

    >>> lw.moving_average(np.array([1.0, 2.0, 6.0, 4.0]))
    array([3., 4.])
    """
    parameters = {"window": window, "axis": axis, "edge": edge, "centre": centre}
    return _run("moving_average", parameters, (x,), out, stream)


def mean_normalize(x: ArrayLike, *, axis: int = -1, out: ArrayLike | None = None,
                   stream: Stream | None = None) -> Any:
    """x divided by its mean along an axis. Floats only.

    >>> lw.mean_normalize(np.array([1.0, 3.0]))
    array([0.5, 1.5])
    """
    return _run("mean_normalize", {"axis": axis}, (x,), out, stream)


def layer_norm(x: ArrayLike, *, weight: ArrayLike | None = None, bias: ArrayLike | None = None,
               eps: float = 1e-5, axis: int = -1, out: ArrayLike | None = None,
               stream: Stream | None = None) -> Any:
    """(x - mean) / sqrt(variance + eps) * weight + bias along an axis. Floats only.

    >>> lw.layer_norm(np.array([1.0, 3.0]), eps=1e-12).round(6)
    array([-1.,  1.])
    """
    if weight is None and bias is not None:
        weight = _ones_like(bias)
    inputs = tuple(i for i in (x, weight, bias) if i is not None)
    return _run("layer_norm", {"eps": eps, "axis": axis}, inputs, out, stream)


def _ones_like(x: ArrayLike) -> Any:
    given = x if isinstance(x, Recorded) else asarray(x)
    return map("1", given, dtype=given.dtype)


def rms_norm(x: ArrayLike, *, weight: ArrayLike | None = None, eps: float = 1e-5, axis: int = -1,
             out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """x / sqrt(mean of x^2 + eps) * weight along an axis. Floats only.

    >>> lw.rms_norm(np.array([3.0, 3.0]), eps=1e-12).round(6)
    array([1., 1.])
    """
    inputs = (x,) if weight is None else (x, weight)
    return _run("rms_norm", {"eps": eps, "axis": axis}, inputs, out, stream)


def softmax(x: ArrayLike, *, axis: int = -1, out: ArrayLike | None = None,
            stream: Stream | None = None) -> Any:
    """exp(x - max) / sum of them along an axis. Floats only.

    >>> lw.softmax(np.zeros(4, 'f4'))
    array([0.25, 0.25, 0.25, 0.25], dtype=float32)
    """
    return _run("softmax", {"axis": axis}, (x,), out, stream)


def log_softmax(x: ArrayLike, *, axis: int = -1, out: ArrayLike | None = None,
                stream: Stream | None = None) -> Any:
    """The logarithm of softmax. Floats only.

    >>> lw.log_softmax(np.zeros(1))
    array([0.])
    """
    return _run("log_softmax", {"axis": axis}, (x,), out, stream)


def transpose(x: ArrayLike, axes: Sequence[int] | None = None, *, out: ArrayLike | None = None,
              stream: Stream | None = None) -> Any:
    """The axes in another order, reversed without axes: a C-contiguous copy (x.T is a view).

    >>> lw.transpose(np.array([[1, 2], [3, 4]]))
    array([[1, 3],
           [2, 4]])
    """
    order = None if axes is None else ",".join(str(a.__index__()) for a in axes)
    if order == "":
        return _run("copy", {}, (x,), out, stream)
    return _run("permute", {"axes": order}, (x,), out, stream)


def matmul(x: ArrayLike, y: ArrayLike, *, bias: ArrayLike | None = None, dtype: DtypeLike = None,
           out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """The matrix product, as NumPy's; bias is added.

    >>> lw.matmul(np.eye(2), np.array([5.0, 6.0]))
    array([5., 6.])
    """
    inputs = (x, y) if bias is None else (x, y, bias)
    return _run("matmul", {"dtype": _named(dtype)}, inputs, out, stream)


def attention(q: ArrayLike, k: ArrayLike, v: ArrayLike, *, scale: float = 1.0,
              causal: bool = False, window: int | None = None, return_weights: bool = False,
              out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """softmax(scale * q k^T) v; q of rank 1 with k, v of rank 2, or all of rank 2 or 4.

    return_weights=True gives the result and softmax(scale * q k^T).

    >>> lw.attention(np.zeros(2), np.ones((3, 2)), np.array([[0.0], [3.0], [6.0]]))
    array([3.])
    """
    scale = float(scale) or 5e-324  # the library takes 0 for its default
    parameters = {"scale": scale, "causal": causal, "window": window}
    if return_weights:
        return _core.attention("attention", _json(parameters), (q, k, v), out, stream,
                               scale, causal, 0 if window is None else window)
    return _run("attention", parameters, (q, k, v), out, stream)


def conv1d(x: ArrayLike, filter: ArrayLike, *, pad: int = 0, stride: int = 1,
           out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """Correlation of (w) or (n, c, w) with filters (k) or (o, c, k); x is 0 in the padding.

    >>> lw.conv1d(np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0]))
    array([3., 6.])
    """
    return _run("conv1d", {"pad": _pair(pad), "stride": _pair(stride)}, (x, filter), out, stream)


def _pair(value: int | tuple[int, int]) -> str:
    numbers = value if isinstance(value, (tuple, list)) else (value,)
    return ",".join(str(n.__index__()) for n in numbers)


def conv2d(x: ArrayLike, filter: ArrayLike, *, pad: int | tuple[int, int] = 0,
           stride: int | tuple[int, int] = 1, out: ArrayLike | None = None,
           stream: Stream | None = None) -> Any:
    """Correlation of (h, w) or (n, c, h, w) with filters (kh, kw) or (o, c, kh, kw).

    x is 0 in the padding; pad and stride are of both axes, or (rows, columns).

    >>> lw.conv2d(np.eye(3), np.ones((2, 2)))
    array([[2., 1.],
           [1., 2.]])
    """
    return _run("conv2d", {"pad": _pair(pad), "stride": _pair(stride)}, (x, filter), out, stream)


def take(x: ArrayLike, indices: ArrayLike, *, axis: int = 0, out: ArrayLike | None = None,
         stream: Stream | None = None) -> Any:
    """Slices of x along an axis by index; negative ones count from the end.

    The result has the shape of the indices in the place of the axis. An index that is out of range
    is LaunchError.

    >>> lw.take(np.array([10, 20, 30]), [2, 0, -1])
    array([30, 10, 30])
    """
    return _run("take", {"axis": axis}, (x, indices), out, stream)


def histogram(x: ArrayLike, bins: int, *, low: float | None = None, high: float | None = None,
              stream: Stream | None = None) -> Any:
    """Counts (int64) of equal bins in [low, high], without them in the range of the data.

    The last bin has its upper edge, too; what is outside is not counted. Data whose range is not
    finite is LaunchError.

    >>> lw.histogram(np.array([0, 1, 1, 4]), 2)
    array([3, 1])
    """
    if (low is None) != (high is None):
        raise ArgumentError(f"histogram: low is {low} and high {high}; need both or neither")
    limits = {} if low is None or high is None else {"low": float(low), "high": float(high)}
    return _run("histogram", {"bins": bins, **limits}, (x,), None, stream)


def compact(x: ArrayLike, mask: ArrayLike, *, stream: Stream | None = None) -> Any:
    """The elements whose mask is set, their order kept, of two arrays of rank 1 and one length.

    Their number is that of the result, so that the call waits for it, also with a stream. In a
    graph it is two tensors: the elements, with zeros behind them up to x's length, and their
    number (int64).

    >>> lw.compact(np.array([3, 1, 2]), np.array([True, False, True]))
    array([3, 2])
    """
    padded, count = _run("compact", {}, (x, mask), None, stream)
    if isinstance(padded, Recorded):
        return padded, count
    if stream is not None:
        stream.wait()
    return padded[:builtins.int(count)]


def sort(x: ArrayLike, *, axis: int = -1, descending: bool = False,
         stream: Stream | None = None) -> Any:
    """Sorted along an axis, stable, NaNs last; -0 equals 0.

    >>> lw.sort(np.array([3, 1, 2]), descending=True)
    array([3, 2, 1])
    """
    return _run("sort", {"axis": axis, "descending": descending}, (x,), None, stream)


def argsort(x: ArrayLike, *, axis: int = -1, descending: bool = False,
            stream: Stream | None = None) -> Any:
    """The indices (int64) that sort along an axis, stable, NaNs last; -0 equals 0.

    >>> lw.argsort(np.array([3, 1, 2]))
    array([1, 2, 0])
    """
    return _run("argsort", {"axis": axis, "descending": descending}, (x,), None, stream)


def top_k(x: ArrayLike, k: int, *, axis: int = -1, smallest: bool = False,
          stream: Stream | None = None) -> tuple[Any, Any]:
    """The k largest along an axis, in falling order, and their indices (int64).

    Equals come by rising index, and a NaN counts as largest. smallest=True: the k smallest, rising.

    >>> lw.top_k(np.array([3.0, 9.0, 5.0]), 2)
    (array([9., 5.]), array([1, 2]))
    """
    return _run("top_k", {"k": k, "axis": axis, "smallest": smallest}, (x,), None, stream)
