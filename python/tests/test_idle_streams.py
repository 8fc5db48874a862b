"""Calls without a stream borrow an idle one, with its scratch memory."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

STATM = Path("/proc/self/statm")

# In a process of its own, whose streams have no memory yet.
PROGRAM = """
import os
import numpy as np
import lanewise as lw

def resident_bytes():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

x = np.random.default_rng(0).random(1 << 22)
before = resident_bytes()
lw.argsort(x)
print((resident_bytes() - before) // x.size)
"""


@pytest.mark.skipif(os.environ.get("LANEWISE_DEVICE", "cpu") != "cpu" or not STATM.exists(),
                    reason="memory of the host")
def test_a_long_operation_gives_its_stream_back() -> None:
    """It takes more than the 50 ms of one wait. Its scratch memory stays: 24 bytes an element."""
    got = subprocess.run([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, check=True)
    assert int(got.stdout) > 16
