#!/usr/bin/env python3
"""run.py - kernels on an NVIDIA GPU, against PyTorch (cuBLAS) in the same run.

    lanewise bench --device cuda [ROW...] [options]         needs a GPU and PyTorch
    bench/cuda/run.py [options]                             the same with the library in build/

The kernels are those of bench/cuda, made for a GPU, and some of bench/kernels as they are.

Each row: its kernel through the library, the peer's operation through PyTorch, and a copy of the
same size, in turns; medians of 9 rounds, each round many launches between two events of the GPU.
Inputs are taken in turns from more memory than the L2 holds. Results are compared with PyTorch's.
"""
import argparse
import ctypes as C
import json
import os
import statistics
import subprocess
import sys

try:
    import torch
except ImportError as missing:
    torch, NO_TORCH = None, str(missing)

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROUNDS, L2_BYTES = 9, 256 << 20
NOT_THERE = 4  # exit status
DTYPES = {"i32": 2, "u8": 4, "u64": 7, "f32": 11}


class Arg(C.Structure):
    class As(C.Union):
        _fields_ = [("i", C.c_int64), ("buffer", C.c_void_p), ("bytes", C.c_char * 96)]

    _fields_ = [("kind", C.c_int), ("value", As)]


class Dim3(C.Structure):
    _fields_ = [("x", C.c_uint32), ("y", C.c_uint32), ("z", C.c_uint32)]


class Lanewise:
    """The C library, as far as it is needed here."""

    def __init__(self, library, device):
        self.lib = C.CDLL(library)
        self.lib.lw_last_error.restype = C.c_char_p
        self.device = self.make("lw_device_open", device.encode())
        self.stream = self.make("lw_stream_create", self.device)
        self.events = [self.make("lw_event_create", self.device) for _ in range(2)]

    def check(self, status):
        if status:
            raise RuntimeError(self.lib.lw_last_error().decode())

    def make(self, name, *args):
        made = C.c_void_p()
        self.check(getattr(self.lib, name)(*args, C.byref(made)))
        return made

    def kernel(self, name, defines=(), of=None):
        words = (C.c_char_p * len(defines))(*[d.encode() for d in defines])
        options = (C.c_void_p * 11)(None, C.cast(words, C.c_void_p).value, len(defines))
        path = os.path.join(HERE, (of or name) + ".c")
        if not os.path.exists(path):
            path = os.path.join(os.path.dirname(HERE), "kernels", name + ".c")
        path = path.encode()
        program = self.make("lw_program_build", self.device, path, options)
        return self.make("lw_program_kernel", program, name.encode())

    def buffer(self, tensor):
        """A buffer with the tensor's values."""
        host = tensor.contiguous().cpu()
        buffer = self.zeros(host.numel(), "u8" if host.dtype == torch.uint8 else "f32")
        self.check(self.lib.lw_buffer_write(buffer, C.c_size_t(0), C.c_size_t(host.numel()),
                                            C.c_void_p(host.data_ptr())))
        return buffer

    def zeros(self, count, dtype="f32"):
        return self.make("lw_buffer_create", self.device, DTYPES[dtype], C.c_size_t(count))

    def read(self, buffer, count):
        host = torch.empty(count)
        self.check(self.lib.lw_buffer_read(buffer, C.c_size_t(0), C.c_size_t(count),
                                           C.c_void_p(host.data_ptr())))
        return host

    def free(self, buffer):
        self.lib.lw_buffer_destroy(buffer)

    def launch(self, kernel, grid, block, *args):
        packed = (Arg * len(args))()
        for a, value in zip(packed, args):
            a.kind = 3 if isinstance(value, C.c_void_p) else 0
            if a.kind:
                a.value.buffer = value.value
            else:
                a.value.i = value
        grid, block = Dim3(*grid), Dim3(*block)
        return lambda: self.check(self.lib.lw_stream_launch(self.stream, kernel, grid, block, None,
                                                            packed, C.c_size_t(len(args))))

    def time(self, launches, count):
        """Seconds of one of `count` launches, taken in turns."""
        self.check(self.lib.lw_event_record(self.events[0], self.stream))
        for i in range(count):
            launches[i % len(launches)]()
        self.check(self.lib.lw_event_record(self.events[1], self.stream))
        self.check(self.lib.lw_event_wait(self.events[1]))
        ns = C.c_uint64()
        self.check(self.lib.lw_event_elapsed(*self.events, C.byref(ns)))
        return ns.value / count / 1e9


def torch_time(calls, count):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for i in range(count):
        calls[i % len(calls)]()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / count / 1e3


def bar(share):
    """A bar of the table: 20 places are the peer's speed."""
    return "#" * round(20 * min(share, 2))


def say(text):
    """A line of the table, which makes way for JSON."""
    print(text, file=TABLE, flush=True)


def in_turns(ours, peer, copy, count):
    times = {"ours": [], "peer": [], "copy": []}
    for run in range(ROUNDS + 1):
        row = {"ours": LW.time(ours, count), "copy": torch_time(copy, count)}
        row["peer"] = torch_time(peer, count) if peer else row["copy"]
        for key, value in row.items():
            if run:  # the first warms up
                times[key].append(value)
    return {key: statistics.median(values) for key, values in times.items()}


def sets_for(bytes_each):
    return max(1, min(64, -(-L2_BYTES // bytes_each)))


def copies_of(bytes_moved, sets):
    """Device to device copies that move as many bytes, read and written together."""
    count = max(1, bytes_moved // 8)
    pairs = [(torch.empty(count, device="cuda"), torch.zeros(count, device="cuda"))
             for _ in range(sets)]
    return [lambda p=p: p[0].copy_(p[1]) for p in pairs]


def close(ours, theirs, bound):
    scale = theirs.abs().max().item() or 1
    return (ours - theirs).abs().max().item() <= bound * scale


def measure(name, tensors, out_count, run, peer, expect, moved, bound=1e-4, count=None):
    """One row. run(out, *buffers) gives a launch; expect(*tensors) what out holds, or NULL."""
    sets = sets_for(sum(t.numel() * t.element_size() for t in tensors))
    inputs = [tensors] + [tuple(t.clone() for t in tensors) for _ in range(sets - 1)]
    outs = [LW.zeros(out_count) for _ in range(min(sets, 4))]
    buffers = [[LW.buffer(t) for t in row] for row in inputs]
    launches = [run(outs[i % len(outs)], *row) for i, row in enumerate(buffers)]
    launches[0]()
    got, want = LW.read(outs[0], out_count), expect(*tensors).cpu().flatten()
    right = close(got.sum().reshape(1) if want.numel() == 1 else got, want, bound)
    calls = [lambda row=row: peer(*row) for row in inputs] if peer else None
    each = moved / 4e12
    times = in_turns(launches, calls, copies_of(moved, 1 if moved > L2_BYTES else sets),
                     count or max(sets, min(400, int(0.02 / each))))
    for b in outs + [b for row in buffers for b in row]:
        LW.free(b)
    row = {"row": name, "right": right, "gbytes_per_s": moved / times["ours"] / 1e9,
           "of_copy": times["copy"] / times["ours"], "of_peer": times["peer"] / times["ours"],
           **{k + "_us": v * 1e6 for k, v in times.items()}}
    say("%-26s %s %9.1f us  %7.0f GB/s  of copy %.3f  of peer %.3f  %s" %
        (name, "right" if right else "WRONG", times["ours"] * 1e6, row["gbytes_per_s"],
         row["of_copy"], row["of_peer"], bar(row["of_peer"])))
    torch.cuda.empty_cache()
    return row


def rand(*shape):
    return torch.rand(*shape, device="cuda")


def row_dot(name, power, blocks):
    n = 1 << power
    k = LW.kernel(name)
    return measure("%s 2^%d" % (name, power), (rand(n), rand(n)), blocks,
                   lambda out, a, b: LW.launch(k, (blocks, 1, 1), (512, 1, 1), out, a, b, n),
                   torch.dot, lambda a, b: torch.dot(a.double(), b.double()).float().reshape(1),
                   8 * n)


def row_mixed():
    n, blocks = 1 << 28, 528
    k = LW.kernel("dot4", ["FOUR=uchar4"])
    return measure("dot4 float x bool 2^28", (rand(n), (rand(n) < 0.5).byte()), blocks,
                   lambda out, a, b: LW.launch(k, (blocks, 1, 1), (512, 1, 1), out, a, b, n), None,
                   lambda a, b: a[b.bool()].double().sum().float().reshape(1), 5 * n)


def row_stream(name, each, expect, n=1 << 28):
    k = LW.kernel(name)
    return measure(name + " 2^28", (rand(n),), n,
                   lambda out, a: LW.launch(k, (n // each // 256, 1, 1), (256, 1, 1), out, a, n),
                   None, expect, 8 * n, bound=1e-5)


def difference(a):
    return torch.cat((a[1:] - a[:-1], torch.zeros(1, device="cuda")))


def average(a):
    zero = torch.zeros(1, device="cuda")
    return (torch.cat((zero, a[:-1])) + a + torch.cat((a[1:], zero))) / 3


def row_normalise():
    n = 1 << 28
    k = LW.kernel("normalise4")
    return measure("normalise4 2^28", (rand(n) + 1,), n,
                   lambda out, a: LW.launch(k, (n // 1024, 1, 1), (256, 1, 1), out, a), None,
                   lambda a: a.view(-1, 1024) / a.view(-1, 1024).mean(1, True), 8 * n)


def row_softmax():
    rows, cols = 262144, 1024
    k = LW.kernel("softmax_row", ["COLS=%d" % cols])
    return measure("softmax_row 262144 x 1024", (rand(rows, cols),), rows * cols,
                   lambda out, a: LW.launch(k, (rows // 4, 1, 1), (128, 1, 1), rows, out, a),
                   lambda a: torch.softmax(a, 1), lambda a: torch.softmax(a, 1), 8 * rows * cols)


def row_transpose():
    n = 16384
    k = LW.kernel("transpose4")
    return measure("transpose4 16384^2", (rand(n, n),), n * n,
                   lambda out, a: LW.launch(k, (n // 64, n // 64, 1), (16, 16, 1), n, n, out, a),
                   lambda a: a.t().contiguous(), lambda a: a.t(), 8 * n * n, bound=0)


def row_matmul():
    n = 4096
    torch.backends.cuda.matmul.allow_tf32 = False
    k = LW.kernel("matmul_8x8")
    return measure("matmul_8x8 4096", (rand(n, n), rand(n, n)), n * n,
                   lambda out, a, b: LW.launch(k, (n // 128, n // 128, 1), (16, 16, 1), n, out, a,
                                               b), torch.mm, torch.mm, 12 * n * n, count=4)


def row_attention():
    keys, size, blocks = 1 << 20, 128, 264
    kernel = LW.kernel("attention")
    parts, done = LW.zeros(blocks * (size + 4)), LW.zeros(1, "i32")

    def run(out, q, k, v):
        return LW.launch(kernel, (blocks, 1, 1), (512, 1, 1), out, parts, done, q, k, v, keys)

    def attention(q, k, v):
        return torch.softmax(k @ q, 0) @ v

    return measure("attention 1 x 2^20 x 128", (rand(size), rand(keys, size), rand(keys, size)),
                   size, run, attention, attention, 8 * keys * size)


def row_scan():
    n = 1 << 28
    threads, each = 128, 16
    blocks = n // (threads * each * 4)
    scan, begin = (LW.kernel(name, of="scan_ahead") for name in ("scan_ahead", "scan_open"))
    state = LW.zeros(blocks, "u64")

    def run(out, a):
        first = LW.launch(begin, (blocks // 256, 1, 1), (256, 1, 1), state, blocks)
        second = LW.launch(scan, (blocks, 1, 1), (threads, 1, 1), out, a, state)
        return lambda: (first(), second())

    return measure("scan 2^28", (rand(n) - 0.5,), n, run, lambda a: torch.cumsum(a, 0),
                   lambda a: torch.cumsum(a.double(), 0).float(), 8 * n, bound=1e-3)


def row_empty():
    program = os.path.join(ROOT, "build/bench/launches")
    if not os.path.exists(program):
        raise RuntimeError("not measured: build/bench/launches is not installed")
    ns = float(subprocess.run([program, "cuda"], check=True, capture_output=True).stdout)
    say("%-26s       %9.2f us a launch, back to back from C" % ("empty", ns / 1e3))
    return {"row": "empty", "ours_us": ns / 1e3}


ROWS = {
    "dot20": lambda: row_dot("dot", 20, 264), "dot24": lambda: row_dot("dot4", 24, 528),
    "dot28": lambda: row_dot("dot4", 28, 528), "plain_dot28": lambda: row_dot("dot", 28, 1056),
    "mixed": row_mixed, "difference": lambda: row_stream("difference4", 4, difference),
    "plain_difference": lambda: row_stream("difference", 1, difference),
    "average": lambda: row_stream("average4", 4, average), "normalise": row_normalise,
    "softmax": row_softmax, "transpose": row_transpose, "matmul": row_matmul,
    "attention": row_attention, "scan": row_scan, "empty": row_empty,
}

def svg(results):
    """The rows as bars; the line is the peer, or a copy where there is none."""
    bars = [r for r in results if "of_peer" in r]
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="640" height="%d" '
           'font-family="sans-serif" font-size="12">' % (24 * len(bars) + 10)]
    for i, r in enumerate(bars):
        y = 24 * i + 5
        out.append('<text x="5" y="%d">%s</text>' % (y + 14, r["row"]))
        out.append('<rect x="200" y="%d" width="%.0f" height="18" fill="#4878a8"/>' %
                   (y, 200 * min(r["of_peer"], 2)))
        out.append('<text x="%.0f" y="%d">%.2f</text>' %
                   (205 + 200 * min(r["of_peer"], 2), y + 14, r["of_peer"]))
    out.append('<path d="M400 0V%d" stroke="black"/></svg>' % (24 * len(bars) + 10))
    return "\n".join(out) + "\n"


def write(path, text):
    if path == "-":
        sys.stdout.write(text)
    elif path:
        with open(path, "w") as file:
            file.write(text)


def read_options():
    parser = argparse.ArgumentParser(prog="lanewise bench --device cuda",
                                     epilog="rows: " + " ".join(ROWS))
    parser.add_argument("--rows", default=",".join(ROWS), help="NAME,...; default: all")
    parser.add_argument("--quick", action="store_true", help="3 rounds, not 9")
    parser.add_argument("--json", help="results, to FILE or, as -, to standard output")
    parser.add_argument("--svg", help="a drawing of them")
    parser.add_argument("--commit", default="", help="what the results are of")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--library",
                        default=os.path.join(ROOT, "build/src/run/liblanewise.so"))
    options = parser.parse_args()
    for name in options.rows.split(","):
        if name not in ROWS:
            parser.error("there is no row '%s'" % name)
    return options


def what_is_missing():
    if not torch:
        return "PyTorch, with which kernels are compared, is missing: " + NO_TORCH
    return None if torch.cuda.is_available() else "this PyTorch has no CUDA"


def measure_rows(names):
    """All rows; those that cannot be measured say why."""
    results = []
    for name in names:
        try:
            results.append(ROWS[name]())
        except RuntimeError as why:
            say("%-26s %s" % (name, why))
    return results


if __name__ == "__main__":
    OPTIONS = read_options()
    TABLE = sys.stderr if OPTIONS.json == "-" else sys.stdout
    problem = what_is_missing()
    if problem:
        sys.exit(print("bench: " + problem, file=sys.stderr) or NOT_THERE)
    ROUNDS = 3 if OPTIONS.quick else ROUNDS
    torch.cuda.set_device(int(OPTIONS.device.partition(":")[2] or 0))
    LW = Lanewise(OPTIONS.library, OPTIONS.device)
    rows = measure_rows(OPTIONS.rows.split(","))
    report = {"device": torch.cuda.get_device_name(), "commit": OPTIONS.commit,
              "peer": "PyTorch " + torch.__version__, "rows": rows}
    write(OPTIONS.json, json.dumps(report, indent=1) + "\n")
    write(OPTIONS.svg, svg(rows))
    sys.exit(not all(row.get("right", True) for row in rows))
