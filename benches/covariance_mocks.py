#!/usr/bin/env python3
"""The covariance without mocks against lognormal mocks of a survey.

    benches/covariance_mocks.py ALBIREO [--mocks 1500] [--cores 16] [--folder out/mocks] [--times 20] [--thin 1] [--grid 256] [--model=FLAGS]

Each mock is a lognormal field on a grid (real space, a spectrum of Eisenstein & Hu 1998 without wiggles), sampled with a density that falls along the
line of sight in a shell of an octant, weighted by FKP weights. All are counted by the program ALBIREO with one random catalogue, whose RR is counted
once. The model is given xi of the field itself, on its grid, and Poisson noise. Printed are the mean ratio of the variances beyond 20 Mpc/h, chi of it by
draws of Wishart matrices of the model, and the range of eigenvalues; errors.png shows both. A second run takes the mocks that are in the folder.
Needs numpy, h5py, matplotlib.
"""

import argparse
import functools
import json
import multiprocessing
import pathlib
import subprocess
import time

import h5py
import numpy as np

BOX, GRID = 768.0, 256
SHELL = (360.0, 740.0)
DENSITY, FALL = 4e-4, 0.5
POWER_FKP = 1e4
BIAS, SIGMA8, OM, OB, H, NS = 2.0, 0.6, 0.315, 0.049, 0.674, 0.965
LAST, S_BINS, ELLS = 120.0, 30, "0,2"


def spectrum(k):
    """P(k) of the galaxies, of sigma_8 in spheres of 8 Mpc/h."""

    def shape(k):
        theta, omh2 = 2.7255 / 2.7, OM * H * H
        s = 44.5 * np.log(9.83 / omh2) / np.sqrt(1 + 10 * (OB * H * H) ** 0.75)
        alpha = 1 - 0.328 * np.log(431 * omh2) * OB / OM + 0.38 * np.log(22.3 * omh2) * (OB / OM) ** 2
        gamma = OM * H * (alpha + (1 - alpha) / (1 + (0.43 * k * H * s) ** 4))
        q = k * theta**2 / gamma
        log = np.log(2 * np.e + 1.8 * q)
        return k**NS * (log / (log + (14.2 + 731 / (1 + 62.5 * q)) * q * q)) ** 2

    x = np.geomspace(1e-4, 30, 4000)
    top = 3 * (np.sin(8 * x) - 8 * x * np.cos(8 * x)) / (8 * x) ** 3
    y = x**3 * shape(x) * top**2 / (2 * np.pi**2)
    sigma2 = np.sum(0.5 * (y[1:] + y[:-1]) * np.diff(np.log(x)))
    return BIAS**2 * SIGMA8**2 / sigma2 * shape(np.maximum(k, 1e-6)) * (k > 0) * np.exp(-(k**2))


@functools.cache
def gaussian():
    """The amplitudes of the Gaussian field whose exponential has the spectrum, its variance, and xi of the lognormal one on the grid."""
    k = 2 * np.pi * np.fft.fftfreq(GRID, BOX / GRID)
    kz = 2 * np.pi * np.fft.rfftfreq(GRID, BOX / GRID)
    length = np.sqrt(k[:, None, None] ** 2 + k[None, :, None] ** 2 + kz[None, None, :] ** 2)
    cells = (GRID / BOX) ** 3
    xi = np.fft.irfftn(spectrum(length), s=(GRID,) * 3, axes=(0, 1, 2)) * cells
    power = np.maximum(np.fft.rfftn(np.log1p(xi)).real / cells, 0)
    xi = np.fft.irfftn(power, s=(GRID,) * 3, axes=(0, 1, 2)) * cells
    return np.sqrt(power * cells), xi[0, 0, 0], np.expm1(xi)


def density(r):
    return np.where((r >= SHELL[0]) & (r < SHELL[1]), DENSITY * np.exp(-FALL * (r - SHELL[0]) / (SHELL[1] - SHELL[0])), 0.0)


def write(path, x):
    """Positions with FKP weights, the observer at the origin."""
    weight = 1 / (1 + density(np.linalg.norm(x, axis=1)) * POWER_FKP)
    with h5py.File(path, "w") as file:
        for name, values in zip("xyzw", [*x.T, weight], strict=True):
            file[name] = values


def mock(number, path):
    draw = np.random.default_rng([7, number])
    amplitude, variance, _ = gaussian()
    field = np.fft.irfftn(np.fft.rfftn(draw.standard_normal((GRID,) * 3)) * amplitude, s=(GRID,) * 3, axes=(0, 1, 2))
    cell = BOX / GRID
    middle = (np.arange(GRID) + 0.5) * cell
    r = np.sqrt(middle[:, None, None] ** 2 + middle[None, :, None] ** 2 + middle[None, None, :] ** 2)
    most = density(np.maximum(r - cell, SHELL[0])) * (r > SHELL[0] - cell) * (r < SHELL[1] + cell)
    number = draw.poisson(most * cell**3 * np.exp(field - variance / 2))
    place = np.repeat(np.argwhere(number), number[number > 0], axis=0)
    x = (place + draw.random(place.shape)) * cell
    r = np.linalg.norm(x, axis=1)
    at = tuple(place.T)
    write(path, x[draw.random(len(x)) * most[at] < density(r)])


def randoms(path, number):
    draw = np.random.default_rng(3)
    x = draw.random((int(number * BOX**3 / (0.9 * (4 * np.pi / 3 / 8) * (SHELL[1] ** 3 - SHELL[0] ** 3))), 3)) * BOX
    write(path, x[draw.random(len(x)) * DENSITY < density(np.linalg.norm(x, axis=1))])


def theory(path):
    """xi of the field by separation: points lie anywhere in a cell, so that it is linear between the nodes of the grid."""
    xi, cell = gaussian()[2], BOX / GRID
    draw = np.random.default_rng(5)
    towards = draw.standard_normal((400, 3))
    towards /= np.linalg.norm(towards, axis=1)[:, None]
    rows = []
    for s in np.arange(1, 501) * 0.5:
        x = s * towards / cell
        low = np.floor(x).astype(int)
        part, value = x - low, 0.0
        for corner in np.ndindex(2, 2, 2):
            at = (low + corner) % GRID
            value += np.prod(np.where(corner, part, 1 - part), axis=1) * xi[tuple(at.T)]
        rows += [(s, mu, value.mean()) for mu in (0, 1)]
    np.savetxt(path, rows)


def albireo(program, *words):
    made = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False)
    if made.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}\n{made.stderr}")


def bins():
    return ["--weight=w", "--statistic=s-mu", f"--bins=lin:0:{LAST}:{S_BINS}", "--mu-bins=lin:0:1:20"]


def measured(number, program, folder):
    """The multipoles of a mock, one after the other."""
    data, out = folder / f"mock_{number}.h5", folder / f"poles_{number}.json"
    if not out.exists():
        mock(number, data)
        words = ["--rr", folder / "rr.h5", f"--multipoles={ELLS}", "--threads=1", "--overwrite", "-o", out]
        albireo(program, "xi", data, "--randoms", folder / "randoms.h5", *bins(), *words)
        with h5py.File(data) as file:
            (folder / f"number_{number}").write_text(str(len(file["x"])))
        data.unlink()
    return values(out), int((folder / f"number_{number}").read_text())


def values(path):
    columns = json.loads(path.read_text())["data"]
    return np.concatenate([columns[f"xi_{ell}"] for ell in ELLS.split(",")])


def wishart(root, mocks, draw):
    x = root @ draw.standard_normal((len(root), mocks))
    return np.cov(x)


def compare(poles, cov, s, folder):
    """Prints how mocks and model differ, and draws it."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    mocks, found, far = len(poles), np.cov(poles.T), np.tile(s > 20, len(ELLS.split(",")))
    root = np.linalg.cholesky(cov)
    draw = np.random.default_rng(1)
    drawn = [wishart(root, mocks, draw) for _ in range(300)]

    def ratio(matrix):
        return np.mean((np.diag(matrix) / np.diag(cov))[far])

    def eigenvalues(matrix):
        inverse = np.linalg.inv(root)
        return np.linalg.eigvalsh(inverse @ matrix @ inverse.T)

    ratios = np.array([ratio(matrix) for matrix in drawn])
    mean, spread = ratio(found), ratios.std()
    n_b = len(cov)
    inverse = np.linalg.inv(root)
    r2 = np.sum((inverse @ (found - cov) @ inverse.T) ** 2) / n_b
    print(f"{mocks} mocks: mean variance ratio beyond 20 Mpc/h {mean:.4f} +- {spread:.4f}, chi {(mean - 1) / spread:+.2f}")
    print(f"R {np.sqrt(r2):.3f}, expected of as many Wishart mocks {np.sqrt((n_b + 1) / (mocks - 1)):.3f}")
    own, others = eigenvalues(found), np.array([eigenvalues(matrix) for matrix in drawn])
    low, high = others.min(axis=0), others.max(axis=0)
    print(f"eigenvalues in the range of 300 draws: {np.mean((own >= low) & (own <= high)):.1%}")
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), constrained_layout=True)
    for k, ell in enumerate(ELLS.split(",")):
        part = slice(k * len(s), (k + 1) * len(s))
        left.errorbar(s + 0.6 * k, (np.diag(found) / np.diag(cov))[part], np.sqrt(2 / (mocks - 1)), fmt="o", ms=3, label=f"$\\ell$ = {ell}")
    left.axhline(1, color="grey", lw=0.8)
    left.axvline(20, color="grey", lw=0.8, ls=":")
    left.set(xlabel="s [Mpc/h]", ylabel="variance of mocks over model", title=f"{mocks} lognormal mocks")
    left.legend()
    right.fill_between(np.arange(n_b), low, high, alpha=0.3, label="300 Wishart draws of the model")
    right.plot(own, "k.", ms=4, label="mocks")
    right.set(xlabel="number", ylabel="eigenvalues of the whitened covariance", yscale="log" if low.min() > 0 else "linear")
    right.legend()
    figure.savefig(folder / "errors.png", dpi=140)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", metavar="ALBIREO")
    parser.add_argument("--mocks", type=int, default=1500)
    parser.add_argument("--cores", type=int, default=16)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("out/mocks"))
    parser.add_argument("--times", type=int, default=20, help="random points for each of the data")
    parser.add_argument("--thin", type=float, default=1, help="so many times fewer points")
    parser.add_argument("--grid", type=int, default=GRID, help="cells along an axis")
    parser.add_argument("--bins", type=int, default=S_BINS, help="bins up to 120 Mpc/h")
    parser.add_argument("--model", default="--noise=0.03", help="flags of the model")
    given = parser.parse_args()
    folder, program = given.folder, given.program
    globals().update(DENSITY=DENSITY / given.thin, GRID=given.grid, S_BINS=given.bins)
    folder.mkdir(parents=True, exist_ok=True)
    begun = time.time()
    if not (folder / "rr.h5").exists():
        theory(folder / "xi.txt")
        mock(0, folder / "first.h5")
        with h5py.File(folder / "first.h5") as file:
            first = len(file["x"])
        randoms(folder / "randoms.h5", given.times * first)
        random_points = ["--randoms", folder / "randoms.h5"]
        albireo(program, "count", folder / "randoms.h5", *bins(), f"--threads={given.cores}", "--overwrite", "-o", folder / "rr.h5")
        albireo(program, "xi", folder / "first.h5", *random_points, *bins(), "--overwrite", "-o", folder / "smu.h5")
    print(f"RR and the first mock: {time.time() - begun:.0f} s", flush=True)
    with multiprocessing.Pool(given.cores) as pool:
        made = pool.map(functools.partial(measured, program=program, folder=folder), range(given.mocks), chunksize=1)
    poles, numbers = np.array([one for one, _ in made]), [number for _, number in made]
    print(f"{given.mocks} mocks of {np.mean(numbers):.0f} points: {time.time() - begun:.0f} s", flush=True)
    # Below 8 Mpc/h there are few pairs, and the cells of the grid.
    s = (np.arange(S_BINS) + 0.5) * LAST / S_BINS
    keep = np.tile(s > 8, len(ELLS.split(",")))
    words = ["--xi-theory", folder / "xi.txt", f"--multipoles={ELLS}", *given.model.split(), f"--data-number={np.mean(numbers)}"]
    albireo(program, "covariance", folder / "smu.h5", "--randoms", folder / "randoms.h5", "--weight=w", *words, "--overwrite", "-o", folder / "model.npy")
    cov = np.load(folder / "model.npy")[np.ix_(keep, keep)]
    print(f"model: {time.time() - begun:.0f} s", flush=True)
    compare(poles[:, keep], cov, s[s > 8], folder)


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    main()
