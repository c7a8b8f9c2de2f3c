"""The manifest that pins everything a score depends on; its hash is the release's id.

Parsing and checks only: routing.py and ensemble.py use the numbers.
"""

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from scoring.pins import ContentPin, manifest_id

MANIFEST = "manifest.json"
_REFIT = "refit it (docs/ml-guide.md, Refit the ensemble) or run the code it was trained with"


class Corrupt(Exception):
    """A release whose files are missing, unreadable or not the ones its manifest names; the message says
    which.
    """


class SchemaMismatch(Exception):
    """A release was trained on other features than this code computes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Spam probabilities from which a post goes to review and is removed; share of automatic verdicts
    audited.
    """

    review_from: float
    remove_from: float
    audit_rate: float

    def __post_init__(self) -> None:
        if not 0.0 <= self.review_from <= self.remove_from <= 1.0 or not 0.0 <= self.audit_rate <= 1.0:
            raise ValueError(f"thresholds out of order or range: {self}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Safety:
    """Safety bounds that no other signal outvotes, by sub-model or "content"; off if a release has none.

    A post of which a sub-model's own probability is at least `hold_from` is never allowed automatically. A
    post is removed only if two sub-models call it spam or one is at least `remove_alone_from`. One of which
    at least the share `unread_from` of the letters is in scripts that the content model does not read is
    neither (unread_script.py).
    """

    hold_from: Mapping[str, float] = field(default_factory=dict)
    remove_alone_from: Mapping[str, float] = field(default_factory=dict)
    unread_from: float | None = None

    def __post_init__(self) -> None:
        unread = {} if self.unread_from is None else {"": self.unread_from}
        for bounds in (self.hold_from, self.remove_alone_from, unread):
            if not all(0.0 < bound <= 1.0 for bound in bounds.values()):
                raise ValueError(f"safety bounds out of range: {self}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The monotone curve from main margin (log-odds) to spam probability: straight between knots, flat
    outside.

    A "platt" curve has one knot pair and means sigmoid(slope * margin + intercept).
    """

    method: str
    slope: float = 1.0
    intercept: float = 0.0
    margins: Sequence[float] = ()
    probabilities: Sequence[float] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformRoutes:
    """A platform's own curve and thresholds, chosen on its random labels."""

    calibration: Calibration
    thresholds: Thresholds

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Read one platform's part of a manifest, or the part that all others share."""
        names = Thresholds.__slots__
        return cls(
            calibration=Calibration(**stored["calibration"]),
            thresholds=Thresholds(**{name: stored["thresholds"][name] for name in names}),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """Content model, ensemble files, feature schema, calibration and thresholds that go live together.

    `sub_models` names the digest of each tree model inside the ensemble file, so that two releases can be
    told apart part by part; `heads` names the file of each platform that has a head, `platforms` holds the
    curve and thresholds of each that has its own; `manifest` is everything as it was written.
    """

    id: str
    folder: Path
    content: ContentPin
    files: Mapping[str, str]
    sub_models: Mapping[str, str]
    schema_hash: str
    normaliser: str
    thresholds: Thresholds
    calibration: Calibration
    heads: Mapping[str, str]
    platforms: Mapping[str, PlatformRoutes]
    safety: Safety
    training: Mapping[str, Any]
    metrics: Mapping[str, Any]
    manifest: Mapping[str, Any]

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read a release and check the SHA-256 of every file it names. Raises Corrupt naming the file or
        field.
        """
        manifest = _read_manifest(folder / MANIFEST)
        try:
            shared = PlatformRoutes.from_json(manifest)
            release = cls(
                id=manifest_id(manifest),
                folder=folder,
                content=ContentPin.from_json(manifest["content"]),
                files=dict(manifest["files"]),
                sub_models=dict(manifest.get("sub_models", {})),
                schema_hash=str(manifest["schema_hash"]),
                normaliser=str(manifest["normaliser"]),
                thresholds=shared.thresholds,
                calibration=shared.calibration,
                heads=_heads(manifest),
                platforms={
                    platform: PlatformRoutes.from_json(fields)
                    for platform, fields in manifest.get("platforms", {}).items()
                },
                safety=Safety(**manifest.get("safety", {})),
                training=manifest["training"],
                metrics=manifest["metrics"],
                manifest=manifest,
            )
        except (KeyError, TypeError, ValueError) as wrong:
            raise Corrupt(f"{folder / MANIFEST}: {type(wrong).__name__}: {wrong}") from wrong
        for name, expected in release.files.items():
            _check_file(folder / name, expected=expected)
        return release

    def scores_as(self, other: "Release") -> bool:
        """Return whether both score and route every post alike: only notes in their manifests differ."""
        notes = {"training", "metrics", "derived"}
        mine, others = (
            {name: part for name, part in release.manifest.items() if part and name not in notes}
            for release in (self, other)
        )
        return mine == others

    @property
    def content_model(self) -> str:
        """Identify the content model by files and normaliser, empty if no file is pinned: equal ids give
        equal answers.
        """
        return f"{self.content.digest[:12]}/{self.normaliser}" if self.content.digest else ""

    def thresholds_on(self, platform: str) -> Thresholds:
        """Return the thresholds of a platform, by slug: its own, or those that all others share."""
        routes = self.platforms.get(platform)
        return routes.thresholds if routes else self.thresholds

    def check_features(self, known: Sequence[str], *, names: Sequence[str], schema: str) -> None:
        """Raise SchemaMismatch, naming them, if the release knows other features than this code computes.

        `known` are those of its ensemble, `names` and `schema` those of the code.
        """
        new = [f"does not know {name}" for name in names if name not in known]
        missing = [f"needs {name}, which is gone" for name in known if name not in names]
        if new or missing:
            raise SchemaMismatch(f"release {self.id[:12]} {'; '.join([*new, *missing])}: {_REFIT}")
        self.check_schema(schema)
        if tuple(known) != tuple(names):
            raise SchemaMismatch(f"{self.folder}: its ensemble has other features than its manifest says")

    def check_schema(self, schema_hash: str) -> None:
        """Raise SchemaMismatch unless the release was trained on features with this schema hash."""
        if schema_hash != self.schema_hash:
            raise SchemaMismatch(
                f"release {self.id[:12]} was trained on feature schema {self.schema_hash[:12]}, "
                f"this code computes {schema_hash[:12]}: {_REFIT}"
            )


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, 64 hex digits. Raises OSError if it cannot be read."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except OSError as missing:
        raise Corrupt(f"{path}: cannot be read: {missing.strerror}") from missing
    except ValueError as wrong:
        raise Corrupt(f"{path}: not JSON: {wrong}") from wrong
    if not isinstance(manifest, dict):
        raise Corrupt(f"{path}: not a JSON object")
    return manifest


def _heads(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the file of each platform's head. Raises KeyError for one that the manifest does not pin."""
    files = {platform: str(head["file"]) for platform, head in manifest.get("heads", {}).items()}
    for name in files.values():
        manifest["files"][name]
    return files


def _check_file(path: Path, *, expected: str) -> None:
    try:
        digest = file_sha256(path)
    except OSError as missing:
        raise Corrupt(f"{path}: named by the manifest but cannot be read: {missing.strerror}") from missing
    if digest != expected:
        raise Corrupt(f"{path}: SHA-256 is {digest[:12]}…, the manifest says {expected[:12]}…")


@contextmanager
def loading(path: Path) -> Iterator[None]:
    """Raise Corrupt, with the path and what is wrong, if the block cannot read or use the file."""
    try:
        yield
    except OSError as missing:
        raise Corrupt(f"{path}: cannot be read: {missing.strerror}") from missing
    except (KeyError, TypeError, ValueError, zipfile.BadZipFile) as wrong:
        raise Corrupt(f"{path}: {type(wrong).__name__}: {wrong}") from wrong


@contextmanager
def loading_json(path: Path, *, form: int) -> Iterator[dict[str, Any]]:
    """Yield the content of a JSON file of this format; otherwise as `loading`."""
    with loading(path):
        stored = json.loads(path.read_text(encoding="utf-8"))
        if stored["format"] != form:
            raise Corrupt(f"{path}: format {stored['format']}, this code reads {form}")
        yield stored
