"""Classes of objects from arrays, tables and files: each block is the measurement of the parts."""

import numpy as np
import pytest

import albireo

BINS = [0, 2, 4, 6]


@pytest.fixture
def sample():
    draw = np.random.default_rng(3)
    return draw.random((300, 3)) * 20, draw.choice(["LRG", "ELG", "QSO"], 300), draw.integers(0, 3, 300)


def same(block, alone):
    assert block.columns == alone.columns
    for name in alone.columns:
        assert np.array_equal(block[name], alone[name], equal_nan=True), name


def test_arrays_of_texts_and_of_numbers_are_classes(sample):
    points, tracer, number = sample
    for classes in (tracer, tracer.tolist(), number):
        made = albireo.count(points, bins=BINS, box=20, classes=classes)
        first, second = np.unique(classes)[:2]
        of = {value: points[np.array(classes) == value] for value in (first, second)}
        same(made.of_classes(second, second), albireo.count(of[second], bins=BINS, box=20))
        assert np.array_equal(made.of_classes(first, second).npairs, albireo.count(of[first], of[second], bins=BINS, box=20).npairs)
    assert made.record["classes"][0]["objects"]["data"] == np.bincount(number).tolist()
    assert made["class_1"].tolist() == np.repeat([0, 0, 0, 1, 1, 2], 3).tolist()
    assert len(made.npairs) == len(made) == 18


def test_columns_of_tables_are_classes(sample):
    points, tracer, number = sample
    table = {"x": points[:, 0], "y": points[:, 1], "z": points[:, 2], "tracer": tracer, "number": number, "delta": points[:, 0] ** 2}
    by_array = albireo.count(points, bins=BINS, classes=tracer)
    assert albireo.count(table, bins=BINS, classes="tracer") == by_array
    assert albireo.count(table, bins=BINS, classes="number") == albireo.count(points, bins=BINS, classes=number)
    some = albireo.count(table, bins=BINS, classes="tracer", where="number > 0")
    same(some.of_classes("ELG", "ELG"), albireo.count(points[(tracer == "ELG") & (number > 0)], bins=BINS))
    quantiles = albireo.count(table, bins=BINS, classes="delta", quantiles=3)
    edges = np.sort(table["delta"])[[100, 200]]
    assert quantiles.record["classes"][0]["edges"] == edges.tolist()
    assert albireo.count(table, bins=BINS, classes="delta", class_edges=edges)["npairs"].tolist() == quantiles["npairs"].tolist()


def test_randoms_and_second_samples_have_classes(sample):
    points, tracer, number = sample
    draw = np.random.default_rng(4)
    randoms, of_randoms = draw.random((500, 3)) * 20, draw.integers(0, 3, 500)
    made = albireo.xi(points, randoms, bins=BINS, classes=number, randoms_classes=of_randoms)
    part = [(points[number == k], randoms[of_randoms == k]) for k in (0, 1, 2)]
    same(made.of_classes(2, 2), albireo.xi(*part[2], bins=BINS))
    same(made.of_classes(0, 1), albireo.xi(*part[0], cross=part[1][0], cross_randoms=part[1][1], bins=BINS))
    common = albireo.wp(points, randoms, bins=BINS, pi_bins=[0, 5, 10], classes=number)
    same(common.of_classes(1, 1), albireo.wp(part[1][0], randoms, bins=BINS, pi_bins=[0, 5, 10]))
    both = albireo.count(points, randoms, bins=BINS, classes=tracer, cross_classes=of_randoms)
    same(both.of_classes("QSO", 1), albireo.count(points[tracer == "QSO"], part[1][1], bins=BINS))
    second = albireo.count(points, randoms, bins=BINS, cross_classes=of_randoms)
    same(second.of_classes("all", 2), albireo.count(points, part[2][1], bins=BINS))


def test_what_makes_no_classes_is_refused(sample):
    points, tracer, _ = sample
    with pytest.raises(ValueError, match="different values"):
        albireo.count(points, bins=BINS, classes=np.arange(300))
    with pytest.raises(ValueError, match="quantiles cuts numbers"):
        albireo.count(points, bins=BINS, classes=tracer, quantiles=2)
    made = albireo.count(points, bins=BINS, classes=tracer)
    with pytest.raises(ValueError, match="6 pairs of classes"):
        made.rebin(3)
    with pytest.raises(ValueError, match="its classes are ELG, LRG, QSO"):
        made.of_classes("ELG", "BGS")
    with pytest.raises(ValueError, match="one dimension"):
        albireo.count(points, bins=BINS, classes=points)
