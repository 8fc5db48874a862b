"""Reductions of strided input have the bits of those of a copy that lies side by side."""
from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw

REDUCTIONS = ["sum", "prod", "mean", "max", "min", "argmax", "argmin", "any", "all"]
DTYPES = ["f4", "f8", "f2", "i1", "i2", "i4", "i8", "u1", "u8", "?"]
SIZES = [1, 33, 64, 1023, 1025, 70001]
STEPS = [2, 3, -1, -2, 0]


def random(dtype: str, *shape: int) -> np.ndarray:
    rng = np.random.default_rng(len(shape) + shape[-1])
    if np.dtype(dtype).kind == "f":
        return rng.standard_normal(shape).astype(dtype)
    return rng.integers(0, 2 if dtype == "?" else 99, shape).astype(dtype)


def steps_of(x: np.ndarray, step: int) -> np.ndarray:
    """Every `step`-th along the last axis, or the first again and again."""
    return x[..., ::step] if step else np.broadcast_to(x[..., :1], x.shape)


def same(got: np.ndarray, expected: np.ndarray) -> None:
    got, expected = np.asarray(got), np.asarray(expected)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    assert got.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_vectors(dtype: str, size: int) -> None:
    x, y = random(dtype, 2 * size), random("f4", 3 * size)
    for step in STEPS:
        view = steps_of(x, step)
        for name in REDUCTIONS:
            same(getattr(lw, name)(view), getattr(lw, name)(view.copy()))
        other = y[::3][: view.size]
        view = view[: other.size]
        same(lw.dot(view, other), lw.dot(view.copy(), other.copy()))
        same(lw.dot(other.copy(), view), lw.dot(other.copy(), view.copy()))


@pytest.mark.on_cpu  # tests/unit/ops_reduce.c has such views on ref, too
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 700, 5), (2, 65, 130), (7, 2, 1031), (1025, 3, 64)])
def test_axes(dtype: str, shape: tuple[int, ...]) -> None:
    x = random(dtype, *shape)
    for view in (x[:, ::2], x[..., ::-1], x.transpose(2, 0, 1)[::2], x[::2, :, ::3],
                 np.broadcast_to(x[:, :1], x.shape)):
        for name in REDUCTIONS:
            for axis in (None, 0, 1, 2):
                same(getattr(lw, name)(view, axis=axis), getattr(lw, name)(view.copy(), axis=axis))


@pytest.mark.on_cpu
@pytest.mark.parametrize("dtype", ["u1", "u2", "f4", "f8"])
@pytest.mark.parametrize("columns", [1, 7, 16, 33, 130])
def test_transposes_whose_lines_share_a_set(dtype: str, columns: int) -> None:
    rows = 65536 // np.dtype(dtype).itemsize
    x = np.random.default_rng(columns).integers(0, 200, (rows, columns)).astype(dtype)
    assert np.array_equal(lw.transpose(x), x.T)
    assert np.array_equal(lw.transpose(x[:, ::-1]), x[:, ::-1].T)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
@pytest.mark.parametrize("terms", [
    0, 1, 7, 16, 64, 65,
    *(pytest.param(terms, marks=pytest.mark.on_cpu) for terms in (128, 200, 1024, 1500))])
def test_a_vector_has_the_bits_of_a_matrix(dtype: str, terms: int) -> None:
    random = np.random.default_rng(1)
    for rows in (1, 31, 64, 65, 193, 1000):
        x = (random.standard_normal((2 * rows, terms)) * 9).astype(dtype)
        w = (random.standard_normal(terms) * 9).astype(dtype)
        for view in x[:rows], x[::2], x[::-1], np.broadcast_to(x[:1], (rows, terms)):
            need = lw.matmul(view, np.stack([w] * 5, 1))[:, 2]
            out = np.zeros(2 * len(view), dtype)
            for got in (lw.matmul(view, w), lw.matmul(w, view.T),
                        lw.matmul(view, w, out=out[::2])):
                assert np.asarray(got).tobytes() == need.tobytes()
            bias = view[:, :1].sum(axis=1).astype(dtype)
            need = lw.matmul(view, np.stack([w] * 5, 1), bias=np.stack([bias] * 5, 1))[:, 2]
            assert np.asarray(lw.matmul(view, w, bias=bias)).tobytes() == need.tobytes()
            need = lw.matmul(view, np.stack([w] * 5, 1))[:, 2]
            stacked = lw.matmul(np.stack([view, view]), w)
            assert np.asarray(stacked[1]).tobytes() == need.tobytes()


@pytest.mark.parametrize("dtype", ["i1", "f2", "f4", "f8"])
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 7, 9, 15, 16, 40])
def test_copies_of_short_rows(dtype, length):
    rows = 2048 // length + 3  # more than a block has
    x = np.arange(3 * rows * length * 2).astype(dtype).reshape(3, rows, length * 2)
    for view in (x[:, :, ::2], x[:, ::-1, :length],
                 np.broadcast_to(x[..., :1], (3, rows, length)), np.zeros((), dtype)):
        view = np.broadcast_to(view, (3, rows, length))
        out = np.zeros((3, rows, length + 1), dtype)
        made = lw.asarray(out)
        made[..., 1:] = lw.asarray(view)
        np.testing.assert_array_equal(out[..., 1:], view)
        assert not out[..., 0].any()
        np.testing.assert_array_equal(lw.asarray(view).copy().numpy(), view)
