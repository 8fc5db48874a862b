"""Operations on arrays of more axes than the library's tensors have.

Neighbouring axes become one where the strides of all arrays allow it: those before an operation's
axis, and those behind it. What is in the way is copied to C order first.
"""
from __future__ import annotations

import math
from typing import Any, Callable, Iterable, Sequence

import numpy as np

from . import _core
from ._array import Array, _broadcast, temporary
from ._axes import _given, _taken, axis_of
from ._core import Stream
from ._errors import ArgumentError
from ._numbers import settled
from ._views import c_strides, reshaped_strides

RANKS = 4
Words = dict[str, Any]
_MAPS = {"map", "map2", "map3", "map4", "copy"}
_REDUCTIONS = {"sum", "prod", "max", "min", "mean", "any", "all", "argmax", "argmin", "map_reduce"}
_ALONG = {"scan", "difference", "moving_average", "sort", "argsort", "top_k", "mean_normalize",
          "layer_norm", "rms_norm", "softmax", "log_softmax", "take_along_axis"}
_DEFAULTS = {"take": 0, "scatter": 0, "scatter_add": 0}  # of axis; the last one otherwise


# ---- views ----

def _strides(x: Any) -> tuple[int, ...]:
    """In elements of an Array, in bytes of NumPy's."""
    return x._strides if isinstance(x, Array) else x.strides


def _view(x: Any, shape: Sequence[int], strides: Sequence[int]) -> Any:
    if isinstance(x, Array):
        return _core.view(x, x._offset, tuple(shape), tuple(strides))
    return np.lib.stride_tricks.as_strided(x, tuple(shape), tuple(strides))


def _spread(x: Any, shape: Sequence[int]) -> Any:
    """Broadcast; a view."""
    if tuple(x.shape) == tuple(shape):
        return x
    if isinstance(x, Array):
        return _broadcast(x, shape)
    return np.lib.stride_tricks.as_strided(
        x, tuple(shape), (0,) * (len(shape) - x.ndim) + tuple(
            0 if e == 1 else s for e, s in zip(x.shape, x.strides)))


def _new(like: Any, shape: Sequence[int], stream: Stream | None) -> Any:
    """Memory where `like` is, in C order."""
    if not isinstance(like, Array):
        return np.empty(tuple(shape), like.dtype)
    if stream is not None:
        return temporary(stream, like.dtype, tuple(shape))
    return _core.allocate(like.device, like._code, tuple(shape), False)


def _reshaped(x: Any, shape: Sequence[int]) -> Any:
    """The view of another shape, or None."""
    unit = 1 if isinstance(x, Array) else x.itemsize
    if not math.prod(shape):
        strides: Any = c_strides(shape)
    else:
        strides = reshaped_strides(x.shape, [s // unit for s in _strides(x)], shape)
    return None if strides is None else _view(x, shape, [s * unit for s in strides])


def _whole(x: Any, stream: Stream | None) -> Any:
    """In C order: itself, or a copy."""
    if _reshaped(x, (math.prod(x.shape),)) is not None:
        return x
    made = _new(x, x.shape, stream)
    _copy(x, made, stream)
    return made


def _flat(x: Any, shape: Sequence[int], stream: Stream | None) -> Any:
    view = _reshaped(x, shape)
    return _reshaped(_whole(x, stream), shape) if view is None else view


class _Runs:
    """Axes that stand for several each. `alone`: the axes that do not join."""

    def __init__(self, shape: Sequence[int], strides: Sequence[Sequence[int]],
                 alone: Sequence[int] = ()) -> None:
        self.runs: list[list[int]] = []  # the axes of each
        self.place = -1  # of the first that is alone
        last: tuple[int, ...] | None = None
        is_empty = any(e == 0 for k, e in enumerate(shape) if k not in alone)
        for k, extent in enumerate(shape):
            steps = tuple(s[k] for s in strides)
            if k in alone:
                self.place = len(self.runs) if self.place < 0 else self.place
                self.runs.append([k])
                last = None
            elif last is not None and (is_empty or last == tuple(s * extent for s in steps)):
                self.runs[-1].append(k)
                last = steps
            elif extent != 1:
                self.runs.append([k])
                last = steps

    def view(self, x: Any) -> Any:
        """x, which has all axes, in as many as there are runs."""
        shape, steps = x.shape, _strides(x)
        return _view(x, self.extents(shape), [steps[run[-1]] for run in self.runs])

    def extents(self, shape: Sequence[int]) -> tuple[int, ...]:
        return tuple(math.prod(shape[k] for k in run) for run in self.runs)


def _copy(x: Any, to: Any, stream: Stream | None) -> None:
    """Elements to memory of that shape. What cannot be joined is looped over."""
    x = _spread(x, to.shape)
    runs = _Runs(to.shape, [_strides(x), _strides(to)])
    x, to = runs.view(x), runs.view(to)
    order = sorted(range(to.ndim), key=lambda k: to.shape[k])[:max(to.ndim - RANKS, 0)]
    if not order:
        _core.operate("copy", {}, (x,), to, stream)
        return
    for at in np.ndindex(*(to.shape[k] for k in order)):
        key = tuple(at[order.index(k)] if k in order else slice(None) for k in range(to.ndim))
        _core.operate("copy", {}, (x[key],), to[key], stream)


class _Outs:
    """Where results go: what was given, or memory that is copied to it at the end."""

    def __init__(self, out: Any, count: int, shapes: Sequence[Sequence[int]], name: str,
                 stream: Stream | None) -> None:
        self.out, self.stream = out, stream
        given = out if isinstance(out, tuple) else () if out is None else (out,)
        self.into = [_taken(x) for x in given]
        self.made: list[tuple[Any, Any]] = []
        if given and len(given) != count:
            raise ArgumentError(f"{name}: out has {len(given)} arrays; need {count}")
        for x, shape in zip(self.into, shapes):
            if tuple(x.shape) != tuple(shape):
                raise ArgumentError(f"{name}: out has shape {tuple(x.shape)}; need {tuple(shape)}")

    def views(self, shape: Sequence[int]) -> Any:
        """Of another shape, for the operation."""
        found = []
        for x in self.into:
            view = _reshaped(x, shape)
            if view is None:
                view = _new(x, shape, self.stream)
                self.made.append((view, x))
            found.append(view)
        return None if not found else tuple(found) if isinstance(self.out, tuple) else found[0]

    def results(self, result: Any, shape: Sequence[int]) -> Any:
        """What was given, or the results in their shape."""
        for view, x in self.made:
            _copy(view.reshape(x.shape), x, self.stream)
        if self.out is not None:
            return self.out
        if isinstance(result, tuple):
            return tuple(r.reshape(tuple(shape)) for r in result)
        return result if result.shape == tuple(shape) else result.reshape(tuple(shape))


# ---- operations ----

def _shape_of(inputs: Iterable[Any], name: str) -> tuple[int, ...]:
    shapes = [tuple(x.shape) for x in inputs]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise ArgumentError(f"{name}: the shapes {' '.join(map(str, shapes))} do not broadcast"
                            ) from None


def _joined(inputs: Sequence[Any], shape: Sequence[int], alone: Sequence[int],
            stream: Stream | None) -> tuple[list[Any], _Runs]:
    """The inputs, which have all axes, and differ in those that are alone; in at most RANKS."""
    runs = _Runs(shape, [_strides(x) for x in inputs], alone)
    if len(runs.runs) > RANKS:
        inputs = [_whole(x, stream) for x in inputs]
        runs = _Runs(shape, [_strides(x) for x in inputs], alone)
    return [runs.view(x) for x in inputs], runs


def _run(name: str, words: Words, inputs: Sequence[Any], out: Any, stream: Stream | None) -> Any:
    from ._operations import _run_told
    most = max((x.ndim for x in inputs), default=0)
    if most > RANKS:
        raise ArgumentError(f"{name}: an input has {most} axes; need 0 to {RANKS}")
    return _run_told(name, words, tuple(inputs), out, stream)


def _map(name: str, words: Words, inputs: tuple[Any, ...], out: Any, stream: Stream | None) -> Any:
    outs = out if isinstance(out, tuple) else () if out is None else (out,)
    shape = _shape_of(inputs, name) if inputs else tuple(_taken(outs[0]).shape)
    count = int(name[3:] or 1) if name != "copy" else 1
    given = _Outs(out, count, [shape] * count, name, stream)
    if name == "copy" and out is not None:
        _copy(inputs[0], given.into[0], stream)
        return out
    if name == "copy" and out is None and words.get("dtype") is None:
        return _copied(inputs[0], stream)
    spread = [_spread(x, shape) for x in inputs]
    views, runs = _joined(spread, shape, (), stream)
    result = _run(name, words, views, given.views(runs.extents(shape)), stream)
    return given.results(result, shape)


def _copied(x: Any, stream: Stream | None) -> Any:
    made = _new(x, x.shape, stream)
    _copy(x, made, stream)
    return made


def _reduction(name: str, words: Words, inputs: tuple[Any, ...], out: Any,
               stream: Stream | None) -> Any:
    shape = _shape_of(inputs, name)
    axis = words.get("axis")
    alone = () if axis is None else (axis_of(axis, len(shape)),)
    gone = range(len(shape)) if axis is None else alone
    made = [1 if k in gone else e for k, e in enumerate(shape)
            if words.get("keepdims") or k not in gone]
    given = _Outs(out, 1, [made], name, stream)
    views, runs = _joined([_spread(x, shape) for x in inputs], shape, alone, stream)
    extents = [e for n, e in enumerate(runs.extents(shape)) if n != runs.place]
    words = dict(words, axis=runs.place if alone else None, keepdims=False)
    result = _run(name, words, views, given.views(extents if alone else ()), stream)
    return given.results(result, made)


def _along(name: str, words: Words, inputs: tuple[Any, ...], out: Any,
           stream: Stream | None) -> Any:
    """Along one axis, in which take_along_axis' operands differ. Weights have just that."""
    x = inputs[0]
    last = words.get("axis")
    axis = axis_of(-1 if last is None else last, x.ndim)
    main = inputs[:2] if name == "take_along_axis" else inputs[:1]
    if any(m.ndim != x.ndim for m in main):
        raise ArgumentError(f"{name}: the shapes are {tuple(x.shape)} and {tuple(main[1].shape)}; "
                            "need one rank")
    others = _shape_of([m[(slice(None),) * axis + (slice(0, 1),)] for m in main], name)
    shape = (*others[:axis], x.shape[axis], *others[axis + 1:])
    spread = [_spread(m, (*others[:axis], m.shape[axis], *others[axis + 1:])) for m in main]
    views, runs = _joined(spread, shape, (axis,), stream)
    words = dict(words, axis=runs.place)
    outs = [_taken(o) for o in (out if isinstance(out, tuple) else () if out is None else (out,))]
    if not outs:
        extent = None
    else:
        extent = outs[0].shape[axis] if outs[0].ndim > axis else 0
    full = (*shape[:axis], extent, *shape[axis + 1:])
    given = _Outs(out, len(outs), [full] * len(outs), name, stream)
    into = None if extent is None else given.views(
        runs.extents((*shape[:axis], extent, *shape[axis + 1:])))
    result = _run(name, words, [*views, *inputs[len(main):]], into, stream)
    if extent is None:
        first = result[0] if isinstance(result, tuple) else result
        full = (*shape[:axis], first.shape[runs.place], *shape[axis + 1:])
    return given.results(result, full)


def _indexed(name: str, words: Words, inputs: tuple[Any, ...], out: Any,
             stream: Stream | None) -> Any:
    """take, scatter, scatter_add: indices of some axes, behind which values may stand."""
    x = inputs[0]
    values = inputs[-1] if name != "take" else None
    several = inputs[1:] if values is None else inputs[1:-1]
    axis, count = axis_of(words.get("axis") or 0, x.ndim), len(several)
    if axis + count > x.ndim:
        raise ArgumentError(f"{name}: there are indices of {count} axes from {axis} on; x has "
                            f"{x.ndim}")
    places = _shape_of(several, name)
    size = math.prod(places)
    indices = [_flat(_spread(i, places), (size,), stream) for i in several]
    shape = (*x.shape[:axis], *places, *x.shape[axis + count:])
    alone = range(axis, axis + count)
    given = _Outs(out, 1, [shape if values is None else x.shape], name, stream)
    (view,), runs = _joined([x], x.shape, alone, stream)
    if view.ndim > RANKS:
        raise ArgumentError(f"{name}: x has {view.ndim} axes or groups of them, {count} of which "
                            f"have indices; need at most {RANKS}")
    words = dict(words, axis=runs.place)
    row = (*view.shape[:runs.place], size, *view.shape[runs.place + count:])
    if values is None:
        return given.results(_run(name, words, [view, *indices], given.views(row), stream), shape)
    spread = values if values.ndim == 0 else _flat(_spread(values, shape), row, stream)
    result = _run(name, words, [view, *indices, spread], given.views(view.shape), stream)
    return given.results(result, x.shape)


def _product(name: str, words: Words, inputs: tuple[Any, ...], out: Any,
             stream: Stream | None) -> Any:
    """matmul: the axes of matrices become one."""
    x, y = inputs[:2]
    row, column = x.ndim == 1, y.ndim == 1
    try:
        lead = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    except ValueError:
        raise ArgumentError(f"{name}: the shapes {tuple(x.shape)} and {tuple(y.shape)} do not fit"
                            ) from None
    size = math.prod(lead)
    shape = (*lead, *(() if row else x.shape[-2:-1]), *(() if column else y.shape[-1:]))
    made = (size, *shape[len(lead):])
    given = _Outs(out, 1, [shape], name, stream)
    views = [m if m.ndim <= 2 else
             _flat(_spread(m, (*lead, *m.shape[-2:])), (size, *m.shape[-2:]), stream)
             for m in (x, y)]
    result = _run(name, words, [*views, *inputs[2:]], given.views(made), stream)
    return given.results(result, shape)


def _permuted(name: str, words: Words, inputs: tuple[Any, ...], out: Any,
              stream: Stream | None) -> Any:
    x, axes = inputs[0], words.get("axes")
    order = [int(a) for a in axes.split(",")] if axes else list(range(x.ndim))[::-1]
    if sorted(a % x.ndim for a in order) != list(range(x.ndim)):
        raise ArgumentError(f"permute: axes are {axes}; need each of 0 to {x.ndim - 1} once")
    return _map("copy", {}, (x.transpose(tuple(a % x.ndim for a in order)),), out, stream)


def _counted(name: str, words: Words, inputs: tuple[Any, ...], out: Any,
             stream: Stream | None) -> Any:
    """histogram, which sees a row."""
    x = inputs[0]
    return _run(name, words, [_flat(x, (math.prod(x.shape),), stream)], out, stream)


def _searched(name: str, words: Words, inputs: tuple[Any, ...], out: Any,
              stream: Stream | None) -> Any:
    x, values = inputs
    if x.ndim != 1:
        raise ArgumentError(f"{name}: x1 has shape {tuple(x.shape)}; need rank 1")
    given = _Outs(out, 1, [values.shape], name, stream)
    size = (math.prod(values.shape),)
    result = _run(name, words, [x, _flat(values, size, stream)], given.views(size), stream)
    return given.results(result, values.shape)


_WAYS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(_MAPS, _map), **dict.fromkeys(_REDUCTIONS, _reduction),
    **dict.fromkeys(_ALONG, _along), **dict.fromkeys(_DEFAULTS, _indexed), "matmul": _product,
    "permute": _permuted, "histogram": _counted, "searchsorted": _searched}


def operate(name: str, words: Words, inputs: tuple[Any, ...], out: Any,
            stream: Stream | None) -> Any:
    """For the extension: an operation, of which an array has more axes than the library's."""
    arrays = tuple(_taken(x) for x in settled(inputs))
    way = _WAYS.get(name)
    if way is None:
        most = max(x.ndim for x in arrays)
        raise ArgumentError(f"{name}: an array has {most} axes; need 0 to {RANKS}")
    words = {key: value for key, value in words.items() if value is not None}
    result = way(name, words, arrays, out, stream)
    if out is not None:
        return result
    like = next((x for x in inputs if not isinstance(x, (bool, int, float))), None)
    if isinstance(result, tuple):
        return tuple(_given(r, like, stream) for r in result)
    return _given(result, like, stream)
