"""Kernels in CUDA C++: files and texts, templates by name, variables of the device."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lanewise as lw

SOURCE = """
template <typename T, int N = 2>
__global__ void scale(T *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= N;
}

struct pair { int count; float last; };
__constant__ float factor = 2;
__constant__ float weights[2][3] = {{1, 2, 3}, {4, 5, 6}};
__device__ float4 corner = {1, 2, 3, 4};
namespace state { __device__ int calls; __device__ pair both; }

__global__ void weigh(float *y, const float *x)
{
    int i = threadIdx.x;
    y[i] = factor * weights[i / 3][i % 3] * x[i] + corner.w;
    if (i == 0) {
        state::calls++;
        state::both.count = __CUDA_ARCH__;
    }
}

__global__ void turn(float *x) { x[threadIdx.x] = __shfl_xor_sync(~0u, x[threadIdx.x], 1); }

__global__ void sum(const float *x, float *out, int n)
{
    __shared__ float parts[128];
    float all = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        all += x[i];
    parts[threadIdx.x] = all;
    for (int step = blockDim.x / 2; step; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step)
            parts[threadIdx.x] += parts[threadIdx.x + step];
    }
    if (threadIdx.x == 0)
        *out = parts[0];
}

__global__ void refused(int *x) { asm("no.such;"); }

void host(float *x) { scale<float, 3><<<1, 32>>>(x, 4); }
"""


@pytest.fixture(scope="module")
def program() -> lw.Program:
    return lw.compile(SOURCE, cuda=True)


def test_kernels_are_listed_by_their_names_in_cpp(program: lw.Program) -> None:
    names = list(lw.compile(SOURCE, cuda=True).kernels)
    assert names == ["weigh", "turn", "sum", "scale<float, 3>"]
    assert program.turn.name == "turn" and "float *x" in program.turn.signature


def test_kernels_equal_numpy(program: lw.Program) -> None:
    x = np.arange(1000, dtype="f4")
    program["scale<float,3>"][4, 256](x, x.size)
    assert (x == 3 * np.arange(1000)).all()
    y, out = np.arange(32, dtype="f4"), np.zeros((), "f4")
    program.turn[1, 32](y)
    assert y.tolist() == [i ^ 1 for i in range(32)]
    program.sum[1, 128](x, out, x.size)
    assert out == x.sum()


def test_an_instance_is_built_when_it_is_asked_for(program: lw.Program) -> None:
    x = np.arange(4.0)
    program["scale<double, 5>"][1, 32](x, 4)
    assert x.tolist() == [0, 5, 10, 15]
    program["scale<double>"][1, 32](x, 2)
    assert x.tolist() == [0, 10, 10, 15]
    assert {"scale<double, 5>", "scale<double, 2>"} <= set(program.kernels)
    first = lw.compile(SOURCE, cuda=True, instantiate=["scale<int>", "scale<short, 7>"])
    assert {"scale<int, 2>", "scale<short, 7>"} <= set(first.kernels)


def test_a_file_is_cuda_by_its_ending(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(SOURCE)
    x = np.ones(2, "f4")
    for source in (path, str(path)):
        lw.compile(source)["scale<float, 3>"][1, 2](x, 2)
    assert x.tolist() == [9, 9]
    (tmp_path / "k.cuh").write_text(SOURCE)
    assert "turn" in lw.compile(tmp_path / "k.cuh").kernels


def test_symbols_are_arrays_on_the_variable(program: lw.Program) -> None:
    x, y = np.ones(6, "f4"), np.zeros(6, "f4")
    weights, calls = program.symbol("weights"), program.symbol("state::calls")
    assert weights.shape == (2, 3) and calls.shape == () and calls.dtype == np.int32
    assert program.symbol("corner").shape == (16,)
    before = int(calls)
    program.weigh[1, 6](y, x)
    assert y.tolist() == [6, 8, 10, 12, 14, 16] and int(calls) == before + 1
    program.symbol("factor")[()] = 10
    weights[1] = 0
    program.weigh[1, 6](y, x)
    assert y.tolist() == [14, 24, 34, 4, 4, 4] and int(calls) == before + 2
    both = np.asarray(program.symbol("state::both")).view([("count", "i4"), ("last", "f4")])
    assert both["count"] == 800
    program.symbol("factor")[()] = 2
    weights[...] = np.arange(1, 7).reshape(2, 3)


def test_a_symbol_outlives_its_program() -> None:
    corner = lw.compile(SOURCE, cuda=True).symbol("corner")
    assert np.asarray(corner).view("f4").tolist() == [1, 2, 3, 4]


def test_arch_is_what_the_text_sees() -> None:
    program = lw.compile(SOURCE, arch="sm_90")
    program.weigh[1, 6](np.zeros(6, "f4"), np.ones(6, "f4"))
    assert np.asarray(program.symbol("state::both")).view("i4")[0] == 900


def test_what_is_refused_says_why(program: lw.Program) -> None:
    with pytest.raises(lw.CompileError, match="kernel 'refused'"):
        program["refused"]
    with pytest.raises(lw.ArgumentError, match="no kernel 'scael<int>'.*scale<float, 3>"):
        program["scael<int>"]
    with pytest.raises(AttributeError, match="no kernel 'scael'.*scale<float, 3>"):
        program.scael
    with pytest.raises(lw.ArgumentError, match="'weighs'.*weights"):
        program.symbol("weighs")
    with pytest.raises(lw.ArgumentError, match="arch is 'ampere'"):
        lw.compile(SOURCE, arch="ampere")
    with pytest.raises(lw.ArgumentError, match="instantiate is for CUDA"):
        lw.compile("int x;\n", instantiate=["f<int>"])
    with pytest.raises(lw.ArgumentError, match="need a list"):
        lw.compile(SOURCE, cuda=True, instantiate="f<int>")


def test_errors_of_a_launch_name_the_instance(program: lw.Program) -> None:
    with pytest.raises(lw.Error, match="scale<float, 3>"):
        program["scale<float, 3>"][1, 32](np.zeros(4), 4)


def test_the_checker_takes_them(program: lw.Program) -> None:
    racy = lw.compile("__global__ void race(int *x) { x[0] = threadIdx.x; }\n", cuda=True)
    with pytest.raises(lw.CheckError, match="race-global: thread 32 writes x"), lw.check():
        racy.race[1, 64](np.zeros(1, "i4"))
    with lw.check() as report:
        program["scale<double, 5>"][1, 32](np.ones(4), 4)
    assert report.verdict == "clean"


ADDRESSES = """
struct matrix { int rows, columns; float *at; };
__global__ void scale(matrix m, float factor)
{
    int i = threadIdx.x;
    if (i < m.rows * m.columns)
        m.at[i] *= factor;
}
__global__ void add(float *x, const float *y) { if (y) x[threadIdx.x] += y[threadIdx.x]; }
__global__ void gather(float *out, float **rows) { out[threadIdx.x] = rows[threadIdx.x][1]; }
"""


@pytest.mark.parametrize("name", ["cpu", "ref", "check"])
def test_addresses(name: str) -> None:
    d = lw.Device(name)
    prog = lw.compile(ADDRESSES, cuda=True, device=d)
    x = lw.asarray(np.arange(12, dtype="f4"), device=d).copy()
    later = x + 1  # of the values before the launch, whoever knows the address
    m = np.zeros((), [("rows", "i4"), ("columns", "i4"), ("at", "u8")])
    m["rows"], m["columns"], m["at"] = 2, 3, x.address
    prog.scale[1, 32](m, 10)
    expected = np.arange(12, dtype="f4") * np.where(np.arange(12) < 6, 10, 1)
    assert (x.numpy() == expected).all()
    assert (later.numpy() == np.arange(12) + 1).all()
    assert x[2:].address == x.address + 8
    prog.add[1, 4](x, x.address + 16)
    prog.add[1, 4](x, None)
    expected[:4] += expected[4:8]
    assert (x.numpy() == expected).all()
    out = lw.zeros(2, device=d)
    rows = lw.asarray(np.array([x.address, x[2:].address], "u8"), device=d).copy()
    prog.gather[1, 2](out, rows.address)
    assert (out.numpy() == expected[[1, 3]]).all()
    with pytest.raises(lw.ArgumentError, match="0x3e8 is in no buffer of device"):
        prog.add[1, 4](x, 1000)
    with pytest.raises((lw.LaunchError, lw.CheckError), match="'x', which is NULL"):
        prog.add[1, 4](None, x)
        x.numpy()
    with pytest.raises(lw.ArgumentError, match="need an array"):
        prog.add[1, 4](x, True)


def test_missing_kernels_keep_their_reason() -> None:
    prog = lw.compile(
        "template <class T, int N = 2> __global__ void grow(T *x) { *x = *(T *)malloc(N); }",
        cuda=True,
    )
    for name, reason in [("nope<int>", "undeclared"), ("grow<int>", "kernels have no heap")]:
        said = []
        for _ in range(2):
            with pytest.raises(lw.Error, match=reason) as caught:
                prog[name]
            said.append(str(caught.value))
        assert said[0] == said[1]
