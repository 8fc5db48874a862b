"""Elementwise C expressions, and reductions of them."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _axes, _core, _dtypes
from ._array import Recorded
from ._composed import composed, new
from ._core import Stream
from ._errors import ArgumentError
from ._operations import ArrayLike, DtypeLike, _direct, _named, _run
from ._probe import expression_name
from ._waiting import LETTERS


def _check_expression(what: str, expression: Any) -> None:
    if not isinstance(expression, str):
        raise ArgumentError(f"{what} is of {type(expression).__name__}; need a text, as 'a * b'")


@_direct
def map(expression: str | Sequence[str], *inputs: ArrayLike, dtype: Any = None,
        out: Any = None, stream: Stream | None = None, **named: ArrayLike) -> Any:
    """A C expression of a to h, or of names, at each place, which broadcast; i is the place, n
    their number.

    The result has the expression's C type, and bool where that is a truth value as of a comparison,
    unless dtype or out says otherwise. Up to four expressions give as many results, in one kernel;
    dtype and out are then tuples. Python's numbers take the arrays' dtype, as in NumPy 2.
    Raises CompileError, and OverflowError for an int that does not fit.

    >>> lw.map('a * b + 1', np.arange(3.0), 2.0)
    array([1., 3., 5.])
    >>> lw.map(('x + y', 'x - y'), x=np.arange(3.0), y=1.0)
    (array([1., 2., 3.]), array([-1.,  0.,  1.]))
    """
    if named or not isinstance(expression, str):
        return _mapped(expression, inputs, named, dtype, out, stream)
    if dtype is None and out is None and len(inputs) <= len(LETTERS):
        name = expression_name(expression, inputs)
    else:
        name = _named(dtype, out)
    return _run("map", {"expression": expression, "dtype": name}, inputs, out, stream)


def _mapped(expression: Any, inputs: tuple[ArrayLike, ...], named: dict[str, ArrayLike],
            dtype: Any, out: Any, stream: Stream | None) -> Any:
    """map of operands by name, or of several expressions."""
    texts = (expression,) if isinstance(expression, str) else expression
    if not isinstance(texts, (tuple, list)):
        _check_expression("expression", expression)
    if not 1 <= len(texts) <= 4:
        raise ArgumentError(f"map: got {len(texts)} expressions; need 1 to 4")
    for text in texts:
        _check_expression("expression", text)
    names, operands = LETTERS[:len(inputs)] + tuple(named), inputs + tuple(named.values())
    dtypes = dtype if isinstance(dtype, (tuple, list)) else (dtype,) * len(texts)
    outs = out if isinstance(out, (tuple, list)) else (out,) * len(texts)
    if len(dtypes) != len(texts) or len(outs) != len(texts):
        raise ArgumentError(f"map: got {len(texts)} expressions, {len(dtypes)} dtypes and "
                            f"{len(outs)} outputs; need as many of each")
    codes = [expression_name(text, operands, names) if d is None and o is None else _named(d, o)
             for text, d, o in zip(texts, dtypes, outs)]
    if len(texts) == 1:
        words = {"expression": texts[0], "names": ",".join(names) or None, "dtype": codes[0]}
        result = _run("map", words, operands, outs[0], stream)
        return result if texts is not expression else (result,)
    words = {"expressions": ";".join(texts), "names": ",".join(names) or None}
    if out is not None:
        _run(f"map{len(texts)}", words, operands, tuple(outs), stream)
        return tuple(outs)
    return _several(*operands, words=words, texts=texts, codes=codes, stream=stream)


@composed
def _several(*arrays: Any, words: dict[str, Any], texts: Sequence[str], codes: Sequence[str | None],
             stream: Stream | None = None) -> Any:
    if any(isinstance(x, Recorded) for x in arrays):
        return tuple(_run("map", {"expression": text, "names": words["names"], "dtype": code},
                          arrays, None, None) for text, code in zip(texts, codes))
    shape = np.broadcast_shapes(*(x.shape for x in arrays))
    elements = tuple(_core.view(x, 0, (), ()) for x in arrays)  # of any rank, the dtype is that
    promoted = _dtypes.NAMES[_core.infer("map", {"expression": "0"}, elements)[0][0]]
    outs = tuple(new(arrays[0], shape, _dtypes.DTYPES[_dtypes.NAMES.index(code or promoted)])
                 for code in codes)
    _run(f"map{len(texts)}", words, arrays, outs, None)
    return outs


@_direct
def map_reduce(map: str, combine: str, *inputs: ArrayLike, initial: float = 0,
               axis: int | None = None, keepdims: bool = False, dtype: DtypeLike = None,
               out: ArrayLike | None = None, stream: Stream | None = None) -> Any:
    """A C expression of a to h at each place, then an associative one of x and y over all.

    >>> lw.map_reduce('a * a', 'x + y', np.array([3.0, 4.0]))
    np.float64(25.0)
    """
    _check_expression("map", map)
    _check_expression("combine", combine)
    over = None if axis is None else _axes.over_one(axis)
    parameters = {"map": map, "combine": combine, "identity": float(initial), "axis": over,
                  "keepdims": keepdims, "dtype": _named(dtype, out)}
    return _run("map_reduce", parameters, inputs, out, stream)


__all__ = ["map", "map_reduce"]
