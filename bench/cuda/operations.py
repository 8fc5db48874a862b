#!/usr/bin/env python3
"""operations.py - the ready-made operations on an NVIDIA GPU, against PyTorch in the same run.
Where nvcc is there, sort, argsort, compact and histogram are measured against NVIDIA's CUB.

    bench/cuda/operations.py [--build BUILD] [--json FILE] [--commit NAME] [PART...]
                                                                   needs PyTorch

PyTorch's memory is wrapped, and its stream, so both sides are timed by the same events of the GPU:
in turns, medians of 6 rounds of many calls each. Each result is compared with PyTorch's. `of limit`
is the share of what memory gives: of a read's speed for reductions, else of a copy's, both measured
in the same run at 2^28 floats. Small operands stay in the L2, for both sides.
"""
import argparse
import ctypes as C
import itertools
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import torch
    import torch.nn.functional as F
except ImportError as missing:
    sys.exit("operations.py: %s" % missing)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DTYPES = {torch.int8: 0, torch.int32: 2, torch.int64: 3, torch.uint8: 4, torch.uint32: 6,
          torch.bool: 8, torch.float16: 9, torch.float32: 11, torch.float64: 12}
EXACT, FREE = 1, 2
ROUNDS, N24, N28 = 6, 1 << 24, 1 << 28


class Tensor(C.Structure):
    _fields_ = [("buffer", C.c_void_p), ("offset", C.c_size_t), ("rank", C.c_int),
                ("extent", C.c_ssize_t * 4), ("stride", C.c_ssize_t * 4), ("strided", C.c_bool)]


class Dot(C.Structure):
    _fields_ = [("sum", C.c_int)]


class Reduce(C.Structure):
    _fields_ = [("axis", C.c_int), ("keepdims", C.c_bool), ("sum", C.c_int)]


class Norm(C.Structure):
    _fields_ = [("axis", C.c_int), ("eps", C.c_double), ("weight", C.POINTER(Tensor)),
                ("bias", C.POINTER(Tensor))]


class Attention(C.Structure):
    _fields_ = [("scale", C.c_double), ("causal", C.c_bool), ("window", C.c_int),
                ("weights", C.POINTER(Tensor))]


class Lanewise:
    """Both libraries, on PyTorch's stream."""

    def __init__(self, build):
        self.lib = C.CDLL(os.path.join(build, "src/run/liblanewise.so.1"), mode=C.RTLD_GLOBAL)
        self.ops = C.CDLL(os.path.join(build, "src/ops/liblanewise-ops.so.1"))
        self.lib.lw_last_error.restype = C.c_char_p
        self.device, self.stream = C.c_void_p(), C.c_void_p()
        self.torch_stream = torch.cuda.Stream()
        torch.cuda.set_stream(self.torch_stream)
        self.check(self.lib.lw_device_open(b"cuda", C.byref(self.device)))
        self.check(self.lib.lw_stream_wrap(self.device, C.c_void_p(self.torch_stream.cuda_stream),
                                           C.byref(self.stream)))

    def check(self, status):
        if status:
            raise RuntimeError(self.lib.lw_last_error().decode())

    def tensor(self, x):
        """A contiguous tensor's memory as an operand."""
        buffer = C.c_void_p()
        self.check(self.lib.lw_buffer_wrap(
            self.device, DTYPES[x.dtype], C.c_size_t(x.numel()), C.c_void_p(x.data_ptr()),
            C.c_bool(False), None, None, C.byref(buffer)))
        t = Tensor(buffer=buffer, rank=x.dim(), strided=True)
        for i in range(x.dim()):
            t.extent[i], t.stride[i] = x.shape[i], x.stride(i)
        return t

    def call(self, name, *args):
        """What makes this call: `call()` queues it."""
        function = getattr(self.ops, "lw_" + name)
        args = [C.byref(a) if isinstance(a, C.Structure) and not isinstance(a, Tensor) else a
                for a in args]
        return lambda: self.check(function(self.stream, *args))


class Conv(C.Structure):
    _fields_ = [("pad", C.c_int * 2), ("stride", C.c_int * 2)]


class Histogram(C.Structure):
    _fields_ = [("low", C.c_double), ("high", C.c_double)]


class Cub:
    """CUB's functions of cub.cu on PyTorch's stream."""

    def __init__(self, stream):
        self.stream = C.c_void_p(stream.cuda_stream)
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "libcub.so")
            subprocess.run(["nvcc", "-O3", "-arch=sm_%d%d" % torch.cuda.get_device_capability(),
                            "-shared", "-Xcompiler", "-fPIC", "-o", path,
                            os.path.join(ROOT, "bench/cuda/cub.cu")], check=True)
            self.lib = C.CDLL(path)

    def call(self, name, *args):
        """What makes this call; its temporary memory is made here."""
        function, tensors = getattr(self.lib, "cub_" + name), args
        args = [C.c_void_p(a.data_ptr()) if isinstance(a, torch.Tensor) else
                C.c_float(a) if isinstance(a, float) else a for a in args]
        size = C.c_size_t(0)
        if function(None, C.byref(size), *args, self.stream):
            raise RuntimeError("CUB refuses " + name)
        temporary = torch.empty(size.value, dtype=torch.uint8, device="cuda")

        def run(kept=tensors):
            if function(C.c_void_p(temporary.data_ptr()), C.byref(size), *args, self.stream):
                raise RuntimeError("CUB fails at %s of %d operands" % (name, len(kept)))
        return run


def seconds(call, count):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(count):
        call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / count / 1e3


def error(got, want):
    """The largest difference, relative to the largest value."""
    got, want = got.double(), want.double()
    return float((got - want).abs().max() / want.abs().max().clamp_min(1e-30))


class Table:
    def __init__(self, lw):
        self.lw, self.rows = lw, []
        self.big, self.big2 = uniform(N28), uniform(N28)
        copy = self.median(lambda: self.big2.copy_(self.big), 5)
        read = min(self.median(lambda: self.big.sum(), 5),
                   self.median(lambda: torch.dot(self.big, self.big2), 5) / 2)
        self.limits = {"copy": 8 * N28 / copy, "read": 4 * N28 / read}
        print("copy %.0f GB/s, read %.0f GB/s" % tuple(v / 1e9 for v in self.limits.values()))

    @staticmethod
    def median(call, count):
        return statistics.median([seconds(call, count) for _ in range(ROUNDS)][1:])

    def row(self, name, ours, peer=None, result=None, read=0, copied=0, flops=0):
        """ours and peer: calls; result: a pair to compare after one call; read, copied: bytes."""
        ours()
        self.lw.check(self.lw.lib.lw_stream_check(self.lw.stream))
        torch.cuda.synchronize()
        row = {"row": name, "error": error(*result()) if result else None}
        count = max(3, min(200, int(4e-3 / seconds(ours, 3))))
        times = [(seconds(ours, count), seconds(peer, count) if peer else 0)
                 for _ in range(ROUNDS)][1:]
        us, peer_us = (statistics.median(t) * 1e6 for t in zip(*times))
        row["us"], row["peer_us"] = us, peer_us or None
        row["of_peer"] = peer_us / us if peer else None
        limit = read / self.limits["read"] + copied / self.limits["copy"]
        row["of_limit"] = limit / us * 1e6 if limit else None
        row["tflops"] = flops / us / 1e6 if flops else None
        self.rows.append(row)
        print("%-36s %10.1f us" % (name, us) + "".join(
            "   %s %s" % (key, "%.3g" % row[key] if row[key] is not None else "-")
            for key in ("of_peer", "of_limit", "tflops", "error")), flush=True)


def uniform(*shape, **options):
    return torch.rand(*shape, device="cuda", **options) * 2 - 1


def dots(t):
    lw, out = t.lw, torch.zeros((), device="cuda")
    for e in 20, 24, 28:
        x, y = t.big[:1 << e], t.big2[:1 << e]
        args = lw.tensor(out), lw.tensor(x), lw.tensor(y)
        fixed = lw.call("dot", *args, None)
        t.row("dot f32 2^%d" % e, fixed, lambda: torch.dot(x, y), None, 8 << e)
        t.row("dot f32 2^%d EXACT" % e, lw.call("dot", *args, Dot(EXACT)), fixed, None, 8 << e)
        t.row("dot f32 2^%d FREE" % e, lw.call("dot", *args, Dot(FREE)), fixed, None, 8 << e)
    out = torch.zeros((), device="cuda", dtype=torch.float64)
    small = torch.randint(-9, 9, (N24,), dtype=torch.int8, device="cuda")
    for name, x, y in (("f32 x bool", t.big[:N24], t.big2[:N24] > 0),
                       ("i8 x f32", small, t.big[:N24]),
                       ("f32 x f64", t.big[:N24], t.big2[:N24].double())):
        t.row("dot %s 2^24" % name, lw.call("dot", *map(lw.tensor, (out, x, y)), None), None,
              lambda: (out, (x.double() * y.double()).sum()),
              N24 * (x.element_size() + y.element_size()))


def reductions(t):
    lw, x = t.lw, t.big[:N24]
    rows, square = x.view(16384, 1024), x.view(4096, 4096)
    for name in "sum", "max", "mean", "argmax":
        peer = torch.amax if name == "max" else getattr(torch, name)
        dtype = torch.int64 if name == "argmax" else torch.float32
        one = torch.zeros((), device="cuda", dtype=dtype)
        t.row(name + " 2^24", lw.call(name, lw.tensor(one), lw.tensor(x), None),
              lambda: peer(x, 0), None, 4 * N24)
        out = torch.zeros(16384, device="cuda", dtype=dtype)
        t.row(name + " 16384 x 1024",
              lw.call(name, lw.tensor(out), lw.tensor(rows), Reduce(axis=-1)),
              lambda: peer(rows, 1), lambda: (out, peer(rows, 1)), 4 * N24)
    out = torch.zeros(4096, device="cuda")
    t.row("sum 4096 x 4096, axis 0",
          lw.call("sum", lw.tensor(out), lw.tensor(square), Reduce(axis=1)),
          lambda: square.sum(0), lambda: (out, square.sum(0)), 4 * N24)


def norms(t):
    lw = t.lw
    for rows, n in (262144, 1024), (4096, 1024), (64, 131072):
        x, out = (b[:rows * n].view(rows, n) for b in (t.big, t.big2))
        weight, bias = uniform(n), uniform(n)
        w, b = (C.pointer(lw.tensor(v)) for v in (weight, bias))
        kinds = {"softmax": (Norm(), lambda: F.softmax(x, -1)),
                 "log_softmax": (Norm(), lambda: F.log_softmax(x, -1)),
                 "layer_norm": (Norm(weight=w, bias=b),
                                lambda: F.layer_norm(x, (n,), weight, bias)),
                 "rms_norm": (Norm(weight=w), lambda: F.rms_norm(x, (n,), weight, 1e-5))}
        for name in kinds if n == 1024 else ["softmax"]:
            options, peer = kinds[name]
            t.row("%s %d x %d" % (name, rows, n),
                  lw.call(name, lw.tensor(out), lw.tensor(x), options), peer,
                  lambda: (out[:64], peer()[:64]), copied=8 * rows * n)


def moves(t):
    lw, shape, shares = t.lw, (64, 128, 32, 64), []
    x, out = (b[:N24].view(4096, 4096) for b in (t.big, t.big2))
    t.row("permute 4096 x 4096", lw.call("permute", lw.tensor(out), lw.tensor(x), None),
          lambda: out.copy_(x.t()), lambda: (out, x.t()), copied=8 * N24)
    x = t.big[:N24].view(shape)
    for axes in itertools.permutations(range(4)):
        out = t.big2[:N24].view([shape[i] for i in axes])
        t.row("permute %d,%d,%d,%d of 64,128,32,64" % axes,
              lw.call("permute", lw.tensor(out), lw.tensor(x), (C.c_int * 4)(*axes)),
              lambda: out.copy_(x.permute(axes)), lambda: (out, x.permute(axes)), copied=8 * N24)
        shares.append(math.log(t.rows[-1]["of_limit"]))
    t.rows.append({"row": "permute, 24 orders, geometric mean",
                   "of_limit": math.exp(sum(shares) / 24)})
    print("permute, 24 orders, geometric mean: %.3f of a copy" % t.rows[-1]["of_limit"])
    a, b, c, out = (v[i * N24:(i + 1) * N24] for v, i in
                    ((t.big, 0), (t.big, 1), (t.big, 2), (t.big2, 0)))
    t.row("map a*b+c 2^24", lw.call("map", lw.tensor(out), b"a*b+c",
                                    (Tensor * 3)(*map(lw.tensor, (a, b, c))), C.c_size_t(3)),
          lambda: torch.addcmul(c, a, b), lambda: (out, a * b + c), copied=16 * N24)


def scans(t):
    for e in 24, 28:
        x, out = t.big[:1 << e], t.big2[:1 << e]
        t.row("scan 2^%d" % e, t.lw.call("scan", t.lw.tensor(out), t.lw.tensor(x), None),
              lambda: torch.cumsum(x, 0), lambda: (out[:N24], torch.cumsum(x[:N24].double(), 0)),
              copied=8 << e)


def products(t):
    for batch, m, n, k in ((1, 512, 512, 512), (1, 1024, 1024, 1024), (1, 2048, 2048, 2048),
                           (64, 128, 128, 128), (1, 4096, 4096, 4096), (1, 64, 64, 65536)):
        lead = [batch] if batch > 1 else []
        x, y, out = uniform(*lead, m, k), uniform(*lead, k, n), uniform(*lead, m, n)
        t.row("matmul %d x %d x %d x %d" % (batch, m, n, k),
              t.lw.call("matmul", *map(t.lw.tensor, (out, x, y)), None),
              lambda: torch.matmul(x, y), lambda: (out, x.double() @ y.double()),
              flops=2 * batch * m * n * k)


def attentions(t):
    for heads, queries, keys, depth, causal in (
            (8, 1024, 1024, 64, False), (8, 1024, 1024, 64, True), (64, 4096, 4096, 128, False),
            (64, 4096, 4096, 128, True), (64, 1, 8192, 128, False)):
        q, out = (uniform(1, heads, queries, depth) for _ in range(2))
        k, v = (uniform(1, heads, keys, depth) for _ in range(2))
        options = Attention(scale=depth ** -0.5, causal=causal)
        peer = lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        t.row("attention %d x %d x %d x %d%s" % (heads, queries, keys, depth,
                                                  " causal" if causal else ""),
              t.lw.call("attention", *map(t.lw.tensor, (out, q, k, v)), options), peer,
              lambda: (out, peer()), read=8 * heads * keys * depth if queries == 1 else 0,
              flops=4 * heads * queries * keys * depth / (1 + causal))


def selections(t):
    if not shutil.which("nvcc"):
        print("sort, argsort, compact, histogram: nvcc is missing, so there is no CUB")
        return
    lw, cub = t.lw, Cub(t.lw.torch_stream)
    x, out = t.big[:N24], t.big2[:N24]
    words = torch.randint(-1 << 31, 1 << 31, (N24,), dtype=torch.int32, device="cuda")
    sorted_words = torch.empty_like(words)
    wide = lambda w: w.long() & 0xffffffff
    t.row("sort u32 2^24 (CUB)",
          lw.call("sort", lw.tensor(sorted_words.view(torch.uint32)),
                  lw.tensor(words.view(torch.uint32)), None),
          cub.call("sort_u32", words, torch.empty_like(words), N24),
          lambda: (wide(sorted_words), wide(words).sort()[0]), copied=8 * N24)
    t.row("sort f32 2^24 (CUB)", lw.call("sort", lw.tensor(out), lw.tensor(x), None),
          cub.call("sort_f32", x, torch.empty_like(x), N24), lambda: (out, x.sort()[0]),
          copied=8 * N24)
    order, first = torch.empty(N24, dtype=torch.int64, device="cuda"), torch.arange(
        N24, device="cuda")
    t.row("argsort f32 2^24 (CUB, pairs)", lw.call("argsort", lw.tensor(order), lw.tensor(x), None),
          cub.call("argsort_f32", x, torch.empty_like(x), first, torch.empty_like(first), N24),
          lambda: (order, x.sort(stable=True)[1]), copied=12 * N24)
    mask, count = t.big2[N24:2 * N24] > 0, torch.zeros((), dtype=torch.int64, device="cuda")
    t.row("compact f32 2^24 (CUB)",
          lw.call("compact", *map(lw.tensor, (out, count, x, mask))),
          cub.call("compact_f32", x, mask, torch.empty_like(x), torch.empty_like(count), N24),
          lambda: (out[:int(count)], x[mask]), read=N24, copied=8 * N24)
    for bins in 64, 1024:
        counts = torch.zeros(bins, dtype=torch.int32, device="cuda")
        t.row("histogram f32 2^24, %d bins (CUB)" % bins,
              lw.call("histogram", lw.tensor(counts), lw.tensor(x), Histogram(-1, 1)),
              cub.call("histogram_f32", x, torch.empty_like(counts), bins, -1.0, 1.0, N24),
              lambda: (counts, torch.histc(x, bins, -1, 1)), read=4 * N24)
    places = torch.randperm(N24, device="cuda")
    for name, index in (("reversed", torch.arange(N24 - 1, -1, -1, device="cuda")),
                        ("random", places)):
        t.row("take f32 2^24, %s indices of i64" % name,
              lw.call("take", *map(lw.tensor, (out, x, index)), None),
              lambda: torch.index_select(x, 0, index, out=out), lambda: (out, x[index]),
              read=8 * N24, copied=8 * N24)
    values, indices = torch.zeros(64, device="cuda"), torch.zeros(64, dtype=torch.int64,
                                                                  device="cuda")
    t.row("top_k 64 of f32 2^24", lw.call("top_k", *map(lw.tensor, (values, indices, x)), None),
          lambda: torch.topk(x, 64), lambda: (values, torch.topk(x, 64)[0]), read=4 * N24)


def convolutions(t):
    for batch, channels, size, filters, k in (1, 64, 128, 64, 3), (16, 3, 224, 64, 7), (
            1, 1, 4096, 1, 5):
        x, w = uniform(batch, channels, size, size), uniform(filters, channels, k, k)
        out = torch.empty(batch, filters, size - k + 1, size - k + 1, device="cuda")
        t.row("conv2d %d x %d x %d x %d, %d filters %d x %d" % (batch, channels, size, size,
                                                                filters, k, k),
              t.lw.call("conv2d", *map(t.lw.tensor, (out, x, w)), Conv()),
              lambda: F.conv2d(x, w), lambda: (out, F.conv2d(x.double(), w.double())),
              flops=2 * out.numel() * channels * k * k)


PARTS = {part.__name__: part for part in (dots, reductions, norms, moves, scans, products,
                                          attentions, selections, convolutions)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--json")
    parser.add_argument("--commit", default="")
    parser.add_argument("parts", nargs="*", metavar="PART", help=" ".join(PARTS))
    options = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("operations.py: PyTorch finds no GPU")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    began = time.time()
    table = Table(Lanewise(options.build))
    for part in options.parts or PARTS:
        PARTS[part](table)
    print("%.0f s" % (time.time() - began))
    if options.json:
        with open(options.json, "w") as f:
            json.dump({"device": torch.cuda.get_device_name(), "commit": options.commit,
                       "peer": "PyTorch " + torch.__version__,
                       "gbytes_per_s": {k: v / 1e9 for k, v in table.limits.items()},
                       "rows": table.rows}, f, indent=1)
            f.write("\n")


main()
