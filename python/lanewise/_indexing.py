"""Keys with arrays of indices and masks, as NumPy's advanced indexing: copies, made by operations.

The key's integers and slices make a view first. Of that the arrays take elements of neighbouring
axes, which stand in front if anything parts the arrays.
"""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Sequence

import numpy as np

from . import _array, _core, _dtypes
from ._errors import ArgumentError, DtypeError, IndexError

_BOOL, _I64 = _dtypes.NAMES.index("bool"), _dtypes.NAMES.index("i64")
_FIRST_FLOAT = _dtypes.NAMES.index("f16")
_PLAIN = {int, slice, type(None), type(Ellipsis)}


def _is_plain(part: Any) -> bool:
    """True for what makes a view: an integer, a slice, None or an ellipsis."""
    if type(part) in _PLAIN:
        return True
    if isinstance(part, (bool, np.bool_, _array.Array, _array.Recorded)):
        return False
    return isinstance(part, slice) or (hasattr(part, "__index__") and not getattr(part, "ndim", 0)
                                       and getattr(part, "dtype", None) != np.bool_)


def is_plain(key: Any) -> bool:
    """True if the key makes a view."""
    if type(key) is tuple:
        return all(map(_is_plain, key))
    return _is_plain(key)


def _code_of(x: Any) -> int:
    if isinstance(x, np.ndarray):
        return _dtypes.dtype_code(x.dtype)
    code: int = x._array._code if isinstance(x, _array.Recorded) else x._code
    return code


def _array_of(part: Any, x: Any) -> Any:
    """Indices or a mask, on x's device; in a graph NumPy's. Raises IndexError."""
    if isinstance(part, (list, tuple)) and not len(part):
        part = np.zeros(0, np.int64)  # NumPy makes float64 of an empty list
    try:
        if isinstance(part, _array.Recorded):
            found = part
        elif isinstance(x, _array.Recorded):
            found = part if isinstance(part, _array.Array) else _array.values_of(part)
        else:
            found = _array.asarray(part, device=x.device)
        code = _code_of(found)
    except (ArgumentError, DtypeError) as error:
        raise IndexError(f"index {part!r}: {error}") from None
    if code >= _FIRST_FLOAT:
        raise IndexError(f"index {part!r} is of {found.dtype}; need integers, slices, None, ..., "
                         "or arrays of integers or bool")
    return found


@dataclass
class _Key:
    """What a key with arrays says."""

    plain: list[Any] = field(default_factory=list)  # of the view, a part for each of x's axes
    arrays: list[Any] = field(default_factory=list)  # indices and masks
    first: int = -1  # the axis of the view that the arrays begin at
    axes: list[int] = field(default_factory=list)  # of the view, that they are of
    before: list[bool] = field(default_factory=list)  # of the result: True is a new axis
    behind: list[bool] = field(default_factory=list)
    is_parted: bool = False  # the arrays' axes come first


def _parts(key: Any, x: Any) -> list[Any]:
    """The key's parts, each list as an array; ... is replaced by slices, but for one of none."""
    parts = [part if _is_plain(part) else _array_of(part, x)
             for part in (key if isinstance(key, tuple) else (key,))]
    given = sum(_axes_of(part) for part in parts)
    dots = [n for n, part in enumerate(parts) if part is Ellipsis]
    if len(dots) > 1 or given > x.ndim:
        raise IndexError(f"index {key!r} has too many parts for shape {tuple(x.shape)}")
    rest = [slice(None)] * (x.ndim - given)
    if not dots:
        return parts + rest
    return parts[:dots[0]] + (rest or [Ellipsis]) + parts[dots[0] + 1:]


def _axes_of(part: Any) -> int:
    """How many axes it is of."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if not _is_plain(part) and _code_of(part) == _BOOL else 1


def _read(key: Any, x: Any) -> _Key:
    """Raises IndexError."""
    read, is_over = _Key(), False
    at = 0  # axis of the view
    for part in _parts(key, x):
        is_index = not (part is None or part is Ellipsis or isinstance(part, slice))
        read.is_parted |= is_index and is_over
        is_over |= not is_index and read.first >= 0
        if is_index and read.first < 0:
            read.first = at
        if not is_index:
            if part is not Ellipsis:
                (read.before if read.first < 0 else read.behind).append(part is None)
            if isinstance(part, slice):
                read.plain.append(part)
                at += 1
        elif _is_plain(part):
            read.plain.append(part)
        else:
            axes = _axes_of(part)
            if _code_of(part) == _BOOL:
                part = _mask_of(part, x, len(read.plain))
            read.arrays.append(part)
            read.plain += [slice(None)] * axes
            read.axes += range(at, at + axes)
            at += axes
    return read


def _refuse_unknown(read: _Key) -> None:
    """Masks of graphs take a number of elements that is not known."""
    if any(_code_of(part) == _BOOL and not isinstance(part, _array.Array) for part in read.arrays):
        raise IndexError("how many elements a mask takes is not known before the graph runs; "
                         "need lanewise.compact, or lanewise.map of \"c ? b : a\"")


def _mask_of(mask: Any, x: Any, axis: int) -> Any:
    """The mask, of x's axes from that one on; an extent of 0 chooses nothing, as in NumPy."""
    shape, needed = tuple(mask.shape), tuple(x.shape[axis:axis + mask.ndim])
    if shape == needed:
        return mask
    if isinstance(mask, _array.Recorded) or not all(n in (0, e) for n, e in zip(shape, needed)):
        raise IndexError(f"the mask has shape {tuple(mask.shape)}; need {needed}, that of the axes "
                         f"from {axis} on")
    return _array.zeros(needed, "bool", device=mask.device)


def places(mask: Any) -> list[Any]:
    """The indices of what is set, an array for each of the mask's axes."""
    flat = mask.reshape(-1)
    found = _chosen(_core.operate("map", {"expression": "i", "dtype": "i64"}, (),
                                  _array.empty(flat.size, "i64", device=mask.device), None), flat)
    if mask.ndim == 1:
        return [found]
    steps = [math.prod(mask.shape[k + 1:]) for k in range(mask.ndim)]
    return [_core.operate("map", {"expression": "a / b % c", "dtype": "i64"},
                          (found, np.int64(step or 1), np.int64(extent or 1)), None, None)
            for step, extent in zip(steps, mask.shape)]


def _chosen(flat: Any, mask: Any) -> Any:
    """The elements of a row whose mask is set."""
    from ._operations import compact
    return compact(flat, mask)


def _indices(read: _Key) -> list[Any]:
    """An array of indices for each axis."""
    found: list[Any] = []
    for part in read.arrays:
        found += places(part) if _code_of(part) == _BOOL else [part]
    return found


def _aligned(x: Any, read: _Key) -> tuple[Any, int]:
    """The view whose axes are side by side, and the first of them."""
    view = x[tuple(read.plain)]
    if not read.is_parted:
        return view, read.first
    others = [k for k in range(view.ndim) if k not in read.axes]
    return view.transpose(*read.axes, *others), 0


def _new_axes(read: _Key, rank: int) -> list[bool]:
    """Which axes of the result are new; `rank` is that of the indices."""
    if read.is_parted:
        return [False] * rank + read.before + read.behind
    return read.before + [False] * rank + read.behind


def _rank_of(indices: Sequence[Any]) -> int:
    return max(index.ndim for index in indices)


def _check_rank(new: Sequence[bool], key: Any) -> None:
    if len(new) > _array._LIMIT:
        raise IndexError(f"index {key!r} gives {len(new)} axes; need at most {_array._LIMIT}")


def _is_one_truth(read: _Key) -> bool:
    """True for a key like True, a mask of rank 0. Raises IndexError where others are beside it."""
    if all(part.ndim or _code_of(part) != _BOOL for part in read.arrays):
        return False
    if len(read.arrays) > 1 or not all(part == slice(None) for part in read.plain):
        raise IndexError("a bool, or a mask of rank 0, stands beside others; need it alone")
    return True


def _settled(x: Any) -> Any:
    return x._settled() if isinstance(x, _array.Array) else x


def _only_indices(x: Any, key: Any) -> Any:
    """A key that is nothing but an array of indices, as it is most often; else None."""
    if type(key) is list and key and type(key[0]) is int:
        key = _array.values_of(key)
    is_one = key.dtype.kind in "iu" if type(key) is np.ndarray else \
        type(key) is _array.Array and key._code < _BOOL
    return key if is_one and 0 < x.ndim <= _array._LIMIT + 1 - key.ndim else None


def get(x: Any, key: Any) -> Any:
    """x[key], a copy. Raises IndexError."""
    only = _only_indices(x, key)
    if only is not None:
        return _run("take", {}, (_settled(x), _settled(only)), None)
    read = _read(key, x)
    _refuse_unknown(read)
    x = _settled(x)
    if _is_one_truth(read):
        return x[None][:int(read.arrays[0].item())].copy()
    is_whole = len(read.arrays) == 1 and read.arrays[0].ndim == x.ndim and \
        _code_of(read.arrays[0]) == _BOOL
    if is_whole and not any(read.before + read.behind):
        return _chosen(x.reshape(-1), _settled(read.arrays[0]).reshape(-1))
    indices = [_settled(index) for index in _indices(read)]
    new = _new_axes(read, _rank_of(indices))
    _check_rank(new, key)
    view, axis = _aligned(x, read)
    made = _run("take", {"axis": axis}, (view, *indices), None)
    if not any(new):
        return made
    extents = iter(made.shape)
    return made.reshape(*(1 if is_new else next(extents) for is_new in new))


def _run(name: str, parameters: dict[str, Any], inputs: tuple[Any, ...], out: Any) -> Any:
    from ._operations import _run_told
    return _run_told(name, parameters, inputs, out, None)


# ---- assignment ----


def put(x: Any, key: Any, value: Any) -> None:
    """x[key] = value; of equal indices the last one stays. Raises IndexError, ArgumentError."""
    if isinstance(x, _array.Array) and x.readonly:
        raise ArgumentError("the array is read-only")
    only = _only_indices(x, key)
    if only is not None:
        new = [False] * (only.ndim + x.ndim - 1)
        _set(x, 0, [only], _without_axes(_values_for(x, value), new), x)
        return
    read = _read(key, x)
    values = _values_for(x, value)
    if _is_one_truth(read):
        if read.arrays[0].item():
            x[...] = _without_axes(values, [True] + [False] * x.ndim)
        return
    is_mask = len(read.arrays) == 1 and _code_of(read.arrays[0]) == _BOOL
    if is_mask and _put_where(x, read, values):
        return
    _refuse_unknown(read)
    indices = _indices(read)
    values = _without_axes(values, _new_axes(read, _rank_of(indices)))
    view, axis = _aligned(x, read)
    _set(view, axis, indices, values, x)


def _set(view: Any, axis: int, indices: Sequence[Any], values: Any, x: Any) -> None:
    """Slices of a view of x, by the indices of its axes from one on."""
    view = _settled(view)
    given = [_apart(_settled(index), x) for index in indices]
    _run("scatter", {"axis": axis}, (view, *given, _apart(values, x)), view)


def _values_for(x: Any, value: Any) -> Any:
    """The value as an array where x is; numbers have x's dtype or the one beside it."""
    from ._numbers import settled
    number = settled((x, value))[1]
    if number is not value or isinstance(value, _array.Recorded):
        return number
    if isinstance(x, _array.Recorded):
        return value if isinstance(value, _array.Array) else _array.values_of(value)
    return _array.asarray(value, device=x.device)._settled()


def _without_axes(values: Any, new: Sequence[bool]) -> Any:
    """The values for a result without its new axes, in which they have an extent of 1."""
    lead = values.ndim - len(new)
    is_new = [True] * lead + list(new[max(-lead, 0):])
    if any(gone and extent != 1 for gone, extent in zip(is_new, values.shape)):
        raise ArgumentError(f"values of shape {tuple(values.shape)} do not broadcast to the "
                            f"index's {len(new)} axes")
    return values[tuple(0 if gone else slice(None) for gone in is_new)] if any(is_new) else values


def _put_where(x: Any, read: _Key, values: Any) -> bool:
    """Set what a mask says to values that are the same for each of its elements; False: they are
    not."""
    mask = _settled(read.arrays[0])
    new = _new_axes(read, 1)
    behind = len(new) - 1 - (0 if read.is_parted else len(read.before))
    if values.ndim > behind and values.shape[values.ndim - 1 - behind] != 1:
        return False
    values = _without_axes(values, new)
    view, before = _aligned(x, read)
    behind = view.ndim - before - mask.ndim
    if values.ndim > behind:  # the axis of the mask's elements becomes the mask's axes
        at = values.ndim - 1 - behind
        values = values[(slice(None),) * at + (0,) + (None,) * mask.ndim]
    if _code_of(values) != _code_of(view):
        values = values if isinstance(x, _array.Recorded) else _array.asarray(values,
                                                                              device=x.device)
        values = values.astype(view.dtype)
    mask = mask[(None,) * before + (slice(None),) * mask.ndim + (None,) * behind]
    view = _settled(view)
    _run("map", {"expression": "c ? b : a"}, (view, _apart(values, x), _apart(mask, x)), view)
    return True


def _reach(a: Any) -> tuple[int, int]:
    """The addresses of the array's memory."""
    begin = a._pointer or 0
    steps = [(extent - 1) * stride for extent, stride in zip(a.shape, a.strides)]
    return (begin + sum(step for step in steps if step < 0),
            begin + sum(step for step in steps if step > 0) + a.dtype.itemsize)


def _apart(a: Any, x: Any) -> Any:
    """An input that has no memory of x, of which it may be a view: a copy then."""
    if isinstance(a, _array.Recorded):
        is_same = isinstance(x, _array.Recorded) and a._index == x._index  # type: ignore
        return a.copy() if is_same else a  # type: ignore[attr-defined]
    if isinstance(x, _array.Recorded) or not (a.ndim and a.size and x.size):
        return a
    if isinstance(a, np.ndarray):
        a = _array.asarray(a, device=x.device)
    (low, high), (first, end) = _reach(a), _reach(x)
    return a.copy() if low < end and first < high else a
