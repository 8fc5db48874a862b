"""The checker: lw.check, the plugin for pytest, opcheck's last step."""
from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import lanewise as lw

SOURCE = """
#include <lanewise/kernel.h>
KERNEL void add(int n, float *out, const float *x, const float *y)
{
    size_t i = global_idx.x;
    if (i < (size_t)n)
        out[i] = x[i] + y[i];
}
KERNEL void count(int *n) { *n += 1; }
KERNEL void flag(int *n) { *n = 1; }
KERNEL void known(int *n) { *n += 1; } // lanewise-allow: race-warp
KERNEL void fails(int *n) { assert(*n == 77); }
KERNEL void tickets(unsigned *next, unsigned *out) { out[global_idx.x] = atomic_add(next, 1u); }
"""
COUNT_LINE = 1 + SOURCE[: SOURCE.index("KERNEL void count")].count("\n")


@pytest.fixture(scope="module")
def prog() -> lw.Program:
    return lw.compile(SOURCE)


def zeros(n: int = 1) -> np.ndarray:
    return np.zeros(n, "i4")


@pytest.mark.parametrize("n", [0, 1, 33, 1000])
@pytest.mark.parametrize("kind", ["numpy", "Array", "other"])
def test_results_are_those_of_numpy(prog: lw.Program, n: int, kind: str) -> None:
    r = np.random.default_rng(n)
    x, y = r.random(n, dtype="f4"), r.random(n, dtype="f4")
    device = {"Array": None, "other": "ref"}.get(kind)
    x_in, y_in, out = (v if kind == "numpy" else lw.asarray(v, device=device, copy=True)
                       for v in (x, y, np.zeros(n, "f4")))
    with lw.check() as report:
        prog.add[4, 256](n, out, x_in, y_in)
    np.testing.assert_array_equal(np.asarray(out), x + y)
    assert report.verdict == "clean" and report.findings == []
    assert "1 launch, 4 blocks" in report.why


def test_findings(prog: lw.Program) -> None:
    with pytest.raises(lw.CheckError, match="^1 finding: <source>:.*: race-warp: thread 1 ") as e:
        with lw.check() as report:
            prog.count[1, 2](zeros())
            prog.count[1, 2](zeros())
    assert report.verdict == "findings"
    (finding,) = report.findings
    assert e.value.findings == [finding]
    assert finding["class"] == "race-warp" and finding["line"] == COUNT_LINE
    assert finding["kernel"] == "count" and finding["thread"] == [1, 0, 0]
    (run,) = report.sarif()["runs"]
    assert [r["ruleId"] for r in run["results"]] == ["race-warp"]


def test_what_goes_on_after_a_finding(prog: lw.Program) -> None:
    n, after = zeros(), []
    with pytest.raises(lw.CheckError):
        with lw.check():
            prog.count[1, 2](n)
            after.append(1)
    assert after == [1]
    prog.count[1, 1](n)  # on its own device again
    with lw.check() as report:
        prog.count[1, 1](n)
    assert report.findings == []


def test_warnings_and_strict(prog: lw.Program) -> None:
    with lw.check() as report:
        prog.flag[1, 2](zeros())
    assert [(f["class"], f["warning"]) for f in report.findings] == [("benign-write", True)]
    assert report.verdict == "clean"
    with pytest.raises(lw.CheckError, match="benign-write"):
        with lw.check(strict=True):
            prog.flag[1, 2](zeros())
    with lw.check():  # strict is over
        prog.flag[1, 2](zeros())


def test_schedules(prog: lw.Program) -> None:
    def run(**options: int) -> lw.Report:
        with lw.check(**options) as report:
            prog.tickets[2, 32](np.zeros(1, "u4"), np.zeros(64, "u4"))
        return report

    assert [f["class"] for f in run().findings] == ["nondeterministic"]
    assert run(schedules=1).findings == []
    assert "5 schedules" in run(schedules=5).why
    for wrong in (0, -1, 1.5, True, "2"):
        with pytest.raises(lw.ArgumentError, match="schedules is"):
            lw.check(schedules=wrong)
    with pytest.raises(lw.ArgumentError, match="5000 schedules"):
        with lw.check(schedules=5000):
            pass
    with lw.check():  # what was refused has begun nothing
        pass


def test_suppressed(prog: lw.Program) -> None:
    with lw.check() as report:
        prog.known[1, 2](zeros())
    assert report.verdict == "clean" and report.findings == []
    assert [f["class"] for f in report.suppressed] == ["race-warp"]


def test_nothing_is_clean_that_did_not_run(prog: lw.Program) -> None:
    with lw.check() as report:
        assert report.verdict == "not checked"
        with pytest.raises(lw.ArgumentError, match="has not ended"):
            report.sarif()
    assert (report.verdict, report.why) == ("not checked", "no launch ran")
    with pytest.raises(lw.LaunchError, match="assertion"):
        with lw.check() as report:
            prog.fails[1, 1](zeros())
    assert report.verdict == "not checked" and "assertion" in report.why


@pytest.mark.on_cpu
def test_operations() -> None:
    x = np.arange(2000, dtype="f4").reshape(50, 40)
    for of in (x, lw.asarray(x, device="ref", copy=True)):
        with lw.check() as report:
            total, turned = lw.sum(of, axis=1), lw.transpose(of)
        assert type(turned) is type(of) and getattr(turned, "device", None) == \
            getattr(of, "device", None)
        np.testing.assert_array_equal(np.asarray(total), x.sum(axis=1))
        np.testing.assert_array_equal(np.asarray(turned), x.T)
        assert report.verdict == "clean" and report.unchecked == []
    with pytest.raises(lw.ArgumentError):
        with lw.check():
            lw.sum(x, axis=7)


def test_after_a_launch_that_failed(prog: lw.Program) -> None:
    with pytest.raises(lw.CheckError, match="race-warp"):
        with lw.check() as report:
            with pytest.raises(lw.LaunchError):
                prog.fails[1, 1](zeros())
            with pytest.raises(lw.ArgumentError):
                prog.count[1, 1](7)
            prog.count[1, 2](zeros())
    assert len(report.sarif()["runs"]) == 2


def test_streams_and_fixed_devices(prog: lw.Program) -> None:
    x, s = lw.zeros((64,), dtype="f4"), lw.stream()
    one = lw.full((64,), 1, dtype="f4")
    prog.add[1, 64, s](64, x, x, one)
    with lw.check() as report:
        prog.add[1, 64, s](64, x, x, one)
        assert float(x[0]) == 2  # what was queued came before, and the call has ended
    assert report.verdict == "clean"
    fixed = lw.compile(SOURCE, device="ref")
    with pytest.raises(lw.CheckError):
        with lw.check():
            fixed.count[1, 2](zeros())


def test_nested_and_threads(prog: lw.Program) -> None:
    with lw.check() as outer:
        prog.count[1, 1](zeros())
        with pytest.raises(lw.CheckError):
            with lw.check(strict=True) as inner:
                prog.flag[1, 2](zeros())
        prog.flag[1, 2](zeros())
    assert (outer.verdict, inner.verdict) == ("clean", "findings")
    with lw.check() as report:
        threads = [threading.Thread(target=prog.count[1, 1], args=(zeros(),)) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert report.verdict == "clean" and report.why.startswith("4 launches")


def test_functions(prog: lw.Program) -> None:
    @lw.check
    def launch(threads: int) -> int:
        """Documented."""
        n = zeros()
        prog.count[1, threads](n)
        return int(n[0])

    assert launch(1) == 1 and launch.__doc__ == "Documented."
    with pytest.raises(lw.CheckError):
        launch(2)
    strict = lw.check(strict=True)(lambda: prog.flag[1, 2](zeros()))
    with pytest.raises(lw.CheckError):
        strict()
    with pytest.raises(lw.ArgumentError, match="need a function"):
        lw.check(7)
    with pytest.raises(KeyError):  # what the function raises comes through
        lw.check(lambda: {}[1])()


def test_device_check(prog: lw.Program) -> None:
    direct = lw.compile(SOURCE, device="check")
    with pytest.raises(lw.CheckError) as e:
        direct.count[1, 2](zeros())
    assert [f["class"] for f in e.value.findings] == ["race-warp"]
    s = lw.stream("check")
    direct.count[1, 2, s](zeros())
    with pytest.raises(lw.CheckError) as e:
        s.wait()
    assert [f["class"] for f in e.value.findings] == ["race-warp"]
    direct.count[1, 1, s](zeros())
    s.wait()


def test_opcheck(prog: lw.Program) -> None:
    @lw.op("check::sum_bad", infer=lambda x: lw.TensorType(x.dtype, (1,)), source=SOURCE)
    def bad(s, out, x):  # type: ignore[no-untyped-def]
        bad.program.flag[1, 2, s](out)
        bad.program.count[1, 2, s](out)

    with pytest.raises(AssertionError, match="check::sum_bad: 1 finding: .*race-warp"):
        lw.testing.opcheck(bad, np.zeros(3, "i4"), devices=["ref"])


SUITE = '''
import numpy as np, pytest, lanewise as lw
prog = lw.compile(open("kernels.c").read())
def test_racy(): prog.count[1, 2](np.zeros(1, "i4"))
@pytest.mark.lanewise_check
def test_marked(): prog.count[1, 2](np.zeros(1, "i4"))
@pytest.mark.lanewise_check(strict=True, schedules=1)
def test_strict(): prog.flag[1, 2](np.zeros(1, "i4"))
@pytest.mark.lanewise_check
def test_clean(): prog.count[1, 1](np.zeros(1, "i4"))
@pytest.mark.lanewise_check
def test_sum(): lw.sum(np.ones((50, 40), "f4"), axis=1)
@pytest.mark.lanewise_check
def test_raises():
    prog.count[1, 2](np.zeros(1, "i4"))
    raise KeyError("own")
def test_nothing(): pass
'''


def suite(folder: Path, text: str, *words: str) -> tuple[dict[str, str], str]:
    """The outcome of each test, and all of the output."""
    (folder / "kernels.c").write_text(SOURCE)
    (folder / "test_suite.py").write_text(text)
    path = os.pathsep.join([str(Path(lw.__file__).parent.parent), *sys.path])
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-p", "lanewise.pytest_plugin", "-p",
         "no:cacheprovider", *words], cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    return dict(re.findall(r"::(test_\w+) (PASSED|FAILED|ERROR)", run.stdout)), \
        run.stdout + run.stderr


@pytest.mark.on_cpu
def test_plugin(tmp_path: Path) -> None:
    outcome, text = suite(tmp_path, SUITE)
    failed = {name for name, what in outcome.items() if what == "FAILED"}
    assert failed == {"test_marked", "test_strict", "test_raises"}, text
    assert "KeyError: 'own'" in text
    assert "CheckError: 1 finding: <source>" in text
    assert "2 clean, 3 findings" in text
    outcome, text = suite(tmp_path, SUITE, "--lanewise-check", "--strict-markers")
    failed = {name for name, what in outcome.items() if what == "FAILED"}
    assert failed == {"test_racy", "test_marked", "test_strict", "test_raises"}, text


@pytest.mark.on_cpu
def test_plugin_refuses_what_it_does_not_know(tmp_path: Path) -> None:
    outcome, text = suite(tmp_path, """
import pytest
@pytest.mark.lanewise_check(stict=True)
def test_marked(): pass
""")
    assert "lanewise_check takes strict= and schedules=, not ['stict']" in text
    assert outcome.get("test_marked") != "PASSED"


GRAPH_SOURCE = """
#include <lanewise/kernel.h>
KERNEL void shift(int n, float *out, const float *x)
{
    SHARED float part[64];
    int i = thread_idx.x;
    part[i] = i < n ? x[i] : 0;
    RACY
    out[i] = part[i ^ 32];
}
"""


def shift_graph(barrier: str) -> lw.Graph:
    prog = lw.compile(GRAPH_SOURCE.replace("RACY", barrier))
    with lw.Graph(inputs={"x": lw.TensorType("f32", (64,))}) as g:
        moved = g.temporary("f32", (64,))
        prog.shift[1, 64, g.stream](64, moved, g.x)
        g.output(lw.map("a + b", moved, np.ones(64, "f4")))
    return g


@pytest.mark.on_cpu
@pytest.mark.parametrize("device", ["cpu", "ref"])
@pytest.mark.parametrize("kind", ["numpy", "Array"])
def test_graphs(device: str, kind: str) -> None:
    x = np.arange(64, dtype="f4")
    given = x if kind == "numpy" else lw.asarray(x, device=device)
    model = shift_graph("barrier();").compile(device=device)
    wanted = model(x=x)["out"]
    with lw.check() as report:
        first, again = model(x=given)["out"], model(given)["out"]
    assert report.verdict == "clean" and report.unchecked == []
    assert f"{2 * model.plan.launches} launches" in report.why
    for result in (first, again):
        np.testing.assert_array_equal(np.asarray(result), wanted)
        assert isinstance(result, np.ndarray if kind == "numpy" else lw.Array)
    np.testing.assert_array_equal(model(x=x)["out"], wanted)  # on its own device again


def test_findings_in_graphs() -> None:
    model = shift_graph("").compile()
    with pytest.raises(lw.CheckError, match="race-shared"):
        with lw.check() as report:
            model(x=np.zeros(64, "f4"))
    assert {f["class"] for f in report.findings} == {"race-shared"}
    assert report.findings[0]["kernel"] == "shift"
    with pytest.raises(lw.CheckError):  # compiled inside, and in an inner check
        with lw.check() as outer:
            with lw.check():
                shift_graph("").compile()(x=np.zeros(64, "f4"))
    assert outer.verdict == "not checked" and outer.why == "no launch ran"


@pytest.mark.on_cpu
def test_graphs_with_names_of_sizes() -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f32", ("n", 3))}) as g:
        g.output(lw.sum(g.x, axis=0))
    model = g.compile()
    with lw.check() as report:
        for n in (1, 5, 5):
            np.testing.assert_array_equal(model(np.ones((n, 3), "f4"))["out"], [n, n, n])
    assert report.verdict == "clean" and report.unchecked == []


def test_what_a_graph_writes_and_waits_for(prog: lw.Program) -> None:
    """An input that a kernel changes, and work of the stream that comes before."""
    stream = lw.stream()
    n = lw.asarray(np.zeros(1, "i4"), copy=True)
    with lw.Graph(inputs={"n": lw.TensorType("i32", (1,))}) as g:
        prog.count[1, 1, g.stream](g.n)
        g.output(lw.map("a * 10", g.n))
    model = g.compile()
    prog.count[1, 1, stream](n)
    with lw.check() as report:
        result = model(n, stream=stream)["out"]
    assert report.verdict == "clean"
    assert n.numpy()[0] == 2 and result.numpy()[0] == 20


def test_a_graph_that_fails(prog: lw.Program) -> None:
    with lw.Graph(inputs={"n": lw.TensorType("i32", (1,))}) as g:
        prog.fails[1, 1, g.stream](g.n)
        g.output(lw.map("a", g.n))
    model = g.compile()
    with lw.check() as report:
        with pytest.raises(lw.Error, match="assertion"):
            model(np.zeros(1, "i4"))
        prog.count[1, 1](zeros())  # the check goes on
    assert report.verdict == "not checked" and "assertion" in report.why
