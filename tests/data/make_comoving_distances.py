"""Writes comoving_distances.csv: distances along the line of sight by astropy, in Mpc/h.

Run with astropy >= 6, scipy and mpmath:  python make_comoving_distances.py > comoving_distances.csv
Universes without radiation come as parameters; the named ones come twice: without radiation (what albireo computes) and as astropy
defines them, with photons and neutrinos. Every value without radiation is checked here against mpmath to 1e-12.
"""

import sys

import astropy
import astropy.cosmology as ac
import mpmath

REDSHIFTS = [1e-6, 0.001, 0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0]
UNIVERSES = [
    (0.3, 0.7, -1.0, 0.0),
    (1.0, 0.0, -1.0, 0.0),
    (0.3, 0.0, -1.0, 0.0),
    (0.25, 0.9, -1.0, 0.0),
    (0.3, 0.7, -0.8, 0.0),
    (0.3, 0.7, -0.9, 0.3),
    (0.31, 0.6, -1.1, -0.4),
]
NAMES = ["Planck18", "Planck15", "Planck13", "WMAP9", "WMAP7", "WMAP5"]


def by_mpmath(om, ol, w0, wa, z):
    mpmath.mp.dps = 30
    om, ol, w0, wa = map(mpmath.mpf, (om, ol, w0, wa))

    def inverse_e(x):
        a = 1 + x
        dark = a ** (3 * (1 + w0 + wa)) * mpmath.exp(-3 * wa * x / a)
        return 1 / mpmath.sqrt(om * a**3 + (1 - om - ol) * a**2 + ol * dark)

    return mpmath.mpf("2997.92458") * mpmath.quad(inverse_e, mpmath.linspace(0, z, 9))


def without_radiation(om, ol, w0, wa):
    return ac.w0waCDM(H0=100, Om0=om, Ode0=ol, w0=w0, wa=wa, Tcmb0=0)


def rows():
    for om, ol, w0, wa in UNIVERSES:
        yield f"om={om},ol={ol},w0={w0},wa={wa}", False, without_radiation(om, ol, w0, wa), (om, ol, w0, wa)
    for name in NAMES:
        full = getattr(ac, name)
        om = full.Om0
        yield name, False, without_radiation(om, 1 - om, -1.0, 0.0), (om, 1 - om, -1.0, 0.0)
        yield name, True, full, None


print(f"# astropy {astropy.__version__}; see make_comoving_distances.py")
print("cosmology;radiation;z;distance")
for text, radiation, cosmology, parameters in rows():
    for z in REDSHIFTS:
        distance = float(cosmology.comoving_distance(z).value * cosmology.h)
        if parameters:
            exact = by_mpmath(*parameters, z)
            if abs(distance / exact - 1) > 1e-12:
                print(f"{text} z={z}: astropy off by {float(distance / exact - 1):.1e}", file=sys.stderr)
                distance = float(exact)
        print(f"{text};{int(radiation)};{z};{distance!r}")
