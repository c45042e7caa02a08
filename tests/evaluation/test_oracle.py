import pytest

from sciverify.errors import InputError, SettingError
from sciverify.evaluation import load_gold
from sciverify.evaluation.oracle import with_oracle
from sciverify.index import Index
from sciverify.records import Document, Label
from sciverify.systems import load_system

DOCUMENTS = [
    Document.from_sentences("11", "Tea and hiccups", ["We asked 40 adults.", "Tea cured hiccups in all.", "Thanks."]),
    Document.from_sentences("12", "Rain", ["It rained for days.", "Tea was drunk."]),
    Document.from_sentences("13", "Hiccups", ["Hiccups end by themselves.", "Tea did not cure hiccups."]),
]
GOLD = [
    {
        "id": 1,
        "claim": "Tea cures hiccups.",
        "cited_doc_ids": [11, 12],
        "evidence": {
            "11": [{"sentences": [1], "label": "SUPPORT"}],
            "13": [{"sentences": [0, 1], "label": "CONTRADICT"}],
        },
    },
    {"id": 2, "claim": "Rain falls.", "cited_doc_ids": [12], "evidence": {}},
]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    with Index.build(tmp_path_factory.mktemp("oracle") / "index", DOCUMENTS) as index:
        yield index


@pytest.fixture
def gold(write_lines):
    return load_gold(write_lines("claims.jsonl", *GOLD))


def check(index, gold, *oracles):
    return with_oracle(load_system(index=index), gold, index, oracles).check([entry.claim for entry in gold])


def test_abstract_gives_the_evidence_documents_and_nothing_else(index, gold):
    first, second = check(index, gold, "abstract")
    assert sorted(finding.document.id for finding in first.findings) == ["11", "13"]
    assert second.findings == ()


def test_rationale_leaves_retrieval_alone_and_all_else_nei(index, gold):
    plain, told = check(index, gold), check(index, gold, "rationale")
    for before, after in zip(plain, told, strict=True):
        assert {f.document.id for f in before.findings} == {f.document.id for f in after.findings}
    given = {"11": {"sentence_1"}, "13": {"sentence_0", "sentence_1"}}
    for finding in (finding for verdict in told for finding in verdict.findings):
        quoted = {quote.element_id for quote in finding.rationale}
        assert finding.label is Label.NEI or quoted == given[finding.document.id]
    assert all(finding.label is Label.NEI for finding in told[1].findings)


def test_both_at_once(index, gold):
    first, second = check(index, gold, "rationale", "abstract")
    assert sorted(finding.document.id for finding in first.findings) == ["11", "13"]
    assert second.findings == ()


def test_no_label_is_given(index, gold, write_lines):
    """With the gold labels turned round, the answers stay."""
    turned = [
        GOLD[0] | {"evidence": {**GOLD[0]["evidence"], "11": [{"sentences": [1], "label": "CONTRADICT"}]}},
        GOLD[1],
    ]
    other = load_gold(write_lines("turned.jsonl", *turned))
    assert [v.findings for v in check(index, gold, "abstract", "rationale")] == [
        v.findings for v in check(index, other, "abstract", "rationale")
    ]


def test_no_oracle_is_the_system_itself(index, gold):
    system = load_system(index=index)
    assert with_oracle(system, gold, index, ()) is system
    with pytest.raises(SettingError, match="no oracle 'label'"):
        with_oracle(system, gold, index, ["label"])


@pytest.mark.parametrize("oracle", ["abstract", "rationale"])
def test_gold_documents_must_be_in_the_index(index, write_lines, oracle):
    lacking = load_gold(write_lines("c.jsonl", GOLD[0] | {"evidence": {"99": GOLD[0]["evidence"]["11"]}}))
    with pytest.raises(InputError, match="99"):
        check(index, lacking, oracle)
