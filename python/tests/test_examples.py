"""The examples in Python run, on the device of the suite, and agree with NumPy."""
from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import lanewise as lw

pytestmark = pytest.mark.on_cpu

FOLDER = Path(__file__).parents[2] / "examples" / "python"
PARTS = {
    "own_kernel.py": ([], ["void blur(TENSOR", "at once: largest", "in a graph of "]),
    "own_operation.py": ([], ["refused: example::distances: need points (n, d)",
                              "the nearest of 5: point", "opcheck finds nothing"]),
    "dot_ladder.py": (["--n", "5000"], ["one_thread", "block_sums", "numpy.dot"]),
}


def run(name: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(FOLDER / name), *words], capture_output=True,
                          text=True, env=os.environ, timeout=120)


def test_all_are_here() -> None:
    assert sorted(PARTS) == sorted(p.name for p in FOLDER.glob("*.py"))


@pytest.mark.parametrize("name", PARTS)
def test_example(name: str) -> None:
    words, parts = PARTS[name]
    done = run(name, "--device", lw.default_device().name, *words)
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr
    assert [p for p in parts if p not in done.stdout] == []


def test_the_chart(tmp_path: Path) -> None:
    path = tmp_path / "ladder.svg"
    done = run("dot_ladder.py", "--n", "1000", "--chart", str(path))
    assert done.returncode == 0, done.stderr
    if importlib.util.find_spec("matplotlib"):
        assert path.read_text().startswith("<?xml")
    else:
        assert "no chart: matplotlib is not installed" in done.stdout and not path.exists()


def test_a_transformer_block_has_the_bits_of_c(tmp_path: Path) -> None:
    program = Path(lw.__file__).parents[2] / "examples" / "transformer_block"
    if not program.exists():
        pytest.skip("examples/transformer_block is not built")
    source = FOLDER.parent / "transformer" / "block.py"
    done = subprocess.run([sys.executable, source, "--device", lw.default_device().name, tmp_path],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "largest difference" in done.stdout, done.stderr
    subprocess.run([program, tmp_path, "cpu"], check=True, timeout=120)
    assert (tmp_path / "out_of_c").read_bytes() == (tmp_path / "out_of_python").read_bytes()
