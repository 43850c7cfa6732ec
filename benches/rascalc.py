#!/usr/bin/env python3
"""Compares `albireo covariance` with RascalC (github.com/oliverphilcox/RascalC): the same random points, RR and xi, the terms C2, C3 and C4.

    git clone https://github.com/oliverphilcox/RascalC && cd RascalC     (needs g++, make, pkg-config and libgsl-dev)
    make CXXFLAGS="-O3 -march=native -std=c++11 -ffast-math -fopenmp -DOPENMP $(pkg-config --cflags gsl)"
    python3 benches/rascalc.py FOLDER --rascalc RascalC/cov --albireo target/release/albireo [--threads 2] [--loops 4] [--rounds 16]

A survey of 4,037 square degrees between 1900 and 2450 Mpc/h with 550,000 galaxies of bias 2, whose density falls to 0.3, with FKP weights; 45 bins of
4 Mpc/h from 20 and 10 in mu; multipoles 0, 2 and 4. xi is that of the linear power spectrum without wiggles of Eisenstein & Hu (1998,
doi:10.1086/305424) times exp(-k^2), with the redshift-space distortions of Kaiser (1987), constant below 2 Mpc/h.

Each code makes two matrices with other seeds. Their means differ by D; whitened by the mean of ours, |D|^2/N is compared with the noise of both
means. `rate` is of quads, over the whole command of RascalC and of albireo.
"""
import argparse
import os
import subprocess
import time

import h5py
import numpy as np
import pyarrow
import pyarrow.parquet
from scipy.special import spherical_jn

S_EDGES = np.linspace(20, 200, 46)
MU_EDGES = np.linspace(0, 1, 11)
GALAXIES, INNER, OUTER = 550_000, 1900.0, 2450.0
BIAS, GROWTH = 2.0, 0.85
OMEGA_M, OMEGA_B, HUBBLE, TILT, SIGMA_8 = 0.315, 0.049, 0.674, 0.965, 0.51


def power(k):
    """Linear power without wiggles, (Mpc/h)^3."""
    matter, baryon = OMEGA_M * HUBBLE**2, OMEGA_B * HUBBLE**2
    sound = 44.5 * np.log(9.83 / matter) / np.sqrt(1 + 10 * baryon**0.75)
    share = OMEGA_B / OMEGA_M
    alpha = 1 - 0.328 * np.log(431 * matter) * share + 0.38 * np.log(22.3 * matter) * share**2

    def shape(k):
        gamma = OMEGA_M * HUBBLE * (alpha + (1 - alpha) / (1 + (0.43 * k * HUBBLE * sound)**4))
        q = k * (2.7255 / 2.7)**2 / gamma
        logarithm = np.log(2 * np.e + 1.8 * q)
        return k**TILT * (logarithm / (logarithm + (14.2 + 731 / (1 + 62.5 * q)) * q**2))**2

    grid = np.geomspace(1e-5, 20, 20_000)
    window = 3 * spherical_jn(1, 8 * grid) / (8 * grid)
    return shape(k) * SIGMA_8**2 / np.trapezoid(grid**3 * shape(grid) * window**2 / (2 * np.pi**2), np.log(grid))


def xi(s, mu):
    """xi on a grid of s and mu."""
    k = np.geomspace(1e-5, 6, 30_000)
    damped = power(k) * np.exp(-k**2)
    factors = {0: BIAS**2 + 2 / 3 * BIAS * GROWTH + GROWTH**2 / 5, 2: 4 / 3 * BIAS * GROWTH + 4 / 7 * GROWTH**2, 4: 8 / 35 * GROWTH**2}
    total = np.zeros((len(s), len(mu)))
    for ell, factor in factors.items():
        radial = np.array([np.trapezoid(k**3 * damped * spherical_jn(ell, k * max(r, 2.0)), np.log(k)) for r in s]) / (2 * np.pi**2)
        legendre = np.polynomial.legendre.Legendre.basis(ell)(mu)
        total += (-1)**(ell // 2) * factor * radial[:, None] * legendre[None, :]
    return total


def survey(number, seed):
    """Positions in Mpc/h and FKP weights of random points of the survey."""
    rng = np.random.default_rng(seed)
    area, width = 4037 * (np.pi / 180)**2, np.radians(100)
    sine = rng.uniform(0, area / width, number)
    longitude = rng.uniform(0, width, number)
    r = np.empty(0)
    while len(r) < number:
        drawn = np.cbrt(rng.uniform(INNER**3, OUTER**3, 2 * number))
        r = np.concatenate((r, drawn[rng.uniform(size=2 * number) < density(drawn)]))
    r = r[:number]
    volume = area * np.trapezoid((grid := np.linspace(INNER, OUTER, 1000))**2 * density(grid), grid)
    cosine = np.sqrt(1 - sine**2)
    positions = r[:, None] * np.c_[cosine * np.cos(longitude), cosine * np.sin(longitude), sine]
    return positions, 1 / (1 + 1e4 * GALAXIES / volume * density(r))


def density(r):
    """Of the survey, in units of the largest."""
    return 1 - 0.7 * (r - INNER) / (OUTER - INNER)


def projection():
    """From the bins in (s, mu), s slow, to multipoles 0, 2 and 4, l slow."""
    rows = []
    for ell in (0, 2, 4):
        integral = np.polynomial.legendre.Legendre.basis(ell).integ()
        means = (2 * ell + 1) * np.diff(integral(MU_EDGES))
        rows.append(np.kron(np.eye(len(S_EDGES) - 1), means[None, :]))
    return np.concatenate(rows)


def run(command):
    start = time.perf_counter()
    finished = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return time.perf_counter() - start, finished.stdout


def prepare(folder, number, albireo):
    """Inputs of both codes; RR over all pairs in each bin."""
    for name, size, seed in (("randoms", number, 1), ("galaxies", GALAXIES, 2)):
        positions, weights = survey(size, seed)
        table = pyarrow.table({"x": positions[:, 0], "y": positions[:, 1], "z": positions[:, 2], "w": weights})
        pyarrow.parquet.write_table(table, f"{folder}/{name}.parquet")
        if name == "randoms":
            np.savetxt(f"{folder}/randoms.txt", np.c_[positions, weights / weights.sum()], fmt="%.17g")
    centres, mu = np.arange(1, 301, 2.0), (MU_EDGES[1:] + MU_EDGES[:-1]) / 2
    table = xi(centres, mu)
    with open(f"{folder}/xi.dat", "w") as file:
        file.write(" ".join(f"{s:.17g}" for s in centres) + "\n" + " ".join(f"{m:.17g}" for m in mu) + "\n")
        np.savetxt(file, table)
    np.savetxt(f"{folder}/theory.txt", np.c_[np.repeat(centres, len(mu)), np.tile(mu, len(centres)), table.ravel()], header="s mu xi")
    np.savetxt(f"{folder}/bins.txt", np.c_[S_EDGES[:-1], S_EDGES[1:]])
    np.savetxt(f"{folder}/bins_xi.txt", np.c_[centres - 1 + 1e-4 * (centres == 1), centres + 1])
    run([albireo, "xi", f"{folder}/galaxies.parquet", "--randoms", f"{folder}/randoms.parquet", "--positions", "x,y,z", "--weight", "w", "--unit", "Mpc/h",
         "--statistic", "s-mu", "--bins", "lin:20:200:45", "--mu-bins", "lin:0:1:10", "--los", "midpoint", "-o", f"{folder}/smu.h5"])
    with h5py.File(f"{folder}/smu.h5") as file:
        rr = np.array(file["RR_normalised"])
    np.savetxt(f"{folder}/rr.txt", rr.reshape(-1, 1), fmt="%.17g")


def rascalc(folder, binary, threads, loops, seed):
    output = f"{folder}/rascalc_{seed}"
    os.makedirs(output, exist_ok=True)
    seconds, text = run([binary, "-output", f"{output}/", "-in", f"{folder}/randoms.txt", "-norm", str(GALAXIES), "-cor", f"{folder}/xi.dat", "-RRbin",
                         f"{folder}/rr.txt", "-binfile", f"{folder}/bins.txt", "-binfile_cf", f"{folder}/bins_xi.txt", "-mbin", "10", "-mbin_cf", "10", "-cf_loops",
                         "0", "-nthread", str(threads), "-maxloops", str(loops), "-loopspersample", "1", "-N2", "5", "-N3", "10", "-N4", "20", "-xicut", "250",
                         "-nside", "301", "-seed", str(seed)])
    with open(f"{output}/log.txt", "w") as file:
        file.write(text)
    terms = {term: np.loadtxt(named(output, term)) for term in ("c2", "c3", "c4")}
    terms["c2"] = np.diag(terms["c2"]) if terms["c2"].ndim == 1 else terms["c2"]
    return seconds, terms


def named(output, term):
    """The file of a term: its name has the tracers too."""
    names = [name for name in os.listdir(f"{output}/CovMatricesAll") if name.startswith(f"{term}_n45_m10") and name.endswith("_full.txt")]
    return f"{output}/CovMatricesAll/{names[0]}"


def ours(folder, binary, threads, rounds, seed):
    output = f"{folder}/albireo_{seed}.h5"
    seconds, text = run([binary, "covariance", f"{folder}/smu.h5", "--randoms", f"{folder}/randoms.parquet", "--xi-theory", f"{folder}/theory.txt", "--rounds",
                         str(rounds), "--seed", str(seed), "--threads", str(threads), "--finite-randoms", "off", "-v", "-o", output])
    with open(f"{folder}/albireo_{seed}.log", "w") as file:
        file.write(text)
    with h5py.File(output) as file:
        terms = {term: np.array(file[f"matrices/{term}"]) for term in ("c2", "c3", "c4")}
    return seconds, terms


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--rascalc", required=True)
    parser.add_argument("--albireo", required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--randoms", type=int, default=1_000_000)
    parser.add_argument("--loops", type=int, default=4, help="of RascalC, each 1000 quads a random point")
    parser.add_argument("--rounds", type=int, default=16, help="of albireo")
    given = parser.parse_args()
    os.makedirs(given.folder, exist_ok=True)
    if not os.path.exists(f"{given.folder}/rr.txt"):
        prepare(given.folder, given.randoms, given.albireo)
    theirs = [rascalc(given.folder, given.rascalc, given.threads, given.loops, seed) for seed in (1, 2)]
    mine = [ours(given.folder, given.albireo, given.threads, given.rounds, seed) for seed in (1, 2)]
    mapped = projection()

    def whole(terms):
        return mapped @ (terms["c2"] + (terms["c3"] + terms["c3"].T) / 2 + (terms["c4"] + terms["c4"].T) / 2) @ mapped.T

    def mean(pair, term):
        return (pair[0][1][term] + pair[1][1][term]) / 2

    first, second = [whole(terms) for _, terms in mine], [whole(terms) for _, terms in theirs]
    inverse = np.linalg.inv(np.linalg.cholesky((first[0] + first[1]) / 2))

    def squared(matrix):
        return (np.linalg.norm(inverse @ matrix @ inverse.T)**2) / len(inverse)

    noise = [squared(pair[0] - pair[1]) / 4 for pair in (first, second)]
    difference = squared((first[0] + first[1] - second[0] - second[1]) / 2)
    print(f"RascalC  {given.loops} loops: {theirs[0][0]:.1f} and {theirs[1][0]:.1f} s, {given.loops * given.randoms * 1000 / theirs[0][0]:.2e} quads/s of the command; R^2 of the mean {noise[1]:.4f}")
    print(f"albireo  {given.rounds} rounds: {mine[0][0]:.1f} and {mine[1][0]:.1f} s; R^2 of the mean {noise[0]:.5f}")
    print(f"difference R^2 {difference:.4f}, noise of both {sum(noise):.4f}, ratio {difference / sum(noise):.3f}")
    for term in ("c2", "c3", "c4"):
        traces = [np.trace(mapped @ mean(pair, term) @ mapped.T) for pair in (mine, theirs)]
        print(f"{term}: trace of albireo over RascalC {traces[0] / traces[1]:.4f}")


if __name__ == "__main__":
    main()
