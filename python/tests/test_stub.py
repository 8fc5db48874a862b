"""Each name of the stub is there, with the signature that the stub says."""
from __future__ import annotations

import ast
import builtins
import importlib
import importlib.util
import inspect
import sys
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import lanewise as lw

STUB = ast.parse((Path(lw.__file__).parent / "__init__.pyi").read_text())
TOP = list(STUB.body)
FUNCTIONS = [node for node in TOP if isinstance(node, ast.FunctionDef)]
CLASSES = [node for node in TOP if isinstance(node, ast.ClassDef)]
MEMBERS = [(cls.name, node) for cls in CLASSES for node in cls.body
           if isinstance(node, (ast.FunctionDef, ast.AnnAssign))]
Words = list[tuple[str, Any, Any]]


def stub_words(node: ast.FunctionDef) -> Words:
    """Name, kind and default of each parameter."""
    def default(value: ast.expr | None) -> Any:
        return inspect.Parameter.empty if value is None else ast.literal_eval(value)

    a, kinds = node.args, inspect.Parameter
    lead = [None] * (len(a.args) - len(a.defaults)) + list(a.defaults)
    words = [(x.arg, kinds.POSITIONAL_ONLY, default(None)) for x in a.posonlyargs]
    words += [(x.arg, kinds.POSITIONAL_OR_KEYWORD, default(d)) for x, d in zip(a.args, lead)]
    if a.vararg:
        words.append((a.vararg.arg, kinds.VAR_POSITIONAL, kinds.empty))
    words += [(x.arg, kinds.KEYWORD_ONLY, default(d)) for x, d in zip(a.kwonlyargs, a.kw_defaults)]
    if a.kwarg:
        words.append((a.kwarg.arg, kinds.VAR_KEYWORD, kinds.empty))
    return words


def real_words(thing: Callable[..., Any]) -> Words:
    return [(p.name, p.kind, p.default) for p in inspect.signature(thing).parameters.values()]


def kinds_of(node: ast.FunctionDef) -> set[str]:
    return {d.id for d in node.decorator_list if isinstance(d, ast.Name)}


@pytest.fixture(scope="module")
def instances() -> dict[str, Any]:
    """One of each class that has attributes."""
    with lw.Graph(inputs={"x": lw.TensorType("f32", (2,))}) as g:
        g.output(lw.map("a + 1", g.x))
    model = g.compile()
    prog = lw.compile("#include <lanewise/kernel.h>\nKERNEL void f(int *x) { x[0] = 1; }\n")

    @lw.op("stub::op", source="#include <lanewise/kernel.h>\nKERNEL void f(int *x) { x[0] = 1; }\n")
    def made(x: Any) -> Any:
        return lw.map("a", x)

    return {"Device": lw.default_device(), "DeviceInfo": lw.devices()[0], "Stream": lw.stream(),
            "Array": lw.zeros((2, 2)), "CompileError": lw.CompileError("x"), "Kernel": prog.f,
            "CheckError": lw.CheckError("x"), "Report": lw.Report(),
            "Picture": lw.picture(prog.f, 1, 1, [np.zeros(1, "i4")]),
            "Program": prog, "Op": made, "Plan": model.plan,
            "TensorType": lw.TensorType("f32", (2,)), "Symbol": g.x, "Model": model, "Graph": g}


def test_the_names_are_those_of_the_stub() -> None:
    assigned = [n.target.id for n in TOP if isinstance(n, ast.AnnAssign)]
    names = [n.name for n in [*FUNCTIONS, *CLASSES]] + assigned
    assert len(names) > 60 and [n for n in names if not hasattr(lw, n)] == []
    assert sorted(lw.__all__) == sorted(n for n in names if n != "__version__")


def test_modules_have_no_other_names() -> None:
    modules = [lw, lw.array_api, lw.dist]
    for name in ("jax", "torch"):
        if importlib.util.find_spec(name) is not None and sys.modules.get("ml_dtypes", 0):
            modules.append(importlib.import_module(f"lanewise.{name}"))
    inside = {m.__name__.partition(".")[2] for m in modules} | {"pytest_plugin"}
    for module in modules:
        names = {n for n in dir(module) if not n.startswith("_")}
        assert names - (inside if module is lw else set()) == set(module.__all__)
        assert all(hasattr(module, n) for n in names) and not hasattr(module, "annotations")


def test_what_the_stub_uses_is_imported() -> None:
    imported = {(n.asname or n.name).partition(".")[0] for node in TOP
                if isinstance(node, (ast.Import, ast.ImportFrom)) for n in node.names}
    used = {node.id for node in ast.walk(STUB)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    own = {n.name for n in [*FUNCTIONS, *CLASSES]} | {
        node.id for line in TOP if isinstance(line, (ast.Assign, ast.AnnAssign))
        for node in ast.walk(line)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    assert used - own - set(dir(builtins)) <= imported
    assert imported - {"array_api", "dist"} <= used


@pytest.mark.parametrize("node", FUNCTIONS, ids=lambda node: node.name)
def test_functions(node: ast.FunctionDef) -> None:
    assert real_words(getattr(lw, node.name)) == stub_words(node)


@pytest.mark.parametrize("cls, node", [m for m in MEMBERS if isinstance(m[1], ast.FunctionDef)],
                         ids=lambda x: x if isinstance(x, str) else x.name)
def test_methods(cls: str, node: ast.FunctionDef, instances: dict[str, Any]) -> None:
    kinds, words = kinds_of(node), stub_words(node)
    if "property" in kinds:
        try:
            getattr(instances[cls], node.name)
        except lw.UnsupportedError:
            pass
    elif node.name == "__init__":
        assert real_words(getattr(lw, cls)) == words[1:]
    elif "staticmethod" in kinds:
        assert real_words(getattr(getattr(lw, cls), node.name)) == words
    elif node.name.startswith("__"):
        assert callable(getattr(getattr(lw, cls), node.name))
    else:
        assert real_words(getattr(getattr(lw, cls), node.name))[1:] == words[1:]


@pytest.mark.parametrize("cls, node", [m for m in MEMBERS if isinstance(m[1], ast.AnnAssign)],
                         ids=lambda x: x if isinstance(x, str) else x.target.id)
def test_attributes(cls: str, node: ast.AnnAssign, instances: dict[str, Any]) -> None:
    assert isinstance(node.target, ast.Name)
    name, thing = node.target.id, instances[cls]
    if name == "__cuda_array_interface__":
        assert isinstance(getattr(lw.Array, name), property)
        return
    value, wanted = getattr(thing, name), ast.unparse(node.annotation)
    types = {"str": str, "int": int, "bool": bool, "tuple": tuple, "list": list, "dict": dict,
             "np.dtype": np.dtype, "Literal": str}
    needed = types.get(wanted.partition("[")[0]) or getattr(lw, wanted.strip("'\""))
    assert isinstance(value, needed), (value, wanted)


@pytest.mark.parametrize("node", [n for n in CLASSES if n.bases], ids=lambda node: node.name)
def test_bases(node: ast.ClassDef) -> None:
    bases = [getattr(lw, ast.unparse(b), None) or getattr(__import__("builtins"), ast.unparse(b))
             for b in node.bases]
    assert all(issubclass(getattr(lw, node.name), base) for base in bases)
