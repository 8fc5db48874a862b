"""Calls without a stream borrow an idle one, with its scratch memory."""
from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import lanewise as lw

STATM = Path("/proc/self/statm")


def resident_bytes() -> int:
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(os.environ.get("LANEWISE_DEVICE", "cpu") != "cpu" or not STATM.exists(),
                    reason="memory of the host")
def test_a_long_operation_gives_its_stream_back() -> None:
    """It takes more than the 50 ms of one wait. Its scratch memory stays: 24 bytes an element."""
    x = np.random.default_rng(0).random(1 << 22)
    before = resident_bytes()
    lw.argsort(x)
    assert resident_bytes() - before > 16 * x.size
