"""The ready-made operations, under NumPy's names where NumPy has them.

The arguments go to the operation of that name in the library, which checks them.
"""
from __future__ import annotations

import builtins
import functools
import inspect
import re
from typing import Any, Literal, Sequence

from . import _axes, _core, _dtypes
from ._array import Recorded
from ._core import Stream
from ._errors import ArgumentError, DtypeError, IndexError, LaunchError
from ._probe import expression_dtype
from ._waiting import LETTERS

ArrayLike = Any
DtypeLike = Any
Axes = int | tuple[int, ...] | None
SumOrder = Literal["fixed", "exact", "free"]


_run = _core.operate  # (name, parameters, inputs, out, stream): parameters of None are defaults


def _direct(function: Any) -> Any:
    """The function, whose calls go to the library at once where they repeat earlier ones.

    For functions that look at nothing of arrays but their dtypes.
    """
    return functools.update_wrapper(_core.function(function), function)


def _run_told(name: str, parameters: dict[str, Any], inputs: tuple[Any, ...], out: Any,
              stream: Stream | None) -> Any:
    try:
        return _run(name, parameters, inputs, out, stream)
    except LaunchError as error:
        raise error if stream is not None else _told(name, error) from None


def _told(name: str, error: LaunchError) -> Exception:
    """What a kernel refused, as an error of the arguments."""
    found = re.search(r"(index \d+ is -?\d+, the axis has extent (\d+))", str(error))
    if found:
        n = int(found[2])
        return IndexError(f"{name}: {found[1]}; need " + (f"{-n} to {n - 1}" if n else "none"))
    if name == "histogram":
        return ArgumentError("histogram: the range of the data is not finite; need low and high")
    return error


def _by_name(name: str, parameters: dict[str, Any], inputs: tuple[Any, ...]) -> Any:
    """An operation of the library with the parameters as they are; map has its dtype of map()."""
    dtype, expression = parameters.get("dtype"), parameters.get("expression")
    if name == "map" and dtype is None and isinstance(expression, str) and \
            len(inputs) <= len(LETTERS):
        dtype = expression_dtype(expression, inputs)
    parameters["dtype"] = _named(dtype)
    return _run_told(name, parameters, inputs, None, None)


def _named(dtype: DtypeLike, out: ArrayLike | None = None) -> str | None:
    """The library's name of the dtype, which out must have."""
    if dtype is None:
        return None
    code = _dtypes.dtype_code(dtype)
    given = out[0] if isinstance(out, tuple) and out else out
    if hasattr(given, "dtype") and _dtypes.dtype_code(given.dtype) != code:
        raise DtypeError(f"dtype is {_dtypes.TITLES[code]} and out is of {given.dtype}; need the "
                         "same, or one of them alone")
    return _dtypes.NAMES[code]


def _reduced(name: str, x: ArrayLike, words: dict[str, Any], out: ArrayLike | None,
             stream: Stream | None) -> Any:
    """words: axis, keepdims and what else the operation takes."""
    axis = words["axis"]
    if axis is None or type(axis) is int:
        return _run(name, words, (x,), out, stream)
    return _reduced_over(name, x, axis, words, out, stream)


def _reduced_over(name: str, x: ArrayLike, axis: Any, words: dict[str, Any],
                  out: ArrayLike | None, stream: Stream | None) -> Any:
    def run(x: Any, axis: int | None, out: Any, keepdims: bool, dtype: Any = None) -> Any:
        given = dict(words, axis=axis, keepdims=keepdims)
        if dtype is not None and name not in ("any", "all"):
            given["dtype"] = _named(dtype)
        return _run(name, given, (x,), out, stream)
    return _axes.reduced(run, x, axis, words["keepdims"], out, stream)


@_direct
def dot(x: ArrayLike, y: ArrayLike, *, dtype: DtypeLike = None, out: ArrayLike | None = None,
        sum: SumOrder = "fixed", stream: Stream | None = None) -> Any:
    """The sum of x[i] * y[i] of two arrays of rank 1 and one length.

    Raises ArgumentError for other shapes (use matmul).

    >>> lw.dot(np.arange(8.0), np.arange(8.0))
    np.float64(140.0)
    """
    return _run("dot", {"dtype": _named(dtype, out), "sum": sum}, (x, y), out, stream)


@_direct
def sum(x: ArrayLike, *, axis: Axes = None, keepdims: bool = False, dtype: DtypeLike = None,
        out: ArrayLike | None = None, sum: SumOrder = "fixed", stream: Stream | None = None) -> Any:
    """The sum over an axis, several, or all; of integers in int64.

    sum="exact" rounds the exact sum once.

    >>> lw.sum(np.ones((2, 3), 'f4'), axis=1)
    array([3., 3.], dtype=float32)
    """
    words = {"axis": axis, "keepdims": keepdims, "sum": sum, "dtype": _named(dtype, out)}
    return _reduced("sum", x, words, out, stream)


@_direct
def mean(x: ArrayLike, *, axis: Axes = None, keepdims: bool = False,
         dtype: DtypeLike = None, out: ArrayLike | None = None, sum: SumOrder = "fixed",
         stream: Stream | None = None) -> Any:
    """The sum divided by the number, over an axis, several, or all; of integers in float64.

    >>> lw.mean(np.arange(4))
    np.float64(1.5)
    """
    words = {"axis": axis, "keepdims": keepdims, "sum": sum, "dtype": _named(dtype, out)}
    return _reduced("mean", x, words, out, stream)


@_direct
def prod(x: ArrayLike, *, axis: Axes = None, keepdims: bool = False,
         dtype: DtypeLike = None, out: ArrayLike | None = None,
         stream: Stream | None = None) -> Any:
    """The product over an axis, several, or all; of integers in int64.

    >>> lw.prod(np.array([2, 3, 4]))
    np.int64(24)
    """
    words = {"axis": axis, "keepdims": keepdims, "dtype": _named(dtype, out)}
    return _reduced("prod", x, words, out, stream)


@_direct
def max(x: ArrayLike, *, axis: Axes = None, keepdims: bool = False,
        out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """The largest, over an axis, several, or all; a NaN wins. ArgumentError if there is none.

    >>> lw.max(np.array([2, 9, 4]))
    np.int64(9)
    """
    return _reduced("max", x, {"axis": axis, "keepdims": keepdims}, out, stream)


@_direct
def min(x: ArrayLike, *, axis: Axes = None, keepdims: bool = False,
        out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """The smallest, over an axis, several, or all; a NaN wins. ArgumentError if there is none.

    >>> lw.min(np.array([2, 9, 4]))
    np.int64(2)
    """
    return _reduced("min", x, {"axis": axis, "keepdims": keepdims}, out, stream)


@_direct
def any(x: ArrayLike, *, axis: Axes = None, keepdims: bool = False,
        out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """True if one is not 0.

    >>> lw.any(np.array([[0, 1], [0, 0]]), axis=1)
    array([ True, False])
    """
    return _reduced("any", x, {"axis": axis, "keepdims": keepdims}, out, stream)


@_direct
def all(x: ArrayLike, *, axis: Axes = None, keepdims: bool = False,
        out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """True if none is 0.

    >>> lw.all(np.array([1.0, 2.0]))
    np.True_
    """
    return _reduced("all", x, {"axis": axis, "keepdims": keepdims}, out, stream)


@_direct
def argmax(x: ArrayLike, *, axis: int | None = None, keepdims: bool = False,
           out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """Where the largest is, as int64: the first of equals, or the first NaN.

    >>> lw.argmax(np.array([3, 7, 7]))
    np.int64(1)
    """
    over = None if axis is None else _axes.over_one(axis)
    return _run("argmax", {"axis": over, "keepdims": keepdims}, (x,), out, stream)


@_direct
def argmin(x: ArrayLike, *, axis: int | None = None, keepdims: bool = False,
           out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """Where the smallest is, as int64: the first of equals, or the first NaN.

    >>> lw.argmin(np.array([3, 1, 1]))
    np.int64(1)
    """
    over = None if axis is None else _axes.over_one(axis)
    return _run("argmin", {"axis": over, "keepdims": keepdims}, (x,), out, stream)


@_direct
def scan(x: ArrayLike, *, op: Literal["add", "mul", "max", "min"] = "add", axis: int | None = -1,
         exclusive: bool = False, dtype: DtypeLike = None, out: ArrayLike | None = None,
         stream: Stream | None = None) -> Any:
    """Running sums (products, maxima, minima) along an axis; an exclusive one begins with 0 (1).

    >>> lw.scan(np.array([1, 2, 3]))
    array([1, 3, 6])
    """
    words = {"op": op, "exclusive": exclusive, "dtype": _named(dtype, out)}
    return _along("scan", words, x, (), axis, out, stream)


def _on_axis(run: Any, name: str, words: dict[str, Any], more: Sequence[ArrayLike],
             stream: Stream | None, x: ArrayLike, axis: int, out: ArrayLike | None) -> Any:
    return run(name, dict(words, axis=axis), (x, *more), out, stream)


def _along(name: str, words: dict[str, Any], x: ArrayLike, more: tuple[ArrayLike, ...],
           axis: int | None, out: ArrayLike | None, stream: Stream | None) -> Any:
    if type(axis) is int:
        words["axis"] = axis
        return _run_told(name, words, (x, *more), out, stream)
    run = functools.partial(_on_axis, _run_told, name, words, more, stream)
    return _axes.over_all(run, x, axis, out, stream)


@_direct
def difference(x: ArrayLike, *, axis: int = -1, edge: Literal["valid", "zero"] = "valid",
               out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """x[i+1] - x[i] along an axis; edge="zero" adds a last 0.

    >>> lw.difference(np.array([1, 4, 9]))
    array([3, 5])
    """
    return _run("difference", {"axis": _axes.over_one(axis), "edge": edge}, (x,), out, stream)


@_direct
def moving_average(x: ArrayLike, window: int = 3, *, axis: int = -1,
                   edge: Literal["valid", "shrink"] = "valid", centre: bool = False,
                   out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """Means of a window; edge="shrink" has fewer points at the ends, and as many results as x.

    >>> lw.moving_average(np.array([1.0, 2.0, 6.0, 4.0]))
    array([3., 4.])
    """
    parameters = {"window": window, "axis": _axes.over_one(axis), "edge": edge, "centre": centre}
    return _run("moving_average", parameters, (x,), out, stream)


@_direct
def mean_normalize(x: ArrayLike, *, axis: int | None = -1, out: ArrayLike | None = None,
                   stream: Stream | None = None) -> Any:
    """x divided by its mean along an axis. Floats only.

    >>> lw.mean_normalize(np.array([1.0, 3.0]))
    array([0.5, 1.5])
    """
    return _norm("mean_normalize", {}, x, (), axis, out, stream)


@_direct
def layer_norm(x: ArrayLike, *, weight: ArrayLike | None = None, bias: ArrayLike | None = None,
               eps: float = 1e-5, axis: int | None = -1, out: ArrayLike | None = None,
               stream: Stream | None = None) -> Any:
    """(x - mean) / sqrt(variance + eps) * weight + bias along an axis. Floats only.

    >>> lw.layer_norm(np.array([1.0, 3.0]), eps=1e-12).round(6)
    array([-1.,  1.])
    """
    words = {"eps": eps, "weight": weight is not None or bias is None}
    return _norm("layer_norm", words, x, (weight, bias), axis, out, stream)


def _norm(name: str, words: dict[str, Any], x: ArrayLike, more: tuple[ArrayLike | None, ...],
          axis: int | None, out: ArrayLike | None, stream: Stream | None) -> Any:
    if type(axis) is int:
        words["axis"] = axis
        return _run(name, words, (x, *[m for m in more if m is not None]), out, stream)
    given = [m if axis is not None else _axes.row(m, stream) for m in more if m is not None]
    run = functools.partial(_on_axis, _run, name, words, given, stream)
    return _axes.in_place(run, x, axis, out, stream)


@_direct
def rms_norm(x: ArrayLike, *, weight: ArrayLike | None = None, eps: float = 1e-5,
             axis: int | None = -1, out: ArrayLike | None = None,
             stream: Stream | None = None) -> Any:
    """x / sqrt(mean of x^2 + eps) * weight along an axis. Floats only.

    >>> lw.rms_norm(np.array([3.0, 3.0]), eps=1e-12).round(6)
    array([1., 1.])
    """
    return _norm("rms_norm", {"eps": eps}, x, (weight,), axis, out, stream)


@_direct
def softmax(x: ArrayLike, *, axis: int | None = -1, out: ArrayLike | None = None,
            stream: Stream | None = None) -> Any:
    """exp(x - max) / sum of them along an axis. Floats only.

    >>> lw.softmax(np.zeros(4, 'f4'))
    array([0.25, 0.25, 0.25, 0.25], dtype=float32)
    """
    return _norm("softmax", {}, x, (), axis, out, stream)


@_direct
def log_softmax(x: ArrayLike, *, axis: int | None = -1, out: ArrayLike | None = None,
                stream: Stream | None = None) -> Any:
    """The logarithm of softmax. Floats only.

    >>> lw.log_softmax(np.zeros(1))
    array([0.])
    """
    return _norm("log_softmax", {}, x, (), axis, out, stream)


@_direct
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


@_direct
def matmul(x: ArrayLike, y: ArrayLike, *, bias: ArrayLike | None = None, dtype: DtypeLike = None,
           out: ArrayLike | None = None, sum: Literal["fixed", "free"] = "fixed",
           stream: Stream | None = None) -> Any:
    """The matrix product, as NumPy's; bias is added.

    sum="free" allows any order of the terms, whose bits may differ by device and version.

    >>> lw.matmul(np.eye(2), np.array([5.0, 6.0]))
    array([5., 6.])
    """
    inputs = (x, y) if bias is None else (x, y, bias)
    return _run("matmul", {"dtype": _named(dtype, out), "sum": sum}, inputs, out, stream)


@_direct
def attention(q: ArrayLike, k: ArrayLike, v: ArrayLike, *, scale: float = 1.0,
              causal: bool = False, window: int | None = None, return_weights: bool = False,
              out: ArrayLike | None = None, sum: Literal["fixed", "free"] = "fixed",
              stream: Stream | None = None) -> Any:
    """softmax(scale * q k^T) v; q of rank 1 with k, v of rank 2, or all of rank 2 or 4.

    return_weights=True gives the result and softmax(scale * q k^T). sum is matmul's.

    >>> lw.attention(np.zeros(2), np.ones((3, 2)), np.array([[0.0], [3.0], [6.0]]))
    array([3.])
    """
    scale = float(scale) or 5e-324  # the library takes 0 for its default
    parameters = {"scale": scale, "causal": causal, "window": window, "sum": sum}
    name = "attention_weights" if return_weights else "attention"
    return _run(name, parameters, (q, k, v), out, stream)


@_direct
def conv1d(x: ArrayLike, filter: ArrayLike, *, pad: int = 0, stride: int = 1,
           out: ArrayLike | None = None, sum: Literal["fixed", "free"] = "fixed",
           stream: Stream | None = None) -> Any:
    """Correlation of (w) or (n, c, w) with filters (k) or (o, c, k); x is 0 in the padding.

    sum is matmul's.

    >>> lw.conv1d(np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0]))
    array([3., 6.])
    """
    words = {"pad": _pair(pad), "stride": _pair(stride), "sum": sum}
    return _run("conv1d", words, (x, filter), out, stream)


def _pair(value: int | tuple[int, int]) -> str:
    numbers = value if isinstance(value, (tuple, list)) else (value,)
    return ",".join(str(n.__index__()) for n in numbers)


@_direct
def conv2d(x: ArrayLike, filter: ArrayLike, *, pad: int | tuple[int, int] = 0,
           stride: int | tuple[int, int] = 1, out: ArrayLike | None = None,
           sum: Literal["fixed", "free"] = "fixed", stream: Stream | None = None) -> Any:
    """Correlation of (h, w) or (n, c, h, w) with filters (kh, kw) or (o, c, kh, kw).

    x is 0 in the padding; pad and stride are of both axes, or (rows, columns). sum is matmul's.

    >>> lw.conv2d(np.eye(3), np.ones((2, 2)))
    array([[2., 1.],
           [1., 2.]])
    """
    words = {"pad": _pair(pad), "stride": _pair(stride), "sum": sum}
    return _run("conv2d", words, (x, filter), out, stream)


def take(x: ArrayLike, indices: ArrayLike, *, axis: int | None = 0, out: ArrayLike | None = None,
         stream: Stream | None = None) -> Any:
    """Slices of x along an axis by index; negative ones count from the end.

    The result has the shape of the indices in the place of the axis. An index that is out of range
    is IndexError; with a stream, or in a graph, LaunchError when that is waited for.

    >>> lw.take(np.array([10, 20, 30]), [2, 0, -1])
    array([30, 10, 30])
    """
    return _along("take", {}, x, (indices,), axis, out, stream)


def take_along_axis(x: ArrayLike, indices: ArrayLike, *, axis: int | None = -1,
                    out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """Elements of x along an axis, by an index for each element of the result, as argsort gives.

    The indices have x's rank, and broadcast with x but along the axis, where the result has their
    extent. Negative ones count from the end; one that is out of range is an error as take's.
    axis=None: of all elements in one row, indices of rank 1.

    >>> x = np.array([[3, 1, 2], [7, 9, 8]])
    >>> lw.take_along_axis(x, lw.argsort(x))
    array([[1, 2, 3],
           [7, 8, 9]])
    """
    return _along("take_along_axis", {}, x, (indices,), axis, out, stream)


def histogram(x: ArrayLike, bins: int, *, low: float | None = None, high: float | None = None,
              stream: Stream | None = None) -> Any:
    """Counts (int64) of equal bins in [low, high], without them in the range of the data.

    The last bin has its upper edge, too; what is outside is not counted. Data whose range is not
    finite is ArgumentError; with a stream, or in a graph, LaunchError when that is waited for.

    >>> lw.histogram(np.array([0, 1, 1, 4]), 2)
    array([3, 1])
    """
    if (low is None) != (high is None):
        raise ArgumentError(f"histogram: low is {low} and high {high}; need both or neither")
    limits = {} if low is None or high is None else {"low": float(low), "high": float(high)}
    return _run_told("histogram", {"bins": bins, **limits}, (x,), None, stream)


def compact(x: ArrayLike, mask: ArrayLike, *, stream: Stream | None = None) -> Any:
    """The elements whose mask is set, their order kept, of two arrays of rank 1 and one length.

    Their number is that of the result, so that the call waits for it, also with a stream. In a
    graph it is two tensors: the elements, with zeros behind them up to x's length, and their
    number (int64).

    >>> lw.compact(np.array([3, 1, 2]), np.array([True, False, True]))
    array([3, 2])
    """
    is_recorded = isinstance(x, Recorded) or isinstance(mask, Recorded) or (
        stream is not None and stream._graph is not None)
    padded, count = _run("compact", {"zeros": is_recorded}, (x, mask), None, stream)
    if is_recorded:
        return padded, count
    if stream is not None:
        stream.wait()
    return padded[:builtins.int(count)]


@_direct
def sort(x: ArrayLike, *, axis: int | None = -1, descending: bool = False,
         out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """Sorted along an axis (None: all elements in one row), stable, NaNs last; -0 equals 0.

    >>> lw.sort(np.array([3, 1, 2]), descending=True)
    array([3, 2, 1])
    """
    return _along("sort", {"descending": descending}, x, (), axis, out, stream)


@_direct
def argsort(x: ArrayLike, *, axis: int | None = -1, descending: bool = False,
            out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """The indices (int64) that sort along an axis (None: of all elements in one row).

    The sort is stable, NaNs come last, and -0 equals 0.

    >>> lw.argsort(np.array([3, 1, 2]))
    array([1, 2, 0])
    """
    return _along("argsort", {"descending": descending}, x, (), axis, out, stream)


def searchsorted(x1: ArrayLike, x2: ArrayLike, /, side: Literal["left", "right"] = "left", *,
                 sorter: ArrayLike | None = None, out: ArrayLike | None = None,
                 stream: Stream | None = None) -> Any:
    """Where x2's elements go in x1, sorted and of rank 1: the indices (int64) before equal
    elements, or behind them (side="right"). NaNs stand last, and -0 equals 0.

    sorter: the indices that sort x1.

    >>> lw.searchsorted(np.array([1, 3, 3, 5]), [0, 3, 9])
    array([0, 1, 4])
    """
    if sorter is not None:
        x1 = take(x1, sorter, stream=stream)
    return _run("searchsorted", {"side": side}, (x1, x2), out, stream)


@_direct
def top_k(x: ArrayLike, k: int, *, axis: int | None = -1, smallest: bool = False,
          out: tuple[ArrayLike, ArrayLike] | None = None,
          stream: Stream | None = None) -> tuple[Any, Any]:
    """The k largest along an axis, in falling order, and their indices (int64).

    Equals come by rising index, and a NaN counts as largest. smallest=True: the k smallest, rising.
    out has both, the values and the indices.

    >>> lw.top_k(np.array([3.0, 9.0, 5.0]), 2)
    (array([9., 5.]), array([1, 2]))
    """
    return _along("top_k", {"k": k, "smallest": smallest}, x, (), axis, out, stream)


__all__ = [name for name, thing in globals().items()
           if inspect.isfunction(inspect.unwrap(thing)) and thing.__module__ == __name__
           and name[0] != "_"]
