"""The device cuda, on the simulator of PTX that LANEWISE_TEST_PTXSIM names, and on a GPU."""
from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import pytest

import lanewise as lw

pytestmark = pytest.mark.on_cpu

SCRIPT = """
import copy, pickle
import numpy as np, lanewise as lw
from conftest import KERNELS

prog = lw.compile(KERNELS, device="cuda")
a = lw.arange(6, dtype="f4", device="cuda").reshape(2, 3)
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
for got in (b == lw.asarray(np.array([0, 7, 7, 5], "f4")).to("cuda"), b <= 4, b == np.arange(4),
            b.reshape(2, 2) != b[:2], b.astype("bfloat16") >= 7, lw.sum(b) == 18):
    assert got.device.name == "cuda" and got.dtype == bool
assert (b.reshape(2, 2) != b[:2]).numpy().tolist() == [[False, False], [True, True]]
assert (b <= 4).numpy().tolist() == [True, False, False, True] and 7 in b and 8 not in b
again = pickle.loads(pickle.dumps(b))
assert again.device.name == "cuda" and (again == copy.copy(b)).numpy().all()
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
# Memory of the GPU goes out and in by DLPack and by CUDA's interface, without a copy.
class OnlyInterface:
    def __init__(self, of, **more):
        self.of, self.more = of, more
    @property
    def __cuda_array_interface__(self):
        return {**self.of.__cuda_array_interface__, **self.more}

lw.default_device("cpu")
c = lw.arange(6, dtype="f4", device="cuda").reshape(2, 3)
for view in (c, c.T, c[::-1, ::2], c[0, 1], c[:0]):
    for other in (lw.from_dlpack(view), lw.asarray(OnlyInterface(view)),
                  lw.asarray(OnlyInterface(view, stream=1))):
        assert other.device.name == "cuda" and other.numpy().tolist() == view.numpy().tolist()
        assert other.strides == view.strides and other._pointer == view._pointer
assert c.__cuda_array_interface__["data"] == (c._pointer, False)
assert c.T.__cuda_array_interface__["strides"] == (4, 12)
other = lw.from_dlpack(c)
prog.scale[1, 32](6, OnlyInterface(c), 2)          # written in place
assert other.numpy().tolist() == c.numpy().tolist() == [[0, 2, 4], [6, 8, 10]]
del c
assert other.numpy()[1, 2] == 10                   # it keeps the memory
locked = OnlyInterface(other, data=(other._pointer, True))
assert lw.asarray(locked).readonly
if hasattr(np, "from_dlpack") and np.lib.NumpyVersion(np.__version__) >= "2.1.0":
    assert np.from_dlpack(other, device="cpu").tolist() == [[0, 2, 4], [6, 8, 10]]
for stream in (None, -1, 1, 2):
    other.__dlpack__(stream=stream)
for bad in (0, "1", -2):
    try:
        other.__dlpack__(stream=bad)
        raise AssertionError(bad)
    except BufferError:
        pass
try:
    prog.scale[1, 32](6, locked, 2)
    raise AssertionError
except lw.ArgumentError:
    pass

for call, error in ((lambda: other.__dlpack__(dl_device=(1, 0), copy=False), BufferError),
                    (lambda: memoryview(a), BufferError),
                    (lambda: a.__array_interface__, AttributeError),
                    (lambda: lw.dot(a[0], lw.zeros(3, device="cpu")), lw.DeviceError)):
    try:
        call()
    except error:
        continue
    raise AssertionError(error)

# Functions of several operations stay on the GPU.
x = np.arange(12, dtype="f4").reshape(3, 4) % 5
there = lw.asarray(x, device="cuda")
for call in (lambda m, x: m.concat([x, m.flip(x)]), lambda m, x: m.roll(x, 1, axis=1),
             lambda m, x: m.repeat(x, [0, 1, 2, 3], axis=1), lambda m, x: m.pad(x, 1, "wrap"),
             lambda m, x: m.tril(x), lambda m, x: m.diff(x, axis=0, prepend=0),
             lambda m, x: m.var(x, axis=0), lambda m, x: m.full_like(x, 3),
             lambda m, x: m.cumulative_sum(x, axis=1, include_initial=True),
             lambda m, x: m.einsum("ij,kj->ik", x, x), lambda m, x: m.einsum("ij,ij->ij", x, x),
             lambda m, x: m.unique_all(x).inverse_indices, lambda m, x: m.nonzero(x)[1]):
    got = call(lw, there)
    assert got.device.name == "cuda" and np.allclose(got.numpy(), call(np, x), 1e-6)
    assert np.array_equal(got.numpy(), call(lw, x)) and isinstance(call(lw, x), np.ndarray)
made = lw.concat([lw.arange(3, device="cuda"), lw.eye(2, device="cuda")[0]])
assert made.device.name == "cuda" and made.numpy().tolist() == [0, 1, 2, 1, 0]
print("done")
"""


# On a stream of someone else, whose allocator gives results, temporaries and scratch memory.
STREAM = """
import ctypes, os, numpy as np, lanewise as lw
from conftest import KERNELS
from lanewise import _core
from lanewise._dtypes import TITLES

driver = ctypes.CDLL(os.environ.get("LANEWISE_CUDA_DRIVER", "libcuda.so.1"))
lw.device("cuda")
context, native = ctypes.c_void_p(), ctypes.c_void_p()
def call(name, *args):
    result = getattr(driver, name)(*args)
    assert result == 0, (name, result)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxPushCurrent_v2", context)
call("cuStreamCreate", ctypes.byref(native), 0)

asked, kept, is_empty = [], {}, False
def allocate(code, extents):
    asked.append((code, extents))
    if is_empty:
        raise MemoryError("nothing is left")
    if (code, extents) not in kept:
        kept[code, extents] = lw.empty(extents, TITLES[code], device="cuda")
    return kept[code, extents]

prog = lw.compile(KERNELS)
x = lw.asarray(np.arange(64, dtype="f4"), device="cuda")
s = _core.Stream(lw.device("cuda"), native.value, allocate)
assert s.native == native.value
t = s.temporary("f32", 5)
assert t.shape == (5,) and asked == [(11, (5,))]
del asked[:]
# Results and scratch memory are the allocator's.
strided = x.reshape(8, 8).T
wide = lw.softmax(strided, stream=s)
assert (11, (8, 8)) in asked
s.wait()
big = lw.full(1 << 20, 1, "f4", device="cuda")
del asked[:]
total = lw.sum(big, stream=s)
s.wait()
assert float(total) == 1 << 20 and any(code == 4 for code, _ in asked) and ((11, ()) in asked)
# The stream for calls that name none.
before = _core.use_stream(s)
assert before is None
del asked[:]
y = lw.map("a * 2", x)
prog.scale[1, 64](64, y, 3)
assert asked == [(11, (64,))]
assert y.numpy().tolist() == [6 * k for k in range(64)]
assert _core.use_stream(None) is s
# What the allocator raises is the call's error.
is_empty = True
try:
    lw.sum(big, out=total, stream=s)
    raise AssertionError
except lw.MemoryError as e:
    assert str(e) == "sum: no scratch memory: nothing is left"
is_empty = False
s.wait()
# While it is captured.
graph = ctypes.c_void_p()
out = lw.empty((), device="cuda")
lw.sum(big, out=out, stream=s)
s.wait()
call("cuStreamBeginCapture_v2", native, 0)
lw.sum(big, out=out, stream=s)
prog.scale[1, 64, s](64, y, 3)
on_host = np.ones((8, 8), "f4")
for bad in (lambda: prog.scale[1, 32, s](4, on_host[0], 3),
            lambda: lw.matmul(on_host, x.reshape(8, 8), stream=s), s.wait):
    try:
        bad()
        raise AssertionError
    except lw.ArgumentError as e:
        assert "is being captured" in str(e) and "\\n" not in str(e)
call("cuStreamEndCapture", native, ctypes.byref(graph))
s._check()
print("done")
"""


# With PyTorch or CuPy, on a GPU: theirs in, theirs out, the same memory.
TORCH = """
import sys, numpy as np, lanewise as lw
from conftest import KERNELS
name, = sys.argv[1:]
prog = lw.compile(KERNELS)
if name == "torch":
    import torch as other
    x = other.arange(6, dtype=other.float32, device="cuda").reshape(2, 3)
    host = lambda t: t.cpu().numpy()
else:
    import cupy as other
    x = other.arange(6, dtype="f4").reshape(2, 3)
    host = other.asnumpy
prog.scale[1, 32](6, x, 2)
assert host(x).tolist() == [[0, 2, 4], [6, 8, 10]]
assert host(lw.sum(x.T, axis=0)).tolist() == [6, 24] and type(lw.sum(x, axis=0)) is type(x)
a = lw.asarray(x)
assert a.device.name == "cuda" and a.numpy().tolist() == host(x).tolist()
back = other.from_dlpack(a)
back[0, 0] = 7
assert lw.asarray(back).numpy()[0, 0] == 7 and host(x)[0, 0] == 7
mine = other.from_dlpack(lw.full((2, 2), 3, "f4", device="cuda"))
assert host(mine + 1).tolist() == [[4, 4]] * 2
y = lw.arange(3, dtype="f4", device="cuda")
view = other.as_tensor(y, device="cuda") if name == "torch" else other.asarray(y)
assert host(view).tolist() == [0, 1, 2]
big = other.ones(1 << 22, dtype=other.float32, device="cuda") if name == "torch" else \\
    other.ones(1 << 22, "f4")
for n in range(20):                               # what the other has queued is seen
    big += 1
    assert float(lw.max(big)) == n + 2
print("done")
"""


def run(script: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True,
                          timeout=120, cwd=os.path.dirname(__file__),
                          env={**os.environ, **variables})


def has_gpu() -> bool:
    return any(d.available for d in lw.devices() if d.name == "cuda")


@pytest.mark.parametrize("where", ["simulator", "gpu"])
@pytest.mark.parametrize("script, lines", [
    (SCRIPT, ["[block 0,0,0 thread 0,0,0] thread 0", "[block 0,0,0 thread 1,0,0] thread 1",
              "done"]),
    (STREAM, ["done", ""])], ids=["arrays", "stream"])
def test_on_cuda(script: str, lines: list[str], where: str) -> None:
    simulator = os.environ.get("LANEWISE_TEST_PTXSIM", "")
    if where == "gpu" and not has_gpu():
        pytest.skip("there is no GPU")
    if where == "simulator" and not os.path.exists(simulator):
        pytest.skip("there is no simulator of PTX")
    driver = {"LANEWISE_CUDA_DRIVER": simulator} if where == "simulator" else {}
    done = run(script, PTXSIM_SEED="1", **driver)
    assert done.stdout.split("\n")[:len(lines)] == lines, done


@pytest.mark.parametrize("name", ["torch", "cupy"])
def test_another_librarys_memory(name: str) -> None:
    if not has_gpu() or importlib.util.find_spec(name) is None:
        pytest.skip(f"there is no GPU with {name}")
    done = run(TORCH, name)
    assert done.stdout == "done\n", done


def test_the_default_device_loads_no_driver() -> None:
    """It is "cpu" without a look at the others: to start NVIDIA's driver takes 0.2 s."""
    simulator = os.environ.get("LANEWISE_TEST_PTXSIM", "")
    if not os.path.exists(simulator):
        pytest.skip("no simulator of PTX")
    script = """
import lanewise as lw
assert lw.sum([1.0, 2.0]) == 3 and lw.default_device().name == "cpu"
assert "ptxsim" not in open("/proc/self/maps").read()
assert any(d.name == "cuda" and d.available for d in lw.devices())
assert "ptxsim" in open("/proc/self/maps").read()
"""
    environment = {name: value for name, value in os.environ.items() if name != "LANEWISE_DEVICE"}
    subprocess.run([sys.executable, "-c", script], check=True,
                   env={**environment, "LANEWISE_CUDA_DRIVER": simulator})
