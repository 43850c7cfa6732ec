"""Samples that tests share."""

import numpy as np
import pytest

import albireo


@pytest.fixture(scope="session")
def points() -> np.ndarray:
    """Points in a box of 100 that are no float32."""
    return np.random.default_rng(7).random((400, 3)) * 100


@pytest.fixture(scope="session")
def others() -> np.ndarray:
    return np.random.default_rng(8).random((300, 3)) * 100


@pytest.fixture(scope="session")
def sky() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Right ascension, declination, redshift of a small survey."""
    made = albireo.randoms(500, like=albireo.samples.path("survey_galaxies.fits"), seed=5)
    return made["RA"], made["DEC"], made["Z"]


def double_loop(first: np.ndarray, second: np.ndarray | None, edges: np.ndarray, box: float | None = None) -> np.ndarray:
    """Pairs of the plain double loop in float64: the rule of docs, written down once more."""
    other = first if second is None else second
    total = np.zeros((len(first), len(other)))
    for axis in range(3):
        d = first[:, None, axis] - other[None, :, axis]
        if box is not None:
            d = np.where(d > box / 2, d - box, np.where(d < -box / 2, d + box, d))
        total = d * d if axis == 0 else total + d * d
    bins = np.searchsorted(np.asarray(edges) ** 2, total, side="right") - 1
    if second is None:
        bins = bins[np.triu_indices(len(first), 1)]
    return np.bincount(bins[(bins >= 0) & (bins < len(edges) - 1)], minlength=len(edges) - 1).astype(np.uint64)
