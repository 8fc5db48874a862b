"""Custom operations, run at once, by name, and checked."""
from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lanewise as lw

SOURCE = """
#include <lanewise/kernel.h>
KERNEL void scores(float *out, const float *q, const float *k, int keys, int d)
{
    for (int j = thread_idx.x; j < keys; j += block_dim.x) {
        float sum = 0;
        for (int i = 0; i < d; i++) sum += q[i] * k[j * d + i];
        out[j] = sum;
    }
}
"""


@lw.op("tests::scores", infer=lambda q, k, scale, plain: lw.TensorType(q.dtype, (k.shape[0],)),
       parameters="scale:real=1 plain:bool=false", source=SOURCE)
def scores(s, out, q, k, scale, plain):
    """q k^T, scaled."""
    kept = s.temporary(q.dtype, (k.shape[0],))
    scores.program.scores[1, 16, s](kept, q, k, k.shape[0], k.shape[1])
    lw.map("a * b", kept, np.float32(1 if plain else scale), out=out, stream=s)


Q, K = np.arange(4, dtype="f4"), np.arange(12, dtype="f4").reshape(3, 4)


def test_numpy_in_numpy_out_and_arrays() -> None:
    got = scores(Q, K, scale=2.0)
    assert isinstance(got, np.ndarray) and (got == 2 * K @ Q).all()
    assert isinstance(scores(lw.asarray(Q), lw.asarray(K)), lw.Array)
    out = np.zeros(3, "f4")
    assert scores(Q, K, out=out) is out and (out == K @ Q).all()
    s = lw.stream()
    later = scores(lw.asarray(Q), lw.asarray(K), stream=s)
    s.wait()
    assert (later.numpy() == K @ Q).all()


def test_by_name() -> None:
    assert "tests::scores" in lw.ops()
    assert (lw.custom("tests::scores", Q, K, parameters={"plain": True}) == K @ Q).all()
    assert lw.custom("sum", K, parameters={"axis": 1}).tolist() == K.sum(1).tolist()
    with pytest.raises(lw.ArgumentError, match="softmax"):
        lw.custom("softmx", Q)
    assert scores.parameters["scale"] == {"type": "real", "default": 1.0}


@pytest.mark.parametrize("call, text", [
    (lambda: scores(Q, K, factor=1), "no parameter 'factor'.*scale"),
    (lambda: scores(Q, K, scale="2"), "'scale'.*real"),
    (lambda: scores(Q, K, plain=1), "'plain'.*bool"),
    (lambda: lw.op("sum"), "taken"),
    (lambda: lw.op("tests::scores")(lambda q, k: q),
     r"'tests::scores' of test_custom.<lambda>.* \(.*test_custom.py:\d+\) is taken by "
     r"test_custom.scores \(.*test_custom.py:\d+\)"),
    (lambda: lw.op("a b"), "letters"),
    (lambda: lw.op("tests::x", parameters="n:size"), "n:size"),
    (lambda: lw.op("tests::x", parameters="n:int=a"), "no int"),
    (lambda: scores(Q, K, out=np.zeros(4, "f4")), r"\(4,\).*\(3,\)"),
    (lambda: scores(Q, K.T), "C-contiguous"),
])
def test_mistakes_are_named(call, text: str) -> None:
    with pytest.raises(lw.ArgumentError, match=text):
        call()


@pytest.mark.parametrize("given", [3, (), "f32", (lw.TensorType("f32", 2), None)], ids=repr)
def test_infer_must_give_types(given: Any) -> None:
    wrong = lw.Op("tests::infers", lambda s, out, x: None, lambda x: given, "", None)
    with pytest.raises(lw.ArgumentError, match="tests::infers: infer gave .*; need the TensorType"):
        wrong(Q)


CELL = """
import lanewise as lw
@lw.op("tests::cell", infer=lambda x: x)
def {function}(s, out, x): lw.map("{times} * a", x, out=out)
"""


def test_a_cell_that_runs_again_replaces_its_operation() -> None:
    names = {"__name__": "__main__"}
    for function, times in (("cell", 2), ("cell", 3), ("renamed", 4)):
        exec(CELL.format(function=function, times=times), names)
        assert lw.custom("tests::cell", Q).tolist() == (times * Q).tolist()
    with pytest.raises(lw.ArgumentError, match=r"'tests::cell' of other.cell .* taken by "
                                               r"__main__.renamed \(<string>:3\)"):
        exec(CELL.format(function="cell", times=5), {"__name__": "other"})
    assert names["cell"](Q).tolist() == (3 * Q).tolist(), "an operation that is held stays"


def test_a_module_that_is_loaded_again_replaces_its_operations(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    path, text = tmp_path / "reloaded_ops.py", CELL.replace("tests::cell", "tests::reloaded")
    path.write_text(text.format(function="cell", times=2))
    module = importlib.import_module("reloaded_ops")
    path.write_text("# other lines" + text.format(function="cell", times=30))
    importlib.reload(module)
    assert module.cell(Q).tolist() == lw.custom("tests::reloaded", Q).tolist() == \
        (30 * Q).tolist()
    (tmp_path / "other_ops.py").write_text(text.format(function="cell", times=4))
    with pytest.raises(lw.ArgumentError, match="other_ops.cell .*other_ops.py:3. is taken by "
                                               "reloaded_ops.cell .*reloaded_ops.py:3"):
        importlib.import_module("other_ops")


def test_a_parameter_without_a_default_must_be_given() -> None:
    @lw.op("tests::needs", parameters="n:int")
    def needs(x, n):
        return lw.map("a + b", x, n)

    with pytest.raises(lw.ArgumentError, match="'n'.*missing"):
        needs(Q)
    assert needs(Q, n=np.int64(2)).tolist() == [2, 3, 4, 5]


def test_a_function_that_raises_raises() -> None:
    @lw.op("tests::raises", infer=lambda x: x)
    def raises(s, out, x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        raises(Q)


SLOW = """
#include <lanewise/kernel.h>
KERNEL void slow(float *out, int steps)
{
    unsigned x = 1;
    for (int i = 0; i < steps; i++)
        x = x * 1664525u + 1013904223u;
    *out = x ? 1 : 2;
}
"""


def test_a_call_without_a_stream_comes_after_the_launches_before_it() -> None:
    program = lw.compile(SLOW)
    steps = 20_000 if lw.default_device().name == "ref" else 100_000_000

    @lw.op("tests::in_order", infer=lambda x: x)
    def in_order(s, out, x) -> None:
        kept = s.temporary(x.dtype, x.shape)
        lw.map("0 * a", x, out=kept, stream=s)
        program.slow[1, 1, s](kept, steps)
        lw.map("a + 1", kept, out=out)

    assert [in_order(np.zeros(1, "f4")).tolist() for _ in range(3)] == [[2.0]] * 3


def test_opcheck_accepts_what_is_right() -> None:
    lw.testing.opcheck(scores, Q, K, scale=0.5)


def test_opcheck_finds_wrong_types_changed_inputs_and_aliases() -> None:
    @lw.op("tests::changes", infer=lambda x: x)
    def changes(s, out, x):
        lw.map("a + 1", x, out=x, stream=s)

    @lw.op("tests::aliases")
    def aliases(x):
        return x[:]

    @lw.op("tests::devices", infer=lambda x: x)
    def devices(s, out, x):
        lw.map(f"a + {len(s.device.description)}", x, out=out, stream=s)

    for wrong, text in ((changes, "input 0 was changed"), (aliases, "shares memory"),
                        (devices, "other bits on cpu")):
        with pytest.raises(AssertionError, match=text):
            lw.testing.opcheck(wrong, Q)


def test_types() -> None:
    assert lw.TensorType("f32", (2,)) == lw.TensorType(np.float32, 2) != lw.TensorType("f64", (2,))
    with pytest.raises(lw.ArgumentError, match="0 to 4"):
        lw.TensorType("f32", (1,) * 5)
