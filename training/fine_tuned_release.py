"""The live release with its content model trained further on a platform's labels: trees and thresholds stay.

The head of a platform whose labels the model learnt would count them twice: it is removed, and fitted anew to
other decisions (train_heads).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from scoring.release import Release
from training import labelled_records, served_content, whole_folder
from training.served_content import Served


def run(live: Path, *, labels: Sequence[Path], served: Served, out: Path) -> None:
    """Pin the content model of a repository, with its probes, in a copy of a release.

    Raises release.Corrupt or content.Unavailable.
    """
    base = Release.load(live)
    pinned = served_content.pin(served.repository, version=base.content.version)
    content = served_content.connect(pinned, normaliser=base.normaliser, served=served)
    probed = served_content.with_probes(pinned, content=content)
    platforms = {post.platform for post in labelled_records.load(*labels, with_reported=True)}
    changed = without_heads(base, platforms=platforms) | {"content": dataclasses.asdict(probed)}
    with whole_folder.release_like(base, names=changed["files"], out=out) as (_, manifest):
        manifest.update(changed)


def without_heads(base: Release, *, platforms: Collection[str]) -> dict[str, Any]:
    """Return what changes in a release's manifest without the heads and curves of some platforms."""
    names = {name for platform, name in base.heads.items() if platform in platforms}
    entries = {
        part: {name: entry for name, entry in base.manifest.get(part, {}).items() if name not in platforms}
        for part in ("heads", "platforms")
    }
    files = {name: digest for name, digest in base.files.items() if name not in names}
    return entries | {"files": files}
