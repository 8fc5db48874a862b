"""lw.picture: a launch on "ref", recorded; what a notebook shows."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import lanewise as lw

pytestmark = pytest.mark.on_cpu

SOURCE = """
#include <lanewise/kernel.h>
KERNEL void fold(float *x)
{
    SHARED float part[8];
    int t = thread_idx.x;
    part[t] = x[global_idx.x];
    for (int half = 4; half > 0; half /= 2) {
        barrier();
        if (t < half)
            part[t] += part[t + half];
        trace("part", part[t]);
    }
    if (t == 0)
        x[global_idx.x] = part[0];
}
KERNEL void race(int *n) { *n += 1; }
KERNEL void outside(float *x) { x[thread_idx.x + 6] = 1; }
"""


@pytest.fixture(scope="module")
def prog() -> lw.Program:
    return lw.compile(SOURCE)


def test_steps(prog: lw.Program, tmp_path: Path) -> None:
    x = np.arange(16, dtype="f4")
    picture = lw.picture(prog.fold, 2, 8, [x], at=1)
    assert x[0] == 28 and x[8] == 92, "the arrays are written as by a launch"
    assert picture.recording["at"] == [1, 0, 0]
    assert picture.recording["source"] == SOURCE
    assert [len(s["trace"]) for s in picture.recording["steps"]] == [0, 1, 1, 1, 0]
    assert repr(picture) == "<lanewise.Picture of fold: block (1, 0, 0), 5 steps>"
    for end in ".html", ".svg", ".json":
        picture.save(tmp_path / f"fold{end}")
    assert json.loads((tmp_path / "fold.json").read_text()) == picture.recording
    assert (tmp_path / "fold.svg").read_text() == picture.svg
    with pytest.raises(lw.ArgumentError, match="ends neither in .html"):
        picture.save(tmp_path / "fold.png")


def test_full_disk(prog: lw.Program, tmp_path: Path, full_disk: Callable[[], Any]) -> None:
    picture = lw.picture(prog.fold, 1, 8, [np.zeros(8, "f4")])
    with full_disk(), pytest.raises(OSError, match="File too large"):
        picture.save(tmp_path / "fold.svg")
    assert not list(tmp_path.iterdir())


def test_notebook(prog: lw.Program) -> None:
    shown = lw.picture(prog.fold, 1, 8, [np.zeros(8, "f4")])._repr_html_()
    assert shown.startswith("<iframe") and "srcdoc=" in shown
    assert "<script" not in shown, "the page is an attribute, escaped"


def test_checked(prog: lw.Program) -> None:
    n = np.zeros(1, "i4")
    assert lw.picture(prog.race, 1, 4, [n]).recording["findings"] == []
    found = lw.picture(prog.race, 1, 4, [n], check=True).recording["findings"]
    assert found[0]["class"] == "race-warp"


def test_mistakes(prog: lw.Program) -> None:
    x = np.zeros(8, "f4")
    with pytest.raises(lw.ArgumentError, match="it has no block"):
        lw.picture(prog.fold, 1, 8, [x], at=(0, 3))
    with pytest.raises(lw.ArgumentError, match="need a kernel"):
        lw.picture(max, 1, 8, [x])  # type: ignore[arg-type]
    with pytest.raises(lw.LaunchError, match="outside"):
        lw.picture(prog.outside, 1, 8, [x])
