#!/usr/bin/env python3
"""cuda.py - CUDA programs on the processor against the same programs in serial C, in turns.

    PYTHONPATH=build/python python3 bench/cuda.py [--threads N] [--json FILE] [--commit NAME]
                                                  [--machine TEXT] [ROW...]

The kernels are bench/cuda/programs/*.cu, as for a GPU; serial.c there is compiled by gcc -O3
-march=native. The least of rounds in turns for a second a row, since other work may
run beside; results are compared first.
"""
import argparse
import ctypes
import json
import math
import os
import platform
import statistics
import subprocess
import tempfile
import time

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("rows", nargs="*", metavar="ROW")
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--seconds", type=float, default=1.0)
parser.add_argument("--json")
parser.add_argument("--commit", default="")
parser.add_argument("--machine", default=platform.processor() or platform.machine())
OPTIONS = parser.parse_args()
os.environ["LANEWISE_NUM_THREADS"] = str(OPTIONS.threads)

import numpy as np
import lanewise as lw

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cuda", "programs")
FLAGS = ["-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math"]
RANDOM = np.random.default_rng(1)
STREAM = lw.stream()
F = ctypes.c_float


def serial_library():
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "serial.so")
        subprocess.run(["gcc", *FLAGS, "-fPIC", "-shared", os.path.join(PROGRAMS, "serial.c"), "-o",
                        made, "-lm"], check=True)
        return ctypes.CDLL(made)


SERIAL = serial_library()


def kernels(name, *of):
    program = lw.compile(os.path.join(PROGRAMS, name + ".cu"))
    return [program[k] for k in of or (name,)]


def p(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def on_device(*arrays):
    return [lw.asarray(a).copy() for a in arrays]


def of_vectors(array):
    """The array as one of CUDA's vectors: bytes on the device, and the same memory as it was."""
    made = lw.asarray(np.ascontiguousarray(array).view("u1").ravel()).copy()
    return made, np.asarray(made).view(array.dtype).reshape(array.shape)


def uniform(*shape):
    return RANDOM.random(shape, dtype="f4")


def up(n, by):
    return (n + by - 1) // by


def pathfinder(columns=1 << 16, rows=100, steps=20):
    kernel, = kernels("pathfinder")
    cost = RANDOM.integers(0, 10, (rows, columns), dtype="i4")
    first, a, b = (np.zeros(columns, "i4") for _ in range(3))
    d_cost, d_first, d_a, d_b = on_device(cost, first, a, b)
    launch = kernel[up(columns, 256 - 2 * steps), 256, STREAM]
    ends = [d_b, d_a]

    def ours():
        at = d_first
        for row in range(0, rows, steps):
            to = ends[row // steps % 2]
            launch(d_cost, at, to, columns, row, steps)
            at = to

    def serial():
        a[:] = 0
        SERIAL.pathfinder(p(cost), p(a), p(b), columns, rows)

    done = ends[(rows // steps - 1) % 2]
    return ours, serial, [(done, b if rows % 2 else a)], 0, 4.0 * rows * columns


def hotspot(n=512, times=8):
    kernel, = kernels("hotspot")
    power, a, b = uniform(n, n), 80 + uniform(n, n), uniform(n, n)
    start, constants = a.copy(), np.array([0.1, 0.1, 0.05, 0.2], "f4")
    d_power, d_start, d_a, d_b = on_device(power, start, a, b)
    launch = kernel[(up(n, 32), up(n, 8)), (32, 8), STREAM]
    k = [float(v) for v in constants]

    def ours():
        at = d_start
        for i in range(times):
            to = (d_b, d_a)[i % 2]
            launch(d_power, at, to, n, *k)
            at = to

    def serial():
        at = start
        for i in range(times):
            to = (b, a)[i % 2]
            SERIAL.hotspot(p(power), p(at), p(to), n, p(constants))
            at = to

    pair = (d_b, b) if times % 2 else (d_a, a)
    return ours, serial, [pair], 1e-5, 12.0 * n * n * times


def nw(n=1024):
    kernel, = kernels("nw")
    alike = RANDOM.integers(-4, 6, (n, n), dtype="i4")
    score = np.zeros((n + 1, n + 1), "i4")
    score[0], score[:, 0] = -10 * np.arange(n + 1), -10 * np.arange(n + 1)
    d_alike, d_score = on_device(alike, score)
    wide, high = n // 32, n // 128

    def ours():
        for diagonal in range(wide + high - 1):
            first = max(0, diagonal - high + 1)
            count = min(wide - 1, diagonal) - first + 1
            kernel[count, 32, STREAM](d_alike, d_score, n, diagonal, first, 10)

    def serial():
        SERIAL.nw(p(alike), p(score), n, 10)

    return ours, serial, [(d_score, score)], 0, 8.0 * n * n


def lud(n=512):
    diagonal, edges, inside = kernels("lud", "lud_diagonal", "lud_edges", "lud_inside")
    given = uniform(n, n) + n * np.eye(n, dtype="f4")
    a = given.copy()
    d_a, = on_device(a)
    h_a = np.asarray(d_a)

    def ours():
        h_a[:] = given
        for at in range(0, n, 16):
            left = (n - at) // 16 - 1
            diagonal[1, (16, 16), STREAM](d_a, n, at)
            if left:
                edges[up(left, 8), 256, STREAM](d_a, n, at)
                inside[(left, left), (16, 16), STREAM](d_a, n, at)

    def serial():
        a[:] = given
        SERIAL.lud(p(a), n)

    return ours, serial, [(d_a, a)], 1e-4, 2 * n ** 3 / 3


def srad(n=512, times=4):
    sums, variance, coefficients, update = kernels(
        "srad", "srad_sums", "srad_variance", "srad_coefficients", "srad_update")
    start = np.exp(uniform(n, n))
    a, b, c = start.copy(), start.copy(), np.zeros((n, n), "f4")
    d_start, d_a, d_b, d_c, d_sums, d_variance = on_device(
        start, a, b, c, np.zeros((64, 2), "f4"), np.zeros(1, "f4"))
    grid, block = (up(n, 32), up(n, 8)), (32, 8)

    def ours():
        at = d_start
        for i in range(times):
            to = (d_b, d_a)[i % 2]
            sums[64, 256, STREAM](at, d_sums, n * n)
            variance[1, 32, STREAM](d_sums, d_variance, 64, n * n)
            coefficients[grid, block, STREAM](at, d_c, d_variance, n, n)
            update[grid, block, STREAM](at, to, d_c, n, n, 0.5)
            at = to

    def serial():
        at = start
        for i in range(times):
            to = (b, a)[i % 2]
            SERIAL.srad(p(at), p(to), p(c), n, n, F(0.5))
            at = to

    pair = (d_b, b) if times % 2 else (d_a, a)
    return ours, serial, [pair], 1e-4, 20.0 * n * n * times


def stencil(n=128):
    kernel, = kernels("stencil")
    a, b = uniform(n, n, n), np.zeros((n, n, n), "f4")
    d_a, d_b = on_device(a, b)
    launch = kernel[(up(n - 2, 32), up(n - 2, 8)), (32, 8), STREAM]
    return (lambda: launch(d_a, d_b, n, n, n, 0.4, 0.1),
            lambda: SERIAL.stencil(p(a), p(b), n, n, n, F(0.4), F(0.1)),
            [(d_b, b)], 1e-5, 8.0 * n ** 3)


def sgemm(n=512):
    kernel, = kernels("sgemm")
    a, b, c = uniform(n, n), uniform(n, n), uniform(n, n)
    d_a, d_b, d_c = on_device(a, b, c)
    launch = kernel[(n // 64, n // 64), (16, 16), STREAM]
    return (lambda: launch(d_a, d_b, d_c, n), lambda: SERIAL.sgemm(p(a), p(b), p(c), n),
            [(d_c, c)], 1e-4, 2.0 * n ** 3)


def reduction(n=1 << 21):
    kernel, = kernels("reduction")
    x, total = uniform(n), np.zeros(1, "f4")
    d_x, d_sums, d_total = on_device(x, np.zeros(64, "f4"), total)
    first, last = kernel[64, 256, STREAM], kernel[1, 64, STREAM]

    def ours():
        first(d_x, d_sums, n)
        last(d_sums, d_total, 64)

    return (ours, lambda: SERIAL.reduction(p(x), p(total), n),
            [(d_total, total)], 1e-4, 4.0 * n)


def scan(n=1 << 21):
    tiles, of_sums, add = kernels("scan", "scan_tiles", "scan_sums", "scan_add")
    x, y = RANDOM.integers(-9, 10, n, dtype="i4"), np.zeros(n, "i4")
    blocks = n // 1024
    (d_x, _), (d_y, h_y) = of_vectors(x), of_vectors(y)
    d_sums, = on_device(np.zeros(blocks, "i4"))

    def ours():
        tiles[blocks, 256, STREAM](d_x, d_y, d_sums)
        of_sums[1, 256, STREAM](d_sums, blocks)
        add[blocks - 1, 256, STREAM](d_y, d_sums)

    return ours, lambda: SERIAL.scan(p(x), p(y), n), [(h_y, y)], 0, 8.0 * n


def nbody(n=4096):
    kernel, = kernels("nbody")
    bodies, pull = uniform(4, n), np.zeros((4, n), "f4")
    (d_bodies, _), (d_pull, h_pull) = of_vectors(bodies.T), of_vectors(pull.T)
    launch = kernel[n // 256, 256, STREAM]
    return (lambda: launch(d_bodies, d_pull, n, 0.01),
            lambda: SERIAL.nbody(p(bodies), p(pull), n, F(0.01)),
            [(h_pull, pull.T)], 1e-3, 20.0 * n * n)


def spmv(rows=1 << 15, around=32):
    kernel, = kernels("spmv")
    begin = np.concatenate([[0], np.cumsum(RANDOM.integers(around // 2, around * 3 // 2, rows))])
    begin = begin.astype("i4")
    column = RANDOM.integers(0, rows, begin[-1], dtype="i4")
    value, x, y = uniform(int(begin[-1])), uniform(rows), uniform(rows)
    given = on_device(begin, column, value, x, y)
    launch = kernel[rows // 8, 256, STREAM]
    return (lambda: launch(rows, *given),
            lambda: SERIAL.spmv(rows, p(begin), p(column), p(value), p(x), p(y)),
            [(given[4], y)], 1e-4, 2.0 * int(begin[-1]))


def bfs(n=1 << 16, degree=8):
    kernel, = kernels("bfs")
    begin = np.arange(0, n * degree + 1, degree, dtype="i4")
    edge = RANDOM.integers(0, n, n * degree, dtype="i4")
    distance, queue = np.full(n, -1, "i4"), np.zeros(n, "i4")
    d_begin, d_edge, d_distance, d_a, d_b, d_count = on_device(
        begin, edge, distance, queue, queue, np.zeros(1, "i4"))
    h_distance, h_first, h_count = (np.asarray(a) for a in (d_distance, d_a, d_count))

    def ours():
        h_distance[:] = -1
        h_distance[0] = h_first[0] = 0
        at, to, queued, level = d_a, d_b, 1, 0
        while queued:
            level, h_count[0] = level + 1, 0
            kernel[up(queued, 256), 256, STREAM](d_begin, d_edge, d_distance, at, queued, to,
                                                 d_count, level)
            STREAM.wait()
            at, to, queued = to, at, int(h_count[0])

    def serial():
        distance[:] = -1
        SERIAL.bfs(p(begin), p(edge), p(distance), p(queue), 0)

    return ours, serial, [(d_distance, distance)], 0, 4.0 * n * degree


UNITS = {"lud": "GFLOP/s", "sgemm": "GFLOP/s", "nbody": "GFLOP/s", "spmv": "GFLOP/s"}
ROWS = [pathfinder, hotspot, nw, lud, srad, stencil, sgemm, reduction, scan, nbody, spmv, bfs]


def seconds(call, is_ours):
    begin = time.perf_counter()
    call()
    if is_ours:
        STREAM.wait()
    return time.perf_counter() - begin


def row(program):
    ours, serial, results, bound, work = program()
    seconds(ours, True), seconds(serial, False)
    error = 0.0
    for given, wanted in results:
        given, wanted = np.asarray(given).astype("f8"), wanted.astype("f8")
        error = max(error, float(np.abs(given - wanted).max() / max(np.abs(wanted).max(), 1e-30)))
    if not error <= bound:
        raise SystemExit(f"{program.__name__}: differs from serial C by {error:.1e}")
    times, end = [], time.perf_counter() + OPTIONS.seconds
    while len(times) < 5 or time.perf_counter() < end:
        times.append((seconds(ours, True), seconds(serial, False)))
    us, peer = (min(t) * 1e6 for t in zip(*times))
    name, unit = program.__name__, UNITS.get(program.__name__, "GB/s")
    print(f"{name:12} {us:9.1f} us {work / us / 1e3:7.2f}   serial C {peer:9.1f} us "
          f"{work / peer / 1e3:7.2f} {unit:8} of serial C {peer / us:6.2f}   error {error:.1e}",
          flush=True)
    return {"row": name, "us": us, "rate": work / us / 1e3, "unit": unit, "serial_us": peer,
            "of_serial": peer / us, "error": error}


def main():
    made = [row(r) for r in ROWS if not OPTIONS.rows or r.__name__ in OPTIONS.rows]
    mean = math.exp(statistics.mean(math.log(r["of_serial"]) for r in made))
    print(f"{'geometric mean':12} {mean:.2f} of serial C, {OPTIONS.threads} threads")
    if OPTIONS.json:
        gcc = subprocess.run(["gcc", "-dumpfullversion"], stdout=subprocess.PIPE, text=True,
                             check=True)
        with open(OPTIONS.json, "w", encoding="utf-8") as file:
            json.dump({"machine": OPTIONS.machine,
                       "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                       "threads": OPTIONS.threads, "commit": OPTIONS.commit,
                       "peer": f"gcc {gcc.stdout.strip()} {' '.join(FLAGS)}",
                       "load": os.getloadavg()[0], "geometric_mean": mean, "rows": made},
                      file, indent=1)


main()
