"""Sums of expressions over pairs, of arrays and tables in memory."""

import numpy as np
import pytest

import albireo

EDGES = [0.5, 2.0, 4.0]
BOX = 10.0


@pytest.fixture(scope="module")
def sample() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(4)
    x = rng.uniform(0, BOX, (60, 3))
    return {"pos": x, "v": rng.normal(0, 1, (60, 3)) - x, "mark": rng.uniform(1, 2, 60), "weights": rng.uniform(1, 2, 60)}


def double_loop(sample, term, edges=EDGES):
    """Sums over unordered pairs of `term(d, r, i, j)` times both weights."""
    i, j = np.triu_indices(len(sample["pos"]), 1)
    d = sample["pos"][i] - sample["pos"][j]
    d -= BOX * np.round(d / BOX)
    r = np.linalg.norm(d, axis=1)
    values = sample["weights"][i] * sample["weights"][j] * term(d, r, i, j)
    return np.array([values[(r >= lo) & (r < hi)].sum() for lo, hi in zip(edges, edges[1:])])


def radial(sample):
    return double_loop(sample, lambda d, r, i, j: ((sample["v"][i] - sample["v"][j]) * d).sum(axis=1) / r)


def test_arrays_beside_positions(sample):
    made = albireo.count(
        sample["pos"], bins=EDGES, box=BOX, weights=sample["weights"], columns={"v": sample["v"], "mark": sample["mark"]},
        pair_sum=["V=radial(i.v - j.v)", "m=i.mark*j.mark"],
    )
    assert made["V"] == pytest.approx(radial(sample), rel=1e-12)
    assert made["m"] == pytest.approx(double_loop(sample, lambda d, r, i, j: sample["mark"][i] * sample["mark"][j]), rel=1e-12)
    assert made["V_mean"] == pytest.approx(made["V"] / made["weight"], rel=1e-14)


def test_tables_and_forms(sample):
    table = {"x": sample["pos"][:, 0], "y": sample["pos"][:, 1], "z": sample["pos"][:, 2], "v": sample["v"], "mark": sample["mark"]}
    table |= {f"v{axis}": sample["v"][:, k] for k, axis in enumerate("xyz")}
    options = dict(bins=EDGES, box=BOX, weights=sample["weights"])
    expected = radial(sample)
    for text in ("v12(v)", "v12(vx, vy, vz)", "v12(v[0], v[1], v[2])"):
        assert albireo.count(table, pair_sum=text, **options)["V"] == pytest.approx(expected, rel=1e-12)
    made = albireo.count(table, pair_sum="V=radial(dv)", let="dv=i.v - j.v", **options)
    assert made["V"] == pytest.approx(expected, rel=1e-12)
    made = albireo.xi(table, pair_sum="marked(mark)", estimator="DD.mm/DD", **options)
    marks = sample["mark"] / sample["mark"].mean()
    ratio = double_loop(sample, lambda d, r, i, j: marks[i] * marks[j]) / double_loop(sample, lambda d, r, i, j: np.ones(len(r)))
    assert made["xi"] == pytest.approx(ratio, rel=1e-11)


def test_columns_of_a_second_sample(sample):
    first, second = sample["pos"][:30], sample["pos"][30:]
    made = albireo.count(first, second, bins=EDGES, box=BOX, cross_columns={"mark": sample["mark"][30:]}, pair_sum="m=j.mark")
    i, j = (part.ravel() for part in np.meshgrid(np.arange(30), np.arange(30, 60), indexing="ij"))
    d = sample["pos"][i] - sample["pos"][j]
    r = np.linalg.norm(d - BOX * np.round(d / BOX), axis=1)
    assert made["m"] == pytest.approx([sample["mark"][j][(r >= lo) & (r < hi)].sum() for lo, hi in zip(EDGES, EDGES[1:])], rel=1e-12)


def test_what_is_refused(sample):
    options = dict(bins=EDGES, box=BOX)
    with pytest.raises(ValueError, match="no column `mark`"):
        albireo.count(sample["pos"], pair_sum="m=i.mark*j.mark", **options)
    with pytest.raises(ValueError, match="found a vector"):
        albireo.count(sample["pos"], columns={"v": sample["v"]}, pair_sum="m=i.v", **options)
    with pytest.raises(ValueError, match="equally long"):
        albireo.count(sample["pos"], columns={"mark": sample["mark"][1:]}, pair_sum="m=i.mark*j.mark", **options)
    with pytest.raises(ValueError, match="pair_bound"):
        albireo.count(sample["pos"], columns={"mark": sample["mark"]}, bins=[0, 2], box=BOX, pair_sum="m=i.mark*j.mark/r")
