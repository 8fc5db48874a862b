"""Functions that shape and join arrays, against NumPy: dtypes, layouts, devices, graphs."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st

import lanewise as lw

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "f2", "f4", "f8"]
SHAPES = [(), (1,), (5,), (0,), (2, 3), (3, 1, 2), (2, 0, 3), (2, 1, 3, 2)]


def some(shape: tuple[int, ...], dtype: str = "f4", layout: str = "plain") -> np.ndarray:
    x = (np.arange(np.prod(shape, dtype=int)).reshape(shape) * 7 % 11).astype(dtype)
    if layout == "reversed" and x.ndim:
        return x[::-1]
    if layout == "strided" and x.ndim:
        return np.repeat(x, 2, axis=-1)[..., ::2]
    return x.T if layout == "transposed" else x


def flat(result: Any) -> list[Any]:
    return [x for r in result for x in flat(r)] if isinstance(result, (tuple, list)) else [result]


def same(got: Any, expected: Any, kind: type = np.ndarray) -> None:
    assert isinstance(got, (tuple, list)) == isinstance(expected, (tuple, list))
    assert len(flat(got)) == len(flat(expected))
    for a, b in zip(flat(got), flat(expected)):
        assert isinstance(a, kind) or kind is np.ndarray and isinstance(a, np.generic)
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_array_equal(np.asarray(a), b)


# name: arguments of each rank; by NumPy's function of that name
ONE: list[tuple[str, Callable[[Any, Any], Any], int]] = [
    ("reshape", lambda m, x: m.reshape(x, (-1, 1)), 0),
    ("reshape", lambda m, x: m.reshape(x, -1), 0),
    ("expand_dims", lambda m, x: m.expand_dims(x, 0) if x.ndim < 4 else x, 0),
    ("expand_dims", lambda m, x: m.expand_dims(x, (-1, 1)) if x.ndim < 3 else x, 1),
    ("squeeze", lambda m, x: m.squeeze(x), 0),
    ("squeeze", lambda m, x: m.squeeze(x, 1) if x.shape[1] == 1 else x, 2),
    ("permute_dims", lambda m, x: m.permute_dims(x, tuple(range(1, x.ndim)) + (0,)), 1),
    ("moveaxis", lambda m, x: m.moveaxis(x, 0, -1), 1),
    ("moveaxis", lambda m, x: m.moveaxis(x, (0, 1), (1, 0)), 2),
    ("matrix_transpose", lambda m, x: m.matrix_transpose(x), 2),
    ("flip", lambda m, x: m.flip(x), 0),
    ("flip", lambda m, x: m.flip(x, axis=-1), 1),
    ("flip", lambda m, x: m.flip(x, axis=(0, -1)), 2),
    ("broadcast_to", lambda m, x: m.broadcast_to(x, (2, *x.shape)) if x.ndim < 4 else x, 0),
    ("unstack", lambda m, x: m.unstack(x, axis=-1), 1),
    ("split", lambda m, x: m.split(x, [1, 2], axis=-1), 1),
    ("split", lambda m, x: m.split(x, x.shape[0] or 1), 1),
    ("roll", lambda m, x: m.roll(x, 3), 0),
    ("roll", lambda m, x: m.roll(x, -1, axis=0), 1),
    ("roll", lambda m, x: m.roll(x, (1, 5), axis=(0, -1)), 2),
    ("roll", lambda m, x: m.roll(x, 2, axis=(0, 0)), 1),
    ("tile", lambda m, x: m.tile(x, 3), 0),
    ("tile", lambda m, x: m.tile(x, (2, 1, 2)), 0),
    ("tile", lambda m, x: m.tile(x, 0), 1),
    ("repeat", lambda m, x: m.repeat(x, 2), 0),
    ("repeat", lambda m, x: m.repeat(x, 3, axis=0), 1),
    ("repeat", lambda m, x: m.repeat(x, np.arange(x.shape[-1]), axis=-1), 1),
    ("pad", lambda m, x: m.pad(x, 1), 0),
    ("pad", lambda m, x: m.pad(x, (1, 2), constant_values=3), 1),
    ("pad", lambda m, x: m.pad(x, [(0, 1)] + [(2, 0)] * (x.ndim - 1)), 1),
    *(("pad", lambda m, x, mode=mode: m.pad(x, (2, 3), mode) if x.size else x, 1)
      for mode in ("edge", "reflect", "symmetric", "wrap")),
    ("tril", lambda m, x: m.tril(x), 2),
    ("tril", lambda m, x: m.tril(x, 1), 2),
    ("triu", lambda m, x: m.triu(x, -1), 2),
    ("concat", lambda m, x: m.concat([x, x, x[:1]]), 1),
    ("concat", lambda m, x: m.concat([x, x], axis=-1), 1),
    ("concat", lambda m, x: m.concatenate([x, x], axis=None), 0),
    ("stack", lambda m, x: m.stack([x, x]) if x.ndim < 4 else x, 0),
    ("stack", lambda m, x: m.stack([x, x, x], axis=-1) if x.ndim < 4 else x, 0),
    ("meshgrid", lambda m, x: list(m.meshgrid(x, x, indexing="ij")) if x.ndim < 2 else x, 0),
    ("broadcast_arrays", lambda m, x: list(m.broadcast_arrays(x, x[..., :1])), 1),
    ("diff", lambda m, x: m.diff(x, axis=0) if x.shape[0] else x, 1),
]


@pytest.mark.parametrize("name, call, rank", ONE, ids=[row[0] for row in ONE])
@given(data=st.data())
def test_functions_of_one_array(name: str, call: Any, rank: int, data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from([s for s in SHAPES if len(s) >= rank]))
    x = some(shape, data.draw(st.sampled_from(DTYPES)),
             data.draw(st.sampled_from(["plain", "reversed", "strided", "transposed"])))
    expected = call(np, x)
    same(call(lw, x), expected)
    same(call(lw, lw.asarray(x)), expected, lw.Array)


@pytest.mark.parametrize("name, call, rank", ONE, ids=[row[0] for row in ONE])
def test_in_graphs(name: str, call: Any, rank: int) -> None:
    x = some((2, 3, 2)) if name != "meshgrid" else some((3,))
    expected = call(np, x)
    for shape in (x.shape, ("n", *x.shape[1:]), (*x.shape[:-1], "n")):
        with lw.Graph(inputs={"x": lw.TensorType("f4", shape)}) as g:
            try:
                results = call(lw, g.x)
            except (lw.ArgumentError, IndexError, ValueError, TypeError):
                if shape == x.shape:
                    raise
                continue  # NumPy's part of the call computes with sizes
            g.output(**{f"r{k}": r for k, r in enumerate(flat(results))})
        got = g.compile()(x=x)
        for k, e in enumerate(flat(expected)):
            np.testing.assert_array_equal(got[f"r{k}"], e)


def test_constants_of_graphs_on_every_device() -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f4", (2,))}) as g:
        g.output(lw.concat([np.ones(1, "f4"), g.x, lw.full(1, 5, "f4")]))
    for device in ("cpu", "ref"):
        got = g.compile(device)(np.arange(2, dtype="f4"))
        assert got["out"].tolist() == [1, 0, 1, 5]


def test_joining_promotes() -> None:
    for a in DTYPES:
        for b in DTYPES:
            x, y = some((2, 3), a), some((1, 3), b)
            same(lw.concat([x, y]), np.concatenate([x, y]))
    assert lw.concat([lw.zeros(2, "bf16"), np.zeros(1, "f2")]).dtype == np.float32
    assert lw.stack([np.zeros(2, "f4"), np.zeros(2, "i4")], dtype="f4").dtype == np.float32
    assert lw.concat([np.zeros(2, "f4"), [1, 2]]).dtype == np.float64


def test_out_and_streams() -> None:
    x, out = some((2, 3)), np.zeros((4, 6), "f8")[:, ::2]
    assert lw.concat([x, x], out=out) is out and (out == np.concatenate([x, x])).all()
    s, a = lw.stream(), lw.asarray(x)
    got = lw.roll(lw.concat([a, a], stream=s), 1, stream=s)
    s.wait()
    same(got, np.roll(np.concatenate([x, x]), 1), lw.Array)
    same(lw.tile(x, 2, stream=s), np.tile(x, 2))
    same(lw.tile(x, 0), np.tile(x, 0))
    with pytest.raises(TypeError, match="stream"):
        lw.flip(x, stream=s)


def test_views_share_memory() -> None:
    x = some((2, 3))
    for view in (lw.flip(x), lw.squeeze(x[None]), lw.moveaxis(x, 0, 1), lw.reshape(x, 6),
                 lw.expand_dims(lw.asarray(x), 0).numpy(), lw.split(x, 2)[1]):
        assert np.shares_memory(view, x)
    assert not lw.broadcast_to(x, (2, 2, 3)).flags.writeable
    assert not np.shares_memory(lw.reshape(x, 6, copy=True), x)
    for call in (lambda: lw.roll(x, 0), lambda: lw.tile(x, 1), lambda: lw.pad(x, 0, "edge")):
        assert not np.shares_memory(call(), x)


def test_lists_numbers_and_devices() -> None:
    same(lw.concat([[1, 2], [3]]), np.array([1, 2, 3]))
    same(lw.stack([1, 2.5]), np.array([1, 2.5]))
    same(lw.concat(some((2, 3))), np.concatenate(some((2, 3))))
    there = lw.zeros(2, device="ref")
    made = lw.concat([np.ones(1, "f4"), there])
    assert isinstance(made, np.ndarray)
    assert lw.concat([there, np.ones(1, "f4")]).device.name == "ref"
    same(lw.diff(some((4,)), 2, prepend=1, append=[2, 3]),
         np.diff(some((4,)), 2, prepend=1, append=[2, 3]))
    assert lw.broadcast_shapes((3, 1), 2) == (3, 2)


@pytest.mark.parametrize("call, text", [
    (lambda x: lw.concat([]), "there are no arrays"),
    (lambda x: lw.concat([x, x[0]]), r"shapes \(2, 3\) and \(3,\) differ in more than axis 0"),
    (lambda x: lw.concat([x, x], axis=2), "axis is 2; x has no axis 2, its rank is 2"),
    (lambda x: lw.concat(3), "arrays is 3; need a sequence of arrays"),
    (lambda x: lw.stack([x, x.T]), r"the shapes \(2, 3\) and \(3, 2\) differ"),
    (lambda x: lw.stack([np.zeros((1,) * 8)]), "9 axes; need 0 to 8"),
    (lambda x: lw.expand_dims(x, (0, 0)), r"axis is \(0, 0\); need each axis once"),
    (lambda x: lw.expand_dims(x, tuple(range(7))), "9 axes; need 0 to 8"),
    (lambda x: lw.squeeze(x, 0), "axis 0 has extent 2; need 1"),
    (lambda x: lw.reshape(x, 5), r"shape \(2, 3\) cannot have shape \(5,\)"),
    (lambda x: lw.reshape(x.T, 6, copy=False), "copy=False"),
    (lambda x: lw.broadcast_to(x, (3, 2)), r"shape \(2, 3\) does not broadcast to \(3, 2\)"),
    (lambda x: lw.broadcast_arrays(x, x.T), r"shapes \(2, 3\) \(3, 2\) do not broadcast"),
    (lambda x: lw.split(x, 2, 1), "axis 1 of extent 3 has no 2 equal parts"),
    (lambda x: lw.repeat(x, [1, 2]), "need an integer from 0 on, or one for each of 6 elements"),
    (lambda x: lw.repeat(x, -1), "repeats is -1"),
    (lambda x: lw.pad(x, -1), "pad_width is -1; need integers from 0 on"),
    (lambda x: lw.pad(x, 1, "mean"), "mode is 'mean'; need constant, edge"),
    (lambda x: lw.tile(x, -1), "repetitions is -1; need 0 or more"),
    (lambda x: lw.tril(x[0]), r"x has shape \(3,\); need two axes or more"),
    (lambda x: lw.roll(x, (1, 2, 3), (0, 1)), r"shift is \(1, 2, 3\) and axis \(0, 1\)"),
    (lambda x: lw.permute_dims(x, (0, 0)), r"axes are .*; need each of 0 to 1 once"),
    (lambda x: lw.flip(np.zeros((1,) * 9)), "9 axes; need 0 to 8"),
])
def test_what_is_refused(call: Callable[[Any], Any], text: str) -> None:
    with pytest.raises(lw.ArgumentError, match=text):
        call(some((2, 3)))


def test_an_axis_that_is_not_there() -> None:
    for call in (lw.flip, lw.expand_dims, lw.squeeze, lw.var, lw.split):
        with pytest.raises(IndexError, match="x has no axis 7, its rank is"):
            call(some((2, 3)), *([2] if call is lw.split else []), axis=7)


def test_complex_is_refused() -> None:
    with pytest.raises(lw.DtypeError, match="dtype is complex128; need one of int8"):
        lw.flip(np.zeros(2, complex))
