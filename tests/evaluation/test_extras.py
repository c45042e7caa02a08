import pytest

from sciverify.errors import MissingExtraError, SciverifyError
from sciverify.evaluation.extras import needs_extra


def test_a_missing_library_is_said_with_its_remedy():
    with pytest.raises(MissingExtraError, match="ROUGE needs a library") as caught, needs_extra("ROUGE"):
        import sciverify_has_no_such_library  # noqa: F401
    assert "sciverify_has_no_such_library" in caught.value.problem
    assert caught.value.remedy == 'Run: pip install "sciverify[evaluation]"'
    assert isinstance(caught.value, SciverifyError)


def test_other_errors_pass():
    with pytest.raises(ZeroDivisionError), needs_extra("ROUGE"):
        _ = 1 / 0


def test_a_library_that_is_there_is_imported():
    with needs_extra("ROUGE"):
        from rouge_score import rouge_scorer
    assert rouge_scorer.RougeScorer
