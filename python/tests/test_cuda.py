"""The device cuda, on the simulator of PTX that LANEWISE_TEST_PTXSIM names."""
from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import numpy as np, lanewise as lw
from conftest import KERNELS

prog = lw.compile(KERNELS, device="cuda")
a = lw.arange(6, "f4", device="cuda").reshape(2, 3)
assert a.T.numpy().tolist() == [[0, 3], [1, 4], [2, 5]] and a[:, 1].numpy().tolist() == [1, 4]
assert a.to("cpu").device.name == "cpu" and a.__dlpack_device__() == (2, 0)

x = np.ones(4, "f4")                          # copied there and back
prog.scale[1, 32](4, x, 3)
assert x.tolist() == [3] * 4
b = lw.full(4, 2, "f4", device="cuda")
prog.scale[1, 32](4, b, 2)
b[1:3] = 7
b[0] = lw.zeros((), device="cuda")
assert b.numpy().tolist() == [0, 7, 7, 4]
s = lw.stream("cuda")
prog.scale[1, 32, s](4, b, 2)
total = lw.sum(b, stream=s)
s.wait()
assert total.item() == 36 and total.device.name == "cuda"
prog.tell[1, 32](2)

lw.default_device("cuda")
assert lw.sum(np.ones(3)) == 3 and isinstance(lw.sum(np.ones(3)), np.float64)
out = np.zeros((2, 4), "f4")[:, ::2]
assert lw.scan(np.ones((2, 2), "f4"), out=out) is out and out.tolist() == [[1, 2]] * 2

with lw.Graph([lw.TensorType("f32", (4,))]) as g:
    out = g.temporary("f32", (4,))
    lw.map("a + 1", g.x0, out=out)
    prog.scale[1, 32, g.stream](4, out, 3)
    g.output(out, lw.sum(g.x0))
model = g.compile()
for like in (np.ones(4, "f4"), lw.full(4, 1, "f4")):
    got = model(like)
    assert type(got["out0"]) is type(like) and float(got["out1"]) == 4
    assert np.asarray(got["out0"]).tolist() == [6] * 4
with lw.Graph([lw.TensorType("f32", (4,))]) as g:
    prog.scale[1, 32, g.stream](4, g.x0, 3)
b = lw.full(4, 2, "f4")
assert g.compile()(b) == {} and b.numpy().tolist() == [6] * 4
try:
    g.compile()(np.ones(4, "f4")) # a copy, which nobody would see changed
    raise AssertionError
except lw.ArgumentError:
    pass
with lw.Graph([lw.TensorType("f32", (4,))]) as g:
    g.output(lw.map("a + 1", g.x0))
assert g.compile("ref")(np.ones(4, "f4"))["out"].tolist() == [2] * 4

halves = lw.asarray(np.arange(3.0)).astype("bf16")
assert halves.numpy().view("u2").tolist() == [0, 0x3f80, 0x4000]
for call, error in ((lambda: a.__dlpack__(), lw.UnsupportedError),
                    (lambda: memoryview(a), BufferError),
                    (lambda: a.__cuda_array_interface__, lw.UnsupportedError),
                    (lambda: lw.dot(a[0], lw.zeros(3, device="cpu")), lw.DeviceError)):
    try:
        call()
    except error:
        continue
    raise AssertionError(error)
print("done")
"""


def test_arrays_kernels_and_operations() -> None:
    simulator = os.environ.get("LANEWISE_TEST_PTXSIM", "")
    if not os.path.exists(simulator):
        pytest.skip("there is no simulator of PTX")
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True,
                          timeout=120, cwd=os.path.dirname(__file__),
                          env={**os.environ, "LANEWISE_CUDA_DRIVER": simulator, "PTXSIM_SEED": "1"})
    assert done.stdout.split("\n")[:3] == ["thread 0", "thread 1", "done"], done
