from __future__ import annotations

import numpy as np

from sciverify.demo import built, demo_documents, demo_index
from sciverify.models import load_encoder
from sciverify.records import Claim
from sciverify.retrieval import HybridRetriever


def test_the_index_holds_every_study_by_words_and_meaning():
    with demo_index() as index:
        assert [document.id for document in index.documents()] == [document.id for document in demo_documents()]
        assert index.encoder_name == load_encoder().name
        assert index.check() == []
        [ranking] = HybridRetriever(index, load_encoder()).retrieve([Claim("1", "smoking and lung cancer")], 5)
        assert any("lung" in candidate.document.title.lower() for candidate in ranking.candidates)


def test_the_shipped_vectors_are_those_of_the_studies_by_the_shipped_encoder():
    documents, encoder = demo_documents(), load_encoder()
    shipped = built._shipped_vectors(documents, encoder)
    assert shipped is not None, "run: make demo-vectors"
    fresh = encoder.encode([document.text for document in documents[:10]])
    assert np.abs((shipped[:10] * fresh).sum(axis=1) - 1).max() < 1e-2


def test_vectors_of_other_texts_or_another_encoder_are_not_used():
    documents, encoder = demo_documents(), load_encoder()
    assert built._shipped_vectors(documents[1:], encoder) is None

    class Other:
        name = "other"

    assert built._shipped_vectors(documents, Other()) is None
