"""`python -m training heads`: give a release a head for each platform with enough decisions, and a
curve and thresholds of its own for each with enough random labels.
"""

import argparse
import dataclasses
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from scoring.content import ContentScore, vectors_of
from scoring.ensemble import content_margins, probabilities_of
from scoring.pipeline import ContentProtocol
from scoring.platform_head import PlatformHead, file_of, learnt_keys
from scoring.release import Release, file_sha256
from scoring.splits import Split, split_of
from scoring.trees import Floats
from training import (
    choose_platform_routes,
    fit_head,
    head_guards,
    label_noise,
    labelled_records,
    mixture,
    served_content,
    whole_folder,
)
from training.calibrate import TooFewRandom
from training.choose_platform_routes import Choice
from training.fit_head import Decisions
from training.label_noise import Suspicion
from training.labelled_lines import MOST_TRAINING_WEIGHT, Origin
from training.labelled_records import LabelledRecord
from training.served_content import Served

Labelled = TypeVar("Labelled", bound=LabelledRecord)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--release", type=Path, required=True, help="folder of the release that gets heads")
    parser.add_argument(
        "--labels", type=Path, nargs="+", required=True, help="exports of decisions, oldest first"
    )
    parser.add_argument(
        "--content-knows-labels",
        action="store_true",
        help="the content model was trained on these labels: heads learn from what it did not learn from",
    )
    served_content.add_arguments(parser)
    parser.add_argument("--out", type=Path, required=True, help="folder of the release with heads")


def main(arguments: argparse.Namespace) -> None:
    """Run the command; print refusals and their reasons."""
    outcome = run(
        arguments.release,
        labels=arguments.labels,
        content_knows_labels=arguments.content_knows_labels,
        served=Served.named_by(arguments),
        out=arguments.out,
    )
    sys.stdout.writelines(f"{line}\n" for line in told(outcome.release))


def run(
    release: Path,
    *,
    labels: Sequence[Path],
    content_knows_labels: bool = False,
    served: Served,
    out: Path,
) -> "Made":
    """Fit on exports of decisions, and write the release with heads. Raises content.Unavailable."""
    base = Release.load(release)
    content = served_content.connect(base.content, normaliser=base.normaliser, served=served)
    labelled = labelled_records.load(*labels, with_reported=True)
    if content_knows_labels:
        labelled = [post for post in labelled if split_of(post.group) is not Split.TRAIN]
    return add_heads(base, labelled, content=content, out=out)


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """A platform's head, its decisions, their log-odds by heads without them, and the manifest's part."""

    head: PlatformHead
    learnt: Sequence[LabelledRecord]
    left_out: Floats
    about: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Made:
    """A release with heads, and the decisions that are probably wrong, of platforms with a new head."""

    release: Release
    suspicions: list[Suspicion]


def add_heads(
    base: Release, labelled: Sequence[LabelledRecord], *, content: ContentProtocol, out: Path
) -> Made:
    """Write `base` anew into `out` with a head for each platform whose decisions allow it, and a curve and
    thresholds of its own for each whose random labels do.

    A platform without new decisions, or whose new head is refused, keeps what it has. Heads learn from the
    test part, too: a release is judged by heads without it (fresh_decisions).
    """
    by_platform = defaultdict(list)
    for post in labelled:
        if post.origin is Origin.DECIDED:
            by_platform[post.platform].append(post)
    fitted, refused = {}, {}
    for platform, decisions in sorted(by_platform.items()):
        try:
            fitted[platform] = fit_platform(decisions, content=content, content_model=base.content_model)
        except head_guards.Refused as why:
            refused[platform] = f"{type(why).__name__}: {why}"
    choices, not_chosen = {}, {}
    for platform, decisions in sorted(by_platform.items()):
        if platform in refused and platform in base.heads:
            continue
        try:
            choices[platform] = _choose(decisions, fitted=fitted.get(platform), content=content, base=base)
        except TooFewRandom as why:
            not_chosen[platform] = f"{type(why).__name__}: {why}"
    release = _write(base, fitted, refused=refused, chosen=choices, not_chosen=not_chosen, out=out)
    suspicions = [
        case for fit in fitted.values() for case in label_noise.suspicions(fit.learnt, left_out=fit.left_out)
    ]
    return Made(release=release, suspicions=suspicions)


def fit_platform(
    labelled: Sequence[LabelledRecord], *, content: ContentProtocol, content_model: str = ""
) -> Fitted:
    """Fit a head on decisions of one platform; `content` scores what `content_model` did not.

    Raises head_guards.Refused or content.Unavailable.
    """
    posts = learnable(labelled)
    head_guards.check(posts)
    decisions = decisions_of(posts, scores=_scores(posts, content=content, content_model=content_model))
    with threadpool_limits(limits=1):
        calibrated = fit_head.calibrated(decisions)
    keys = {key for post in posts for key in learnt_keys(post=post.record.external_id, group=post.group)}
    head = dataclasses.replace(calibrated.head, learnt=np.array(sorted(keys), dtype=np.uint64))
    head_guards.check_gain(posts, left_out=calibrated.left_out, content=decisions.content_margins)
    about = {
        "fitted_on": mixture.fitted_on(posts)["decided"],
        "reported": int(decisions.is_reported.sum()),
        "content_slope": round(calibrated.head.content_slope, 3),
        "scripts": head_guards.scripts_seen(posts),
        "warnings": list(head_guards.warnings(posts)),
    }
    return Fitted(head=head, learnt=posts, left_out=calibrated.left_out, about=about)


def learnable(labelled: Sequence[Labelled]) -> list[Labelled]:
    """Return the decisions of a platform that its head is fitted to: those with text, the newest."""
    return [post for post in labelled if post.record.text.strip()][-fit_head.MOST_DECISIONS :]


def _scores(
    labelled: Sequence[LabelledRecord], *, content: ContentProtocol, content_model: str
) -> list[ContentScore]:
    """Return the content model's score of each text: as exported with the decision, else now."""
    scores = [post.content_score if post.content_model == content_model else None for post in labelled]
    unknown = [post.record.text for post, score in zip(labelled, scores, strict=True) if score is None]
    answers = iter(content.scores(unknown) if unknown else [])
    return [next(answers) if score is None else score for score in scores]


def decisions_of(labelled: Sequence[LabelledRecord], *, scores: Sequence[ContentScore]) -> Decisions:
    """Return decisions as the arrays that a head is fitted to, given their content scores."""
    reported = np.array([post.weight == 0.0 for post in labelled])
    weights = np.array([min(post.weight, MOST_TRAINING_WEIGHT) for post in labelled])
    # A post that represents no other still counts as itself.
    weights = np.where(reported, 1.0, weights / (1.0 if reported.all() else weights[~reported].mean()))
    return Decisions(
        grams=fit_head.grams_matrix([post.record.text for post in labelled]),
        vectors=vectors_of(scores),
        content_margins=content_margins(np.array([score.probability for score in scores])),
        is_spam=np.array([post.is_spam for post in labelled]),
        weights=weights,
        groups=np.array([post.group for post in labelled]),
        is_reported=reported,
    )


def told(release: Release) -> list[str]:
    """Describe the data of each platform's head, or say why it has none."""
    lines = []
    for platform, about in release.manifest.get("heads", {}).items():
        counts = about["fitted_on"].get(platform, {})
        lines.append(
            f"{platform}: a head from {counts.get('posts', 0)} decisions ({counts.get('spam', 0)} spam, "
            f"{counts.get('random', 0)} random), {about['reported']} of them reported"
        )
        lines.extend(f"{platform}: WARNING {warning}" for warning in about["warnings"])
    lines.extend(
        f"{platform}: NO HEAD {why}" for platform, why in release.training.get("heads_refused", {}).items()
    )
    lines.extend(choose_platform_routes.told(release))
    return lines


def _choose(
    decided: Sequence[LabelledRecord], *, fitted: Fitted | None, content: ContentProtocol, base: Release
) -> Choice:
    """Choose a platform's curve and thresholds on decisions as its head reads them. Raises TooFewRandom."""
    posts = fitted.learnt if fitted else learnable(decided)
    random = sum(post.is_random for post in decided)
    choose_platform_routes.check(random)
    scores = () if fitted else _scores(posts, content=content, content_model=base.content_model)
    probabilities = (
        probabilities_of(fitted.left_out) if fitted else np.array([score.probability for score in scores])
    )
    # The test part judges the choice: unlike heads, curves are not fitted fold by fold.
    places = [place for place, post in enumerate(posts) if split_of(post.group) is not Split.TEST]
    return choose_platform_routes.on_labels(
        [posts[place] for place in places],
        content_probabilities=probabilities[places],
        random=random,
        base=base,
    )


def _write(
    base: Release,
    fitted: Mapping[str, Fitted],
    *,
    refused: Mapping[str, str],
    chosen: Mapping[str, Choice],
    not_chosen: Mapping[str, str],
    out: Path,
) -> Release:
    """Write the release; platforms without a choice of their own use the shared curve and thresholds."""
    files, heads = dict(base.files), dict(base.manifest.get("heads", {}))
    routes = {name: own for name, own in base.manifest.get("platforms", {}).items() if name not in not_chosen}
    routes |= {platform: choice.to_json() for platform, choice in chosen.items()}
    with whole_folder.release_like(base, names=base.files, out=out) as (folder, manifest):
        for platform, fit in fitted.items():
            name = file_of(platform)
            (folder / name).parent.mkdir(exist_ok=True)
            fit.head.save(folder / name)
            files[name] = file_sha256(folder / name)
            heads[platform] = {"file": name, **fit.about}
        why = {"platforms_refused": dict(not_chosen), "heads_refused": dict(refused)}
        training = manifest["training"] | why
        manifest.update(platforms=routes, training=training, files=files, heads=heads)
    return Release.load(out)
