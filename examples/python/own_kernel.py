"""own_kernel.py - a kernel of one's own on NumPy's arrays, then in a graph.

    own_kernel.py [--device NAME]

The kernel blurs each row of an image: a thread makes one pixel of three. Run first at once, then
twice in a graph with a softmax behind it; the exit status is 1 if NumPy says something else.
"""
from __future__ import annotations

import argparse
import sys

import numpy as np

import lanewise as lw

SOURCE = """
#include <lanewise/kernel.h>

KERNEL void blur(TENSOR(float, 2) out, CONST_TENSOR(float, 2) in)
{
    int x = global_idx.x, y = global_idx.y;
    int rows = extent(in, 0), columns = extent(in, 1);
    if (y >= rows || x >= columns)
        return;
    int left = x > 0 ? x - 1 : x, right = x < columns - 1 ? x + 1 : x;
    at(out, y, x) = (at(in, y, left) + at(in, y, x) + at(in, y, right)) / 3;
}
"""


def blurred(image: np.ndarray) -> np.ndarray:
    """The same in NumPy."""
    wide = np.pad(image, ((0, 0), (1, 1)), mode="edge")
    return (wide[:, :-2] + wide[:, 1:-1] + wide[:, 2:]) / np.float32(3)


def main() -> int:
    parser = argparse.ArgumentParser(description="A kernel of one's own, at once and in a graph.")
    parser.add_argument("--device", help="which device; the default one without it")
    lw.default_device(parser.parse_args().device)

    prog = lw.compile(SOURCE)
    print(prog.blur.signature)
    image = np.random.default_rng(1).random((30, 50)).astype("f4")
    block = (16, 16)
    grid = (-(-50 // 16), -(-30 // 16))           # enough blocks to cover 50 columns, 30 rows

    out = np.empty_like(image)
    prog.blur[grid, block](out, image)
    prog.blur[grid, block](out[:, ::-1], image[:, ::-1])  # strides are read where they are
    first = np.abs(out - blurred(image)).max()

    with lw.Graph(inputs={"image": lw.TensorType("f32", image.shape)}) as g:
        once, twice = g.temporary("f32", image.shape), g.temporary("f32", image.shape)
        prog.blur[grid, block, g.stream](once, g.image)
        prog.blur[grid, block, g.stream](twice, once)
        g.output(lw.softmax(twice))
    model = g.compile()
    expected = np.exp(blurred(blurred(image)))
    expected /= expected.sum(axis=1, keepdims=True)
    second = np.abs(model(image)["out"] - expected).max()

    print(f"at once: largest difference {first:.1e}")
    print(f"in a graph of {model.plan.launches} launches: largest difference {second:.1e}")
    return 0 if max(first, second) < 1e-5 else 1


if __name__ == "__main__":
    sys.exit(main())
