"""train.py - training with an operation of one's own, whose backward is another operation.

    train.py [--steps 60]

example::softmax and example::softmax_backward are kernels in C. JAX differentiates the rest of a
classifier of points in three classes. The exit status is 1 if a gradient is not that of
jax.nn.softmax, or if the classifier does not learn.
"""
from __future__ import annotations

import argparse
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import lanewise as lw
import lanewise.jax as lwj

SOURCE = """
#include <lanewise/kernel.h>

/* A block for each row. */
KERNEL void softmax(float *y, const float *x, int columns)
{
    const float *row = x + (size_t)block_idx.x * columns;
    float largest = -INFINITY, sum = 0;
    for (int i = thread_idx.x; i < columns; i += block_dim.x)
        largest = fmax(largest, row[i]);
    largest = block_max(largest);
    for (int i = thread_idx.x; i < columns; i += block_dim.x)
        sum += exp(row[i] - largest);
    sum = block_sum(sum);
    for (int i = thread_idx.x; i < columns; i += block_dim.x)
        y[(size_t)block_idx.x * columns + i] = exp(row[i] - largest) / sum;
}

/* dx = y (dy - sum(dy y)) */
KERNEL void softmax_backward(float *dx, const float *y, const float *dy, int columns)
{
    const size_t begin = (size_t)block_idx.x * columns;
    float sum = 0;
    for (int i = thread_idx.x; i < columns; i += block_dim.x)
        sum += dy[begin + i] * y[begin + i];
    sum = block_sum(sum);
    for (int i = thread_idx.x; i < columns; i += block_dim.x)
        dx[begin + i] = y[begin + i] * (dy[begin + i] - sum);
}
"""
PROGRAM = lw.compile(SOURCE)


@lw.op("example::softmax", infer=lambda x: x)
def softmax(s: lw.Stream, y: Any, x: Any) -> None:
    """softmax of each row of x (rows, columns) f32."""
    PROGRAM.softmax[x.shape[0], 32, s](y, x, x.shape[1])


@lw.op("example::softmax_backward", infer=lambda y, dy: y)
def softmax_backward(s: lw.Stream, dx: Any, y: Any, dy: Any) -> None:
    """The gradient of x for softmax's result y and its gradient dy, all (rows, columns) f32."""
    PROGRAM.softmax_backward[y.shape[0], 32, s](dx, y, dy, y.shape[1])


backward = lwj.register(softmax_backward)
forward = lwj.register(softmax, backward=lambda inputs, outputs, gradients: (
    backward(outputs[0], gradients[0]),))


def loss(parameters: Any, x: jax.Array, kind: jax.Array, softmax: Any) -> jax.Array:
    """Cross entropy of a layer and softmax: x (points, 2), kind (points) of 0, 1, 2."""
    weights, bias = parameters
    chance = softmax(x @ weights + bias)
    return -jnp.mean(jnp.log(chance[jnp.arange(len(kind)), kind]))


def main() -> int:
    parser = argparse.ArgumentParser(description="Training with a custom operation.")
    parser.add_argument("--steps", type=int, default=60)
    steps = parser.parse_args().steps

    rng = np.random.default_rng(3)
    kind = jnp.asarray(rng.integers(0, 3, 300))
    centres = np.array([[0, 2], [2, -1], [-2, -1]], "f4")
    x = jnp.asarray(centres[kind] + rng.normal(size=(300, 2)).astype("f4"))
    parameters = (jnp.asarray(rng.normal(size=(2, 3)).astype("f4")), jnp.zeros(3))

    slopes = jax.jit(jax.grad(loss), static_argnums=3)
    ours, theirs = (slopes(parameters, x, kind, f) for f in (forward, jax.nn.softmax))
    worst = max(float(jnp.abs(a - b).max()) for a, b in zip(ours, theirs))
    print(f"gradients: largest difference from jax.nn.softmax {worst:.1e}")

    first = loss(parameters, x, kind, forward)
    for _ in range(steps):
        step = slopes(parameters, x, kind, forward)
        parameters = tuple(p - 0.5 * s for p, s in zip(parameters, step))
    last = loss(parameters, x, kind, forward)
    right = float(jnp.mean((x @ parameters[0] + parameters[1]).argmax(axis=1) == kind))
    print(f"loss {first:.4f}, after {steps} steps {last:.4f}; {right:.0%} of the points are right")
    return 0 if worst < 1e-6 and last < first / 2 else 1


if __name__ == "__main__":
    sys.exit(main())
