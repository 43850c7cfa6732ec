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


#: Calls of each way of working side by side; 1000 show that nothing hangs or is leaked for long.
CALLS_EACH = int(os.environ.get("ALBIREO_TEST_CALLS", "40"))
SEEDS = range(4)


def counted(seed: int) -> list[int]:
    points = np.random.default_rng(seed).random((300, 3)) * 20
    return albireo.count(points, bins=EDGES, box=20).npairs.tolist()


def memory() -> int:
    """Resident pages of this process, in kB."""
    if not os.path.exists("/proc/self/statm"):
        return 0
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def watched(call: int) -> tuple[list[int], int, int]:
    """The counts of a call, and where it ran with how much memory."""
    return counted(call % len(SEEDS)), os.getpid(), memory()


def check(made: list[tuple[list[int], int, int]]) -> None:
    """Every call has counted the same, and no process has grown from the first half of its calls to the second."""
    expected = [counted(seed) for seed in SEEDS]
    assert [counts for counts, _, _ in made] == [expected[call % len(SEEDS)] for call in range(CALLS_EACH)]
    held: dict[int, list[int]] = {}
    for _, process, size in made:
        held.setdefault(process, []).append(size)
    for sizes in held.values():
        half = len(sizes) // 2
        assert half == 0 or max(sizes[half:]) - max(sizes[:half]) < 8_000, f"kB: {sizes[half - 1]} to {sizes[-1]} in {len(sizes)} calls"


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_processes_count_the_same(method):
    with multiprocessing.get_context(method).Pool(3) as pool:
        check(pool.map_async(watched, range(CALLS_EACH), chunksize=4).get(timeout=500))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_while_others_count():
    """Children of a process whose threads count just then."""
    stop = threading.Event()

    def work():
        while not stop.is_set():
            counted(0)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(max(CALLS_EACH // 40, 1)):
            with multiprocessing.get_context("fork").Pool(2) as pool:
                assert pool.map_async(counted, SEEDS).get(timeout=100) == [counted(seed) for seed in SEEDS]
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_threads_count_the_same():
    with futures.ThreadPoolExecutor(6) as pool:
        check(list(pool.map(watched, range(CALLS_EACH))))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("scheduler", ["threads", "processes", "synchronous"])
def test_dask_counts_the_same(scheduler):
    dask = pytest.importorskip("dask")
    tasks = [dask.delayed(watched)(call) for call in range(CALLS_EACH)]
    check(list(dask.compute(*tasks, scheduler=scheduler, num_workers=3)))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_dask_workers_count_the_same():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        check(client.gather(client.map(watched, range(CALLS_EACH), pure=False)))


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
