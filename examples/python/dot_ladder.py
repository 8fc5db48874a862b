"""dot_ladder.py - the steps of the dot product of puzzle 8, timed from Python, with a chart.

    dot_ladder.py [--device NAME] [--n 1048576] [--chart FILE.svg]

Each step must come within 1e-4 of NumPy's double sum, or the exit status is 1. The chart needs
matplotlib; without it a line says so.
"""
from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any, Callable

import numpy as np

import lanewise as lw

SOLUTION = Path(__file__).parents[1] / "puzzles" / "dot-ladder" / "solution.c"
#        step, blocks
LADDER = (("one_thread", 1), ("one_block", 1), ("many_blocks", 64), ("shared_then_atomic", 64),
          ("shared_tree", 64), ("block_sums", 64))
REPEATS = 5


def best_of(call: Callable[[], Any]) -> float:
    """The least time of a call, in seconds."""
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def climb(n: int) -> dict[str, tuple[float, float]]:
    """Relative error and time of each step, of lanewise.dot and of NumPy."""
    rng = np.random.default_rng(3)
    x, y = rng.random(n).astype("f4"), rng.random(n).astype("f4")
    exact = float(np.dot(x.astype("f8"), y.astype("f8")))
    prog = lw.compile(SOLUTION, defines={"ACC": "double"})
    a, b, out = lw.asarray(x).copy(), lw.asarray(y).copy(), lw.zeros(1, "f64")
    rows = {}
    for name, blocks in LADDER:
        def step() -> None:
            out[0] = 0
            prog[name][blocks, 256](out, a, b, n)

        seconds = best_of(step)
        rows[name] = abs(out[0].item() / exact - 1), seconds
    rows["lanewise.dot"] = abs(lw.dot(a, b).item() / exact - 1), best_of(lambda: lw.dot(a, b))
    rows["numpy.dot"] = abs(float(np.dot(x, y)) / exact - 1), best_of(lambda: np.dot(x, y))
    return rows


def draw(rows: dict[str, tuple[float, float]], path: str) -> None:
    try:
        import matplotlib
    except ImportError:
        print("no chart: matplotlib is not installed (pip install matplotlib)")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot
    _, axes = pyplot.subplots(figsize=(8, 4))
    axes.barh(list(rows), [seconds * 1e3 for _, seconds in rows.values()])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("milliseconds, the best of five; less is better")
    pyplot.tight_layout()
    pyplot.savefig(path)
    print(f"the chart is in {path}")


def main() -> int:
    parser = argparse.ArgumentParser(description="The dot product of puzzle 8, step by step.")
    parser.add_argument("--device", help="which device; the default one without it")
    parser.add_argument("--n", type=int, default=1 << 20, help="elements (1048576)")
    parser.add_argument("--chart", help="draw the times into this file")
    given = parser.parse_args()
    if given.n < 1:
        parser.error(f"--n is {given.n}; need at least 1")
    lw.default_device(given.device)
    rows = climb(given.n)
    for name, (error, seconds) in rows.items():
        print(f"{name:20} {seconds * 1e3:9.3f} ms   relative error {error:.1e}")
    if given.chart:
        draw(rows, given.chart)
    return 0 if all(error < 1e-4 for error, _ in rows.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
