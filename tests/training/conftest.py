"""A DistilBERT small enough to train and export in seconds, with a tokenizer of its own, and one trained."""

from pathlib import Path

import numpy as np
import pytest

from tests.json_lines import written
from training import __main__ as command
from training import export_onnx, wide

WORDS = [
    *("free", "win", "cash", "click", "hello", "friend", "meet", "lunch", "the", "a", "now"),
    *("today", "call"),
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
    data = written(folder / "texts.jsonl", rows)
    command.main(
        [
            *("content", "--data", str(data), "--without-own-texts", "--base", str(tiny_base)),
            *("--out", str(folder), "--epochs", "4", "--batch-size", "8"),
            *("--learning-rate", "3e-3", "--threads", "1"),
        ]
    )
    return folder


@pytest.fixture(scope="session")
def both_halves(tiny_base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `content --out` writes: DistilBERT and a wide half, with matrices large enough for FP16."""
    torch = pytest.importorskip("torch", reason="torch is in the train group")
    transformers = pytest.importorskip("transformers", reason="transformers is in the train group")
    from training import wide_and_deep

    vocabulary = 500
    torch.manual_seed(1)
    config = transformers.DistilBertConfig(
        vocab_size=vocabulary, dim=96, hidden_dim=192, n_layers=2, n_heads=4
    )
    random = np.random.default_rng(2)
    texts = [random.integers(1, vocabulary, size=30).tolist() for _ in range(20)]
    fitted = wide.fit(texts, labels=[0, 1] * 10, weights=[1.0] * 20, vocabulary=vocabulary, seed=1)
    deep = transformers.DistilBertForSequenceClassification(config)
    with torch.no_grad():
        for weights in deep.parameters():  # the exporter stores equal ones once, as all biases are at first
            weights.add_(torch.randn_like(weights) * 0.05)
    folder = tmp_path_factory.mktemp("both-halves")
    mix = wide.Mix(deep=0.7, wide=1.3, intercept=-0.4)
    wide_and_deep.joined(deep, fitted=fitted, mix=mix).save_pretrained(folder)
    (folder / "tokenizer.json").write_bytes((tiny_base / "tokenizer.json").read_bytes())
    return folder


@pytest.fixture(scope="session")
def both_halves_exported(both_halves: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository that `export` makes of them."""
    folder = tmp_path_factory.mktemp("both-halves-exported")
    export_onnx.export(model_folder=both_halves, repository=folder)
    return folder
