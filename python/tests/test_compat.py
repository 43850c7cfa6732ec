"""Interfaces of other packages keep their conventions."""

import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import double_loop

from albireo.compat.corrfunc.mocks import DDrppi_mocks, DDsmu_mocks, DDtheta_mocks
from albireo.compat.corrfunc.theory import DD, DDrppi, DDsmu, wp, xi
from albireo.compat.corrfunc.utils import convert_3d_counts_to_cf, convert_rp_pi_counts_to_wp

EDGES = np.array([0.5, 3.0, 8.0, 15.0])


def test_auto_counts_hold_each_pair_twice(points):
    found = DD(1, 2, EDGES, *points.T, boxsize=100.0)
    assert found.dtype.names == ("rmin", "rmax", "ravg", "npairs", "weightavg")
    assert np.array_equal(found["npairs"], 2 * double_loop(points, None, EDGES, 100.0))
    assert found["npairs"].dtype == np.uint64 and not found["ravg"].any() and not found["weightavg"].any()
    cross = DD(0, 2, EDGES[::-1], *points.T, X2=points[:, 0], Y2=points[:, 1], Z2=points[:, 2], periodic=False)
    assert np.array_equal(cross["npairs"], 2 * double_loop(points, None, EDGES))


def test_bins_from_0_hold_self_pairs(points):
    edges = [0.0, 3.0, 8.0]
    w = np.linspace(1, 2, len(points))
    found = DD(1, 1, edges, *points.T, boxsize=100.0, weights1=w, weight_type="pair_product", output_ravg=True)
    bare = DD(1, 1, [1e-9, 3.0, 8.0], *points.T, boxsize=100.0, weights1=w, weight_type="pair_product", output_ravg=True)
    assert found["npairs"].tolist() == [bare["npairs"][0] + len(points), bare["npairs"][1]]
    assert np.isclose(found["weightavg"][0] * found["npairs"][0], bare["weightavg"][0] * bare["npairs"][0] + (w**2).sum())
    assert np.isclose(found["ravg"][0] * found["npairs"][0], bare["ravg"][0] * bare["npairs"][0])
    assert DDrppi(1, 1, 5.0, edges, *points.T, boxsize=100.0)["npairs"][0] >= len(points)
    assert DDsmu(1, 1, edges, 1.0, 4, *points.T, boxsize=100.0)["npairs"][0] >= len(points)


def test_boxes_per_axis(points):
    flat = DD(1, 1, EDGES, *points.T, boxsize=(-1, -1, -1))
    assert np.array_equal(flat["npairs"], 2 * double_loop(points, None, EDGES))
    extent = DD(1, 1, EDGES, *points.T, boxsize=0.0)
    assert extent["npairs"].sum() >= flat["npairs"].sum()
    moved = DD(1, 1, EDGES, *(points.T - 50), boxsize=100.0)
    assert np.array_equal(moved["npairs"], DD(1, 1, EDGES, *points.T, boxsize=100.0)["npairs"])


def test_mu_of_1_is_not_counted():
    x = np.array([0.0, 0.0, 3.0])
    z = np.array([0.0, 2.0, 0.0])
    found = DDsmu(1, 1, [1.0, 4.0], 1.0, 2, x, np.zeros(3), z, periodic=False)
    assert found["mu_max"].tolist() == [0.5, 1.0] and found["npairs"].tolist() == [2, 2]


def test_estimates_of_a_box(points):
    found = xi(100.0, 1, EDGES, *points.T)
    n = len(points)
    shells = 4 / 3 * np.pi * np.diff(EDGES**3)
    assert np.allclose(found["xi"], found["npairs"] / (n * (n - 1) / 1e6 * shells) - 1)
    projected = wp(100.0, 20.0, 1, EDGES, *points.T)
    rings = np.pi * np.diff(EDGES**2) * 40
    assert np.allclose(projected["wp"], (projected["npairs"] / (n * (n - 1) / 1e6 * rings) - 1) * 40)
    assert projected["npairs"].sum() == DDrppi(1, 1, 20.0, EDGES, *points.T, boxsize=100.0)["npairs"].sum()


def test_estimates_of_counts():
    made = convert_3d_counts_to_cf(10, 10, 20, 20, [4, 1], [6, 2], [6, 2], [8, 0])
    assert made[0] == (4 * 4 - 2 * 6 - 2 * 6 + 8) / 8 and np.isnan(made[1])
    counts = np.zeros(4, dtype=[("npairs", "u8")])
    counts["npairs"] = [8, 8, 8, 8]
    assert convert_rp_pi_counts_to_wp(10, 10, 10, 10, 2 * counts["npairs"], counts, counts, counts, 2, 2.0).tolist() == [4.0, 4.0]
    with pytest.raises(ValueError, match="pimax"):
        convert_rp_pi_counts_to_wp(1, 1, 1, 1, counts, counts, counts, counts, 2, 3.0)


def test_velocities_and_redshifts(sky):
    ra, dec, z = sky
    by_z = DDrppi_mocks(1, 2, 1, 20.0, EDGES, ra, dec, z, output_rpavg=True)
    by_cz = DDrppi_mocks(1, 2, 1, 20.0, EDGES, ra, dec, z * 299800.0, output_rpavg=True)
    assert np.array_equal(by_z["npairs"], by_cz["npairs"]) and by_z.dtype.names == ("rmin", "rmax", "rpavg", "pimax", "npairs", "weightavg")
    assert DDsmu_mocks(1, 1, 1, 1.0, 5, EDGES, ra, dec, z).dtype.names == ("smin", "smax", "savg", "mumax", "npairs", "weightavg")
    far = DDrppi_mocks(0, 1, 1, 20.0, EDGES, ra, dec, 300 + 100 * z, RA2=ra, DEC2=dec, CZ2=300 + 100 * z, is_comoving_dist=True)
    assert far["npairs"].sum() > 0
    theta, seconds = DDtheta_mocks(1, 1, [0.1, 1.0, 5.0], ra, dec, output_thetaavg=True, c_api_timer=True)
    assert theta.dtype.names == ("thetamin", "thetamax", "thetaavg", "npairs", "weightavg") and seconds > 0
    assert ((theta["thetaavg"] > theta["thetamin"]) & (theta["thetaavg"] < theta["thetamax"])).all()


def test_distances_of_its_table():
    from albireo.compat.corrfunc.mocks import distances

    def integral(z):
        # Gauss-Legendre on [0, z].
        nodes, weights = np.polynomial.legendre.leggauss(40)
        return 299800 * 0.01 * z / 2 * (weights / np.sqrt(0.25 * (1 + z / 2 * (nodes + 1)) ** 3 + 0.75)).sum()

    z = np.array([0.0123, 0.05, 0.1])
    assert np.allclose(distances(1, [z])[0], [integral(one) for one in z], atol=3e-6, rtol=0)


def test_a_script_runs_unchanged(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nfrom Corrfunc.theory.DD import DD\nimport Corrfunc.mocks\nfrom Corrfunc.utils import convert_3d_counts_to_cf\n"
        "print(sys.argv[1], DD(1, 1, [0.5, 1.5], [0., 1.], [0., 0.], [0., 0.], periodic=False)['npairs'][0])\n"
    )
    made = subprocess.run([sys.executable, "-m", "albireo.compat", "corrfunc", str(script), "pairs"], capture_output=True, text=True, check=False)
    assert made.stdout == "pairs 2\n", made.stderr
    wrong = subprocess.run([sys.executable, "-m", "albireo.compat", "other", str(script)], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2


REFERENCE = os.path.join(os.environ.get("ALBIREO_TEST_DATA", ""), "corrfunc")
needs_reference = pytest.mark.skipif(not os.path.isdir(REFERENCE), reason="ALBIREO_TEST_DATA names no copy of the reference data")


def theirs(name, columns):
    """Counts, means of weights, means of separations and the estimate, where there is one, that Corrfunc 2.5.3 ships."""
    table = np.loadtxt(os.path.join(REFERENCE, "reference", name))
    return [table[:, k] for k in columns]


@needs_reference
def test_galaxies_of_corrfunc_in_their_box():
    tables = pytest.importorskip("h5py")
    with tables.File(os.path.join(REFERENCE, "gals_Mr19.h5")) as file:
        x, y, z, w = (np.asarray(file[name], dtype=np.float64) for name in "xyzw")
    bins = os.path.join(REFERENCE, "reference", "box", "bins")
    weighted = {"weight_type": "pair_product", "output_rpavg": True}
    made = wp(420.0, 40.0, 2, bins, x, y, z, weights=w, **weighted)
    npairs, weights, means, values = theirs("box/Mr19_wp", (4, 5, 1, 0))
    assert np.array_equal(made["npairs"], npairs.astype(np.uint64))
    assert np.allclose(made["weightavg"], weights, rtol=1e-6) and np.allclose(made["rpavg"], means, rtol=1e-6)
    assert np.allclose(made["wp"], values, rtol=1e-6, atol=1e-9)


@needs_reference
def test_survey_of_corrfunc():
    tables = pytest.importorskip("astropy.table")
    read = tables.Table.read(os.path.join(REFERENCE, "Mr19_mock_northonly.fits"))
    ra, dec, cz, w = (np.asarray(read[name], dtype=np.float64) for name in ("RA", "DEC", "CZ", "WEIGHT"))
    folder = os.path.join(REFERENCE, "reference", "survey")
    weighted = {"weights1": w, "weight_type": "pair_product"}
    made = DDrppi_mocks(1, 1, 2, 40.0, os.path.join(folder, "bins"), ra, dec, cz, output_rpavg=True, **weighted)
    npairs, weights, means = theirs("survey/Mr19_mock.DD", (0, 4, 1))
    assert np.array_equal(made["npairs"], npairs.astype(np.uint64))
    assert np.allclose(made["weightavg"], weights, rtol=1e-6) and np.allclose(made["rpavg"], means, rtol=1e-6)
    made = DDtheta_mocks(1, 2, os.path.join(folder, "angular_bins"), ra, dec, **weighted)
    npairs, weights = theirs("survey/Mr19_mock_wtheta.DD", (0, 4))
    assert np.array_equal(made["npairs"], npairs.astype(np.uint64)) and np.allclose(made["weightavg"], weights, rtol=1e-6)


def test_mdanalysis(points):
    mda = pytest.importorskip("MDAnalysis")
    from MDAnalysis.analysis.rdf import InterRDF as Theirs
    from MDAnalysis.analysis.rdf import InterRDF_s as TheirSites

    from albireo.mdanalysis import InterRDF, InterRDF_s

    u = mda.Universe.empty(len(points), n_residues=len(points) // 4, atom_resindex=np.arange(len(points)) // 4, trajectory=True)
    for dimensions in ([100, 90, 80, 90, 90, 90], [100, 100, 100, 80, 95, 100]):
        u.atoms.positions = points.astype("f4")
        u.dimensions = dimensions
        first, second = u.atoms[:200], u.atoms[150:]
        for groups, options in (((first, second), {}), ((first, first), {}), ((first, second), {"exclude_same": "residue"}),
                                ((first, first), {"exclusion_block": (4, 4)}), ((first, second), {"range": (2.0, 14.0), "norm": "density"})):  # fmt: skip
            ours, theirs = InterRDF(*groups, **options).run(), Theirs(*groups, **options).run()
            assert np.array_equal(ours.results.count, theirs.results.count), (dimensions, options)
            assert np.allclose(ours.results.rdf, theirs.results.rdf)
        pairs = [[u.atoms[:3], u.atoms[3:60]]]
        ours, theirs = InterRDF_s(u, pairs).run(), TheirSites(u, pairs).run()
        assert np.array_equal(ours.results.count[0], theirs.results.count[0])
    with pytest.warns(UserWarning, match="half the box"):
        InterRDF(first, second, range=(0, 60)).run()


def test_freud(points):
    freud = pytest.importorskip("freud")
    from albireo.freud import RDF

    inside = (points - 50).astype("f4")
    for box in (freud.box.Box.cube(101), freud.box.Box(101, 102, 103, 0.1, 0.2, 0.05), freud.box.Box.square(101)):
        flat = inside * np.array([1, 1, 0 if box.is2D else 1], dtype="f4")
        for mode in ("exact", "finite_size"):
            ours, theirs = RDF(20, 30.0, 1.0, mode), freud.density.RDF(20, 30.0, 1.0, mode)
            for reset in (True, False):
                ours.compute((box, flat), reset=reset)
                theirs.compute((box, flat), reset=reset)
            assert np.array_equal(ours.bin_counts, theirs.bin_counts)
            assert np.allclose(ours.rdf, theirs.rdf, rtol=1e-5) and np.allclose(ours.n_r, theirs.n_r, rtol=1e-5)
        ours.compute((box, flat), flat[:50] * 0.5)
        theirs.compute((box, flat), flat[:50] * 0.5)
        assert np.array_equal(ours.bin_counts, theirs.bin_counts)


def test_what_scripts_for_corrfunc_prepare(tmp_path):
    from albireo.compat.corrfunc import io, utils

    (tmp_path / "c.txt").write_text("1 2 3\n4 5 6.5\n")
    (tmp_path / "c.csv").write_text("1,2,3,9\n4,5,6.5,9\n")
    for name in ("c.txt", "c.csv"):
        x, y, z = io.read_catalog(str(tmp_path / name))
        assert (x.tolist(), y.tolist(), z.tolist()) == ([1, 4], [2, 5], [3, 6.5]) and x.dtype == np.float64
    assert io.read_ascii_catalog(tmp_path / "c.txt", np.float32)[0].dtype == np.float32
    with pytest.raises(OSError, match="no such file"):
        io.read_catalog(str(tmp_path / "none.ff"))
    utils.write_text_file(tmp_path / "t.txt", "a\nb")
    assert utils.read_text_file(tmp_path / "t.txt") == "a\nb"
    name, delete = utils.return_file_with_rbins([3.0, 1.0, 0.5])
    assert delete and np.loadtxt(name).tolist() == [[0.5, 1], [1, 3]]
    os.remove(name)
    assert utils.return_file_with_rbins(str(tmp_path / "t.txt")) == (str(tmp_path / "t.txt"), False)
    z = np.array([0.1, 0.2])
    assert np.allclose(utils.fix_cz(z), z * 299800) and z[0] == 0.1 and utils.fix_cz(z * 1e5)[0] == 1e4
    with pytest.warns(UserWarning, match="ra below 0"):
        ra, _ = utils.fix_ra_dec(np.array([-10.0, 20.0]), np.array([0.0, 5.0]))
    assert ra.tolist() == [350, 20]
    assert [utils.translate_isa_string_to_enum(isa) for isa in ("fastest", "AVX2", "fallback")] == [-1, 8, 0]
    swapped = np.arange(3, dtype=">f8")
    assert utils.convert_to_native_endian(swapped).dtype.isnative and utils.convert_to_native_endian(None) is None
    # As DDtheta_mocks has its cells: 2 + 2 + 5 + 5 + 2 + 2.
    cells, numbers = utils.gridlink_sphere(30, return_num_ra_cells=True)
    assert numbers.tolist() == [2, 2, 5, 5, 2, 2] and np.allclose(cells[4]["ra_limit"], [0, 2 * np.pi / 5])
    assert np.allclose(cells[0]["dec_limit"], [-np.pi / 2, -np.pi / 3]) and len(utils.gridlink_sphere(60, dec_refine_factor=3, ra_refine_factor=2)) == 36
