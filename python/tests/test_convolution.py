"""conv1d and conv2d against sums over NumPy's windows."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import lanewise as lw

DTYPES = ["i1", "u2", "i4", "i8", "?", "f2", "f4", "f8"]


def correlate(x: np.ndarray, f: np.ndarray, pad: tuple[int, int], step: tuple[int, int]) -> Any:
    """Of (n, c, h, w) and (o, c, kh, kw)."""
    x = np.pad(x, ((0, 0), (0, 0), (pad[0],) * 2, (pad[1],) * 2))
    windows = np.lib.stride_tricks.sliding_window_view(x, f.shape[2:], (2, 3))
    return np.einsum("nchwij,ocij->nohw", windows[:, :, ::step[0], ::step[1]], f)


@given(data=st.data())
def test_convolutions(data: st.DataObject) -> None:
    draw = data.draw
    n, c, o, h, w = (draw(st.integers(1, m)) for m in (3, 4, 5, 20, 40))
    kh, kw = draw(st.integers(1, min(h, 4))), draw(st.integers(1, min(w, 5)))
    pad, step = (draw(st.integers(0, 2)), draw(st.integers(0, 2))), (draw(st.integers(1, 3)), 2)
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    x = rng.integers(0, 8, (n, c, h, w)).astype(draw(st.sampled_from(DTYPES)))
    f = rng.integers(0, 8, (o, c, kh, kw)).astype(draw(st.sampled_from(DTYPES)))
    x = x.transpose(1, 0, 3, 2).copy().transpose(1, 0, 3, 2) if draw(st.booleans()) else x
    exact = correlate(x.astype("f8"), f.astype("f8"), pad, step)
    got = lw.conv2d(x, f, pad=pad, stride=step)
    wanted = np.result_type(x, f)
    assert got.dtype == (wanted if wanted.kind == "f" else "i8")
    np.testing.assert_allclose(got.astype("f8"), exact, rtol=2e-3 if got.dtype == "f2" else 0)
    one = lw.conv2d(x[0, 0], f[0, 0], pad=pad, stride=step)
    exact = correlate(x[:1, :1].astype("f8"), f[:1, :1].astype("f8"), pad, step)
    np.testing.assert_allclose(one.astype("f8"), exact[0, 0], rtol=2e-3)
    flat = lw.conv1d(x[:, :, 0], f[:, :, 0], pad=pad[1], stride=2)
    exact = correlate(x[:, :, :1].astype("f8"), f[:, :, :1].astype("f8"), (0, pad[1]), (1, 2))
    np.testing.assert_allclose(flat.astype("f8"), exact[:, :, 0], rtol=2e-3)


@pytest.mark.on_cpu
def test_a_matrix_in_parts() -> None:
    """Rows of 20 are too short to be read from the images."""
    x = np.random.default_rng(0).integers(0, 4, (2, 8, 1500, 28)).astype("f4")
    f = np.random.default_rng(1).integers(0, 4, (3, 8, 9, 9)).astype("f4")
    np.testing.assert_array_equal(lw.conv2d(x, f), correlate(x, f, (0, 0), (1, 1)))


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
@pytest.mark.parametrize("shape, filters, pad, step", [
    ((1, 130, 5, 67), (7, 130, 3, 3), (1, 1), (1, 1)),
    ((2, 3, 20, 130), (1, 3, 5, 4), (2, 3), (3, 2)),
    ((2, 5, 9, 90), (33, 5, 5, 4), (2, 3), (1, 1)),
    ((1, 40, 9, 64), (6, 40, 3, 3), (0, 0), (2, 1)),
    pytest.param((1, 60, 4, 46), (9, 60, 2, 37), (1, 36), (1, 1), marks=pytest.mark.on_cpu),
    ((1, 3, 2, 16), (5, 3, 1, 2), (3, 65), (1, 1)),
    ((2, 2, 3, 64), (300, 2, 1, 1), (0, 0), (1, 1)),
    ((1, 1, 1, 4000), (2, 1, 1, 999), (0, 9), (1, 1))])
def test_the_bits_are_those_of_a_product(shape: tuple[int, ...], filters: tuple[int, ...],
                                         dtype: str, pad: tuple[int, int],
                                         step: tuple[int, int]) -> None:
    """Whether x is read from the images or from a matrix."""
    rng = np.random.default_rng(4)
    x, f = ((rng.integers(-999, 999, s) / 7).astype(dtype) for s in (shape, filters))
    padded = np.pad(x, ((0, 0), (0, 0), (pad[0],) * 2, (pad[1],) * 2))
    windows = np.lib.stride_tricks.sliding_window_view(padded, filters[2:], (2, 3))
    windows = windows[:, :, ::step[0], ::step[1]].transpose(0, 1, 4, 5, 2, 3)
    got = lw.conv2d(x, f, pad=pad, stride=step)
    matrix = windows.reshape(shape[0], f[0].size, -1).copy()
    want = lw.matmul(f.reshape(len(f), -1), matrix).reshape(got.shape)
    assert got.tobytes() == want.tobytes()
    turned = x[:, :, :, ::-1].copy()[:, :, :, ::-1]
    assert lw.conv2d(turned, f, pad=pad, stride=step).tobytes() == want.tobytes()


def test_in_a_graph_and_under_the_checker() -> None:
    x, f = np.arange(60.0).reshape(6, 10), np.arange(6.0).reshape(2, 3)
    types = {"x": lw.TensorType("f64", (6, 10)), "f": lw.TensorType("f64", (2, 3))}
    with lw.Graph(inputs=types) as g:
        g.output(out=lw.conv2d(g.x, g.f, pad=1))
    exact = correlate(x[None, None], f[None, None], (1, 1), (1, 1))[0, 0]
    np.testing.assert_array_equal(g.compile()(x=x, f=f)["out"], exact)
    with lw.check() as report:
        lw.conv2d(x, f, pad=1, stride=2)
    assert not report.findings


@pytest.mark.parametrize("call, text", [
    (lambda x: lw.conv1d(x, np.eye(2)), "conv1d: x has rank 1 and filter 2; need 1, or 3"),
    (lambda x: lw.conv1d(x, np.zeros(9)), "filter has extent 9 in axis 0; need 1 to 3"),
    (lambda x: lw.conv1d(x, x, pad=-1), "pad is '-1'; need a number from 0 on"),
    (lambda x: lw.conv2d(np.eye(3), np.eye(2), stride=(1, 0)), "stride is '1,0'; need"),
    (lambda x: lw.conv2d(np.zeros((1, 2, 3, 3)), np.zeros((1, 3, 2, 2))), "does not fit x of"),
])
def test_mistakes(call: Any, text: str) -> None:
    with pytest.raises(lw.ArgumentError, match=text):
        call(np.arange(3.0))
