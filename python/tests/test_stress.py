"""Lifetimes under stress: nothing leaks a reference or memory, and nothing dies too early."""
from __future__ import annotations

import gc
import random
import sys
import threading
from typing import Any, Callable

import numpy as np
import pytest

import lanewise as lw

ROUNDS = 300


def resident() -> int:
    """Bytes of this process in memory."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


def dlpack_round(x: np.ndarray) -> None:
    np.from_dlpack(lw.from_dlpack(x))[0] = 1


def failing(x: np.ndarray) -> None:
    for call in (lambda: lw.dot(x, x[1:]), lambda: lw.sum(x, axis=3), lambda: lw.sum("x"),
                 lambda: lw.asarray(x, dtype="int8", copy=False), lambda: lw.full(2, x)):
        with pytest.raises((lw.Error, ValueError, TypeError)):
            call()


def graph(x: np.ndarray) -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", ("n",))}) as g:
        g.output(lw.softmax(lw.map("a * 2", g.x)))
    g.compile()(x)


CALLS: dict[str, Callable[[np.ndarray], Any]] = {
    "operation": lambda x: lw.sum(x), "out": lambda x: lw.softmax(x, out=x),
    "array": lambda x: lw.sum(lw.asarray(x)[::2]), "buffer": lambda x: memoryview(lw.asarray(x)),
    "dlpack": dlpack_round, "capsule": lambda x: lw.asarray(x).__dlpack__(max_version=(1, 0)),
    "interface": lambda x: lw.asarray(x).__array_interface__, "errors": failing, "graph": graph,
    "item": lambda x: lw.asarray(x)[3].item(), "stream": lambda x: lw.sum(x, stream=lw.stream()),
}


@pytest.mark.on_cpu
@pytest.mark.parametrize("name", CALLS)
def test_calls_keep_no_references(name: str) -> None:
    x = np.random.default_rng(1).random(64).astype("f4")
    call = CALLS[name]
    for _ in range(3):
        call(x)
    lw.synchronize()
    gc.collect()
    lw.zeros(1)
    before = sys.getrefcount(x), sys.getrefcount(np.float32), sys.getrefcount(lw.default_device())
    for _ in range(20 if name == "graph" else ROUNDS):
        call(x)
    lw.synchronize()
    gc.collect()
    lw.zeros(1)
    after = sys.getrefcount(x), sys.getrefcount(np.float32), sys.getrefcount(lw.default_device())
    # Idle streams come and go; each may hold the device.
    assert after[:2] == before[:2] and after[2] - before[2] < 20, (before, after)


def test_launches_keep_no_references(kernels: lw.Program) -> None:
    x = np.ones(64, "f4")
    kernels.scale[1, 64](64, x, 1)
    before = sys.getrefcount(x), sys.getrefcount(kernels.scale)
    for _ in range(ROUNDS):
        kernels.scale[1, 64](64, x, 1)
        with pytest.raises(lw.ArgumentError):
            kernels.scale[1, 64](65, x, 1)
        with pytest.raises(lw.ArgumentError):
            kernels.scale[1, 64](64, x)
    gc.collect()
    lw.zeros(1)
    assert (sys.getrefcount(x), sys.getrefcount(kernels.scale)) == before


def test_memory_does_not_grow() -> None:
    def work() -> None:
        for _ in range(20):
            a = lw.zeros(1 << 18)                # 1 MiB
            lw.sum(lw.asarray(a.numpy()[::64]))
            np.from_dlpack(a.copy())

    work()
    gc.collect()
    before = resident()
    for _ in range(5):
        work()
    gc.collect()
    assert resident() - before < 32 << 20


def test_views_in_any_order_of_death() -> None:
    rng = random.Random(2)
    for n in range(50):
        values = np.arange(256.0)
        alive: list[Any] = [values, lw.asarray(values), lw.full(256, 3.0)]
        for _ in range(20):
            x = rng.choice(alive)
            view = rng.choice([lambda: x[::2] if len(x) > 4 else x, lambda: lw.asarray(x),
                               lambda: np.asarray(x), lambda: np.from_dlpack(x),
                               lambda: lw.from_dlpack(x), lambda: memoryview(x).obj])()
            alive.append(view)
            if len(alive) > 6:
                alive.pop(rng.randrange(len(alive)))
        del values, x, view
        if n % 10 == 0:
            gc.collect()
        for left in alive:
            assert np.isfinite(np.asarray(left)).all()


def test_streams_keep_what_they_use(kernels: lw.Program) -> None:
    s, out = lw.stream(), []
    for n in range(100):
        x = lw.full(1024, float(n), "f4")
        kernels.scale[4, 256, s](1024, x, 2)
        out.append(lw.sum(x, stream=s))
        del x
    s.wait()
    assert [o.item() for o in out] == [2048.0 * n for n in range(100)]


def test_threads_make_and_drop() -> None:
    shared, wrong = lw.full(512, 2.0), []

    def work(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(60):
            x = [shared, lw.asarray(np.full(512, 2.0)), lw.from_dlpack(np.full(512, 2.0))]
            if lw.sum(rng.choice(x)[::2]).item() != 512:
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
