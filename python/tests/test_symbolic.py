"""Graphs whose sizes come with the inputs."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lanewise as lw

SOURCE = """
#include <lanewise/kernel.h>
KERNEL void twice(int n, float *out, const float *x)
{
    int i = global_idx.x;
    if (i < n) out[i] = 2 * x[i];
}
"""
calls: list[tuple[Any, ...]] = []


def row_sums(x: lw.TensorType) -> lw.TensorType:
    calls.append(("infer", x.shape[0]))
    return lw.TensorType(x.dtype, (x.shape[0],))


@lw.op("symbolic::row_sums_twice", infer=row_sums, source=SOURCE)
def row_sums_twice(s: lw.Stream, out: Any, x: Any) -> None:
    calls.append(("record", x.shape[0]))
    kept = s.temporary(x.dtype, (x.shape[0],))
    lw.sum(x, axis=1, out=kept, stream=s)
    row_sums_twice.program.twice[x.shape[0] // 64 + 1, 64, s](x.shape[0], out, kept)


@lw.op("symbolic::standardized")
def standardized(x: Any) -> Any:
    return lw.map("(a - b) / c", x, lw.mean(x, keepdims=True), lw.max(x, keepdims=True))


def rows(n: int, m: int = 3) -> np.ndarray:
    return np.random.default_rng(n).random((n, m)).astype("f4")


def test_operations_at_many_sizes() -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", ("n", 3)), "w": lw.TensorType("f32", (3, 2)),
                          "b": lw.TensorType("f32", ("n",))}) as g:
        y = lw.matmul(g.x, g.w)
        n, = g.b.shape
        assert y.shape == (n, 2) == (g.x.shape[0], 2) and y.ndim == 2 and str(n) == "n"
        column = g.b.reshape(n, 1)
        assert column.shape == (n, 1) == g.b.reshape(-1, 1).shape
        kept = g.temporary("f32", (n, 2))
        lw.map("a + b", y, column, out=kept)
        g.output(out=kept, turned=lw.transpose(y), flat=lw.map("a", y.T.reshape(-1)),
                 total=lw.sum(y), step=lw.difference(g.b))
    assert g.inputs["x"] == lw.TensorType("f32", (n, 3))
    w = rows(3, 2)
    for device in ("cpu", "ref"):
        model = g.compile(device)
        assert model.outputs["turned"].shape == (2, n)
        assert repr(model.outputs["step"].shape) == "(n-1,)"
        assert repr(model.outputs["flat"].shape) == "(2*n,)"
        with pytest.raises(lw.ArgumentError, match="no plan yet"):
            model.plan
        for size in (5, 1, 64, 5):
            x, b = rows(size), rows(size, 1)[:, 0]
            got, product = model(x, w, b=b), lw.matmul(x, w)
            np.testing.assert_array_equal(got["out"], product + b[:, None])
            np.testing.assert_array_equal(got["turned"], product.T)
            np.testing.assert_array_equal(got["flat"], product.T.reshape(-1))
            np.testing.assert_array_equal(got["step"], np.diff(b))
            assert got["total"] == lw.sum(product) and model.plan.launches >= 5


def test_custom_operations_get_numbers_at_each_size() -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", ("n", "m"))}) as g:
        calls.clear()
        g.output(sums=row_sums_twice(g.x), standard=standardized(g.x),
                 named=lw.custom("symbolic::row_sums_twice", lw.map("a + 1", g.x)))
        assert calls == [("infer", g.x.shape[0])] * 2
    model = g.compile()
    for n, m in ((4, 3), (100, 2), (4, 3)):
        x = rows(n, m)
        calls.clear()
        got = model(x=x)
        np.testing.assert_array_equal(got["sums"], 2 * lw.sum(x, axis=1))
        np.testing.assert_array_equal(got["named"], 2 * lw.sum(x + 1, axis=1))
        np.testing.assert_array_equal(got["standard"], standardized(x))
    assert calls == [], "sizes that were there are kept"


def test_32_sizes_are_kept() -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", ("n", 3))}) as g:
        g.output(row_sums_twice(g.x))
    model = g.compile()
    for n in range(1, 34):
        model(rows(n))
    for n, times in ((2, 0), (33, 0), (1, 1)):
        calls.clear()
        model(rows(n))
        assert len(calls) == 2 * times, n


def test_attention_with_weights() -> None:
    shapes = {"q": ("n", 4), "k": ("m", 4), "v": ("m", 2)}
    for sizes in ({}, {"n": 3, "m": 5}):
        with lw.Graph(inputs={name: lw.TensorType("f32", tuple(sizes.get(e, e) for e in shape))
                              for name, shape in shapes.items()}) as g:
            mixed, weights = lw.attention(g.q, g.k, g.v, scale=0.5, causal=True,
                                          return_weights=True)
            assert weights.shape == (g.q.shape[0], g.k.shape[0])
            own = g.temporary("f32", (g.q.shape[0], 2))
            assert lw.attention(g.q, g.k, g.v, return_weights=True, out=own)[0] is own
            g.output(mixed=mixed, weights=weights, own=own)
        for device in ("cpu", "ref"):
            for n, m in ((3, 5),) if sizes else ((3, 5), (4, 4), (1, 70)):
                q, k, v = rows(n, 4), rows(m, 4), rows(m, 2)
                got = g.compile(device)(q, k, v)
                expected = lw.attention(q, k, v, scale=0.5, causal=True, return_weights=True)
                np.testing.assert_array_equal(got["mixed"], expected[0])
                np.testing.assert_array_equal(got["weights"], expected[1])
                np.testing.assert_array_equal(got["own"], lw.attention(q, k, v))


def test_a_size_can_be_compared_and_nothing_else() -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", ("n", "m", "n"))}) as g:
        n, m, again = g.x.shape
    assert n == again and hash(n) == hash(again) and n != m and n != 5 and str(m) == "m"
    assert isinstance(n, lw.Dim) and {n: 1}[again] == 1
    for call in (lambda: n + 1, lambda: 2 * n, lambda: n // 2, lambda: n - m, lambda: -n,
                 lambda: n < 3, lambda: int(n), lambda: range(n), lambda: bool(n), lambda: n ** 2):
        with pytest.raises(lw.ArgumentError, match="the size n is not known"):
            call()


def test_a_kernel_cannot_take_what_has_no_size_yet() -> None:
    prog = lw.compile(SOURCE)
    with lw.Graph(inputs={"x": lw.TensorType("f32", ("n",)), "y": lw.TensorType("f32", (4,))}) as g:
        kept = g.temporary("f32", (4,))
        with pytest.raises(lw.ArgumentError, match=r"argument 3 .*\(n,\).*lanewise.op"):
            prog.twice[1, 64, g.stream](4, kept, g.x)
        prog.twice[1, 64, g.stream](4, kept, g.y)
        g.output(kept, lw.sum(g.x))
    got = g.compile()(np.ones(7, "f4"), np.arange(4, dtype="f4"))
    assert got["out0"].tolist() == [0, 2, 4, 6] and got["out1"] == 7


def test_mistakes_name_sizes() -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", ("n", 3)),
                          "y": lw.TensorType("f32", ("m", "n"))}) as g:
        with pytest.raises(lw.ArgumentError, match=r"\bn\b.*\bm\b|\bm\b.*\bn\b"):
            lw.map("a + b", g.x, g.y)
        with pytest.raises(lw.ArgumentError, match=r"\(n, 3\) cannot have shape \(-1, 2\)"):
            g.x.reshape(-1, 2)
        with pytest.raises(lw.ArgumentError, match="out has shape"):
            lw.map("a", g.x, out=g.temporary("f32", (g.y.shape[0], 3)))
        with pytest.raises(lw.ArgumentError, match="names of sizes are for inputs"):
            g.temporary("f32", ("n",))
        g.output(lw.matmul(g.y, g.x))
    model = g.compile()
    assert model(rows(2), rows(5, 2))["out"].shape == (5, 3)
    with pytest.raises(lw.ArgumentError, match="'y' has shape .5, 4.; need .m, n., and n is 2 in"):
        model(rows(2), rows(5, 4))
    with pytest.raises(lw.ArgumentError, match="'x' has shape .2, 4.; need .2, 3."):
        model(rows(2, 4), rows(5, 2))
    with pytest.raises(lw.ArgumentError, match="'x' has shape .4,.; need .n, 3."):
        model(np.ones(4, "f4"), rows(5, 2))
    with pytest.raises(lw.ArgumentError, match="the size is 'a b'"):
        lw.Graph(inputs={"x": lw.TensorType("f32", ("a b",))})


def test_what_fails_at_a_size_is_no_size() -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", ("n",))}) as g:
        g.output(lw.max(g.x))
    model = g.compile()
    for _ in range(2):
        with pytest.raises(lw.ArgumentError, match="max"):
            model(np.ones(0, "f4"))
        assert model(np.ones(3, "f4"))["out"] == 1


def test_drawing_takes_the_last_sizes(tmp_path: Any) -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", ("n",))}) as g:
        g.output(result=lw.softmax(g.x))
    path = tmp_path / "g.dot"
    with pytest.raises(lw.ArgumentError, match="sizes are known when"):
        g.draw(str(path))
    g.compile()(np.ones(3, "f4"))
    g.draw(str(path))
    assert "result" in path.read_text()


def test_an_infer_that_says_something_else_at_a_size() -> None:
    @lw.op("symbolic::changes", infer=lambda x: lw.TensorType(
        x.dtype, (x.shape[0] if isinstance(x.shape[0], lw.Dim) else x.shape[0] + 1,)))
    def changes(s: lw.Stream, out: Any, x: Any) -> None:
        lw.map("i", out=out, stream=s)

    with lw.Graph(inputs={"x": lw.TensorType("f32", ("n",))}) as g:
        g.output(changes(g.x))
    with pytest.raises(lw.ArgumentError, match=r"recorded as \(n,\), and at n = 3 .*\(4,\)"):
        g.compile()(np.ones(3, "f4"))
