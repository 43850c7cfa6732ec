"""Units of callers are converted by the one table of units, or refused."""

import numpy as np
import pytest
from conftest import double_loop

import albireo

units = pytest.importorskip("astropy.units")
EDGES = np.array([0.0, 5.0, 10.0, 20.0])


def test_bins_and_boxes_are_brought_to_the_unit_of_the_positions(points):
    known = double_loop(points, None, EDGES, 100.0)
    mpc = points * units.Mpc
    for bins, box in ((EDGES * units.Mpc, 100), (EDGES * 1000 * units.kpc, 100 * units.Mpc), (EDGES, 100000 * units.kpc)):
        assert np.array_equal(albireo.count(mpc, bins=bins, box=box).npairs, known)
    lengths = [100 * units.Mpc, 100000 * units.kpc, 100 * units.Mpc]
    assert np.array_equal(albireo.count(mpc, bins=[e * units.Mpc for e in EDGES], box=lengths).npairs, known)
    assert np.array_equal(albireo.count(points, bins=EDGES * 1000 * units.kpc, box=100, unit="Mpc").npairs, known)
    lines = {"statistic": "rp-pi", "los": "z", "bins": [0, 10]}
    plain = albireo.count(points, pi_bins=[0, 4, 8], **lines)
    assert np.array_equal(albireo.count(mpc, pi_bins=np.array([0, 4000, 8000]) * units.kpc, **lines).npairs, plain.npairs)


def test_angles_are_brought_to_degrees(sky):
    ra, dec, _ = sky
    known = albireo.count((ra, dec), statistic="theta", bins=[1 / 60, 1.0, 3.0])
    for bins in (np.array([1, 60, 180]) * units.arcmin, np.array([60, 3600, 10800]) * units.arcsec):
        assert np.array_equal(albireo.count((ra, dec), statistic="theta", bins=bins).npairs, known.npairs)
    hours = albireo.count((ra / 15 * units.hourangle, dec * 60 * units.arcmin), statistic="theta", bins=[1 / 60, 1.0, 3.0])
    assert abs(hours.npairs.astype(int) - known.npairs.astype(int)).max() <= 2


def test_frames_have_one_unit(points):
    known = albireo.rdf(points / 10, r_max=4, n_bins=8, box=10)
    frames = albireo.Trajectory(points[None] * units.Angstrom, boxes=np.full((1, 3), 10.0) * units.nm)
    found = albireo.rdf(frames, r_max=4 * units.nm, n_bins=8)
    assert np.array_equal(found.npairs, known.npairs)
    assert np.allclose(found.g, known.g, rtol=1e-12)
    volume = albireo.rdf(points * units.nm, r_max=4, n_bins=8, volume=1e9 * units.Angstrom**3)
    assert np.allclose(volume.g, albireo.rdf(points, r_max=4, n_bins=8, volume=1e6).g, rtol=1e-12)


P = np.random.default_rng(1).random((50, 3)) * 10
MISUSES = {
    "bins in seconds": (r"bins: expected a unit like Mpc, found s: a time is not a length", lambda: albireo.count(P * units.Mpc, bins=[0, 1] * units.s)),
    "positions in kilograms": ("positions: expected lengths, found kg, a mass", lambda: albireo.count(P * units.kg, bins=[0, 1])),
    "no unit of the positions": ("bins: it is in kpc, and the positions have no unit", lambda: albireo.count(P, bins=[0, 1] * units.kpc)),
    "a box in degrees": ("box: expected a unit like Mpc, found deg", lambda: albireo.count(P * units.Mpc, bins=[0, 1], box=10 * units.deg)),
    "angles in Mpc": (
        "bins: expected an angle, found Mpc",
        lambda: albireo.count((P[:, 0], P[:, 1]), bins=[0, 1] * units.Mpc, statistic="theta"),
    ),
    "threads in metres": ("threads: expected numbers without unit, found m", lambda: albireo.count(P, bins=[0, 1], threads=2 * units.m)),
    "frames in seconds": ("positions: expected lengths, found s, a time", lambda: albireo.Trajectory(P[None] * units.s)),
    "boxes beside plain frames": ("the positions have no unit", lambda: albireo.Trajectory(P[None], boxes=np.ones((1, 3)) * units.nm)),
}


@pytest.mark.parametrize("name", MISUSES)
def test_what_is_no_such_unit_is_refused(name):
    says, misuse = MISUSES[name]
    with pytest.raises(ValueError, match=says):
        misuse()


def test_unyt_and_pint_are_quantities_too(points):
    known = double_loop(points, None, EDGES, 100.0)
    unyt = pytest.importorskip("unyt")
    assert np.array_equal(albireo.count(points * unyt.Mpc, bins=EDGES * 1000 * unyt.kpc, box=100).npairs, known)
