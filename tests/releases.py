"""Releases for tests: the shipped one with parts replaced, and content models that answer differently."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from lab._variant import SHIPPED as REPOSITORY
from lab._variant import repository
from scoring import hosting
from scoring.release import MANIFEST, Release
from tests.scoring.starter import STARTER

__all__ = ["REPOSITORY", "release", "report", "repository"]


def release(folder: Path, *, models: Path = REPOSITORY, **changes: Any) -> Release:
    """Write the shipped release anew, pinning the content model in `models`; `changes` replace parts."""
    shutil.copytree(STARTER, folder)
    manifest = json.loads((folder / MANIFEST).read_text())
    pins = hosting.pinned_files(models, model="content", version="1")
    scripts = manifest["content"]["scripts"]
    manifest["content"] = {"model": "content", "version": "1", "files": pins, "scripts": scripts}
    (folder / MANIFEST).write_text(json.dumps(manifest | changes))
    return Release.load(folder)


def report(*, candidate: Release, live: Release, **changes: Any) -> dict[str, Any]:
    """Return a report in which the candidate is as good as the live release; `changes` replace parts."""
    same = {"pr_auc": {"live": 0.9, "candidate": 0.9, "difference_interval": [0.0, 0.0]}}
    return {
        "format": 1,
        "candidate": {"id": candidate.id},
        "live": {"id": live.id},
        "is_unchanged": candidate.scores_as(live),
        "slices": [{"by": "all", "name": "all", "rows": 100, "is_gated": True, "metrics": same}],
        "robustness": [],
        "links": {"texts": 0, "unchanged": {}, "spam_with_links": {"difference_interval": [None, None]}},
        "latency": {"live_p95_ms": 5.0, "candidate_p95_ms": 5.0},
    } | changes
