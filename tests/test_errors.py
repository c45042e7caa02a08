import inspect
import pickle
import re
from pathlib import Path

import pytest

from sciverify import errors
from sciverify.errors import CorpusError, RunFileError, SciverifyError, place

CLASSES = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, Exception)]


def drawn_tree():
    """Parent by class name, read from the drawing in the module's docstring."""
    parents, path = {}, []
    for line in errors.__doc__.splitlines():
        match = re.match(r"^ {4}((?:│   |    )*)(├── |└── )?([A-Z]\w+Error)\b", line)
        if match:
            depth = len(match[1]) // 4 + bool(match[2])
            path = [*path[:depth], match[3]]
            parents[match[3]] = path[depth - 1] if depth else "Exception"
    return parents


def test_the_drawn_tree_is_the_tree():
    assert drawn_tree() == {kind.__name__: kind.__base__.__name__ for kind in CLASSES}
    assert len(CLASSES) > 10


def test_every_class_is_exported_and_says_what_it_is_for():
    assert set(errors.__all__) == {kind.__name__ for kind in CLASSES} | {"place"}
    for kind in CLASSES:
        assert kind.__doc__
        assert issubclass(kind, SciverifyError)


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_errors_cross_process_borders(kind, protocol):
    error = kind("it broke", where="file.jsonl:3", remedy="Mend it")
    again = pickle.loads(pickle.dumps(error, protocol))
    assert type(again) is kind
    assert (again.problem, again.where, again.remedy) == ("it broke", "file.jsonl:3", "Mend it")
    assert str(again) == str(error)


@pytest.mark.parametrize(
    ("where", "remedy", "text"),
    [
        ("", "", "it broke"),
        ("f:3", "", "f:3: it broke"),
        ("", "Mend it", "it broke. Mend it"),
        ("f:3", "Mend it", "f:3: it broke. Mend it"),
    ],
)
def test_the_text_names_the_place_the_problem_and_the_remedy(where, remedy, text):
    assert str(CorpusError("it broke", where=where, remedy=remedy)) == text


def test_where_and_remedy_are_named_in_the_call():
    with pytest.raises(TypeError):
        SciverifyError("it broke", "f:3")


def test_one_except_catches_all():
    with pytest.raises(SciverifyError):
        raise RunFileError("it broke")


def test_places_are_written_as_editors_read_them():
    assert place("a.jsonl") == "a.jsonl"
    assert place(Path("dir") / "a.jsonl", 3) == f"{Path('dir') / 'a.jsonl'}:3"
    assert place("a.jsonl", 0) == "a.jsonl:0"
