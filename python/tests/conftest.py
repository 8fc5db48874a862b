"""The suite runs on the device that LANEWISE_DEVICE names, "cpu" without it."""
from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

import lanewise as lw

# Seeded and bounded: the same cases each time.
settings.register_profile("suite", derandomize=True, deadline=None, max_examples=25, database=None)
settings.load_profile("suite")


KERNELS = (Path(__file__).parent / "kernels.c").read_text()


@pytest.fixture(scope="session")
def kernels() -> lw.Program:
    return lw.compile(KERNELS)
