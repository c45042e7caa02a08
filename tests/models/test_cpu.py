from __future__ import annotations

import os
from pathlib import Path

import pytest

from sciverify.models.cpu import available_cpus


@pytest.fixture(autouse=True)
def eight_by_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)


def write(folder: Path, **files: str) -> Path:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("cfs", "cpu.cfs").replace("max", "cpu.max")
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder


def test_without_control_groups_the_affinity_counts(tmp_path: Path) -> None:
    assert available_cpus(tmp_path / "none") == 8


def test_without_affinity_the_machine_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert available_cpus(tmp_path) == 3
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_cpus(tmp_path) == 1


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("200000 100000\n", 2),
        ("150000 100000\n", 2),  # half a processor more is worth a thread
        ("50000 100000\n", 1),
        ("100 100000\n", 1),
        ("1600000 100000\n", 8),  # no more than the affinity
        ("max 100000\n", 8),
        ("200000\n", 8),
        ("200000 0\n", 8),
        ("two 100000\n", 8),
        ("", 8),
        ("²00000 100000", 8),
    ],
)
def test_second_version(tmp_path: Path, content: str, expected: int) -> None:
    assert available_cpus(write(tmp_path, max=content)) == expected


@pytest.mark.parametrize(
    ("quota", "period", "expected"),
    [
        ("300000\n", "100000\n", 3),
        ("250000\n", "100000\n", 3),
        ("-1\n", "100000\n", 8),
        ("300000\n", "", 8),
        ("", "100000\n", 8),
    ],
)
def test_first_version(tmp_path: Path, quota: str, period: str, expected: int) -> None:
    assert available_cpus(write(tmp_path, cpu__cfs_quota_us=quota, cpu__cfs_period_us=period)) == expected


def test_the_second_version_without_a_limit_leaves_the_first_one_to_decide(tmp_path: Path) -> None:
    folder = write(tmp_path, max="max 100000", cpu__cfs_quota_us="400000", cpu__cfs_period_us="100000")
    assert available_cpus(folder) == 4
