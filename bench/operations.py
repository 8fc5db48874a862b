#!/usr/bin/env python3
"""operations.py - the ready-made operations on `cpu`, against NumPy (and its OpenBLAS) and, where
it is installed, PyTorch in one run. Without NumPy beside: lanewise bench operations.

    PYTHONPATH=build/python python3 bench/operations.py [--threads N] [--only PART,...]
                                                        [--json FILE] [--commit NAME]

Each row: ours and the peers in turns, medians of 15 rounds, or of fewer in 4 seconds; the results
are compared. `of limit` is the share of what memory gives in the same turns to a kernel that only
reads, or copies, one array.
Some rows exceed it, so it is a yardstick and no bound. N threads for both sides, 1 by default; PART
is a function below, as `selections`. Rows of 64 heads x 4096 have no peer, which would need 4 GiB
for its weights. `cpu_us` is the processor time of all threads: the better measure where other work
runs beside.

OpenBLAS takes AVX2 where it does not know the processor; "blas" in the JSON tells. With
OPENBLAS_CORETYPE=SKYLAKEX in the environment it uses AVX-512.
"""
import argparse
import ctypes
import itertools
import json
import math
import multiprocessing
import os
import platform
import signal
import statistics
import time

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--only")
parser.add_argument("--json")
parser.add_argument("--commit", default="")
OPTIONS = parser.parse_args()
for variable in "LANEWISE_NUM_THREADS", "OPENBLAS_NUM_THREADS":
    os.environ[variable] = str(OPTIONS.threads)

import numpy as np
import lanewise as lw

try:
    import torch
    torch.set_num_threads(1)  # an Apart has more: OpenMP's threads do not outlive a fork
    torch.set_grad_enabled(False)
except ImportError:
    torch = None

ROUNDS, SECONDS, N24 = 15, 4, 1 << 24
RANDOM = np.random.default_rng(1)
ROWS = []

# An element a lane.
LIMITS_SOURCE = """
#include <lanewise/kernel.h>
KERNEL void reads(float *out, const float *x, size_t n)
{
    float sum = 0;
    const size_t begin = n / grid_dim.x * block_idx.x, end = begin + n / grid_dim.x;
    for (size_t i = begin + thread_idx.x; i < end; i += 64)
        sum += x[i];
    if (sum == 1.5f)
        out[0] = 1;
}
KERNEL void copies(float *out, const float *x, size_t n)
{
    const size_t begin = n / grid_dim.x * block_idx.x, end = begin + n / grid_dim.x;
    for (size_t i = begin + thread_idx.x; i < end; i += 64)
        out[i] = x[i];
}
"""


def seconds(call):
    """By the clock, and of all processors. With several threads the first call only wakes them."""
    if OPTIONS.threads > 1:
        call()
    begin, used = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - begin, time.process_time() - used


class Apart:
    """A peer in a process of its own, which is stopped between its turns. Its threads look for work
    for a while after a call, and nobody else's would have these processors."""

    def __init__(self, call, once):
        self.pipe, pipe = multiprocessing.Pipe()
        self.process = os.fork()
        if not self.process:
            try:
                if torch:
                    torch.set_num_threads(OPTIONS.threads)
                pipe.send(once())
                while pipe.recv():
                    pipe.send(seconds(call))
            finally:
                os._exit(0)
        pipe.close()
        self.result = self.answer()

    def answer(self):
        answer = self.pipe.recv()
        os.kill(self.process, signal.SIGSTOP)
        return answer

    def seconds(self):
        os.kill(self.process, signal.SIGCONT)
        self.pipe.send(True)
        return self.answer()

    def end(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


def in_turns(*calls):
    """The median seconds of each, by the clock; and those of processors."""
    times, end = [], time.perf_counter() + SECONDS
    while len(times) <= ROUNDS and (len(times) < 4 or time.perf_counter() < end):
        times.append([call.seconds() if isinstance(call, Apart) else seconds(call)
                      for call in calls])
    times = times[1:]
    return ([statistics.median(t[kind] for t in rounds) for rounds in zip(*times)]
            for kind in (0, 1))


def uniform(*shape, dtype="f4"):
    return (RANDOM.random(shape, dtype="f4") * 2 - 1).astype(dtype)


def error(got, want):
    if isinstance(got, lw.Array):
        got = got.astype("f4")
    got, want = np.asarray(got, "f8"), np.asarray(want, "f8")
    return float(np.abs(got - want).max() / max(np.abs(want).max(), 1e-30))


def of_torch(make):
    """make(torch) gives a call; None without PyTorch."""
    return make(torch) if torch else None


def row(name, ours, peer, read=0, copied=0, flops=0, repeat=1, other=None, is_ours=False):
    """ours and peer return their results; read, copied: bytes; repeat: calls of a round; other:
    PyTorch's, or None; is_ours: so is the peer."""
    def repeated(call):
        return call if repeat == 1 else lambda: [call() for _ in range(repeat)]
    peers = [(peer, peer)] if peer else []
    if other:
        peers.append((other, lambda: other().to(torch.float64).numpy()))
    if OPTIONS.threads > 1 and not is_ours:
        calls = [Apart(repeated(call), once) for call, once in peers]
        results = [call.result for call in calls]
    else:
        calls = [repeated(call) for call, _ in peers]
        results = [once() for _, once in peers]
    wrong = max((error(ours(), result) for result in results), default=None)
    limits = (LIMITS.reads, LIMITS.copies) if read or copied else ()
    times, used = in_turns(repeated(ours), *calls, *limits)
    for call in calls:
        if isinstance(call, Apart):
            call.end()
    us = times[0] / repeat * 1e6
    made = {"row": name, "us": us, "error": wrong,
            "of_peer": times[1] / times[0] if peer else None,
            "of_torch": times[1 + bool(peer)] / times[0] if other else None,
            "cpu_us": used[0] / repeat * 1e6,
            "peer_cpu_us": used[1] / repeat * 1e6 if peer else None,
            "of_limit": None, "gflops": flops / us / 1e3 if flops else None}
    if read or copied:
        least = read / (4 * N24) * times[-2] + copied / (8 * N24) * times[-1]
        made["of_limit"] = least / us * 1e6
        made["read_gbs"], made["copy_gbs"] = 4 * N24 / times[-2] / 1e9, 8 * N24 / times[-1] / 1e9
    ROWS.append(made)
    shown = "of_peer", "of_torch", "of_limit", "gflops", "error", "cpu_us", "peer_cpu_us"
    print("%-40s %11.1f us" % (name, us) + "".join(
        "   %s %s" % (key, "-" if made[key] is None else "%.3g" % made[key]) for key in shown),
        flush=True)


class Limits:
    """Reading 2^24 floats, and copying them: what a row's bytes are compared with."""

    def __init__(self):
        program = lw.compile(LIMITS_SOURCE, device="cpu")
        x, y, one = uniform(N24), np.zeros(N24, "f4"), np.zeros(1, "f4")
        self.reads = lambda: program.reads[256, 64](one, x, N24)
        self.copies = lambda: program.copies[256, 64](y, x, N24)


def dots():
    x, y = uniform(N24), uniform(N24)
    fixed = lambda: lw.dot(x, y)
    row("dot f32 2^24", fixed, lambda: np.dot(x, y), read=8 * N24)
    row("dot f32 2^24 EXACT", lambda: lw.dot(x, y, sum="exact"), fixed, read=8 * N24,
        is_ours=True)
    row("dot f32 2^24 FREE", lambda: lw.dot(x, y, sum="free"), fixed, read=8 * N24,
        is_ours=True)
    small = RANDOM.integers(-9, 9, N24, dtype="i1")
    for name, a, b in (("f32 x bool", x, y > 0), ("i8 x f32", small, y),
                       ("f32 x f64", x, y.astype("f8"))):
        row("dot %s 2^24" % name, lambda: lw.dot(a, b), lambda: np.dot(a, b),
            read=N24 * (a.itemsize + b.itemsize))


def reductions():
    x = uniform(N24)
    rows = x.reshape(16384, 1024)
    for name in "sum", "max", "mean", "argmax":
        ours, peer = getattr(lw, name), getattr(np, name)
        row(name + " 2^24", lambda: ours(x), lambda: peer(x), read=4 * N24)
        row(name + " 16384 x 1024", lambda: ours(rows, axis=1), lambda: peer(rows, axis=1),
            read=4 * N24)


def strided():
    """The limit is reading all cache lines."""
    x, y = uniform(N24), uniform(N24)
    square, cube = x.reshape(4096, 4096), x.reshape(64, 512, 512)
    wide = np.broadcast_to(x[:4096], (4096, 4096))
    for name in "sum", "max", "argmax":
        ours, peer = getattr(lw, name), getattr(np, name)
        row(name + " x[::2]", lambda: ours(x[::2]), lambda: peer(x[::2]), read=4 * N24)
    row("sum x[::-1]", lambda: lw.sum(x[::-1]), lambda: np.sum(x[::-1]), read=4 * N24)
    row("sum x[::7]", lambda: lw.sum(x[::7]), lambda: np.sum(x[::7]), read=4 * N24)
    row("dot x[::2], y[::2]", lambda: lw.dot(x[::2], y[::2]), lambda: np.dot(x[::2], y[::2]),
        read=8 * N24)
    row("sum of rows of [:, ::2]", lambda: lw.sum(square[:, ::2], axis=1),
        lambda: np.sum(square[:, ::2], axis=1), read=4 * N24)
    row("sum of 4096 equal rows", lambda: lw.sum(wide), lambda: np.sum(wide))
    for name in "sum", "mean", "prod", "max":
        ours, peer = getattr(lw, name), getattr(np, name)
        row(name + " 4096 x 4096, axis 0", lambda: ours(square, axis=0),
            lambda: peer(square, axis=0), read=4 * N24)
        row(name + " 64 x 512 x 512, axis 1", lambda: ours(cube, axis=1),
            lambda: peer(cube, axis=1), read=4 * N24)


def np_softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    e /= e.sum(axis=-1, keepdims=True)
    return e


def np_layer_norm(x, weight, bias):
    y = x - x.mean(axis=-1, keepdims=True)
    y /= np.sqrt((y * y).mean(axis=-1, keepdims=True) + np.float32(1e-5))
    y *= weight
    y += bias
    return y


def np_rms_norm(x, weight):
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(1e-5)) * weight


def tensors(*arrays):
    """The same memory as PyTorch's."""
    return [torch.from_numpy(a) for a in arrays]


def torch_softmax(x):
    return lambda t: lambda a=t.from_numpy(x), out=t.empty(*x.shape): t.softmax(a, -1, out=out)


def norms():
    x, weight, bias = uniform(4096, 1024), uniform(1024), uniform(1024)
    out, bytes_ = np.empty_like(x), 2 * x.nbytes
    row("softmax 4096 x 1024", lambda: lw.softmax(x, out=out), lambda: np_softmax(x), copied=bytes_,
        other=of_torch(torch_softmax(x)))
    row("layer_norm 4096 x 1024", lambda: lw.layer_norm(x, weight=weight, bias=bias, out=out),
        lambda: np_layer_norm(x, weight, bias), copied=bytes_,
        other=of_torch(lambda t: lambda a=tensors(x, weight, bias): t.nn.functional.layer_norm(
            a[0], (1024,), a[1], a[2])))
    row("rms_norm 4096 x 1024", lambda: lw.rms_norm(x, weight=weight, out=out),
        lambda: np_rms_norm(x, weight), copied=bytes_,
        other=of_torch(lambda t: lambda a=tensors(x, weight): t.nn.functional.rms_norm(
            a[0], (1024,), a[1], 1e-5)))
    x = uniform(64, 131072)
    out = np.empty_like(x)
    row("softmax 64 x 131072", lambda: lw.softmax(x, out=out), lambda: np_softmax(x),
        copied=2 * x.nbytes, other=of_torch(torch_softmax(x)))
    weight, bias = uniform(131072), uniform(131072)
    row("layer_norm 64 x 131072", lambda: lw.layer_norm(x, weight=weight, bias=bias, out=out),
        lambda: np_layer_norm(x, weight, bias), copied=2 * x.nbytes,
        other=of_torch(lambda t: lambda a=tensors(x, weight, bias): t.nn.functional.layer_norm(
            a[0], (131072,), a[1], a[2])))


def moves():
    x, out, target = uniform(N24), np.empty(N24, "f4"), np.empty(N24, "f4")
    row("scan 2^24", lambda: lw.scan(x, out=out), lambda: np.cumsum(x, out=target), copied=8 * N24,
        other=of_torch(lambda t: lambda a=t.from_numpy(x), out=t.empty(N24): t.cumsum(
            a, 0, out=out)))
    square, target = x.reshape(4096, 4096), out.reshape(4096, 4096)
    row("permute 4096 x 4096", lambda: lw.transpose(square, out=target),
        lambda: np.ascontiguousarray(square.T), copied=8 * N24)
    for dtype in "u1", "u2":
        small, turned = square.astype(dtype), np.empty_like(square, dtype)
        row("permute 4096 x 4096, " + dtype, lambda: lw.transpose(small, out=turned),
            lambda: np.ascontiguousarray(small.T), copied=2 * small.nbytes)
    x, shares, ratios = x.reshape(64, 128, 32, 64), [], []
    for axes in itertools.permutations(range(4)):
        target = out.reshape([x.shape[i] for i in axes])
        row("permute %d,%d,%d,%d of 64,128,32,64" % axes,
            lambda: lw.transpose(x, axes, out=target),
            lambda: np.array(x.transpose(axes), order="C"), copied=8 * N24)
        shares.append(math.log(ROWS[-1]["of_limit"]))
        ratios.append(math.log(ROWS[-1]["of_peer"]))
    ROWS.append({"row": "permute, 24 orders, geometric mean",
                 "of_limit": math.exp(sum(shares) / 24), "of_peer": math.exp(sum(ratios) / 24)})
    print("permute, 24 orders, geometric mean: %.3f of a copy" % ROWS[-1]["of_limit"])
    a, b, c = uniform(N24), uniform(N24), uniform(N24)
    row("map a*b+c 2^24", lambda: lw.map("a*b+c", a, b, c, out=out), lambda: a * b + c,
        read=8 * N24, copied=8 * N24)


def products():
    for shape in (512,), (1024,), (2048,), (64, 128):
        size, lead = shape[-1], shape[:-1]
        x, y = uniform(*lead, size, size), uniform(*lead, size, size)
        out = np.empty_like(x)
        row("matmul " + " x ".join(map(str, lead + (size, size))),
            lambda: lw.matmul(x, y, out=out), lambda: np.matmul(x, y),
            flops=2 * x.size * size, repeat=5 if size < 1024 else 1)
    for name, size in itertools.product(("bf16", "f16"), (1024, 2048)):
        values = uniform(size, size), uniform(size, size)
        x, y = (lw.asarray(v).astype(name) for v in values)
        out = lw.empty((size, size), name)

        def torchs(t):
            a, b = (v.to({"bf16": t.bfloat16, "f16": t.float16}[name]) for v in tensors(*values))
            return lambda: a @ b
        row("matmul %s %d, free" % (name, size), lambda: lw.matmul(x, y, out=out, sum="free"),
            None, flops=2 * size**3, other=of_torch(torchs))


def logistic_regression(module, sigmoid, x, y, steps):
    """Gradient descent; the whole of a program."""
    w, turned, scale = np.zeros(x.shape[1], "f4"), x.T, np.float32(1 / len(x))
    for _ in range(steps):
        w -= scale * module.matmul(turned, sigmoid(module.matmul(x, w), y))
    return w


def vectors():
    for dtype in "f4", "f8":
        for size in 1024, 4096:
            matrix, vector = uniform(size, size, dtype=dtype), uniform(size, dtype=dtype)
            out = np.empty_like(vector)
            for name, x, y in ("matrix @ vector", matrix, vector), (
                    "vector @ matrix", vector, matrix):
                row("%s %s %d" % (name, dtype, size), lambda: lw.matmul(x, y, out=out),
                    lambda: np.matmul(x, y), read=matrix.nbytes, repeat=10 if size < 4096 else 1)
    x, y = uniform(20000, 64), RANDOM.integers(0, 2, 20000).astype("f4")
    row("logistic regression 20000 x 64, 100 steps",
        lambda: logistic_regression(
            lw, lambda z, y: lw.map("1 / (1 + exp(-a)) - b", z, y), x, y, 100),
        lambda: logistic_regression(np, lambda z, y: 1 / (1 + np.exp(-z)) - y, x, y, 100),
        read=200 * x.nbytes)


def np_attention(q, k, v, scale, causal):
    s = np.matmul(q, k.swapaxes(-1, -2)) * np.float32(scale)
    if causal:
        s[..., np.triu(np.ones(s.shape[-2:], bool), 1)] = -np.inf
    return np.matmul(np_softmax(s), v)


def attentions():
    for heads, queries, keys, depth, causal in (
            (8, 1024, 1024, 64, False), (8, 1024, 1024, 64, True), (8, 4096, 4096, 128, False),
            (64, 4096, 4096, 128, False), (64, 4096, 4096, 128, True), (64, 1, 8192, 128, False)):
        q, k, v = (uniform(1, heads, n, depth) for n in (queries, keys, keys))
        scale = depth ** -0.5
        row("attention %d x %d x %d x %d%s" % (heads, queries, keys, depth,
                                                " causal" if causal else ""),
            lambda: lw.attention(q, k, v, scale=scale, causal=causal),
            None if heads * queries > 1 << 17 else lambda: np_attention(q, k, v, scale, causal),
            read=8 * heads * keys * depth if queries == 1 else 0,
            flops=4 * heads * queries * keys * depth / (1 + causal),
            other=of_torch(lambda t: lambda a=tensors(q, k, v):
                           t.nn.functional.scaled_dot_product_attention(
                               *a, is_causal=causal, scale=scale)))


def sorts():
    """NumPy sorts with one thread."""
    words = RANDOM.integers(0, 1 << 32, N24, dtype="u4")
    for name, x in ("u32", words), ("i32", words.view("i4")), ("f32", uniform(N24)):
        few = x[:1000000]
        row("sort %s 2^24" % name, lambda: lw.sort(x), lambda: np.sort(x), copied=8 * N24)
        row("sort %s 10^6" % name, lambda: lw.sort(few), lambda: np.sort(few), copied=8 * few.size)
    x = uniform(1000000)
    row("argsort f32 10^6, against a stable one", lambda: lw.argsort(x),
        lambda: np.argsort(x, kind="stable"), read=4 * x.size, copied=8 * x.size)
    x = uniform(N24)
    for k in 100, 100000:
        def peer():
            largest = x[np.argpartition(x, N24 - k)[N24 - k:]]
            return np.sort(largest)[::-1]
        row("top_k f32 2^24, k %d" % k, lambda: lw.top_k(x, k)[0], peer, read=4 * N24)
    rows = x.reshape(16384, 1024)
    row("top_k f32 16384 x 1024, k 10", lambda: lw.top_k(rows, 10)[0],
        lambda: np.sort(np.partition(rows, -10)[:, -10:])[:, ::-1], read=4 * N24)


def selections():
    x, out, backwards = uniform(N24), np.empty(N24, "f4"), np.arange(N24)[::-1].copy()
    row("take f32 2^24, reversed by i64", lambda: lw.take(x, backwards, out=out),
        lambda: np.take(x, backwards), read=8 * N24, copied=8 * N24)
    for length in 4, 64, 1024:
        rows, target = x.reshape(-1, length), out.reshape(-1, length)
        some = RANDOM.integers(0, len(rows), len(rows))
        row("take f32, random rows of %d" % length, lambda: lw.take(rows, some, out=target),
            lambda: np.take(rows, some, axis=0), copied=8 * N24)
    mask = RANDOM.random(N24) < 0.5
    row("compact f32 2^24, half of it", lambda: lw.compact(x, mask), lambda: x[mask],
        read=2 * N24, copied=8 * N24)
    row("histogram f32 2^24, 100 bins in -1 to 1", lambda: lw.histogram(x, 100, low=-1, high=1),
        lambda: np.histogram(x, 100, (-1, 1))[0], read=4 * N24)
    row("histogram f32 2^24, 100 bins, its range", lambda: lw.histogram(x, 100),
        lambda: np.histogram(x, 100)[0], read=8 * N24)


def convolutions():
    """The peer is our own product of the matrix that the convolution stands for."""
    for filters in 1, 32, 128:
        x, filter = uniform(1, 16, 256, 256), uniform(filters, 16, 3, 3)
        windows = np.lib.stride_tricks.sliding_window_view(x[0], (3, 3), axis=(1, 2))
        matrix = np.ascontiguousarray(windows.transpose(0, 3, 4, 1, 2)).reshape(144, 254 * 254)
        product, out = np.empty((filters, 254 * 254), "f4"), np.empty((1, filters, 254, 254), "f4")
        row("conv2d 16 x 256 x 256, %d of 3 x 3" % filters, lambda: lw.conv2d(x, filter, out=out),
            lambda: lw.matmul(filter.reshape(filters, 144), matrix, out=product).reshape(out.shape),
            flops=2 * 144 * out.size, is_ours=True)


    x, filter = uniform(8, 32, 64, 64), uniform(32, 32, 3, 3)
    out = np.empty((8, 32, 62, 62), "f4")
    row("conv2d 8 x 32 x 64 x 64, 32 of 3 x 3", lambda: lw.conv2d(x, filter, out=out), None,
        flops=2 * 288 * out.size,
        other=of_torch(lambda t: lambda a=tensors(x, filter): t.nn.functional.conv2d(*a)))


def calls():
    x, y, z = uniform(16), uniform(16), uniform(1000000)
    out, product = np.empty(16, "f4"), np.empty((128, 128), "f4")
    matrix = uniform(128, 128)
    for name, ours, peer, repeat in (
            ("sum of 16", lambda: lw.sum(x), lambda: np.sum(x), 1000),
            ("dot of 16", lambda: lw.dot(x, y), lambda: np.dot(x, y), 1000),
            ("map a + b of 16", lambda: lw.map("a + b", x, y), lambda: x + y, 1000),
            ("map a + b of 16, out", lambda: lw.map("a + b", x, y, out=out),
             lambda: np.add(x, y, out=out), 1000),
            ("matmul of 128", lambda: lw.matmul(matrix, matrix, out=product),
             lambda: np.matmul(matrix, matrix, out=product), 100),
            ("dot of 10^6", lambda: lw.dot(z, z), lambda: np.dot(z, z), 30)):
        row(name + ", a call from Python", ours, peer, repeat=repeat)


def blas():
    """The processor that NumPy's OpenBLAS has chosen its code for."""
    with open("/proc/self/maps") as maps:
        paths = [line.split()[-1] for line in maps if "openblas" in line]
    for name in "scipy_openblas_get_corename64_", "openblas_get_corename":
        if paths and hasattr(ctypes.CDLL(paths[0]), name):
            function = getattr(ctypes.CDLL(paths[0]), name)
            function.restype = ctypes.c_char_p
            return function().decode()
    return "unknown"


def machine():
    with open("/proc/cpuinfo") as info:
        lines = [line.split(":", 1) for line in info if ":" in line]
    about = {key.strip(): value.strip() for key, value in lines}
    features = [f for f in about.get("flags", "").split() if f.startswith(("avx", "fma"))]
    return {"machine": about.get("model name", platform.machine()), "features": features,
            "processors": os.cpu_count(), "load": os.getloadavg()[0],
            "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}


ABOUT, LIMITS = machine(), Limits()
print("OpenBLAS for %s, load %.2f" % (blas(), ABOUT["load"]))
for part in (dots, reductions, strided, norms, moves, products, vectors, attentions, sorts,
             selections, convolutions, calls):
    if not OPTIONS.only or part.__name__ in OPTIONS.only.split(","):
        part()
if OPTIONS.json:
    with open(OPTIONS.json, "w") as f:
        json.dump(ABOUT | {"threads": OPTIONS.threads, "commit": OPTIONS.commit, "blas": blas(),
                           "peer": "NumPy " + np.__version__, "rows": ROWS},
                  f, indent=1)
        f.write("\n")
