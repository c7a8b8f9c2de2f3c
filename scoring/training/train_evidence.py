"""`python -m scoring.training evidence`: fit what pages, pictures and captions add to a release's scores.

The trees stay as they are. Give it records of other simulated worlds than those that the trees learnt from,
and `--held-out` ones whose pages are worded by nobody that it learnt from: these are measured.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from scoring import evidence_model, features
from scoring import release as releases
from scoring.ensemble import Ensemble
from scoring.evidence_model import EvidenceModel
from scoring.features import collected
from scoring.pipeline import ContentProtocol, Scorer
from scoring.readings import Readings
from scoring.release import MANIFEST, Release
from scoring.training import (
    cards,
    fit_evidence,
    labelled_records,
    measure_evidence,
    served_content,
    whole_folder,
)
from scoring.training.fit_evidence import Posts, TooFew
from scoring.training.labelled_lines import MOST_TRAINING_WEIGHT, Origin
from scoring.training.labelled_records import LabelledRecord
from scoring.trees import Floats

PART = "evidence"
TEMPLATE = Path(__file__).with_name("evidence_card.md.template")
FEWEST = 30
"""Posts of either sort with evidence, without which nothing is fitted."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    labelled_records.add_arguments(parser)
    parser.add_argument(
        "--release", type=Path, required=True, help="folder of the release that it is added to"
    )
    parser.add_argument("--held-out", type=Path, nargs="*", default=[], help="records that are only measured")
    parser.add_argument(
        "--out", type=Path, required=True, help="folder of the release with it; may be --release"
    )
    parser.add_argument("--card", type=Path, help="page whose evidence part is rewritten, docs/models.md")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same model")
    served_content.add_arguments(parser)


def main(arguments: argparse.Namespace) -> None:
    """Fit, write the release, measure it. Raises content.Unavailable."""
    base = Release.load(arguments.release)
    content = served_content.connect(base.content, normaliser=base.normaliser, arguments=arguments)
    model = train(
        labelled_records.given(arguments),
        base=base,
        content=content,
        source=labelled_records.sources(arguments),
        seed=arguments.seed,
    )
    release = write(base, model, out=arguments.out)
    scorer = Scorer(release=release, content=content)
    tables = [
        measure_evidence.measure(labelled_records.load(path), scorer=scorer, name=path.stem)
        for path in arguments.held_out
    ]
    card = _card(model, tables=tables)
    if arguments.card:
        cards.insert(card, part=PART, page=arguments.card)
    sys.stdout.write(card)


def train(
    labelled: Sequence[LabelledRecord],
    *,
    base: Release,
    content: ContentProtocol,
    source: Mapping[str, str],
    seed: int,
) -> EvidenceModel:
    """Fit head and steps on the records that have evidence. Raises TooFew."""
    known = [one for one in labelled if one.record.evidence]
    spam = sum(one.is_spam for one in known)
    if min(spam, len(known) - spam) < FEWEST:
        raise TooFew(f"{len(known)} posts with evidence, {spam} of them spam; {FEWEST} of either are needed")
    posts = _posts(known, base=base, content=content)
    with threadpool_limits(limits=1):
        reader, left_out = fit_evidence.reader(posts, seed=seed)
        read = posts.readings.highest(left_out)
        model = fit_evidence.fit(
            evidence_model.rows_of([one.record for one in known], read=read),
            margins=posts.margins,
            is_spam=posts.is_spam,
            weights=posts.weights,
        )
    trained: dict[str, Any] = {
        "simulated": any(one.origin is Origin.SIMULATED for one in known),
        **source,
        "posts": len(known),
        "spam": spam,
        "texts": len(posts.readings.texts),
        "content_slope": round(reader.content_slope, 3),
        "seed": seed,
    }
    return dataclasses.replace(model, reader=reader, trained=trained)


def write(base: Release, model: EvidenceModel, *, out: Path) -> Release:
    """Write a release anew into `out` with what joins evidence; everything else stays as it is."""
    kept = [name for name in base.files if name not in evidence_model.FILES]
    with whole_folder.written(out) as folder:
        for name in kept:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(base.folder / name, folder / name)
        made = model.save(folder)
        files = {name: base.files[name] for name in kept}
        files |= {path.name: releases.file_sha256(path) for path in made}
        text = json.dumps(dict(base.manifest) | {"files": files}, indent=1, allow_nan=False)
        (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
        Release.load(folder)
    return Release.load(out)


def _posts(known: Sequence[LabelledRecord], *, base: Release, content: ContentProtocol) -> Posts:
    records = [one.record for one in known]
    readings = Readings(records, manifest=base.manifest)
    own = served_content.ask([record.text for record in records], content=content)
    models = features.Models.load(base.folder, files=base.files)
    rows = np.stack([features.extract(record, models=models) for record in records])
    margins: Floats = Ensemble.load(base.folder).judge(rows, content_probabilities=own).margins
    is_spam = np.array([one.is_spam for one in known])
    weights = np.array([min(one.weight, MOST_TRAINING_WEIGHT) for one in known])
    return Posts(
        margins=margins,
        is_spam=is_spam,
        weights=fit_evidence.weighted(is_spam, weights=weights),
        # Decisions have no kind: their near-duplicates are left out together.
        kinds=np.array([one.kind if one.origin is Origin.SIMULATED else one.group for one in known]),
        readings=readings,
        said=served_content.ask(readings.texts, content=content),
    )


def _card(model: EvidenceModel, *, tables: Sequence[measure_evidence.Table]) -> str:
    trained = model.trained
    weights = [
        f"| `{name}` | {', '.join(f'{one:g}' for one in steps.knots)} to {steps.top:g} "
        f"| {', '.join(f'{one:.2f}' for one in steps.weights)} |"
        for name, steps in model.steps.items()
        if name in collected.NAMES
    ]
    text = Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        {name: f"{trained[name]:,}" for name in ("posts", "spam", "texts")},
        file=trained["file"],
        sha256=trained["sha256"][:16],
        slope=f"{trained['content_slope']:g}",
        intercept=f"{model.intercept:g}",
        suspicion=f"{model.suspicion:g}",
        steps="\n".join(weights),
        tables="\n".join([measure_evidence.HEAD, *map(measure_evidence.row, tables)]),
    )
    return cards.marked(text, part=PART)
