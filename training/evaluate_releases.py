"""`python -m training evaluate`: compare a release with the live one on the same labelled posts."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring import gate
from scoring.blocklist import Blocklist
from scoring.content import ContentScore
from scoring.gate import REPORT_FORMAT
from scoring.pipeline import Scorer
from scoring.records import PostRecord
from scoring.release import Release
from scoring.splits import Split
from training import added_links, compare, fresh_decisions, labelled_posts, promise, served_content
from training.attacks import ATTACKS, attacked
from training.compare import Floats, Sample, threshold_at_1_fpr
from training.labelled_posts import LabelledPost, with_text
from training.served_content import Opened, Served

_MOST_ATTACKED = 400
"""Spam posts that are attacked, drawn at random: each is judged once per attack by both releases."""

Judge = Callable[[Sequence[PostRecord]], Floats]

SEED = 1
_TIMED_POSTS = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--release", type=Path, required=True, help="folder of the release to judge")
    parser.add_argument(
        "--against",
        type=Path,
        required=True,
        help="folder of the live release: scoring/starter, or a kept one",
    )
    parser.add_argument(
        "--data",
        type=Path,
        nargs="+",
        required=True,
        help="records of simulate_records, exports of labels, labelled texts",
    )
    parser.add_argument(
        "--part",
        choices=[Split.VALIDATION, Split.TEST],
        type=Split,
        default=Split.TEST,
        help="what of them is read: choose among candidates by validation; the gate accepts test alone",
    )
    parser.add_argument(
        "--require",
        nargs="+",
        default=[],
        help="sources that the report must hold, by name; the decisions of platforms with a head always are",
    )
    served_content.add_arguments(parser)
    parser.add_argument("--out", type=Path, required=True, help="folder for report.json")
    parser.add_argument("--seed", type=int, default=SEED, help="the same seed gives the same intervals")


def main(arguments: argparse.Namespace) -> None:
    """Run the command; print the gate's findings."""
    report = run(
        arguments.release,
        against=arguments.against,
        data=arguments.data,
        part=arguments.part,
        required=arguments.require,
        served=Served.named_by(arguments),
        out=arguments.out,
        seed=arguments.seed,
    )
    for line in (*gate.told(report["findings"]), arguments.out / "report.json"):
        sys.stdout.write(f"{line}\n")


def run(
    release: Path,
    *,
    against: Path,
    data: Sequence[Path],
    part: Split = Split.TEST,
    required: Sequence[str] = (),
    served: Served,
    out: Path,
    seed: int = SEED,
) -> dict[str, Any]:
    """Measure a release beside the live one `against`, write the report into `out` and return it.

    `required` are sources that it must contain, beside decisions of platforms with a new head. Raises
    content.Unavailable.
    """
    scores: dict[str, dict[str, ContentScore]] = {}
    live, candidate = (_open(folder, known=scores, served=served) for folder in (against, release))
    by_file = {
        path: fresh_decisions.unlearnt(posts, live=live)
        for path, posts in labelled_posts.load_by_file(data, split=part).items()
    }
    sources = [labelled_posts.describe(path, posts) for path, posts in by_file.items()]
    posts = [post for of_file in by_file.values() for post in of_file]
    judged = fresh_decisions.without_test_part(data, live=live, candidate=candidate)
    fresh = fresh_decisions.samples(data, judged=posts, live=live, candidate=candidate)
    report = evaluate(posts, live=live, candidate=judged, seed=seed, fresh=list(fresh.values()))
    new = fresh_decisions.new_heads(candidate.release, live=live.release)
    report |= {
        "part": part,
        "required": [*(f"{labelled_posts.DECIDED_ON} {platform}" for platform in new), *required],
        "fresh": {f"{labelled_posts.DECIDED_ON} {name}": len(sample.posts) for name, sample in fresh.items()},
        "data": sources,
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    findings = gate.findings(report, candidate=candidate.release.id, live=live.release.id)
    report["findings"] = gate.stored(findings)
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(report, indent=1, allow_nan=False)
    (out / "report.json").write_text(text + "\n", encoding="utf-8")
    return report


def evaluate(
    posts: Sequence[LabelledPost],
    *,
    live: Opened,
    candidate: Opened,
    seed: int,
    fresh: Sequence[Sample] = (),
) -> dict[str, Any]:
    """Return the report as JSON values; `fresh` are decisions that judge beside the posts.

    Raises content.Unavailable.
    """
    records = [post.record for post in posts]
    sample = Sample(posts=posts, live=live.judge(records), candidate=candidate.judge(records))
    return {
        "format": REPORT_FORMAT,
        "live": _about(live.release),
        "candidate": _about(candidate.release),
        "is_unchanged": candidate.release.scores_as(live.release),
        "slices": compare.slices(compare.joined([sample, *fresh]), seed=seed),
        "circumstances": _circumstances(posts, live=live.scorer, candidate=candidate.scorer, seed=seed),
        "links": _links(posts, live=live, candidate=candidate, seed=seed),
        "robustness": under_attack(sample, live=live.judge, candidate=candidate.judge, seed=seed),
        "latency": _latency(records[:_TIMED_POSTS], live=live.scorer, candidate=candidate.scorer),
        "curves": {
            "live": compare.curves(sample, sample.live),
            "candidate": compare.curves(sample, sample.candidate),
        },
    }


def _open(folder: Path, *, known: dict[str, dict[str, ContentScore]], served: Served) -> Opened:
    """Open a release; one that brings its own content model has it loaded under its own name first.

    `known` holds the answers of each content model: releases that share one ask it once.
    """
    release = Release.load(folder)
    content = served_content.connect(release.content, normaliser=release.normaliser, served=served)
    return Opened(
        scorer=Scorer(release=release, content=content),
        content=content,
        known=known.setdefault(content.model, {}),
    )


def _about(release: Release) -> dict[str, Any]:
    return {
        "id": release.id,
        "content": {"version": release.content.version, "digest": release.content.digest},
        "sub_models": dict(release.sub_models),
        "schema_hash": release.schema_hash,
        "normaliser": release.normaliser,
    }


def _circumstances(
    posts: Sequence[LabelledPost], *, live: Scorer, candidate: Scorer, seed: int
) -> dict[str, Any] | None:
    """Measure the promise (promise.py) of both releases on the labelled texts; None if these are too few."""
    texts = [post for post in posts if post.is_text]
    spam = sum(post.is_spam for post in texts)
    if spam < gate.ENOUGH_SPAM or len(texts) - spam < gate.ENOUGH_HAM:
        return None
    before, after = (
        promise.worst(promise.outcomes_of(texts, scorer=scorer, seed=seed)) for scorer in (live, candidate)
    )
    rows = [
        {
            "promise": column.told,
            "circumstance": new.circumstance,
            "live": promise.said(old.value, form=column.form),
            "candidate": promise.said(new.value, form=column.form),
            "is_kept": new.is_kept,
            "is_no_worse": column.reaches(new.value, old.value),
        }
        for column, old, new in zip(promise.PROMISES, before, after, strict=True)
    ]
    return {"texts": len(texts), "spam": spam, "promises": rows}


def _links(posts: Sequence[LabelledPost], *, live: Opened, candidate: Opened, seed: int) -> dict[str, Any]:
    """Measure how links change the routes of honest curated texts that no release was trained on, and how
    much spam with links is caught.
    """
    curated = labelled_posts.kept_out()
    linked = [post for post in (*curated, *posts) if post.record.links]
    records = [post.record for post in linked]
    sample = Sample(posts=linked, live=live.judge(records), candidate=candidate.judge(records))
    held_share = float((sample.live >= live.release.thresholds.review_from)[sample.is_spam == 0.0].mean())
    plain = added_links.honest_without_link(curated)
    links = added_links.links(len(plain), seed=seed)
    before, after = (
        added_links.unchanged(plain, links=links, scorer=opened.scorer, ask=opened.probabilities)
        for opened in (live, candidate)
    )
    return {
        "texts": len(plain),
        "unchanged": {
            kind: {"live": float(before[kind].mean()), "candidate": float(after[kind].mean())}
            for kind in links
        },
        "held": held_share,
        "spam_with_links": compare.caught(sample, held=held_share, seed=seed),
    }


def _latency(records: Sequence[PostRecord], *, live: Scorer, candidate: Scorer) -> dict[str, float]:
    """Score posts one by one, alternating the releases; milliseconds of this process's CPU time.

    Other load on the machine does not count, nor does the content model, which is another process.
    """
    times: dict[str, list[float]] = {"live": [], "candidate": []}
    for record in records:
        for name, scorer in (("live", live), ("candidate", candidate)):
            begun = time.process_time()
            scorer.score(record, blocklist=Blocklist())
            times[name].append(1000 * (time.process_time() - begun))
    return {
        f"{name}_p{share}_ms": float(np.percentile(values, share))
        for name, values in times.items()
        for share in (50, 95)
    }


def under_attack(sample: Sample, *, live: Judge, candidate: Judge, seed: int) -> list[dict[str, Any]]:
    """Return each attack's recall before and after, at each release's threshold of 1 % false positives.

    Only spam whose text the attack changes is counted: an attack that finds nothing to change is no test.
    """
    places = _chosen(sample, seed=seed)
    spam = [sample.posts[place].record for place in places]
    judges = {"live": (live, sample.live), "candidate": (candidate, sample.candidate)}
    limits = {name: threshold_at_1_fpr(sample, probabilities) for name, (_, probabilities) in judges.items()}
    rows = []
    for attack in ATTACKS:
        disguised = [with_text(post, attacked(post.text, attack=attack, seed=seed)) for post in spam]
        touched = np.array([post.text != other.text for post, other in zip(spam, disguised, strict=True)])
        if not touched.any():
            continue
        row: dict[str, Any] = {"attack": attack, "rows": int(touched.sum())}
        for name, (judge, probabilities) in judges.items():
            after = judge([post for post, is_touched in zip(disguised, touched, strict=True) if is_touched])
            row[name] = {
                "recall_before": float((probabilities[places][touched] >= limits[name]).mean()),
                "recall_after": float((after >= limits[name]).mean()),
            }
        rows.append(row)
    return rows


def _chosen(sample: Sample, *, seed: int) -> NDArray[np.intp]:
    """Return the places of at most _MOST_ATTACKED spam posts with text."""
    places = [place for place, post in enumerate(sample.posts) if post.is_spam and post.record.text.strip()]
    drawn = np.random.default_rng(seed).permutation(places)[:_MOST_ATTACKED]
    return np.sort(drawn.astype(np.intp))
