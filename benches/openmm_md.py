#!/usr/bin/env python3
"""Times `albireo md` and OpenMM on one GPU, in turns, on the same Lennard-Jones fluid, and prints a table.

    pip install openmm openmm-cuda-13        (or openmm-cuda-12, as the driver asks)
    python benches/openmm_md.py --albireo target/release/albireo [--atoms 32000,1048576] [--repeats 3]

An fcc lattice of density 0.8442 at temperature 1.44, plain cutoff 2.5, velocity Verlet by 0.005, no thermostat; numbers of atoms are four times a
cube. Rates are of steps alone: of albireo by the difference of two whole commands, of OpenMM by the clock round its steps, after some that
are not counted. Medians of the repeats. The potential energy of the lattice is compared first.
"""
import argparse
import csv
import os
import statistics
import subprocess
import tempfile
import time

import numpy as np
import openmm

DENSITY, TEMPERATURE, CUTOFF, STEP = 0.8442, 1.44, 2.5, 0.005
# Precision of OpenMM beside ours: its mixed sums forces of single pairs in fixed point and moves in double, as our single does.
PRECISIONS = [("single", "single"), ("single", "mixed"), ("double", "double")]


def lattice(atoms):
    """Positions of an fcc lattice, and the side of its box."""
    n = round((atoms / 4) ** (1 / 3))
    if 4 * n**3 != atoms:
        raise SystemExit(f"--atoms: expected four times a cube, found {atoms}")
    side = (atoms / DENSITY) ** (1 / 3)
    cells = np.stack(np.meshgrid(*3 * [np.arange(n)], indexing="ij"), -1).reshape(-1, 1, 3)
    corners = np.array([[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]])
    return ((cells + corners).reshape(-1, 3) * (side / n)), side


def openmm_fluid(atoms, precision):
    """A context of OpenMM; nm, u, ps and kJ/mol are units of one another as those of Lennard-Jones are."""
    positions, side = lattice(atoms)
    system, force = openmm.System(), openmm.NonbondedForce()
    system.setDefaultPeriodicBoxVectors((side, 0, 0), (0, side, 0), (0, 0, side))
    for _ in range(atoms):
        system.addParticle(1.0)
        force.addParticle(0.0, 1.0, 1.0)
    force.setNonbondedMethod(openmm.NonbondedForce.CutoffPeriodic)
    force.setCutoffDistance(CUTOFF)
    force.setUseDispersionCorrection(False)
    system.addForce(force)
    integrator = openmm.VerletIntegrator(STEP)
    platform = openmm.Platform.getPlatformByName("CUDA")
    context = openmm.Context(system, integrator, platform, {"Precision": precision})
    context.setPositions(positions)
    velocities = np.random.default_rng(1).normal(0, TEMPERATURE**0.5, (atoms, 3))
    context.setVelocities(velocities - velocities.mean(0))
    return context, integrator


def potential(context):
    """The potential energy; asking for it waits for all steps."""
    return context.getState(getEnergy=True).getPotentialEnergy()._value


def openmm_rate(fluid, steps):
    """Steps a second."""
    context, integrator = fluid
    begin = time.perf_counter()
    integrator.step(steps)
    potential(context)
    return steps / (time.perf_counter() - begin)


def albireo_seconds(arguments, atoms, precision, steps, folder):
    """The time of a whole command, and the first potential energy an atom."""
    out = os.path.join(folder, "thermo.csv")
    command = [arguments.albireo, "md", "--density", str(DENSITY), "--temperature", str(TEMPERATURE), "--seed", "1", "--atoms", str(atoms),
               "--steps", str(steps), "--every", "1000000", "--precision", precision, "--engine", "cuda", "-o", out]
    begin = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    seconds = time.perf_counter() - begin
    with open(out) as file:
        first = next(csv.DictReader(file))
    return seconds, float(next(value for name, value in first.items() if name.startswith("potential")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--albireo", default="target/release/albireo")
    parser.add_argument("--atoms", default="32000,1048576")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    print(f"OpenMM {openmm.version.version}\n| atoms | albireo | steps/s | 1e6 atom-steps/s | OpenMM | steps/s | 1e6 atom-steps/s | times |\n" + 8 * "|---" + "|")
    with tempfile.TemporaryDirectory() as folder:
        for atoms in map(int, arguments.atoms.split(",")):
            few, many = (1000, 11000) if atoms < 200_000 else (200, 1200)
            for ours, theirs in PRECISIONS:
                fluid = openmm_fluid(atoms, theirs)
                first = potential(fluid[0]) / atoms
                openmm_rate(fluid, few)
                rates = [], []
                for _ in range(arguments.repeats):
                    (short, energy), (long, _) = (albireo_seconds(arguments, atoms, ours, steps, folder) for steps in (few, many))
                    if abs(energy - first) > 1e-3:
                        raise SystemExit(f"potential energy an atom: {energy} by albireo, {first} by OpenMM")
                    rates[0].append((many - few) / (long - short))
                    rates[1].append(openmm_rate(fluid, many - few))
                ours_rate, theirs_rate = map(statistics.median, rates)
                print(f"| {atoms} | {ours} | {ours_rate:.0f} | {ours_rate * atoms / 1e6:.0f} | {theirs} | {theirs_rate:.0f} | "
                      f"{theirs_rate * atoms / 1e6:.0f} | {ours_rate / theirs_rate:.2f} |", flush=True)


if __name__ == "__main__":
    main()
