"""g(r) of frames in memory: the counts and every flag are those of the same frames in a file."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import double_loop

import albireo

F, N = 5, 72
SPECIES = np.array(["O", "H", "H"] * (N // 3))
MOLECULE = np.arange(N) // 3


def _frames() -> tuple[np.ndarray, np.ndarray]:
    """Molecules in boxes that grow; some sites on faces and twice."""
    rng = np.random.default_rng(12)
    sides = 4 + 0.25 * np.arange(F)[:, None] * np.array([1, 0.5, 0])
    centres = rng.random((F, N // 3, 1, 3)) * sides[:, None, None]
    positions = (centres + rng.normal(0, 0.2, (F, N // 3, 3, 3))).reshape(F, N, 3)
    # Whole molecules move there: their atoms stay together.
    for row, place in ((0, 0 * positions[:, 0]), (5, positions[:, 8].copy())):
        first = row - row % 3
        positions[:, first : first + 3] += (place - positions[:, row])[:, None]
        positions[:, row] = place
    return positions, sides


POSITIONS, SIDES = _frames()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("frames")
    rows = [
        f"{k},{s},{m},{16 if s == 'O' else 1},{x!r},{y!r},{z!r}"
        for k in range(F)
        for s, m, (x, y, z) in zip(SPECIES, MOLECULE, POSITIONS[k].tolist())
    ]
    (folder / "t.csv").write_text("frame,species,molecule,mass,x,y,z\n" + "\n".join(rows) + "\n")
    boxes = [",".join(map(repr, [k, *side])) for k, side in enumerate(SIDES.tolist())]
    (folder / "t.box.csv").write_text("frame,lx,ly,lz\n" + "\n".join(boxes) + "\n")
    return folder / "t.csv"


def _trajectory() -> albireo.Trajectory:
    mass = np.where(SPECIES == "O", 16, 1)
    return albireo.Trajectory(POSITIONS, boxes=SIDES, species=SPECIES, molecule=MOLECULE, mass=mass)


BINS: dict[str, Any] = {"r_max": 1.75, "n_bins": 12}
FLAGS: list[dict[str, Any]] = [
    {},
    {"pairs": "O-H,O-O"},
    {"group": "molecule"},
    {"species": "molecule", "pairs": "0-1"},
    {"select": "near=z < 2", "update": True},
    {"where": "species == 'O' or z < 2", "frames": "1::2"},
    {"norm": "n2", "pmf": True, "kirkwood_buff": True},
    {"norm": "gc"},
    {"centres": "molecule"},
    {"plane": "xy"},
    {"cylinder": "z", "heights": "lin:0:1.5:3"},
    {"r_max": 3.0, "beyond_half": True},
    {"lags": [0, 2]},
    {"frame_weights": [1, 0.5, 0, 2, 1]},
    {"structure": True, "q": "lin:1:6:5"},
    {"block_counts": True, "block": 2},
    {"box": "none", "norm": "none", "p_of_r": True},
    {"box": [5, 5, None], "volume": 100.0, "norm": "pairs"},
]


@pytest.mark.parametrize("flags", FLAGS, ids=str)
def test_every_flag_does_what_it_does_with_files(flags: dict[str, Any], file: Path) -> None:
    in_memory = albireo.rdf(_trajectory(), **{**BINS, **flags})
    of_file = albireo.rdf(file, **{**BINS, **flags})
    parts = [name for name in ("structure", "p_of_r", "total_g", "block_counts") if flags.get(name) is True]
    both = [(in_memory, of_file), *((in_memory.part(name), of_file.part(name)) for name in parts)]
    for one, other in both:
        assert one.columns == other.columns and len(one.columns) > 3
        for name in one.columns:
            assert np.array_equal(one[name], other[name], equal_nan=one[name].dtype.kind == "f"), name
    assert in_memory.record["trajectory"]["format"] == "arrays"


def test_counts_are_those_of_the_double_loop() -> None:
    edges = np.linspace(0, 1.75, 8)
    expected = sum(double_loop(np.mod(frame, 4.0), None, edges, 4.0).astype(int) for frame in POSITIONS)
    for given in (POSITIONS, list(POSITIONS), np.asfortranarray(POSITIONS), POSITIONS[::-1], POSITIONS.tolist() and tuple(POSITIONS)):
        assert (albireo.rdf(given, bins=edges, box=4).npairs == expected).all()
    single = POSITIONS.astype(np.float32)
    wide = albireo.rdf(single.astype(np.float64), bins=edges, box=4)
    assert (albireo.rdf(single, bins=edges, box=4).npairs == wide.npairs).all()


def test_arrays_beside_arrays_are_columns_of_particles() -> None:
    given = albireo.rdf(POSITIONS, box=4, species=SPECIES, group=MOLECULE, pairs="O-H", **BINS)
    named = albireo.rdf(albireo.Trajectory(POSITIONS, species=SPECIES, group=MOLECULE), box=4, group="group", pairs="O-H", **BINS)
    assert given.columns == named.columns
    name = next(name for name in given.columns if name.startswith("npairs"))
    assert (given[name] == named[name]).all() and given[name].sum() > 0


def test_frames_may_differ_in_number_and_kind() -> None:
    parts = [POSITIONS[0][:50], POSITIONS[1][:0], POSITIONS[2][:61]]
    kinds = [SPECIES[:50], SPECIES[:0], SPECIES[::-1][:61]]
    varying = albireo.Trajectory(parts, boxes=[np.eye(3) * 4] * 3, species=kinds, mass=[np.ones(len(p)) for p in parts])
    assert repr(varying) == "<Trajectory of 3 frames, 0 to 61 particles: positions, species, mass>"
    found = albireo.rdf(varying, pairs="O-O", **BINS)
    edges = np.linspace(0, 1.75, 13)
    expected = sum(double_loop(np.mod(p[k == "O"], 4.0), None, edges, 4.0).astype(int) for p, k in zip(parts, kinds) if len(p))
    assert (found.npairs == expected).all()


def test_bonded_pairs_are_left_out() -> None:
    bonds = [[3 * k, 3 * k + h] for k in range(N // 3) for h in (1, 2)]
    bonded = albireo.Trajectory(POSITIONS, boxes=SIDES, bonds=bonds)
    of_molecules = albireo.rdf(_trajectory(), where="mass > 0", species="mass", group="molecule", **BINS)
    total = sum(of_molecules[name].sum() for name in of_molecules.columns if name.startswith("npairs"))
    assert albireo.rdf(bonded, bonded=2, **BINS).npairs.sum() == total
    assert albireo.rdf(bonded, bonded=1, **BINS).npairs.sum() > total


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: albireo.Trajectory(POSITIONS[0]), r"positions: expected an array of shape \(F, N, 3\), found shape \(72, 3\)"),
        (lambda: albireo.Trajectory([]), "at least one frame"),
        (lambda: albireo.Trajectory([POSITIONS[0].T]), r"frame 0: expected an array of shape \(N, 3\)"),
        (lambda: albireo.Trajectory(POSITIONS, boxes=[4.0] * F), r"boxes: expected \(5, 3\) lengths or \(5, 3, 3\) vectors, found shape \(5,\)"),
        (lambda: albireo.Trajectory(POSITIONS, bonds=[[0.5, 1]]), "bonds: expected whole numbers"),
        (lambda: albireo.Trajectory(POSITIONS, mass=np.ones((2, 2))), "mass: expected a value for each particle"),
        (lambda: albireo.Trajectory(list(POSITIONS), mass=[np.ones(N)] * (F - 1) + [np.ones(3)]), "mass: frame 4 has 72 particles, found 3"),
        (lambda: albireo.rdf(albireo.Trajectory(POSITIONS, mass=np.ones(7)), box=4, **BINS), "`mass` has 7"),
        (lambda: albireo.rdf(albireo.Trajectory(POSITIONS, bonds=[[0, 72]]), box=4, **BINS), "72"),
        (lambda: albireo.rdf(albireo.Trajectory(POSITIONS, boxes=SIDES * 0), **BINS), "the box of frame 0"),
        (lambda: albireo.rdf(albireo.Trajectory(POSITIONS), box=4, species=SPECIES, **BINS), "species: belongs into the Trajectory"),
        (lambda: albireo.rdf(POSITIONS, POSITIONS[0], box=4, **BINS), "a trajectory has no second sample"),
        (lambda: albireo.rdf(POSITIONS, box=4, checkpoint="kept.bin", **BINS), "checkpoint is for files"),
        (lambda: albireo.rdf(np.full_like(POSITIONS, np.nan), box=4, **BINS), "frame 0"),
        (lambda: albireo.rdf(POSITIONS, box=4, frames="9:", **BINS), "none is in the range of frames"),
        (lambda: albireo.count(albireo.Trajectory(POSITIONS), bins=[0, 1.0]), "data: a Trajectory is for albireo.rdf"),
        (lambda: albireo.rdf(POSITIONS, box=4, **BINS).part("structure"), "part: expected one of"),
    ],
)
def test_misuse_is_told(make: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        make()
