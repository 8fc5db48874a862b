"""Pages of docs/ are true: python.md, coming-from-numpy.md, array-api.md, frameworks.md. Their
blocks run one after the other, and give what they say. A framework's section runs in a process of
its own, if the framework is installed.

A block of C that begins with a comment of a file's name is that file. An expression whose comment
begins as a value does, says its result.
"""
from __future__ import annotations

import ast
import doctest
import functools
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lanewise as lw

pytestmark = pytest.mark.on_cpu

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "python.md"
VALUE = re.compile(r"  +# ((array\(|Array\(|tensor\(|\[|\(|\{|[0-9.]+$|True|False|np\.|"
                   r"lanewise\.|').*)")


def run_block(text: str, line: int, names: dict[str, Any], page: str = PAGE.name) -> int:
    """Run each statement; how many results were compared."""
    compared, lines = 0, text.split("\n")
    for node in ast.parse(text).body:
        said = VALUE.search(lines[node.end_lineno - 1])  # type: ignore[operator]
        place = f"{page}:{line + node.lineno}"
        if isinstance(node, ast.Expr):
            value = eval(compile(ast.Expression(node.value), place, "eval"), names)
            if said:
                assert repr(value) == said[1].strip(), place
                compared += 1
        else:
            exec(compile(ast.Module([node], []), place, "exec"), names)
    return compared


def test_every_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page, names, compared = PAGE.read_text(), dict[str, Any](), 0
    old = lw.default_device()
    lw.default_device("cpu")  # which the page shows
    try:
        for found in re.finditer(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S):
            kind, text = found[1], found[2]
            line = page[:found.start()].count("\n") + 1
            name = re.match(r"/\* (\w+\.c)", text)
            if kind == "c" and name:
                Path(name[1]).write_text(text)
            elif kind == "python" and text.startswith(">>>"):
                test = doctest.DocTestParser().get_doctest(text, names, "page", PAGE.name, line)
                runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
                assert runner.run(test, clear_globs=False).failed == 0
                names.update(test.globs)
                compared += len(test.examples)
            elif kind == "python":
                compared += run_block(text, line, names)
    finally:
        lw.default_device(old)
    assert compared >= 8


def test_all_blocks_are_of_a_kind_that_runs() -> None:
    kinds = re.findall(r"^```(\w*)$", PAGE.read_text(), re.M)
    assert set(kinds) == {"", "python", "c"} and kinds.count("python") >= 8


def test_the_names_of_numpy() -> None:
    """Each name of the tables is NumPy's or ours, the block runs, and all functions are there."""
    page, ours = (DOCS / "coming-from-numpy.md").read_text(), set[str]()
    for row in re.findall(r"^\| (`.*)\|$", page, re.M):
        numpys, lanewises, _ = re.split(r" \| ?", row, maxsplit=2)
        for package, text in ((np, numpys), (lw, lanewises)):
            for name in re.findall(r"`([\w.]+)`", text):
                assert functools.reduce(getattr, name.split("."), package)
        ours |= set(re.findall(r"`(\w+)", lanewises))
    modules = [importlib.import_module(f"lanewise._{name}") for name in
               ("creation", "shaping", "joining", "statistics", "products", "sets")]
    assert not {name for module in modules for name in module.__all__} - ours


@pytest.mark.parametrize("name, compared", [("coming-from-numpy.md", 4), ("array-api.md", 1)])
def test_the_block_of_a_page(name: str, compared: int) -> None:
    page = (DOCS / name).read_text()
    names: dict[str, Any] = {}
    assert sum(run_block(block[1], page[:block.start()].count("\n") + 1, names, name)
               for block in re.finditer(r"^```python\n(.*?)^```$", page, re.M | re.S)) == compared


def run_section(title: str) -> None:
    """Run a section of docs/frameworks.md. Prints how many results were compared."""
    page = (DOCS / "frameworks.md").read_text()
    section = re.search(rf"^## {title}\n.*?(?=^## |\Z)", page, re.M | re.S)
    assert section
    names, compared = dict[str, Any](), 0
    for found in re.finditer(r"^```(python|c)\n(.*?)^```$", section[0], re.M | re.S):
        line = page[:section.start() + found.start()].count("\n") + 1
        if found[1] == "python":
            compared += run_block(found[2], line, names, "frameworks.md")
            continue
        file = re.match(r"/\* (\w+\.c)", found[2])
        assert file
        Path(file[1]).write_text(found[2])
    print(compared)


@pytest.mark.parametrize("title, package, least", [("JAX", "jax", 8), ("PyTorch", "torch", 5)])
def test_a_framework(title: str, package: str, least: int, tmp_path: Path) -> None:
    if importlib.util.find_spec(package) is None or sys.modules.get("ml_dtypes", 0) is None:
        pytest.skip(f"{title} is not installed")
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    code = f"import test_docs\ntest_docs.run_section('{title}')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          cwd=tmp_path, timeout=300,
                          env={**os.environ, "PYTHONPATH": path, "LANEWISE_DEVICE": "cpu"})
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= least
