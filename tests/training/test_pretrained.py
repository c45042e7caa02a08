from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra train")

import torch
import transformers

from sciverify.errors import MissingExtraError, TrainingError
from sciverify.models.crossencoder import CrossEncoderModel
from sciverify.models.inputs import InputShape
from sciverify.models.tokens import WEIGHTS, load_tokenizer
from sciverify.records import Label
from sciverify.training import pretrained
from sciverify.training.examples import Example
from sciverify.training.features import make_rows
from sciverify.training.network import CrossEncoder, load_state, open_network, save_state
from sciverify.training.pretrained import MPNET, open_pretrained, word_order
from sciverify.training.trainer import Schedule, train_stage
from sciverify.training.verifier import KNOWN_PAIRS, export_verifier

OURS = json.loads((WEIGHTS / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
SIZES = {"num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
SHAPE = InputShape(max_tokens=128, max_claim=64, max_title=32)


@pytest.fixture(scope="module")
def tiny_mpnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random MPNet whose vocabulary, like the published one's, is ours moved by four, with other special tokens."""
    torch.manual_seed(5)
    config = transformers.MPNetConfig(
        vocab_size=len(OURS) + 5, hidden_size=32, max_position_embeddings=130, pad_token_id=1, **SIZES
    )
    folder = tmp_path_factory.mktemp("mpnet")
    transformers.MPNetModel(config, add_pooling_layer=False).save_pretrained(folder)
    special = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "<mask>": len(OURS) + 4}
    vocabulary = {piece: id + 4 for piece, id in OURS.items()} | special
    added = [{"content": piece, "id": id} for piece, id in special.items()]
    content = {"model": {"type": "WordPiece", "vocab": vocabulary}, "added_tokens": added}
    (folder / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


class TestWordOrder:
    def test_the_same_vocabulary(self, tiny_bert: Path, tmp_path: Path) -> None:
        assert word_order(tiny_bert, len(OURS)) is None  # nothing to compare, but as many
        (tmp_path / "vocab.txt").write_text("\n".join(sorted(OURS, key=OURS.__getitem__)) + "\n", encoding="utf-8")
        assert word_order(tmp_path, len(OURS)) is None

    def test_a_moved_one(self, tiny_mpnet: Path) -> None:
        rows = word_order(tiny_mpnet, len(OURS) + 5)
        assert rows is not None
        tokens = load_tokenizer()
        [blood] = tokens.split(["blood"])[0].ids
        assert (rows[tokens.cls], rows[tokens.sep], rows[0], rows[blood]) == (0, 2, 1, blood + 4)
        assert len(set(rows)) == len(rows) == len(OURS)

    def test_another_one(self, tmp_path: Path) -> None:
        (tmp_path / "vocab.txt").write_text("[PAD]\n[CLS]\n[SEP]\nblood\n", encoding="utf-8")
        with pytest.raises(TrainingError, match="lacks 30,518 of our 30,522 word pieces") as caught:
            word_order(tmp_path, 4)
        assert "BERT, uncased" in caught.value.remedy

    def test_none_to_compare_and_another_size(self, tmp_path: Path) -> None:
        with pytest.raises(TrainingError, match="no vocabulary to compare"):
            word_order(tmp_path, 50_000)


class TestNetwork:
    def test_reads_as_the_published_network_does(self, tiny_mpnet: Path) -> None:
        published = transformers.AutoModel.from_pretrained(tiny_mpnet).eval()
        tokens = load_tokenizer()
        ids = [tokens.cls, *tokens.split(["high blood pressure"])[0].ids, tokens.sep]
        theirs = [0, *(id + 4 for id in ids[1:-1]), 2]
        network = CrossEncoder(tiny_mpnet).eval()
        given = torch.tensor([ids])
        with torch.inference_mode():
            expected = published(input_ids=torch.tensor([theirs])).last_hidden_state
            label, _, _ = network(given, torch.ones_like(given), torch.zeros_like(given))
            assert torch.allclose(label, network.label(expected[:, 0]), atol=1e-5)
            typed, _, _ = network(given, torch.ones_like(given), torch.ones_like(given))
        assert torch.equal(label, typed)  # the embedding of token types starts at zero
        assert network.max_tokens == 128

    def test_is_rebuilt_from_what_is_saved(self, tiny_mpnet: Path, tmp_path: Path) -> None:
        network = CrossEncoder(tiny_mpnet, 0.1)
        save_state(network, tmp_path / "last.pt")
        again = open_network(tmp_path / "last.pt", 0.3, freeze_words=True)
        assert all(torch.equal(value, again.state_dict()[name]) for name, value in network.state_dict().items())
        assert again.encoder.config.hidden_dropout_prob == 0.3
        assert not again.encoder.get_input_embeddings().weight.requires_grad
        assert sorted(path.name for path in tmp_path.iterdir()) == ["encoder", "last.pt"]

    def test_an_encoder_without_token_types_or_a_pooler(self, tmp_path: Path) -> None:
        config = transformers.DistilBertConfig(vocab_size=len(OURS), dim=32, hidden_dim=64, n_layers=2, n_heads=2)
        transformers.DistilBertModel(config).save_pretrained(tmp_path)
        network = CrossEncoder(tmp_path, 0.2)
        assert (network.types is not None, network.max_tokens) == (True, 512)
        assert network.encoder.config.dropout == 0.2

    def test_weights_of_another_architecture(self, tiny_mpnet: Path, pretrained: Path, tmp_path: Path) -> None:
        torch.save(CrossEncoder(tiny_mpnet).state_dict(), tmp_path / "last.pt")  # without the architecture beside it
        with pytest.raises(TrainingError, match="not of the encoder"):
            open_network(tmp_path / "last.pt")

    def test_weights_that_cannot_be_read(self, tmp_path: Path) -> None:
        (tmp_path / "bad.pt").write_bytes(b"no weights")
        for name in ("bad.pt", "none.pt"):
            with pytest.raises(TrainingError, match="cannot be read"):
                load_state(tmp_path / name)

    def test_trains_exports_and_opens(self, tiny_mpnet: Path, tmp_path: Path) -> None:
        """With its own width, and words in our order."""
        torch.manual_seed(4)
        network = CrossEncoder(tiny_mpnet)
        examples = [
            Example(p.claim, p.title, tuple(p.elements), label, (False, label is not Label.NEI))
            for label, p in KNOWN_PAIRS
        ]
        rows = make_rows(examples, load_tokenizer(), SHAPE)
        train_stage(network, rows, Schedule(epochs=80, learning_rate=3e-3), seed=1, folder=tmp_path, name="toy")
        save_state(network, tmp_path / "toy.pt")
        passages = [passage for _, passage in KNOWN_PAIRS]
        folder = tmp_path / "model"
        export_verifier(tmp_path / "toy.pt", folder, passages, SHAPE, {"name": "toy"}, quantise=False)
        model = CrossEncoderModel(folder)
        assert (folder / "words.npz").is_file()
        network.eval()
        for row, scores in zip(rows, model.score(passages), strict=True):
            ids, types = torch.tensor([row.window.input_ids]), torch.tensor([row.window.token_type_ids])
            with torch.inference_mode():
                label, _, _ = network(ids, torch.ones_like(ids), types)
            assert scores.label.tolist() == pytest.approx(label[0].tolist(), abs=0.1)


class TestNames:
    def test_a_folder(self, tiny_bert: Path) -> None:
        with open_pretrained(str(tiny_bert)) as folder:
            assert folder == tiny_bert

    def test_no_such_folder(self, tmp_path: Path) -> None:
        with pytest.raises(TrainingError, match="there is no encoder") as caught, open_pretrained(str(tmp_path)):
            pass
        assert MPNET in caught.value.remedy

    def test_parts_make_a_whole(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        archive = BytesIO()
        with ZipFile(archive, "w") as file:
            for name in ("config.json", "model.safetensors", "tokenizer.json", "README.md"):
                file.writestr(f"{MPNET}/{name}", name * 30)
        content = archive.getvalue()
        parts = [tmp_path / f"part{number}" for number in range(2)]
        parts[0].write_bytes(content[:200])
        parts[1].write_bytes(content[200:])
        monkeypatch.setattr(pretrained, "_mpnet_parts", lambda: parts)
        with open_pretrained(MPNET) as folder:
            assert (folder / "config.json").read_text(encoding="utf-8") == "config.json" * 30
            assert len(list(folder.iterdir())) == 3
        assert not folder.exists()
        parts[1].write_bytes(content[200:-30])
        with pytest.raises(TrainingError, match="don't make a whole"), open_pretrained(MPNET):
            pass

    def test_packages_that_are_not_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pretrained, "_MPNET_PARTS", ("sciverify-no-such-part",))
        with pytest.raises(MissingExtraError, match="not installed") as caught, open_pretrained(MPNET):
            pass
        assert "--no-deps sciverify-no-such-part" in caught.value.remedy
