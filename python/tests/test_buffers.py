"""What comes in as memory: exporters of the buffer protocol, DLPack and CUDA's interface, whatever
their fields say."""
from __future__ import annotations

import array
import ctypes
import mmap
import re
import sys
from typing import Any

import numpy as np
import pytest

import lanewise as lw

SOURCE = """
#include <lanewise/kernel.h>

KERNEL void add(int n, int x[n], const int *y)
{
    int i = global_idx.x;
    if (i < n)
        x[i] += y[i];
}

struct point { float x; int n; };

KERNEL void shift(struct point *p, struct point by)
{
    p[global_idx.x].x += by.x;
    p[global_idx.x].n += by.n;
}

KERNEL void twice(TENSOR(float, 2) x)
{
    for (int i = 0; i < x.extent[0]; i++)
        for (int j = 0; j < x.extent[1]; j++)
            at(x, i, j) *= 2;
}
"""


@pytest.fixture(scope="module")
def prog() -> lw.Program:
    return lw.compile(SOURCE)


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_float), ("n", ctypes.c_int)]


# ---- exporters that others have ----

@pytest.mark.parametrize("ctype", [
    ctypes.c_int8, ctypes.c_short, ctypes.c_int, ctypes.c_long, ctypes.c_longlong, ctypes.c_uint8,
    ctypes.c_ushort, ctypes.c_uint, ctypes.c_ulong, ctypes.c_bool, ctypes.c_float,
    ctypes.c_double])
def test_ctypes_arrays_are_arrays(ctype: Any) -> None:
    values = (ctype * 4)(1, 0, 1, 1)
    expected = np.asarray(values)
    assert lw.sum(values) == 3 and lw.asarray(values).dtype == expected.dtype
    assert lw.softmax(np.ones(4, "f4"), out=(ctypes.c_float * 4)())[3] == 0.25
    assert lw.sum((ctype * 0)()) == 0


def test_ctypes_arrays_are_used_in_place(prog: lw.Program) -> None:
    x, y = (ctypes.c_int * 4)(1, 2, 3, 4), (ctypes.c_int * 4)(10, 20, 30, 40)
    prog.add[1, 32](4, x, y)
    assert list(x) == [11, 22, 33, 44]
    out = (ctypes.c_double * 3)()
    assert lw.map("a + 0.5", np.arange(3.0), out=out) is out and list(out) == [0.5, 1.5, 2.5]
    table = ((ctypes.c_float * 3) * 2)((1, 2, 3), (4, 5, 6))
    assert lw.sum(table, axis=0).tolist() == [5, 7, 9]
    prog.twice[1, 1](table)
    assert [list(row) for row in table] == [[2, 4, 6], [8, 10, 12]]
    lw.asarray(table)[1, 2] = 7
    assert table[1][2] == 7 and lw.sum(ctypes.c_float(2.5)) == 2.5


def test_ctypes_structs_are_structs(prog: lw.Program) -> None:
    points = (Point * 2)((1, 2), (3, 4))
    prog.shift[1, 2](points, Point(0.5, 1))
    assert [(p.x, p.n) for p in points] == [(1.5, 3), (3.5, 5)]
    one = Point(1, 2)
    prog.shift[1, 1](one, np.array((1, 1), [("x", "f4"), ("n", "i4")])[()])
    assert (one.x, one.n) == (2, 3)
    with pytest.raises(lw.DtypeError, match="structs"):
        lw.sum(points)


class Packed(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = [("x", ctypes.c_float), ("n", ctypes.c_int)]


class Either(ctypes.Union):
    _fields_ = [("x", ctypes.c_float), ("n", ctypes.c_int)]


def test_ctypes_unions_and_packed_structs_are_no_numbers(prog: lw.Program) -> None:
    packed = (Packed * 1)((1, 2))
    prog.shift[1, 1](packed, Packed(1, 1))
    assert (packed[0].x, packed[0].n) == (2, 3)
    for made in (packed, (Either * 2)()):
        with pytest.raises(lw.DtypeError, match="structs"):
            lw.sum(made)


def test_what_is_closed_is_told() -> None:
    view, pages = memoryview(b"ab"), mmap.mmap(-1, 4096)
    view.release()
    pages.close()
    for call in (lw.sum, lw.asarray, lambda x: lw.map("a", np.zeros(2), out=x)):
        with pytest.raises(lw.ArgumentError, match="memoryview.*released"):
            call(view)
        with pytest.raises(lw.ArgumentError, match="mmap.*closed"):
            call(pages)


def test_pythons_own_exporters() -> None:
    assert lw.sum(array.array("i", [1, 2, 3])) == 6 and lw.sum(array.array("d")) == 0
    assert lw.sum(b"\x01\x02") == 3 and lw.sum(b"") == 0 and lw.sum(bytearray(b"\x07")) == 7
    with mmap.mmap(-1, 4096) as pages:
        pages[:2] = b"\x01\x02"
        assert lw.sum(pages) == 3
    values = memoryview(bytearray(24))
    assert lw.sum(values.cast("f", (2, 3)), axis=1).tolist() == [0, 0]
    assert lw.asarray(values.cast("d")).shape == (3,)
    table = memoryview(np.arange(6, dtype="i4").reshape(2, 3))
    assert lw.sum(table[1:], axis=0).tolist() == [3, 4, 5]
    assert lw.sum(memoryview(np.arange(6, dtype="i4"))[::-2]) == 9


# ---- exporters whose fields are unusual, or wrong ----

class Buffer(ctypes.Structure):
    """Py_buffer."""

    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int),
                ("ndim", ctypes.c_int), ("format", ctypes.c_char_p),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p)]


class Slot(ctypes.Structure):
    _fields_ = [("number", ctypes.c_int), ("function", ctypes.c_void_p)]


class Spec(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("basicsize", ctypes.c_int),
                ("itemsize", ctypes.c_int), ("flags", ctypes.c_uint),
                ("slots", ctypes.POINTER(Slot))]


BF_GETBUFFER, BASETYPE = 1, 1 << 10
released: list[int] = []


@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Buffer), ctypes.c_int)
def get_buffer(exporter: Any, view: Any, flags: int) -> int:
    for name, value in exporter.fields.items():
        if isinstance(value, tuple):
            value = ctypes.addressof(exporter.keep((ctypes.c_ssize_t * len(value))(*value)))
        setattr(view.contents, name, value)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(exporter))
    ctypes.c_void_p.from_address(ctypes.addressof(view.contents) + 8).value = id(exporter)
    return 0


# The protocol's slot itself: Python's own __buffer__ (3.12) lets nothing unusual through.
slots = (Slot * 2)(Slot(BF_GETBUFFER, ctypes.cast(get_buffer, ctypes.c_void_p).value), Slot(0, 0))
spec = Spec(b"tests.Base", 0, 0, BASETYPE, slots)
ctypes.pythonapi.PyType_FromSpec.restype = ctypes.py_object
Base: Any = ctypes.pythonapi.PyType_FromSpec(ctypes.byref(spec))


class Exporter(Base):
    """Four floats 1 2 3 4, described by whatever fields are given."""

    def __init__(self, **fields: Any) -> None:
        self.memory = (ctypes.c_float * 4)(1, 2, 3, 4)
        self.kept: list[Any] = []
        self.fields = {"buf": ctypes.addressof(self.memory), "len": 16, "itemsize": 4,
                       "readonly": 0, "ndim": 1, "format": b"f", "shape": (4,), "strides": (4,),
                       "suboffsets": None, "internal": None, **fields}

    def keep(self, value: Any) -> Any:
        self.kept.append(value)
        return value


FOUR = 2**62
USUAL: dict[str, tuple[dict[str, Any], float]] = {
    "as it is": ({}, 10),
    "no strides": ({"strides": None}, 10),
    "no strides of two axes": ({"strides": None, "ndim": 2, "shape": (2, 2)}, 10),
    "no format is bytes": ({"format": None, "itemsize": 1, "shape": (16,), "strides": (1,)}, 575),
    "backwards": ({"strides": (-4,), "shape": (1,), "len": 4}, 1),
    "one element many times": ({"strides": (0,), "shape": (100,), "len": 400}, 100),
    "bytes apart": ({"strides": (1,), "shape": (1,), "len": 4}, 1),
    "no memory of no element": ({"buf": None, "len": 0, "shape": (0,)}, 0),
    "no element, endless strides": ({"len": 0, "shape": (0, 8), "strides": (FOUR, FOUR),
                                     "ndim": 2}, 0),
    "one element, endless strides": ({"len": 4, "shape": (1, 1), "strides": (FOUR, -FOUR),
                                      "ndim": 2}, 1),
    "no axis": ({"ndim": 0, "len": 4, "shape": None, "strides": None}, 1),
    "little-endian": ({"format": b"<f"}, 10),
}
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "elements of no bytes": ({"itemsize": 0, "len": 0}, "f"),
    "elements of no bytes, some": ({"itemsize": 0}, "f"),
    "elements below": ({"itemsize": -4, "len": -16}, "f"),
    "structs of no bytes": ({"itemsize": 0, "len": 0, "format": b"T{}"}, "0 bytes"),
    "no shape": ({"shape": None}, "no shape"),
    "no shape nor strides": ({"shape": None, "strides": None}, "no shape"),
    "an extent below 0": ({"shape": (-4,)}, "-4"),
    "more than the memory": ({"shape": (8,)}, "32"),
    "less than the memory": ({"shape": (2,)}, "8"),
    "no element of too many": ({"len": 0, "shape": (FOUR, 4, 0), "ndim": 3, "strides": (0, 0, 0)},
                               "too many|too big"),
    "too many elements": ({"shape": (FOUR, 4), "ndim": 2, "strides": (0, 0)}, "too many"),
    "a length below 0": ({"len": -16}, "-16"),
    "axes below 0": ({"ndim": -1}, "-1 axes"),
    "65 axes": ({"ndim": 65, "shape": (1,) * 65, "strides": (4,) * 65}, "65 axes"),
    "no memory": ({"buf": None}, "no memory"),
    "strides out of the world": ({"strides": (FOUR,)}, "strides"),
    "strides out of the world below": ({"strides": (-FOUR,)}, "strides"),
    "strides that overflow together": (
        {"strides": (FOUR, FOUR), "shape": (2, 2), "ndim": 2}, "strides"),
    "indirect": ({"suboffsets": (0,)}, "suboffsets"),
    "suboffsets that say nothing": ({"suboffsets": (-1,)}, "suboffsets"),
    "suboffsets of no axis": ({"suboffsets": (), "strides": (), "shape": (), "ndim": 0, "len": 4},
                              "suboffsets"),
    "another size than the format's": ({"format": b"d"}, "d"),
    "an unknown format": ({"format": b"y"}, "y"),
    "an empty format": ({"format": b""}, "''"),
    "a pointer": ({"format": b"&f"}, "&f"),
}


@pytest.mark.parametrize("name", USUAL)
def test_unusual_buffers_are_read(name: str) -> None:
    fields, total = USUAL[name]
    assert lw.sum(Exporter(**fields)) == total
    made = lw.asarray(Exporter(**fields))
    assert made.numpy().sum() == total and max(map(abs, made.strides), default=0) <= 32


@lw.op("buffers::twice", infer=lambda x: x)
def twice(s: Any, out: Any, x: Any) -> None:
    lw.map("a * 2", x, out=out, stream=s)


def assign(x: Any) -> Any:
    made = lw.zeros(4)
    made[:] = x
    return made


def call_model(x: Any) -> Any:
    with lw.Graph(inputs={"x": lw.TensorType("float32", (4,))}) as g:
        g.output(lw.sum(g.x))
    return g.compile()(x=x)["out"]


WAYS_IN: list[Any] = [
    lambda x: lw.sum(x), lambda x: lw.sum(x, axis=(0,)), lambda x: lw.scan(x, axis=None),
    lambda x: lw.map("a", x), lambda x: lw.map("a + b", 1, x), lambda x: lw.matmul(x, x),
    lambda x: lw.softmax(np.ones(4, "f4"), out=x), lambda x: lw.asarray(x), lambda x: assign(x),
    lambda x: lw.arange(4) == x, lambda x: lw.full(4, x), lambda x: twice(x),
    lambda x: lw.testing.opcheck(twice, x), lambda x: call_model(x),
    lambda x: lw.dist.sum(lw.dist.devices(["cpu"])[0], x, part=(4, 0)),
]


@pytest.mark.parametrize("way", range(len(WAYS_IN)))
def test_each_way_in_takes_a_buffer(way: int) -> None:
    WAYS_IN[way](Exporter())
    WAYS_IN[way](Exporter(strides=None))
    WAYS_IN[way]((ctypes.c_float * 4)(1, 2, 3, 4))


def test_indices_and_masks_are_buffers() -> None:
    x = np.arange(5.0)
    assert lw.take(x, (ctypes.c_int * 2)(4, 1)).tolist() == [4, 1]
    assert lw.compact(x[:2], (ctypes.c_bool * 2)(False, True)).tolist() == [1]


@pytest.mark.parametrize("name", WRONG)
def test_wrong_buffers_are_refused(prog: lw.Program, name: str) -> None:
    fields, text = WRONG[name]
    for call in (*WAYS_IN, lambda x: prog.twice[1, 1](x), lambda x: prog.add[1, 1](1, x, x),
                 lambda x: prog.shift[1, 1](x, Point())):
        with pytest.raises((lw.ArgumentError, lw.DtypeError), match=text):
            call(Exporter(**fields))


@pytest.mark.skipif(sys.version_info < (3, 12), reason="needs __buffer__")
@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt, RuntimeError])
def test_what_an_exporter_raises_is_told(error: type[BaseException]) -> None:
    class Failing:
        def __buffer__(self, flags: int) -> memoryview:
            raise error("of the exporter")

    with pytest.raises(error, match="of the exporter"):
        lw.sum(Failing())


def test_a_struct_is_read_from_a_right_buffer(prog: lw.Program) -> None:
    points = (Point * 1)((1, 2))
    for fields in ({"len": -8}, {"buf": None}, {"len": 0}):
        with pytest.raises(lw.ArgumentError, match="parameter 'by'|by"):
            prog.shift[1, 1](points, Exporter(**fields))


# ---- what is written has to be memory ----

LOCKED = np.ones(1, "i4")
LOCKED.flags.writeable = False


@pytest.mark.parametrize("made", [
    np.int32(1), LOCKED, memoryview(b"1234").cast("i"), np.broadcast_to(np.int32(1), (1,)),
], ids=["scalar", "locked", "bytes", "broadcast"])
def test_what_is_read_only_is_read(prog: lw.Program, made: Any) -> None:
    x = np.zeros(1, "i4")
    prog.add[1, 1](1, x, made)
    assert x[0] == np.asarray(made).reshape(-1)[0]
    with pytest.raises(lw.ArgumentError, match="parameter 'x' .*read-only|x.*strides"):
        prog.add[1, 1](1, made, x)
    with pytest.raises(lw.ArgumentError, match="read-only"):
        lw.map("a", np.zeros(1, "i4"), out=made)


LONGS = """
#include <lanewise/kernel.h>
KERNEL void add(long *x, const long *y) { x[0] += y[0]; }
KERNEL void set(TENSOR(long, 1) x) { at(x, 0) = 1; }
"""


class Inner:
    """What has __array__: of the very memory, or new each time."""

    def __init__(self, values: np.ndarray, copies: bool) -> None:
        self.values, self.copies = values, copies

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.values.copy() if self.copies else self.values


class Interface:
    def __init__(self, values: np.ndarray) -> None:
        self.values, self.__array_interface__ = values, values.__array_interface__


@pytest.mark.parametrize("made", [
    [1, 2], (1,), range(1, 2), [[1]], [np.int64(1)], Inner(np.array([1]), True),
], ids=["list", "tuple", "range", "lists", "scalars", "copies"])
def test_a_copy_is_for_const_pointers(made: Any) -> None:
    prog, x = lw.compile(LONGS), np.zeros(1, "i8")
    prog.add[1, 1](x, made)
    assert x[0] == 1
    text = "parameter 'x' .*copied.* would be lost"
    with pytest.raises(lw.ArgumentError, match=text):
        prog.add[1, 1](made, x)
    with pytest.raises(lw.ArgumentError, match=text):
        prog.set[1, 1](made)
    with pytest.raises(lw.ArgumentError, match="need an array"):
        lw.map("a", x, out=made)
    with lw.Graph(inputs={"x": lw.TensorType("i64", (1,))}) as g:
        with pytest.raises(lw.ArgumentError, match=text):
            prog.add[1, 1, g.stream](made, g.x)


def test_what_has_the_memory_of_an_array_is_written() -> None:
    prog, values = lw.compile(LONGS), np.zeros(2, "i8")
    for made in (Inner(values, False), Interface(values)):
        prog.add[1, 1](made, [1])
        assert lw.map("a + 1", values, out=made) is made
        assert np.shares_memory(lw.asarray(made, copy=False).numpy(), values)
    with pytest.raises(lw.ArgumentError, match="copy=False"):
        lw.asarray(Inner(values, True), copy=False)
    assert values.tolist() == [4, 2]


@pytest.mark.parametrize("out", [3.0, "text", (np.zeros(2) for _ in range(1)), np.float64(1), {}],
                         ids=lambda out: type(out).__name__)
def test_out_is_an_array(out: Any) -> None:
    with pytest.raises((lw.ArgumentError, lw.DtypeError), match="need|read-only"):
        lw.map("a", np.zeros(()), out=out)


def test_what_is_not_aligned_is_read_only() -> None:
    prog, x = lw.compile(LONGS), np.zeros(1, "i8")
    odd = np.zeros(9, "u1")[1:].view("i8")
    odd[0] = 3
    prog.add[1, 1](x, odd)
    assert x[0] == 3 and lw.sum(odd) == 3
    with pytest.raises(lw.ArgumentError, match="align"):
        prog.add[1, 1](odd, x)
    with pytest.raises(lw.ArgumentError, match="align"):
        lw.map("a", x, out=odd)


# ---- refused by their own names ----

DTYPES = ["complex64", "complex128", ">f4", ">i8", "datetime64[ns]", "timedelta64[s]", "<U3", "|S3",
          "object"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_are_refused_by_their_names(prog: lw.Program, dtype: str) -> None:
    values = np.zeros(2, dtype)
    text = f"dtype (is )?{re.escape(dtype)}[; ].*need "
    for call in (lambda: lw.sum(values), lambda: lw.softmax(values, axis=0),
                 lambda: lw.map("a", np.zeros(2), out=values), lambda: lw.asarray(values),
                 lambda: lw.zeros(2, np.dtype(dtype)), lambda: lw.sum(values[0:1].reshape(())),
                 lambda: lw.TensorType(np.dtype(dtype), (2,))):
        with pytest.raises(lw.DtypeError, match=text):
            call()
    for run in (lambda: prog.twice[1, 1](values), lambda: prog.add[1, 1](1, values, values),
                lambda: prog.shift[1, 1](values, Point())):
        with pytest.raises(lw.DtypeError, match=f"parameter '[xp]' .*{text}"):
            run()


def test_structs_are_no_numbers() -> None:
    values = np.zeros(2, [("x", "f4"), ("n", "i4")])
    for call in (lambda: lw.sum(values), lambda: lw.sum(values, axis=0),
                 lambda: lw.map("a", np.zeros(2), out=values)):
        with pytest.raises(lw.DtypeError, match="structs"):
            call()
    with pytest.raises(lw.DtypeError, match=r"\[\('x', '<f4'\), \('n', '<i4'\)\]"):
        lw.asarray(values)


@pytest.mark.parametrize("made", [None, object(), {"a": 1}, iter([1.0]), [None], np.ndarray],
                         ids=lambda x: type(x).__name__)
def test_what_is_no_array_is_named(prog: lw.Program, made: Any) -> None:
    name = f"{type(made).__name__} is no array of numbers"
    for call in (lambda: lw.sum(made), lambda: lw.asarray(made), lambda: prog.twice[1, 1](made),
                 lambda: lw.custom("sum", made)):
        with pytest.raises(lw.DtypeError, match=name):
            call()


FIVE = np.zeros((1, 1, 1, 1, 2), "f4")
TABLE = np.zeros((2, 2), "f4")


@pytest.mark.parametrize("call, text", [
    (lambda: lw.layer_norm(TABLE, weight=FIVE), "5 axes; need 0 to 4"),
    (lambda: lw.attention(FIVE, TABLE, TABLE), "5 axes; need 0 to 4"),
    (lambda: lw.compact(FIVE, FIVE), "5 axes; need 0 to 4"),
    (lambda: lw.matmul(TABLE, TABLE, bias=FIVE), "5 axes; need 0 to 4"),
    (lambda: lw.map("a", TABLE, out=FIVE), r"out has shape \(1, 1, 1, 1, 2\); need \(2, 2\)"),
    (lambda: lw.sum(TABLE, out=FIVE), r"out has shape \(1, 1, 1, 1, 2\); need \(\)"),
    (lambda: lw.asarray(np.zeros((1,) * 9)), "9 axes; need 0 to 8"),
    (lambda: lw.from_dlpack(np.zeros((1,) * 9)), "9 axes; need 0 to 8"),
])
def test_axes_that_are_too_many_are_counted(call: Any, text: str) -> None:
    with pytest.raises(lw.ArgumentError, match=text):
        call()


def test_a_pointer_takes_any_number_of_axes(prog: lw.Program) -> None:
    x = np.zeros((1, 1, 1, 1, 2), "i4")
    prog.add[1, 32](2, x, np.ones((1, 2, 1, 1, 1, 1), "i4"))
    assert x.tolist() == [[[[[1, 1]]]]]
    with pytest.raises(lw.ArgumentError, match="parameter 'x' .*5 axes; need 2"):
        prog.twice[1, 1](FIVE)
