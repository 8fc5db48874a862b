"""Graphs: recording, compiling for each device, runs, and what is refused."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import lanewise as lw

F4 = lw.TensorType("f32", (4,))
X = np.array([1, 2, 3, 4], "f4")
EXAMPLE = Path(__file__).parents[2] / "examples" / "attention" / "attention.py"

SOURCE = """
#include <lanewise/kernel.h>
KERNEL void twice(int n, float *out, const float *x)
{
    int i = global_idx.x;
    if (i < n) out[i] = 2 * x[i];
}
KERNEL void bump(int n, float *x)
{
    int i = global_idx.x;
    if (i < n) x[i] += 1;
}
"""


@pytest.fixture(scope="module")
def prog() -> lw.Program:
    return lw.compile(SOURCE)


@lw.op("graphs::four_times", infer=lambda x: lw.TensorType(x.dtype, x.shape), source=SOURCE)
def four_times(s: lw.Stream, out: Any, x: Any) -> None:
    kept = s.temporary(x.dtype, x.shape)
    four_times.program.twice[1, 64, s](x.shape[0], kept, x)
    four_times.program.twice[1, 64, s](x.shape[0], out, kept)


@lw.op("graphs::centred")
def centred(x: Any) -> Any:
    return lw.map("a - b", x, lw.mean(x, keepdims=True))


def test_operations_on_every_device() -> None:
    rows = np.arange(12, dtype="f4").reshape(3, 4)
    with lw.Graph(inputs={"x": lw.TensorType("f32", (3, 4)), "w": F4}) as g:
        y = lw.map("a + b * c", g.x, g.w, 0.5)
        assert (y.dtype, y.shape, y.ndim) == (np.dtype("f4"), (3, 4), 2)
        g.output(lw.sum(y, axis=1), soft=lw.softmax(g.x), product=lw.matmul(g.x, g.x.T))
    for device in ("cpu", "ref"):
        model = g.compile(device=device)
        assert model.device.name == device and list(model.outputs) == ["out", "soft", "product"]
        for values in (rows, rows[::-1], 2 * rows):
            got = model(values, w=X)
            np.testing.assert_allclose(got["out"], (values + X * 0.5).sum(1), rtol=1e-6)
            np.testing.assert_array_equal(got["soft"], lw.softmax(values))
            np.testing.assert_array_equal(got["product"], lw.matmul(values, values.T))


def test_kernels_temporaries_and_plan(prog: lw.Program) -> None:
    with lw.Graph(inputs=[F4]) as g:
        kept, other, out = (g.temporary("f32", (4,)) for _ in range(3))
        prog.twice[1, 64, g.stream](4, kept, g.x0)
        prog.twice[1, 64, g.stream](4, other, kept)
        prog.twice.launch(grid=1, block=64, stream=g.stream, args=(4, out, other))
        g.output(out)
    for device in ("ref", "cpu"):
        model = g.compile(device)
        assert model(X)["out"].tolist() == [8, 16, 24, 32]
        assert model.plan.launches == 3
        assert [(t["bytes"], t["first_launch"], t["last_launch"])
                for t in model.plan.temporaries] == [(16, 0, 1), (16, 1, 2)]
        assert model.plan.bytes >= 32 and model.plan.unshared_bytes >= 32


def test_custom_operations() -> None:
    with lw.Graph(inputs={"x": F4}) as g:
        g.output(four=lw.custom("graphs::four_times", g.x), centred=centred(g.x))
    for device in ("cpu", "ref"):
        model = g.compile(device)
        got = model(x=X)
        assert got["four"].tolist() == (4 * X).tolist() == four_times(X).tolist()
        assert got["centred"].tolist() == (X - X.mean()).tolist()
        assert model.plan.temporaries


def test_arrays_streams_and_scalars() -> None:
    with lw.Graph(inputs={"x": F4, "by": lw.TensorType("f32", ())}) as g:
        y = lw.map("a * b", g.x, g.by)
        g.output(y=y, total=lw.sum(lw.map("a", y)))
    model = g.compile()
    first = model(lw.asarray(X), 3)
    assert isinstance(first["y"], lw.Array) and first["y"].numpy().tolist() == [3, 6, 9, 12]
    s = lw.stream()
    results = [model(lw.asarray(X), n, stream=s) for n in range(8)]
    s.wait()
    assert [r["total"].item() for r in results] == [10 * n for n in range(8)]
    got = model(X, 2.0)
    assert isinstance(got["total"], np.float32) and got["total"] == 20


def test_an_input_that_a_kernel_writes_changes_in_place(prog: lw.Program) -> None:
    with lw.Graph(inputs={"x": F4}) as g:
        prog.bump[1, 64, g.stream](4, g.x)
        g.output(lw.map("a", g.x))
    values = X.copy()
    assert g.compile()(values)["out"].tolist() == [2, 3, 4, 5] == values.tolist()
    values.flags.writeable = False
    for given in (values, [np.float32(1)] * 4):
        with pytest.raises(lw.ArgumentError):
            g.compile()(given)


def test_views_of_symbols() -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", (2, 3))}) as g:
        assert g.x.T.shape == (3, 2) and g.x.reshape(-1).shape == (6,)
        g.output(flat=lw.map("a", g.x.T.reshape(6)), turned=lw.transpose(g.x))
    values = np.arange(6, dtype="f4").reshape(2, 3)
    for device in ("cpu", "ref"):
        got = g.compile(device)(values)
        assert got["flat"].tolist() == values.T.reshape(6).tolist()
        assert got["turned"].tolist() == values.T.tolist()


def test_constants_are_kept() -> None:
    with lw.Graph(inputs={"x": F4}) as g:
        g.output(lw.map("a + b", g.x, np.full(4, 10, "f4")))
    model = g.compile()
    del g
    assert model(X)["out"].tolist() == [11, 12, 13, 14]


@pytest.mark.parametrize("ask", [bool, int, float, np.asarray, lw.asarray,
                                 lambda x: x.item(), lambda x: x.numpy(), lambda x: list(x[0])])
def test_values_of_symbols_are_a_type_error(ask: Any) -> None:
    with lw.Graph(inputs={"x": F4}) as g:
        with pytest.raises(TypeError):
            ask(g.x)


def test_inputs_that_are_not_as_declared() -> None:
    with lw.Graph(inputs={"x": F4}) as g:
        g.output(lw.map("a", g.x))
    model = g.compile("cpu")
    for given, named, error, part in [
            ((X[:3],), {}, lw.ArgumentError, r"'x' has shape \(3,\); need \(4,\)"),
            ((X.astype("f8"),), {}, lw.DtypeError, "'x' is float64; need float32"),
            ((), {}, lw.ArgumentError, "'x'.* is missing"),
            ((X,), {"x": X}, lw.ArgumentError, "given twice"),
            ((X, X), {}, lw.ArgumentError, "takes 1 inputs, got 2"),
            ((X,), {"y": X}, lw.ArgumentError, "no input 'y'; it has x"),
            ((g.x,), {}, lw.ArgumentError, "has no values"),
            ((lw.asarray(X, device="ref", copy=True),), {}, lw.DeviceError, "'x' is on device ref"),
    ]:
        with pytest.raises(error, match=part):
            model(*given, **named)


def test_what_cannot_be_recorded(prog: lw.Program) -> None:
    other = lw.Graph(inputs={"x": F4})
    with lw.Graph(inputs={"x": F4}) as g:
        with pytest.raises(lw.ArgumentError):
            lw.map("a + b", g.x, other.x)
        with pytest.raises(lw.ArgumentError):
            lw.map("a", g.x, stream=lw.stream())
        with pytest.raises(lw.ArgumentError):
            lw.map("a", X, out=X.copy(), stream=g.stream)
        with pytest.raises(lw.ArgumentError):
            four_times(X, stream=lw.Graph(inputs=[F4]).stream, out=X.copy())
        with pytest.raises(lw.ArgumentError):
            prog.twice[1, 64](4, g.temporary("f32", (4,)), g.x)
        with pytest.raises(lw.ArgumentError):
            g.stream.wait()
        with pytest.raises(lw.ArgumentError):
            lw.matmul(g.x, np.ones((3, 3), "f4"))
        with pytest.raises(lw.ArgumentError):
            g.output(other.x)
        with pytest.raises(lw.ArgumentError):
            g.output(X)
        with pytest.raises(AttributeError, match="no input 'y'; it has x"):
            g.y
        g.output(lw.map("a", g.x))
    for late in (lambda: lw.map("a", g.x), lambda: g.temporary("f32", 4), lambda: g.output(g.x),
                 lambda: prog.bump[1, 64, g.stream](4, g.x)):
        with pytest.raises(lw.ArgumentError, match="recording of the graph is over"):
            late()
    assert g.compile()(X)["out"].tolist() == X.tolist()
    with pytest.raises(lw.ArgumentError, match="need one that ends in .svg or .dot"):
        g.draw("graph.png")
    with pytest.raises(lw.ArgumentError, match="'stream'"):
        lw.Graph(inputs={"stream": F4})
    with pytest.raises(lw.ArgumentError, match="need a TensorType"):
        lw.Graph(inputs={"x": X})


def test_a_recording_that_fails() -> None:
    @lw.op("graphs::raises", infer=lambda x: lw.TensorType(x.dtype, x.shape))
    def raises(s: lw.Stream, out: Any, x: Any) -> None:
        raise KeyError("its own")

    with pytest.raises(KeyError, match="its own"):
        with lw.Graph(inputs={"x": F4}) as g:
            g.output(raises(g.x))
    with pytest.raises(lw.ArgumentError, match="the recording failed: KeyError"):
        g.compile()


def test_drawing(tmp_path: Path) -> None:
    with lw.Graph(inputs={"picture": F4}) as g:
        g.output(result=lw.softmax(g.picture))
    for name, begin in (("g.svg", "<svg"), ("g.dot", "digraph")):
        g.draw(str(tmp_path / name))
        text = (tmp_path / name).read_text()
        assert text.startswith(begin) and "picture" in text and "result" in text
    with pytest.raises(lw.FileError):
        g.draw(str(tmp_path / "no" / "g.svg"))


def test_drawing_on_full_disk(tmp_path: Path, full_disk: Callable[[], Any]) -> None:
    with lw.Graph(inputs={"x": F4}) as g:
        g.output(lw.softmax(g.x))
    with full_disk(), pytest.raises(lw.FileError, match="g.svg: File too large"):
        g.draw(str(tmp_path / "g.svg"))
    assert not list(tmp_path.iterdir())
    (tmp_path / "full.svg").symlink_to("/dev/full")
    with pytest.raises(lw.FileError, match="No space left"):
        g.draw(str(tmp_path / "full.svg"))
    assert (tmp_path / "full.svg").is_symlink()


def run_example(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(EXAMPLE), *words], capture_output=True, text=True,
                          env=os.environ, timeout=120)


def test_the_example() -> None:
    done = run_example()
    assert done.returncode == 0, done.stdout + done.stderr
    for part in ("-0.00935538", "0.02346884", "sum of weights: 1.000000", "norm 0.092764",
                 "cpu: agrees", "ref: agrees", "4 launches, 2 temporaries"):
        assert part in done.stdout
    done = run_example("--device", "ref", "--n", "5", "--d", "11", "--perturb")
    assert done.returncode == 1 and "ref: DOES NOT AGREE, largest difference 0.0" in done.stdout
