"""Pictures in a page, live: where a page has a command

    lanewise picture fold.c 'f32[1]' 'f32[8]=iota' 'f32[8]=iota' -o fold.html

the site runs it, and shows the page that it writes below the command. Files that the command reads
are blocks of code of the same page whose first line is `// NAME.c`, as in tests/cli/docs.sh. A
puzzle's page ends with the solution at work, folded away.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
from pathlib import Path

COMMAND = re.compile(r"^    (lanewise picture .*-o ([\w-]+\.html).*)$")
FRAME = """
```{{raw}} html
<figure class="picture">
<iframe src="{path}" title="Picture: {name}" loading="lazy"></iframe>
<figcaption><a href="{path}">On a page of its own</a>. The arrow keys go through the steps.
</figcaption>
</figure>
```
"""


SOLUTION = """
```{{raw}} html
<details><summary>Our solution at work</summary>
<figure class="picture">
<iframe src="{path}" title="Picture: a solution of {name}" loading="lazy"></iframe>
<figcaption><a href="{path}">On a page of its own</a>. The arrow keys go through the steps.
</figcaption>
</figure>
</details>
```
"""


def files(lines: list[str]) -> dict[str, str]:
    """Blocks of C that have a name."""
    made: dict[str, str] = {}
    for block in re.findall(r"^```c\n// (\w+\.c)\n(.*?)^```", "\n".join(lines), re.M | re.S):
        made[block[0]] = block[1]
    return made


def run(command: str | list[str], folder: Path | str, build: Path) -> None:
    environment = dict(os.environ, PATH=f"{build}:{os.environ['PATH']}")
    done = subprocess.run(command, shell=isinstance(command, str), cwd=folder, env=environment,
                          text=True, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):  # 1: the checker has found something
        raise SystemExit(f"{command}\n{done.stderr}")


def out(build: Path, name: str) -> Path:
    folder = build / "docs-pictures" / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / name


def draw(command: str, name: str, build: Path, sources: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for file, text in sources.items():
            (Path(folder) / file).write_text(text)
        run(command, folder, build)
        out(build, name).write_bytes((Path(folder) / name).read_bytes())


def solution(folder: Path, build: Path, depth: int) -> str:
    """What `learn --picture` draws: the line `picture` of check.txt, or else the first `run`."""
    rows = (folder / "check.txt").read_text().split("\n")
    drawn = [row for word in ("picture", "run") for row in rows if row.split()[:1] == [word]]
    name = f"puzzle-{folder.name}.html"
    words = shlex.split(drawn[0])[1:]
    run(["lanewise", "picture", "solution.c", "-o", str(out(build, name)), *words], folder, build)
    return SOLUTION.format(path="../" * depth + "pictures/" + name, name=folder.name)


def embed(text: str, build: Path, depth: int) -> str:
    lines, made, waiting = text.split("\n"), [], []
    for line in lines:
        if waiting and not line.startswith("    "):
            made += waiting
            waiting = []
        made.append(line)
        match = COMMAND.match(line)
        if match:
            command, name = match.groups()
            draw(re.sub(r"   +\S.*$", "", command), name, build, files(lines))
            path = "../" * depth + "pictures/" + name
            waiting += FRAME.format(path=path, name=name[:-5]).split("\n")
    return "\n".join(made + waiting)
