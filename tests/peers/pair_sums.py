"""Compares the ready-made forms of `--pair-sum` with halotools, TreeCorr and MeasureIA, as far as they are installed, and with double loops of numpy.

    python tests/peers/pair_sums.py [PROGRAM]

PROGRAM is `albireo` of the path unless it is named. Needs numpy; `pip install halotools treecorr measureia` for the others. Each line of the table
is a form, who computed it too, and the largest difference over the largest value of all bins. Fails where one is above 1e-10.
"""

import contextlib
import csv
import importlib.util
import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
_spec = importlib.util.spec_from_file_location("make_pair_sums", HERE.parent / "data" / "make_pair_sums.py")
loops = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(loops)

BOX, N = 100.0, 2000
RNG = np.random.default_rng(11)
BAR = 1e-10


def is_here(name):
    return importlib.util.find_spec(name) is not None


class Work:
    def __init__(self, program, folder):
        self.program, self.folder, self.rows = program, Path(folder), []

    def write(self, name, columns):
        lines = "\n".join(",".join(f"{value:.17g}" for value in row) for row in zip(*columns.values()))
        (self.folder / name).write_text(",".join(columns) + "\n" + lines + "\n")

    def run(self, text, *sums):
        out = self.folder / "out.csv"
        words = [self.program, *text.split(), *(word for one in sums for word in ("--pair-sum", one)), "-o", str(out)]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(words)}\n{done.stderr}")
        with out.open() as file:
            table = list(csv.DictReader(line for line in file if not line.startswith("#")))
        return {name: np.array([float(row[name]) for row in table]) for name in table[0] if not name.endswith("_rest")}

    def compare(self, form, peer, what, ours, theirs):
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        difference = float(np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs)))
        self.rows.append((form, peer, what, difference))


def box_sample():
    """Positions that float32 holds, velocities too: halotools casts them."""
    x = RNG.uniform(0, BOX, (N, 3)).astype(np.float32).astype(float)
    v = RNG.normal(0, 200, (N, 3)).astype(np.float32).astype(float)
    m = RNG.lognormal(0, 0.5, N)
    phi, e = RNG.uniform(0, np.pi, N), RNG.uniform(0, 0.6, N)
    return x, v, m, phi, e


def of_halotools(work, x, v, m):
    from halotools.mock_observables import los_pvd_vs_rp, marked_tpcf, mean_los_velocity_vs_rp, mean_radial_velocity_vs_r, radial_pvd_vs_r

    edges = np.array([1.0, 4.0, 8.0, 12.0, 20.0])
    bins = "edges:" + ",".join(map(str, edges))
    columns = {a: x[:, k] for k, a in enumerate("xyz")} | {f"v{a}": v[:, k] for k, a in enumerate("xyz")} | {"m": m}
    work.write("box.csv", columns)
    made = work.run(f"count box.csv --box {BOX} --bins {bins}", "v12(vx,vy,vz)", "marked(m)")
    work.compare("v12", "halotools", "v12", made["v12"], mean_radial_velocity_vs_r(x, v, rbins_absolute=edges, period=BOX))
    work.compare("v12", "halotools", "sigma12", made["sigma12"], radial_pvd_vs_r(x, v, rbins_absolute=edges, period=BOX))
    # 2*DD of ordered pairs there; the weighted over the plain count, marks over their mean.
    marks = m / m.mean()
    theirs = marked_tpcf(x, edges, marks1=marks, period=BOX, normalize_by="number_counts", weight_func_id=1)
    work.compare("marked", "halotools", "M", made["M"], theirs)
    pi_max = 30.0
    made = work.run(f"count box.csv --box {BOX} --statistic rp-pi --bins {bins} --pi-bins lin:0:{pi_max}:1", "v-los(vx,vy,vz)")
    work.compare("v-los", "halotools", "v_los", made["v_los"], mean_los_velocity_vs_rp(x, v, edges, pi_max, period=BOX))
    theirs = los_pvd_vs_rp(x, v, edges, pi_max, period=BOX)
    ordered = 2 * made["npairs"]
    work.compare("v-los", "halotools", "sigma_los, theirs times sqrt((n - 1)/n), n ordered pairs", made["sigma_los"], theirs * np.sqrt((ordered - 1) / ordered))


def of_treecorr(work):
    import treecorr

    def sample(n, shapes):
        ra, dec = RNG.uniform(100, 120, n), RNG.uniform(20, 40, n)
        made = {"ra": ra, "dec": dec, "w": RNG.integers(1, 5, n).astype(float)}
        # It keeps weights times shears in float32, which holds these.
        shear = lambda mean: np.rint(RNG.normal(mean, 0.1, n) * 1024) / 1024
        return made | ({"g1": shear(0.02), "g2": shear(-0.01)} if shapes else {})

    lenses, sources = sample(300, False), sample(1500, True)
    work.write("lenses.csv", lenses)
    work.write("sources.csv", sources)

    def catalogue(data):
        shapes = {name: data[name] for name in ("g1", "g2") if name in data}
        return treecorr.Catalog(ra=data["ra"], dec=data["dec"], w=data["w"], ra_units="deg", dec_units="deg", **shapes)

    binning = dict(bin_type="Linear", min_sep=0.5, max_sep=5.5, nbins=5, sep_units="deg", metric="Arc", brute=True)
    ng = treecorr.NGCorrelation(**binning)
    ng.process(catalogue(lenses), catalogue(sources))
    made = work.run("count lenses.csv --cross sources.csv --statistic theta --bins lin:0.5:5.5:5 --weight w", "gamma-t(g1,g2)")
    work.compare("gamma-t", "TreeCorr", "gamma_t", made["gamma_t"], ng.xi)
    work.compare("gamma-t", "TreeCorr", "gamma_x", made["gamma_x"], ng.xi_im)
    gg = treecorr.GGCorrelation(**binning)
    gg.process(catalogue(sources))
    made = work.run("count sources.csv --statistic theta --bins lin:0.5:5.5:5 --weight w", "shear(g1,g2)", "ia-auto(g1,g2)")
    work.compare("shear", "TreeCorr", "xi_plus", made["xi_plus"], gg.xip)
    work.compare("shear", "TreeCorr", "xi_minus", made["xi_minus"], gg.xim)
    work.compare("ia-auto", "TreeCorr", "pp, (xi_plus + xi_minus)/2 there", made["pp_mean"], (gg.xip + gg.xim) / 2)
    work.compare("ia-auto", "TreeCorr", "xx, (xi_plus - xi_minus)/2 there", made["xx_mean"], (gg.xip - gg.xim) / 2)


def of_measureia(work, x, phi, e):
    from measureia import MeasureIABox

    work.write("shapes.csv", {a: x[:, k] for k, a in enumerate("xyz")} | {"e1": e * np.cos(2 * phi), "e2": e * np.sin(2 * phi)})
    data = {
        "Position": x, "Position_shape_sample": x, "Axis_Direction": np.stack([np.cos(phi), np.sin(phi)], axis=-1), "LOS": 2,
        "q": np.sqrt((1 - e) / (1 + e)), "weight": np.ones(N), "weight_shape_sample": np.ones(N),
    }
    with contextlib.redirect_stdout(io.StringIO()):
        theirs = MeasureIABox(data, None, separation_limits=[1.0, 20.0], num_bins_r=5, num_bins_pi=8, pi_max=20.0, boxsize=BOX)
        # Without a responsivity S+D is the sum of ellipticities as they are.
        theirs.responsivity_correction = False
        *_, plus, pairs, _ = theirs._measure_xi_rp_pi_box_brute("pairs", return_output=True)
    bins = "edges:" + ",".join(map(repr, theirs.r_bins.tolist()))
    made = work.run(f"count shapes.csv --cross shapes.csv --box {BOX} --statistic rp-pi --bins {bins} --pi-bins lin:-20:20:8", "ia(e1,e2)")
    # Its pi is shape minus density; ours is first minus second, density minus shape.
    ours = {name: made[name].reshape(5, 8)[:, ::-1] for name in ("plus", "npairs")}
    work.compare("ia", "MeasureIA", "S+D of a box", ours["plus"], plus)
    work.compare("ia", "MeasureIA", "DD of a box", ours["npairs"], pairs)


def of_scipy(work):
    """Sums in k over the pairs of a box."""
    from scipy.special import eval_legendre, spherical_jn

    n, edges, k = 300, np.array([1.0, 4.0, 8.0, 20.0]), np.array([0.0, 0.01, 0.1, 0.3, 1.0, 3.0, 10.0])
    x, w = RNG.uniform(0, BOX, (n, 3)), RNG.uniform(0.5, 2, n)
    work.write("modes.csv", {a: x[:, axis] for axis, a in enumerate("xyz")} | {"w": w})
    bins, modes = "edges:" + ",".join(map(str, edges)), "values:" + ",".join(map(str, k))
    made = work.run(f"count modes.csv --box {BOX} --bins {bins} --weight w --los z --modes {modes}")
    i, j = np.triu_indices(n, 1)
    d = x[i] - x[j]
    d -= BOX * np.rint(d / BOX)
    r = np.sqrt((d**2).sum(axis=1))
    term = lambda k, l: (-1) ** (l // 2) * (2 * l + 1) * w[i] * w[j] * spherical_jn(l, k * r) * eval_legendre(l, d[:, 2] / r)
    of_bin = [(lo <= r) & (r < hi) for lo, hi in zip(edges, edges[1:])]
    theirs = [term(one, l)[inside].sum() for inside in of_bin for one in k for l in (0, 2, 4)]
    work.compare("--modes", "scipy", "sums of 3 bins, 7 k and 3 multipoles", made["sum"], theirs)


def of_numpy(work):
    data = {"box": loops.make_box(), "sky": loops.make_sky()}
    for name, columns in data.items():
        work.write(f"pair_sums_{name}.csv", columns)
    for case in loops.CASES:
        sample, statistic, is_cross, _, los, form = case
        made = work.run(loops.arguments(*case).rsplit(" --pair-sum", 1)[0], form)
        expected = loops.sums(data[sample], *case)
        for name, values in expected.items():
            if f"{name}_mean" in made:
                where = f"{sample}, {statistic}{', cross' if is_cross else ''}{', los ' + los if los else ''}"
                work.compare(form.split("(")[0], "numpy", f"{name}: {where}", made[name], values)


def main():
    program = str(Path(shutil.which(sys.argv[1] if len(sys.argv) > 1 else "albireo")).resolve())
    with tempfile.TemporaryDirectory() as folder:
        work = Work(program, folder)
        x, v, m, phi, e = box_sample()
        for name, compare in (
            ("halotools", lambda: of_halotools(work, x, v, m)),
            ("treecorr", lambda: of_treecorr(work)),
            ("measureia", lambda: of_measureia(work, x, phi, e)),
            ("scipy", lambda: of_scipy(work)),
        ):
            if is_here(name):
                compare()
            else:
                print(f"SKIPPED: no {name} here", file=sys.stderr)
        of_numpy(work)
    print("| form | also by | value | difference |\n|---|---|---|---|")
    for form, peer, what, difference in work.rows:
        print(f"| `{form}` | {peer} | {what} | {difference:.0e} |")
    wrong = [row for row in work.rows if not row[3] < BAR]
    if wrong:
        sys.exit(f"{len(wrong)} values differ by more than {BAR}")


if __name__ == "__main__":
    main()
