"""Each misuse gives one clear exception, and the interpreter lives."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import albireo
from albireo.compat.corrfunc import mocks, theory, utils

P = np.random.default_rng(1).random((50, 3)) * 10
RA, DEC = P[:, 0], P[:, 1]
BINS = [0, 1, 2.0]
NAN = P.copy()
NAN[3, 1] = np.nan


def _fails(what: str, done: int, of: int) -> None:
    raise ArithmeticError(what)


def _part(**options: Any) -> str:
    """A file that holds one half of the pairs, in the folder of the test."""
    return albireo.part(albireo.count, 0, 2, "0.alb", P, **{"bins": BINS, **options})


def _damaged() -> str:
    path = Path(_part())
    path.write_bytes(path.read_bytes()[:-20])
    return str(path)


MISUSES = {
    "no data": (TypeError, "positions", lambda: albireo.xi(None, bins=BINS)),
    "no bins": (TypeError, "bins", lambda: albireo.count(P)),
    "unknown option": (TypeError, "unexpected keyword argument 'nonsense'", lambda: albireo.count(P, bins=BINS, nonsense=1)),
    "NaN": (ValueError, "y must be finite: found NaN in row 3", lambda: albireo.count(NAN, bins=BINS)),
    "infinite": (ValueError, "x must be finite: found inf in row 0", lambda: albireo.count(np.full((2, 3), np.inf), bins=BINS)),
    "two columns": (ValueError, r"\(50, 2\)", lambda: albireo.count(P[:, :2], bins=BINS)),
    "transposed": (ValueError, "transpose", lambda: albireo.count(P.T, bins=BINS)),
    "one dimension": (ValueError, "shape", lambda: albireo.count(P[:, 0], bins=BINS)),
    "text": (ValueError, "expected numbers", lambda: albireo.count(P.astype(str), bins=BINS)),
    "objects": (ValueError, "expected numbers", lambda: albireo.count(P.astype(object), bins=BINS)),
    "complex": (ValueError, "expected numbers", lambda: albireo.count(P.astype(complex), bins=BINS)),
    "truth values": (ValueError, "expected numbers", lambda: albireo.count(P > 5, bins=BINS)),
    "a number": (ValueError, "shape", lambda: albireo.count(5.0, bins=BINS)),
    "empty": (ValueError, "0 rows|no row|empty", lambda: albireo.count(np.zeros((0, 3)), bins=BINS)),
    "unequal columns": (ValueError, "equally long", lambda: albireo.count((RA, DEC, RA[:5]), bins=BINS)),
    "integers beyond float64": (ValueError, "no float64", lambda: albireo.count(np.full((2, 3), 2**53 + 1), bins=BINS)),
    "bins fall": (ValueError, "increase", lambda: albireo.count(P, bins=[2, 1.0])),
    "bins equal": (ValueError, "increase", lambda: albireo.count(P, bins=[1, 1.0])),
    "bins below 0": (ValueError, "edge|negative", lambda: albireo.count(P, bins=[-1, 1.0])),
    "one edge": (ValueError, "at least two edges", lambda: albireo.count(P, bins=[1.0])),
    "bins NaN": (ValueError, "finite|NaN", lambda: albireo.count(P, bins=[0, np.nan])),
    "bins text": (ValueError, "bins", lambda: albireo.count(P, bins="lin:0:10")),
    "no statistic": (ValueError, "statistic", lambda: albireo.count(P, bins=BINS, statistic="r-theta")),
    "mu beyond 1": (ValueError, "mu", lambda: albireo.count(P, bins=BINS, statistic="s-mu", mu_bins=[0, 0.5, 2.0])),
    "outside the box": (ValueError, "outside", lambda: albireo.count(P, bins=BINS, box=5)),
    "box too small": (ValueError, "half", lambda: albireo.count(P, bins=[0, 6.0], box=10)),
    "box of two": (ValueError, "box", lambda: albireo.count(P, bins=BINS, box=[10, 10])),
    "box negative": (ValueError, "box|length", lambda: albireo.count(P, bins=BINS, box=-10)),
    "weights too few": (ValueError, "equally long", lambda: albireo.count(P, bins=BINS, weights=[1.0])),
    "weights NaN": (ValueError, "finite", lambda: albireo.count(P, bins=BINS, weights=np.full(50, np.nan))),
    "weights of nobody": (TypeError, "cross_weights needs the sample that it belongs to", lambda: albireo.count(P, bins=BINS, second_weights=np.ones(50))),
    "weights add up to 0": (ValueError, "nothing to normalise", lambda: albireo.count(P, bins=BINS, weights=np.zeros(50))),
    "bits are floats": (ValueError, "whole numbers", lambda: albireo.count(P, bins=BINS, bits=RA)),
    "no file": (FileNotFoundError, "no such file", lambda: albireo.count("no such file.fits", bins=BINS)),
    "weights beside a file": (ValueError, "file", lambda: albireo.Catalog(albireo.samples.path("galaxies_box.h5"), weights=RA)),
    "no engine": (ValueError, "engine", lambda: albireo.count(P, bins=BINS, engine="abacus")),
    "no thread": (ValueError, "threads", lambda: albireo.count(P, bins=BINS, threads=0)),
    "no randoms": (ValueError, "randoms", lambda: albireo.xi(P, bins=BINS, estimator="landy-szalay")),
    "no known RR": (ValueError, "box|randoms", lambda: albireo.xi(P, bins=BINS)),
    "no estimator": (ValueError, "estimator", lambda: albireo.xi(P, P, bins=BINS, estimator="best")),
    "no cosmology": (ValueError, "cosmology", lambda: albireo.xi(*[albireo.Catalog(sky=(RA, DEC), redshift=RA / 10)] * 2, bins=BINS)),
    "two spaces": (ValueError, "has Cartesian positions", lambda: albireo.xi(albireo.Catalog(sky=(RA, DEC), distance=RA + 1), P, bins=BINS)),
    "velocities": (ValueError, "far beyond any galaxy's redshift", lambda: albireo.count(
        albireo.Catalog(sky=(RA, DEC), redshift=RA * 300), bins=BINS, cosmology="Planck18")),
    "declination": (ValueError, "dec", lambda: albireo.count((RA, DEC + 90), bins=BINS, statistic="theta")),
    "one region": (ValueError, "region", lambda: albireo.xi(P, P * 0.9, bins=BINS, regions=1)),
    "tables of arrays": (ValueError, "memory", lambda: albireo.count(P, bins=BINS, table="1")),
    "conditions over no column": (ValueError, "no column `v`; the columns are: `x`, `y`, `z`$", lambda: albireo.count(P, bins=BINS, where="v > 1")),
    "no volume": (ValueError, "volume", lambda: albireo.rdf(P, r_max=1, n_bins=5)),
    "no shape of randoms": (ValueError, "box", lambda: albireo.randoms(10)),
    "negative randoms": (ValueError, "number", lambda: albireo.randoms(-1, box=1)),
    "no measure": (ValueError, "measure", lambda: albireo.jackknife(P, regions=4, measure="mean", bins=BINS)),
    "masked": (ValueError, "row 2", lambda: albireo.count(np.ma.masked_equal(P, P[2, 0]), bins=BINS)),
    "no column": (AttributeError, "has no wp", lambda: albireo.count(P, bins=BINS).wp),
    "no covariance": (AttributeError, "regions", lambda: albireo.count(P, bins=BINS).covariance),
    "no result": (ValueError, "albireo|record|result", lambda: albireo.load(albireo.samples.path("survey_galaxies.fits"))),
    "no extension": (ValueError, "extension", lambda: albireo.count(P, bins=BINS).save("counts.xyz")),
    "rebin by 0": (ValueError, "by", lambda: albireo.count(P, bins=BINS).rebin(0)),
    "rebin unevenly": (ValueError, "2|bins", lambda: albireo.count(P, bins=[0, 1, 2, 3.0]).rebin(2)),
    "rebin without a number": (ValueError, "nothing is asked for: by is for the first axis", lambda: albireo.count(P, bins=BINS).rebin()),
    "rebin by a fraction": (ValueError, "by: expected a whole number, such as 10 or 1e6, found `2.5`", lambda: albireo.count(P, bins=BINS).rebin(2.5)),
    "slice of nothing": (ValueError, "expected LO:HI with LO below HI", lambda: albireo.count(P, bins=BINS).slice(2, 1)),
    "wrap of unsigned bins": (ValueError, "the result: .*mu or pi", lambda: albireo.count(P, bins=BINS).wrap()),
    "renormalise to nothing": (ValueError, "^total_weight: a number above 0", lambda: albireo.count(P, bins=BINS).renormalise(0)),
    "renormalise to no number": (ValueError, "total_weight: expected a number, such as 0.5 or 1e-3, found `a`", lambda: albireo.count(P, bins=BINS).renormalise("a")),
    "concatenate with nothing": (ValueError, "at least 2 results are needed, found 1", lambda: albireo.count(P, bins=BINS).concatenate()),
    "concatenate with an array": (TypeError, "expected a Result, found ndarray", lambda: albireo.count(P, bins=BINS).concatenate(P)),
    "concatenate in no order": (ValueError, "^result 2 does not go on where result 1 ends", lambda: (r := albireo.count(P, bins=BINS)).concatenate(r)),
    "an option of nothing": (TypeError, "'bye': did you mean by", lambda: albireo.count(P, bins=BINS).operation("rebin", bye=2)),
    "a file of an operation": (ValueError, "unexpected argument 'output'", lambda: albireo.count(P, bins=BINS).operation("wrap", output="a.csv")),
    "an operation of nothing": (ValueError, "albireo result has no subcommand add", lambda: albireo.count(P, bins=BINS).operation("add")),
    "merge of nothing": (ValueError, "at least one", lambda: albireo.merge()),
    "merge of other bins": (ValueError, "bins|edges", lambda: albireo.count(P, bins=BINS) + albireo.count(P + 1, bins=[0, 1.0])),
    "bins of nothing": (TypeError, "bins: expected edges", lambda: albireo.count(P, bins=object())),
    "nested bins": (ValueError, r"one dimension, found an array of shape \(2, 2\)", lambda: albireo.count(P, bins=[[0, 1], [1, 2]])),
    "too many bins": (ValueError, "from 1 to 16777216", lambda: albireo.count(P, bins="lin:0:10:1000000000000")),
    "box NaN": (ValueError, "box", lambda: albireo.count(P, bins=BINS, box=np.nan)),
    "flat box": (ValueError, "span a volume", lambda: albireo.count(P, bins=BINS, box=[[1, 0, 0], [2, 0, 0], [0, 0, 1]])),
    "positions out of reach": (ValueError, "by magnitude: found .* in row 0", lambda: albireo.count(P * 1e300, bins=BINS)),
    "positions and a sky": (ValueError, "either positions or sky", lambda: albireo.Catalog(P, sky=(RA, DEC))),
    "redshifts of positions": (ValueError, "redshift", lambda: albireo.Catalog(P, redshift=RA)),
    "a table without positions": (ValueError, "no positions found", lambda: albireo.count({"a": [1.0], "b": [2.0]}, bins=BINS)),
    "progress of no kind": (TypeError, "progress: expected True or a function", lambda: albireo.count(P, bins=BINS, progress=3)),
    "progress that fails": (ArithmeticError, "DD", lambda: albireo.count(P, bins=BINS, progress=_fails)),
    "save nowhere": (ValueError, "no such folder", lambda: albireo.count(P, bins=BINS).save("no/counts.csv")),
    "load nothing": (FileNotFoundError, "no such file", lambda: albireo.load("counts.csv")),
    "no settings": (FileNotFoundError, "no such file", lambda: albireo.Config("job.toml").run()),
    "a part too many": (ValueError, "parts count from 0", lambda: albireo.part(albireo.count, 2, 2, "2.alb", P, bins=BINS)),
    "parts of frames": (ValueError, "trajectories", lambda: albireo.part(albireo.rdf, 0, 2, "0.alb", P[None], box=10, r_max=2, n_bins=3)),
    "whole of nothing": (ValueError, "at least one part", lambda: albireo.whole(albireo.count, [], P, bins=BINS)),
    "a part twice": (ValueError, "held twice", lambda: albireo.whole(albireo.count, [_part()] * 2, P, bins=BINS)),
    "a part of other bins": (ValueError, "other bins", lambda: albireo.whole(albireo.count, [_part()], P, bins=[0, 1.0])),
    "a part of other points": (ValueError, "other particles", lambda: albireo.whole(albireo.count, [_part()], P + 1, bins=BINS)),
    "a damaged part": (ValueError, "damaged", lambda: albireo.whole(albireo.count, [_damaged()], P, bins=BINS)),
    "Corrfunc without box": (ValueError, "boxsize", lambda: theory.DD(1, 1, BINS, *P.T)),
    "Corrfunc without second": (ValueError, "X2", lambda: theory.DD(0, 1, BINS, *P.T, periodic=False)),
    "Corrfunc instruction set": (ValueError, "isa", lambda: theory.DD(1, 1, BINS, *P.T, periodic=False, isa="mmx")),
    "Corrfunc threads": (ValueError, "nthreads", lambda: theory.DD(1, 0, BINS, *P.T, periodic=False)),
    "Corrfunc mu": (ValueError, "mu_max", lambda: theory.DDsmu(1, 1, BINS, 2.0, 5, *P.T, periodic=False)),
    "Corrfunc spheres": (NotImplementedError, "spheres", lambda: theory.vpf(1, 2, 3)),
    "Corrfunc cosmology": (ValueError, "cosmology", lambda: mocks.DDrppi_mocks(1, 7, 1, 10.0, BINS, RA, DEC, RA)),
    "Corrfunc estimator": (ValueError, "Landy", lambda: utils.convert_3d_counts_to_cf(1, 1, 1, 1, [1], [1], [1], [1], estimator="DP")),
}


@pytest.mark.parametrize("name", MISUSES)
def test_misuse(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kind, says, misuse = MISUSES[name]
    with pytest.raises(kind, match=says) as refusal:
        misuse()
    assert "--" not in str(refusal.value), "flags are spelled as keyword arguments"
    assert "\n" not in str(refusal.value)


def test_the_compiled_module_takes_no_nonsense():
    from albireo._native import native

    module = native()
    refusals = {
        "not compatible with f64": np.arange(3),
        "one dimension, found 2": np.zeros((2, 2)),
        "a stride of 0 bytes": np.broadcast_to(1.0, 3),
        "not 'str'": "text",
        "not 'NoneType'": None,
    }
    for refusal, column in refusals.items():
        with pytest.raises((ValueError, TypeError, BufferError), match=refusal):
            module.call(["albireo", "count", "a", "--bins=lin:0:1:1"], {"a": ([("x", column)], [], None, None)}, {}, [])
    with pytest.raises(TypeError):
        module.Table()
    with pytest.raises(ValueError):
        module.Table.of([], "no JSON")
    with pytest.raises((TypeError, pickle.PicklingError)):
        pickle.dumps(module.Table.of([], "{}"))
