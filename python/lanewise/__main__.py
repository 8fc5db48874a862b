"""`python -m lanewise`: the command lanewise."""
from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

_HERE = Path(__file__).parent


def main() -> None:
    """Become the command: the package's own, or the one on PATH."""
    own = _HERE / "_lib" / "bin" / "lanewise"
    command = str(own) if own.exists() else shutil.which("lanewise")
    if command is None:
        sys.exit("lanewise: the command is neither in the package nor on PATH")
    os.execv(command, ["lanewise", *sys.argv[1:]])


if __name__ == "__main__":
    main()
