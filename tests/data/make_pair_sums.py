"""Makes pair_sums_box.csv, pair_sums_sky.csv and golden_pair_sums.txt: sums over pairs by plain double loops of numpy.

    python tests/data/make_pair_sums.py

The formulas are those of the papers, written with angles: nothing of the program's algebra is used. In golden_pair_sums.txt a line with `$` has
the arguments of `albireo`, and each line below it a column of the result with its values bin by bin.
"""

import math
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
N = 150
LENGTH = 10.0
RNG = np.random.default_rng(20)


def unit(v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def make_box():
    x = RNG.uniform(0, LENGTH, (N, 3))
    data = {"x": x[:, 0], "y": x[:, 1], "z": x[:, 2]}
    v = RNG.normal(0, 200, (N, 3)) - 40 * (x - LENGTH / 2)
    u = unit(RNG.normal(size=(N, 3)) + [0, 0, 0.7])
    data |= {f"v{a}": v[:, k] for k, a in enumerate("xyz")} | {f"u{a}": u[:, k] for k, a in enumerate("xyz")}
    return data | {"m": RNG.lognormal(0, 0.5, N), "e1": RNG.normal(0.1, 0.2, N), "e2": RNG.normal(-0.1, 0.2, N), "w": RNG.uniform(0.5, 1.5, N)}


def make_sky():
    data = {"ra": RNG.uniform(100, 130, N), "dec": RNG.uniform(20, 50, N), "distance": RNG.uniform(900, 1100, N)}
    v = RNG.normal(0, 200, (N, 3)) + [150, -100, 50]
    data |= {f"v{a}": v[:, k] for k, a in enumerate("xyz")}
    return data | {"dT": RNG.normal(0, 3, N), "e1": RNG.normal(0.1, 0.2, N), "e2": RNG.normal(-0.1, 0.2, N), "w": RNG.uniform(0.5, 1.5, N)}


class Pairs:
    """All pairs of rows of two samples, or those i < j of one."""

    def __init__(self, data, first, second, los=None):
        self.data, self.is_auto = data, second is None
        rows = np.arange(*first)
        if second is None:
            i, j = np.triu_indices(len(rows), 1)
        else:
            i, j = (g.ravel() for g in np.meshgrid(rows, np.arange(*second), indexing="ij"))
        self.i, self.j, self.rows, self.sky = i, j, rows, "ra" in data
        if self.sky:
            ra, dec = np.radians(data["ra"]), np.radians(data["dec"])
            self.n = np.stack([np.cos(dec) * np.cos(ra), np.cos(dec) * np.sin(ra), np.sin(dec)], axis=-1)
            self.x = self.n * data["distance"][:, None]
            self.d = self.x[i] - self.x[j]
            self.l = unit(self.x[i] + self.x[j])
        else:
            self.x = np.stack([data[a] for a in "xyz"], axis=-1)
            d = self.x[i] - self.x[j]
            self.d = d - LENGTH * np.round(d / LENGTH)
            self.l = np.eye(3)[["x", "y", "z"].index(los or "z")]
        self.axis = los or "z"
        self.r = np.linalg.norm(self.d, axis=1)

    def both_orders(self):
        """The same pairs, each in both orders."""
        made = Pairs.__new__(Pairs)
        made.__dict__.update(self.__dict__)
        made.i, made.j = np.concatenate([self.i, self.j]), np.concatenate([self.j, self.i])
        made.d, made.r = np.concatenate([self.d, -self.d]), np.concatenate([self.r, self.r])
        made.l = np.concatenate([self.l, self.l]) if self.sky else self.l
        return made

    def vectors(self, name):
        v = np.stack([self.data[name + a] for a in "xyz"], axis=-1)
        return v[self.i], v[self.j]

    def column(self, name):
        return self.data[name][self.i], self.data[name][self.j]

    def radial(self, u):
        return np.sum(u * self.d, axis=1) / self.r

    def dlos(self):
        return np.sum(self.d * self.l, axis=1)

    def coordinates(self, statistic):
        if statistic == "r":
            return (self.r,)
        if statistic == "theta":
            a, b = self.n[self.i], self.n[self.j]
            return (np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b), axis=1), np.sum(a * b, axis=1))),)
        along = np.abs(self.dlos())
        if statistic == "s-mu":
            return self.r, along / self.r
        return np.sqrt(self.r**2 - along**2), along

    def angle(self, own, other):
        """On the sky: the angle from east towards north at which `own` sees `other`."""
        ra, dec = np.radians(self.data["ra"]), np.radians(self.data["dec"])
        dra = ra[other] - ra[own]
        east = np.cos(dec[other]) * np.sin(dra)
        north = np.sin(dec[other]) * np.cos(dec[own]) - np.cos(dec[other]) * np.sin(dec[own]) * np.cos(dra)
        return np.arctan2(north, east)

    def shape(self, own):
        """Components of the ellipticity of object i or j along and across the separation: above 0 for radial shapes."""
        rows = self.i if own == "i" else self.j
        e = self.data["e1"][rows] + 1j * self.data["e2"][rows]
        if self.sky:
            # The second component of surveys has the sign of west: an ellipse at the angle p from east to north has e1 - i e2 = |e| exp(2ip).
            phi = self.angle(rows, self.j if own == "i" else self.i)
            turned = np.conj(e) * np.exp(-2j * phi)
            return turned.real, -turned.imag
        a, b = [k for k in range(3) if "xyz"[k] != self.axis]
        turned = e * np.exp(-2j * np.arctan2(self.d[:, b], self.d[:, a]))
        return turned.real, -turned.imag


def v12(p):
    v = p.radial(np.subtract(*p.vectors("v")))
    return {"V": v, "V2": v**2}, {"v12": ("V", None), "sigma12": ("V2", "V")}


def v_los(p):
    u = np.sum(np.subtract(*p.vectors("v")) * p.l, axis=1) * np.sign(p.dlos())
    return {"U": u, "U2": u**2}, {"v_los": ("U", None), "sigma_los": ("U2", "U")}


def v_trans(p):
    dv = np.subtract(*p.vectors("v"))
    across = dv - p.radial(dv)[:, None] * p.d / p.r[:, None]
    return {"T": np.sum(across**2, axis=1)}, {"sigma_t": ("T", 2)}


def marked(p):
    a, b = p.column("m")
    return {"mm": a * b / np.mean(p.data["m"][p.rows]) ** 2}, {"M": ("mm", None)}


def ksz(p):
    ri, rj = p.data["distance"][p.i], p.data["distance"][p.j]
    cosine = np.sum(p.n[p.i] * p.n[p.j], axis=1)
    c = (ri - rj) * (1 + cosine) / (2 * p.r)
    ti, tj = p.column("dT")
    return {"N": (ti - tj) * c, "D": c**2}, {}


def ia(p):
    plus, cross = p.shape("j")
    return {"plus": plus, "cross": cross}, {}


def ia_auto(p):
    (pi, xi), (pj, xj) = p.shape("i"), p.shape("j")
    return {"pp": pi * pj, "xx": xi * xj}, {}


def gamma_t(p):
    plus, cross = p.shape("j")
    return {"T": -plus, "X": -cross}, {"gamma_t": ("T", None), "gamma_x": ("X", None)}


def shear(p):
    (ti, xi), (tj, xj) = p.shape("i"), p.shape("j")
    return {"plus": ti * tj + xi * xj, "minus": ti * tj - xi * xj}, {"xi_plus": ("plus", None), "xi_minus": ("minus", None)}


def dipole(p):
    a, b = p.vectors("u")
    s = np.sum(a * b, axis=1)
    return {"S": s, "S2": 3 * p.radial(a) * p.radial(b) - s}, {}


def force_rdf(p):
    return {"F": p.radial(np.subtract(*p.vectors("v"))) / (2 * p.r**2)}, {}


FORMS = {
    "v12(vx,vy,vz)": v12, "v-los(vx,vy,vz)": v_los, "v-trans(vx,vy,vz)": v_trans, "marked(m)": marked, "ksz(dT)": ksz, "ia(e1,e2)": ia,
    "ia-auto(e1,e2)": ia_auto, "gamma-t(e1,e2)": gamma_t, "shear(e1,e2)": shear, "dipole(ux,uy,uz)": dipole, "force-rdf(vx,vy,vz)": force_rdf,
}
BINS = {
    "box": {"r": ["lin:0.5:4:3"], "s-mu": ["lin:0.5:4:3", "lin:0:1:2"], "rp-pi": ["lin:0.25:3:2", "lin:0:4:2"]},
    "sky": {"r": ["lin:20:220:4"], "s-mu": ["lin:20:220:3", "lin:0:1:2"], "rp-pi": ["lin:20:150:2", "lin:0:120:2"], "theta": ["lin:0.5:12:3"]},
}
HALVES = ((0, 75), (75, 150))
# Sample, statistic, whether two halves are crossed, whether by weights, line of sight, form.
CASES = [
    ("box", "r", False, True, None, "v12(vx,vy,vz)"),
    ("box", "r", True, False, None, "v12(vx,vy,vz)"),
    ("sky", "r", False, True, None, "v12(vx,vy,vz)"),
    ("box", "rp-pi", False, True, None, "v-los(vx,vy,vz)"),
    ("box", "rp-pi", True, True, "x", "v-los(vx,vy,vz)"),
    ("sky", "rp-pi", False, True, None, "v-los(vx,vy,vz)"),
    ("box", "r", False, True, None, "v-trans(vx,vy,vz)"),
    ("sky", "s-mu", True, True, None, "v-trans(vx,vy,vz)"),
    ("box", "r", False, True, None, "marked(m)"),
    ("box", "s-mu", True, False, None, "marked(m)"),
    ("sky", "r", False, False, None, "ksz(dT)"),
    ("sky", "r", True, True, None, "ksz(dT)"),
    ("box", "rp-pi", True, True, None, "ia(e1,e2)"),
    ("box", "rp-pi", False, True, "y", "ia(e1,e2)"),
    ("box", "r", True, False, "z", "ia(e1,e2)"),
    ("sky", "rp-pi", True, True, None, "ia(e1,e2)"),
    ("sky", "rp-pi", False, True, None, "ia(e1,e2)"),
    ("box", "rp-pi", False, True, None, "ia-auto(e1,e2)"),
    ("sky", "rp-pi", False, True, None, "ia-auto(e1,e2)"),
    ("sky", "theta", True, True, None, "gamma-t(e1,e2)"),
    ("sky", "r", True, False, None, "gamma-t(e1,e2)"),
    ("sky", "theta", False, True, None, "shear(e1,e2)"),
    ("sky", "theta", True, False, None, "shear(e1,e2)"),
    ("box", "r", False, False, None, "dipole(ux,uy,uz)"),
    ("box", "r", True, True, None, "dipole(ux,uy,uz)"),
    ("box", "r", False, False, None, "force-rdf(vx,vy,vz)"),
    ("box", "r", True, True, None, "force-rdf(vx,vy,vz)"),
]


def edges(text):
    lo, hi, n = text.split(":")[1:]
    return np.linspace(float(lo), float(hi), int(n) + 1)


def sums(data, sample, statistic, is_cross, weighted, los, form):
    """The columns of a case, by their names."""
    p = Pairs(data, *(HALVES if is_cross else ((0, N), None)), los)
    if form.startswith(("ia(", "gamma-t(")) and not is_cross:
        p = p.both_orders()
    slots, n_bins = 0, 1
    inside = np.ones(len(p.i), dtype=bool)
    for values, text in zip(p.coordinates(statistic), BINS[sample][statistic]):
        at = np.searchsorted(edges(text), values, side="right") - 1
        n = len(edges(text)) - 1
        inside &= (at >= 0) & (at < n)
        slots, n_bins = slots * n + np.clip(at, 0, n - 1), n_bins * n
    w = np.multiply(*p.column("w")) if weighted else np.ones(len(p.i))
    total = lambda f: np.array([math.fsum((w * f)[inside & (slots == b)]) for b in range(n_bins)])
    terms, derived = FORMS[form](p)
    made = {"npairs": np.bincount(slots[inside], minlength=n_bins)} | {name: total(f) for name, f in terms.items()}
    W = total(np.ones(len(w)))
    if "D" in terms:
        made["p"] = -made["N"] / made["D"]
    for name, (of, further) in derived.items():
        mean = made[of] / W
        if further == 2:
            mean = np.sqrt(mean / 2)
        elif further:
            mean = np.sqrt(mean - (made[further] / W) ** 2)
        made[name] = mean
    return made


def arguments(sample, statistic, is_cross, weighted, los, form):
    file = f"pair_sums_{sample}.csv"
    words = ["count", file]
    if is_cross:
        words += ["--rows", "0:75", "--cross", file, "--cross-rows", "75:150"]
    if sample == "box":
        words += ["--box", f"{LENGTH:g}"]
    elif statistic != "theta":
        words += ["--distance", "distance"]
    words += ["--statistic", statistic]
    words += [word for flag, text in zip(("--bins", "--mu-bins" if statistic == "s-mu" else "--pi-bins"), BINS[sample][statistic]) for word in (flag, text)]
    if weighted:
        words += ["--weight", "w"]
    if los:
        words += ["--los", los]
    return " ".join([*words, "--pair-sum", form])


def main():
    samples = {"box": make_box(), "sky": make_sky()}
    for name, data in samples.items():
        rows = "\n".join(",".join(f"{value:.17g}" for value in row) for row in zip(*data.values()))
        (HERE / f"pair_sums_{name}.csv").write_text(",".join(data) + "\n" + rows + "\n")
    lines = []
    for case in CASES:
        lines.append("$ " + arguments(*case))
        for name, values in sums(samples[case[0]], *case).items():
            lines.append(" ".join([name, *(f"{value:.17g}" for value in values)]))
    (HERE / "golden_pair_sums.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
