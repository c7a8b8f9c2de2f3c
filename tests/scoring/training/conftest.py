"""A DistilBERT small enough to train and export in seconds, with a tokenizer of its own, and one trained."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoring.training import __main__ as command

WORDS = [
    "free",
    "win",
    "cash",
    "click",
    "hello",
    "friend",
    "meet",
    "lunch",
    "the",
    "a",
    "now",
    "today",
    "call",
]


@pytest.fixture(scope="session")
def tiny_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A local folder that `--base` accepts: random weights, a vocabulary of a few words."""
    torch = pytest.importorskip("torch", reason="torch is in the train group")
    transformers = pytest.importorskip("transformers", reason="transformers is in the train group")
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is in the train group")
    folder = tmp_path_factory.mktemp("tiny")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {word: index for index, word in enumerate(special + WORDS)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]"
    ).save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.DistilBertConfig(
        vocab_size=len(vocabulary), dim=32, hidden_dim=64, n_layers=2, n_heads=4, max_position_embeddings=128
    )
    transformers.DistilBertForSequenceClassification(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def trained(tiny_base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `content --out` wrote after 160 texts of two kinds; texts.jsonl beside it holds them."""
    folder = tmp_path_factory.mktemp("trained")
    data = folder / "texts.jsonl"
    kinds = {1: "free cash click now win", 0: "hello friend meet lunch today"}
    rows = [
        {
            "id": f"{label}-{number}",
            "source": "tiny",
            "text": " ".join([text] * (1 + number % 4)),
            "label": label,
            "group": f"{label}-{number}",
        }
        for label, text in kinds.items()
        for number in range(80)
    ]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    command.main(
        [
            *("content", "--data", str(data), "--without-starter-texts", "--base", str(tiny_base)),
            *("--out", str(folder), "--epochs", "4", "--batch-size", "8"),
            *("--learning-rate", "3e-3", "--threads", "1"),
        ]
    )
    return folder
