#!/usr/bin/env python3
"""busy.py - small calls, alone and beside a process on each processor that never stops.

    PYTHONPATH=build/python python3 bench/busy.py [--threads N] [--json FILE] [--commit NAME]

Idle and busy in turns, ROUNDS of each. A row has the median of a call in microseconds and its 95th
percentile, for both; `slower` is the ratio of the medians. NumPy's calls stand beside: a
system that gives a thread half of a processor takes from both.
"""
import argparse
import json
import os
import subprocess
import time

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--threads", type=int, default=os.cpu_count())
parser.add_argument("--json")
parser.add_argument("--commit", default="")
OPTIONS = parser.parse_args()
for variable in "LANEWISE_NUM_THREADS", "OPENBLAS_NUM_THREADS":
    os.environ[variable] = str(OPTIONS.threads)

import numpy as np
import lanewise as lw

ROUNDS, SECONDS = 4, 0.3


def sample(call):
    """The seconds of each call."""
    times, end = [], time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return times


class Busy:
    """`yes` once for each processor."""

    def __enter__(self):
        self.loops = [subprocess.Popen(["yes"], stdout=subprocess.DEVNULL)
                      for _ in range(os.cpu_count())]
        time.sleep(0.1)

    def __exit__(self, *_):
        for loop in self.loops:
            loop.kill()
            loop.wait()


def percentile(times, share):
    return 1e6 * sorted(times)[int(share * len(times))]


def calls():
    x16, x = np.ones(16, "f4"), np.random.default_rng(1).random((128, 128), "f4")
    large, out = np.ones(1 << 20, "f4"), np.empty_like(x)
    return {"sum of 16": lambda: lw.sum(x16), "numpy: sum of 16": lambda: np.sum(x16),
            "map of 16": lambda: lw.map("a + 1", x16),
            "matmul 128": lambda: lw.matmul(x, x, out=out),
            "numpy: matmul 128": lambda: np.matmul(x, x, out=out),
            "softmax 128 x 128": lambda: lw.softmax(x, out=out),
            "sum of 2^20": lambda: lw.sum(large), "numpy: sum of 2^20": lambda: np.sum(large)}


def main():
    rows, times = [], {name: ([], []) for name in calls()}
    for name, call in calls().items():
        call()
        for _ in range(ROUNDS):
            times[name][0].extend(sample(call))
            with Busy():
                times[name][1].extend(sample(call))
        (idle, idle95), (busy, busy95) = (
            (percentile(t, 0.5), percentile(t, 0.95)) for t in times[name])
        rows.append({"row": name, "idle_us": idle, "idle_p95_us": idle95, "busy_us": busy,
                     "busy_p95_us": busy95, "slower": busy / idle})
        print(f"{name:20s} idle {idle:8.1f} us, p95 {idle95:8.1f}   busy {busy:8.1f}, p95 "
              f"{busy95:8.1f}   {busy / idle:.2f} times", flush=True)
    if OPTIONS.json:
        with open(OPTIONS.json, "w") as f:
            json.dump({"threads": OPTIONS.threads, "processors": os.cpu_count(),
                       "commit": OPTIONS.commit, "load": os.getloadavg()[0], "rows": rows}, f,
                      indent=1)
            f.write("\n")


main()
