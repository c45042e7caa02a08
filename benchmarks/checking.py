"""How long one check takes, cold and warm, and how much memory it needs.

    python benchmarks/checking.py [--index DIR]

Cold is a new process from start to printed verdict on the demo corpus (or the index). Warm is the same check again in
one process, 20 candidates. Peak memory is that of a whole cold process. Without --index, the demo corpus.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from contextlib import AbstractContextManager
from pathlib import Path

from sciverify.demo import demo_index
from sciverify.index import Index
from sciverify.models.cpu import available_cpus
from sciverify.records import Claim
from sciverify.systems import load_system

CLAIM = "Beta carotene supplements prevent lung cancer in smokers."
K = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", type=Path, help="an index with vectors instead of the demo corpus")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    where = ["--index", str(options.index)] if options.index else []
    command = [sys.executable, "-m", "sciverify", "check", CLAIM, "--k", str(K), *where]
    cold = [run_cold(command) for _ in range(options.repeats)]
    warm = run_warm(options.index, options.repeats)
    print(f"{available_cpus()} CPUs, {K} candidates, {options.repeats} runs: median (smallest to largest)")
    print(row("cold process, s", [seconds for seconds, _ in cold]))
    print(row("warm check, s", warm))
    print(row("peak memory of a cold process, MB", [megabytes for _, megabytes in cold]))


def run_cold(command: list[str]) -> tuple[float, float]:
    """Seconds and peak megabytes of a whole process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def run_warm(path: Path | None, repeats: int) -> list[float]:
    opened: AbstractContextManager[Index] = Index.open(path) if path else demo_index()
    times = []
    with opened as index:
        system = load_system("default", index=index, k=K)
        system.check([Claim("0", CLAIM)])
        for _ in range(repeats):
            start = time.perf_counter()
            system.check([Claim("1", CLAIM)])
            times.append(time.perf_counter() - start)
    return times


def row(name: str, values: list[float]) -> str:
    return f"{name:<36}{statistics.median(values):>9.2f}   ({min(values):.2f} to {max(values):.2f})"


if __name__ == "__main__":
    main()
