"""counts.py - what `lanewise run --count` says of a kernel, beside a GPU's own counters.

    python3 bench/counts.py [--json FILE] [BUILD]

Runs each kernel on `ref` with --count, and on `cuda` under Nsight Compute (ncu), whose counters of
the first cache's requests and sectors and of block memory's passes are the same quantities. Needs
ncu on the PATH and a GPU whose counters may be read; without ncu only our own counts are shown.
"""
from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

SMALL = {
    "strided": """/* a lane reads every fourth element: 4 sectors become 16 */
KERNEL void strided(float *out, const float *a, int n)
{
    int i = global_idx.x;
    if (i < n)
        out[i] = a[4 * i];
}
""",
    "gather": """/* a lane reads where an index says */
KERNEL void gather(float *out, const float *a, const int *at, int n)
{
    int i = global_idx.x;
    if (i < n)
        out[i] = a[at[i] & 16383];
}
""",
    "columns": """/* a lane reads down a column of a tile: 32 lanes, one bank */
KERNEL BLOCK(32, 8) void columns(float *out, const float *a)
{
    SHARED float tile[32][32];
    int x = thread_idx.x, y = thread_idx.y;
    size_t first = (size_t)block_idx.x * 1024;
    for (int k = 0; k < 32; k += 8)
        tile[y + k][x] = a[first + (y + k) * 32 + x];
    barrier();
    for (int k = 0; k < 32; k += 8)
        out[first + (y + k) * 32 + x] = tile[x][y + k];
}
""",
    "every_second": """/* lanes two words apart: two passes */
KERNEL BLOCK(128) void every_second(float *out, const float *a)
{
    SHARED float part[256];
    int t = thread_idx.x;
    size_t first = (size_t)block_idx.x * 256;
    part[t] = a[first + t];
    part[t + 128] = a[first + t + 128];
    barrier();
    out[first + t] = part[2 * t];
    out[first + t + 128] = part[(2 * t + 1) % 256];
}
""",
}

# Kernel, grid, block, arguments. Of bench/kernels where the name is not above.
ROWS = [
    ("average", "256", "256", ["f32[65536]", "f32[65536]=rand:1", "65536"]),
    ("difference", "256", "256", ["f32[65536]", "f32[65536]=rand:1", "65536"]),
    ("dot_tree", "256", "256", ["f32[256]", "f32[65536]=rand:1", "f32[65536]=rand:1", "65536"]),
    ("transpose", "8,8", "32,8", ["256", "256", "f32[256,256]", "f32[256,256]=rand:1"]),
    ("stencil", "16,16", "16,16", ["256", "256", "f32[256,256]", "f32[256,256]=rand:1"]),
    ("matmul", "8,8", "16,16",
     ["128", "f32[128,128]", "f32[128,128]=rand:1", "f32[128,128]=rand:1"]),
    ("strided", "64", "256", ["f32[16384]", "f32[65536]=rand:1", "16384"]),
    ("gather", "64", "256",
     ["f32[16384]", "f32[16384]=rand:1", "i32[16384]=rand:1", "16384"]),
    ("columns", "16", "32,8", ["f32[16384]", "f32[16384]=rand:1"]),
    ("every_second", "64", "128", ["f32[16384]", "f32[16384]=rand:1"]),
]

# Ours, and the sum of these counters.
GLOBAL, BLOCK = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum", "pipe_lsu_wavefronts_mem_shared_op_"
COUNTERS = {
    "global_requests": [GLOBAL.format("requests", op) for op in ("ld", "st")],
    "sectors": [GLOBAL.format("sectors", op) for op in ("ld", "st")],
    "block_requests": [f"smsp__inst_executed_op_shared_{op}.sum" for op in ("ld", "st")],
    "passes": [f"l1tex__data_{BLOCK}{op}.sum" for op in ("ld", "st")],
}


def command(build: str, folder: str, row: tuple, device: str, *options: str) -> list[str]:
    name, grid, block, arguments = row
    here = os.path.dirname(os.path.abspath(__file__))
    source = os.path.join(here, "kernels", name + ".c")
    if name in SMALL:
        source = os.path.join(folder, name + ".c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <lanewise/kernel.h>\n" + SMALL[name])
    return [os.path.join(build, "lanewise"), "run", "-d", device, "-g", grid, "-b", block,
            *options, source, *arguments]


def ours(build: str, folder: str, row: tuple) -> dict[str, int]:
    done = subprocess.run(command(build, folder, row, "ref", "--count", "--json"),
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{row[0]}: {done.stderr or done.stdout}")
    counts = json.loads(done.stdout)["counts"]
    return {name: int(counts[name]) for name in COUNTERS}


def theirs(build: str, folder: str, row: tuple) -> dict[str, int]:
    names = [name for group in COUNTERS.values() for name in group]
    done = subprocess.run(["ncu", "--csv", "--page", "raw", "--clock-control", "none",
                           "--print-units", "base", "--metrics", ",".join(names),
                           *command(build, folder, row, "cuda")],
                          capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    if done.returncode or len(lines) < 3:
        sys.exit(f"{row[0]}: ncu says\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
    head, _, *launches = list(csv.reader(lines))
    first = dict(zip(head, launches[0]))
    return {ours: sum(int(float(first[name].replace(",", ""))) for name in group)
            for ours, group in COUNTERS.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("build", nargs="?", default="build")
    options = parser.parse_args()
    has_ncu = shutil.which("ncu") is not None
    if not has_ncu:
        print("no ncu on the PATH: our own counts alone")
    table = []
    print(f"{'kernel':14}" + "".join(f"{name:>26}" for name in COUNTERS))
    with tempfile.TemporaryDirectory() as folder:
        for row in ROWS:
            mine = ours(options.build, folder, row)
            gpu = theirs(options.build, folder, row) if has_ncu else {}
            table.append({"kernel": row[0], "ours": mine, "ncu": gpu})
            cells = [f"{mine[n]} / {gpu.get(n, '-')}" for n in COUNTERS]
            print(f"{row[0]:14}" + "".join(f"{cell:>26}" for cell in cells), flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(table, file, indent=1)


if __name__ == "__main__":
    main()
