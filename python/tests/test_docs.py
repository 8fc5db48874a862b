"""docs/python.md is true: its blocks run one after the other, and give what they say.

A block of C that begins with a comment of a file's name is that file. An expression whose comment
begins as a value does, says its result.
"""
from __future__ import annotations

import ast
import doctest
import re
from pathlib import Path
from typing import Any

import pytest

import lanewise as lw

PAGE = Path(__file__).parents[2] / "docs" / "python.md"
VALUE = re.compile(r"  +# ((array\(|\[|\(|\{|[0-9.]+$|True|False|np\.|lanewise\.|').*)")


def run_block(text: str, line: int, names: dict[str, Any]) -> int:
    """Run each statement; how many results were compared."""
    compared, lines = 0, text.split("\n")
    for node in ast.parse(text).body:
        said = VALUE.search(lines[node.end_lineno - 1])  # type: ignore[operator]
        place = f"{PAGE.name}:{line + node.lineno}"
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
