"""The sources of the site, in one folder: the project's pages as they are, and what is made of
headers, docstrings, the command's help and of files that pages link to.

    python docs/site/pages.py BUILD

It writes BUILD/docs-source, and leaves files alone that would not change: Sphinx then has little to
do. Pages keep their paths, so that their links stay right; README.md is index.md.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import headers
import pictures
import python_api

ROOT = Path(__file__).resolve().parents[2]
HEADERS = ["lanewise", "device", "launch", "ops", "dist", "check", "picture", "kernel",
           "kernel_maths"]
HEADERS += sorted({path.stem for path in (ROOT / "include/lanewise").glob("*.h")} - {*HEADERS})

TRACK = (ROOT / "examples/puzzles/track").read_text(encoding="utf-8").splitlines()
PUZZLES = [name for name in TRACK if name[:1] not in "#"]

# What stands in which section, in this order; pages behind a colon stand below the one before it.
# A page that is not there is an error. One of docs/ that is not named comes at the end of "Use".
SECTIONS = {
    "Learn": ["docs/tutorial",
              "docs/puzzles: " + " ".join(f"examples/puzzles/{name}/README" for name in PUZZLES),
              "docs/picture", "docs/cuda", "docs/coming-from-cuda", "docs/coming-from-numpy",
              "docs/array-api", "docs/faq",
              "docs/glossary"],
    "Use": ["docs/install", "docs/cli", "docs/python", "docs/frameworks", "docs/ahead-of-time",
            "docs/operations", "docs/graphs", "docs/many", "docs/checking: docs/checking/*",
            "docs/debugging", "docs/performance"],
    "Reference": ["docs/kernel-language", "docs/maths", "docs/order", "docs/layout",
                  "reference/lanewise.1", *(f"reference/{name}.h" for name in HEADERS),
                  "reference/python", "docs/versions", "CHANGELOG"],
    "How it works inside": ["docs/compiler: docs/compiler/* docs/compiler/*/*", "docs/decisions",
                            "docs/how-to-add", "docs/testing", "docs/bench", "docs/compile-cost",
                            "docs/style", "CONTRIBUTING", "SECURITY"],
}
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(#[^)\s]*)?(?=\))")
LANGUAGES = {".c": "c", ".h": "c", ".py": "python", ".json": "json"}


NAMED = " ".join(sum(SECTIONS.values(), [])).split()
SECTIONS["Use"] += sorted({f"docs/{path.stem}" for path in ROOT.glob("docs/*.md")} -
                          {word.rstrip(":") for word in NAMED})


def toctree(caption: str, names: list[str]) -> str:
    lines = ["", "```{toctree}", ":hidden:", ":glob:", ":maxdepth: 2"]
    return "\n".join(lines + [f":caption: {caption}"] * bool(caption) + ["", *names, "```", ""])


class Pages:
    def __init__(self, build: Path) -> None:
        self.build, self.to = build, build / "docs-source"
        self.made: set[Path] = set()
        self.files: set[str] = set()  # of the project, that pages link to

    def write(self, name: str, text: str | bytes) -> None:
        path = self.to / name
        data = text.encode() if isinstance(text, str) else text
        self.made.add(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)

    def sweep(self) -> None:
        """Files of a former time go."""
        for path in sorted(self.to.rglob("*"), reverse=True):
            if path.is_file() and path not in self.made:
                path.unlink()
            elif path.is_dir() and not any(path.iterdir()):
                path.rmdir()
        for path in (self.build / "docs").rglob("*.html"):
            name = path.relative_to(self.build / "docs").with_suffix("")
            if name.parent.parts and not any((self.to / f"{name}{end}").exists()
                                             for end in (".md", ".rst")):
                path.unlink()

    # ---- the project's pages ------------------------------------------------------------------

    def target(self, page: Path, match: re.Match[str]) -> str:
        """Where a link of a page leads on the site."""
        path, anchor = match.group(1), match.group(2) or ""
        if re.match(r"[a-z]+:", path):
            return path + anchor
        there = (page.parent / path).resolve()
        if there.suffix == ".svg":
            self.write(str(there.relative_to(ROOT)), there.read_bytes())
            return path + anchor
        up = "../" * len(page.relative_to(ROOT).parent.parts)
        if there == ROOT / "README.md":
            return f"{up}index.md{anchor}"
        if there.suffix == ".md":
            return path + anchor
        if there.parent.name == "lanewise" and there.suffix == ".h" and there.stem in HEADERS:
            return f"{up}reference/{there.name}.rst{anchor}"
        self.files.add(str(there.relative_to(ROOT)))
        return f"{up}source/{there.relative_to(ROOT)}.rst{anchor}"

    def page(self, path: Path) -> None:
        lines, code = [], False
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line.startswith("```"):
                code = not code
            if not code and not re.match(r" {4}[^ ]", line):
                pieces = re.split(r"(`[^`]*`)", line) if "](`" not in line else [line]
                line = "".join(piece if piece.startswith("`") else
                               LINK.sub(lambda m: self.target(path, m), piece) for piece in pieces)
            lines.append(line)
        name = str(path.relative_to(ROOT))
        text = pictures.embed("\n".join(lines), self.build, len(Path(name).parent.parts))
        if path.parent.name in PUZZLES:
            text += pictures.solution(path.parent, self.build, len(Path(name).parent.parts))
        if name == "README.md":
            name = "index.md"
            for title, rows in SECTIONS.items():
                text += toctree(title, [row.split(":")[0] for row in rows])
        self.write(name, text + self.below(name))

    def below(self, name: str) -> str:
        """The pages that stand below a page."""
        for row in sum(SECTIONS.values(), []):
            above, _, rest = row.partition(": ")
            if above + ".md" == name and rest:
                return toctree("", [f"/{word}" for word in rest.split()])
        return ""

    # ---- what is made -------------------------------------------------------------------------

    def source(self, name: str) -> None:
        """A file of the project that a page links to, with a link to itself."""
        path = ROOT / name
        language = LANGUAGES.get(path.suffix, "text")
        copy = f"source/{path.parent.relative_to(ROOT)}/{path.name}".replace("/./", "/")
        self.write(copy, path.read_bytes())
        text = f":orphan:\n\n{name}\n{'=' * len(name)}\n\n"
        text += f":download:`The file itself <{path.name}>`\n\n"
        text += f".. literalinclude:: {path.name}\n   :language: {language}\n"
        self.write(copy + ".rst", text)

    def headers(self) -> None:
        writer = headers.Writer()
        read = {n: headers.read(ROOT / "include/lanewise" / f"{n}.h") for n in HEADERS}
        for _, entries in read.values():
            writer.learn(entries)
        for name, (head, entries) in read.items():
            self.write(f"reference/{name}.h.rst", writer.page(f"{name}.h", head, entries))

    def manual(self) -> None:
        version = re.search(r"version: '(.*?)'", (ROOT / "meson.build").read_text()).group(1)
        command = [ROOT / "scripts/make-help", "page", ROOT / "cli/core/help.def", version]
        made = subprocess.run([sys.executable, *command], check=True, stdout=subprocess.PIPE)
        self.write("reference/lanewise.1.md", made.stdout)

    def all(self) -> None:
        for pattern in ("*.md", "docs/**/*.md", "examples/**/*.md"):
            for path in sorted(ROOT.glob(pattern)):
                self.page(path)
        self.headers()
        self.manual()
        self.write("reference/python.rst", python_api.page())
        for name in sorted(self.files):
            self.source(name)
        self.sweep()


Pages(Path(sys.argv[1]).resolve()).all()
