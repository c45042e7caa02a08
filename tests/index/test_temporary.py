from __future__ import annotations

from pathlib import Path

import pytest

from sciverify.index import temporary_folder


def test_it_is_new_and_gone_at_the_end():
    with temporary_folder() as folder, temporary_folder() as other:
        assert folder.is_dir()
        assert folder != other
        (folder / "file").write_text("x")
    assert not folder.exists()


def test_it_is_gone_after_an_error_too():
    with pytest.raises(RuntimeError), temporary_folder() as folder:
        raise RuntimeError
    assert not folder.exists()


def test_it_lies_in_memory_only_where_there_is_room(tmp_path: Path):
    with temporary_folder(memory=tmp_path) as folder:
        assert folder.parent == tmp_path
    with temporary_folder(10**15, memory=tmp_path) as folder:
        assert folder.parent != tmp_path


def test_a_system_without_one_is_fine(tmp_path: Path):
    with temporary_folder(memory=tmp_path / "nowhere") as folder:
        assert folder.is_dir()
