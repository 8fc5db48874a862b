"""The clang 19 of the package ziglang, which `pip install "lanewise[compiler]"` brings."""
from __future__ import annotations

import importlib.util
import os
from pathlib import Path

_VERSION = "0.14.1"  # zig's release with clang 19.1.7


def choose() -> None:
    """Set LANEWISE_CLANG, for this process and its children, unless it is set."""
    if "LANEWISE_CLANG" in os.environ:
        return
    found = importlib.util.find_spec("ziglang")
    if found is None or found.origin is None:
        return
    folder = Path(found.origin).parent
    zig = folder / "zig"
    if zig.exists() and (folder.parent / f"ziglang-{_VERSION}.dist-info").is_dir():
        os.environ["LANEWISE_CLANG"] = str(zig)
