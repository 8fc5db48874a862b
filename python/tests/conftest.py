"""The suite runs on the device that LANEWISE_DEVICE names, "cpu" without it."""
from __future__ import annotations

import contextlib
import gc
import os
import resource
import sys
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np
import pytest
from hypothesis import settings

if os.environ.get("LANEWISE_TEST_NO_ML_DTYPES"):
    sys.modules["ml_dtypes"] = None  # type: ignore[assignment] # as if it were not installed

import lanewise as lw

pytest_plugins = ["lanewise.pytest_plugin"]  # docs/python.md shows its marker

FULL = bool(os.environ.get("LANEWISE_TEST_FULL"))  # python/tests/run --full

# Seeded and bounded: the same cases each time.
settings.register_profile("suite", derandomize=True, deadline=None, max_examples=25 if FULL else 10,
                          database=None)
settings.load_profile("suite")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "full: only with --full")
    config.addinivalue_line("markers", "on_cpu: without --full not on ref, where the same code of "
                            "the package would run once more")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if FULL:
        return
    marks = {"full"} | ({"on_cpu"} if os.environ.get("LANEWISE_DEVICE") == "ref" else set())
    left_out = [item for item in items if any(m.name in marks for m in item.iter_markers())]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


KERNELS = (Path(__file__).parent / "kernels.c").read_text()


LAYOUTS = ["plain", "reversed", "transposed", "strided"]


def laid_out(x: np.ndarray, layout: str) -> np.ndarray:
    """The values in memory of another order; transposed, also the axes."""
    if layout == "reversed" and x.ndim:
        return x[::-1]
    if layout == "strided" and x.ndim:
        return np.repeat(x, 2, axis=-1)[..., ::2]
    return x.T if layout == "transposed" else x


def pytest_collection_finish() -> None:
    """Collections of garbage look at none of the objects that JAX and others have made by then."""
    gc.collect()
    gc.freeze()


@contextlib.contextmanager
def _small_files() -> Iterator[None]:
    """A disk on which no file has more than 64 bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture(scope="session")
def full_disk() -> Callable[[], Any]:
    return _small_files


@pytest.fixture(scope="session")
def full() -> bool:
    return FULL


@pytest.fixture(scope="session")
def kernels() -> lw.Program:
    return lw.compile(KERNELS)
