from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.text.phrasing import lower_first
from sciverify.text.questions import ClosedQuestion, as_question, parse_question
from shared_data import shared_data

READ = [
    # every relation
    ("Does vitamin D prevent influenza?", "vitamin D", "prevent", "influenza", "vitamin D prevents influenza"),
    ("Does hydroxychloroquine cure COVID-19?", "hydroxychloroquine", "treat", "COVID-19",
     "hydroxychloroquine cures COVID-19"),
    ("Do GLP-1 agonists cause pancreatitis?", "GLP-1 agonists", "cause", "pancreatitis",
     "GLP-1 agonists cause pancreatitis"),
    ("Can salt raise blood pressure?", "salt", "increase", "blood pressure", "salt can raise blood pressure"),
    ("Do statins lower cholesterol?", "statins", "decrease", "cholesterol", "statins lower cholesterol"),
    ("Will sleep improve memory?", "sleep", "improve", "memory", "sleep will improve memory"),
    ("Could sugar aggravate asthma?", "sugar", "worsen", "asthma", "sugar could aggravate asthma"),
    ("Is acne associated with chocolate?", "acne", "associated with", "chocolate", "acne is associated with chocolate"),
    ("Would zinc affect growth?", "zinc", "affect", "growth", "zinc would affect growth"),
    # other words for them
    ("Does garlic protect against colds?", "garlic", "prevent", "colds", "garlic protects against colds"),
    ("Does stress lead to headaches?", "stress", "cause", "headaches", "stress leads to headaches"),
    ("Is niraparib effective for ovarian cancer?", "niraparib", "treat", "ovarian cancer",
     "niraparib is effective for ovarian cancer"),
    ("Is aspirin effective in preventing strokes?", "aspirin", "prevent", "strokes",
     "aspirin is effective in preventing strokes"),
    ("Are fish oils used to treat acne?", "fish oils", "treat", "acne", "fish oils are used to treat acne"),
    ("Is zinc used for the treatment of colds?", "zinc", "treat", "colds", "zinc is used for the treatment of colds"),
    ("Does tea help to reduce stress?", "tea", "decrease", "stress", "tea helps to reduce stress"),
    ("Is obesity a risk factor for asthma?", "obesity", "associated with", "asthma",
     "obesity is a risk factor for asthma"),
    ("Is there any link between tea and cancer?", "tea", "associated with", "cancer",
     "there is a link between tea and cancer"),
    ("Is coffee bad for the heart?", "coffee", "worsen", "the heart", "coffee is bad for the heart"),
    ("Does zinc have any effect on growth?", "zinc", "affect", "growth", "zinc has an effect on growth"),
    # tenses
    ("Did the drug lower the risk of stroke?", "the drug", "decrease", "the risk of stroke",
     "the drug lowered the risk of stroke"),
    ("Did statins reduce mortality?", "statins", "decrease", "mortality", "statins did reduce mortality"),
    ("Has the vaccine reduced the number of cases?", "the vaccine", "decrease", "the number of cases",
     "the vaccine has reduced the number of cases"),
    ("Has aspirin been shown to prevent strokes?", "aspirin", "prevent", "strokes",
     "aspirin has been shown to prevent strokes"),
    ("Is smoking causing cancer?", "smoking", "cause", "cancer", "smoking is causing cancer"),
    # passives
    ("Is lung cancer caused by smoking?", "smoking", "cause", "lung cancer", "lung cancer is caused by smoking"),
    ("Can mumps be prevented by vaccines?", "vaccines", "prevent", "mumps", "mumps can be prevented by vaccines"),
    ("Has sleep been affected by light?", "light", "affect", "sleep", "sleep has been affected by light"),
    ("Is gout due to beer?", "beer", "cause", "gout", "gout is due to beer"),
    # what stands around it
    ("Is it true that garlic lowers blood pressure?", "garlic", "decrease", "blood pressure",
     "garlic lowers blood pressure"),
    ("Is there any evidence that tea cures colds?", "tea", "treat", "colds", "tea cures colds"),
    ("In mice, does exercise improve sleep?", "exercise", "improve", "sleep", "In mice, exercise improves sleep"),
    ("Salt and health: does salt raise blood pressure?", "salt", "increase", "blood pressure",
     "salt raises blood pressure"),
    ("Can tea really ever cure colds?", "tea", "treat", "colds", "tea can cure colds"),
    ("Tea significantly reduces stress, yes or no?", "Tea", "decrease", "stress", "Tea significantly reduces stress"),
    ("does tea cure colds", "tea", "treat", "colds", "tea cures colds"),
    # names keep their letters
    ("Does NO lower ALL?", "NO", "decrease", "ALL", "NO lowers ALL"),
    ("DOES ZINC CURE COLDS?", "ZINC", "treat", "COLDS", "ZINC cures COLDS"),
    ("Does HCQ (Plaquenil®) prevent SARS-CoV-2 infection?", "HCQ (Plaquenil®)", "prevent", "SARS-CoV-2 infection",
     "HCQ (Plaquenil®) prevents SARS-CoV-2 infection"),
    ("Does TGF-β1 increase IFN-γ+ cells?", "TGF-β1", "increase", "IFN-γ+ cells", "TGF-β1 increases IFN-γ+ cells"),
    ("Does St. John's wort treat depression in the U.S.?", "St. John's wort", "treat", "depression in the U.S.",
     "St. John's wort treats depression in the U.S."),
    ("Do drugs that increase serotonin cause headaches?", "drugs that increase serotonin", "cause", "headaches",
     "drugs that increase serotonin cause headaches"),
    ("Does sitting worsen lower back pain?", "sitting", "worsen", "lower back pain", "sitting worsens lower back pain"),
    ("Does treatment with benefits in mind (which may reduce risk) improve life?",
     "treatment with benefits in mind (which may reduce risk)", "improve", "life",
     "treatment with benefits in mind (which may reduce risk) improves life"),
    ("Does radiotherapy increases risk of cancer?", "radiotherapy", "increase", "risk of cancer",
     "radiotherapy increases risk of cancer"),
]  # fmt: skip
POLARITY = [
    ("Doesn't zinc prevent colds?", False),  # expects that it does: yes confirms
    ("Doesn’t zinc prevent colds?", False),
    ("Can't zinc prevent colds?", False),
    ("Isn't it true that zinc prevents colds?", False),
    ("Does zinc not prevent colds?", True),
    ("Zinc does not prevent colds.", True),
    ("Zinc doesn't prevent colds.", True),
    ("Zinc cannot prevent colds.", True),
    ("Is it true that zinc doesn't prevent colds?", True),
    ("Is it a myth that zinc prevents colds?", True),
    ("Is it a myth that zinc does not prevent colds?", False),
    ("Is zinc not associated with colds?", True),
    ("Does zinc have no effect on colds?", True),
    ("There is no link between zinc and colds", True),
]
NOT_READ = [
    "",
    "?",
    " ?? ",
    "\x00\ud800?",
    "(((((",
    ".*[a-z]+(?P<x>",
    "هل يمنع فيتامين د الإنفلونزا؟",
    "What causes cancer?",
    "How does zinc prevent colds?",
    "Does it help?",
    "Does this prevent colds?",  # what does?
    "Do statins prevent them?",
    "Should zinc be used to treat colds?",  # advice, no fact
    "Does zinc prevent and treat colds?",  # two relations
    "Does zinc prevent colds and cause headaches?",
    "Zinc causes headaches and slows growth.",
    "Is gout associated with beer and caused by meat?",
    "Are diseases caused by smoking associated with poverty?",  # which is asked?
    "Does zinc prevent colds? Does tea?",
    "Does zinc prevent colds? Please answer.",
    "Does zinc never prevent colds?",
    "Zinc rarely prevents colds.",
    "Zinc is an ineffective treatment for colds.",
    "Zinc has little effect on colds.",
    "Does zinc prevent?",
    "Does prevent colds?",
    "Does zinc increase in winter?",
    "Patients show decreased levels.",
    "Mice have increased susceptibility to obesity.",
    "The finding that zinc prevents colds was wrong.",
    "Do doctors make patients reduce weight?",
    "Is there tea associated with cancer?",
    "Is there a link between tea and milk and cancer?",  # which of them is one side?
    "Zinc (which prevents colds) is a metal.",
    "IS therapy increases",
    "Does zinc prevent " + "very " * 300 + "bad colds?",
]


@pytest.mark.parametrize(("text", "agent", "relation", "target", "claim"), READ)
def test_closed_questions_are_taken_apart(text: str, agent: str, relation: str, target: str, claim: str) -> None:
    assert parse_question(text) == ClosedQuestion(text, agent, relation, target, False, claim)  # type: ignore[arg-type]


@pytest.mark.parametrize(("text", "agent", "relation", "target", "claim"), READ)
def test_the_claim_of_a_question_reads_the_same_and_asks_the_same(
    text: str, agent: str, relation: str, target: str, claim: str
) -> None:
    assert parse_question(claim) == ClosedQuestion(claim, agent, relation, target, False, claim)  # type: ignore[arg-type]
    asked = as_question(claim)
    assert asked is not None
    assert asked.endswith("?")
    again = parse_question(asked)
    assert again is not None
    assert (lower_first(again.agent), again.relation, again.target) == (lower_first(agent), relation, target)
    assert not again.negated


@pytest.mark.parametrize(("text", "negated"), POLARITY)
def test_what_yes_means(text: str, negated: bool) -> None:
    found = parse_question(text)
    assert found is not None
    assert found.negated is negated
    assert (found.agent.lower(), found.target) == ("zinc", "colds")
    claim = parse_question(found.claim)
    assert claim is not None
    assert not claim.negated


def test_the_question_of_a_denied_claim_asks_what_is_denied() -> None:
    assert as_question("The drug does not prevent colds.") == "Does the drug not prevent colds?"
    assert as_question("Zinc is not linked to colds.") == "Is Zinc not linked to colds?"
    assert as_question("There is no link between zinc and colds.") == "Is there not a link between zinc and colds?"
    assert parse_question("Is there not a link between zinc and colds?").negated  # type: ignore[union-attr]


def test_a_claim_of_another_relation_is_asked_all_the_same() -> None:
    assert as_question("Zinc binds to albumin.") == "Does Zinc bind to albumin?"
    assert parse_question("Does Zinc bind to albumin?") is None


@pytest.mark.parametrize("text", NOT_READ)
def test_what_is_not_understood(text: str) -> None:
    assert parse_question(text) is None


WORDS = st.sampled_from(
    [
        *["zinc", "HCQ", "the", "TGF-β1", "(RA)", "drugs", "that", "increase", "lower", "cause", "causes", "of"],
        *["and", "risk", "in", "mice", "not", "used", "to", "treat", "effect", "no", "an", "on", "caused", "by"],
        *["associated", "with", "Loss", "significantly", "reduced", "IS", "may", "U.S.", "D,", "St.", "been", "be"],
        *["help", "really", "there", "between", "link", "children", "ω-3", "א", "a.b*", "“cold”"],
    ]
)
NAMES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
BEGINNINGS = st.sampled_from(
    [
        *["Does", "Do", "Did", "Is", "Are", "Was", "Can", "Has", "Have", "Doesn't", "Will", "In mice, does"],
        *["Is it true that", "Is there a link between", "Heading: can", ""],
    ]
)
MIDDLES = st.sampled_from(
    [
        *["prevent", "prevents", "cure", "caused by", "associated with", "effective against", "increase the risk of"],
        *["and", "lead to", "used to treat", "be used to treat", "have an effect on", "not affect", "help reduce"],
        *["lowered", "been linked to", "is", "is not linked to", "a cause of"],
    ]
)
QUESTIONS = st.tuples(BEGINNINGS, NAMES, MIDDLES, NAMES, st.sampled_from(["?", "", ".", " ?"])).map(
    lambda parts: " ".join(parts[:4]) + parts[4]
)


@given(QUESTIONS)
def test_agent_and_target_are_verbatim_and_come_back(text: str) -> None:
    found = parse_question(text)
    if found is None:
        return
    assert found.text == text
    assert found.agent in text
    assert found.target in text
    assert found.agent in found.claim
    assert found.target in found.claim
    claim = parse_question(found.claim)
    assert claim is not None
    assert (claim.agent, claim.relation, claim.target) == (found.agent, found.relation, found.target)
    assert (claim.negated, claim.claim) == (False, found.claim)
    asked = as_question(found.claim)
    assert asked is not None
    again = parse_question(asked)
    assert again is not None
    assert again.relation == found.relation
    assert lower_first(again.agent) == lower_first(found.agent)
    assert lower_first(again.target) == lower_first(found.target)
    assert again.negated is False


@given(
    st.sampled_from(
        ["Does {} prevent {}?", "Is {} caused by {}?", "Doesn't {} affect {}?", "Is {} effective against {}?"]
    ),
    st.from_regex(r"[A-Z0-9α-ω][A-Z0-9α-ω-]{0,6}", fullmatch=True),
    st.from_regex(r"[A-Z0-9α-ω][A-Z0-9α-ω-]{0,6}( \([A-Z]{2,4}\))?", fullmatch=True),
)
def test_names_of_any_letters_are_read(form: str, first: str, second: str) -> None:
    found = parse_question(form.format(first, second))
    if {"A", "I", "NOT"} & {first, second.split(" ")[0]}:  # these are words as well
        return
    assert found is not None
    assert [found.agent, found.target] == ([second, first] if "caused by" in form else [first, second])


@given(st.text(max_size=200))
def test_any_text_has_an_answer(text: str) -> None:
    for changed in (text, f"Does {text} prevent {text}?", f"Is {text} caused by {text}"):
        found = parse_question(changed)
        assert found is None or found.text == changed
        assert as_question(changed) != changed


@pytest.mark.parametrize(
    "piece", ["does ", "help to ", "known to be ", "(", "increase ", "very ", "a ", "? ", "\u202e\u05d0 ", "that "]
)
def test_long_texts_are_no_questions_and_repeated_words_are_borne(piece: str) -> None:
    assert parse_question("Does zinc " + piece * 100_000 + "prevent colds?") is None
    assert as_question("Zinc " + piece * 100_000 + "prevents colds") is None
    parse_question("Does zinc " + piece * (900 // len(piece)) + "prevent colds?")
    as_question("Zinc " + piece * (900 // len(piece)) + "prevents colds")


def test_real_questions_of_doctors() -> None:
    content = json.loads(shared_data("pubmedqa", "ori_pqal_train_dev.json").read_text(encoding="utf-8"))
    texts = [row["QUESTION"] for row in content.values()]
    found = [parsed for text in texts if (parsed := parse_question(text))]
    assert len(found) / len(texts) > 0.24
    assert all(parsed.agent in parsed.text and parsed.target in parsed.text for parsed in found)


def test_real_claims_are_asked_and_read_again() -> None:
    lines = shared_data("scifact", "claims_train.jsonl").read_text(encoding="utf-8").splitlines()
    read = [parsed for line in lines if (parsed := parse_question(json.loads(line)["claim"]))]
    assert len(read) / len(lines) > 0.4
    for parsed in read:
        asked = as_question(parsed.text)
        assert asked is not None
        again = parse_question(asked)
        assert again is not None
        assert (lower_first(again.agent), again.relation) == (lower_first(parsed.agent), parsed.relation)
        assert (lower_first(again.target), again.negated) == (lower_first(parsed.target), parsed.negated)


@pytest.mark.parametrize("text", ["...", "?!.", ".", " . ", "\u3000.", "U.S.", ".?."])
def test_what_is_only_punctuation_is_no_question(text):
    assert parse_question(text) is None
    assert as_question(text) is None
