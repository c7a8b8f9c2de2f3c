"""The content model that a release is trained and judged with: pinned, and served under its own name."""

import argparse
import dataclasses
import hashlib
import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scoring import hosting, trees
from scoring.content import MODEL, ContentModel, ContentScore
from scoring.ensemble import Ensemble
from scoring.hosting import TritonAdmin
from scoring.pins import ContentPin, Probe
from scoring.pipeline import ContentProtocol, Scorer
from scoring.records import PostRecord
from scoring.release import Release, loading
from scoring.trees import Floats
from scoring.unread_script import script_of

_TOKENIZER = "tokenizer.json"
LEAST_WORDS = 500
"""Pieces of two letters or more. The shipped vocabulary has 36,479 Latin ones, 544 Hiragana ones."""

LEAST_CHARACTERS = 3_000
"""Where a character is a word, as in Han: 3,000 cover nearly all of a Chinese text. Shipped are 7,721."""

_KANA = ("HIRAGANA", "KATAKANA")  # one text has both, so they are read together
SHIPPED = Path(__file__).resolve().parents[1] / "triton_repo"
_STATE = Path(os.environ.get("SPAMDESK_STATE_DIR") or SHIPPED.parent / ".state")
MODELS = _STATE / "triton" / "models"
_SOCKET = _STATE / "triton" / "admin" / "http.sock"
_TIMEOUT_SECONDS = 30.0
_BATCH = 64
PROBES = (
    "Are you ready?",
    "Congratulations, you won a free prize! Call 0800 123 456 now to claim your cash.",
    "Shall we meet at the station at six? I bring the bread.",
    "сheap p.i.l.l.s, no prescription, order at www.pills.example today",  # noqa: RUF001 - a disguise is meant
)


@dataclass(frozen=True)
class Opened:
    """A release with its scorer; its content model's answers are cached."""

    scorer: Scorer
    content: ContentModel
    known: dict[str, ContentScore]

    @property
    def release(self) -> Release:
        return self.scorer.release

    def judge(self, records: Sequence[PostRecord]) -> Floats:
        """Return the spam probabilities of records, float64 (n,). Raises content.Unavailable."""
        texts = [record.text for record in records]
        answers = [
            self.scorer.heads.read(record, score if record.text.strip() else None)
            for record, score in zip(records, self.scores(texts), strict=True)
        ]
        return self.scorer.spam_probabilities(
            records, content_probabilities=np.array(answers), read=self.scorer.read(records, content=self)
        )

    def probabilities(self, texts: Sequence[str]) -> Floats:
        """Return the content model's probabilities of texts. Raises content.Unavailable."""
        return np.array([score.probability for score in self.scores(texts)])

    def scores(self, texts: Sequence[str]) -> list[ContentScore]:
        """Return the content model's scores of texts. Raises content.Unavailable."""
        new_texts = [text for text in dict.fromkeys(texts) if text not in self.known]
        self.known.update(zip(new_texts, self.content.scores(new_texts), strict=True))
        return [self.known[text] for text in texts]


@dataclass(frozen=True, kw_only=True)
class Served:
    """Where content models are served (grpc://host:port), and where others come from."""

    triton: str
    repository: Path = SHIPPED
    models: Path = MODELS

    @classmethod
    def named_by(cls, arguments: argparse.Namespace) -> "Served":
        """Read it from the options that `add_arguments` declares."""
        return cls(**{field.name: getattr(arguments, field.name) for field in dataclasses.fields(cls)})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where content models are served and where they come from."""
    parser.add_argument("--triton", required=True, help="where content models are served, grpc://host:port")
    parser.add_argument(
        "--repository", type=Path, default=SHIPPED, help="model repository of the release's content model"
    )
    parser.add_argument("--models", type=Path, default=MODELS, help="where Triton finds installed ones")


def pin(repository: Path, *, version: str) -> ContentPin:
    """Pin the weights and vocabulary of a repository's content model, and the scripts that it reads.

    Raises release.Corrupt.
    """
    files = hosting.pinned_files(repository, model=MODEL, version=version)
    tokenizers = [repository / name for name in files if name.endswith(_TOKENIZER)]
    scripts = scripts_read(tokenizers[0]) if tokenizers else ()
    return ContentPin(model=MODEL, version=version, files=files, scripts=scripts)


def with_probes(pinned: ContentPin, *, content: ContentModel) -> ContentPin:
    """Add probes: answers that the model must give wherever it is served. Raises content.Unavailable."""
    answers = content.probabilities(PROBES).tolist()
    probes = tuple(Probe(text=text, probability=value) for text, value in zip(PROBES, answers, strict=True))
    return dataclasses.replace(pinned, probes=probes)


def connect(pinned: ContentPin, *, normaliser: str, served: Served, remembers: int = 0) -> ContentModel:
    """Return the client of a pinned model, with a cache of answers.

    Another model than the shipped is installed and loaded first.

    Raises release.Corrupt, hosting.Refused, hosting.WrongAnswers or normalise.VersionMismatch.
    """
    content = ContentModel(
        url=served.triton,
        model=_name(pinned, served=served),
        version=pinned.version,
        normaliser=normaliser,
        timeout_seconds=_TIMEOUT_SECONDS,
        remembers=remembers,
    )
    hosting.probe(pinned, content=content)
    return content


def ask(texts: Sequence[str], *, content: ContentProtocol) -> Floats:
    """Return P(spam) of each text, float64 (n_texts,), NaN for an empty one. Raises content.Unavailable."""
    probabilities = np.full(len(texts), np.nan)
    nonblank = [place for place, text in enumerate(texts) if text.strip()]
    for start in range(0, len(nonblank), _BATCH):
        places = nonblank[start : start + _BATCH]
        probabilities[places] = content.probabilities([texts[place] for place in places])
    return probabilities


def tree_digests(ensemble: Ensemble) -> dict[str, str]:
    """Return the SHA-256 of each tree model: two releases are told apart part by part."""
    forests = {**ensemble.sub_models, "main": ensemble.main}
    return {
        name: hashlib.sha256(json.dumps(trees.to_json(forest), sort_keys=True).encode()).hexdigest()
        for name, forest in forests.items()
    }


def _name(pinned: ContentPin, *, served: Served) -> str:
    shipped = hosting.pinned_files(SHIPPED, model=pinned.model, version=pinned.version)
    if not pinned.files or dict(pinned.files) == shipped:
        return pinned.model
    name = hosting.served_name(pinned)
    if not (served.models / name).is_dir():
        hosting.install(pinned, repository=served.repository, models=served.models)
    # Where this machine's supervisor has no socket, the server itself loads models.
    TritonAdmin(url=f"unix://{_SOCKET}" if _SOCKET.exists() else served.triton).load(name)
    return name


def scripts_read(tokenizer: Path) -> tuple[str, ...]:
    """Return the Unicode names of the scripts that a tokenizer's vocabulary holds words of, in order.

    Single letters are no words: a model does not read their script.

    Raises Corrupt if the file is no tokenizer's.
    """
    with loading(tokenizer):
        vocabulary = json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"]
        # A dictionary of pieces, or a list of pairs (piece, log probability).
        pieces = [piece if isinstance(piece, str) else str(piece[0]) for piece in vocabulary]
    words: Counter[str] = Counter()
    characters: Counter[str] = Counter()
    for piece in pieces:
        scripts = [script_of(character) for character in piece if character.isalpha()]
        counts = words if len(scripts) > 1 else characters
        counts.update(set(scripts))
    read = {script for script, count in words.items() if count >= LEAST_WORDS}
    if characters["HAN"] >= LEAST_CHARACTERS:
        read.add("HAN")
    return tuple(sorted(read | set(_KANA) if read & set(_KANA) else read))
