"""A DistilBERT small enough to train and export in seconds, with a tokenizer of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

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
