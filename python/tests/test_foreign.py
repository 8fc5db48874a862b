"""Arrays of other libraries: DLPack and CUDA's interface, whatever they say; what results are."""
from __future__ import annotations

import ctypes
import gc
from typing import Any

import numpy as np
import pytest

import lanewise as lw


class Exporter:
    """What has __dlpack__, of a package that has no from_dlpack."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __dlpack__(self, **words: Any) -> Any:
        return self.values.__dlpack__(**words)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.values.__dlpack_device__()


class Old(Exporter):
    """As before DLPack 1.0."""

    def __dlpack__(self, stream: Any = None) -> Any:  # type: ignore[override]
        return self.values.__dlpack__()


@pytest.mark.parametrize("kind", [Exporter, Old])
def test_results_are_numpys_without_from_dlpack(kind: type[Exporter]) -> None:
    values = np.arange(6, dtype="f4").reshape(2, 3)
    total, rows = lw.sum(kind(values)), lw.sum(kind(values), axis=1)
    assert isinstance(total, np.float32) and total == 15
    assert isinstance(rows, np.ndarray) and rows.tolist() == [3, 12]
    values_there, places = lw.top_k(kind(values), 1)
    assert isinstance(places, np.ndarray) and values_there.tolist() == [[2], [5]]
    assert lw.map("a * b", kind(values[0]), 2).tolist() == [0, 2, 4]
    assert lw.matmul(kind(values), values.T).tolist() == [[5, 14], [14, 50]]
    out = np.zeros((2, 3), "f4")
    assert lw.map("a + 1", values, out=kind(out)) is not out and out[1, 2] == 6


def test_a_module_that_is_not_there_has_no_from_dlpack() -> None:
    class Lost(Exporter):
        __module__ = "no_such_package.part"

    assert lw.max(Lost(np.arange(3))) == 2

    @lw.op("foreign::twice", infer=lambda x: x)
    def twice(s: Any, out: Any, x: Any) -> None:
        lw.map("a * 2", x, out=out)

    assert isinstance(twice(Lost(np.ones(2))), np.ndarray)
    with lw.Graph(inputs={"x": lw.TensorType("float64", (2,))}) as g:
        g.output(lw.map("a + 1", g.x))
    assert isinstance(g.compile()(x=Lost(np.ones(2)))["out"], np.ndarray)


def test_results_go_to_from_dlpack_of_the_package() -> None:
    jax = pytest.importorskip("jax")
    x = jax.numpy.arange(3.0)
    assert isinstance(lw.sum(x), jax.Array)
    with pytest.raises(lw.ArgumentError, match="read-only"):
        lw.map("a", np.zeros(3, "f4"), out=x)


def test_pyarrows_arrays_are_read() -> None:
    arrow = pytest.importorskip("pyarrow")
    values = arrow.array([1.0, 2.0])
    assert lw.sum(values) == 3 and isinstance(lw.softmax(values), np.ndarray)
    with pytest.raises(lw.ArgumentError, match="read-only"):
        lw.map("a", np.zeros(2), out=values)
    with pytest.raises(TypeError, match="null"):
        lw.sum(arrow.array([1.0, None]))


# ---- capsules whose fields are unusual, or wrong ----

class Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", Tensor)]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Capsule:
    """Four floats 1 2 3 4, described by whatever fields are given."""

    def __init__(self, version: tuple[int, int] | None = None, flags: int = 0,
                 **fields: Any) -> None:
        self.memory = (ctypes.c_float * 4)(1, 2, 3, 4)
        self.kept: list[Any] = []
        self.fields = {"data": ctypes.addressof(self.memory), "device_type": 1, "ndim": 1,
                       "code": 2, "bits": 32, "lanes": 1, "shape": (4,), "strides": (1,), **fields}
        self.version, self.flags = version, flags

    def _keep(self, value: Any) -> Any:
        self.kept.append(value)
        return value

    def __dlpack__(self, **words: Any) -> Any:
        made = self._keep(Managed() if self.version is None else Versioned())
        for name, value in self.fields.items():
            if isinstance(value, tuple):
                value = ctypes.addressof(self._keep((ctypes.c_int64 * len(value))(*value)))
            setattr(made.tensor, name, value)
        if self.version is None:
            return new_capsule(ctypes.addressof(made), b"dltensor", None)
        made.major, made.minor, made.flags = *self.version, self.flags
        return new_capsule(ctypes.addressof(made), b"dltensor_versioned", None)


FAR = 2**62
USUAL: dict[str, tuple[dict[str, Any], float]] = {
    "as it is": ({}, 10),
    "version 1": ({"version": (1, 7)}, 10),
    "no strides": ({"strides": None}, 10),
    "no strides of two axes": ({"strides": None, "ndim": 2, "shape": (2, 2)}, 10),
    "an offset": ({"byte_offset": 8, "shape": (2,)}, 7),
    "backwards": ({"byte_offset": 12, "strides": (-1,)}, 10),
    "one element many times": ({"shape": (100,), "strides": (0,)}, 100),
    "no axis": ({"ndim": 0, "shape": None, "strides": None}, 1),
    "no element": ({"shape": (0,), "data": None}, 0),
    "no element, far apart": ({"shape": (0, 3), "ndim": 2, "strides": (FAR, FAR)}, 0),
    "one element, far apart": ({"shape": (1, 1), "ndim": 2, "strides": (FAR, -FAR)}, 1),
    "pinned": ({"device_type": 3}, 10),
}
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "axes below 0": ({"ndim": -1}, "-1 axes"),
    "nine axes": ({"ndim": 9, "shape": (1,) * 9, "strides": None}, "9 axes; need 0 to 8"),
    "no shape": ({"shape": None}, "no shape"),
    "no memory": ({"data": None}, "no memory"),
    "an extent below 0": ({"shape": (-1,)}, "-1 elements"),
    "too many elements": ({"shape": (FAR, 8), "ndim": 2, "strides": None}, "too many"),
    "too many elements of none": ({"shape": (FAR, 8, 0), "ndim": 3, "strides": None}, "too many"),
    "strides out of the world": ({"strides": (FAR,)}, "strides"),
    "strides out of the world below": ({"strides": (-FAR,)}, "strides"),
    "not aligned": ({"byte_offset": 1, "shape": (3,)}, "align"),
    "vectors": ({"lanes": 4, "shape": (1,)}, "4 lanes"),
    "no lanes": ({"lanes": 0}, "0 lanes"),
    "complex": ({"code": 5, "bits": 64, "shape": (2,)}, "complex64"),
    "4 bits": ({"code": 0, "bits": 4}, "int4"),
    "floats of 8 bits": ({"bits": 8}, "float8"),
    "an unknown code": ({"code": 200}, "code 200"),
    "version 2": ({"version": (2, 0)}, "DLPack 2.0"),
    "another device": ({"device_type": 4}, "device of type 4"),
}


@pytest.mark.parametrize("name", USUAL)
def test_unusual_capsules_are_read(name: str) -> None:
    fields, total = USUAL[name]
    assert lw.sum(Capsule(**fields)) == total
    source = Capsule(**fields)  # its memory is let go by nobody, so it has to stay
    made = lw.asarray(source)
    assert made.numpy().sum() == total and max(map(abs, made.strides), default=0) <= 32
    del made
    lw.zeros(1)


@pytest.mark.parametrize("name", WRONG)
def test_wrong_capsules_are_refused(name: str) -> None:
    fields, text = WRONG[name]
    for call in (lw.sum, lw.asarray, lw.from_dlpack, lambda x: lw.map("a", np.ones(4), out=x)):
        with pytest.raises(lw.Error, match=text):
            call(Capsule(**fields))
    gc.collect()


def test_a_capsule_that_is_read_only() -> None:
    with pytest.raises(lw.ArgumentError, match="read-only"):
        lw.softmax(np.ones(4, "f4"), out=Capsule(version=(1, 0), flags=1))


@pytest.mark.parametrize("where", [(), (1,), (1, 0, 0)])
def test_a_device_is_a_type_and_a_number(where: tuple[int, ...]) -> None:
    class Odd(Exporter):
        def __dlpack_device__(self) -> Any:
            return where

    with pytest.raises(lw.ArgumentError, match="a type and a number"):
        lw.sum(Odd(np.ones(2)))


def test_what_gives_no_capsule() -> None:
    class Odd:
        def __dlpack__(self, **words: Any) -> Any:
            return 7

    for call in (lw.sum, lw.from_dlpack, lw.asarray):
        with pytest.raises(lw.ArgumentError, match="got 7; need a DLPack capsule"):
            call(Odd())
    with pytest.raises(lw.ArgumentError, match="int has no __dlpack__"):
        lw.from_dlpack(3)


# ---- CUDA's interface ----

@pytest.mark.parametrize("fields, text", [
    ({"typestr": None}, "cannot be read"), ({"typestr": "<c8"}, "complex64"),
    ({"typestr": "no"}, "cannot be read"), ({"shape": None}, "cannot be read"),
    ({"shape": ("n",)}, "cannot be read"), ({"data": None}, "cannot be read"),
    ({"data": (None, False)}, "cannot be read"), ({"data": (16,)}, "cannot be read"),
    ({"strides": (4, 4)}, "need as many"), ({"strides": (3,)}, "multiples of its elements' 4"),
    ({"mask": 1}, "mask"),
])
def test_wrong_cuda_interfaces_are_refused(fields: dict[str, Any], text: str) -> None:
    class Odd:
        __cuda_array_interface__ = {"shape": (4,), "typestr": "<f4", "data": (4096, False),
                                    "version": 3, **fields}

    for call in (lw.sum, lw.asarray, lambda x: lw.map("a", np.ones(4), out=x)):
        with pytest.raises(lw.Error, match=text):
            call(Odd())
