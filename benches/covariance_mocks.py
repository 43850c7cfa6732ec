#!/usr/bin/env python3
"""Compares `albireo covariance` with the scatter of mock surveys: lognormal fields, and clusters of Neyman and Scott.

    python3 benches/covariance_mocks.py FOLDER --albireo target/release/albireo [--mocks 1500] [--processes 16] [--kinds lognormal,clusters]

Needs numpy, scipy, pyarrow, h5py and matplotlib. The survey: right ascensions of 0 to 60 degrees, declinations of 0 to 50, 500 to 800 Mpc/h, a density
that falls to half, about 11,000 galaxies and one catalogue of 20 times as many random points. Landy-Szalay in 6 bins of s from 20 to 80 Mpc/h and 3
of mu, without redshift-space distortions. xi of the model is the mean of all mocks; its shot noise is fitted to the jackknife of the first one.

Printed: the ratio of variances of mocks over the model, its mean and its expected error; whether all eigenvalues of the mocks, whitened by the
model, lie where those of as many draws of the model do; the fitted alpha. `covariance_mocks.png` draws both.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess

import h5py
import numpy as np
import pyarrow
import pyarrow.parquet

INNER, OUTER, WIDTH, HEIGHT = 500.0, 800.0, np.radians(60), np.sin(np.radians(50))
DENSITY = 1.5e-4
SIDE, CELLS = 800.0, 160
AMPLITUDE, LENGTH = 0.5, 12.0
PARENTS, CHILDREN, SPREAD = 3e-5, 5.0, 8.0
FINE, MU = np.linspace(0, 80, 41), np.linspace(0, 1, 4)
S_EDGES = np.linspace(20, 80, 7)
BINS = ["--statistic", "s-mu", "--positions", "x,y,z", "--unit", "Mpc/h", "--los", "midpoint", "--mu-bins", "lin:0:1:3"]


def selected(positions, rng):
    """Those inside the survey, thinned to its density."""
    r = np.linalg.norm(positions, axis=1)
    with np.errstate(invalid="ignore"):
        longitude, sine = np.arctan2(positions[:, 1], positions[:, 0]), positions[:, 2] / r
    inside = (r > INNER) & (r < OUTER) & (longitude > 0) & (longitude < WIDTH) & (sine > 0) & (sine < HEIGHT)
    kept = rng.uniform(size=len(r)) < 1 - 0.5 * (r - INNER) / (OUTER - INNER)
    return positions[inside & kept]


def random_points(rng):
    """Uniform points of 20 times the density, in the survey."""
    number = rng.poisson(20 * DENSITY * SIDE**3)
    return selected(rng.uniform(0, SIDE, (number, 3)), rng)


def lognormal(rng):
    """Poisson points of the exponential of a Gaussian field whose correlation is a Gaussian of s."""
    k = 2 * np.pi * np.fft.fftfreq(CELLS, SIDE / CELLS)
    last = 2 * np.pi * np.fft.rfftfreq(CELLS, SIDE / CELLS)
    squared = k[:, None, None]**2 + k[None, :, None]**2 + last[None, None, :]**2
    power = AMPLITUDE * (2 * np.pi * LENGTH**2)**1.5 * np.exp(-squared * LENGTH**2 / 2)
    white = np.fft.rfftn(rng.standard_normal((CELLS,) * 3))
    field = np.fft.irfftn(white * np.sqrt(power * (CELLS / SIDE)**3), s=(CELLS,) * 3, axes=(0, 1, 2))
    mean = DENSITY * (SIDE / CELLS)**3 * np.exp(field - field.var() / 2)
    counts = rng.poisson(mean)
    cells = np.argwhere(counts > 0)
    cells = np.repeat(cells, counts[counts > 0], axis=0)
    return selected((cells + rng.uniform(size=cells.shape)) * (SIDE / CELLS), rng)


def clusters(rng):
    """Children around Poisson parents, with Gaussian distances."""
    margin = 6 * SPREAD
    parents = rng.uniform(-margin, SIDE + margin, (rng.poisson(PARENTS * (SIDE + 2 * margin)**3), 3))
    children = rng.poisson(CHILDREN, len(parents))
    return selected(np.repeat(parents, children, axis=0) + SPREAD * rng.standard_normal((children.sum(), 3)), rng)


KINDS = {"lognormal": lognormal, "clusters": clusters}


def write(path, positions):
    longitude = np.arctan2(positions[:, 1], positions[:, 0]) / WIDTH
    sine = positions[:, 2] / np.linalg.norm(positions, axis=1) / HEIGHT
    region = np.floor(6 * longitude).astype(np.int64) * 5 + np.floor(5 * sine).astype(np.int64)
    columns = {name: positions[:, axis] for axis, name in enumerate("xyz")}
    pyarrow.parquet.write_table(pyarrow.table({**columns, "region": region}), path)


def run(command):
    finished = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if finished.returncode:
        raise RuntimeError(" ".join(command) + "\n" + finished.stdout)


def counts_of(path):
    with h5py.File(path) as file:
        return np.array([file[f"{name}_normalised"] for name in ("DD", "DR", "RR")])


def measure(given, kind, number):
    """Counts of one mock, normalised."""
    rng = np.random.default_rng([number, sorted(KINDS).index(kind)])
    path = f"{given.folder}/{kind}_{number}.parquet"
    write(path, KINDS[kind](rng))
    output = path.replace("parquet", "h5")
    reused = ["--reuse", f"{given.folder}/{kind}_0.h5"] if number else []
    run([given.albireo, "xi", path, "--randoms", f"{given.folder}/randoms.parquet", *BINS, "--bins", "lin:0:80:40", "--threads", "1", *reused, "-o", output])
    counts = counts_of(output)
    if number:
        os.remove(path)
        os.remove(output)
    return counts


def landy_szalay(counts):
    dd, dr, rr = np.moveaxis(counts, -2, 0)
    return (dd - 2 * dr + rr) / rr


def coarse(counts):
    """In the bins of the covariance, s slow."""
    fine = counts.reshape(*counts.shape[:-1], len(FINE) - 1, len(MU) - 1)[..., 10:, :]
    return fine.reshape(*fine.shape[:-2], len(S_EDGES) - 1, 5, len(MU) - 1).sum(axis=-2).reshape(*counts.shape[:-1], -1)


def model(given, kind, mean):
    """The covariance at the mean xi, its shot noise fitted to the jackknife of the first mock."""
    place = f"{given.folder}/{kind}"
    centres = (FINE[1:] + FINE[:-1]) / 2
    np.savetxt(f"{place}_xi.txt", [[s, mu, xi] for s, xi in zip(centres, mean) for mu in (0.0, 1.0)])
    randoms, regions = f"{given.folder}/randoms.parquet", ["--regions-column", "region"]
    run([given.albireo, "xi", f"{place}_0.parquet", "--randoms", randoms, *BINS, "--bins", "lin:20:80:6", *regions, "--region-counts", f"{place}_regions.csv",
         "-o", f"{place}_smu.csv"])
    run([given.albireo, "covariance", f"{place}_smu.csv", "--randoms", randoms, *regions, "--tune", f"{place}_regions.csv", "--xi-theory", f"{place}_xi.txt",
         "--xi-cut", "80", "--noise", "0.01", "-o", f"{place}_model.h5"])
    with h5py.File(f"{place}_model.h5") as file:
        description = file["albireo"][()] if file["albireo"].shape == () else file["albireo"][0]
        return np.array(file["matrices/covariance"]), json.loads(description)


def compare(given, kind):
    measure(given, kind, 0)
    with concurrent.futures.ProcessPoolExecutor(given.processes) as pool:
        counts = np.array(list(pool.map(measure, *zip(*[(given, kind, number) for number in range(given.mocks)]), chunksize=4)))
    fine = landy_szalay(counts.reshape(given.mocks, 3, len(FINE) - 1, len(MU) - 1).sum(axis=-1)).mean(axis=0)
    covariance, described = model(given, kind, fine)
    scatter = np.cov(landy_szalay(coarse(counts)), rowvar=False)
    ratio = np.diag(scatter) / np.diag(covariance)
    inverse = np.linalg.inv(np.linalg.cholesky(covariance))
    whitened = inverse @ scatter @ inverse.T
    eigenvalues = np.linalg.eigvalsh(whitened)
    rng = np.random.default_rng(1)
    draws = [np.linalg.eigvalsh(np.cov(rng.standard_normal((given.mocks, len(ratio))), rowvar=False)) for _ in range(200)]
    errors = np.sqrt(np.diag(covariance))
    # Of a mean of correlated variances.
    error = np.sqrt(2 / (given.mocks - 1) * np.sum((covariance / np.outer(errors, errors))**2)) / len(ratio)
    r = np.linalg.norm(whitened - np.eye(len(ratio))) / np.sqrt(len(ratio))
    alone = np.mean([np.sqrt(np.sum((d - 1)**2) / len(d)) for d in draws])
    print(f"{kind}: {given.mocks} mocks, variance of mocks over model {ratio.mean():.4f} +- {error:.4f} (bins {ratio.min():.3f} to {ratio.max():.3f})")
    print(f"  R {r:.4f}, of as many draws {alone:.4f}; eigenvalues {eigenvalues[0]:.3f} to {eigenvalues[-1]:.3f}, of draws "
          f"{min(d[0] for d in draws):.3f} to {max(d[-1] for d in draws):.3f}")
    fitted = described.get("errors") or described["meta"]["errors"]
    print(f"  alpha {fitted['alpha']:.4f}, {fitted['rounds']} rounds, noise {fitted['noise']:.4f}")
    print(f"  mean xi at 1, 11, 21, 31, 41 Mpc/h: {np.array2string(fine[[0, 5, 10, 15, 20]], precision=4)}")
    return ratio, eigenvalues, draws


def draw(folder, compared):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    s = (S_EDGES[1:] + S_EDGES[:-1]) / 2
    for k, (kind, (ratio, eigenvalues, draws)) in enumerate(compared.items()):
        for mu, values in enumerate(ratio.reshape(len(s), -1).T):
            left.plot(s + 1.2 * mu - 1.2 + 0.4 * k, values, "os"[k], color=f"C{k}", alpha=1 - 0.25 * mu, label=kind if mu == 0 else None)
        right.plot(np.arange(1, len(eigenvalues) + 1), eigenvalues, "os"[k], color=f"C{k}", label=kind)
    low, high = np.quantile(draws, [0.005, 0.995], axis=0)
    right.fill_between(np.arange(1, len(low) + 1), low, high, color="0.85", label="99 % of draws of the model")
    left.axhspan(0.97, 1.03, color="0.9")
    left.set(xlabel="s [Mpc/h]", ylabel="variance of mocks over model", ylim=(0.8, 1.2))
    right.set(xlabel="number", ylabel="eigenvalue of mocks whitened by the model")
    left.legend()
    right.legend()
    figure.savefig(f"{folder}/covariance_mocks.png", dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--albireo", required=True)
    parser.add_argument("--mocks", type=int, default=1500)
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--kinds", default=",".join(KINDS))
    given = parser.parse_args()
    os.makedirs(given.folder, exist_ok=True)
    os.environ["OMP_NUM_THREADS"] = "1"
    write(f"{given.folder}/randoms.parquet", random_points(np.random.default_rng(7)))
    draw(given.folder, {kind: compare(given, kind) for kind in given.kinds.split(",")})


if __name__ == "__main__":
    main()
