"""operations.py - operations of Lanewise in JAX: jit, vmap, and shard_map over 4 devices.

    operations.py

The devices are 4 parts of this machine's processor. On a machine with GPUs and JAX for CUDA the
same functions run on them. The exit status is 1 if NumPy says something else.
"""
from __future__ import annotations

import sys

import jax
import jax.numpy as jnp
import numpy as np

import lanewise as lw
import lanewise.jax as lwj

jax.config.update("jax_num_cpu_devices", 4)  # before the first array

SOURCE = """
#include <lanewise/kernel.h>

KERNEL void clip(int n, float out[n], const float x[n], float limit)
{
    for (int i = global_idx.x; i < n; i += block_dim.x * grid_dim.x)
        out[i] = x[i] < -limit ? -limit : x[i] > limit ? limit : x[i];
}
"""


@lw.op("example::clip", infer=lambda x, limit: x, parameters="limit:real=1", source=SOURCE)
def clip(s: lw.Stream, out: lw.Array, x: lw.Array, *, limit: float) -> None:
    """x, but not beyond -limit and limit."""
    clip.program.clip[4, 256, s](int(np.prod(x.shape)), out, x, limit)


clip_in_jax = lwj.register(clip)


def attend(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    """Attention (n, d) of ready-made operations, with the scores kept within 1."""
    scores = clip_in_jax(lwj.matmul(q, k.T), limit=1.0)
    return lwj.matmul(lwj.softmax(scores), v)


def expected(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    scores = np.exp(np.clip(q @ np.swapaxes(k, -1, -2), -1, 1))
    return scores / scores.sum(axis=-1, keepdims=True) @ v


def main() -> int:
    rng = np.random.default_rng(1)
    q, k, v = (rng.normal(size=(8, 16, 32)).astype("f4") for _ in range(3))  # a batch of 8
    one = jax.jit(attend)(q[0], k[0], v[0])
    all_8 = jax.jit(jax.vmap(attend))(q, k, v)

    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("batch",))
    part = jax.sharding.PartitionSpec("batch")
    spread = jax.jit(jax.shard_map(jax.vmap(attend), mesh=mesh, in_specs=part, out_specs=part))
    on_4 = spread(q, k, v)

    print(f"one of the batch: {one.shape}, all: {all_8.shape} on {len(on_4.devices())} devices")
    alike = bool(jnp.array_equal(one, all_8[0])) and bool((np.asarray(on_4) == all_8).all())
    worst = float(np.abs(np.asarray(all_8) - expected(q, k, v)).max())
    print(f"the same bits in all of them: {alike}; largest difference from NumPy {worst:.1e}")
    return 0 if alike and worst < 1e-5 else 1


if __name__ == "__main__":
    sys.exit(main())
