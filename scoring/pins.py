"""Served models as a release pins them: by name, version, the digests of their files, and known answers."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A model's name and version in the Triton repository.

    `files` are the SHA-256 of its weights and vocabulary, by their path in the repository; empty in manifests
    from before they were pinned.
    """

    model: str
    version: str
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Return one SHA-256 (64 hex digits) over all pinned files, empty if none is pinned."""
        return manifest_id(self.files) if self.files else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A text and the content probability that the pinned model gave it."""

    text: str
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentPin(Pin):
    """The content model that a release was fitted with.

    `probes` are answers that it must still give; `scripts` are those that it reads, by their Unicode names.
    Both are empty in manifests from before they were pinned.
    """

    probes: Sequence[Probe] = ()
    scripts: Sequence[str] = ()

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Read the manifest's part about the content model."""
        probes = tuple(Probe(**probe) for probe in stored.get("probes", ()))
        return cls(**{**stored, "probes": probes, "scripts": tuple(stored.get("scripts", ()))})


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureProbe:
    """A picture's file, in base64, and the spam probability that the pinned model gave it."""

    picture: str
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePin(Pin):
    """The image model that a release carries; `probes` are answers that it must still give."""

    probes: Sequence[PictureProbe] = ()

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Read the manifest's part about the image model."""
        return cls(**{**stored, "probes": tuple(PictureProbe(**probe) for probe in stored.get("probes", ()))})


def manifest_id(manifest: Mapping[str, Any]) -> str:
    """Return the SHA-256 (64 hex digits) of a manifest in canonical JSON: sorted keys, no spaces, ASCII."""
    canonical = json.dumps(
        manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()
