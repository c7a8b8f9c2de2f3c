"""The shipped release with an evidence model of a few steps, for tests of the machinery."""

import json
import shutil
from pathlib import Path

from scoring.evidence_model import FILES, EvidenceModel, Steps
from scoring.platform_head import PlatformHead
from scoring.release import MANIFEST, Release, file_sha256
from tests.scoring.starter import STARTER

MODEL = EvidenceModel(
    steps={
        "content.page_probability": Steps(knots=(0.0, 2.0), top=7.0, weights=(1.0, 2.0)),
        "content.picture_probability": Steps(knots=(0.0,), top=7.0, weights=(1.5,)),
        "content.transcript_probability": Steps(knots=(0.0,), top=7.0, weights=(1.5,)),
        "context.page_cloaked": Steps(knots=(0.0,), top=1.0, weights=(2.0,)),
        "context.link_leads_elsewhere": Steps(knots=(0.0,), top=1.0, weights=(3.0,)),
        "context.link_hops": Steps(knots=(1.0,), top=5.0, weights=(0.5,)),
    },
    intercept=-5.0,
    suspicion=0.4,
    reader=PlatformHead(content_slope=1.0, intercept=0.0),
)


def release_with_evidence(folder: Path, *, model: EvidenceModel = MODEL) -> Release:
    """Return a copy of the shipped release in a new folder that looks at evidence."""
    shutil.copytree(STARTER, folder, ignore=shutil.ignore_patterns(*FILES))
    made = model.save(folder)
    manifest = json.loads((folder / MANIFEST).read_text())
    kept = {name: digest for name, digest in manifest["files"].items() if name not in FILES}
    manifest["files"] = kept | {path.name: file_sha256(path) for path in made}
    (folder / MANIFEST).write_text(json.dumps(manifest))
    return Release.load(folder)
