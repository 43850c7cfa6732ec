"""The same on the ranks of MPI: each counts its slice of the randoms, rank 0 merges. Needs mpi4py.

    mpirun -n 4 python examples/python/mpi_parts.py
"""

import numpy as np
from mpi4py import MPI

import albireo

comm = MPI.COMM_WORLD
rng = np.random.default_rng(5)
galaxies, randoms = rng.random((2_000, 3)) * 100, rng.random((20_000, 3)) * 100
part = np.array_split(randoms, comm.size)[comm.rank]
counted = albireo.count(galaxies, part, bins="lin:0:20:8", box=100, engine="cpu", threads=1)
# Results are pickled whole, with everything about how they were made.
parts = comm.gather(counted, root=0)
if comm.rank == 0:
    print(albireo.merge(*parts).npairs)
