"""How fast an index is built and searched, and how much memory it takes.

usage: python benchmarks/indexing.py CORPUS [--documents 200000] [--encode 2000] [--folder DIR]

CORPUS is any file that ``sciverify index build`` reads. Its sentences are dealt anew into synthetic documents of 8
sentences each. Vectors of the large index are random unit vectors; the encoder's own speed is measured on the first
--encode documents. Compare ratios within one run, not figures between machines.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sciverify.corpora import open_corpus
from sciverify.index import Index
from sciverify.records import Document, Filters, Metadata

SENTENCES = 8
QUERIES = 50


class RandomVectors:
    """Stands for an encoder where only its vectors' size matters."""

    name = "random"
    dimensions = 384

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors that have nothing to do with the texts."""
        rows = np.random.default_rng(len(texts)).normal(size=(len(texts), self.dimensions)).astype(np.float32)
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


def main() -> None:
    arguments = _arguments()
    if arguments.search:
        _search(arguments.search)
        return
    pool = [element.text for document in open_corpus(arguments.corpus) for element in document.elements]
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        path = Path(folder)
        rows = [("documents", f"{arguments.documents:,}"), ("sentences to choose from", f"{len(pool):,}")]
        words_rate = _build(path / "words", documents(pool, arguments.documents), rows, "without vectors")
        _build(path / "vectors", documents(pool, arguments.documents), rows, "with given vectors", RandomVectors())
        if arguments.encode:
            _encoding(path / "encoded", list(documents(pool, arguments.encode)), rows, words_rate)
        _table(rows)
        sys.stdout.flush()
        # In a process of its own: the peak memory of a search must not include the building.
        subprocess.run([sys.executable, __file__, arguments.corpus, "--search", str(path / "vectors")], check=True)


def documents(pool: Sequence[str], count: int) -> Iterator[Document]:
    """Synthetic documents with years and journals, the same for the same arguments."""
    rng = random.Random(0)
    for number in range(count):
        metadata = Metadata(year=1990 + number % 35, journal=f"Journal {number % 200}", retracted=number % 500 == 0)
        yield Document.from_sentences(str(number), rng.choice(pool)[:80], rng.choices(pool, k=SENTENCES), metadata)


def _build(
    path: Path,
    corpus: Iterator[Document],
    rows: list[tuple[str, str]],
    label: str,
    encoder: RandomVectors | None = None,
) -> float:
    start, start_cpu = time.perf_counter(), time.process_time()
    with Index.build(path, corpus, encoder=encoder) as index:
        count = len(index)
        wall, cpu = time.perf_counter() - start, time.process_time() - start_cpu
        size = index.info().size
    rows.append((f"build {label}, documents/s", f"{count / wall:,.0f} ({count / cpu:,.0f} per CPU second)"))
    rows.append((f"  bytes per document {label}", f"{size / count:,.0f}"))
    return count / wall


def _encoding(path: Path, corpus: list[Document], rows: list[tuple[str, str]], words_rate: float) -> None:
    from sciverify.models import load_encoder

    encoder = load_encoder()
    texts = sorted((document.text for document in corpus), key=len)
    encoder.encode(texts[:16])
    alone = _seconds(lambda: encoder.encode(texts))
    start_cpu = time.process_time()
    whole = _seconds(lambda: Index.build(path, corpus, encoder=encoder).close())
    cores = (time.process_time() - start_cpu) / whole
    rows.append(("encoder alone, documents/s", f"{len(corpus) / alone:,.0f}"))
    rows.append(("build with the encoder, documents/s", f"{len(corpus) / whole:,.0f} ({cores:.1f} cores busy)"))
    rows.append(("  of the encoder's own speed", f"{alone / whole:.0%}"))
    rows.append(("  build without vectors is faster by", f"{words_rate * whole / len(corpus):,.0f} times"))


def _search(path: Path) -> None:
    start = time.perf_counter()
    with Index.open(path) as index:
        rows = [("open, s", f"{time.perf_counter() - start:.2f}")]
        some = list(index.documents([str(number) for number in range(QUERIES)]))
        queries = [document.elements[0].text for document in some]
        vectors = RandomVectors().encode(queries)
        year = Filters(first_year=2015)
        searches: dict[str, Callable[[int], object]] = {
            "words": lambda i: index.search_words([queries[i]], 50),
            "words, years 2015 on": lambda i: index.search_words([queries[i]], 50, year),
            "vectors": lambda i: index.search_vectors(vectors[i : i + 1], 50),
            "vectors, years 2015 on": lambda i: index.search_vectors(vectors[i : i + 1], 50, year),
        }
        p50 = {}
        for label, search in searches.items():
            search(0)
            p50[label] = statistics.median(_seconds(lambda i=i, s=search: s(i)) for i in range(QUERIES))  # type: ignore[misc]
            rows.append((f"p50 {label}, ms", f"{p50[label] * 1000:.1f}"))
        batch = _seconds(lambda: index.search_vectors(vectors, 50)) / QUERIES
        rows.append(("  vectors in a batch are faster by", f"{p50['vectors'] / batch:.1f} times"))
        rows.append(("  vectors take longer than words by", f"{p50['vectors'] / p50['words']:.1f} times"))
        rows.append(("peak memory of opening and searching, MB", f"{_peak_memory():,.0f}"))
    _table(rows)


def _seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _peak_memory() -> float:
    """Megabytes at the peak of this program alone: ``ru_maxrss`` would begin with what its parent had."""
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    [line] = [line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) / 1024


def _table(rows: Sequence[tuple[str, str]]) -> None:
    for label, value in rows:
        print(f"{label:45} {value}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--encode", type=int, default=2_000, help="0 leaves the encoder out")
    parser.add_argument("--folder", help="where the indexes are built for a while")
    parser.add_argument("--search", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
