"""Wrong kernels in one process on cpu: each fails its own launch, with line and array, and leaves
what is around its arrays."""
from __future__ import annotations

import gc
import os
import re
import threading
from typing import Any, Callable

import numpy as np
import pytest

import lanewise as lw

pytestmark = pytest.mark.skipif(os.environ.get("LANEWISE_DEVICE", "cpu") != "cpu",
                                reason="of cpu; tests/error has the same on ref")

PATTERN = 0xA5
EDGE = 1 << 16  # bytes on both sides


class Near:
    """Arrays in larger ones, which nothing may change around them."""

    def __init__(self) -> None:
        self.kept: list[tuple[np.ndarray, int]] = []

    def __call__(self, dtype: Any, count: int, value: Any = 0) -> np.ndarray:
        size = np.dtype(dtype).itemsize * count
        whole = np.full(size + 2 * EDGE, PATTERN, "u1")
        self.kept.append((whole, size))
        array = whole[EDGE:EDGE + size].view(dtype)
        array[...] = value
        return array

    def is_intact(self) -> bool:
        return all((whole[:EDGE] == PATTERN).all() and (whole[EDGE + size:] == PATTERN).all()
                   for whole, size in self.kept)


# A kernel, its arguments beside `x`, and of the array its name, dtype and size: -4 is 4 x 4. The
# wrong line is that with /**/.
Case = tuple[str, Callable[[Near], tuple], str, Any, int]


def case(text: str, args: Callable[[Near], tuple] = lambda near: (), name: str = "x",
         dtype: Any = "i4", count: int = 16) -> Case:
    return text, args, name, dtype, count


THREE = np.dtype([("a", "i4"), ("b", "i4"), ("c", "i4")])
CASES = {
    "forgotten guard": case("(int *x) { x[I] = 1; /**/ }"),
    "guard off by one": case("(int *x, int n) { if (T <= n) x[T] = 1; /**/ }", lambda near: (16,)),
    "before": case("(int *x) { x[T - 1] = 1; /**/ }"),
    "stride": case("(int *x, int by) { if (T < 16) x[T * by] = 1; /**/ }", lambda near: (3,)),
    "backward": case("(int *x) { for (unsigned i = 15; i >= 0; i--) x[i] = 1; /**/ }"),
    "endless": case("(int *x) { for (size_t i = T;; i += 32) x[i] = 1; /**/ }"),
    "pointer walks": case("(int *x) { for (int *p = x;; p++) *p = 1; /**/ }"),
    "far": case("(int *x) { x[(size_t)1 << 40] = 1; /**/ }"),
    "wraps": case("(int *x, int64_t i) { x[T * i] = 1; /**/ }", lambda near: (1 << 61,)),
    "int overflows": case("(int *x, int n) { x[T * n] = 1; /**/ }", lambda near: (0x40000001,)),
    "empty": case("(int *x) { x[0] = 1; /**/ }", count=0),
    "char": case("(int8_t *x) { x[(uint8_t)(T - 1)] = 1; /**/ }", dtype="i1"),
    "double": case("(double *x) { x[T] = 1; /**/ }", dtype="f8"),
    "half": case("(half *x) { x[T] = 1; /**/ }", dtype="f2"),
    "read only": case("(int *out, const int *x) { out[T] = x[T + 1]; /**/ }",
                      lambda near: (near("i4", 32),), name="x"),
    "result is dead": case("(int *x) { (void)*(volatile int *)(x + T); /**/ }"),
    "gather": case("(int *x, const int *at) { x[at[T]] = 1; /**/ }",
                   lambda near: (near("i4", 32, -1),)),
    "unsigned gather": case("(int *x, const unsigned *at) { x[at[T]] = 1; /**/ }",
                            lambda near: (near("u4", 32, 2**32 - 1),)),
    "wide gather": case("(int *x, const int64_t *at) { x[at[T]] = 1; /**/ }",
                        lambda near: (near("i8", 32, -2**40),)),
    "one bad index": case("(int *x, const int *at) { x[at[T]] = 1; /**/ }",
                          lambda near: (np.array([0] * 17 + [16] + [0] * 14, "i4"),)),
    "scatter by scan": case("(int *x) { x[warp_inclusive_sum(1)] = 1; /**/ }"),
    "shuffled": case("(int *x) { x[shuffle_xor(T, 31)] = 1; /**/ }"),
    "declared size": case("(int n, int x[n]) { x[T] = 1; /**/ }", lambda near: (8,)),
    "row": case("(int x[4][4]) { if (T < 4) x[T][4] = 1; /**/ }"),
    "row above": case("(int r, int c, int x[r][c]) { x[-1 - T][0] = 1; /**/ }",
                      lambda near: (4, 4)),
    "plane": case("(int x[2][2][4]) { x[1][T][0] = 1; /**/ }"),
    "tensor": case("(TENSOR(int, 1) x) { at(x, T) = 1; /**/ }"),
    "tensor backward": case("(TENSOR(int, 1) x) { at(x, -1) = 1; /**/ }"),
    "transposed": case("(TENSOR(int, 2) x) { x = transposed(x); at(x, 4, 0) = 1; /**/ }",
                       count=-4),
    "slice": case("(TENSOR(int, 1) x) { x = slice(x, 0, 2, 5); at(x, 3) = 1; /**/ }"),
    "tile": case("(TENSOR(int, 2) x) { x = tile(x, 2, 2, 1, 1); at(x, 2, 0) = 1; /**/ }",
                 count=-4),
    "data of a tensor": case("(TENSOR(int, 1) x) { x.data[T] = 1; /**/ }"),
    "atomic": case("(int *x) { atomic_add(&x[T], 1); /**/ }"),
    "compare and swap": case("(uint8_t *x) { atomic_cas(x + T, 0, 1); /**/ }", dtype="u1"),
    "short vector": case("(float4 *x) { x[T] = (float4){1, 2, 3, 4}; /**/ }", dtype="f4"),
    "shifted vector": case("(float *x) { *(float4 *)(x + T) = (float4){1, 2, 3, 4}; /**/ }",
                           dtype="f4"),
    "struct": case("(struct three *x) { x[T] = (struct three){1, 2, 3}; /**/ }", dtype=THREE),
    "field": case("(struct three *x) { x[T].c = 1; /**/ }", dtype=THREE),
    "struct is copied": case("(struct three *x) { x[T] = x[0]; /**/ }", dtype=THREE),
    "memcpy": case("(int *x) { int v[2] = {T, T}; memcpy(x + T, v, sizeof v); /**/ }"),
    "memset": case("(int *x, size_t n) { memset(x, 0, n); /**/ }", lambda near: (2**63,)),
    "memmove": case("(int *x) { memmove(x - 1, x, 8); /**/ }"),
    "by a helper": case("(int *x) { put(x + 8, T); }"),
    "by an integer": case("(int *x) { *(int *)((size_t)x + 4 * (size_t)T) = 1; /**/ }"),
    "by halves": case("(int *x) { uint32_t a = (size_t)x, b = (size_t)x >> 32; "
                      "*(int *)(((size_t)b << 32 | a) + 4 * T) = 1; /**/ }"),
    "to another": case("(int *x, int *y) { x[y - x] = 1; /**/ }", lambda near: (near("i4", 16),)),
    "one of two": case("(int *x, int *y) { int *p = T % 2 ? x : y; p[T] = 1; /**/ }",
                       lambda near: (near("i4", 32),)),
    "kept in block memory": case("(int *x) { SHARED int *p; p = x; barrier(); p[T] = 1; /**/ }"),
    "SHARED": case("(int *x) { SHARED int s[16]; s[T] = 1; /**/ barrier(); x[0] = s[0]; }",
                   name="s"),
    "row of SHARED": case("(int *x) { SHARED int s[4][8]; s[0][T] = 1; /**/ barrier(); "
                          "x[0] = s[0][0]; }", name="s"),
    "DYNAMIC_SHARED": case("(int *x) { DYNAMIC_SHARED(int, d); d[T] = 1; /**/ barrier(); "
                           "x[0] = d[0]; }", name="d"),
    "private": case("(int *x) { int own[8] = {0}; own[T] = 1; /**/ x[0] = own[x[0]]; }",
                    name="own"),
    "private rows": case("(int *x) { int own[2][4] = {{0}}; own[0][T] = 1; /**/ "
                         "x[0] = own[0][x[0]]; }", name="own"),
    "table": case("(int *x) { x[0] = primes[T]; /**/ }", name="primes"),
    "after return": case("(int *x) { x[0] = *local(1); /**/ }", name="own"),
    "flag that is none": case("(int *x, const bool *b) { int own[2] = {0}; own[b[T] + b[T]] = 1; "
                              "/**/ x[0] = own[1]; }",
                              lambda near: (near("u1", 32, 201).view("?"),), name="own"),
    "false promise": case("(int *x, int n) { __builtin_assume(n < 16); x[n] = 1; /**/ }",
                          lambda near: (16,)),
}
HEAD = """#include <lanewise/kernel.h>
#define T ((int)thread_idx.x)
#define I ((int)global_idx.x)
struct three { int a, b, c; };
static const int primes[4] = {2, 3, 5, 7};
static void put(int *p, int i) { p[i] = 1; /**/ }
static int *local(int n)
{
    int own[4] = {n, n, n, n}, *p = own;
    own[n] = 2;
    return p;
}
KERNEL void right(int n, int *x) { if (I < n) x[I] += 1; }
KERNEL void moved(int *x, const int *n) { x[T + n[0]] = 1; }
"""
SOURCE = HEAD + "".join(f"KERNEL void k{i}{text}\n" for i, (text, *_) in enumerate(CASES.values()))
HELPER_LINE = next(i for i, line in enumerate(HEAD.splitlines(), 1) if "/**/" in line)


def arguments(wrong: Case, near: Near) -> list[Any]:
    text, args, name, dtype, count = wrong
    x: Any = near(dtype, abs(count) if count >= 0 else 16)
    if count < 0:
        x = x.reshape(-count, -1)
    if name == "x" and "*out" in text:
        return [*args(near), x]
    if re.match(r"\((?:int \w, )+", text):  # sizes come first
        return [*args(near), x]
    return [x, *args(near)]


def fails(prog: lw.Program, index: int, stream: lw.Stream | None = None) -> None:
    text, _, name, *_ = wrong = list(CASES.values())[index]
    near = Near()
    line = HELPER_LINE if "/**/" not in text else len(HEAD.splitlines()) + 1 + index
    with pytest.raises(lw.LaunchError) as error:
        prog[f"k{index}"].launch(grid=2, block=32, args=arguments(wrong, near), shared=64,
                                 stream=stream)
        if stream is not None:
            stream.wait()
    assert re.search(rf"<source>:{line}:\d+: .* '{name}'", str(error.value)), str(error.value)
    assert near.is_intact(), text


def works(prog: lw.Program, stream: lw.Stream | None = None) -> None:
    near = Near()
    x = near("i4", 50)
    prog.right.launch(grid=2, block=32, args=[50, x], stream=stream)
    if stream is not None:
        stream.wait()
    assert (x == 1).all() and near.is_intact()


@pytest.fixture(scope="module", params=[None, True], ids=["default", "always"])
def prog(request: pytest.FixtureRequest) -> lw.Program:
    return lw.compile(SOURCE, bounds=request.param)


def test_wrong_kernels_fail_their_launch_alone(prog: lw.Program) -> None:
    assert len(CASES) >= 50
    works(prog)
    for index in range(len(CASES)):
        fails(prog, index)
        works(prog)


def test_wrong_kernels_in_threads_and_streams(prog: lw.Program) -> None:
    done = []

    def work(first: int) -> None:
        for index in range(first, len(CASES), 4):
            fails(prog, index, lw.stream())
            works(prog, lw.stream())
        done.append(first)

    threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [0, 1, 2, 3]
    gc.collect()  # an error has its frames, and they the stream that failed, which stays so


def test_a_wrong_kernel_in_a_graph(prog: lw.Program) -> None:
    with lw.Graph(inputs={"n": lw.TensorType("i32", (1,)), "x": lw.TensorType("i32", (32,))}) as g:
        made = lw.map("a", g.x, stream=g.stream)
        prog.moved[1, 32, g.stream](made, g.n)
        g.output(made)
    model = g.compile()
    line, x = len(HEAD.splitlines()), np.zeros(32, "i4")
    for n, is_right in (0, True), (1, False), (-1, False), (1 << 30, False), (0, True):
        if is_right:
            assert (model(n=np.array([n], "i4"), x=x)["out"] == 1).all()
        else:
            with pytest.raises(lw.LaunchError, match=f"<source>:{line}:.* of 'x', which has 32"):
                model(n=np.array([n], "i4"), x=x)
    works(prog)
