"""`python -m training evidence`: fit what pages, pictures and captions add to a release's scores.

The trees stay as they are. A reader, a head on the content model's margin and vector, learns from texts of
simulated pages (`--pages`) and from evidence of decided posts (`--labels`); the steps are fitted on records,
each read by a reader that has not learnt its families. Give it records of other simulated worlds than the
trees learnt from; `--held-out` ones, with pages of other authors, are measured.
"""

import argparse
import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from scoring import evidence_model, features
from scoring.ensemble import Ensemble
from scoring.evidence_model import EvidenceModel
from scoring.features import collected
from scoring.pipeline import ContentProtocol, Scorer
from scoring.readings import Readings
from scoring.records import PostRecord
from scoring.release import Release, file_sha256
from scoring.trees import Floats
from training import (
    cards,
    fit_evidence,
    fit_reader,
    labelled_records,
    measure_evidence,
    served_content,
    whole_folder,
    worded_texts,
)
from training.fit_evidence import TooFew
from training.fit_reader import Readers
from training.labelled_lines import MOST_TRAINING_WEIGHT, Origin
from training.labelled_records import LabelledRecord
from training.served_content import Served
from training.worded_texts import Texts, WordedText

PART = "evidence"
TEMPLATE = Path(__file__).with_name("evidence_card.md.template")
FEWEST = 30
"""Least posts with evidence, and texts, of each class."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    labelled_records.add_arguments(parser)
    parser.add_argument(
        "--pages", type=Path, nargs="*", default=[], help="pages.jsonl of manage.py simulate_pages"
    )
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
    served = Served.named_by(arguments)
    content = served_content.connect(base.content, normaliser=base.normaliser, served=served)
    model = train(
        labelled_records.given([*arguments.records, *arguments.labels]),
        worded_texts.load(arguments.pages),
        base=base,
        content=content,
        source=labelled_records.sources([*arguments.records, *arguments.labels, *arguments.pages]),
        seed=arguments.seed,
    )
    release = write(base, model, out=arguments.out)
    scorer = Scorer(release=release, content=content)
    tables = [
        measure_evidence.measure(labelled_records.load(path), scorer=scorer, name=path.stem)
        for path in arguments.held_out
    ]
    languages = measure_evidence.by_language(model.reader, content=content)
    cards.publish(_card(model, tables=tables, languages=languages), part=PART, page=arguments.card)


def train(
    labelled: Sequence[LabelledRecord],
    pages: Sequence[WordedText],
    *,
    base: Release,
    content: ContentProtocol,
    source: Mapping[str, str],
    seed: int,
) -> EvidenceModel:
    """Fit the reader, and the steps on the records that have evidence. Raises TooFew."""
    posts = [post for post in labelled if post.record.evidence]
    spam = sum(post.is_spam for post in posts)
    if min(spam, len(posts) - spam) < FEWEST:
        raise TooFew(f"{len(posts)} posts with evidence, {spam} of them spam; {FEWEST} of either are needed")
    texts = [Readings([post.record], manifest=base.manifest).texts for post in posts]
    learnt = [*pages, *worded_texts.decided(posts, texts=texts)]
    of_spam = sum(text.is_spam for text in learnt)
    if min(of_spam, len(learnt) - of_spam) < FEWEST:
        raise TooFew(f"{len(learnt)} texts to learn from, {of_spam} of spam; {FEWEST} of either are needed")
    with threadpool_limits(limits=1):
        scores = content.scores([text.text for text in learnt])
        readers = fit_reader.fit(Texts.of(learnt), scores=scores, seed=seed)
        pairs = cross_read(posts, readers=readers, manifest=base.manifest, content=content)
        is_spam = np.array([post.is_spam for post, _ in pairs])
        weights = np.array([min(post.weight, MOST_TRAINING_WEIGHT) for post, _ in pairs])
        rows = np.stack([row for _, row in pairs])
        margins = _margins([post.record for post, _ in pairs], base=base, content=content)
        steps = fit_evidence.fit(
            rows,
            margins=margins,
            is_spam=is_spam,
            weights=fit_reader.balanced(is_spam, weights=weights, share=fit_evidence.SPAM_SHARE),
        )
    model = EvidenceModel(
        steps=steps,
        intercept=fit_evidence.INTERCEPT,
        suspicion=fit_evidence.SUSPICION,
        reader=readers.whole,
        content=base.content_model,
    )
    facts: dict[str, Any] = {
        "simulated": any(post.origin is Origin.SIMULATED for post in posts),
        **source,
        "posts": len(pairs),
        "spam": int(is_spam.sum()),
        "texts": len(learnt),
        "families": len({text.family for text in learnt}),
        "seed": seed,
        "recall": [
            round(measure_evidence.recall(scores, is_spam=is_spam), 4)
            for scores in (margins, model.join(margins, rows=rows).margins)
        ],
    }
    return dataclasses.replace(model, trained=facts)


def cross_read(
    known: Sequence[LabelledRecord],
    *,
    readers: Readers,
    manifest: Mapping[str, Any],
    content: ContentProtocol,
) -> list[tuple[LabelledRecord, Floats]]:
    """Return records with their features of evidence, float64 (11,), by a reader that has learnt none of
    their families; records without such a reader are left out.
    """
    pairs = []
    for post in known:
        reader = readers.unaware_of(worded_texts.family_of(post))
        if reader is not None:
            evidence = Readings([post.record], manifest=manifest)
            read = evidence.read_by(reader, scores=content.scores(evidence.texts))
            pairs.append((post, evidence_model.rows_of([post.record], read=read)[0]))
    return pairs


def write(base: Release, model: EvidenceModel, *, out: Path) -> Release:
    """Write a release anew into `out` with the evidence model; everything else stays as it is."""
    names = [name for name in base.files if name not in evidence_model.FILES]
    with whole_folder.release_like(base, names=names, out=out) as (folder, manifest):
        saved = {path.name: file_sha256(path) for path in model.save(folder)}
        manifest["files"] = {name: base.files[name] for name in names} | saved
    return Release.load(out)


def _margins(records: Sequence[PostRecord], *, base: Release, content: ContentProtocol) -> Floats:
    """Return the margins of posts without their evidence, as at their first score."""
    bare = [measure_evidence.without(record) for record in records]
    probabilities = served_content.ask([record.text for record in bare], content=content)
    models = features.Models.load(base.folder, files=base.files)
    rows = np.stack([features.extract(record, models=models) for record in bare])
    margins: Floats = Ensemble.load(base.folder).judge(rows, content_probabilities=probabilities).margins
    return margins


def _card(model: EvidenceModel, *, tables: Sequence[measure_evidence.Table], languages: Iterable[str]) -> str:
    facts = model.trained
    weights = [
        f"| `{name}` | {', '.join(f'{knot:g}' for knot in steps.knots)} to {steps.top:g} "
        f"| {', '.join(f'{weight:.2f}' for weight in steps.weights)} |"
        for name, steps in model.steps.items()
        if name in collected.NAMES
    ]
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        {name: f"{facts[name]:,}" for name in ("posts", "spam", "texts", "families")},
        file=facts["file"],
        before=f"{facts['recall'][0]:.1%}",
        after=f"{facts['recall'][1]:.1%}",
        sha256=facts["sha256"][:16],
        intercept=f"{model.intercept:g}",
        suspicion=f"{model.suspicion:g}",
        languages="; ".join(languages),
        steps="\n".join(weights),
        tables="\n".join([measure_evidence.HEAD, *map(measure_evidence.row, tables)]),
    )
