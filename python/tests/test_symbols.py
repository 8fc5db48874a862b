"""Tensors of a graph: views as an Array's, what is recorded, and what is a clear TypeError."""
from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import lanewise as lw

SOURCE = """
#include <lanewise/kernel.h>
KERNEL void negate(TENSOR(float, 2) to, CONST_TENSOR(float, 2) from)
{
    int W = extent(from, 1);
    for (int i = thread_idx.x; i < extent(from, 0) * W; i += block_dim.x)
        at(to, i / W, i % W) = -at(from, i / W, i % W);
}
KERNEL void twice(int n, float out[n], const float x[n])
{
    int i = global_idx.x;
    if (i < n) out[i] = 2 * x[i];
}
"""
X = np.arange(96, dtype="f4").reshape(8, 12) / 7
KEYS = [np.s_[:, 0:4], np.s_[0], np.s_[-1, ::-2], np.s_[1:7:3, None, 5], np.s_[..., -1],
        np.s_[None, ..., 2:3], np.s_[5:2], np.s_[::-1, ::-1], np.s_[3, 4], np.s_[:], np.s_[...]]
ONLY_OF_8 = [np.s_[1:7:3, None, 5], np.s_[5:2]]


def run(g: lw.Graph, *values: Any) -> dict[str, np.ndarray]:
    """On cpu and ref, which agree."""
    on_cpu, on_ref = (g.compile(device)(*values) for device in ("cpu", "ref"))
    for name, value in on_cpu.items():
        np.testing.assert_array_equal(value, on_ref[name])
    return on_cpu


@pytest.fixture(scope="module")
def prog() -> lw.Program:
    return lw.compile(SOURCE)


@pytest.mark.parametrize("rows", [8, "n"])
def test_indices_are_views(rows: Any) -> None:
    keys = KEYS if rows == 8 else [key for key in KEYS if key not in ONLY_OF_8]
    with lw.Graph(inputs={"x": lw.TensorType("f32", (rows, 12))}) as g:
        views = [g.x[key] for key in keys]
        if rows == 8:
            assert [v.shape for v in views] == [X[key].shape for key in keys]
        assert [len(v) for v in views if v.ndim and isinstance(v.shape[0], int)]
        g.output(*(lw.sum(v) for v in views), *views)
    got = run(g, X)
    for k, key in enumerate(keys):
        assert got[f"out{k}"] == lw.sum(X[key].copy())
        np.testing.assert_array_equal(got[f"out{len(keys) + k}"], X[key])


def test_views_record_nothing() -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", (8, 12))}) as g:
        views = [g.x[key] for key in KEYS]
        g.output(views[0], g.x.T[1:].reshape(11, 2, 4).transpose(1, 0, 2))
    assert g.compile().plan.launches == 2


def heads(x: Any, b: Any, t: Any) -> Any:
    return x.reshape(b, t, 2, 4).transpose(0, 2, 1, 3)


@pytest.mark.parametrize("batch", [3, "b"])
def test_q_k_and_v_of_one_projection(batch: Any) -> None:
    random = np.random.default_rng(1)
    x, w = random.random((3, 5, 6), "f4"), random.random((6, 24), "f4")
    with lw.Graph(inputs={"x": lw.TensorType("f32", (batch, 5, 6)),
                          "w": lw.TensorType("f32", (6, 24))}) as g:
        b = g.x.shape[0]
        qkv = lw.matmul(g.x, g.w)
        q, k, v = (heads(qkv[..., 8 * n:8 * n + 8], b, 5) for n in range(3))
        g.output(lw.attention(q, k, v, scale=0.5, causal=True))
    for size in (3, 1, 7) if batch == "b" else (3,):
        x = random.random((size, 5, 6), "f4")
        q, k, v = (heads(part, size, 5) for part in np.split(x @ w, 3, axis=-1))
        scores = 0.5 * q @ k.swapaxes(2, 3)
        scores[..., np.triu(np.ones((5, 5), bool), 1)] = -np.inf
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        expected = weights / weights.sum(-1, keepdims=True) @ v
        np.testing.assert_allclose(run(g, x, w)["out"], expected, rtol=2e-5)


def test_a_view_keeps_its_tensor_alive() -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", (8, 12))}) as g:
        first = lw.map("a + 1", g.x)
        part = first[2:, ::3]
        del first
        others = g.x
        for _ in range(3):
            others = lw.map("a * 2", others)
        g.output(lw.matmul(part, others[:4, :6]))
    np.testing.assert_allclose(run(g, X)["out"], (X + 1)[2:, ::3] @ (8 * X)[:4, :6], rtol=1e-6)
    plan = g.compile().plan
    assert max(t["last_launch"] for t in plan.temporaries) == plan.launches - 1
    assert any(t["first_launch"] == 0 and t["last_launch"] == plan.launches - 1
               for t in plan.temporaries)


def test_kernels_take_views(prog: lw.Program) -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", (8, 12))}) as g:
        out = g.temporary("f32", (8, 12))
        prog.negate[1, 32, g.stream](out[::-1, ::2], g.x.T[3:9, ::-1].T)
        prog.negate[1, 32, g.stream](out[:, 1::2], g.x[:, 6:])
        line = g.temporary("f32", (3, 12))
        prog.twice[1, 32, g.stream](12, line[1], g.x[2])
        prog.twice[1, 32, g.stream](5, line[0, 7:], g.x[4, 3:8])
        with pytest.raises(lw.ArgumentError, match="strides .*C-contiguous"):
            prog.twice[1, 32, g.stream](8, line[2, :8], g.x[:, 0])
        with pytest.raises(lw.ArgumentError, match="11"):
            prog.twice[1, 32, g.stream](12, line[2], g.x[0, 1:])
        g.output(out=out, middle=line[1], end=line[0, 7:])
    got = run(g, X)
    expected = np.empty_like(X)
    expected[::-1, ::2], expected[:, 1::2] = -X[::-1, 3:9], -X[:, 6:]
    np.testing.assert_array_equal(got["out"], expected)
    np.testing.assert_array_equal(got["middle"], 2 * X[2])
    np.testing.assert_array_equal(got["end"], 2 * X[4, 3:8])


@pytest.mark.parametrize("rows", [8, "n"])
def test_operations_and_assignments_write_into_views(rows: Any) -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", (rows, 12)),
                          "w": lw.TensorType("i32", (4,))}) as g:
        n = g.x.shape[0]
        out = g.temporary("f32", (n, 12))
        lw.softmax(g.x[:, :4], out=out[:, 8:])
        out[:, 4:8] = g.x[::-1, :4]
        out[:, :4] = g.w
        out[:, 1] = 2.5
        out[0, 2:4] = [7, 8]
        out[-1:1:-1, 5] = g.x[2:, 0]
        for value in (g.x, np.ones(3), g.x[:, :3]):
            with pytest.raises(lw.ArgumentError, match=r"does not broadcast to \(.*, 4\)"):
                out[:, :4] = value
        g.output(out)
    expected = np.empty_like(X)
    expected[:, 8:], expected[:, 4:8] = lw.softmax(X[:, :4]), X[::-1, :4]
    expected[:, :4], expected[:, 1], expected[0, 2:4] = [1, 2, 3, 4], 2.5, [7, 8]
    expected[-1:1:-1, 5] = X[2:, 0]
    np.testing.assert_array_equal(run(g, X, np.arange(1, 5, dtype="i4"))["out"], expected)


def test_a_cache_is_updated_in_place() -> None:
    with lw.Graph(inputs={"k": lw.TensorType("f32", (12,)),
                          "cache": lw.TensorType("f32", (8, 12))}) as g:
        g.cache[3] = g.k
        g.output(total=lw.sum(g.cache), cache=g.cache)
    for device in ("cpu", "ref"):
        model, cache = g.compile(device), X.copy()
        got = model(k=X[0], cache=cache)
        assert got["cache"] is cache and list(got) == ["total", "cache"]
        expected = X.copy()
        expected[3] = X[0]
        np.testing.assert_array_equal(cache, expected)
        assert got["total"] == lw.sum(expected)
        kept = lw.asarray(X, device=device, copy=True)
        assert model(lw.asarray(X[0], device=device), kept)["cache"] is kept


@pytest.mark.parametrize("rows", [8, "n"])
def test_outputs_are_inputs_parts_and_named_as_inputs(rows: Any) -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", (rows, 12)),
                          "by": lw.TensorType("f32", ())}) as g:
        y = lw.map("a * b", g.x, g.by)
        g.output(x=y, again=y, part=y[1:, 3], turned=y.T, same=g.x, by=g.by, of_input=g.x[:, 1])
        with pytest.raises(lw.ArgumentError, match="an output 'again' already"):
            g.output(again=g.x)
    assert list(g.compile().outputs) == ["x", "again", "part", "turned", "same", "by", "of_input"]
    for device in ("cpu", "ref"):
        got = g.compile(device)(X, 3)
        for name, expected in {"x": 3 * X, "again": 3 * X, "part": 3 * X[1:, 3], "by": 3,
                               "turned": 3 * X.T, "of_input": X[:, 1]}.items():
            np.testing.assert_array_equal(got[name], expected)
        assert got["same"] is X and isinstance(got["by"], np.float32)


def test_reshape_is_a_view_where_it_can_be() -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", (8, 12))}) as g:
        out = g.temporary("f32", (8, 12))
        out[:] = g.x
        out[:, :8].reshape(8, 2, 4)[:, 1] = g.x[:, 4:8].reshape(8, 1, 4)[:, 0, ::-1]
        g.output(out, out[:, :8].reshape(-1))
        assert lw.zeros((8, 12))[:, :8].reshape(8, 2, 4).strides == (48, 16, 4)
    expected = X.copy()
    expected[:, 4:8] = X[:, 7:3:-1]
    got = run(g, X)
    np.testing.assert_array_equal(got["out0"], expected)
    np.testing.assert_array_equal(got["out1"], expected[:, :8].reshape(-1))


def test_an_array_is_reshaped_as_a_view() -> None:
    x = lw.asarray(X.copy())
    x[:, :8].reshape(8, 2, 4)[:, 1] = 5
    assert (x.numpy()[:, 4:8] == 5).all() and (x.numpy()[:, 8:] == X[:, 8:]).all()
    assert x[:0].reshape(3, 0, 2).shape == (3, 0, 2)
    np.testing.assert_array_equal(x.T.reshape(-1).numpy(), x.numpy().T.reshape(-1))


def test_copies_and_other_dtypes() -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", ("n", 3))}) as g:
        half, kept = g.x.astype("f16"), g.x.T.copy()
        assert half.dtype == np.dtype("f2") and copy.copy(g.x).shape == g.x.shape
        assert str(g.x.size) == "3*n" and g.x[0].size == 3 and copy.deepcopy(g.x) is not g.x
        g.output(half=half, kept=kept, rows=lw.map("a + b", *g.x[0].reshape(3, 1)[1:]))
    x = X[:, :3].copy()
    got = run(g, x)
    np.testing.assert_array_equal(got["half"], x.astype("f2"))
    np.testing.assert_array_equal(got["kept"], x.T)
    assert got["rows"] == x[0, 1] + x[0, 2]


@pytest.mark.parametrize("call, text", [
    (lambda x: 1 in x, "has no values"),
    (lambda x: not x, "has no values"),
    (lambda x: range(x), "has no values"),
    (lambda x: X[x], "has no values"),
    (lambda x: np.sqrt(x), "does not support ufuncs"),
    (pickle.dumps, "cannot be pickled"),
    (lambda x: len(x[0, 0]), r"len\(\) of a tensor of rank 0"),
    (lambda x: list(x[0, 0]), r"len\(\) of a tensor of rank 0"),
])
def test_what_has_no_meaning_is_a_type_error(call: Any, text: str) -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", (8, 12))}) as g:
        with pytest.raises(TypeError, match=text):
            call(g.x)
        assert {g.x: 1}[g.x] == 1 and g.x in [g.x]

def test_graphs_and_models_are_not_copied() -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", (8,))}) as g:
        g.output(lw.map("a", g.x))
    for thing in (g, g.compile()):
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="cannot be copied or pickled"):
                call(thing)


@pytest.mark.parametrize("key, text", [
    ([0.5], r"index \[0.5\] is of float64; need integers"), ("a", "index 'a'"),
    (np.ones((2, 2, 2), bool), "too many parts"), ([[0], [1, 2]], "inhomogeneous"),
    (np.s_[::0], "slice step cannot be zero"), (np.s_["a":], "slice indices must be integers"),
])
def test_what_is_no_index(key: Any, text: str) -> None:
    for size in (8, "n"):
        with lw.Graph(inputs={"x": lw.TensorType("f32", (size, 12))}) as g:
            for x in (g.x, lw.asarray(X)):
                with pytest.raises(lw.ArgumentError, match=text):
                    x[key]
            for mask in (True, g.x.astype("bool"), g.x[:, 0].astype("bool")):
                with pytest.raises(lw.IndexError, match="mask.*lanewise.compact"):
                    g.x[mask]
    with pytest.raises(lw.IndexError, match="index <lanewise.Symbol .* is of float32"):
        g.x[g.x]


def test_slices_of_unknown_sizes() -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", ("n", 12)),
                          "y": lw.TensorType("f32", ("m",))}) as g:
        n, m = g.x.shape[0], g.y.shape[0]
        assert g.x[:n].shape == g.x[::-1].shape == (n, 12)
        assert repr(g.x[1:-2].shape) == "(n-3, 12)" and g.x[-1].shape == (12,)
        flat = g.x[:, :2].reshape(-1)
        assert flat[:n].shape == flat[n:].shape == flat[::2].shape == (n,)
        step = lw.difference(g.y)
        assert g.y[:step.shape[0]].shape == step.shape == g.y[1:].shape
        for call, text in [(lambda: g.x[:4], r"\[:4\] of an axis of n: how many .* depends on n"),
                           (lambda: g.x[-1:], r"\[-1:\] of an axis of n"),
                           (lambda: g.x[-3:5:2], r"\[-3:5:2\] of an axis of n"),
                           (lambda: g.x[:m], r"\[:m\] of an axis of n: m may be larger"),
                           (lambda: g.x[0, n:], r"\[n:\] of an axis of 12: n may be larger"),
                           (lambda: g.x[n], "the size n is not known"),
                           (lambda: g.x[7000], "beyond 5002"), (lambda: g.x[6000:], "beyond 5002"),
                           (lambda: len(g.x), "the size n is not known"),
                           (lambda: list(g.x), "the size n is not known")]:
            with pytest.raises(lw.ArgumentError, match=text):
                call()
        with pytest.raises(lw.IndexError, match=r"too many parts for shape \(n, 12\)"):
            g.x[0, 0, 0]
        with pytest.raises(lw.IndexError, match="index 12 is out of bounds for an axis of 12"):
            g.x[0, 12]
        g.output(cut=lw.map("a", g.x[1:-2, 3]), half=flat[n:], steps=lw.map("a", g.y[::3]),
                 third=lw.map("a", g.x[2]))
    for size in (8, 3, 5):
        x, y = X[:size], X[0, :size]
        got = run(g, x, y)
        np.testing.assert_array_equal(got["cut"], x[1:-2, 3])
        np.testing.assert_array_equal(got["half"], x[:, :2].reshape(-1)[size:])
        np.testing.assert_array_equal(got["steps"], y[::3])
    with pytest.raises(lw.IndexError, match="at n = 2, m = 8: index 2 is out of bounds for an"):
        g.compile()(X[:2], X[0, :8])
