"""Objects of other packages are samples, and arrays of any order of bytes columns."""

import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import double_loop

import albireo

EDGES = np.array([0.0, 5.0, 10.0, 20.0])


def test_types_that_spell_out_their_order_of_bytes(points):
    known = double_loop(points, None, EDGES, 100.0)
    swapped = points.astype(">f8")
    native = swapped.byteswap().view(swapped.dtype.newbyteorder())
    spelled = points.view(points.dtype.newbyteorder("<"))
    for data in (native, spelled, tuple(native.T), points.astype("f4").astype(">f4").byteswap().view("<f4").astype("f8")):
        assert albireo.count(data, bins=EDGES, box=100).npairs.sum() > 0
    assert np.array_equal(albireo.count(native, bins=EDGES, box=100).npairs, known)
    assert np.array_equal(albireo.count(spelled, bins=EDGES, box=100, weights=native[:, 0]).npairs, known)


def test_data_sets_of_hdf5(points, tmp_path):
    h5py = pytest.importorskip("h5py")
    known = double_loop(points, None, EDGES, 100.0)
    with h5py.File(tmp_path / "p.h5", "w") as file:
        file["plain"] = points
        file["swapped"] = points.astype(">f8")
        file["x"], file["y"], file["z"] = points.T
        for data in (file["plain"], file["swapped"], (file["x"], file["y"], file["z"]), file):
            assert np.array_equal(albireo.count(data, bins=EDGES, box=100).npairs, known)


def test_results_are_natural_arrays(points):
    dd = albireo.count(points, bins=EDGES, box=100)
    assert np.array_equal(np.asarray(dd), dd.npairs)
    xi = albireo.xi(points, bins=[1.0, 10.0, 20.0], box=100)
    assert np.array_equal(np.asarray(xi), xi.xi)
    with pytest.raises(TypeError, match="take one of its columns, x, y, z"):
        np.asarray(albireo.randoms(3, box=1))


def test_coordinates_and_cosmologies_of_astropy(sky):
    coordinates = pytest.importorskip("astropy.coordinates")
    from astropy import cosmology, units

    ra, dec, z = sky
    place = coordinates.SkyCoord(ra * units.deg, dec * units.deg)
    bins = {"statistic": "theta", "bins": [0.1, 1, 3]}
    assert abs(albireo.count(place, **bins).npairs.astype(int) - albireo.count((ra, dec), **bins).npairs.astype(int)).max() <= 1
    sample = albireo.Catalog(sky=(ra, dec), redshift=z)
    named = albireo.count(sample, bins=[0, 50, 100], cosmology="Planck18")
    assert np.array_equal(albireo.count(sample, bins=[0, 50, 100], cosmology=cosmology.Planck18).npairs, named.npairs)
    h = cosmology.Planck18.h
    kpc = albireo.count(sample, bins=np.array([0, 50, 100]) * 1000 / 1.0, cosmology="Planck18")
    assert kpc.npairs.sum() > named.npairs.sum() and 0.6 < h < 0.7
    flat = cosmology.FlatLambdaCDM(H0=70, Om0=0.3)
    assert albireo.count(sample, bins=[0, 50, 100], cosmology=flat).npairs.tolist() == (
        albireo.count(sample, bins=[0, 50, 100], cosmology="om=0.3,h=0.7").npairs.tolist()
    )
    with pytest.raises(ValueError, match="cosmology: expected one of FlatLambdaCDM"):
        albireo.count(sample, bins=[0, 50], cosmology=cosmology.w0wzCDM(H0=70, Om0=0.3, Ode0=0.7))


def test_atoms_of_ase(points):
    ase = pytest.importorskip("ase")
    atoms = ase.Atoms("H" * 100 + "O" * 300, positions=points, cell=[100, 100, 100], pbc=True)
    known = double_loop(points, None, EDGES, 100.0)
    assert np.array_equal(albireo.count(atoms, bins=EDGES).npairs, known)
    g = albireo.rdf([atoms, atoms], r_max=20, n_bins=4)
    assert {"g_H-H", "g_H-O", "g_O-O"} <= set(g.columns)
    assert np.array_equal(g["npairs_H-H"], 2 * double_loop(points[:100], None, np.linspace(0, 20, 5), 100.0))
    with pytest.raises(ValueError, match="all frames are periodic along all axes, or none is"):
        albireo.rdf([ase.Atoms("H", pbc=[True, True, False])], r_max=1, n_bins=2)


def test_groups_of_mdanalysis(points):
    mda = pytest.importorskip("MDAnalysis")
    u = mda.Universe.empty(len(points), trajectory=True)
    u.add_TopologyAttr("types", ["A"] * 100 + ["B"] * 300)
    u.atoms.positions = points
    u.dimensions = [100, 100, 100, 90, 90, 90]
    narrow = points.astype("f4").astype("f8") % 100.0
    assert np.array_equal(albireo.count(u.atoms, bins=EDGES).npairs, double_loop(narrow, None, EDGES, 100.0))
    assert {"g_A-A", "g_A-B", "g_B-B"} <= set(albireo.rdf(u.atoms, r_max=20, n_bins=4).columns)


def test_keywords(points):
    with pytest.raises(TypeError, match="unexpected keyword argument 'thread': use threads"):
        albireo.count(points, bins=EDGES, thread=2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'qqq': the help of `albireo count` lists all flags"):
        albireo.count(points, bins=EDGES, qqq=2)
    for measure in (albireo.count, albireo.xi, albireo.wp, albireo.multipoles, albireo.jackknife):
        with pytest.raises(TypeError, match="unexpected keyword argument 'binz': did you mean bins"):
            measure(points, binz=EDGES, box=100)
    with pytest.raises(TypeError, match="missing .*'bins'"):
        albireo.count(points, box=100)
    whole = albireo.rdf(points, box=100.0, r_max=20.0, n_bins=4.0)
    assert whole == albireo.rdf(points, box=100, r_max=20, n_bins=4)
    species = albireo.rdf(points, box=100, r_max=20, n_bins=4, species=["A"] * 100 + ["B"] * 300)
    assert {"g_A-A", "g_A-B", "g_B-B"} <= set(species.columns)
    dd = albireo.count(points, bins=[0, 1, 2, 3.0])
    with pytest.raises(ValueError) as refusal:
        dd.rebin(2)
    assert "the result" in str(refusal.value) and "json" not in str(refusal.value)


def test_omp_num_threads_is_heard(points, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1,2")
    assert "1 thread" in albireo.count(points, bins=EDGES).record["engine"]
    assert "2 threads" in albireo.count(points, bins=EDGES, threads=2).record["engine"]
    assert albireo.count(points, bins=EDGES, engine="naive").npairs.sum() > 0


def test_scripts_for_pycorr_run_as_they_are(tmp_path):
    pytest.importorskip("pycorr")
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np\nfrom pycorr import TwoPointCounter\n"
        "p = np.random.default_rng(1).random((3, 200)) * 10\n"
        "c = TwoPointCounter('s', (np.linspace(0, 4, 5),), p, boxsize=10.0, engine='corrfunc', position_type='xyz')\n"
        "print(type(c).__name__, c.wcounts.sum() > 0)\n"
    )
    run = [sys.executable, "-m", "albireo.compat", "pycorr", str(script)]
    made = subprocess.run(run, capture_output=True, text=True, env={**os.environ}, check=False)
    assert made.stdout.split() == ["AlbireoTwoPointCounter", "True"], made.stderr
    bad = subprocess.run([*run[:3], "treecorr", str(script)], capture_output=True, text=True, check=False)
    assert bad.returncode == 2 and "expected corrfunc or pycorr, found 'treecorr'" in bad.stderr
