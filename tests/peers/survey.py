#!/usr/bin/env python3
"""Counts of a seeded light-cone by albireo, Corrfunc and TreeCorr, bin by bin.

    pip install numpy pyarrow Corrfunc treecorr
    cargo build --release
    python tests/peers/survey.py target/release/albireo

Every bin whose integers differ is listed with the pairs that lie so near one of its edges that float64 roundings decide (a relative
distance below NEAR): a difference that these pairs do not account for is an error, and so is a weighted sum that is off by more than its
proven bound. Ends with code 1 on an error. Run by hand: nothing in the test suite needs these packages.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

NEAR = 1e-9
S = np.linspace(5.0, 80.0, 16)
RP = np.geomspace(0.5, 30.0, 13)
PI_MAX = 40
THETA = np.geomspace(0.05, 8.0, 16)
N_MU = 20


def light_cone(n, seed):
    """RA, Dec, comoving distance, position and weight of points, a third of them in clumps."""
    rng = np.random.default_rng(seed)
    ra, sin_dec = rng.uniform(120.0, 250.0, n), rng.uniform(0.0, np.sin(np.radians(50.0)), n)
    dec, distance = np.degrees(np.arcsin(sin_dec)), np.cbrt(rng.uniform(600.0**3, 900.0**3, n))
    heads = np.arange(n) - np.arange(n) % 9
    clumped = np.arange(n) % 3 == 1
    for column, width in ((ra, 0.3), (dec, 0.2), (distance, 4.0)):
        column[clumped] = column[heads][clumped] + rng.normal(0.0, width, n)[clumped]
    # TreeCorr holds weights in float32: these are the same in either.
    return columns(ra, dec, distance, rng.uniform(0.3, 1.7, n).astype(np.float32).astype(float))


def columns(ra, dec, distance, weight):
    a, d = np.radians(ra), np.radians(dec)
    n = np.stack([np.cos(d) * np.cos(a), np.cos(d) * np.sin(a), np.sin(d)])
    return dict(RA=ra, DEC=dec, DIST=distance, WEIGHT=weight, xyz=n * distance, n=n)


def edges_spec(edges):
    return "edges:" + ",".join(repr(float(e)) for e in edges)


def albireo(program, folder, files, arguments):
    """Integers and weights of `albireo count`, in the order of its rows."""
    out = os.path.join(folder, "counts.parquet")
    command = [program, "count", *files, "--sky", "RA,DEC", "--weight", "WEIGHT", *arguments, "-o", out, "-q"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    table = pq.read_table(out)
    return table["npairs"].to_numpy().astype(np.int64), table["weight"].to_numpy()


def separations(one, other, auto):
    """The coordinates of all pairs, some thousand rows at a time."""
    for begin in range(0, one["xyz"].shape[1], 500):
        a = slice(begin, begin + 500)
        d = one["xyz"][:, a, None] - other["xyz"][:, None, :]
        l = one["xyz"][:, a, None] + other["xyz"][:, None, :]
        r2, dl, l2 = (d * d).sum(0), (d * l).sum(0), (l * l).sum(0)
        pi2 = np.divide(dl * dl, l2)
        chord = one["n"][:, a, None] - other["n"][:, None, :]
        chord2 = (chord * chord).sum(0)
        keep = np.ones(r2.shape, bool)
        if auto:
            keep = np.arange(r2.shape[1])[None, :] > np.arange(begin, begin + r2.shape[0])[:, None]
        mu = np.sqrt(np.divide(pi2, r2, out=np.zeros_like(r2), where=r2 > 0))
        yield {
            "s": np.sqrt(r2)[keep],
            "mu": mu[keep],
            "rp": np.sqrt(np.maximum(r2 - pi2, 0.0))[keep],
            "pi": np.sqrt(pi2)[keep],
            "theta": np.degrees(2 * np.arcsin(np.minimum(np.sqrt(chord2) / 2, 1.0)))[keep],
        }


def near_edges(one, other, auto, axes):
    """Pairs so near an edge that roundings decide, by the bins on either side."""
    near = {}
    shape = [len(edges) - 1 for _, edges in axes]
    for pairs in separations(one, other, auto):
        doubtful = np.zeros(len(pairs["s"]), bool)
        for name, edges in axes:
            scale = edges[-1] if name in ("mu", "pi") else None
            v = pairs[name]
            at = np.clip(np.searchsorted(edges, v), 1, len(edges) - 1)
            for e in (edges[at - 1], edges[at]):
                doubtful |= np.abs(v - e) <= NEAR * (scale if scale else np.maximum(e, 1e-300))
        for k in np.flatnonzero(doubtful):
            bins = []
            for name, edges in axes:
                v = pairs[name][k]
                low, high = (np.searchsorted(edges, v * (1 + s * NEAR) + s * 1e-300, "right") - 1 for s in (-1, 1))
                bins.append({low, high})
            for a in bins[0]:
                for b in bins[1] if len(bins) > 1 else {0}:
                    if 0 <= a < shape[0] and (len(bins) == 1 or 0 <= b < shape[1]):
                        index = a if len(bins) == 1 else a * shape[1] + b
                        near[index] = near.get(index, 0) + 1
    return near


def compare(name, ours, theirs, samples, axes):
    """Lists bins that differ; the number of errors."""
    (counts, weights), (their_counts, their_weights) = ours, theirs
    one, other, auto = samples
    differ = np.flatnonzero(counts != their_counts)
    errors = 0
    if len(differ):
        near = near_edges(one, other, auto, axes)
        for index in differ:
            pairs = near.get(int(index), 0)
            off = int(their_counts[index] - counts[index])
            verdict = "within rounding of an edge" if abs(off) <= pairs else "ERROR"
            errors += verdict == "ERROR"
            print(f"  {name}: bin {index}: {counts[index]} here, {off:+d} there; {pairs} pairs beside its edges: {verdict}")
    same = counts == their_counts
    if their_weights is not None:
        largest = one["WEIGHT"].max() * other["WEIGHT"].max()
        bound = counts * largest * 2.0**-35 + 1e-12 * np.abs(weights)
        wrong = same & (np.abs(weights - their_weights) > bound)
        errors += int(wrong.sum())
        some = same & (bound > 0)
        worst = np.max(np.abs(weights - their_weights)[some] / bound[some], initial=0.0)
        print(f"{name}: {counts.sum()} pairs, {len(counts)} bins, {len(differ)} differ, weights off by at most {worst:.2g} of their bound")
    else:
        print(f"{name}: {counts.sum()} pairs, {len(counts)} bins, {len(differ)} differ")
    return errors


def by_corrfunc(one, other, auto):
    from Corrfunc.mocks import DDrppi_mocks, DDsmu_mocks, DDtheta_mocks

    second = {} if auto else dict(RA2=other["RA"], DEC2=other["DEC"], weights2=other["WEIGHT"])
    third = {} if auto else dict(CZ2=other["DIST"])
    given = dict(weights1=one["WEIGHT"], weight_type="pair_product")
    times = 2 if auto else 1
    flag, threads = int(auto), 2

    def taken(result):
        n = result["npairs"].astype(np.int64)
        return n // times, result["weightavg"] * n / times

    yield "s-mu", taken(DDsmu_mocks(flag, 1, threads, 1.0, N_MU, S, one["RA"], one["DEC"], one["DIST"], **given, **second, **third, is_comoving_dist=True))
    yield "rp-pi", taken(DDrppi_mocks(flag, 1, threads, float(PI_MAX), RP, one["RA"], one["DEC"], one["DIST"], **given, **second, **third, is_comoving_dist=True))
    yield "theta", taken(DDtheta_mocks(flag, threads, THETA, one["RA"], one["DEC"], **given, **second, fast_acos=False))


def by_treecorr(one, other, auto):
    import treecorr

    def catalog(sample, sky):
        where = dict(ra=sample["RA"], dec=sample["DEC"], ra_units="deg", dec_units="deg")
        if not sky:
            where = dict(zip("xyz", sample["xyz"]))
        return treecorr.Catalog(**where, w=sample["WEIGHT"])

    def counted(sky, **bins):
        pairs = treecorr.NNCorrelation(bin_slop=0, angle_slop=0, brute=True, **bins)
        pairs.process(*([catalog(one, sky)] if auto else [catalog(one, sky), catalog(other, sky)]), num_threads=2)
        return np.rint(pairs.npairs).astype(np.int64), pairs.weight

    yield "s", counted(False, min_sep=S[0], max_sep=S[-1], nbins=len(S) - 1, bin_type="Linear", metric="Euclidean")
    yield "rp", counted(False, min_sep=RP[0], max_sep=RP[-1], nbins=len(RP) - 1, metric="FisherRperp", min_rpar=-PI_MAX, max_rpar=PI_MAX)
    yield "theta", counted(True, min_sep=THETA[0], max_sep=THETA[-1], nbins=len(THETA) - 1, sep_units="deg", metric="Arc")


def main(program):
    data, randoms = light_cone(12_000, 1), light_cone(15_000, 2)
    mu = np.linspace(0.0, 1.0, N_MU + 1)
    pi = np.linspace(0.0, PI_MAX, PI_MAX + 1)
    log = lambda e: np.geomspace(e[0], e[-1], len(e))
    distance = ["--distance", "DIST"]
    kinds = {
        "s-mu": (["--statistic", "s-mu", "--bins", edges_spec(S), "--mu-bins", f"lin:0:1:{N_MU}", *distance], [("s", S), ("mu", mu)]),
        "rp-pi": (["--statistic", "rp-pi", "--bins", edges_spec(RP), "--pi-bins", f"lin:0:{PI_MAX}:{PI_MAX}", *distance], [("rp", RP), ("pi", pi)]),
        "theta": (["--statistic", "theta", "--bins", edges_spec(THETA)], [("theta", THETA)]),
        "s": (["--bins", edges_spec(S), *distance], [("s", S)]),
        "rp": (["--statistic", "rp-pi", "--bins", edges_spec(log(RP)), "--pi-bins", f"edges:0,{PI_MAX}", *distance], [("rp", RP), ("pi", np.array([0.0, PI_MAX]))]),
    }
    errors = 0
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for name, sample in (("data", data), ("randoms", randoms)):
            files[name] = os.path.join(folder, name + ".parquet")
            pq.write_table(pa.table({k: sample[k] for k in ("RA", "DEC", "DIST", "WEIGHT")}), files[name])
        for peer in (by_corrfunc, by_treecorr):
            for auto in (True, False):
                other = data if auto else randoms
                given = [files["data"]] if auto else [files["data"], files["randoms"]]
                for statistic, theirs in peer(data, other, auto):
                    arguments, axes = kinds[statistic]
                    ours = albireo(program, folder, given, arguments)
                    name = f"{peer.__name__[3:]} {statistic} {'DD' if auto else 'DR'}"
                    errors += compare(name, ours, theirs, (data, other, auto), axes)
    print("no error" if errors == 0 else f"{errors} errors")
    return int(errors > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
