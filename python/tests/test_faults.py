"""A kernel on cpu that accesses memory that is not there fails its launch, and nothing else, where
its accesses are not compared with their objects."""
from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.environ.get("LANEWISE_DEVICE", "cpu") != "cpu",
                                reason="other devices check each access")

START = """
import ctypes, faulthandler, signal, sys, threading
import numpy as np, lanewise as lw

def has_handler():
    line = next(l for l in open("/proc/self/status") if l.startswith("SigCgt"))
    return bool(int(line.split()[1], 16) >> (signal.SIGSEGV - 1) & 1)

def build():
    return lw.compile('''#include <lanewise/kernel.h>
KERNEL void far(float *x) { x[1ll << 40] = 1; }
KERNEL void past(float *x) { x[global_idx.x] = 1; }
KERNEL void add(int *x) { *x += 1; }''')

def refused(call, text="accessed memory outside its buffers"):
    try:
        call()
    except lw.LaunchError as error:
        assert text in str(error), error
        return True
    return False

def works(prog):
    x = np.zeros(1, "i4")
    prog.add[1, 1](x)
    return x[0] == 1 and lw.sum(np.ones(1000)) == 1000
"""


def run(script: str, bounds: str | None = "0", **env: str) -> "subprocess.CompletedProcess[str]":
    env = {**os.environ, **env}
    env.pop("LANEWISE_BOUNDS", None)
    if bounds:
        env["LANEWISE_BOUNDS"] = bounds
    return subprocess.run([sys.executable, "-c", START + script], capture_output=True, text=True,
                          timeout=60, env=env)


def check(script: str, bounds: str | None = "0", **env: str) -> None:
    done = run(script + "\nprint('done')", bounds, **env)
    assert (done.stdout.strip().split("\n")[-1], done.returncode) == ("done", 0), done


def test_an_access_outside_is_refused_before_it_happens() -> None:
    check("""
prog = build()
x = np.zeros(2000, "f4")
for _ in range(3):
    assert refused(lambda: prog.past[4, 256](x[:1000]),
                   "write of 4 bytes outside: index 1000 of 'x', which has 1000 elements of 4 "
                   "bytes, block (3,0,0) thread (232,0,0); lw.check() tells of all")
    assert works(prog)
assert not x[1000:].any()
prog.past[4, 256](x)
assert x.sum() == 1024
unchecked = lw.compile("#include <lanewise/kernel.h>\\n"
                       "KERNEL void far(float *x) { x[1ll << 40] = 1; }", bounds=False)
assert refused(lambda: unchecked.far[1, 1](x))
try:
    lw.compile("", bounds=1)
    raise AssertionError
except lw.ArgumentError as error:
    assert "bounds is 1; need True, False or None" in str(error)""", bounds=None)


def test_nothing_is_installed_before_code_of_the_user_runs() -> None:
    check("""
assert not has_handler()
lw.sum(np.ones(1000)); lw.sort(np.ones(1000)); lw.asarray(np.ones(3)) == 1; lw.stream().wait()
prog = build()
assert not has_handler()
assert works(prog) and has_handler()""")


@pytest.mark.parametrize("call", [
    "prog.far[1, 32](np.ones(16, 'f4'))", "prog.far[64, 32](lw.zeros(16))",
    "lw.map('*(float*)(size_t)(a*0)', np.ones(4, 'f4'))",
    "lw.map_reduce('*(float*)(size_t)(a*0)', 'x + y', np.ones(4, 'f4'))",
], ids=["kernel", "blocks", "map", "map_reduce"])
def test_a_fault_fails_the_launch(call: str) -> None:
    check(f"""
prog = build()
for _ in range(3):
    assert refused(lambda: {call})
    assert works(prog)""")


def test_other_memory_is_refused_with_bounds() -> None:
    check("""
prog, x = build(), np.zeros(32, "f4")
for _ in range(3):
    assert refused(lambda: prog.past[4096, 256](x[:16]), "<source>:3")
assert (x[16:] == 0).all()""", bounds="1")


def test_a_fault_fails_its_stream_or_graph_alone() -> None:
    check("""
prog, x = build(), np.ones(16, "f4")
s, other = lw.stream(), lw.stream()
prog.far[1, 32, s](x)
assert refused(s.wait) and refused(s.wait)
prog.past[1, 16, other](x)
other.wait()
with lw.Graph(inputs={"x": lw.TensorType("float32", (16,))}) as g:
    g.output(lw.map("*(float*)(size_t)(a * 0)", g.x))
model = g.compile()
assert refused(lambda: model(x)) and refused(lambda: model(x))
assert works(prog)""")


def test_a_message_names_kernel_and_line() -> None:
    check("""
assert refused(lambda: build().far[1, 32](np.ones(16, "f4")),
               "kernel 'far' accessed memory outside its buffers near <source>:2, block 0")""")


@pytest.mark.parametrize("order", ["before", "after", "both", "never"])
def test_beside_pythons_faulthandler(order: str) -> None:
    check(f"""
order = {order!r}
if order in ("before", "both"):
    faulthandler.enable()
prog = build()
assert works(prog)
if order in ("after", "both"):
    faulthandler.enable()
assert refused(lambda: prog.far[1, 32](np.ones(16, "f4")))
assert refused(lambda: prog.far[1, 32](np.ones(16, "f4"))) and works(prog)""")


@pytest.mark.parametrize("order", ["before", "after", "never"])
def test_pythons_own_fault_ends_it_as_ever(order: str) -> None:
    done = run(f"""
order = {order!r}
if order == "before":
    faulthandler.enable()
assert works(build())
if order == "after":
    faulthandler.enable()
ctypes.string_at(8)""")
    assert done.returncode == -11, done
    assert ("Fatal Python error: Segmentation fault" in done.stderr) == (order != "never"), done


def test_handlers_of_python_stay() -> None:
    check("""
import os
seen = []
signal.signal(signal.SIGUSR1, lambda *_: seen.append(1))
signal.signal(signal.SIGBUS, lambda *_: seen.append(2))
prog = build()
assert refused(lambda: prog.far[1, 32](np.ones(16, "f4")))
os.kill(os.getpid(), signal.SIGUSR1)
os.kill(os.getpid(), signal.SIGBUS)
assert seen == [1, 2], seen""")


def test_threads_fail_side_by_side() -> None:
    check("""
prog, done = build(), []
def work():
    for _ in range(20):
        assert refused(lambda: prog.far[4, 32](np.ones(16, "f4"))) and works(prog)
    done.append(1)
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(done) == 4""")


def test_a_child_of_fork_is_trapped() -> None:
    check("""
import os
prog = build()
assert refused(lambda: prog.far[1, 32](np.ones(16, "f4")))
child = os.fork()
if child == 0:
    os._exit(0 if refused(lambda: prog.far[1, 32](np.ones(16, "f4"))) and works(prog) else 1)
assert os.waitpid(child, 0)[1] == 0""")


def test_a_wrong_word_for_guards_is_told() -> None:
    check("""
try:
    works(build())
    raise AssertionError
except lw.ArgumentError as error:
    assert "LANEWISE_GUARD is 'some'" in str(error)""", LANEWISE_GUARD="some")
