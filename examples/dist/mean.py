"""The mean of numbers that the ranks of MPI hold parts of; its bits do not depend on their number.

    mpirun -n 1 python3 mean.py
    mpirun -n 4 python3 mean.py
"""
import numpy as np

import lanewise as lw

N = 1_000_001

comm = lw.dist.mpi()
first, end = N * comm.rank // comm.size, N * (comm.rank + 1) // comm.size
x = 1 / np.arange(first + 1, end + 1, dtype="f4")
mean = lw.dist.mean(comm, x, part=(N, first))
if comm.rank == 0:
    print(float(mean).hex())
