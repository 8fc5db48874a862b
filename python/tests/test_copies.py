"""Memory goes in and out without a copy, and lives as long as a view of it."""
from __future__ import annotations

import contextlib
import gc
import itertools
import os
import resource
import weakref
from typing import Any, Callable, Iterator

import numpy as np
import pytest

import lanewise as lw

BYTES = 64 << 20
on_cpu = pytest.mark.skipif(os.environ.get("LANEWISE_DEVICE", "cpu") != "cpu",
                            reason="other devices keep memory of their own beside it")

ADDRESSES = """
#include <lanewise/kernel.h>

KERNEL void at_pointer(uint64_t *out, const float *x, float *y)
{
    out[0] = (uint64_t)x;
    out[1] = (uint64_t)y;
}

KERNEL void at_tensor(uint64_t *out, CONST_TENSOR(float, 2) x, TENSOR(float, 2) y)
{
    out[0] = (uint64_t)&at(x, 0, 0);
    out[1] = (uint64_t)&at(y, 0, 0);
}
"""


@pytest.fixture(scope="module")
def addresses() -> lw.Program:
    return lw.compile(ADDRESSES)


class Exporter:
    """Another library's array: DLPack alone."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def __dlpack__(self, **words: Any) -> Any:
        return self.values.__dlpack__(**words)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.values.__dlpack_device__()


WAYS: dict[str, Callable[[np.ndarray], Any]] = {
    "numpy": lambda x: x, "array": lw.asarray, "dlpack": Exporter, "imported": lw.from_dlpack,
    "view": lambda x: lw.asarray(x)[None][0], "memoryview": memoryview,
}


@on_cpu
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("how", ["waited", "stream", "graph"])
def test_kernels_get_the_very_memory(addresses: lw.Program, way: str, how: str) -> None:
    base = np.arange(96, dtype="f4").reshape(8, 12)
    other, out = base + 1, np.zeros(2, "u8")
    for kernel, cut in ((addresses.at_pointer, np.s_[2:, :]), (addresses.at_tensor, np.s_[1:3]),
                        (addresses.at_tensor, np.s_[::-2, 1::3])):
        x, y = base[cut], other[cut]
        given = WAYS[way](x), WAYS[way](y)
        if how == "waited":
            kernel[1, 1](out, *given)
        elif how == "stream":
            s = lw.stream()
            kernel[1, 1, s](out, *given)
            s.wait()
        else:
            with lw.Graph(inputs={"places": lw.TensorType("u64", (2,))}) as g:
                kernel[1, 1, g.stream](g.places, *given)
                g.output(lw.sum(g.places))
            g.compile()(places=out)
        assert out.tolist() == [x.ctypes.data, y.ctypes.data]


@on_cpu
def test_arrays_and_numpy_see_the_same_memory() -> None:
    x = np.arange(24.0).reshape(4, 6)
    for view in (x, x[::-1, 1::2], x.T, x[2:2], np.broadcast_to(x[0], (3, 6))):
        for back in (lw.asarray(view).numpy(), np.asarray(lw.asarray(view)),
                     np.from_dlpack(lw.from_dlpack(x))):
            of = view if back.shape == view.shape and back.strides == view.strides else x
            assert back.ctypes.data == of.ctypes.data and back.strides == of.strides


def test_what_is_not_aligned_is_copied(kernels: lw.Program) -> None:
    room = np.zeros(41, "u1")
    x, expected = room[1:].view("f4"), np.arange(10, dtype="f4")
    x[:] = expected
    assert not x.flags.aligned
    for view, of in ((x, expected), (x[::-1], expected[::-1]), (x[1::2], expected[1::2])):
        assert lw.scan(view).tolist() == np.cumsum(of).tolist()
    out = np.zeros((2, 5), "f4")
    kernels.strided[1, 32](out, x.reshape(2, 5))
    assert out.tolist() == (2 * expected).reshape(2, 5).tolist()
    with pytest.raises(lw.ArgumentError, match="aligned"):
        kernels.scale[1, 32](10, x, 2)
    with pytest.raises(lw.ArgumentError, match="aligned"):
        lw.scan(expected, out=x)
    over = lw.scan(x, out=room[:40].view("f4"))
    assert over.tolist() == np.cumsum(expected).tolist()


def test_a_copied_input_overlaps_nothing() -> None:
    pairs = np.zeros(4, [("a", "f4"), ("b", "u1")])
    pairs["a"] = [1, 2, 3, 4]
    out = lw.scan(pairs["a"], out=pairs.view("u1")[:16].view("f4"))
    assert out.tolist() == [1, 3, 6, 10]


@contextlib.contextmanager
def little_memory() -> Iterator[None]:
    """Within it there is no room for a copy of BYTES."""
    gc.collect()
    lw.zeros(1)  # frees what the library is done with
    with open("/proc/self/statm") as f:
        used = int(f.read().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + BYTES // 2, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


CALLS: dict[str, Callable[[Any, Any, lw.Program], Any]] = {
    "sum": lambda x, y, k: lw.sum(x), "rows": lambda x, y, k: lw.sum(x, axis=1),
    "columns": lambda x, y, k: lw.max(x, axis=0), "transposed": lambda x, y, k: lw.sum(x.T, axis=0),
    "strided": lambda x, y, k: lw.mean(x[:, ::2], axis=1),
    "reversed": lambda x, y, k: lw.sum(x[::-1], axis=1),
    "map": lambda x, y, k: lw.map("a + 1", x, out=y),
    "softmax in place": lambda x, y, k: lw.softmax(x, out=x),
    "norm": lambda x, y, k: lw.rms_norm(x, out=y), "scan": lambda x, y, k: lw.scan(x, out=y),
    "permute": lambda x, y, k: lw.transpose(x, (0, 1), out=y),
    "kernel": lambda x, y, k: k.strided[1, 64](y[::-1, ::-1][:2, :3], x.T[:2, :3]),
    "stream": lambda x, y, k: lw.sum(x, axis=1, stream=(s := lw.stream())) is None or s.wait(),
}


@on_cpu
@pytest.mark.parametrize("kind", ["numpy", "array"])
@pytest.mark.parametrize("name", CALLS)
def test_calls_need_no_room_for_a_copy(kernels: lw.Program, kind: str, name: str) -> None:
    def arrays(rows: int) -> list[Any]:
        made = [np.ones((rows, 4096), "f4") for _ in range(2)]
        return made if kind == "numpy" else [lw.asarray(a) for a in made]

    large = arrays(BYTES // 4 // 4096)
    for _ in range(5):  # compiles, and threads get their stacks, which take room, too
        CALLS[name](*large, kernels)
    with little_memory():
        with pytest.raises(MemoryError):  # first: the call may give back what others have left
            lw.asarray(large[0], copy=True)
        CALLS[name](*large, kernels)


ENDS: dict[str, Callable[[Any], Any]] = {
    "array": lambda x: x, "slice": lambda x: x[1:], "turned": lambda x: x.T[::-1],
    "numpy": lambda x: x.numpy()[::2], "buffer": lambda x: memoryview(x),
    "dlpack": lambda x: np.from_dlpack(x), "capsule": lambda x: x.__dlpack__(max_version=(1, 0)),
}


@pytest.mark.parametrize("names", list(itertools.combinations(ENDS, 3)))
def test_the_last_view_frees_the_memory(names: tuple[str, ...]) -> None:
    for order in itertools.permutations(range(3)):
        values = np.arange(12.0)
        gone, x = weakref.ref(values), lw.asarray(values)
        alive: dict[int, Any] = {k: ENDS[name](x) for k, name in enumerate(names)}
        del values, x
        for k in order:
            assert gone() is not None
            del alive[k]
        lw.zeros(1)
        assert gone() is None, (names, order)


def test_a_launch_keeps_its_arrays(kernels: lw.Program) -> None:
    x, s = np.ones(1 << 16, "f4"), lw.stream()
    gone = weakref.ref(x)
    for _ in range(50):
        kernels.scale[1, 32, s](len(x), x, 1)
    kept = lw.sum(lw.asarray(x)[::2], stream=s)
    del x
    s.wait()
    assert kept.item() == 1 << 15
    del s
    lw.zeros(1)
    gc.collect()
    assert gone() is None
