"""Own kernels: arguments, streams, what is refused, Ctrl-C, threads, fork."""
from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import lanewise as lw
from conftest import KERNELS


def test_numpy_memory_is_used_in_place(kernels: lw.Program) -> None:
    x = np.arange(100, dtype="f4")
    kernels.scale[4, 32](100, x, 0.5)
    assert x.tolist() == (np.arange(100) / 2).tolist()
    kernels["scale"].launch(grid=(4,), block=(32, 1, 1), args=[10, x[10:20], 1.0])
    assert (x[9], x[10], x[19], x[20]) == (4.5, 5, 9.5, 10)


def test_code_is_that_of_its_program() -> None:
    text = "#include <lanewise/kernel.h>\nKERNEL void put(int *x) {{ *x = {}; }}\n"
    first, second = lw.compile(text.format(1)), lw.compile(text.format(1))
    x = np.zeros(1, "i4")
    first.put[1, 1](x)
    second.put[1, 1](x)
    del first  # the other one keeps the code loaded
    for value in range(2, 6):
        program = lw.compile(text.format(value))
        program.put[1, 1](x)
        assert x[0] == value
        second.put[1, 1](x)
        assert x[0] == 1


def test_grids_and_blocks_have_three_axes(kernels: lw.Program) -> None:
    out = np.zeros(6, "i4")
    kernels.where[(3, 2), (4, 5)](out)
    assert out.tolist() == [5] * 6


def test_scalars_convert_as_the_command_does(kernels: lw.Program) -> None:
    out = np.zeros(5)
    kernels.values[1, 32](out, True, np.int64(-128), 2**64 - 1, 0.1, 1)
    assert out.tolist() == [1, -128, float(2**64 - 1), float(np.float32(0.1)), 1]
    kernels.values[1, 32](out, np.True_, 8.0, np.uint8(3), 7, np.float16(0.5))
    assert out.tolist() == [1, 8, 3, 7, 0.5]


@pytest.mark.parametrize("arguments, text", [
    ((1, 0.5, 1, 1, 1), "parameter 'b'.*whole"),
    ((1, 128, 1, 1, 1), "b.*128"),
    ((2, 1, 1, 1, 1), "a.*2"),
    ((1, 1, -1, 1, 1), "c.*-1"),
    ((1, 1, 2**64, 1, 1), "parameter 'c'"),
    ((1, 1, 1, "1", 1), "parameter 'd'.*'1'"),
    ((1, 1, 1, 1, 1e9), "e"),
    ((1, 1, 1, 1), "6 arguments, got 5"),
    ((1, 1, 1, None, 1), "None"),
])
def test_scalars_must_fit(kernels: lw.Program, arguments: tuple, text: str) -> None:
    with pytest.raises(lw.ArgumentError, match=text):
        kernels.values[1, 32](np.zeros(5), *arguments)


@pytest.mark.parametrize("array, error, text", [
    (np.ones(8, "f4")[::2], lw.ArgumentError, r"\(8,\)"),
    (np.ones((2, 2), "f4").T, lw.ArgumentError, "C-contiguous"),
    (np.ones(4), lw.DtypeError, "f32.*f64"),
    (np.ones(3, "f4"), lw.ArgumentError, r"x\[4\]"),
    (b"0123456789abcdef", lw.ArgumentError, "read-only"),
    (np.broadcast_to(np.float32(1), 4), lw.ArgumentError, "strides"),
    (3, lw.ArgumentError, "array"),
    ("text", lw.DtypeError, "text|<U4"),
    (None, lw.DtypeError, "parameter 'x' .*NoneType is no array"),
])
def test_arrays_must_fit(kernels: lw.Program, array, error, text: str) -> None:
    with pytest.raises(error, match=text):
        kernels.scale[1, 32](4, array, 1)


def test_tensors_take_strides(kernels: lw.Program) -> None:
    x = np.arange(12, dtype="f4").reshape(3, 4)
    out = np.zeros((4, 6), "f4")
    kernels.strided[1, 32](out[::-1, ::2], x.T)
    assert (out[::-1, ::2] == 2 * x.T).all() and (out[:, 1::2] == 0).all()
    y = lw.zeros((4, 3))
    kernels.strided[1, 32](y, lw.asarray(x).T)
    assert (y.numpy() == 2 * x.T).all()


def test_structs_and_bf16(kernels: lw.Program) -> None:
    points = np.zeros(3, [("x", "f4"), ("n", "i4")])
    by = np.array((0.5, 7), points.dtype)
    kernels.points[1, 3](points, by)
    kernels.points[1, 3](points, by[()])
    assert points.tolist() == [(1.0, 14)] * 3
    bits = lw.asarray(np.array([1.5, 2], "f4")).astype("bf16")
    to = lw.zeros(2, "bf16").numpy()
    kernels.copy_wide[1, 2](to, bits)
    assert to.view("u2").tolist() == bits.numpy().view("u2").tolist()


def test_empty_arrays(kernels: lw.Program) -> None:
    kernels.scale[1, 32](0, np.zeros(0, "f4"), 1)


def test_dynamic_shared_memory(kernels: lw.Program) -> None:
    out = np.zeros(1, "i4")
    kernels.shared_sum.launch(grid=1, block=64, args=(out,), shared=256)
    assert out[0] == 64
    with pytest.raises(lw.ArgumentError, match="shared"):
        kernels.shared_sum[1, 64](out)


def test_what_a_kernel_says_of_itself(kernels: lw.Program) -> None:
    k = kernels.scale
    assert (k.name, k.signature) == ("scale", "void scale(int n, float x[n], float by)")
    assert [p["kind"] for p in k.parameters] == ["scalar", "pointer", "scalar"]
    assert kernels.copy_wide.parameters[1]["const"] and k.parameters[1]["dtype"] == np.float32
    grid, block = k.suggest()
    assert grid[0] >= 1 and block == (256, 1, 1)
    assert "scale" in kernels.kernels and "scale" in dir(kernels)
    with pytest.raises(AttributeError, match="scale"):
        kernels.missing
    with pytest.raises(lw.ArgumentError, match="missing"):
        kernels["missing"]


def test_defines_files_and_includes(tmp_path: Path) -> None:
    (tmp_path / "part.h").write_text("enum { PART = 3 };\n")
    source = tmp_path / "k.c"
    source.write_text('#include <lanewise/kernel.h>\n#include "part.h"\n'
                      "KERNEL void f(int *x) { x[0] = N * PART; }\n")
    for path in (source, str(source)):
        x = np.zeros(1, "i4")
        lw.compile(path, defines={"N": 8}, include=[tmp_path]).f[1, 1](x)
        assert x[0] == 24


def test_errors_of_the_compiler() -> None:
    with pytest.raises(lw.CompileError, match="<source>:2:") as caught:
        lw.compile("#include <lanewise/kernel.h>\nKERNEL void f(int *x) { x[0] = y; }\n")
    first = caught.value.diagnostics[0]
    assert first["line"] == 2 and first["severity"] == "error" and "y" in first["text"]
    with pytest.raises(lw.FileError) as missing:
        lw.compile("missing.c")
    assert isinstance(missing.value, OSError)


def test_a_program_for_one_device() -> None:
    prog = lw.compile(KERNELS, device="ref")
    x = np.ones(4, "f4")
    prog.scale[1, 32](4, x, 2)
    assert x.tolist() == [2] * 4
    with pytest.raises(lw.DeviceError, match="ref"):
        prog.scale[1, 32](4, lw.zeros(4, device="null"), 2)


def test_code_for_a_debugger_is_for_ref() -> None:
    x = np.ones(4, "f4")
    lw.compile(KERNELS, device="ref", debug=True).scale[1, 32](4, x, 2)
    assert x.tolist() == [2] * 4
    with pytest.raises(lw.UnsupportedError, match="for device 'ref', .* not for 'cpu'"):
        lw.compile(KERNELS, device="cpu", debug=True)


def test_the_first_array_chooses_the_device(kernels: lw.Program) -> None:
    x = lw.full(4, 2, "f4", device="ref")
    kernels.scale[1, 32](4, x, 2)
    assert x.numpy().tolist() == [4] * 4
    with pytest.raises(lw.DeviceError, match="device"):
        kernels.strided[1, 32](lw.zeros((2, 2), device="ref"), lw.zeros((2, 2), device="null"))


def test_streams_run_in_order_and_keep_arrays(kernels: lw.Program) -> None:
    s = lw.stream()
    x = np.ones(1000, "f4")
    for _ in range(20):
        kernels.scale[4, 64, s](1000, x, 2)
        kernels.scale[4, 64, s](500, np.ones(500, "f4"), 2)
    s.wait()
    assert x[0] == 2**20 and s.device.name == lw.default_device().name
    lw.synchronize()


def test_a_refused_launch_leaves_the_stream(kernels: lw.Program) -> None:
    s = lw.stream()
    x = np.ones(4, "f4")
    with pytest.raises(lw.ArgumentError):
        kernels.scale[1, 5000, s](4, x, 2)
    kernels.scale[1, 32, s](4, x, 2)
    s.wait()
    assert x[0] == 2


def test_a_failed_stream_stays_failed(kernels: lw.Program) -> None:
    s = lw.stream()
    kernels.refuse[1, 32, s](np.zeros(1, "i4"))
    for _ in range(2):
        with pytest.raises(lw.LaunchError, match="out"):
            s.wait()
    with pytest.raises(lw.LaunchError):
        kernels.refuse[1, 32](np.zeros(1, "i4"))
    kernels.refuse[1, 32](np.ones(1, "i4"))


def test_waiting_has_a_limit(kernels: lw.Program) -> None:
    s, flag = lw.stream(), np.zeros(2, "i4")
    kernels.spin[1, 1, s](flag)
    with pytest.raises(lw.TimeoutError):
        s.wait(0.05)
    with pytest.raises(lw.ArgumentError, match="timeout"):
        s.wait(-1)
    flag[0] = 1
    s.wait()


def test_the_gil_is_given_up(kernels: lw.Program) -> None:
    flag = np.zeros(2, "i4")
    threading.Timer(0.1, lambda: flag.__setitem__(0, 1)).start()
    kernels.spin[1, 1](flag)


def test_threads_launch_side_by_side(kernels: lw.Program) -> None:
    def work(x: np.ndarray) -> None:
        for _ in range(50):
            kernels.scale[1, 32](32, x, -1)
            lw.dot(x, x)

    rows = np.ones((4, 32), "f4")
    threads = [threading.Thread(target=work, args=(row,)) for row in rows]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (rows == 1).all()


def run(script: str) -> subprocess.CompletedProcess[str]:
    text = f"import numpy as np, lanewise as lw, os, signal, sys, threading, time\n" \
           f"prog = lw.compile({KERNELS!r})\n{script}"
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)


INTERRUPT = """
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a shell's background
main = threading.main_thread().ident
threading.Timer(0.3, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
began = time.monotonic()
try:
    {call}
except KeyboardInterrupt:
    print(time.monotonic() - began < 0.3 + 0.2 + 0.3)
{after}
"""


def test_ctrl_c_and_the_end_do_not_wait() -> None:
    done = run(INTERRUPT.format(call="prog.spin[1, 32](np.zeros(2, 'i4'))",
                                after="x = np.ones(4, 'f4')\n"
                                      "prog.scale[1, 32](4, x, 3); print(x[0])"))
    assert done.stdout.split() == ["True", "3.0"] and done.returncode == 0, done


def test_ctrl_c_while_waiting_fails_the_stream() -> None:
    done = run(INTERRUPT.format(
        call="s = lw.stream(); prog.spin[1, 32, s](np.zeros(2, 'i4')); s.wait()",
        after="""
try:
    prog.scale[1, 32, s](4, np.ones(4, 'f4'), 3)
    s.wait(0.1)
except lw.Error as e:
    print(type(e).__name__)
"""))
    assert done.stdout.split()[0] == "True" and len(done.stdout.split()) == 2, done


def test_a_child_of_fork_can_launch() -> None:
    done = run("""
x = np.ones(100000, 'f4')
a = lw.asarray(x)
prog.scale[16, 256](100000, x, 2)
sys.stdout.flush()
if os.fork() == 0:
    prog.scale[16, 256](100000, a, 2)
    print(x[0], lw.sum(x))
    sys.stdout.flush()
    os._exit(0)
os.wait()
print(lw.sum(a).item())
""")
    assert done.stdout.split() == ["4.0", "400000.0", "200000.0"] and done.returncode == 0, done
