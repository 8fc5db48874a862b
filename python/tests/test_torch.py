"""lanewise.torch on the CPU: operators, their types, torch.compile, autograd, errors.

gpu_torch.py has what needs a GPU.
"""
from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import warnings
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lanewise as lw

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed")
if os.environ.get("LANEWISE_DEVICE") == "cuda":
    pytest.skip("gpu_torch.py has it", allow_module_level=True)
import lanewise.torch as bridge  # noqa: E402
from torch.library import opcheck  # noqa: E402

SOURCE = """
#include <lanewise/kernel.h>
KERNEL void scores(float *out, const float *q, const float *k, int keys, int d)
{
    for (int j = thread_idx.x; j < keys; j += block_dim.x) {
        float sum = 0;
        for (int i = 0; i < d; i++) sum += q[i] * k[j * d + i];
        out[j] = sum;
    }
}
KERNEL void careful(CONST_TENSOR(float, 1) x, TENSOR(float, 1) out)
{
    int i = thread_idx.x;
    if (i >= (int)extent(x, 0)) return;
    assert(at(x, i) < 100);
    at(out, i) = at(x, i);
}
KERNEL void rude(int n, float out[n], float x[n])
{
    if (thread_idx.x < n) out[thread_idx.x] = x[thread_idx.x] = 1;
}
"""


@lw.op("torch_tests::scores", parameters="scale:real=1 plain:bool=false", source=SOURCE,
       infer=lambda q, k, scale, plain: lw.TensorType(q.dtype, (k.shape[0],)))
def scores(s, out, q, k, scale, plain):
    """q k^T, scaled."""
    kept = s.temporary(q.dtype, (k.shape[0],))
    scores.program.scores[1, 16, s](kept, q, k, k.shape[0], k.shape[1])
    lw.map("a * b", kept, np.float32(1 if plain else scale), out=out)


@lw.op("torch_tests::softmax")
def softmax(x):
    return lw.softmax(x)


@lw.op("torch_tests::halves", parameters="by:int=2 mode:string=a")
def halves(x, *, by, mode):
    y = lw.map("a + 1", x, dtype=x.dtype)
    return y, lw.sum(y, axis=0), y.reshape(-1, x.shape[1])


@lw.op("torch_tests::stacked", infer=lambda *x: lw.TensorType(x[0].dtype, (len(x),)))
def stacked(s, out, *x):
    for n, one in enumerate(x):
        lw.sum(one, out=out[n])


@lw.op("torch_tests::careful", infer=lambda x: x)
def careful(s, out, x):
    scores.program.careful[1, 64, s](x, out)


@lw.op("torch_tests::rude", infer=lambda x: x)
def rude(s, out, x):
    scores.program.rude[1, 64, s](x.shape[0], out, x)


T_SCORES, T_SOFTMAX = bridge.register(scores), bridge.register(softmax)
T_HALVES, T_STACKED = bridge.register(halves, outputs=3), bridge.register(stacked)
T_CAREFUL, T_RUDE = bridge.register(careful), bridge.register(rude)
Q, K = torch.arange(4.0), torch.arange(12.0).reshape(3, 4)


def same(got: Any, expected: Any) -> None:
    values = np.asarray(expected)
    assert isinstance(got, torch.Tensor) and tuple(got.shape) == values.shape
    assert got.numpy().tobytes() == values.tobytes()


def test_own_kernels_and_parameters() -> None:
    same(T_SCORES(Q, K, scale=2.0), scores(Q.numpy(), K.numpy(), scale=2.0))
    assert T_SCORES(Q, K, scale=2.0).tolist() == (2 * K @ Q).tolist()
    assert T_SCORES(Q, K, scale=2.0, plain=True).tolist() == (K @ Q).tolist()
    assert torch.ops.torch_tests.scores(Q, K).tolist() == (K @ Q).tolist()
    assert T_SCORES.__doc__ == "q k^T, scaled." and bridge.register(scores) is T_SCORES
    assert str(torch.ops.torch_tests.scores.default._schema) == (
        "torch_tests::scores(Tensor q, Tensor k, *, float scale=1., bool plain=False) -> Tensor")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_the_bits_are_those_of_the_operation(dtype: str) -> None:
    x = torch.from_numpy(np.random.default_rng(3).standard_normal((30, 70))).to(
        getattr(torch, dtype))
    for view in (x, x.T, x[::2, 3:], x[3], x[:1].expand(9, 70), x[:0], x[0, 0].reshape(1)):
        got = T_SOFTMAX(view)
        expected = lw.softmax(lw.asarray(view)).numpy()
        assert got.dtype == view.dtype and got.shape == view.shape and got.is_contiguous()
        assert got.reshape(-1).view(torch.uint8).numpy().tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                                   "uint64", "bool"])
def test_integers(dtype: str) -> None:
    x = np.arange(6).reshape(2, 3).astype(dtype)
    y, total, flat = T_HALVES(torch.from_numpy(x))
    assert y.dtype == getattr(torch, dtype) and total.dtype == torch.int64
    assert y.tolist() == lw.map("a + 1", x, dtype=dtype).tolist() == flat.tolist()
    assert total.tolist() == lw.sum(y.numpy(), axis=0).tolist()


def test_results_share_no_memory() -> None:
    x = torch.ones(2, 3)
    y, _, flat = T_HALVES(x)
    y[0, 0] = 9
    assert flat[0, 0] == 2 and x[0, 0] == 1

    @lw.op("torch_tests::itself")
    def itself(x: Any) -> Any:
        return x.T

    got = bridge.register(itself)(x)
    got[0, 0] = 5
    assert got.shape == (3, 2) and x[0, 0] == 1
    assert [tuple(t.shape) for t in T_HALVES(torch.ones(0, 3))] == [(0, 3), (3,), (0, 3)]


def test_any_number_of_inputs() -> None:
    x = [torch.arange(float(n)) for n in (3, 4, 5)]
    assert T_STACKED(x).tolist() == [3, 6, 10]


def test_memory() -> None:
    x = torch.zeros(4)
    a = bridge.asarray(x)
    assert a._pointer == x.data_ptr() and not a.readonly
    s = bridge.current_stream("cpu")
    scores.program.rude[1, 64, s](4, a, bridge.asarray(torch.zeros(4)))
    s.wait()
    assert x.tolist() == [1] * 4
    gone = weakref.ref(x)
    T_SOFTMAX(x)
    del x, a
    lw.zeros(1)
    gc.collect()
    assert gone() is None


# ---- PyTorch's machinery ----

def test_opcheck() -> None:
    opcheck(T_SCORES, (Q, K), {"scale": 2.0})
    opcheck(T_SOFTMAX, (K,))
    opcheck(T_HALVES, (K,), {"by": 3})
    opcheck(T_STACKED, ([Q, K[0]],))


@pytest.mark.parametrize("dynamic", [False, True])
def test_compile(dynamic: bool) -> None:
    def f(q: Any, k: Any) -> Any:
        return T_SOFTMAX(T_SCORES(q * 2, k, scale=0.1)) + 1

    g = torch.compile(f, fullgraph=True, dynamic=dynamic, backend="aot_eager")
    for keys in (3, 2):
        assert g(Q, K[:keys]).tolist() == f(Q, K[:keys]).tolist()
    torch._dynamo.reset()


def test_unknown_sizes_stay_unknown() -> None:
    seen = []

    def backend(graph: Any, inputs: Any) -> Any:
        seen.append(graph)
        return graph.forward

    g = torch.compile(lambda q, k: T_SOFTMAX(T_SCORES(q, k)), fullgraph=True, dynamic=True,
                      backend=backend)
    for keys in (3, 7, 11):
        k = torch.ones(keys, 5)
        assert g(torch.ones(5), k).tolist() == [pytest.approx(1 / keys)] * keys
    assert len(seen) == 1
    torch._dynamo.reset()


def test_meta_and_export() -> None:
    got = T_HALVES(torch.empty(5, 3, device="meta"))
    assert [(tuple(t.shape), t.dtype) for t in got] == [
        ((5, 3), torch.float32), ((3,), torch.float32), ((5, 3), torch.float32)]

    class Model(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return T_SOFTMAX(x) * 2

    exported = torch.export.export(Model(), (K,))
    assert exported.module()(K).tolist() == (T_SOFTMAX(K) * 2).tolist()


@lw.op("torch_tests::softmax_backward", infer=lambda y, dy: y)
def softmax_backward(s: Any, dx: Any, y: Any, dy: Any) -> None:
    product = s.temporary(y.dtype, y.shape)
    sums = s.temporary(y.dtype, (*y.shape[:-1], 1))
    lw.map("a * b", y, dy, out=product)
    lw.sum(product, axis=-1, keepdims=True, out=sums)
    lw.map("a * (b - c)", y, dy, sums, out=dx)


def test_a_backward_is_another_operation() -> None:
    @lw.op("torch_tests::trained")
    def trained(x: Any) -> Any:
        return lw.softmax(x)

    forward, backward = bridge.register(trained), bridge.register(softmax_backward)
    x = torch.randn(4, 7, requires_grad=True)
    with pytest.raises(RuntimeError, match="no autograd formula"):
        forward(x).sum().backward()
    forward.register_autograd(
        lambda ctx, dy: backward(ctx.saved_tensors[0], dy),
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(output))
    weights = torch.randn(4, 7)
    (forward(x) * weights).sum().backward()
    z = x.detach().clone().requires_grad_()
    (torch.softmax(z, -1) * weights).sum().backward()
    assert (x.grad - z.grad).abs().max() < 1e-6
    x.grad = None
    forward(x).sum().backward()                # a gradient whose strides are 0
    assert x.grad.abs().max() < 1e-6
    opcheck(forward, (x,))
    x.grad = None
    torch.compile(lambda t: (forward(t) * weights).sum(), fullgraph=True,
                  backend="aot_eager")(x).backward()
    assert (x.grad - z.grad).abs().max() < 1e-6
    torch._dynamo.reset()


def test_threads() -> None:
    x = torch.randn(40, 50)
    expected, got = T_SOFTMAX(x).tolist(), []

    def work() -> None:
        got.extend(T_SOFTMAX(x).tolist() == expected for _ in range(10))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert got == [True] * 40


def test_in_a_child_of_fork() -> None:
    T_SOFTMAX(K)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")        # that there are threads
        child = os.fork()
    if not child:
        os._exit(0 if T_SOFTMAX(K).shape == (3, 4) else 1)
    assert os.waitpid(child, 0)[1] == 0


# ---- errors ----

def test_an_operation_that_is_defined_again() -> None:
    names, x = {"__name__": "__main__"}, torch.arange(3.0)
    for times, more in ((2, ""), (3, ""), (4, ", infer=lambda x: x")):
        head = "def again(s, out, x): lw.map('4 * a', x, out=out)" if more else \
            f"def again(x): return lw.map('{times} * a', x)"
        exec(f"import lanewise as lw\n@lw.op('torch_tests::again'{more})\n{head}", names)
        made = bridge.register(names["again"])
        assert made is bridge.register(names["again"])
        for f in (made, torch.ops.torch_tests.again, torch.compile(made, backend="eager")):
            assert torch.equal(f(x), times * x)


@pytest.mark.parametrize("call, error, text", [
    (lambda: T_SOFTMAX(K.to(torch.complex64)), lw.DtypeError, "input 0 is torch.complex64"),
    (lambda: T_SOFTMAX(K.long()), lw.DtypeError, "softmax"),
    (lambda: T_SOFTMAX(K[None, None, None]), lw.ArgumentError, "5 axes"),
    (lambda: T_SCORES(Q, K.to("meta")), lw.DeviceError, "input 1 on meta"),
    (lambda: T_SCORES(Q, K.T), lw.ArgumentError, "'k'.*C-contiguous"),
    (lambda: T_STACKED([]), lw.ArgumentError, "no input"),
    (lambda: T_RUDE(Q), lw.ArgumentError, "'x'.*read-only"),
    (lambda: T_CAREFUL(Q + 200), lw.LaunchError, r"at\(x, i\) < 100"),
    (lambda: bridge.register(lw.softmax), lw.ArgumentError, "lanewise.op"),
    (lambda: bridge.register(scores, name="a::b::c"), lw.ArgumentError, "name="),
    (lambda: bridge.register(rude, name="torch_tests::careful"), lw.ArgumentError, "taken"),
    (lambda: bridge.asarray(K.numpy()), lw.ArgumentError, "ndarray"),
    (lambda: bridge.asarray(K.to("meta")), lw.DeviceError, "meta"),
])
def test_errors(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text) as found:
        call()
    assert "\n" not in str(found.value)
    assert T_CAREFUL(Q).tolist() == Q.tolist()  # after any of them


def test_outputs_are_counted() -> None:
    @lw.op("torch_tests::pair")
    def pair(x: Any) -> Any:
        return lw.map("a", x), lw.map("a", x)

    with pytest.raises(lw.ArgumentError, match="2 outputs.*registered with 1.*outputs="):
        bridge.register(pair)(Q)

    @lw.op("torch_tests::loose", infer=lambda x: x)
    def loose(s: Any, *tensors: Any) -> None:
        lw.map("a", tensors[1], out=tensors[0])

    with pytest.raises(lw.ArgumentError, match="outputs="):
        bridge.register(loose)
    assert bridge.register(loose, outputs=1)(Q).tolist() == Q.tolist()


EXAMPLES = Path(__file__).parents[2] / "examples" / "torch"


@pytest.mark.parametrize("name, parts", [
    ("swish.py", ["at once: ", "compiled: ", "opcheck finds nothing, on cpu"]),
    ("train.py", ["step 48: loss", "largest difference"])])
def test_examples(name: str, parts: list[str]) -> None:
    assert sorted(p.name for p in EXAMPLES.glob("*.py")) == ["swish.py", "train.py"]
    done = subprocess.run([sys.executable, str(EXAMPLES / name), "cpu"], capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [p for p in parts if p not in done.stdout] == []
