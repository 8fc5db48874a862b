"""processes.py - operations of Lanewise over the devices of several processes of JAX.

    python examples/jax/processes.py --number 0 & python examples/jax/processes.py --number 1

Those are two processes of this machine. Under Slurm or Open MPI, with --cluster, JAX finds the
others by itself:

    srun -n 64 python examples/jax/processes.py --cluster

Each process has some rows of a matrix. It compares its rows of the results with what one device
computes of the whole matrix.
"""
from __future__ import annotations

import argparse
import sys
from typing import Any, Callable

import jax
import numpy as np

import lanewise as lw
import lanewise.jax as lwj

ROWS = jax.sharding.PartitionSpec("rows")


@lw.op("processes::steps")
def steps(x: Any) -> Any:
    """An own operation: the softmax of the differences in each row."""
    return lw.softmax(lw.difference(x))


steps_in_jax = lwj.register(steps)


def total(x: Any) -> Any:
    """The sum of all rows: JAX moves them, and each device adds them in Lanewise's order."""
    return lwj.sum(jax.lax.all_gather(x, "rows", tiled=True))[None]


def is_same(got: Any, expected: Any) -> bool:
    return all(np.asarray(part.data).tobytes() == expected[part.index].tobytes()
               for part in got.addressable_shards)


def compare() -> bool:
    devices = jax.devices()
    mesh = jax.sharding.Mesh(np.array(devices), ("rows",))
    whole = np.random.default_rng(3).normal(size=(8 * len(devices), 1500)).astype("f4")
    x = jax.make_array_from_callback(
        whole.shape, jax.sharding.NamedSharding(mesh, ROWS), lambda index: whole[index])

    def over_all(f: Callable[[Any], Any]) -> Any:
        return jax.jit(jax.shard_map(f, mesh=mesh, in_specs=ROWS, out_specs=ROWS))(x)

    same = {"softmax": is_same(over_all(lwj.softmax), lw.softmax(whole)),
            "steps": is_same(over_all(steps_in_jax), steps(whole)),
            "sum": is_same(over_all(total), np.full(len(devices), lw.sum(whole)))}
    print(f"process {jax.process_index()} of {jax.process_count()}, {len(devices)} devices, "
          f"the bits of one: {same}")
    return all(same.values())


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cluster", action="store_true")
    parser.add_argument("--address", default="localhost:7345")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--number", type=int, default=0)
    words = parser.parse_args()
    if words.cluster:
        jax.distributed.initialize()
    else:
        jax.distributed.initialize(words.address, words.processes, words.number)
    same = compare()
    jax.distributed.shutdown()
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
