"""Writes comoving_distances.csv: distances along the line of sight, in Mpc/h.

Run with astropy >= 6, scipy and mpmath:  python make_comoving_distances.py > comoving_distances.csv
Universes are given as albireo takes them. By astropy: those of parameters, without and with photons and neutrinos, and the named ones.
`DESI` and others with `nur`, which astropy does not know, by mpmath, which integrates the Fermi-Dirac distribution of massive neutrinos.
Every value of astropy is checked here against mpmath to 1e-12.
"""

import sys
from functools import cache

import astropy
import astropy.cosmology as ac
import mpmath
from astropy import constants, units
from mpmath import mpf

mpmath.mp.dps = 20
REDSHIFTS = [1e-6, 0.001, 0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0]
EARLY = [100.0, 1089.0]
UNIVERSES = [
    (0.3, 0.7, -1.0, 0.0),
    (1.0, 0.0, -1.0, 0.0),
    (0.3, 0.0, -1.0, 0.0),
    (0.25, 0.9, -1.0, 0.0),
    (0.3, 0.7, -0.8, 0.0),
    (0.3, 0.7, -0.9, 0.3),
    (0.31, 0.6, -1.1, -0.4),
]
# om, ol, w0, wa, h, tcmb, neff, masses
FULL = [
    (0.31, 0.65, -0.9, 0.2, 0.7, 2.7255, 3.046, (0.01, 0.02, 0.05)),
    (0.25, 0.8, -1.0, 0.0, 0.65, 2.73, 3.04, ()),
    (0.3, 0.69, -1.1, 0.0, 0.5, 2.7255, 2.5, (0.3, 0.0)),
    (0.3, 0.7, -1.0, 0.0, 0.7, 2.7255, 0.5, ()),
]
NAMES = ["Planck18", "Planck15", "Planck13", "WMAP9", "WMAP7", "WMAP5"]

CRITICAL = 3 * (mpf(100000) / mpf("3.0856775814913674e22")) ** 2 / (8 * mpmath.pi * mpf("6.6743e-11"))
PHOTONS = 4 * mpf("5.6703744191844314e-8") / mpf(299792458) ** 3 / CRITICAL
BOLTZMANN = mpf("8.617333262145179e-5")
PER_SPECIES = mpf(7) / 8 * (mpf(4) / 11) ** (mpf(4) / 3)


def komatsu(y):
    return (1 + (mpf("0.3173") * y) ** mpf("1.83")) ** mpf("0.54644808743")


@cache
def distribution():
    """Momenta and shares of a thermal distribution, for sums that agree with mpmath.quad to 1e-15."""
    points = []
    for a, b in [(0, 0.25), (0.25, 1), (1, 2), (2, 4), (4, 8), (8, 16), (16, 32), (32, 64)]:
        for x, w in gauss(40):
            x, w = (a + b) / mpf(2) + (b - a) / mpf(2) * x, (b - a) / mpf(2) * w
            points.append((float(x * x), float(w * x * x / (mpmath.exp(x) + 1))))
    return points


@cache
def gauss(n):
    import numpy as np

    return [(mpf(float(x)), mpf(float(w))) for x, w in zip(*np.polynomial.legendre.leggauss(n))]


def fermi_dirac(y):
    y = float(y)
    return sum(w * (xx + y * y) ** 0.5 for xx, w in distribution()) * 120 / (7 * float(mpmath.pi) ** 4)


def neutrinos(universe, a):
    """Neutrinos over photons at 1 + z = a."""
    if "nur" in universe:
        ratio = mpf("0.71611")
        thermal = BOLTZMANN * ratio * universe["tcmb"]
        each = sum(fermi_dirac(m / (thermal * a)) for m in universe["masses"])
        return PER_SPECIES * universe["nur"] + mpf(7) / 8 * ratio**4 * each
    species = int(universe["neff"])
    if not universe["masses"]:
        return PER_SPECIES * universe["neff"]
    thermal = BOLTZMANN * (mpf(4) / 11) ** (mpf(1) / 3) * universe["tcmb"]
    return PER_SPECIES * universe["neff"] / species * sum(komatsu(m / (thermal * a)) for m in universe["masses"])


def by_mpmath(u, z):
    u = {key: value if key == "masses" else mpf(value) for key, value in u.items()}
    u["masses"] = [mpf(m) for m in u.get("masses", ())]
    photons = PHOTONS * u["tcmb"] ** 4 / u["h"] ** 2 if "tcmb" in u else mpf(0)
    radiation = (lambda a: photons * (1 + neutrinos(u, a))) if photons else lambda a: mpf(0)
    today = radiation(mpf(1))
    ol = u.get("ol", 1 - u["om"] - today)
    ok = 1 - u["om"] - ol - today

    def inverse_e(x):
        a = mpmath.exp(x)
        dark = a ** (3 * (1 + u["w0"] + u["wa"])) * mpmath.exp(-3 * u["wa"] * (a - 1) / a)
        return a / mpmath.sqrt(radiation(a) * a**4 + u["om"] * a**3 + ok * a**2 + ol * dark)

    end = mpmath.log1p(mpf(z))
    pieces = mpmath.linspace(0, end, 2 + int(4 * end))
    return mpf("2997.92458") * mpmath.quad(inverse_e, pieces, maxdegree=5)


def text_of(u):
    keys = [f"{key}={value}" for key, value in u.items() if key != "masses"]
    key = "mncdm" if "nur" in u else "mnu"
    return ",".join(keys + ([f"{key}={':'.join(map(str, u['masses']))}"] if u.get("masses") else []))


def rows():
    for om, ol, w0, wa in UNIVERSES:
        plain = dict(om=om, ol=ol, w0=w0, wa=wa)
        yield text_of(plain), ac.w0waCDM(H0=100, Om0=om, Ode0=ol, w0=w0, wa=wa, Tcmb0=0), plain
    for om, ol, w0, wa, h, tcmb, neff, masses in FULL:
        full = dict(om=om, ol=ol, w0=w0, wa=wa, h=h, tcmb=tcmb, neff=neff, masses=masses)
        m_nu = list(masses) * units.eV if masses else 0 * units.eV
        yield text_of(full), ac.w0waCDM(H0=100 * h, Om0=om, Ode0=ol, w0=w0, wa=wa, Tcmb0=tcmb, Neff=neff, m_nu=m_nu), full
    for name in NAMES:
        known = getattr(ac, name)
        plain = dict(om=known.Om0, w0=-1.0, wa=0.0)
        yield f"om={known.Om0}", ac.w0waCDM(H0=100, Om0=known.Om0, Ode0=1 - known.Om0, Tcmb0=0), plain
        masses = known.m_nu.to_value(units.eV).tolist()
        full = dict(plain, h=round(known.h, 6), tcmb=known.Tcmb0.value, neff=known.Neff)
        yield name, known, dict(full, masses=masses if any(masses) else [])
    h = 0.6736
    desi = dict(om=(0.02237 + 0.12) / h**2, w0=-1.0, wa=0.0, h=h, tcmb=2.7255, nur=2.0328, masses=[0.05999992])
    yield "DESI", None, desi
    two = dict(om=0.31, ol=0.66, w0=-0.95, wa=0.1, h=0.7, tcmb=2.7255, nur=1.0196, masses=[0.06, 0.2])
    yield text_of(two), None, two


# The sums over momenta stand for this integral.
for y in [0.01, 0.3, 5.0, 300.0]:
    exact = mpmath.quad(lambda x: x**2 * mpmath.sqrt(x**2 + y**2) / (mpmath.exp(x) + 1), [0, y, 1, 4, 16, 64] if y < 1 else [0, 1, 4, 16, 64])
    assert abs(fermi_dirac(y) / (exact * 120 / (7 * mpmath.pi**4)) - 1) < 1e-14, y
for name, value in [("G", "6.6743e-11"), ("sigma_sb", "5.6703744191844314e-8"), ("c", "299792458")]:
    assert abs(getattr(constants, name).value / float(value) - 1) < 1e-15, name

print(f"# astropy {astropy.__version__}, mpmath {mpmath.__version__}; see make_comoving_distances.py")
print("cosmology;z;distance")
for text, cosmology, universe in rows():
    for z in REDSHIFTS + (EARLY if "tcmb" in universe else []):
        exact = by_mpmath(universe, z)
        distance = float(exact)
        if cosmology is not None:
            distance = float(cosmology.comoving_distance(z).value * cosmology.h)
            if abs(distance / exact - 1) > 1e-12:
                print(f"{text} z={z}: astropy off by {float(distance / exact - 1):.1e}", file=sys.stderr)
                if abs(distance / exact - 1) > 1e-9:
                    raise SystemExit("astropy and mpmath differ")
                distance = float(exact)
        print(f"{text};{z};{distance!r}")
