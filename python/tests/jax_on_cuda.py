"""jax_on_cuda.py - lanewise.jax on GPUs: the bits of `cpu`, in order with JAX's own work.

Prints what it compared. test_jax_bridge.py runs it where Lanewise and JAX have a GPU. Without a
compiler own kernels are left out.
"""
from __future__ import annotations

import os
import sys
from typing import Any, Callable

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import jax  # noqa: E402
import numpy as np  # noqa: E402

import lanewise as lw  # noqa: E402
import lanewise.jax as lwj  # noqa: E402

jnp: Any = jax.numpy
rng = np.random.default_rng(5)


def normal(*shape: int) -> np.ndarray:
    return rng.normal(size=shape).astype("f4")


def same(what: str, got: Any, expected: Any) -> None:
    assert all(d.platform == "gpu" for d in got.devices()), got.devices()
    got, expected = np.asarray(got), np.asarray(expected)
    if got.dtype.itemsize < expected.dtype.itemsize:  # of 64 bits without jax_enable_x64
        expected = expected.astype(got.dtype)
    assert got.shape == expected.shape and got.tobytes() == expected.tobytes(), what
    print(f"the same bits: {what}")


X, Y = normal(64, 1000), normal(1000, 33)
CALLS: dict[str, tuple[Callable[[Any], Any], tuple[np.ndarray, ...]]] = {
    "sum": (lambda m: m.sum, (X,)),
    "softmax": (lambda m: m.softmax, (X,)),
    "argmax": (lambda m: lambda x: m.argmax(x, axis=1), (X,)),
    "scan": (lambda m: m.scan, (X,)),
    "layer_norm": (lambda m: lambda x, w: m.layer_norm(x, weight=w), (X, normal(1000))),
    "matmul": (lambda m: m.matmul, (X, Y)),
    "attention": (lambda m: lambda q, k, v: m.attention(q, k, v, causal=True),
                  (normal(40, 64), normal(70, 64), normal(70, 32))),
}


def ready_made() -> None:
    for name, (call, arrays) in CALLS.items():
        f, expected = jax.jit(call(lwj)), call(lw)(*arrays)
        for _ in range(3):
            same(name, f(*arrays), expected)
        batch = [np.stack([a, a[::-1]]) for a in arrays]
        each = [call(lw)(*(b[k] for b in batch)) for k in range(2)]
        same(f"{name} under vmap", jax.jit(jax.vmap(call(lwj)))(*batch), np.stack(each))


def in_order() -> None:
    """A long chain: each step reads what JAX's kernel before it wrote, and is read by the next."""
    def step(x: Any, _: Any) -> tuple[Any, None]:
        return lwj.softmax(x * 8) * 4, None

    got = jax.jit(lambda x: jax.lax.scan(step, x, None, length=300)[0])(X)
    x = X
    for _ in range(300):
        x = lw.softmax(x * np.float32(8)) * np.float32(4)
    same("a chain of 300", got, x)


def gradients() -> None:
    times = lwj.register("matmul", backward=lambda inputs, outputs, slopes: (
        lwj.matmul(slopes[0], inputs[1].T), lwj.matmul(inputs[0].T, slopes[0])))
    got = jax.jit(jax.grad(lambda y: jnp.sum(times(jnp.asarray(X), y))))(Y)
    same("a gradient", got, lw.matmul(np.ascontiguousarray(X.T), np.ones((64, 33), "f4")))


def many() -> None:
    devices = jax.devices()
    mesh = jax.sharding.Mesh(np.array(devices), ("i",))
    rows = jax.sharding.PartitionSpec("i")
    f = jax.jit(jax.shard_map(lwj.softmax, mesh=mesh, in_specs=rows, out_specs=rows))
    x = normal(8 * len(devices), 500)
    same(f"shard_map over {len(devices)}", f(x), lw.softmax(x))
    own = lwj.register(lambda x: lw.softmax(lw.difference(x)))
    f = jax.jit(jax.shard_map(own, mesh=mesh, in_specs=rows, out_specs=rows))
    same(f"an own operation over {len(devices)}", f(x), lw.softmax(lw.difference(x)))
    for device in devices:
        same(f"on {device}", jax.jit(lwj.softmax)(jax.device_put(x, device)), lw.softmax(x))


def own_kernel() -> None:
    source = """
#include <lanewise/kernel.h>
KERNEL void scale(float *out, const float *x, int n, float by)
{
    for (int i = global_idx.x; i < n; i += block_dim.x * grid_dim.x)
        out[i] = x[i] * by;
}
"""

    @lw.op("cuda::scale", infer=lambda x, by: x, parameters="by:real=2", source=source)
    def scale(s: Any, out: Any, x: Any, by: float) -> None:
        scale.program.scale[8, 128, s](out, x, x.shape[0] * x.shape[1], by)

    devices = jax.devices()
    mesh = jax.sharding.Mesh(np.array(devices), ("i",))
    rows = jax.sharding.PartitionSpec("i")
    own, x = lwj.register(scale), normal(8 * len(devices), 500)
    try:
        same("an own kernel", jax.jit(own)(X), 2 * X)
        f = jax.jit(jax.shard_map(own, mesh=mesh, in_specs=rows, out_specs=rows))
        same(f"an own kernel under shard_map over {len(devices)}", f(x), 2 * x)
    except (lw.CompileError, lw.UnsupportedError, lw.InternalError) as error:
        if not any(word in str(error) for word in ("clang", "lanewise-compile")):
            raise
        print(f"skipped: an own kernel: {error}")


if __name__ == "__main__":
    if jax.default_backend() != "gpu":
        print("skipped: JAX has no GPU")
        sys.exit(0)
    for part in (ready_made, in_order, gradients, many, own_kernel):
        part()
    print("all is as it should be")
