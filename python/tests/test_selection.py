"""Elements selected by index and by mask, counted, and sorted, against NumPy."""
from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import lanewise as lw

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "f2", "f4", "f8"]
SIZES = [1, 2, 3, 31, 33, 255, 1000, 5000]


@st.composite
def arrays(draw: Any, rank: int | None = None) -> np.ndarray:
    shape = draw(st.lists(st.integers(1, 4), min_size=rank or 1, max_size=rank or 3))
    shape[draw(st.integers(0, len(shape) - 1))] = draw(st.sampled_from(SIZES))
    values = np.random.default_rng(draw(st.integers(0, 99))).integers(0, 100, shape)
    x = values.astype(draw(st.sampled_from(DTYPES)))
    kind = draw(st.sampled_from(["plain", "reversed", "transposed", "strided", "broadcast"]))
    if kind == "reversed":
        return x[::-1]
    if kind == "transposed":
        return x.T
    if kind == "strided":
        return np.repeat(x, 2, axis=-1)[..., ::2]
    return np.broadcast_to(x[..., :1], x.shape) if kind == "broadcast" else x


@given(x=arrays(), data=st.data())
def test_take(x: np.ndarray, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    shape = data.draw(st.lists(st.sampled_from([0, 1, 3, 70]), max_size=5 - x.ndim))
    n, dtype = x.shape[axis], data.draw(st.sampled_from(["i8", "i4", "i2", "u4", "u8"]))
    low = 0 if dtype[0] == "u" else -n
    indices = np.random.default_rng(1).integers(low, n, shape).astype(dtype)
    expected = np.take(x, indices.astype("i8"), axis=axis)
    got = lw.take(x, indices, axis=axis)
    np.testing.assert_array_equal(got, expected)
    assert got.dtype == x.dtype
    out = np.zeros((*expected.shape, 2), x.dtype)[..., 1]
    assert lw.take(x, indices, axis=axis, out=out) is out
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("index, dtype", [(3, "i8"), (-4, "i4"), (200, "u1"), (2**63, "u8"),
                                          (2**40, "i8"), (-2**63, "i8")])
def test_an_index_out_of_range_fails(index: int, dtype: str) -> None:
    text = f"take: index 1 is {index}, the axis has extent 3; need -3 to 2$"
    for error in (lw.IndexError, IndexError, lw.ArgumentError):
        with pytest.raises(error, match=text):
            lw.take(np.arange(3.0), np.array([0, index], dtype))
    s = lw.stream()
    lw.take(np.arange(3.0), np.array([0, index], dtype), stream=s)
    with pytest.raises(lw.LaunchError, match=f"index 1 is {index}, the axis has extent 3") as told:
        s.wait()
    assert "/" not in str(told.value)  # the kernel's file is ours, and in no folder of the reader
    with pytest.raises(lw.LaunchError):  # of the stream, and no index of this call
        lw.take(np.arange(3.0), [0], stream=s)


def test_take_of_nothing() -> None:
    assert lw.take(np.zeros((0, 3)), np.zeros(0, "i8")).shape == (0, 3)
    assert lw.take(np.zeros((2, 0)), [1, 1, 0]).shape == (3, 0)
    with pytest.raises(lw.IndexError, match="index 0 is 0, the axis has extent 0; need none"):
        lw.take(np.zeros(0), [0])


@given(x=arrays(rank=1), mask_dtype=st.sampled_from(DTYPES),
       density=st.sampled_from([0, 1, 5, 9, 10]))
def test_compact(x: np.ndarray, mask_dtype: str, density: int) -> None:
    mask = (np.random.default_rng(density).integers(0, 10, x.shape) < density).astype(mask_dtype)
    for m in (mask, np.repeat(mask, 3)[::3]):
        got = lw.compact(x, m)
        np.testing.assert_array_equal(got, x[m != 0])
        assert got.dtype == x.dtype


@pytest.mark.on_cpu
@pytest.mark.parametrize("dtype, mask_dtype",
                         [("u1", "?"), ("i2", "u4"), ("f4", "?"), ("f8", "f8")])
def test_compact_of_parts(dtype: str, mask_dtype: str) -> None:
    random = np.random.default_rng(1)
    for n, density, step in itertools.product((1023, 16384, 16385, 300001), (0, 0.01, 0.5, 1),
                                              (1, 3, -1)):
        x = random.integers(0, 250, 3 * n).astype(dtype)[::step][:n]
        mask = (random.random(n) < density).astype(mask_dtype)
        kept = x[mask != 0]
        np.testing.assert_array_equal(lw.compact(x, mask), kept)
        padded, count = lw.custom("compact", x, mask)
        assert count == len(kept)
        np.testing.assert_array_equal(padded, np.append(kept, np.zeros(n - len(kept), dtype)))
        padded, count = lw.custom("compact", x, mask, parameters={"zeros": False})
        np.testing.assert_array_equal(padded[:count], kept)


def test_masks_of_floats() -> None:
    mask = np.array([0.0, -0.0, np.nan, 5e-324, -1.0, np.inf])
    assert lw.compact(np.arange(6), mask).tolist() == [2, 3, 4, 5]


@given(x=arrays(), bins=st.sampled_from([1, 2, 7, 10, 100, 5000]),
       limits=st.sampled_from([None, (0, 50), (-3.5, 20.25), (200, 300), (5, 5.5)]))
def test_histogram(x: np.ndarray, bins: int, limits: tuple[float, float] | None) -> None:
    words = {} if limits is None else {"low": limits[0], "high": limits[1]}
    expected = np.histogram(x.astype("f8"), bins, limits)[0]
    np.testing.assert_array_equal(lw.histogram(x, bins, **words), expected)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "i4", "u8"])
@pytest.mark.parametrize("low, high", [(-1, 1), (0, 1e-3), (1e6, 1e6 + 3), (-7.3, 1e5), (0.1, 0.3),
                                       (0, 1e-310), (-1e300, 1e300), (3, 9e7), (1, 1 + 1e-12)])
@pytest.mark.parametrize("bins", [1, 3, 100, 1700, 4096, 4097])
def test_histogram_at_its_edges(dtype: str, low: float, high: float, bins: int) -> None:
    edges = np.append(low + np.arange(bins) * ((high - low) / bins), high)
    some = np.random.default_rng(1).uniform(low - (high - low) / 9, high, 999)
    with np.errstate(all="ignore"):
        x = np.concatenate([edges, some, [np.nan, np.inf, -np.inf, 0.0, -0.0]])
        x = np.nan_to_num(x.astype(dtype)) if dtype[0] in "iu" else x.astype(dtype)
    if dtype[0] == "f":
        x = np.concatenate([x, np.nextafter(x, x.dtype.type(np.inf)),
                            np.nextafter(x, x.dtype.type(-np.inf))])
    wide = x.astype("f8")
    wide = wide[(wide >= low) & (wide <= high)]
    expected = np.bincount(np.searchsorted(edges[1:-1], wide, side="right"), minlength=bins)
    np.testing.assert_array_equal(lw.histogram(x, bins, low=low, high=high), expected)


def test_histogram_of_odd_data() -> None:
    assert lw.histogram(np.zeros(0), 2).tolist() == [0, 0]
    assert lw.histogram(np.full(3, 7.0), 2).tolist() == np.histogram(np.full(3, 7.0), 2)[0].tolist()
    odd = np.array([np.nan, np.inf, -np.inf, 1, 2, 3])
    assert lw.histogram(odd, 2, low=1, high=3).tolist() == [1, 2]
    for bad in (odd, odd[1:], odd[:1]):
        with pytest.raises(lw.ArgumentError, match="^histogram: the range of the data is not fin"):
            lw.histogram(bad, 2)
    for low, high in ((2, 1), (0, np.nan), (-np.inf, 0), (-1e308, 1e308)):
        with pytest.raises(lw.ArgumentError, match="need finite ones"):
            lw.histogram(odd, 2, low=low, high=high)
    with pytest.raises(lw.ArgumentError, match="need both or neither"):
        lw.histogram(odd, 2, low=1)


@st.composite
def unsorted(draw: Any) -> tuple[np.ndarray, int]:
    """Few values or many, with NaNs, infinities and zeros of both signs where there are any."""
    shape = draw(st.lists(st.integers(1, 4), max_size=3))
    axis = draw(st.integers(0, len(shape)))
    shape.insert(axis, draw(st.sampled_from([0, 1, 2, 47, 48, 49, 255, 1000, 70000])))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    if draw(st.booleans()):
        x = rng.integers(-3, 4, shape).astype(dtype)
    else:
        x = np.frombuffer(rng.bytes(int(np.prod(shape)) * dtype.itemsize), dtype).reshape(shape)
        x = x.view("u1") % 2 == 0 if dtype.kind == "b" else x
    if dtype.kind == "f":
        x = np.where(rng.random(shape) < 0.1, rng.choice([np.nan, np.inf, -np.inf, 0, -0.0], shape),
                     x).astype(dtype)
    turned = draw(st.sampled_from(["plain", "transposed", "strided"]))
    if turned == "transposed":
        x = x.T.copy().T
    return (np.repeat(x, 2, axis=-1)[..., ::2] if turned == "strided" else x), axis


def same_bits(got: np.ndarray, expected: np.ndarray) -> None:
    """Every NaN is the same."""
    assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
    if got.dtype.kind == "f":
        assert (np.isnan(got) == np.isnan(expected)).all()
        got, expected = np.nan_to_num(got, nan=0.0), np.nan_to_num(expected, nan=0.0)
    assert np.ascontiguousarray(got).tobytes() == np.ascontiguousarray(expected).tobytes()


def falling(x: np.ndarray, axis: int) -> np.ndarray:
    """Indices that sort in falling order, stable, NaNs last."""
    rows = np.moveaxis(x, axis, -1)
    ranks = np.unique(rows, return_inverse=True)[1].reshape(rows.shape)
    ranks = np.where(rows != rows, 1, -ranks)
    return np.moveaxis(np.argsort(ranks, axis=-1, kind="stable"), -1, axis)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@given(xs=unsorted(), descending=st.booleans())
def test_sorts(xs: tuple[np.ndarray, int], descending: bool) -> None:
    x, axis = xs
    order = falling(x, axis) if descending else np.argsort(x, axis=axis, kind="stable")
    np.testing.assert_array_equal(lw.argsort(x, axis=axis, descending=descending), order)
    same_bits(lw.sort(x, axis=axis - x.ndim, descending=descending),
              np.take_along_axis(x, order, axis))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@given(xs=unsorted(), k=st.sampled_from([0, 1, 2, 5, 60]), smallest=st.booleans())
def test_top_k(xs: tuple[np.ndarray, int], k: int, smallest: bool) -> None:
    x, axis = xs
    k = min(k, x.shape[axis])
    if smallest:
        order = np.argsort(x, axis=axis, kind="stable")
    else:  # a NaN is larger than all others
        ranks = np.unique(np.where(x != x, 0, x), return_inverse=True)[1].reshape(x.shape)
        order = np.argsort(np.where(x != x, -x.size - 1, -ranks), axis=axis, kind="stable")
    order = order.take(range(k), axis)
    values, indices = lw.top_k(x, k, axis=axis, smallest=smallest)
    np.testing.assert_array_equal(indices, order)
    same_bits(values, np.take_along_axis(x, order, axis))


RNG = np.random.default_rng(5)
LONG = 300_001  # elements of a row that is selected from by parts, more than once


@pytest.mark.on_cpu
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("x", [
    np.ones((1, 1), "f4"), np.full((2, 1023), 7, "i4"), np.full((1, LONG), -0.5, "f4"),
    np.arange(1023)[None] % 33 == 5, np.arange(LONG, dtype="u8")[None],
    -np.arange(LONG, dtype="i8")[None], RNG.integers(0, 3, (1, LONG)).astype("u1"),
    RNG.choice([0.0, -0.0], (3, 1023)), RNG.choice([np.nan, -np.inf, 1], (3, 70_001)),
    RNG.random((1, LONG), "f4"), RNG.standard_normal((65, 1025)).astype("f2"),
    RNG.choice(np.array([np.nan, -np.nan]), (1, LONG)),
    np.frombuffer(RNG.bytes(8 * LONG), "f8")[None]])
@pytest.mark.parametrize("smallest", [False, True])
def test_top_k_is_the_beginning_of_a_sort(x: np.ndarray, smallest: bool) -> None:
    n = x.shape[1]
    if smallest:
        order = np.argsort(x, axis=1, kind="stable")
    else:
        ranks = np.unique(x, return_inverse=True)[1].reshape(x.shape)
        order = np.argsort(np.where(x != x, -x.size, -ranks), axis=1, kind="stable")
    counts = sorted({0, 1, min(n, 31), min(n, 50), n // 256, n // 64, n // 5, n // 4, n})
    for k in counts:
        values, indices = lw.top_k(x, k, smallest=smallest)
        np.testing.assert_array_equal(indices, order[:, :k])
        same_bits(values, np.take_along_axis(x, order[:, :k], 1))


def test_in_a_graph() -> None:
    x, mask = np.arange(300, dtype="f4"), np.arange(300) % 3 == 1
    types = {"x": lw.TensorType("f32", (300,)), "mask": lw.TensorType("bool", (300,)),
             "at": lw.TensorType("i64", (2,))}
    with lw.Graph(inputs=types) as g:
        kept, count = lw.compact(g.x, g.mask)
        g.output(kept=kept, count=count, some=lw.take(kept, g.at))
    model = g.compile()
    for turn in (mask, ~mask, mask & False):
        got = model(x=x, mask=turn, at=np.array([1, -1]))
        n = int(turn.sum())
        assert int(got["count"]) == n
        padded = np.concatenate([x[turn], np.zeros(300 - n, "f4")])
        np.testing.assert_array_equal(got["kept"], padded)
        np.testing.assert_array_equal(got["some"], got["kept"][[1, -1]])
    with pytest.raises(lw.LaunchError, match="take"):
        model(x=x, mask=mask, at=np.array([0, 300]))


@pytest.mark.parametrize("call, text", [
    (lambda x: lw.take(x, [0], axis=2), "take: x has no axis 2; its rank is 1"),
    (lambda x: lw.take(np.float64(1), [0]), "take: x has no axis 0; its rank is 0"),
    (lambda x: lw.take(lw.zeros((1,) * 8), [[0]]), "9 axes; need 0 to 8"),
    (lambda x: lw.compact(x, x[:2]), r"x has shape \(3,\) and mask has \(2,\)"),
    (lambda x: lw.compact(np.eye(2), np.eye(2)), r"x has shape \(2, 2\); need rank 1"),
])
def test_wrong_shapes(call: Any, text: str) -> None:
    with pytest.raises(lw.ArgumentError, match=text):
        call(np.arange(3.0))


def test_indices_are_integers() -> None:
    for indices in ([0.0], [True]):
        with pytest.raises(lw.DtypeError, match="indices are of .*; need an integer type"):
            lw.take(np.arange(3.0), indices)


@pytest.mark.full  # tests/ops has the checker run all operations
def test_the_checker_finds_nothing() -> None:
    x = np.arange(5000, dtype="f4")
    with lw.check() as report:
        lw.compact(x, x % 3 == 0)
        lw.take(x.reshape(50, 100), [[3, -1], [0, 7]], axis=1)
        lw.argsort(x % 77)
        lw.histogram(x, 30)
        lw.top_k(x.reshape(50, 100) % 7, 3, axis=0)
    assert not report.findings


# ---- inputs that are read-only ----

def locked(x: np.ndarray) -> np.ndarray:
    x.flags.writeable = False
    return x


OPERATIONS: dict[str, Any] = {
    "sort": lambda x: lw.sort(x), "descending": lambda x: lw.sort(x, descending=True),
    "argsort": lambda x: lw.argsort(x), "top_k": lambda x: lw.top_k(x, min(3, len(x))),
    "take": lambda x: lw.take(x, locked(np.arange(min(3, len(x))))),
    "compact": lambda x: lw.compact(x, x > 2),
    "histogram": lambda x: lw.histogram(x, 4, low=0, high=9), "sum": lambda x: lw.sum(x),
    "prod": lambda x: lw.prod(x), "max": lambda x: lw.max(x) if len(x) else 0,
    "argmin": lambda x: lw.argmin(x) if len(x) else 0, "mean": lambda x: lw.mean(x, axis=0),
    "any": lambda x: lw.any(x), "dot": lambda x: lw.dot(x, x),
    "map_reduce": lambda x: lw.map_reduce("a * a", "x + y", x), "map": lambda x: lw.map("a + 1", x),
    "scan": lambda x: lw.scan(x), "difference": lambda x: lw.difference(x, edge="zero"),
    "moving_average": lambda x: lw.moving_average(x, 1), "softmax": lambda x: lw.softmax(x),
    "layer_norm": lambda x: lw.layer_norm(x, weight=x, bias=x) if len(x) else 0,
    "matmul": lambda x: lw.matmul(x.reshape(-1, 1)[:10], x.reshape(1, -1)[:, :10]),
    "transpose": lambda x: lw.transpose(x.reshape(-1, 1)),
    "conv1d": lambda x: lw.conv1d(x, x[:3]) if len(x) else 0,
    "attention": lambda x: lw.attention(*[x.reshape(-1, 1)[:10]] * 3) if len(x) else 0,
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("size", [0, 1, 10, 100000])
def test_inputs_may_be_read_only(name: str, size: int, tmp_path: Any) -> None:
    def run(x: Any) -> Any:
        result = OPERATIONS[name](x)
        return [np.asarray(r) for r in (result if isinstance(result, tuple) else (result,))]

    values = np.random.default_rng(1).integers(0, 9, size).astype("f4")
    expected = run(values.copy())
    (tmp_path / "x").write_bytes(values.tobytes() or b" ")
    ways = [locked(values.copy()), np.broadcast_to(values, values.shape),
            lw.asarray(locked(values))]
    if size:
        ways.append(np.memmap(tmp_path / "x", "f4", "r", shape=values.shape))
    for x in ways:
        for got, wanted in zip(run(x), expected, strict=True):
            np.testing.assert_array_equal(got, wanted)


def test_jaxs_arrays_are_sorted() -> None:
    jax = pytest.importorskip("jax")
    x = jax.numpy.arange(5.0)[::-1]
    assert lw.sort(x).tolist() == [0, 1, 2, 3, 4] and lw.argsort(x).tolist() == [4, 3, 2, 1, 0]


def awkward(kind: str, n: int, dtype: str, random: np.random.Generator) -> np.ndarray:
    """Numbers of which many are alike, or lie in one part of their range; NaNs differ in bits."""
    d = np.dtype(dtype)
    if d.kind == "f":
        x = (random.random(n) * 2 - 1).astype(d)
    else:
        x = random.integers(np.iinfo(d).min, np.iinfo(d).max, n, dtype=d, endpoint=True)
    if kind == "few":
        x = np.floor(x * 3) if d.kind == "f" else x % 7
    elif kind == "half equal":
        x = np.where(random.random(n) < 0.5, x[0], x)
    elif kind == "zeros and NaNs" and d.kind == "f":
        x[random.random(n) < 0.3] = -0.0
        x[random.random(n) < 0.3] = 0.0
        x[random.random(n) < 0.1] = np.nan
        bits = x.view(f"u{d.itemsize}")
        bits[np.isnan(x)] |= random.integers(0, 5, np.isnan(x).sum()).astype(bits.dtype)
    elif kind == "sorted":
        x = np.sort(x)
    return x.astype(d)


@pytest.mark.on_cpu
@pytest.mark.parametrize("kind", ["any", "few", "half equal", "zeros and NaNs", "sorted"])
@pytest.mark.parametrize("dtype", ["u4", "i4", "f4", "f8", "i8", "i2", "u1", "f2"])
def test_long_rows_keep_the_order_of_equals(dtype: str, kind: str) -> None:
    random = np.random.default_rng(11)
    for shape in (1023,), (4, 1025), (65535,), (70001,), (3, 70000), (400003,):
        x = awkward(kind, int(np.prod(shape)), dtype, random).reshape(shape)
        order = np.argsort(x, axis=-1, kind="stable")
        need = np.take_along_axis(x, order, axis=-1)
        assert lw.sort(x).tobytes() == need.tobytes()
        np.testing.assert_array_equal(lw.argsort(x), order)


# ---- searchsorted ----


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "int64", "uint16", "uint64", "f2", "f4",
                                   "f8"])
def test_searchsorted(dtype: str, side: Any) -> None:
    draw = np.random.default_rng(9)
    for n in (0, 1, 2, 31, 1000):
        row = np.sort((draw.standard_normal(n) * 20).astype(dtype))
        v = (draw.standard_normal((3, 40)) * 25).astype(dtype)
        if np.dtype(dtype).kind == "f":
            v[0, :3] = np.nan, -0.0, np.inf
            row[n // 2:][-2:] = np.nan
        expected = np.searchsorted(row, v, side)
        found = lw.searchsorted(row, v, side)
        assert found.dtype == np.int64 and np.array_equal(found, expected)
        assert np.array_equal(lw.searchsorted(row, v[::-1, ::2].T, side), expected[::-1, ::2].T)
        assert np.array_equal(lw.searchsorted(lw.asarray(row, device="ref"), v, side).numpy(),
                              expected)


def test_searchsorted_more() -> None:
    row = np.array([3.0, 1.0, 2.0])
    assert lw.searchsorted(row, 2, sorter=np.argsort(row)) == 1
    assert lw.searchsorted(np.arange(9)[::-1][::-2], [2.5, 8]).tolist() == [2, 4]
    out = np.empty(2, "int64")
    assert lw.searchsorted(row[1:], [1.5, 0.5], out=out) is out and out.tolist() == [1, 0]
    with lw.Graph({"x": lw.TensorType("f8", ("n",))}) as g:
        g.output(lw.searchsorted(g.x, [1.5]))
    assert g.compile()(x=np.arange(4.0))["out"].tolist() == [2]
    with pytest.raises(lw.ArgumentError, match=r"sorted has shape \(1, 3\); need rank 1"):
        lw.searchsorted(row[None], 1)
    with pytest.raises(lw.ArgumentError, match="side"):
        lw.searchsorted(row, 1, "middle")  # type: ignore[arg-type]


# ---- out= of sorts ----


def test_sorts_into_arrays() -> None:
    x = np.random.default_rng(2).standard_normal((5, 60))
    for device in (None, "cpu", "ref"):
        given = x if device is None else lw.asarray(x, device=device)
        new: Any = (lambda a: a) if device is None else lambda a: lw.asarray(a, device=device)
        for call, expected in ((lw.sort, np.sort), (lw.argsort, np.argsort)):
            for axis in (0, 1, None):
                needed = expected(x, axis=axis)
                out = new(np.empty(needed.shape[::-1], needed.dtype).T)
                assert call(given, axis=axis, out=out) is out
                assert np.array_equal(np.asarray(out), needed)
        both = new(np.empty((5, 3))), new(np.empty((5, 3), "int64"))
        for _ in range(3):
            found = lw.top_k(given, 3, out=both)
            assert found[0] is both[0] and found[1] is both[1]
            assert np.array_equal(np.asarray(both[0]), -np.sort(-x)[:, :3])
            assert np.array_equal(np.asarray(both[1]), np.argsort(-x)[:, :3])


@pytest.mark.parametrize("n", [5, "n"])
def test_sorts_into_tensors_of_graphs(n: Any) -> None:
    with lw.Graph({"x": lw.TensorType("f8", (n, 4))}) as g:
        ranked, at = g.temporary("f8", g.x.shape), g.temporary("int64", (g.x.shape[0], 2))
        top = g.temporary("f8", (g.x.shape[0], 2))
        assert lw.sort(g.x, out=ranked) is ranked
        found = lw.top_k(g.x, 2, out=(top, at))
        assert found[0] is top and found[1] is at
        g.output(ranked=ranked, top=top, at=at)
    x = np.random.default_rng(2).standard_normal((5, 4))
    given = g.compile()(x=x)
    assert np.array_equal(given["ranked"], np.sort(x))
    assert np.array_equal(given["top"], -np.sort(-x)[:, :2])
    assert np.array_equal(given["at"], np.argsort(-x)[:, :2])
