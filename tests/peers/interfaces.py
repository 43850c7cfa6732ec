"""The tests of Corrfunc, MDAnalysis and freud with this package's functions and classes in the place of theirs, unchanged.

    pip download --no-deps --no-binary Corrfunc Corrfunc==2.5.3 && tar xzf corrfunc-2.5.3.tar.gz
    python tests/peers/interfaces.py corrfunc corrfunc-2.5.3 [ARGUMENT OF PYTEST ..]
    pip install MDAnalysis==2.11.0 MDAnalysisTests==2.11.0
    python tests/peers/interfaces.py mdanalysis [ARGUMENT OF PYTEST ..]
    git clone -b v3.4.0 https://github.com/glotzerlab/freud && pip install freud-analysis==3.4.0
    python tests/peers/interfaces.py freud freud/tests [ARGUMENT OF PYTEST ..]

Tests that are known to fail are listed in `KNOWN` with the cause. The exit status is 0 where all others pass, and each of these fails.
"""

import os
import sys

import pytest

# How the names of tests begin, and why these fail.
ROUNDED = (
    "its expected value has the pairs at a distance of exactly 1 in the bin [0.8, 1.0), as MDAnalysis computes 0.99999998 of their float32 positions; "
    "float64 gives 1, and they are in [1.0, 1.2) here"
)
SPHERES = "counts of points in spheres are no pairs and are refused"
KNOWN = {
    "corrfunc": {"test_vpf": SPHERES},
    "mdanalysis": {f"test_norm[client_InterRDF{k}-{norm}": ROUNDED for k in range(3) for norm in ("density", "rdf")},
    "freud": {},
}


class Told:
    """Collects outcomes by name, and puts classes of ours in the place of those that the tests have imported."""

    def __init__(self, ours):
        self.outcomes, self.ours = {"passed": [], "failed": [], "skipped": []}, ours

    def pytest_collection_modifyitems(self, items):
        for module in {item.module for item in items}:
            vars(module).update({name: made for name, made in self.ours.items() if name in vars(module)})

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self.outcomes[report.outcome].append(report.nodeid.split("::", 1)[-1])


def corrfunc(folder):
    """Corrfunc is this package, but for its tests, which are those of the sources."""
    import albireo.compat

    albireo.compat.install("corrfunc")
    import Corrfunc

    Corrfunc.__path__.append(os.path.join(os.path.abspath(folder), "Corrfunc"))
    tests = os.path.join(folder, "Corrfunc", "tests")
    return [os.path.join(tests, name) for name in ("test_theory.py", "test_mocks.py")], {}


def mdanalysis():
    """The classes are exchanged in the tests: those of MDAnalysis name themselves."""
    import MDAnalysisTests

    import albireo.mdanalysis

    folder = os.path.join(os.path.dirname(MDAnalysisTests.__file__), "analysis")
    ours = {name: getattr(albireo.mdanalysis, name) for name in albireo.mdanalysis.__all__}
    return [os.path.join(folder, name) for name in ("test_rdf.py", "test_rdf_s.py")], ours


def freud(folder):
    """The class is exchanged in its module."""
    import freud

    import albireo.freud

    freud.density.RDF = albireo.freud.RDF
    return [os.path.join(folder, "test_density_rdf.py")], {}


PACKAGES = {"corrfunc": corrfunc, "mdanalysis": mdanalysis, "freud": freud}


def main(package, *arguments):
    needed = PACKAGES[package].__code__.co_argcount
    files, ours = PACKAGES[package](*arguments[:needed])
    told = Told(ours)
    pytest.main(["-q", "-p", "no:cacheprovider", "--import-mode=importlib" if package == "corrfunc" else "--import-mode=prepend",
                 *arguments[needed:], *files], plugins=[told])
    known = KNOWN[package]
    causes = {name: next((cause for begin, cause in known.items() if name.startswith(begin)), None) for name in told.outcomes["failed"]}
    of_known = sorted(name for name, cause in causes.items() if cause)
    others = [name for name, cause in causes.items() if not cause]
    others += [f"{name}: known to fail, and does not" for name in told.outcomes["passed"] if name.startswith(tuple(known))]
    for name in of_known:
        print(f"known: {name}: {causes[name]}")
    for name in others:
        print(f"FAILED: {name}")
    for name in told.outcomes["skipped"]:
        print(f"skipped by its own test: {name}")
    print(f"{package}: {len(told.outcomes['passed'])} passed, {len(of_known)} known not to, {len(others)} failed")
    return int(bool(others) or not told.outcomes["passed"])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
