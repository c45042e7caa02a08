import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.cli.terminal import clean, console_for


class TestClean:
    @given(st.text(st.characters()))
    def test_nothing_steers_a_terminal(self, text: str) -> None:
        cleaned = clean(text)
        assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in cleaned)
        cleaned.encode("utf-8")

    @pytest.mark.parametrize(
        ("text", "cleaned"),
        [
            ("plain α-synuclein, E. coli [2] (n = 17)", "plain α-synuclein, E. coli [2] (n = 17)"),
            ("two\r\n\tlines", "two lines"),
            ("\x1b[31mred\x1b[0m", "[31mred[0m"),
            ("\x1b]8;;https://evil.example\x07link\x1b]8;;\x07", "]8;;https://evil.examplelink]8;;"),
            ("\x9b2J gone", "2J gone"),
            ("not \u202edevorp\u202c", "not devorp"),
            ("\ud83d alone", "� alone"),
            ("a\x00b", "ab"),
        ],
    )
    def test_examples(self, text: str, cleaned: str) -> None:
        assert clean(text) == cleaned


class TestConsole:
    def test_off_a_terminal_the_width_is_columns_or_80(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("COLUMNS", raising=False)
        assert console_for(io.StringIO()).width == 80
        monkeypatch.setenv("COLUMNS", "123")
        assert console_for(io.StringIO()).width == 123
        monkeypatch.setenv("COLUMNS", "wide")
        assert console_for(io.StringIO()).width == 80

    def test_markup_and_emoji_codes_are_printed_as_they_are(self) -> None:
        stream = io.StringIO()
        console_for(stream).print("[bold red]x[/] :smile: [link=https://evil.example]y[/link]")
        assert stream.getvalue() == "[bold red]x[/] :smile: [link=https://evil.example]y[/link]\n"

    def test_a_broken_pipe_is_the_callers_to_handle(self) -> None:
        class Closed(io.StringIO):
            def write(self, text: str) -> int:
                raise BrokenPipeError

        with pytest.raises(BrokenPipeError):
            console_for(Closed()).print("x")
