"""The suite runs on the device that LANEWISE_DEVICE names, "cpu" without it."""
from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

if os.environ.get("LANEWISE_TEST_NO_ML_DTYPES"):
    sys.modules["ml_dtypes"] = None  # type: ignore[assignment] # as if it were not installed

import lanewise as lw

pytest_plugins = ["lanewise.pytest_plugin"]  # docs/python.md shows its marker

# Seeded and bounded: the same cases each time.
settings.register_profile("suite", derandomize=True, deadline=None, max_examples=25, database=None)
settings.load_profile("suite")


KERNELS = (Path(__file__).parent / "kernels.c").read_text()


@pytest.fixture(scope="session")
def kernels() -> lw.Program:
    return lw.compile(KERNELS)
