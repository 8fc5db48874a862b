#!/usr/bin/env python3
"""arrays.py - programs that are written with operators, on Arrays and on NumPy's arrays, in turns.

    PYTHONPATH=build/python python3 bench/arrays.py [--threads N] [--json FILE] [--commit NAME]

Each program is one function of the module and its arrays. Medians of 15 rounds, or of fewer in 4
seconds; the results are compared. An operator's dispatch is what it takes while its result waits.
"""
import argparse
import json
import os
import platform
import statistics
import time

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--json")
parser.add_argument("--commit", default="")
OPTIONS = parser.parse_args()
for variable in "LANEWISE_NUM_THREADS", "OPENBLAS_NUM_THREADS":
    os.environ[variable] = str(OPTIONS.threads)

import numpy as np
import lanewise as lw

RANDOM = np.random.default_rng(1)
ROUNDS, SECONDS = 15, 4


def chain(m, x, y):
    return 2.5 * x + 1.5 * y - 0.5


def gelu(m, x):
    return 0.5 * x * (1 + m.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def gelu_as_one_map(m, x):
    if m is np:
        return gelu(m, x)
    return m.map("0.5f * a * (1 + tanh(0.7978845608f * (a + 0.044715f * a * a * a)))", x)


def logistic_regression(m, x, y):
    w = m.zeros(x.shape[1], dtype=x.dtype)
    for _ in range(20):
        p = 1 / (1 + m.exp(-(x @ w)))
        w = w - (0.1 / x.shape[0]) * (x.T @ (p - y))
    return w


def k_means(m, x, centres):
    for _ in range(5):
        apart = m.sum(centres * centres, axis=1) - 2 * (x @ centres.T)
        near = m.argmin(apart, axis=1)
        ones = m.equal(near[:, None], m.arange(centres.shape[0])).astype(x.dtype)
        centres = (ones.T @ x) / m.sum(ones, axis=0)[:, None]
    return centres


def network_step(m, x, target, a, b):
    hidden = m.tanh(x @ a)
    error = hidden @ b - target
    back = (error @ b.T) * (1 - hidden * hidden)
    rate = 0.01 / x.shape[0]
    return a - rate * (x.T @ back), b - rate * (hidden.T @ error)


def uniform(*shape):
    return RANDOM.random(shape, dtype="f4") - np.float32(0.5)


def seconds(function, module, arrays):
    begin = time.perf_counter()
    made = function(module, *arrays)
    for a in made if isinstance(made, tuple) else (made,):
        if module is lw:
            a._wait()
    return time.perf_counter() - begin


def row(name, function, *arrays):
    ours = [lw.asarray(a).copy() for a in arrays]
    given, wanted = function(lw, *ours), function(np, *arrays)
    pairs = list(zip(given, wanted)) if isinstance(given, tuple) else [(given, wanted)]
    error = max(float(np.abs(np.asarray(g) - w).max() / np.abs(w).max()) for g, w in pairs)
    times, end = [], time.perf_counter() + SECONDS
    while len(times) < ROUNDS and (len(times) < 3 or time.perf_counter() < end):
        times.append((seconds(function, lw, ours), seconds(function, np, arrays)))
    us, peer = (statistics.median(t) * 1e6 for t in zip(*times))
    print(f"{name:44} {us:10.1f} us   of NumPy {peer / us:5.2f}   error {error:.1e}", flush=True)
    return {"row": name, "us": us, "of_peer": peer / us, "error": error}


def dispatch(count=2000):
    x = lw.zeros(16) + 1
    x._wait()
    least = 1.0
    for _ in range(10):
        begin = time.perf_counter()
        for _ in range(count):
            x * 2.0
        least = min(least, (time.perf_counter() - begin) / count)
    print(f"{'an operator that waits':44} {least * 1e6:10.2f} us")
    return {"row": "an operator that waits", "us": least * 1e6}


x, y = uniform(1000000), uniform(1000000)
samples = uniform(20000, 64)
ROWS = [
    row("2.5 * x + 1.5 * y - 0.5, 10^6", chain, x, y),
    row("gelu, 10^6", gelu, x),
    row("gelu as one map, 10^6", gelu_as_one_map, x),
    row("logistic regression, 20000 x 64", logistic_regression, samples,
        (uniform(20000) > 0).astype("f4")),
    row("k-means, 20000 x 64, 16 centres", k_means, samples, samples[:16].copy()),
    row("a step of a network, 256 x 512 x 512 x 64", network_step, uniform(256, 512),
        uniform(256, 64), uniform(512, 512), uniform(512, 64)),
    dispatch(),
]
if OPTIONS.json:
    with open(OPTIONS.json, "w", encoding="utf-8") as file:
        json.dump({"machine": platform.processor() or platform.machine(),
                   "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                   "threads": OPTIONS.threads, "commit": OPTIONS.commit,
                   "peer": f"NumPy {np.__version__}", "load": os.getloadavg()[0], "rows": ROWS},
                  file, indent=1)
