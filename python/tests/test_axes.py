"""axis=None and tuples of axes, against NumPy: results, out, streams, graphs, what is refused."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st

import lanewise as lw
from conftest import LAYOUTS, laid_out


@st.composite
def cubes(draw: Any) -> np.ndarray:
    """Up to 4 axes, in any order of memory, of quarters, which sum exactly."""
    shape = draw(st.lists(st.integers(1, 5), max_size=4))
    rng, layout = np.random.default_rng(draw(st.integers(0, 99))), draw(st.sampled_from(LAYOUTS))
    x = (rng.integers(-16, 17, shape) / 4).astype(draw(st.sampled_from(["f4", "f8", "i4", "?"])))
    return laid_out(x, layout)


def same(got: Any, expected: Any) -> None:
    got = got.numpy() if isinstance(got, lw.Array) else got
    assert type(got) is type(expected) and got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-5)


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min", "any", "all"])
@given(x=cubes(), data=st.data())
def test_tuples_of_axes(name: str, x: np.ndarray, data: st.DataObject) -> None:
    rank, keepdims = x.ndim, data.draw(st.booleans())
    axes = data.draw(st.lists(st.sampled_from(range(rank)), unique=True, max_size=rank)
                     if rank else st.just([]))
    axis = tuple(a - data.draw(st.sampled_from([0, rank])) for a in axes)
    words = {"dtype": np.int64} if name in ("sum", "prod") and x.dtype.kind != "f" else {}
    expected = getattr(np, name)(x, axis=axis, keepdims=keepdims, **words)
    call = getattr(lw, name)
    got = call(x, axis=axis, keepdims=keepdims)
    same(got, expected)
    assert got.dtype == expected.dtype
    array = call(lw.asarray(x), axis=axis, keepdims=keepdims)
    assert isinstance(array, lw.Array)
    np.testing.assert_array_equal(array.numpy(), got)
    out = np.zeros((*expected.shape, 3), expected.dtype)[..., 1]
    stream = data.draw(st.sampled_from([None, lw.stream()]))
    assert call(x, axis=axis, keepdims=keepdims, out=out, stream=stream) is out
    if stream is not None:
        stream.wait()
    np.testing.assert_array_equal(out, got)


ROWS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "softmax": (lw.softmax, lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum()),
    "log_softmax": (lw.log_softmax, lambda x: x - x.max() - np.log(np.exp(x - x.max()).sum())),
    "mean_normalize": (lambda x, **w: lw.mean_normalize(x * x + 1, **w),
                       lambda x: (x * x + 1) / (x * x + 1).mean()),
    "layer_norm": (lambda x, **w: lw.layer_norm(x, eps=1, **w),
                   lambda x: (x - x.mean()) / np.sqrt(x.var() + 1)),
    "rms_norm": (lambda x, **w: lw.rms_norm(x, eps=1, **w),
                 lambda x: x / np.sqrt((x * x).mean() + 1)),
}


@pytest.mark.parametrize("name", ROWS)
@given(x=cubes(), data=st.data())
def test_norms_of_all_elements(name: str, x: np.ndarray, data: st.DataObject) -> None:
    x = x.astype("f8")
    call, reference = ROWS[name]
    got = call(x, axis=None)
    same(got, reference(x) if x.ndim else np.float64(reference(x)))
    out = np.zeros((*x.shape, data.draw(st.sampled_from([1, 2]))))[..., 0]
    assert call(x, axis=None, out=out) is out
    np.testing.assert_array_equal(out, got)
    if name != "mean_normalize":
        there = lw.asarray(x, copy=True)
        assert call(there, axis=None, out=there) is there
        np.testing.assert_array_equal(there.numpy(), got)


def test_weights_of_all_elements() -> None:
    x, w, b = np.arange(6.0).reshape(2, 3), np.arange(1.0, 7), np.arange(6.0)[::-1]
    norm = (x - x.mean()) / np.sqrt(x.var() + 1)
    for weight in (w, w.reshape(2, 3)):
        got = lw.layer_norm(x, weight=weight, bias=b, eps=1, axis=None)
        np.testing.assert_allclose(got, norm * w.reshape(2, 3) + b.reshape(2, 3))


FLAT: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "scan": (lw.scan, lambda x: np.cumsum(x, dtype=x.dtype if x.dtype.kind == "f" else "i8")),
    "sort": (lw.sort, lambda x: np.sort(x, axis=None)),
    "argsort": (lw.argsort, lambda x: np.argsort(x, axis=None, kind="stable")),
    "top_k": (lambda x, **w: lw.top_k(x, 1, **w)[0], lambda x: x.max().reshape(1)),
    "take": (lambda x, **w: lw.take(x, [[0, -1]], **w), lambda x: np.take(x, [[0, -1]])),
}


@pytest.mark.parametrize("name", FLAT)
@given(x=cubes())
def test_along_all_elements(name: str, x: np.ndarray) -> None:
    call, reference = FLAT[name]
    got, s = call(x, axis=None), lw.stream()
    same(got, reference(x))
    later, array = call(x, axis=None, stream=s), call(lw.asarray(x), axis=None)
    s.wait()
    same(later, reference(x))
    assert isinstance(array, lw.Array) and (array.numpy() == got).all()


def test_copies_are_in_the_order_of_the_stream() -> None:
    """A view that is not contiguous is copied by the stream, after what writes it."""
    prog = lw.compile("#include <lanewise/kernel.h>\nKERNEL void put(float *x) {\n"
                      "    for (int k = 0; k < 3000000; k++)\n"
                      "        x[k % 600] = k < 2999400 ? 9 : k % 600; }")
    s, x = lw.stream(), np.zeros((2, 3, 100), "f4")
    prog.put[1, 1, s](x)
    got = [lw.sum(x, axis=(0, 2), stream=s), lw.sort(x.T, axis=None, stream=s),
           lw.softmax(x.T, axis=None, stream=s)]
    s.wait()
    full = np.arange(600, dtype="f4").reshape(2, 3, 100)
    np.testing.assert_array_equal(x, full)
    np.testing.assert_array_equal(got[0], full.sum((0, 2)))
    np.testing.assert_array_equal(got[1], np.arange(600))
    np.testing.assert_array_equal(got[2], lw.softmax(full.T, axis=None))


def test_in_graphs() -> None:
    x = np.arange(24, dtype="f4").reshape(2, 3, 4) % 5
    for shape in ((2, 3, 4), ("n", 3, 4), (2, "n", 4)):
        with lw.Graph(inputs={"x": lw.TensorType("f4", shape)}) as g:
            g.output(total=lw.sum(g.x, axis=(0, 2)), kept=lw.max(g.x, axis=(-1, 1), keepdims=True),
                     all=lw.mean(g.x, axis=(0, 1, 2)), order=lw.argsort(g.x, axis=None),
                     each=lw.any(g.x, axis=()), soft=lw.softmax(g.x, axis=None))
        got = g.compile()(x=x)
        np.testing.assert_array_equal(got["total"], x.sum((0, 2)))
        np.testing.assert_array_equal(got["kept"], x.max((-1, 1), keepdims=True))
        np.testing.assert_allclose(got["all"], x.mean())
        np.testing.assert_array_equal(got["order"], np.argsort(x, axis=None, kind="stable"))
        np.testing.assert_array_equal(got["each"], x != 0)
        np.testing.assert_array_equal(got["soft"], lw.softmax(x, axis=None))


def test_the_order_of_the_sum_is_that_of_one_axis() -> None:
    x = lw.random.normal(3, (3, 700, 5)).numpy()
    flat = np.ascontiguousarray(x.transpose(1, 0, 2)).reshape(700, 15)
    assert lw.sum(x, axis=(2, 0)).tobytes() == lw.sum(flat, axis=1).tobytes()


@pytest.mark.parametrize("call, text", [
    (lambda x: lw.sum(x, axis=(0, 0)), r"axis is \(0, 0\); need each axis once"),
    (lambda x: lw.sum(x, axis=(0, 2)), r"axis is \(0, 2\); x has no axis 2, its rank is 2"),
    (lambda x: lw.sum(x, axis=(0, 1.0)), "axis is 1.0; need integers in the tuple"),
    (lambda x: lw.sum(x, axis=[0]), r"axis is \[0\]; need an integer, a tuple of them or None"),
    (lambda x: lw.sum(x, axis=1.0), "axis is 1.0; need an integer, a tuple of them or None"),
    (lambda x: lw.sum(x, axis=2), "sum: x has no axis 2; its rank is 2"),
    (lambda x: lw.sum(x, axis=(0,), out=np.zeros(3)), r"out has shape \(3,\); need \(2,\)"),
    (lambda x: lw.argmax(x, axis=(0, 1)), r"axis is \(0, 1\); need an integer"),
    (lambda x: lw.map_reduce("a", "x + y", x, axis=(0,)), r"axis is \(0,\); need an integer"),
    (lambda x: lw.difference(x, axis=None), "axis is None; need an integer"),
    (lambda x: lw.moving_average(x, axis=None), "axis is None; need an integer"),
    (lambda x: lw.sort(x, axis=(0, 1)), r"axis is \(0, 1\); need an integer or None"),
    (lambda x: lw.softmax(x, axis=(0, 1)), r"axis is \(0, 1\); need an integer or None"),
    (lambda x: lw.softmax(x, axis=None, out=np.zeros(4)), r"out has shape \(4,\); need \(2, 2\)"),
])
def test_what_is_refused(call: Callable[[Any], Any], text: str) -> None:
    with pytest.raises(lw.ArgumentError, match=text):
        call(np.eye(2))


def test_out_and_dtype_agree() -> None:
    x, out = np.eye(2), np.zeros(2, "f4")
    for call in (lambda **w: lw.sum(x, axis=1, **w), lambda **w: lw.scan(x[0], **w),
                 lambda **w: lw.mean(x, axis=(0,), **w), lambda **w: lw.map("a", x[0], **w),
                 lambda **w: lw.matmul(x, x[0], **w), lambda **w: lw.prod(x, axis=0, **w),
                 lambda **w: lw.map_reduce("a", "x+y", x, axis=0, **w)):
        assert call(out=out, dtype="f4") is out
        with pytest.raises(lw.DtypeError, match="dtype is float16 and out is of float32"):
            call(out=out, dtype="float16")
    with pytest.raises(lw.DtypeError, match="dtype is float16 and out is of float32"):
        lw.dot(x[0], x[0], out=np.zeros((), "f4"), dtype="float16")


def test_masked_elements_are_refused() -> None:
    x = np.ma.array([1.0, 2, 3], mask=[0, 1, 0])
    for call in (lw.sum, lw.asarray, lambda x: lw.sum(np.ones(3), out=x), lambda x: lw.dot(x, x),
                 lambda x: lw.zeros(3).__setitem__(..., x), lambda x: lw.map("a", x),
                 lambda x: lw.map("a", np.ones(3), out=x)):
        with pytest.raises(lw.ArgumentError, match=r"1 masked elements of 3.*filled"):
            call(x)
    assert lw.sum(np.ma.array([1.0, 2, 3])) == 6
    assert lw.sum(np.ma.array([1.0, 2, 3], mask=[0, 0, 0])) == 6
