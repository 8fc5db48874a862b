"""Indexing with arrays and masks, as NumPy's: keys are drawn at random."""
import random

import numpy as np
import pytest

import lanewise as lw
from conftest import FULL

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "f2",
          "f4", "f8"]
SHAPES = [(7,), (3, 5), (4, 3, 2), (2, 3, 4, 5), (1,), (3, 1, 4)]


def values(shape, dtype="f4"):
    return (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 113).astype(dtype)


def index_array(draw, extent, shape):
    made = np.array([draw.randrange(-extent, extent) for _ in range(int(np.prod(shape)))],
                    draw.choice(["i8", "i4", "i2"])).reshape(shape)
    return made if draw.random() < 0.7 or made.ndim != 1 else made.tolist()


def drawn_key(draw, shape):
    """Integers, slices, None, ..., arrays of indices and masks; the arrays broadcast."""
    common = draw.choice([(2,), (3,), (1,), (2, 3), ()])
    key, axis, has_dots, has_mask = [], 0, False, False
    while axis < len(shape):
        extent, kind = shape[axis], draw.randrange(8)
        if kind == 0:
            key.append(draw.randrange(-extent, extent))
        elif kind == 1:
            key.append(slice(draw.choice([None, 0, 1]), draw.choice([None, -1, extent]),
                             draw.choice([None, 2, -1])))
        elif kind == 2:
            key.append(None)
            continue
        elif kind == 3 and not has_dots:
            key.append(Ellipsis)
            has_dots = True
            axis = draw.randrange(axis, len(shape) + 1)
            continue
        elif kind == 4 and not has_mask:
            rank = draw.randrange(1, len(shape) - axis + 1)
            size = int(np.prod(shape[axis:axis + rank]))
            mask = np.zeros(size, bool)  # as many as the indices have, so that they broadcast
            count = draw.choice([1, common[-1] if common else 1])
            mask[draw.sample(range(size), min(size, count))] = True
            key.append(mask.reshape(shape[axis:axis + rank]))
            axis, has_mask = axis + rank, True
            continue
        else:
            part = common[draw.randrange(len(common) + 1):]
            key.append(index_array(draw, extent, draw.choice([part, (1,) * len(common)])))
        axis += 1
        if draw.random() < 0.1:
            break
    return tuple(key) if len(key) != 1 or draw.random() < 0.5 else key[0]


def on(device, key):
    """NumPy's arrays in it as Arrays."""
    if isinstance(key, tuple):
        return tuple(on(device, part) for part in key)
    return lw.asarray(key, device=device) if isinstance(key, np.ndarray) else key


def numpys(x, key):
    try:
        found = x[key]
    except IndexError:
        return None
    return found if np.ndim(found) <= 4 else None


@pytest.mark.on_cpu
@pytest.mark.parametrize("device", ["cpu", "ref"])
def test_random_keys_give_what_numpy_gives(device):
    draw, tried = random.Random(63), 0
    for k in range(1200 if device == "cpu" else 200):
        plain = values(draw.choice(SHAPES), draw.choice(DTYPES))
        if draw.random() < 0.3:
            plain = plain[::-1].T
        key = drawn_key(draw, plain.shape)
        expected = numpys(plain, key)
        if expected is None:
            continue
        tried += 1
        x = lw.asarray(plain, device=device)
        found = x[on(device, key) if draw.random() < 0.5 else key]
        assert isinstance(found, lw.Array) and found.dtype == expected.dtype, key
        assert found.shape == np.shape(expected), key
        assert np.array_equal(found.numpy(), expected), key
    assert tried > k / 2


@pytest.mark.parametrize("dtype", [*DTYPES, lw.bfloat16])
def test_all_dtypes(dtype):
    x = lw.asarray(values((5, 4), "f4" if dtype is lw.bfloat16 else dtype)).astype(dtype)
    bits = x.numpy()
    for key in ([4, 0, -1], ([1, 2], [3, -4]), np.arange(20).reshape(5, 4) % 3 == 0,
                np.array([True, False, False, True, True])):
        assert x[key].dtype == x.dtype
        assert x[key].numpy().tobytes() == np.ascontiguousarray(bits[key]).tobytes()


def test_nothing_is_taken():
    x = lw.asarray(values((3, 4)))
    for key in ([], np.zeros(3, bool), np.zeros((3, 4), bool), ([], []), np.zeros((0, 2), int)):
        assert x[key].shape == x.numpy()[key].shape
    empty = lw.zeros((0, 3))
    assert empty[np.zeros((0, 3), bool)].shape == (0,)
    assert empty[[]].shape == (0, 3) and empty[:, [0, 1]].shape == (0, 2)


def test_masks_of_rank_0():
    x = lw.asarray(values((3, 4)))
    for key in (True, False, np.True_, np.array(False), lw.asarray(np.array(True))):
        assert x[key].shape == (int(bool(key)), 3, 4)
    with pytest.raises(lw.IndexError, match="need it alone"):
        x[True, [1, 2]]


@pytest.mark.parametrize("key, text", [
    ([3], r"index 0 is 3, the axis has extent 3; need -3 to 2"),
    (([0, 1], [0, 9]), r"index 1 is 9, the axis has extent 4; need -4 to 3"),
    ([0.5], r"need integers, slices, None, ..., or arrays of integers or bool"),
    (1.5, r"index 1.5 is of float64; need integers"),
    (([0], [0], [0]), r"has too many parts for shape \(3, 4\)"),
    (np.zeros(2, bool), r"the mask has shape \(2,\); need \(3,\)"),
    (np.zeros((3, 3), bool), r"the mask has shape \(3, 3\); need \(3, 4\)"),
    (np.zeros((1,) * 7 + (2,), int), r"gives 9 axes; need at most 8"),
    (([0, 1], [0, 1, 2]), r"2 and 3 do not broadcast"),
    ((None,) * 7 + ([0],), r"gives 9 axes; need at most 8"),
    ("a", r"need"),
    ([[0], [0, 1]], r"need|inhomogeneous"),
])
def test_wrong_keys(key, text):
    x = lw.zeros((3, 4))
    with pytest.raises(lw.ArgumentError, match=text):
        x[key]


def test_indices_are_of_other_libraries_too():
    x = lw.arange(6)
    assert x[lw.asarray([1, -1])].numpy().tolist() == [1, 5]
    assert x[range(2)].numpy().tolist() == [0, 1]
    assert x[lw.argsort(x, descending=True)].numpy().tolist() == [5, 4, 3, 2, 1, 0]
    assert x[x.numpy() > 3].numpy().tolist() == [4, 5]


def test_tensors_of_graphs():
    x, at = values((4, 3)), np.array([3, 0, 3])
    with lw.Graph({"x": lw.TensorType("f4", (4, 3)), "at": lw.TensorType("int64", (3,))}) as g:
        g.output(rows=g.x[g.at], columns=g.x[:, [2, 0]], both=g.x[g.at, [0, 1, 2]],
                 new=g.x[None, g.at, :, None])
        with pytest.raises(lw.IndexError, match="before the graph runs"):
            g.x[g.x.astype("bool")]
    for device in ("cpu", "ref"):
        found = g.compile(device)(x=x, at=at)
        assert np.array_equal(found["rows"], x[at])
        assert np.array_equal(found["columns"], x[:, [2, 0]])
        assert np.array_equal(found["both"], x[at, [0, 1, 2]])
        assert np.array_equal(found["new"], x[None, at, :, None])


def test_tensors_of_unknown_size():
    with lw.Graph({"x": lw.TensorType("f4", ("n", 3)), "at": lw.TensorType("int64", ("m",))}) as g:
        g.output(rows=g.x[g.at], new=g.x[g.at, None], both=g.x[g.at, 1])
    model = g.compile()
    for n, at in ((4, [0, 3]), (7, [6, 1, 1, -1])):
        x = values((n, 3))
        found = model(x=x, at=np.array(at))
        assert np.array_equal(found["rows"], x[at])
        assert np.array_equal(found["new"], x[at, None])
        assert np.array_equal(found["both"], x[at, 1])


# ---- assignment ----


def drawn_values(draw, shape, dtype):
    """Values that broadcast to a shape."""
    kind = draw.randrange(4)
    if kind == 0:
        return draw.choice([1, True]) if dtype == "bool" else draw.choice([3, 5.5, True])
    part = shape[draw.randrange(len(shape) + 1):] if kind == 1 else shape
    made = [extent if draw.random() < 0.8 else 1 for extent in part]
    return values((1, *made)[-4:] if draw.random() < 0.1 else made, dtype)[...] + np.ones((), dtype)


@pytest.mark.on_cpu
@pytest.mark.parametrize("device", ["cpu", "ref"])
def test_random_assignments_do_what_numpy_does(device):
    draw, tried = random.Random(64), 0
    for k in range((1200 if FULL else 600) if device == "cpu" else 200):
        plain = values(draw.choice(SHAPES), draw.choice(DTYPES))
        if draw.random() < 0.3:
            plain = plain[::-1].T
        key = drawn_key(draw, plain.shape)
        part = numpys(plain, key)
        if part is None:
            continue
        value = drawn_values(draw, part.shape, plain.dtype)
        expected = plain.copy()
        try:
            expected[key] = value
        except (ValueError, TypeError):  # that of masks is of leading axes
            continue
        x = lw.asarray(plain, device=device)
        x[on(device, key) if draw.random() < 0.5 else key] = on(device, value)
        assert np.array_equal(x.numpy(), expected), (plain.shape, plain.strides, key, value)
        tried += 1
    assert tried > k / 2


@pytest.mark.parametrize("dtype", [*DTYPES, lw.bfloat16])
def test_assignment_to_all_dtypes(dtype):
    for key in ([4, 0, -1], ([1, 2], [3, -4]), np.arange(20).reshape(5, 4) % 3 == 0,
                np.array([True, False, False, True, True])):
        x = lw.asarray(values((5, 4))).astype(dtype)
        expected = values((5, 4))
        expected[key] = 1
        x[key] = 1
        assert np.array_equal(x.astype("f4").numpy(), expected.astype("bool") if dtype == "bool"
                              else expected)


def test_the_last_of_equal_indices_stays():
    x = lw.zeros(3, "int64")
    x[np.zeros(100000, int)] = np.arange(100000)
    assert x.numpy().tolist() == [99999, 0, 0]
    x[[1, 1, 2, 1]] = [1, 2, 3, 4]
    assert x.numpy().tolist() == [99999, 4, 3]


def test_values_may_be_views_of_the_array():
    for key in ([0, 1, 2], np.array([True, True, True, False])):
        x, plain = lw.arange(4), np.arange(4)
        x[key] = x[1:]
        plain[key] = plain[1:].copy()
        assert np.array_equal(x.numpy(), plain)
    plain = np.arange(6)
    x = lw.asarray(plain)  # on its memory
    x[plain[::-1]] = plain + 10
    assert plain.tolist() == [15, 14, 13, 12, 11, 10]
    x[[0, 1]] = plain[1:3]
    assert plain.tolist() == [14, 13, 13, 12, 11, 10]
    x = lw.asarray([2, 0, 1])
    x[x] = x[::-1]
    assert x.numpy().tolist() == [0, 2, 1]
    x[x > 0] += 5
    assert x.numpy().tolist() == [0, 7, 6]
    x[[0, 1]] -= x[[1, 1]] * 2
    assert x.numpy().tolist() == [-14, -7, 6]
    x[x < 0] = np.nan
    assert x.numpy().tolist() == [0, 0, 6]


def test_wrong_assignments():
    x = lw.zeros((3, 4), "uint8")
    with pytest.raises(lw.IndexError, match="index 0 is 3, the axis has extent 3; need -3 to 2"):
        x[[3]] = 1
    with pytest.raises(lw.ArgumentError, match=r"values of shape \(3,\) do not broadcast to"):
        x[[0, 1]] = [1, 2, 3]
    with pytest.raises(lw.ArgumentError, match=r"do not broadcast to \(2, 4\)"):
        x[np.array([True, False, True])] = np.ones((3, 4))
    with pytest.raises(lw.OverflowError, match="300 does not fit uint8"):
        x[[0]] = 300
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    with pytest.raises(lw.ArgumentError, match="read-only"):
        lw.asarray(fixed)[[0]] = 1
    assert not x.numpy().any()


@pytest.mark.parametrize("n", [5, "n"])
def test_assignment_in_graphs(n):
    kinds = {"x": lw.TensorType("f4", (n, 3)), "at": lw.TensorType("int64", (2,)),
             "mask": lw.TensorType("bool", (n,))}
    with lw.Graph(kinds) as g:
        y = g.x.copy()
        y[g.at] = [[1], [2]]
        y[g.at, [0, 1]] = lw.map("a + 10", g.x[0, :2])
        y[:, [2]] = y[:, [0]]
        y[g.mask] = 7
        with pytest.raises(lw.IndexError, match="before the graph runs"):
            y[g.mask] = [[1], [2]]
        g.output(y)
    x, at, mask = values((5, 3)), np.array([1, 3]), np.array([0, 0, 1, 1, 0], bool)
    expected = x.copy()
    expected[at] = [[1], [2]]
    expected[at, [0, 1]] = x[0, :2] + 10
    expected[:, [2]] = expected[:, [0]]
    expected[mask] = 7
    for device in ("cpu", "ref"):
        assert np.array_equal(g.compile(device)(x=x, at=at, mask=mask)["out"], expected)


# ---- scatter, scatter_add, bincount ----


@pytest.mark.on_cpu
@pytest.mark.parametrize("dtype", [d for d in DTYPES if d not in ("bool", "f2")])
@pytest.mark.parametrize("device", ["cpu", "ref"])
def test_scatter_add_has_numpys_bits(dtype, device):
    draw = np.random.default_rng(7)
    for shape, axis, count in [((50,), 0, 70000), ((9, 40), 0, 3000), ((40, 9), 1, 2000),
                               ((3, 7, 5), 1, 300), ((3, 7, 5), -1, 300), ((1000,), 0, 0)]:
        count = count if device == "cpu" else count // 50
        x = (draw.standard_normal(shape) * 100).astype(dtype)
        at = draw.integers(-shape[axis], shape[axis], count)
        of = list(shape)
        of[axis] = count
        v = (draw.standard_normal(of) * 100).astype(dtype)
        expected, put = x.copy(), x.copy()
        key = (slice(None),) * (axis % x.ndim) + (at,)
        np.add.at(expected, key, v)
        put[key] = v
        given = lw.asarray(x, device=device)
        found = lw.scatter_add(given, at, v, axis=axis)
        assert found.numpy().tobytes() == expected.tobytes()
        assert np.array_equal(given.numpy(), x)
        assert lw.scatter(given, at, v, axis=axis).numpy().tobytes() == put.tobytes()
        assert lw.scatter_add(given, at, v, axis=axis, out=given) is given
        assert given.numpy().tobytes() == expected.tobytes()


def test_scatter_add_of_halves_rounds_once():
    x, at = np.full(2, 2048, "f2"), np.zeros(64, int)
    assert lw.scatter_add(x, at, np.ones(64, "f2")).tolist() == [2112, 2048]
    bf = lw.asarray(np.full(2, 256, "f4")).astype("bf16")
    assert lw.scatter_add(bf, at, 1).astype("f4").numpy().tolist() == [320, 256]
    assert lw.scatter_add(np.array([True, False]), [1, 1], [False, True]).tolist() == [True, True]
    assert lw.scatter_add(np.zeros(2, "u1"), np.zeros(300, int), 1).tolist() == [44, 0]


def test_scatter_of_several_axes():
    draw = np.random.default_rng(8)
    x, v = draw.standard_normal((7, 5, 3)), draw.standard_normal((200, 3))
    at = draw.integers(-7, 7, 200), draw.integers(-5, 5, 200).astype("u1") % 5
    expected = x.copy()
    np.add.at(expected, at, v)
    assert lw.scatter_add(x, at, v).tobytes() == expected.tobytes()
    expected = x.copy()
    np.add.at(expected, (slice(None), at[1][:, None], [0, 2]), v[:, :2])
    assert lw.scatter_add(x, (at[1][:, None], [0, 2]), v[:, :2], axis=1).tobytes() == \
        expected.tobytes()


def test_waiting_results_have_what_was_there_before():
    plain = np.arange(9) - 2.0
    for change in (lambda x: x.__setitem__(x > 0, 7), lambda x: x.__setitem__([0, 3], 7),
                   lambda x: lw.scatter_add(x, [0, 3], 5, out=x)):
        x = lw.asarray(plain.copy()).copy()
        twice, behind, mask = x * 2, x[1:] * 3, x > 0
        change(x)
        assert np.array_equal(twice.numpy(), plain * 2)
        assert np.array_equal(behind.numpy(), plain[1:] * 3)
        assert np.array_equal(mask.numpy(), plain > 0)
        changed = x * 1.0
        changed[1:][[0]] = 9
        assert changed.numpy()[1] == 9 and x.numpy()[1] != 9


def test_scatter_refuses():
    x = np.zeros(3)
    with pytest.raises(lw.IndexError, match="scatter: index 1 is 3, the axis has extent 3"):
        lw.scatter(x, [0, 3], 1)
    with pytest.raises(lw.DtypeError, match="out is of i64 and the values of f64; need integers"):
        lw.scatter_add(np.zeros(3, int), [0], 1.5)
    with pytest.raises(lw.DtypeError, match="indices are of bool"):
        lw.scatter(x, [True], 1)
    with pytest.raises(lw.ArgumentError, match=r"of shape \(3,\) do not broadcast to \(2,\)"):
        lw.scatter(x, [0, 1], [1.0, 2.0, 3.0])
    with pytest.raises(lw.ArgumentError, match="indices of 0 axes; need 1 to 4"):
        lw.scatter(x, (), 1)
    with pytest.raises(lw.ArgumentError, match="no 2 axes from axis 0 on"):
        lw.scatter(x, ([0], [1]), 1)
    with pytest.raises(lw.ArgumentError, match="axis is None; need an integer"):
        lw.scatter(x, [0, 1], 1, axis=None)


def test_bincount():
    draw = np.random.default_rng(3)
    for dtype in ("int8", "int64", "uint16", "int32"):
        x = draw.integers(0, 100, 5000).astype(dtype)
        weights = draw.standard_normal(5000)
        assert np.array_equal(lw.bincount(x), np.bincount(x))
        assert np.array_equal(lw.bincount(x, minlength=200), np.bincount(x, minlength=200))
        assert lw.bincount(x, weights).tobytes() == np.bincount(x, weights).tobytes()
        found = lw.bincount(lw.asarray(x, device="ref"), lw.asarray(weights, device="ref"))
        assert found.device.name == "ref"
        assert found.numpy().tobytes() == np.bincount(x, weights).tobytes()
    assert lw.bincount(np.zeros(0, int), minlength=2).tolist() == [0, 0]
    assert lw.bincount([3, 3]).tolist() == [0, 0, 0, 2]
    with pytest.raises(lw.ArgumentError, match="x has -1; need numbers from 0 on"):
        lw.bincount([0, -1])
    with pytest.raises(lw.ArgumentError, match="weights"):
        lw.bincount([0, 1], [1.0])
    with pytest.raises(lw.ArgumentError, match="need rank 1"):
        lw.bincount(np.zeros((2, 2), int))


# ---- take_along_axis ----


@pytest.mark.parametrize("dtype", DTYPES)
def test_take_along_axis(dtype):
    draw = np.random.default_rng(5)
    for shape, axis in ((s, k) for s in SHAPES for k in range(len(s))):
        x = values(shape, dtype)
        of = list(shape)
        of[axis] = draw.integers(0, 6)
        at = draw.integers(-shape[axis], shape[axis], of)
        assert np.array_equal(lw.take_along_axis(x, at, axis=axis),
                              np.take_along_axis(x, at, axis=axis))
        turned, there = x[::-1].T, at[::-1].T
        assert np.array_equal(lw.take_along_axis(turned, there, axis=-1 - axis),
                              np.take_along_axis(turned, there, axis=-1 - axis))


def test_take_along_axis_broadcasts():
    x = values((4, 1, 5))
    at = np.array([[[4], [0]]])
    assert np.array_equal(lw.take_along_axis(x, at, axis=2), np.take_along_axis(x, at, axis=2))
    at = np.array([[[0]], [[2]]])
    assert np.array_equal(lw.take_along_axis(x, at, axis=0), np.take_along_axis(x, at, axis=0))


def test_take_along_axis_as_sorts_want_it():
    x = lw.random.normal(1, (5, 40))
    assert np.array_equal(lw.take_along_axis(x, lw.argsort(x)).numpy(), lw.sort(x).numpy())
    assert np.array_equal(lw.take_along_axis(x, lw.argsort(x, axis=None), axis=None).numpy(),
                          lw.sort(x, axis=None).numpy())
    out = np.empty((5, 2), "f4")
    assert lw.take_along_axis(x.numpy(), np.zeros((5, 2), int), out=out) is out
    assert (out == x.numpy()[:, :1]).all()


def test_take_along_axis_refuses():
    x = values((3, 4))
    with pytest.raises(lw.IndexError, match="index 1 is 4, the axis has extent 4; need -4 to 3"):
        lw.take_along_axis(x, np.array([[0, 4]]))
    with pytest.raises(lw.ArgumentError, match="x has rank 2 and the indices 1; need the same"):
        lw.take_along_axis(x, np.array([0]))
    with pytest.raises(lw.DtypeError, match="indices are of f64; need an integer type"):
        lw.take_along_axis(x, np.zeros((3, 1)))
