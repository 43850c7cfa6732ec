"""Fork, spawn, threads and Ctrl-C."""

import concurrent.futures as futures
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import albireo

EDGES = [0, 1, 2, 5.0]


def counted(seed: int) -> list[int]:
    points = np.random.default_rng(seed).random((300, 3)) * 20
    return albireo.count(points, bins=EDGES, box=20).npairs.tolist()


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_processes_count_the_same(method):
    expected = [counted(seed) for seed in range(4)]
    with multiprocessing.get_context(method).Pool(3) as pool:
        made = pool.map_async(counted, list(range(4)) * 10).get(timeout=100)
    assert made == expected * 10


def test_threads_count_the_same():
    expected = [counted(seed) for seed in range(4)]
    with futures.ThreadPoolExecutor(6) as pool:
        assert list(pool.map(counted, list(range(4)) * 25)) == expected * 25


def memory() -> int:
    """Resident pages of this process, in kB."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_memory_is_flat():
    points = np.random.default_rng(1).random((20_000, 3)) * 100

    def work():
        for _ in range(20):
            albireo.count(points, bins=[0, 0.5], box=100)
            albireo.Catalog(points.astype("f4"))

    work()
    before = memory()
    work()
    work()
    assert memory() - before < 8_000, "kB for 40 counts"


def test_the_interpreter_goes_on_while_counting():
    """Another thread runs while this one counts."""
    points = np.random.default_rng(1).random((60_000, 3)) * 100
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.wait(0.005):
            ticks.append(time.perf_counter())

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.perf_counter()
    albireo.count(points, bins=[0, 12.0], box=100)
    took = time.perf_counter() - start
    stop.set()
    thread.join()
    assert len(ticks) > took / 0.005 * 0.1


INTERRUPTED = """
import sys, time, numpy as np, albireo
points = np.random.default_rng(1).random((400_000, 3)) * 100
print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("stopped", time.time(), flush=True)
albireo.count(points[:100], bins=[0, 1.0])
print("alive", flush=True)
"""

CALLS = {
    "count": "albireo.count(points, bins=[0, 49.0], box=100)",
    "means": "albireo.count(points, bins=[0, 49.0], box=100, mean_separation=True)",
    "naive": "albireo.count(points, bins=[0, 49.0], box=100, engine='naive')",
    "jackknife": "albireo.xi(points, points[::-1] * 0.99, bins=[0, 49.0], regions=20)",
    "Corrfunc": "from albireo.compat.corrfunc.theory import DD; DD(1, 2, [0.1, 49.0], *points.T, boxsize=100.0, output_ravg=True)",
}


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="needs signals")
@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_stops_every_path(name):
    program = INTERRUPTED.format(call=CALLS[name])
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(1.0)
        asked = time.time()
        process.send_signal(signal.SIGINT)
        said = process.stdout.readline().split()
        assert said and said[0] == "stopped", process.stderr.read()
        # 0.4 s on a machine that has nothing else to do.
        assert float(said[1]) - asked < float(os.environ.get("ALBIREO_STOP_SECONDS", "1.5"))
        assert process.stdout.readline() == "alive\n"
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
