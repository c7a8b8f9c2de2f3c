"""The content model as a release pins it: by name, version, the digests of its files, and known answers."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A text and the content probability that the pinned model gave it."""

    text: str
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentPin:
    """The content model that a release was fitted with, by name and version in the Triton repository.

    `files` are the SHA-256 of its weights and vocabulary, by their path in the repository; `probes` are
    answers that it must still give; `scripts` are those that it reads, by their Unicode names. All are empty
    in manifests from before they were pinned.
    """

    model: str
    version: str
    files: Mapping[str, str] = field(default_factory=dict)
    probes: Sequence[Probe] = ()
    scripts: Sequence[str] = ()

    @property
    def digest(self) -> str:
        """Return one SHA-256 (64 hex digits) over all pinned files, empty if none is pinned."""
        return manifest_id(self.files) if self.files else ""

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Read the manifest's part about the content model."""
        probes = tuple(Probe(**probe) for probe in stored.get("probes", ()))
        return cls(**{**stored, "probes": probes, "scripts": tuple(stored.get("scripts", ()))})


def manifest_id(manifest: Mapping[str, Any]) -> str:
    """Return the SHA-256 (64 hex digits) of a manifest in canonical JSON: sorted keys, no spaces, ASCII."""
    canonical = json.dumps(
        manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()
