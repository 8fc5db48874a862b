"""The reference of the Python package: the names of its stub, with signatures and docstrings of the
package as it is.

The stub has the names in sections, `# ---- devices, streams, arrays`. A public name of the package
that the stub lacks is an error. The modules for JAX and PyTorch are read as text, since they can be
imported only where these are installed.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path
from typing import Any

MODULES = ("jax", "torch")


def sections(stub: Path) -> list[tuple[str, list[str]]]:
    made: list[tuple[str, list[str]]] = [("", [])]
    for line in stub.read_text(encoding="utf-8").split("\n"):
        title = re.match(r"# -{4} (.*)", line)
        name = re.match(r"(?:class|def) ([A-Za-z]\w*)", line)
        if title:
            made.append((title.group(1).split(":")[0], []))
        elif name:
            made[-1][1].append(name.group(1))
    return [(title, names) for title, names in made if names]


def members(thing: Any) -> list[str]:
    """Public ones with a docstring, as they stand in the class."""
    return [name for name, value in vars(thing).items()
            if not name.startswith("_") and inspect.getdoc(value) and value is not None and
            (callable(value) or isinstance(value, (property, staticmethod)) or
             inspect.isdatadescriptor(value))]


def describe(package: Any, name: str) -> list[str]:
    thing = getattr(package, name)
    if not inspect.isclass(thing):
        return ["", f".. autofunction:: lanewise.{name}"]
    made = ["", f".. autoclass:: lanewise.{name}"]
    if not issubclass(thing, BaseException):
        made += ["   :members: " + ", ".join(members(thing))] if members(thing) else []
    return made


def docstring(node: ast.AST) -> list[str]:
    """Its lines as reStructuredText, but for examples."""
    lines = (ast.get_docstring(node) or "").split("\n")
    text = [line if line.startswith((">>>", "...")) else line.replace("**", r"\*\*")
            for line in lines]
    return [re.sub(r"docs/([\w-]+)\.md", r":doc:`/docs/\1`", line) for line in text]


def module(path: Path) -> list[str]:
    """The public functions of a module that is not imported, and what its docstring says."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    title = f"lanewise.{path.stem}"
    made = ["", title, "-" * len(title), "", *docstring(tree)]
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
            continue
        arguments = node.args
        for each in arguments.posonlyargs + arguments.args + arguments.kwonlyargs:
            each.annotation = None
        made += ["", f".. py:function:: {title}.{node.name}({ast.unparse(arguments)})", ""]
        made += ["   " + line if line else "" for line in docstring(node)]
    return made


def page() -> str:
    package = importlib.import_module("lanewise")
    stub = Path(package.__file__).parent / "__init__.pyi"
    title = "The package lanewise"
    made = [title, "=" * len(title), "",
            ":doc:`/docs/python` explains it, with examples. ``import lanewise as lw``."]
    found = set()
    for heading, names in sections(stub):
        heading = heading[:1].upper() + heading[1:]
        made += ["", heading, "-" * len(heading)]
        for name in dict.fromkeys(names):
            made += describe(package, name)
            found.add(name)
    left = [n for n in package.__all__ if n not in found and n != "bfloat16" and
            not inspect.ismodule(getattr(package, n))]
    if left:
        raise SystemExit(f"{stub} lacks public names of the package: {' '.join(left)}")
    for name in MODULES:
        made += module(stub.parent / f"{name}.py")
    return "\n".join(made) + "\n"
