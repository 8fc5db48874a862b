"""make_inputs.py - writes the .npy files that the puzzles read (they are in the repository).

    python3 examples/puzzles/make_inputs.py      needs NumPy
"""
from pathlib import Path

import numpy as np

here = Path(__file__).parent


def save(name, values):
    np.save(here / name, np.ascontiguousarray(values, dtype=np.float32))


i = np.arange(128)
save("neighbour-difference/squares.npy", i[:32] ** 2)
save("moving-average/sums.npy", np.cumsum(i[:64] + 1))
save("block-sum/evens.npy", 2 * i)
save("histogram/hundredths.npy", (i % 80) / 100)
save("normalise/one-to-eight.npy", i % 8 + 1)

draw = np.random.RandomState(42)
save("attention/q.npy", draw.randn(16) * 0.1)
save("attention/K.npy", draw.randn(16, 16) * 0.1)
save("attention/V.npy", draw.randn(16, 16) * 0.1)
