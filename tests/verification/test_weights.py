from __future__ import annotations

import pytest

from model_folders import write_model
from sciverify.errors import ModelError
from sciverify.models import load_cross_encoder
from sciverify.models.crossencoder import Passage
from sciverify.verification import STEPS, PartialModel, open_model, open_steps

PASSAGE = Passage("Exercise lowers pressure.", "A trial", ["We asked.", "It fell."])


def test_a_folder_gives_its_model(tmp_path):
    model = open_model(str(write_model(tmp_path / "mine", name="mine")))
    shipped = load_cross_encoder()
    assert model.name == shipped.name.replace(shipped.card["name"], "mine")
    assert (model.score([PASSAGE])[0].label == shipped.score([PASSAGE])[0].label).all()


@pytest.mark.parametrize("input", ["claim-only", "abstract-only"])
def test_a_model_sees_what_it_was_trained_to_see(tmp_path, input):
    model = open_model(write_model(tmp_path / "partial", input=input))
    by_hand = PartialModel(load_cross_encoder(), input)
    assert isinstance(model, PartialModel)
    assert model.input == input
    assert (model.score([PASSAGE])[0].label == by_hand.score([PASSAGE])[0].label).all()


def test_an_input_that_there_is_not(tmp_path):
    folder = write_model(tmp_path / "odd", input="title-only")
    with pytest.raises(ModelError, match="title-only") as caught:
        open_model(folder)
    assert caught.value.where == str(folder)


@pytest.mark.parametrize("open", [open_model, open_steps])
def test_a_folder_without_a_model(tmp_path, open):
    (tmp_path / "labeller").mkdir()
    for folder in (tmp_path, tmp_path / "missing", write_model(tmp_path / "selector").with_name("labeller")):
        with pytest.raises(ModelError, match="holds no model") as caught:
            open(folder)
        assert caught.value.where == str(folder)
        assert "--release" in caught.value.remedy


def test_two_steps_lie_in_folders_of_their_names(tmp_path):
    for step in STEPS:
        write_model(tmp_path / step, name=step)
    assert [model.name.split("@")[0] for model in open_steps(tmp_path)] == list(STEPS)
    with pytest.raises(ModelError, match="selector and labeller") as caught:
        open_model(tmp_path)
    assert "verisci" in caught.value.remedy


def test_one_model_may_stand_for_both_steps(tmp_path):
    selector, labeller = open_steps(write_model(tmp_path / "one"))
    assert selector is labeller
