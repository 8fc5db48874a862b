"""Kernels that never end: Ctrl-C, cancel, time limits and the process's end do not hang on them."""
from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

# A run in which Ctrl-C comes `soon`: each line says what came of a call, and if it was in time.
START = """
import os, signal, sys, threading, time
import numpy as np
import lanewise as lw

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a shell's background
main = threading.main_thread().ident
p = lw.compile('''#include <lanewise/kernel.h>
KERNEL void ever(float *x) { for (unsigned i = 0;; i++) x[0] = i; }
KERNEL void twice(float *x) { x[thread_idx.x] *= 2; }''')

def soon():
    timer = threading.Timer(0.2, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.daemon = True
    timer.start()

def tell(call):
    began = time.monotonic()
    try:
        call()
        what = "done"
    except BaseException as e:
        what = type(e).__name__
    # one write a line: threads tell, too
    sys.stdout.write(f"{what} {time.monotonic() - began < 2}" + chr(10))
    sys.stdout.flush()

def interrupted(call):
    soon()
    tell(call)

def is_idle():
    before = time.process_time()
    time.sleep(0.05)
    print("idle", time.process_time() - before < 0.04, flush=True)

def running():
    s = lw.stream()
    p.ever[1, 1, s](np.ones(4, "f4"))
    return s
"""


def run(script: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", START + script], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 0 and not done.stderr, done
    return done.stdout.splitlines()


def test_interrupted_kernels_leave_the_processors_to_others() -> None:
    assert run("""
for k in range(4):
    interrupted(lambda: p.ever[4, 64](np.ones(4, "f4")))
is_idle()
x = np.ones(1_000_000, "f4")
tell(lambda: lw.sum(x))
tell(lambda: p.twice[1, 32](x))
assert x[0] == 2 and lw.sum(x) == 1_000_032
""") == ["KeyboardInterrupt True"] * 4 + ["idle True"] + ["done True"] * 2


def test_what_is_waited_for_hears_ctrl_c() -> None:
    assert run("""
def checked():
    with lw.check():
        p.ever[1, 1](np.ones(4, "f4"))

def dropped():
    running()
    time.sleep(0.01)

with lw.Graph(inputs={"x": lw.TensorType("f32", (4,))}) as g:
    out = lw.map("a + 1", g.x)
    p.ever[1, 1, g.stream](out)
    g.output(out)
model = g.compile()
x = lw.zeros(4)
s = lw.stream()
interrupted(lambda: model(np.ones(4, "f4")))
interrupted(checked)
p.ever[1, 1, s](x)
interrupted(x.numpy)
interrupted(lambda: x[0].item())
interrupted(s.wait)
interrupted(dropped)
is_idle()
tell(lambda: lw.sum(np.ones(1000, "f4")))
""") == ["KeyboardInterrupt True"] * 6 + ["idle True", "done True"]


@pytest.mark.parametrize("give_up",
                         ["", "s.cancel()", "del s; is_idle()", "s.cancel(); tell(s.wait)"])
def test_a_stream_that_is_given_up_holds_up_nothing(give_up: str) -> None:
    began = time.monotonic()
    lines = run(f"""
s = running()
tell(lambda: s.wait(0.1))
{give_up}
tell(lambda: lw.sum(np.ones(1000, "f4")))
print("end", flush=True)
""")
    said = {"del s; is_idle()": ["idle True"], "s.cancel(); tell(s.wait)": ["LaunchError True"]}
    assert lines == ["TimeoutError True", *said.get(give_up, []), "done True", "end"]
    assert time.monotonic() - began < 20


def test_threads_that_wait_go_on_after_a_cancel() -> None:
    assert run("""
streams = [running() for _ in range(6)]
threads = [threading.Thread(target=lambda s=s: tell(s.wait)) for s in streams]
for t in threads:
    t.start()
interrupted(lambda: p.ever[1, 1](np.ones(4, "f4")))
for s in streams:
    s.cancel()
for t in threads:
    t.join()
is_idle()
""") == ["KeyboardInterrupt True"] + ["LaunchError True"] * 6 + ["idle True"]


def test_the_end_waits_for_what_is_queued_until_ctrl_c() -> None:
    text = START + "s = running(); print('end', flush=True)"
    child = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE)
    try:
        assert child.stdout and child.stdout.readline() == b"end\n"
        time.sleep(0.5)
        assert child.poll() is None
        child.send_signal(signal.SIGINT)
        child.wait(10)
    finally:
        child.kill()


def test_faulthandler_leaves_interrupts_alone() -> None:
    assert run("""
import faulthandler
for act in faulthandler.enable, faulthandler.disable, faulthandler.enable:
    act()
    interrupted(lambda: p.ever[1, 1](np.ones(4, "f4")))
""") == ["KeyboardInterrupt True"] * 3
