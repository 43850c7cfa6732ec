"""Writes desi_distances.csv: H(z)/H0 and distances (Mpc/h) of DESI's fiducial cosmology, from the table of cosmoprimo.

Run with the path of cosmoprimo/data/desi.dat (github.com/cosmodesi/cosmoprimo, which made it by CLASS):

    python make_desi_distances.py desi.dat > desi_distances.csv

Below z = 0.06 the distances show how the table was interpolated (they miss 8e-7 of c z/H0 at z = 0.015 and 2.7e-5 below 0.001) and are left out.
"""

import sys

rows = [tuple(map(float, line.split())) for line in open(sys.argv[1]) if not line.startswith("#")]
print("# cosmoprimo TabulatedDESI; see make_desi_distances.py")
print("z;e;distance")
for z, e, distance in [row for row in rows if 0.06 < row[0] < 10.1][::250] + [rows[-1]]:
    print(f"{z!r};{e!r};{distance!r}")
