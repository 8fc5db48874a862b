"""python.py - what calls from Python take, beside Numba and Warp where they are installed.

    PYTHONPATH=build/python python3 bench/python.py [--device NAME]

Launches and lanewise.dot: the least of 7 medians of 2,000 calls each. Import and the first kernel:
the median of 7 new processes, which time themselves; of import, NumPy's own time is left out.
"""
from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable

import numpy as np

import lanewise as lw

ROUNDS, CALLS, PROCESSES = 7, 2000, 7
SOURCE = """#include <lanewise/kernel.h>
KERNEL void scale(int n, float x[n], float by)
{
    int i = global_idx.x;
    if (i < n)
        x[i] *= by;
}
"""
IMPORT = """
import time, numpy
begin = time.perf_counter()
import lanewise
print(time.perf_counter() - begin)
"""
FIRST = f"""
import time, numpy, lanewise
x = numpy.ones(32, "f4")
begin = time.perf_counter()
lanewise.compile({SOURCE!r}).scale[1, 32](32, x, 0.5)
print(time.perf_counter() - begin)
"""


def microseconds(call: Callable[[], Any]) -> float:
    """Of one call: the least of the medians of some rounds."""
    for _ in range(100):
        call()
    medians = []
    for _ in range(ROUNDS):
        times = []
        for _ in range(CALLS):
            begin = time.perf_counter_ns()
            call()
            times.append(time.perf_counter_ns() - begin)
        medians.append(statistics.median(times))
    return min(medians) / 1000


def milliseconds(script: str, is_cold: bool) -> float:
    """That new processes measure: the median. Cold: each has an empty cache."""
    times = []
    # Modules are kept compiled, as where they are installed.
    variables = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        for n in range(PROCESSES + 1):
            cache = os.path.join(folder, str(n) if is_cold else "one")
            os.makedirs(cache, mode=0o700, exist_ok=True)
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                                  env={**variables, "LANEWISE_CACHE_DIR": cache})
            if done.returncode:
                raise SystemExit(done.stderr)
            times.append(float(done.stdout))
    return statistics.median(times[1:]) * 1000  # the first one warms files and the cache


def of_lanewise(device: str | None) -> dict[str, tuple[float, str]]:
    lw.default_device(device)
    scale = lw.compile(SOURCE).scale[1, 32]
    values, y = np.ones(32, "f4"), np.arange(8, dtype="f4")
    array = lw.asarray(values).copy()
    a, b = lw.asarray(y).copy(), lw.asarray(y).copy()
    return {
        "launch, lanewise.Array": (microseconds(lambda: scale(32, array, 1.0)), "us"),
        "launch, NumPy's array": (microseconds(lambda: scale(32, values, 1.0)), "us"),
        "lanewise.dot of 8, NumPy's": (microseconds(lambda: lw.dot(y, y)), "us"),
        "lanewise.dot of 8, Arrays": (microseconds(lambda: lw.dot(a, b)), "us"),
        "numpy.dot of 8": (microseconds(lambda: np.dot(y, y)), "us"),
        "import without NumPy's": (milliseconds(IMPORT, False), "ms"),
        "first kernel, nothing cached": (milliseconds(FIRST, True), "ms"),
        "first kernel, cached": (milliseconds(FIRST, False), "ms"),
    }


def of_numba() -> dict[str, tuple[float, str]]:
    import numba  # type: ignore[import-not-found]
    values = np.ones(32, "f4")

    @numba.njit(parallel=False)
    def scale(n: int, x: Any, by: float) -> None:
        for i in range(n):
            x[i] *= by

    begin = time.perf_counter()
    scale(32, values, 1.0)
    first = time.perf_counter() - begin
    return {"Numba: launch, NumPy's array": (microseconds(lambda: scale(32, values, 1.0)), "us"),
            "Numba: first call": (first * 1000, "ms")}


def of_warp() -> dict[str, tuple[float, str]]:
    import warp  # type: ignore[import-not-found]
    from python_warp import scale  # a kernel's source must be in a file
    warp.config.quiet = True
    values = warp.ones(32, dtype=float, device="cpu")
    begin = time.perf_counter()
    warp.launch(scale, dim=32, inputs=[values, 1.0], device="cpu")
    first = time.perf_counter() - begin
    return {"Warp: launch, its array": (microseconds(lambda: warp.launch(
                scale, dim=32, inputs=[values, 1.0], device="cpu")), "us"),
            "Warp: first launch": (first * 1000, "ms")}


def main() -> None:
    parser = argparse.ArgumentParser(description="What calls from Python take.")
    parser.add_argument("--device", help="which device; the default one without it")
    rows = of_lanewise(parser.parse_args().device)
    for name, measure in (("Numba", of_numba), ("Warp", of_warp)):
        try:
            rows |= measure()
        except ImportError:
            print(f"not measured: {name} is not installed")
    for name, (value, unit) in rows.items():
        print(f"{name:32} {value:9.2f} {unit}")


if __name__ == "__main__":
    main()
