"""lanewise.torch on a GPU: tensors, the current stream, torch.compile, opcheck, CUDA graphs.

    gpu_torch.py [--device cuda]

It needs a GPU, PyTorch with CUDA and, for own kernels, clang 19. The oracles are NumPy and the same
operation on `cpu`, whose bits must come. The last line is `N passed, N failed[, N skipped]`; where
something lacks, it says what. `--device cpu` runs what needs no GPU.
"""
from __future__ import annotations

import argparse
import os
import sys
import threading
import time
import traceback
from typing import Any, Callable

KERNELS = """
#include <lanewise/kernel.h>

KERNEL void scale(int n, float x[n], float by)
{
    int i = global_idx.x;
    if (i < n)
        x[i] *= by;
}

KERNEL void softmax_backward(CONST_TENSOR(float, 2) y, CONST_TENSOR(float, 2) dy,
                             TENSOR(float, 2) dx)
{
    int row = block_idx.x, columns = extent(y, 1);
    float sum = 0;
    for (int c = thread_idx.x; c < columns; c += block_dim.x)
        sum += at(y, row, c) * at(dy, row, c);
    sum = block_sum(sum);
    for (int c = thread_idx.x; c < columns; c += block_dim.x)
        at(dx, row, c) = at(y, row, c) * (at(dy, row, c) - sum);
}

KERNEL void small(int n, float out[n], const float x[n])
{
    int i = global_idx.x;
    if (i < n) {
        assert(x[i] < 100);
        out[i] = x[i];
    }
}

KERNEL void tell(int n, float out[n], const float x[n])
{
    int i = global_idx.x;
    if (i < n)
        out[i] = x[i];
    if (i == 0)
        printf("told");
}
"""

Check = Callable[[], None]
CHECKS: dict[str, Check] = {}
KINDS: dict[str, str] = {}


def check(kind: str = "any") -> Callable[[Check], Check]:
    """kind: what it needs: "any", "kernels" (a compiler), "cuda", or "cuda kernels"."""
    def add(function: Check) -> Check:
        CHECKS[function.__name__] = function
        KINDS[function.__name__] = kind
        return function
    return add


parser = argparse.ArgumentParser(description="lanewise.torch on a GPU.")
parser.add_argument("--device", default="cuda")
parser.add_argument("--only", help="the check of this name alone")
WORDS = parser.parse_args()


def leave(why: str) -> None:
    print(f"skipped: {why}\n0 passed, 0 failed, 1 skipped")
    sys.exit(0)


if WORDS.device == "cuda" and os.environ.get("LANEWISE_CUDA_DRIVER"):
    leave("LANEWISE_CUDA_DRIVER names another driver than PyTorch's")
try:
    import numpy as np
    import torch
except ImportError:
    leave("PyTorch is not installed")
import lanewise as lw  # noqa: E402
import lanewise.torch  # noqa: E402
from torch.library import opcheck  # noqa: E402

if WORDS.device == "cuda" and not torch.cuda.is_available():
    leave("PyTorch finds no GPU")
if WORDS.device == "cuda" and not any(d.available for d in lw.devices() if d.name == "cuda"):
    leave("lanewise finds no GPU")
DEVICE = torch.device(WORDS.device)
RNG = np.random.default_rng(7)


def has_compiler() -> bool:
    try:
        lw.compile("#include <lanewise/kernel.h>\nKERNEL void f(int *x) { x[0] = 1; }\n")
    except lw.Error as error:
        print(f"own kernels cannot be compiled: {error}")
        return False
    return True


HAS_COMPILER = has_compiler()
PROGRAM = lw.compile(KERNELS) if HAS_COMPILER else None


# ---- the operations ----

@lw.op("gpu::softmax")
def softmax(x: Any) -> Any:
    return lw.softmax(x)


@lw.op("gpu::gradient", infer=lambda y, dy: y)
def gradient(s: Any, dx: Any, y: Any, dy: Any) -> None:
    PROGRAM.softmax_backward[y.shape[0], 128, s](y, dy, dx)


@lw.op("gpu::normed", parameters="eps:real=1e-5", infer=lambda x, w, eps: (x, lw.TensorType(
    x.dtype, (x.shape[0],))))
def normed(s: Any, out: Any, largest: Any, x: Any, w: Any, *, eps: float) -> None:
    kept = s.temporary(x.dtype, x.shape)
    lw.rms_norm(x, weight=w, eps=eps, out=kept, stream=s)
    lw.softmax(kept, out=out)
    lw.max(out, axis=1, out=largest)


@lw.op("gpu::product")
def product(x: Any, y: Any) -> Any:
    return lw.sum(lw.matmul(x, y), axis=0), lw.matmul(x, y)


@lw.op("gpu::total")
def total(x: Any) -> Any:
    return lw.sum(x)


@lw.op("gpu::small", infer=lambda x: x)
def small(s: Any, out: Any, x: Any) -> None:
    PROGRAM.small[-(-x.shape[0] // 128), 128, s](x.shape[0], out, x)


@lw.op("gpu::tell", infer=lambda x: x)
def tell(s: Any, out: Any, x: Any) -> None:
    PROGRAM.tell[1, 128, s](x.shape[0], out, x)


@lw.op("gpu::from_host", infer=lambda x: x)
def from_host(s: Any, out: Any, x: Any) -> None:
    lw.matmul(x, np.ones((x.shape[1], x.shape[1]), "f4"), out=out)


T_SOFTMAX, T_GRADIENT = lanewise.torch.register(softmax), lanewise.torch.register(gradient)
T_NORMED = lanewise.torch.register(normed)
T_PRODUCT = lanewise.torch.register(product, outputs=2)
T_TOTAL, T_SMALL = lanewise.torch.register(total), lanewise.torch.register(small)
T_TELL, T_FROM_HOST = lanewise.torch.register(tell), lanewise.torch.register(from_host)
T_SOFTMAX.register_autograd(
    lambda ctx, dy: T_GRADIENT(ctx.saved_tensors[0], dy),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(output))


def normal(*shape: int, dtype: str = "f4") -> np.ndarray:
    return RNG.standard_normal(shape).astype(dtype)


def there(values: np.ndarray) -> Any:
    return torch.from_numpy(values.copy()).to(DEVICE)


def bits(x: Any) -> bytes:
    if isinstance(x, torch.Tensor):
        x = x.detach().cpu().reshape(-1)
        return x.view(torch.uint8).numpy().tobytes()
    return np.ascontiguousarray(x).tobytes()


def same(got: Any, expected: Any, what: str) -> None:
    assert bits(got) == bits(expected), f"{what}: other bits: {got} and {expected}"


def np_softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x.astype("f8") - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# ---- tensors ----

@check()
def tensors_and_bits() -> None:
    for shape in ((4, 5), (300, 1000), (1, 1), (0, 3), (3, 40000)):
        x = normal(*shape)
        got = T_SOFTMAX(there(x))
        assert got.device.type == DEVICE.type and got.shape == shape
        same(got, lw.softmax(x), f"softmax {shape}")
        if x.size:
            assert np.abs(got.cpu().numpy() - np_softmax(x)).max() < 1e-6
    x, w = normal(33, 1000), normal(1000)
    for got, expected in zip(T_NORMED(there(x), there(w), eps=1e-3), normed(x, w, eps=1e-3)):
        same(got, expected, "normed")
    x, y = normal(70, 90), normal(90, 130)
    for got, expected in zip(T_PRODUCT(there(x), there(y)), product(x, y)):
        same(got, expected, "product")
    big = normal(3_000_001)
    same(T_TOTAL(there(big)), lw.sum(big), "a sum with scratch memory")


@check()
def dtypes_and_strides() -> None:
    for dtype in (torch.float16, torch.bfloat16, torch.float64):
        x = there(normal(20, 50)).to(dtype)
        same(T_SOFTMAX(x), T_SOFTMAX(x.cpu()), f"softmax of {dtype}")
    for dtype in ("i1", "i4", "i8", "u1", "u4", "?"):
        x = RNG.integers(0, 2 if dtype == "?" else 100, 1000).astype(dtype)
        same(T_TOTAL(there(x)), np.sum(x, dtype="i8"), f"sum of {dtype}")
    x = normal(40, 30)
    t = there(x)
    for view, expected in ((t.T, x.T), (t[::2, 3:], x[::2, 3:]), (t[3], x[3]),
                           (t[:1].expand(7, 30), np.broadcast_to(x[:1], (7, 30)))):
        same(T_SOFTMAX(view), lw.softmax(expected), "softmax of a view")
    same(t, x, "the input")


@check()
def memory_is_shared() -> None:
    x = there(normal(100))
    a = lanewise.torch.asarray(x)
    assert a._pointer == x.data_ptr() and a.shape == (100,)
    own = "cuda" if DEVICE.type == "cuda" else lw.default_device().name
    assert a.device.name.partition(":")[0] == own  # of several GPUs the name has a number


@check()
def errors() -> None:
    x = there(normal(4, 4))
    for call, error, text in (
            (lambda: T_SOFTMAX(x.to(torch.complex64)), lw.DtypeError, "complex64"),
            (lambda: T_SOFTMAX(x.to_sparse()), Exception, ""),
            (lambda: T_SOFTMAX(x[None, None, None]), lw.ArgumentError, "5 axes"),
            (lambda: T_PRODUCT(x, x[:3]), lw.ArgumentError, "matmul")):
        try:
            call()
        except error as e:
            assert text in str(e) and "\n" not in str(e) or error is Exception, e
        else:
            raise AssertionError(f"no {error.__name__}: {text}")
    if DEVICE.type == "cuda":
        try:
            T_PRODUCT(x, x.cpu())
        except lw.DeviceError as e:
            assert "input 1 on cpu" in str(e), e
    same(T_SOFTMAX(x), lw.softmax(x.cpu().numpy()), "after errors")


@check("kernels")
def own_kernels() -> None:
    x = there(normal(1000))
    expected = x.cpu().numpy() * np.float32(3)
    s = lanewise.torch.current_stream(DEVICE)
    PROGRAM.scale[8, 128, s](1000, lanewise.torch.asarray(x), 3)
    s.wait()
    same(x, expected, "scale")
    y, dy = T_SOFTMAX(there(normal(20, 300))), there(normal(20, 300))
    expected = gradient(y.cpu().numpy(), dy.cpu().numpy())
    same(T_GRADIENT(y, dy), expected, "gradient")


# ---- PyTorch's machinery ----

@check("kernels")
def opchecks() -> None:
    x, y = there(normal(6, 6)), there(normal(6, 6))
    opcheck(T_SOFTMAX, (x,))
    opcheck(T_SOFTMAX, (x.clone().requires_grad_(),))
    opcheck(T_GRADIENT, (x, y))
    opcheck(T_NORMED, (x, y[0].contiguous()), {"eps": 1e-3})
    opcheck(T_PRODUCT, (x, y))
    opcheck(T_TOTAL, (x,))


@check()
def compiled() -> None:
    def f(x: Any, w: Any) -> Any:
        out, largest = T_NORMED(x * 2, w)
        return T_SOFTMAX(out + 1), largest

    x, w = normal(16, 64), normal(64)
    expected = f(there(x), there(w))
    for words in ({}, {"dynamic": True}):
        g = torch.compile(f, fullgraph=True, **words)
        for rows in (16, 7):
            got = g(there(x[:rows]), there(w))
            for a, b in zip(got, expected):
                same(a, b[:rows], f"compiled {words}")
        torch._dynamo.reset()


@check("kernels")
def gradients() -> None:
    x = there(normal(9, 40)).requires_grad_()
    w = there(normal(40, 3))
    (T_SOFTMAX(x) @ w).square().sum().backward()
    z = x.detach().clone().requires_grad_()
    (torch.softmax(z, -1) @ w).square().sum().backward()
    assert (x.grad - z.grad).abs().max() < 1e-6
    T_SOFTMAX(x).sum().backward()  # its gradient has strides of 0
    assert torch.autograd.gradcheck(lambda v: T_SOFTMAX(v.float()).double(),
                                    (there(normal(2, 3, dtype="f8")).requires_grad_(),),
                                    eps=1e-2, atol=1e-3)


@check("kernels")
def training() -> None:
    """The same loss, step by step, as with PyTorch's own softmax."""
    def train(attend: Any) -> list[float]:
        torch.manual_seed(3)
        model = torch.nn.Linear(12, 6).to(DEVICE)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        x, target = there(xs), there(targets)
        losses = []
        for _ in range(40):
            optimizer.zero_grad()
            loss = -(attend(model(x)) * target).sum(1).log().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    xs = normal(64, 12)
    targets = np.eye(6, dtype="f4")[(xs @ normal(12, 6)).argmax(1)]
    ours, theirs = train(T_SOFTMAX), train(lambda z: torch.softmax(z, -1))
    assert ours[-1] < 0.6 * ours[0] and np.abs(np.array(ours) - theirs).max() < 1e-4, ours


@check()
def threads() -> None:
    x = normal(50, 200)
    expected, wrong = lw.softmax(x), []

    def work() -> None:
        t = there(x)
        for _ in range(20):
            if bits(T_SOFTMAX(t)) != bits(expected):
                wrong.append(1)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert not wrong


# ---- CUDA ----

@check("cuda")
def current_stream() -> None:
    """Nothing is waited for, and what is queued there before is seen."""
    x = there(np.zeros((64, 256), "f4"))
    new = normal(64, 256)
    source, side, done = there(new), torch.cuda.Stream(), torch.cuda.Event()
    T_SOFTMAX(x)
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        T_SOFTMAX(x)  # the first on this stream
        torch.cuda._sleep(1_000_000_000)
        x.copy_(source)
        got = T_SOFTMAX(x)
        again = got * 1
        done.record()
        assert not done.query(), "the call waited for the stream"
    done.synchronize()
    same(again, lw.softmax(new), "on a side stream")
    assert lanewise.torch.current_stream() is lanewise.torch.current_stream("cuda")


@check("cuda")
def memory_is_pytorchs() -> None:
    big = there(normal(3_000_001))
    T_TOTAL(big)
    torch.cuda.synchronize()
    before, free = torch.cuda.memory_allocated(), torch.cuda.mem_get_info()[0]
    count = torch.cuda.memory_stats()["allocation.all.allocated"]
    results = [T_TOTAL(big) for _ in range(20)]
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() - before <= 20 * 512 + 4096, "memory is not given back"
    assert torch.cuda.memory_stats()["allocation.all.allocated"] - count >= 40
    taken = free - torch.cuda.mem_get_info()[0]
    assert taken <= 4 << 20, f"{taken} bytes were taken from the driver"
    del results


def capture(run: Callable[[], Any], **words: Any) -> tuple[Any, Any]:
    """As PyTorch's manual does it: warm up on another stream, then capture."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(2):
            run()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, **words):
        out = run()
    return graph, out


@check("cuda")
def graph_capture() -> None:
    x, w, big = there(normal(33, 1000)), there(normal(1000)), there(normal(3_000_001))
    y = there(normal(1000, 40))

    def run() -> Any:
        soft = T_SOFTMAX(x)
        own = [T_GRADIENT(soft, x)] if HAS_COMPILER else []
        return (*T_NORMED(x, w), soft, *T_PRODUCT(soft, y), T_TOTAL(big), *own)

    graph, out = capture(run)
    for _ in range(3):
        for t in (x, w, big, y):
            t.copy_(there(normal(*t.shape)))
        graph.replay()
        torch.cuda.synchronize()
        got = [t.clone() for t in out]
        for k, (a, b) in enumerate(zip(got, run())):
            same(a, b, f"output {k} of the graph")
    same(got[2], lw.softmax(x.cpu().numpy()), "softmax of the graph")


@check("cuda kernels")
def graph_of_training() -> None:
    x = there(normal(9, 40)).requires_grad_()
    w = there(normal(40, 3))

    def run() -> Any:
        return torch.autograd.grad((T_SOFTMAX(x) @ w).square().sum(), x)[0]

    graph, out = capture(run)
    with torch.no_grad():
        x.copy_(there(normal(9, 40)))
    graph.replay()
    torch.cuda.synchronize()
    same(out.clone(), run(), "the gradient of the graph")


@check("cuda")
def reduce_overhead() -> None:
    def f(x: Any, w: Any) -> Any:
        out, largest = T_NORMED(x * 2, w)
        return T_SOFTMAX(out + 1), largest

    g = torch.compile(f, fullgraph=True, mode="reduce-overhead")
    w = there(normal(64))
    for _ in range(5):
        x = there(normal(16, 64))
        torch.compiler.cudagraph_mark_step_begin()
        got = [t.clone() for t in g(x, w)]
        for a, b in zip(got, f(x, w)):
            same(a, b, "reduce-overhead")
    torch._dynamo.reset()


def refused(run: Callable[[], Any], text: str) -> None:
    """It is an error of Lanewise that says why, and the next call works."""
    run()
    torch.cuda.synchronize()
    try:
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            run()
    except lw.Error as error:
        assert text in str(error) and "\n" not in str(error), error
    else:
        raise AssertionError(f"captured: {text}")
    torch.cuda.synchronize()
    x = normal(3, 4)
    same(T_SOFTMAX(there(x)), lw.softmax(x), "after a refusal")


@check("cuda kernels")
def what_cannot_be_captured() -> None:
    x, square = there(normal(100)), there(normal(8, 8))
    refused(lambda: T_TELL(x), "a kernel that prints")
    refused(lambda: T_FROM_HOST(square), "in host memory")
    refused(lambda: T_SMALL(x), "launched on it once before")
    # But on the stream on which it ran before it can.
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        T_SMALL(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        out = T_SMALL(x)
    x.copy_(there(normal(100)))
    graph.replay()
    torch.cuda.synchronize()
    same(out, x, "a kernel that asserts")


@check("cuda kernels")
def failed_assert() -> None:
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        try:
            T_SMALL(there(np.full(10, 200, "f4")))
            lanewise.torch.current_stream().wait()
        except lw.LaunchError as error:
            assert "x[i] < 100" in str(error), error
        else:
            raise AssertionError("no LaunchError")
        try:
            T_SMALL(there(normal(10)))
        except lw.LaunchError:  # told again once, and then the stream is a new one
            pass
        x = normal(10)
        same(T_SMALL(there(x)), x, "after a failed assert")


def main() -> int:
    began, passed, failed, skipped = time.time(), 0, 0, 0
    for name, function in CHECKS.items():
        if WORDS.only not in (None, name):
            continue
        kind, start = KINDS[name], time.time()
        if ("kernels" in kind and not HAS_COMPILER) or \
                ("cuda" in kind and DEVICE.type != "cuda"):
            skipped += 1
            print(f"{name}: skipped")
            continue
        try:
            function()
        except Exception:
            failed += 1
            print(f"{name}: FAILED\n{traceback.format_exc()}")
        else:
            passed += 1
            print(f"{name}: passed, {time.time() - start:.1f} s", flush=True)
    where = torch.cuda.get_device_name() if DEVICE.type == "cuda" else "cpu"
    print(f"PyTorch {torch.__version__} on {where}, {time.time() - began:.0f} s")
    more = f", {skipped} skipped" if skipped else ""
    print(f"{passed} passed, {failed} failed{more}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
