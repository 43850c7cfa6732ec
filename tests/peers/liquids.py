"""g(r), n(r) and S(q) of a real liquid by albireo beside MDAnalysis, freud, mdtraj, LAMMPS and GROMACS, as docs/normalisations.md says they agree.

    cargo build --release
    apt-get install gromacs lammps
    pip install numpy pyarrow MDAnalysis freud-analysis mdtraj
    python tests/peers/liquids.py target/release/albireo water.npz [--frames 3] [--peers freud ..]

The file holds positions `O` (frame, particle, axis) of one species, or `pos` with `species`, in Angstrom, and the sides `box` (frame, axis) of cubes. What differs is
given as the largest difference of a value, the pairs that this is, and the pairs that lie in other bins in all: programs in float32 move those next to an
edge. It ends with 1 where more than one pair in 5,000 lies elsewhere, or where S(q) differs by more than 0.05 (root of the mean square).
"""

import argparse
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "data"))
import make_liquids as peers  # noqa: E402

warnings.simplefilter("ignore")
MOVED = 1 / 5_000
SCATTER = 0.05


def loaded(path, count):
    """Frames of positions, the species of each particle, and the sides of the boxes."""
    file = np.load(path)
    if "O" in file:
        positions, species = file["O"], np.repeat("O", file["O"].shape[1])
    else:
        names = np.array(["O", "H", "ION"])
        positions, species = file["pos"], names[file["species"]]
    sides = file["box"][:count, 0].astype(float)
    # As float32, which all of them can read.
    positions = np.mod(positions[:count].astype(float), sides[:, None, None]).astype(np.float32).astype(float)
    return list(positions), species, sides.tolist()


def write_table(path, frames):
    import pyarrow as pa
    import pyarrow.parquet as pq

    n = len(peers.SPECIES)
    x, y, z = np.concatenate(frames).T.copy()
    number = np.repeat(np.arange(len(frames)), n)
    sides = np.repeat(peers.SIDES, n)
    columns = {"frame": number, "species": np.tile(peers.SPECIES, len(frames)), "x": x, "y": y, "z": z}
    pq.write_table(pa.table(columns | {f"l{a}": sides for a in "xyz"}), path)


class Albireo:
    def __init__(self, program, frames, folder):
        self.program, self.folder, self.count = program, folder, len(frames)
        write_table(folder / "t.parquet", frames)

    def run(self, bins, *options):
        import pyarrow.parquet as pq

        call = [self.program, "rdf", "t.parquet", "--bins", bins, *options, "-o", "g.parquet", "--block-counts", "each.parquet", "--brief"]
        subprocess.run(call, cwd=self.folder, check=True, capture_output=True)
        table, each = (pq.read_table(self.folder / name).to_pydict() for name in ("g.parquet", "each.parquet"))
        return {k: np.array(v) for k, v in table.items()}, {k: np.array(v) for k, v in each.items()}


def expected(albireo):
    """What each peer should give, by (peer, quantity, pair), with the pairs of each bin."""
    width, count = peers.R_MAX / peers.BINS, albireo.count
    whole = f"lin:0:{peers.R_MAX}:{peers.BINS}"
    centred = "edges:0," + ",".join(repr((k + 0.5) * width) for k in range(peers.BINS))
    pairs_norm, each = albireo.run(whole)
    mean_volume, _ = albireo.run(whole, "--norm", "gc")
    squares, _ = albireo.run(whole, "--norm", "n2")
    middles, _ = albireo.run(centred, "--norm", "n2")
    last = np.mean(np.array(peers.SIDES) ** -3.0) * peers.SIDES[-1] ** 3
    for a, b in peers.PAIRS:
        pair, na = f"{a}-{b}", peers.NUMBERS[a]
        many = len(peers.PAIRS) > 1

        def of(table, what):
            names = [f"{what}_{a}-{b}", f"{what}_{b}-{a}"] if many else [what]
            return next(table[name] for name in names if name in table)

        p, ends = of(pairs_norm, "npairs"), (2 if a == b else 1)
        yield ("mdtraj", "rdf", pair), (of(pairs_norm, "g"), p, 0)
        yield ("mdanalysis", "rdf", pair), (of(mean_volume, "g"), p, int(a == b))
        yield ("freud", "exact", pair), (of(squares, "g") * last, p, 0)
        yield ("freud", "n_r", pair), (pairs_norm[f"n_{a}-{b}" if many else "n"], np.cumsum(p), 0)
        g = of(each, "g").reshape(count, -1)
        yield ("lammps", "rdf", pair), (g.mean(0), p, 0)
        yield ("lammps", "coord", pair), (pairs_norm[f"n_{a}-{b}" if many else "n"], np.cumsum(p), 0)
        p = of(middles, "npairs")[:-1]
        yield ("gromacs", "rdf", pair), (of(middles, "g")[:-1], p, 0)
        yield ("gromacs", "none", pair), (ends * p / (count * na * width / 10), p, 0)


def compared(name, found, told):
    """Prints how far two curves are apart; whether it is too far."""
    value, pairs, first = told
    found = np.array(found[: len(value)])
    value, pairs, found = value[first : len(found)], pairs[first : len(found)], found[first:]
    decimals = 6e-4 if name[0] == "gromacs" else 0.0
    off = np.maximum(np.abs(found - value) - decimals, 0)
    moved = np.divide(off * pairs, value, out=np.zeros_like(off), where=value > 0)
    of_all = pairs[-1] if name[1] in ("n_r", "coord") else pairs.sum()
    part = (moved.max() if name[1] in ("n_r", "coord") else moved.sum()) / of_all
    wrong = part > MOVED or bool(np.any((value == 0) & (off > 0)))
    k = int(np.argmax(off))
    print(f"{name[0]:10} {name[1]:6} {name[2]:8} largest difference {np.abs(found - value).max():.2e} ({moved[k]:.1f} pairs of {pairs[k]}), elsewhere {part:.1e} of all pairs{'  WRONG' if wrong else ''}", flush=True)
    return wrong


def structure(albireo, frames, species):
    """S(q) of one species: waves over lattice vectors by freud, Fourier's integral of g by albireo."""
    import freud
    import pyarrow.parquet as pq

    half = min(peers.SIDES) / 2
    call = [albireo.program, "rdf", "t.parquet", "--select", f'{species}=species == "{species}"', "--r-max", "half", "--n-bins", str(int(half / 0.02))]
    call += ["--structure", "s.parquet", "--q", "lin:1:3:10", "-o", "half.csv", "--brief"]
    subprocess.run(call, cwd=albireo.folder, check=True, capture_output=True)
    ours = np.array(pq.read_table(albireo.folder / "s.parquet")[f"SAL_{species}-{species}"])
    direct = freud.diffraction.StaticStructureFactorDirect(bins=10, k_max=3, k_min=1, num_sampled_k_points=8000)
    for points, side in zip(frames, peers.SIDES):
        box = freud.box.Box.cube(side)
        direct.compute((box, box.wrap(points[peers.SPECIES == species] - side / 2)), reset=False)
    theirs = np.array(direct.S_k)
    off = float(np.sqrt(np.nanmean((ours - theirs) ** 2)))
    wrong = off > SCATTER
    print(f"freud      S(q)   {species}-{species:6} root of the mean square difference {off:.3f}; first peak {np.nanmax(theirs):.3f}, albireo {ours.max():.3f}{'  WRONG' if wrong else ''}")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("liquid")
    parser.add_argument("--frames", type=int, default=2)
    parser.add_argument("--r-max", type=float, default=10.0)
    parser.add_argument("--bins", type=int, default=200)
    parser.add_argument("--peers", nargs="*", default=["mdanalysis", "freud", "lammps", "gromacs"])
    asked = parser.parse_args()
    frames, species, sides = loaded(asked.liquid, asked.frames)
    names, numbers = np.unique(species, return_counts=True)
    order = np.argsort(species, kind="stable")
    frames = [frame[order] for frame in frames]
    peers.SPECIES, peers.NUMBERS, peers.SIDES = species[order], dict(zip(names.tolist(), numbers.tolist())), sides
    peers.R_MAX, peers.BINS = asked.r_max, asked.bins
    names = names.tolist()
    # LAMMPS and mdtraj are asked for two species at most.
    peers.PAIRS = [(names[0], names[0])] if len(names) == 1 else [(names[0], names[0]), (names[0], names[1]), (names[1], names[1])]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        albireo = Albireo(str(Path(asked.program).resolve()), frames, Path(folder))
        told = dict(expected(albireo))
        for peer in asked.peers:
            found = {}
            for name, quantity, pair, _, value in getattr(peers, peer)(frames):
                found.setdefault((name, quantity, pair), []).append(value)
            wrong += sum(compared(key, found[key], told[key]) for key in told if key in found)
        wrong += structure(albireo, frames, "O")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
