import inspect

import pytest

from sciverify.errors import SettingError
from sciverify.evaluation.scifact import score_scifact
from sciverify.evaluation.tasks import TASKS, TaskInfo, find_task


def scorer(gold, run, corpus=None, *, depths: "Iterable[int]" = (5,), classes: "Sequence[str | Label] | None" = None,  # noqa: F821
           flat: "bool" = False, share: "float" = 0.5, name: "str | None" = None):  # fmt: skip
    raise AssertionError("only its signature counts")


INFO = TaskInfo("made", "Made", "", "", "", scorer)


def test_a_task_is_found_by_its_name():
    assert find_task("scifact").scorer is score_scifact
    with pytest.raises(SettingError, match="no task 'scifcat'") as raised:
        find_task("scifcat")
    assert all(name in raised.value.remedy for name in TASKS)


@pytest.mark.parametrize("info", TASKS.values(), ids=TASKS)
def test_every_task_says_what_it_takes(info):
    assert info.title
    assert info.summary
    assert info.gold
    assert info.run
    assert list(inspect.signature(info.scorer).parameters)[:2] == ["gold_path", "run_path"]
    assert info.parse_options({}) == {}


def test_options_are_the_scorers_own():
    assert INFO.options == {"depths": (5,), "classes": None, "flat": False, "share": 0.5, "name": None}
    assert INFO.takes_corpus


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("depths", "5", (5,)),
        ("depths", "5, 10", (5, 10)),
        ("classes", "yes,no", ("yes", "no")),
        ("flat", "yes", True),
        ("flat", "False", False),
        ("share", "0.25", 0.25),
        ("name", "7", "7"),
    ],
)
def test_an_option_is_read_as_the_scorer_takes_it(name, text, value):
    assert INFO.parse_options({name: text}) == {name: value}


@pytest.mark.parametrize(("name", "text"), [("depths", "five"), ("depths", ""), ("flat", "maybe"), ("share", "half")])
def test_a_value_of_another_form_is_refused(name, text):
    with pytest.raises(SettingError, match=f"is no value for the option {name}"):
        INFO.parse_options({name: text})


def test_an_unknown_option_is_refused():
    with pytest.raises(SettingError, match="no option 'depth'") as raised:
        INFO.parse_options({"depth": "5"})
    assert "depths" in raised.value.remedy
