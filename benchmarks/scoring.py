"""How long scoring and resampling take, and whether memory stays the same whatever the number of resamples.

    python benchmarks/scoring.py

SciFact: 300 claims made at random, scored from files, then 10,000 resamples, then a whole report. SciFact-Open: 100,000
claim-document pairs scored from a file, with 1,000 resamples of average precision. Each peak of memory is that of a
process of its own.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sciverify.evaluation import bootstrap, score_scifact
from sciverify.evaluation.measures import Scores
from sciverify.evaluation.report import make_report, render_html
from sciverify.evaluation.scifact_open import score_scifact_open
from sciverify.evaluation.tasks import find_task
from sciverify.models.cpu import available_cpus

CLAIMS, DOCUMENTS, READ = 300, 5_000, 20
OPEN_CLAIMS, OPEN_PAIRS = 279, 100_000
LABELS = ("SUPPORT", "CONTRADICT")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--peak", nargs=3, metavar=("TASK", "FOLDER", "RESAMPLES"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peak:
        task, folder, resamples = options.peak
        bootstrap(scored(task, Path(folder)), resamples=int(resamples))
        print(peak_memory())
        return
    print(f"{available_cpus()} CPUs, best of {options.repeats}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_scifact(folder)
        write_open(folder)
        measure("scifact", f"{CLAIMS} claims", 10_000, folder, options.repeats)
        gold, run = folder / "scifact.gold.jsonl", folder / "scifact.run.jsonl"
        show("scifact: a whole report as HTML", lambda: render_html(make_report(find_task("scifact"), gold, run)), 1)
        measure("scifact-open", f"{OPEN_PAIRS:,} pairs", 1_000, folder, 1)


def measure(task: str, size: str, resamples: int, folder: Path, repeats: int) -> None:
    """Times and peaks of one task."""
    scores = show(f"{task}: score {size}", lambda: scored(task, folder), repeats)
    show(f"{task}: {resamples:,} resamples", lambda: bootstrap(scores, resamples=resamples), repeats)
    peaks = [peak(task, folder, number) for number in (100, 10_000)]
    print(f"{task + ': peak memory, 100 / 10,000 resamples':<52}{peaks[0]:>8.1f} / {peaks[1]:.1f} MB")


def show(name: str, work: Callable[[], Any], repeats: int) -> Any:
    """Print the shortest time of some tries, and return what the last one gave."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    print(f"{name:<52}{min(times):>8.3f} s")
    return result


def peak(task: str, folder: Path, resamples: int) -> float:
    """Peak memory, in megabytes, of a process that scores and resamples."""
    command = [sys.executable, __file__, "--peak", task, str(folder), str(resamples)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def peak_memory() -> float:
    """Megabytes that this process has had at most; getrusage would count those of the process that started it too."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


def scored(task: str, folder: Path) -> Scores:
    scorer = score_scifact if task == "scifact" else score_scifact_open
    return scorer(folder / f"{task}.gold.jsonl", folder / f"{task}.run.jsonl")


def write_scifact(folder: Path) -> None:
    """Claims with about one evidence document each, and a run that finds most of it, its candidates listed."""
    chance = random.Random(0)
    gold, run = [], []
    for claim in range(CLAIMS):
        evidence = {str(d): chance.choice(LABELS) for d in chance.sample(range(DOCUMENTS), chance.choice((0, 1, 1, 2)))}
        entries = {id: [{"sentences": [chance.randrange(8)], "label": label}] for id, label in evidence.items()}
        gold.append({"id": claim, "claim": f"Claim {claim}.", "evidence": entries})
        read = [*evidence, *(str(d) for d in chance.sample(range(DOCUMENTS), READ) if str(d) not in evidence)]
        candidates = [candidate(chance, id, evidence.get(id)) for id in read]
        predicted = {
            str(c["doc_id"]): {"sentences": chance.sample(range(8), 3), "label": c["label"]}
            for c in candidates
            if c["label"] != "NEI"
        }
        run.append({"id": claim, "evidence": predicted, "candidates": candidates})
    write_lines(folder / "scifact.gold.jsonl", gold)
    write_lines(folder / "scifact.run.jsonl", run)


def candidate(chance: random.Random, id: str, gold: str | None) -> dict[str, object]:
    names = (*LABELS, "NEI")
    weights = [chance.random() + (0.7 if name == (gold or "NEI") else 0) for name in names]
    shares = [weight / sum(weights) for weight in weights]
    label = names[shares.index(max(shares))]
    probabilities = dict(zip(("p_support", "p_contradict", "p_nei"), shares, strict=True))
    return {"doc_id": id, "score": 1.0, "found_by": ["bm25"], "label": label, **probabilities}


def write_open(folder: Path) -> None:
    """A prediction table of one system, and gold that knows a pair in a hundred."""
    chance = random.Random(1)
    gold: dict[int, dict[str, object]] = {claim: {} for claim in range(OPEN_CLAIMS)}
    rows = []
    for number in range(OPEN_PAIRS):
        claim, document = number % OPEN_CLAIMS, str(number // OPEN_CLAIMS)
        label = chance.choice(LABELS) if chance.random() < 0.01 else None
        if label:
            gold[claim][document] = {"label": label}
        found = candidate(chance, document, label)
        shares = {name: found[name] for name in ("p_support", "p_contradict", "p_nei")}
        rows.append({"claim_id": claim, "doc_id": document, "predicted_label": found["label"], **shares})
    lines = [{"id": claim, "claim": f"Claim {claim}.", "evidence": evidence} for claim, evidence in gold.items()]
    write_lines(folder / "scifact-open.gold.jsonl", lines)
    write_lines(folder / "scifact-open.run.jsonl", rows)


def write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
