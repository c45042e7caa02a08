import gzip
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from sciverify.cli.sources import (
    CorpusOptions,
    SourceOptions,
    column_name,
    corpus_options,
    count_lines,
    filter_options,
    year_range,
)
from sciverify.records import Filters


class TestYears:
    @pytest.mark.parametrize(
        ("text", "years"),
        [
            ("2000-2010", (2000, 2010)),
            ("2005-", (2005, None)),
            ("-1999", (None, 1999)),
            ("2005", (2005, 2005)),
            (" 2000–2010 ", (2000, 2010)),
        ],
    )
    def test_ranges(self, text: str, years: tuple[int | None, int | None]) -> None:
        assert year_range(text) == years

    @pytest.mark.parametrize("text", ["", "-", "x", "2000-2010-2020", "20000", "2000 2010", "२०००"])
    def test_anything_else_is_refused(self, text: str) -> None:
        with pytest.raises(click.BadParameter, match="range of years"):
            year_range(text)


class TestColumns:
    def test_the_header_may_hold_an_equals_sign(self) -> None:
        assert column_name("title=a=b") == ("title", "a=b")

    @pytest.mark.parametrize("text", ["title", "=x", "title=", ""])
    def test_both_sides_are_needed(self, text: str) -> None:
        with pytest.raises(click.BadParameter, match="name=header"):
            column_name(text)


class TestOptions:
    def test_corpus_options_arrive_as_one_object(self) -> None:
        seen = []

        @click.command()
        @corpus_options
        def command(reading: CorpusOptions) -> None:
            seen.append(reading)

        arguments = ["--format", "csv", "--column", "id=PMID", "--column", "title=Heading", "--skip-bad", "--replace"]
        assert CliRunner().invoke(command, arguments).exit_code == 0
        assert seen == [CorpusOptions("csv", {"id": "PMID", "title": "Heading"}, skip_bad=True, replace=True)]

    @pytest.mark.parametrize(
        ("arguments", "filters"),
        [
            ([], None),
            (["--years", "-1999"], Filters(last_year=1999)),
            (["--journal", "BMJ", "--journal", "Heart"], Filters(journals=("BMJ", "Heart"))),
            (["--type", "Review", "--exclude-retracted"], Filters(publication_types=("Review",), retracted=False)),
        ],
    )
    def test_filters(self, arguments: list[str], filters: Filters | None) -> None:
        seen = []

        @click.command()
        @filter_options
        def command(filters: Filters | None) -> None:
            seen.append(filters)

        assert CliRunner().invoke(command, arguments).exit_code == 0
        assert seen == [filters]

    def test_an_index_and_a_corpus_exclude_each_other(self) -> None:
        reading = CorpusOptions("auto", {}, skip_bad=False, replace=False)
        with pytest.raises(click.UsageError, match="exclude each other"):
            SourceOptions(Path("a"), (Path("b"),), vectors=True, reading=reading)


class TestCountLines:
    def test_lines_of_plain_and_zipped_files(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_text("1\n2\n")
        with gzip.open(tmp_path / "b.gz", "wt") as file:
            file.write("1\n2\n3\n")
        assert count_lines([tmp_path / "a", tmp_path / "b.gz"]) == 5

    def test_what_cannot_be_counted(self, tmp_path: Path) -> None:
        (tmp_path / "broken.gz").write_bytes(b"\x1f\x8b not gzip")
        (tmp_path / "empty").touch()
        for name in (".", "missing", "broken.gz", "empty"):
            assert count_lines([tmp_path / name]) is None
