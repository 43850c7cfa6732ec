"""Fields, simulations and densities of surveys, against sums of numpy and the command line."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import albireo

RNG = np.random.default_rng(11)
POINTS = RNG.random((40, 3)) * 8
CHARGES = RNG.normal(size=40)


def commanded(*words) -> None:
    made = subprocess.run([sys.executable, "-m", "albireo", *map(str, words)], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr


@pytest.fixture
def nothing_left(tmp_path, monkeypatch):
    """Temporary files and the working folder where nothing may be left."""
    place = tmp_path / "place"
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.setattr("tempfile.tempdir", str(place))
    yield
    assert os.listdir(place) == []


def coulomb(targets: np.ndarray, cutoff: float | None = None) -> np.ndarray:
    r = np.linalg.norm(targets[..., None, :] - POINTS, axis=-1)
    ends = 1.0 if cutoff is None else np.where(r < cutoff, (1 - (r / cutoff) ** 2) ** 2, 0)
    return (CHARGES * ends / np.maximum(r, 0.1)).sum(axis=-1)


def test_a_grid_of_a_potential(nothing_left):
    grid = albireo.field(POINTS, weights=CHARGES, cutoff=3, spacing=[1, 2, 1.5], padding=1)
    assert np.allclose(grid.values, coulomb(grid.points(), 3), atol=1e-9)
    assert np.allclose(grid.origin, POINTS.min(axis=0) - 1) and (grid.spacing == [1, 2, 1.5]).all()
    assert grid.shape == grid.values.shape == tuple(len(axis) for axis in grid.axes) and np.array_equal(np.asarray(grid), grid.values)
    assert np.array_equal(grid.points()[1, 2, 3], [axis[k] for axis, k in zip(grid.axes, (1, 2, 3))])
    assert np.array_equal(grid.cell, np.diag(np.array(grid.shape) * [1, 2, 1.5]))
    again = albireo.field(POINTS, weights=CHARGES, cutoff=3, grid_of=grid, engine="naive")
    assert np.array_equal(again.values, grid.values) and np.array_equal(again.origin, grid.origin)
    assert "<data>" in grid.record["command"] and grid.record["sources"] == 40


def test_grids_are_written_as_by_the_command_line(tmp_path):
    np.savetxt(tmp_path / "points.csv", np.column_stack([POINTS, CHARGES]), header="x,y,z,q", delimiter=",", comments="", fmt="%.17g")
    grid = albireo.field({**dict(zip("xyz", POINTS.T)), "q": CHARGES}, weight="q", cutoff=3, spacing=2, box=8)
    for kind in ("dx", "cube", "npy", "h5"):
        commanded("field", tmp_path / "points.csv", "--weight=q", "--cutoff=3", "--spacing=2", "--box=8", "-o", tmp_path / f"theirs.{kind}")
        grid.save(tmp_path / f"ours.{kind}")
    assert np.array_equal(np.load(tmp_path / "theirs.npy"), grid.values) and (np.load(tmp_path / "ours.npy") == grid.values).all()
    for kind in ("dx", "cube"):
        assert (tmp_path / f"ours.{kind}").read_bytes() == (tmp_path / f"theirs.{kind}").read_bytes()
    assert albireo.field(POINTS, weights=CHARGES, cutoff=3, grid_of=str(tmp_path / "ours.dx"), box=8).values.tobytes() == grid.values.tobytes()
    with pytest.raises(ValueError, match="written as .dx, .cube, .npy or .h5"):
        grid.save(tmp_path / "ours.txt")
    assert np.array_equal(grid.cell, np.eye(3) * 8)


def test_values_at_points(nothing_left):
    targets = RNG.random((25, 3)) * 8
    made = albireo.field(POINTS, weights=CHARGES, cutoff="none", at=targets)
    assert isinstance(made, albireo.Result) and np.array_equal(np.stack([made[name] for name in "xyz"], axis=1), targets)
    assert np.allclose(made["value"], coulomb(targets), atol=1e-9)
    r = np.linalg.norm(targets[:, None] - POINTS, axis=-1)
    ball = albireo.field(POINTS, kernel="top-hat", radius=2, at=targets)["value"]
    assert np.allclose(ball, (r < 2).sum(axis=1) / (4 / 3 * np.pi * 8), rtol=1e-9)
    table = albireo.field(POINTS, kernel="table", values=(np.arange(0.5, 5, 0.5), np.arange(9, 0, -1.0)), at=targets)["value"]
    assert np.allclose(table, np.where(r <= 4.5, 10 - 2 * r, 0).sum(axis=1), atol=1e-6)


def test_parameters_of_each_source(nothing_left):
    targets, epsilon, sigma = np.array([[20.0, 4, 4]]), 1 + RNG.random(40), 2 + RNG.random(40)
    made = albireo.field(POINTS, kernel="lj", epsilon=epsilon, sigma=sigma, probe=[1, 3], cutoff=30, r_min=1, at=targets, mixing="geometric")
    u = 3 * sigma / np.linalg.norm(targets - POINTS, axis=1) ** 2
    expected = (4 * np.sqrt(epsilon) * (u**6 - u**3)).sum()
    assert made["value"][0] == pytest.approx(expected, rel=0.05) and made["value"][0] < 0
    plain = albireo.field(POINTS, kernel="lj", epsilon=1, sigma=3, probe=[1, 3], cutoff=30, r_min=1, at=targets)["value"][0]
    same = albireo.field(POINTS, kernel="lj", epsilon=np.ones(40), sigma=np.full(40, 3.0), probe=[1, 3], cutoff=30, r_min=1, at=targets)["value"][0]
    assert plain == same != made["value"][0]
    with pytest.raises(ValueError, match="epsilon: arrays do not go with a file"):
        albireo.field(albireo.samples.path("liquid_frame.parquet"), kernel="lj", epsilon=epsilon, sigma=1, probe=[1, 1], at=targets)


def test_ions_are_placed(nothing_left):
    grid = albireo.field(POINTS, weights=CHARGES, cutoff=4, spacing=1, padding=2, ions=["Na+:2", "Cl-:1"], ion_source=1, ion_ion=2)
    assert grid.ions["name"].tolist() == ["Na+", "Na+", "Cl-"] and grid.ions["charge"].tolist() == [1, 1, -1]
    places = np.stack([grid.ions[name] for name in "xyz"], axis=1)
    assert np.linalg.norm(places[:, None] - POINTS, axis=-1).min() >= 1
    assert albireo.field(POINTS, weights=CHARGES, cutoff=4, spacing=2).ions is None


def test_fields_with_units(nothing_left):
    u = pytest.importorskip("astropy.units")
    plain = albireo.field(POINTS, kernel="top-hat", radius=2, spacing=2, origin=[0, 1, 2], size=[2, 3, 1])
    with_units = albireo.field(POINTS * u.nm, kernel="top-hat", radius=20 * u.AA, spacing=2 * u.nm, origin=[0, 10, 20] * u.AA, size=[2, 3, 1])
    assert np.array_equal(plain.values, with_units.values)
    with pytest.raises(ValueError, match="radius: expected a unit like nm, found s"):
        albireo.field(POINTS * u.nm, kernel="top-hat", radius=2 * u.s, spacing=2)


def test_misuse_of_fields(nothing_left):
    with pytest.raises(TypeError, match="unexpected keyword argument 'cutof': did you mean cutoff"):
        albireo.field(POINTS, cutof=3)
    with pytest.raises(ValueError, match="spacing: name the distance of the points"):
        albireo.field(POINTS, weights=CHARGES, cutoff=3)
    with pytest.raises(ValueError, match="weight: name the column of the charges"):
        albireo.field(POINTS, spacing=1, cutoff=2)
    heard = []
    albireo.field(POINTS, kernel="top-hat", radius=2, spacing=0.2, progress=lambda *what: heard.append(what))
    assert heard and heard[-1][0] == "field"


def test_a_simulation_keeps_energy_and_its_frames(nothing_left):
    run = albireo.md(
        atoms=256, density=0.8, temperature=1, steps=40, every=10, trajectory=True, trajectory_every=20, velocities=True, rdf=True, rdf_every=20,
        rdf_bins=[0, 1, 2.0], potential="force-shifted", seed=3, species="A:1:200,B:2:56",
    )
    assert run["step"].tolist() == [0, 10, 20, 30, 40] and np.ptp(run["total"]) < 0.01 and abs(run["px"]).max() < 1e-9
    frames = run.frames
    assert frames.steps.tolist() == [0, 20, 40] and frames.positions.shape == frames.velocities.shape == (3, 256, 3)
    assert np.prod(frames.box) == pytest.approx(256 / 0.8) and (frames.species == "B").sum() == 56
    mass = np.where(frames.species == "A", 1, 2)
    kinetic = 0.5 * (mass[:, None] * frames.velocities[2] ** 2).sum() / 256
    assert run["kinetic"][-1] == pytest.approx(kinetic, rel=1e-6)
    counted = albireo.rdf(run.trajectory, bins=[0, 1, 2.0], species=None)
    assert np.array_equal(run.part("rdf").npairs, counted.npairs) and np.allclose(run.part("rdf").g, counted.g)
    again = pickle.loads(pickle.dumps(run))
    assert again == run and np.array_equal(again.frames.positions, frames.positions) and again.part("rdf") == run.part("rdf")


def test_a_simulation_goes_on_from_frames_in_memory(nothing_left):
    options = dict(steps=20, every=20, trajectory=True, trajectory_every=20, velocities=True)
    first = albireo.md(atoms=108, density=0.7, temperature=0.9, **options)
    on, other = albireo.md(first.trajectory, **options), albireo.md(first.frames.positions[-1], box=first.frames.box, **options)
    assert np.array_equal(on.frames.positions[0], first.frames.positions[-1]) and on["potential"][0] == first["potential"][-1]
    assert on["kinetic"][0] == pytest.approx(first["kinetic"][-1], rel=1e-9) and other["kinetic"][0] == 0
    assert on["potential"][0] == other["potential"][0] and on["potential"][1] != other["potential"][1]
    undone = albireo.md(atoms=108, density=0.7, temperature=0.9, steps=20, and_back=True)
    assert undone["step"].tolist()[-1] == 40 or undone["step"].tolist()[-1] == 20
    with pytest.raises(AttributeError, match="trajectory=True"):
        undone.frames
    with pytest.raises(ValueError, match="--?box|box: molecular dynamics|it states no box"):
        albireo.md(first.frames.positions[-1], steps=1)
    with pytest.raises(ValueError, match="atoms and density"):
        albireo.md(steps=1)


def test_simulations_write_what_is_named(tmp_path):
    words = dict(atoms=108, density=0.7, temperature=0.9, steps=20, every=10, trajectory_every=10)
    run = albireo.md(**words, trajectory=tmp_path / "run.xyz", rdf=tmp_path / "g.json")
    commanded("md", *(f"--{name.replace('_', '-')}={value}" for name, value in words.items()), f"--trajectory={tmp_path}/their.xyz", f"--rdf={tmp_path}/their.json", "-o", tmp_path / "their_run.json")
    assert (tmp_path / "run.xyz").read_bytes() == (tmp_path / "their.xyz").read_bytes()
    assert albireo.load(tmp_path / "g.json") == albireo.load(tmp_path / "their.json") and albireo.load(tmp_path / "their_run.json") == run
    on = albireo.md(str(tmp_path / "run.xyz"), steps=0, trajectory=True, trajectory_every=1)
    assert np.array_equal(on.frames.positions[0], albireo.md(**{**words, "trajectory_every": 20}, trajectory=True).frames.positions[-1])


def test_densities_of_a_survey(tmp_path, sky, nothing_left):
    ra, dec, z = sky
    weights = 1 + np.arange(len(z)) % 3
    edges = np.linspace(z.min() - 0.01, z.max() + 0.01, 5)
    survey = albireo.Catalog(sky=(ra, dec), redshift=z, weights=weights)
    made = albireo.nz(survey, cosmology="Planck18", bins=edges, area=500, fkp=10000, fkp_data=True)
    assert np.array_equal(made.objects, np.histogram(z, edges)[0]) and np.allclose(made.weight, np.histogram(z, edges, weights=weights)[0])
    assert np.array_equal(made.n, made.weight / made.volume) and np.allclose(made.fkp, 1 / (1 + made.n * 1e4)) and made.axes == ("z",)
    rows = made.part("fkp_data")
    assert np.array_equal(rows["RA"], ra) and np.allclose(rows["WEIGHT_FKP"], 1 / (1 + rows["NZ"] * 1e4))
    table = {"RA": ra, "DEC": dec, "Z": z, "w": weights.astype(float)}
    assert albireo.nz(table, weight="w", cosmology="Planck18", bins=edges, area=500, fkp=10000) == made
    np.savetxt(tmp_path / "survey.csv", np.column_stack(list(table.values())), header="RA,DEC,Z,w", delimiter=",", comments="", fmt="%.17g")
    commanded("nz", tmp_path / "survey.csv", "--weight=w", "--cosmology=Planck18", f"--bins=edges:{','.join(map(repr, edges.tolist()))}", "--area=500", "--fkp=10000", "-o", tmp_path / "nz.json")
    assert albireo.load(tmp_path / "nz.json") == made


def test_completeness_is_that_of_the_command(tmp_path, nothing_left):
    rng = np.random.default_rng(3)
    classes, assigned, probability = rng.integers(1, 4, 60), rng.random(60) < 0.7, rng.integers(1, 128, 60) / 128
    for k, rows in enumerate((slice(0, 40), slice(40, 60))):
        columns = np.column_stack([classes, assigned, probability])[rows]
        np.savetxt(tmp_path / f"full_{k}.csv", columns, header="NTILE,LOCATION_ASSIGNED,PROB_OBS", delimiter=",", comments="", fmt=["%d", "%d", "%.17g"])
    words = dict(by="NTILE", where="NTILE < 3", realizations=128)
    made = albireo.completeness([tmp_path / "full_0.csv", str(tmp_path / "full_1.csv")], mean={"p": "PROB_OBS"}, **words)
    for row, number in enumerate((1, 2)):
        mine = classes == number
        iip = np.sum(129 / (128 * probability[mine & assigned] + 1))
        assert made["NTILE"][row] == number and made["N"][row] == mine.sum() and made["assigned"][row] == (mine & assigned).sum()
        found = [made[name][row] for name in ("iip", "missing", "p")]
        np.testing.assert_allclose(found, [iip, 1 - iip / mine.sum(), probability[mine].mean()], rtol=1e-12)
    commanded("completeness", tmp_path / "full_*.csv", "--mean=p=PROB_OBS", *(f"--{name}={value}" for name, value in words.items()), "-o", tmp_path / "f.json")
    assert albireo.load(tmp_path / "f.json") == made == albireo.completeness(tmp_path / "full_*.csv", mean="p=PROB_OBS", **words)
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        albireo.completeness("missing.csv", by="NTILE")
    with pytest.raises(TypeError, match="full: expected the path of a catalogue or a list of paths, found dict"):
        albireo.completeness({"NTILE": classes}, by="NTILE")
    with pytest.raises(ValueError, match="by W: expected whole numbers|no column `W`"):
        albireo.completeness(tmp_path / "full_0.csv", by="W")


def test_densities_with_randoms(sky, nothing_left):
    ra, dec, z = sky
    randoms = albireo.randoms(2000, like=albireo.Catalog(sky=(ra, dec), redshift=z), nside=16, seed=2)
    made = albireo.nz(albireo.Catalog(sky=(ra, dec), redshift=z), randoms, cosmology="om=0.3", nside=16, fkp=1e4, fkp_randoms=True, effective_redshift=(20, 100))
    assert len(made.part("fkp_randoms")) == 2000 and made.record["area_from"]["of"] == "randoms"
    assert z.min() < made.record["effective_redshift"]["pairs"]["redshift"] < z.max()
    assert made.record["effective_redshift"]["pairs"]["separations"] == [20, 100]
    with pytest.raises(TypeError, match="randoms_weights needs the sample"):
        albireo.nz(albireo.Catalog(sky=(ra, dec), redshift=z), cosmology="om=0.3", area=10, randoms_weights=[1.0])
    with pytest.raises(ValueError, match="area of the survey: area in square degrees, or nside"):
        albireo.nz(albireo.Catalog(sky=(ra, dec), redshift=z), cosmology="om=0.3")
