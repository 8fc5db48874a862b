"""The examples of the docstrings are run. What they print names the device cpu."""
from __future__ import annotations

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import lanewise as lw

pytestmark = pytest.mark.on_cpu

MODULES = ["lanewise", *(f"lanewise.{m.name}" for m in pkgutil.iter_modules(lw.__path__)
                         if m.name not in ("_core", "__main__"))]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    for package in ("jax", "torch"):
        if package in name:
            pytest.importorskip(package, reason=f"{package} is not installed")
    old = lw.default_device()
    lw.default_device("cpu")
    try:
        failed, _ = doctest.testmod(importlib.import_module(name), extraglobs={"lw": lw, "np": np})
    finally:
        lw.default_device(old)
    assert failed == 0


def test_every_public_name_has_a_docstring() -> None:
    for name in lw.__all__:
        thing = getattr(lw, name)
        if callable(thing) and name != "bfloat16":
            assert thing.__doc__, name
