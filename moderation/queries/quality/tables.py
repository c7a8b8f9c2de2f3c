"""Tables beside the figures: what was corrected, appealed, reported and ruled, and what people agreed on.

They count what happened to posts, which chance did not choose: no table here speaks of all posts.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery

from moderation.models import Appeal, BlindReview, Complaint, Decision, Label, Platform
from moderation.models.blind_reviews import BlindCause
from moderation.models.cases import CaseReason
from moderation.models.decisions import DecisionSource
from moderation.models.quality import QualityTableKind
from moderation.queries.quality import estimates
from moderation.queries.quality.labelled_posts import LabelledPosts

Rows = list[dict[str, Any]]
MOST_RULES = 50
_BINS = 10
Counts = npt.NDArray[np.float64]
_SAMPLES, _SEED = 1_000, 20_260_301


def tables(
    posts: LabelledPosts, *, since: datetime, until: datetime, platform: Platform | None
) -> dict[QualityTableKind, Rows]:
    """Count every table of a period, of one platform or all."""
    decisions = Decision.objects.filter(decided_at__gte=since, decided_at__lt=until)
    appeals = Appeal.objects.filter(filed_at__gte=since, filed_at__lt=until)
    complaints = Complaint.objects.filter(received_at__gte=since, received_at__lt=until, post__isnull=False)
    labels = Label.objects.filter(retracted_at__isnull=True, labelled_at__gte=since, labelled_at__lt=until)
    answers = BlindReview.objects.filter(
        cause__in=(BlindCause.SAMPLE, BlindCause.FIRST),
        decision__isnull=False,
        answered_at__gte=since,
        answered_at__lt=until,
    )
    if platform is not None:
        answers = answers.filter(platform=platform)
        decisions, labels = decisions.filter(post__platform=platform), labels.filter(post__platform=platform)
        appeals, complaints = appeals.filter(platform=platform), complaints.filter(platform=platform)
    return {
        QualityTableKind.RELIABILITY: reliability(posts),
        QualityTableKind.OVERRIDES: _overrides(decisions),
        QualityTableKind.APPEALS: _appeals(appeals),
        QualityTableKind.COMPLAINTS: _complaints(complaints),
        QualityTableKind.RULES: _rules(labels),
        QualityTableKind.AGREEMENT: _agreement(decisions, answers),
    }


def reliability(posts: LabelledPosts) -> Rows:
    """Compare the probability with the share of spam in each tenth; a share needs enough labels."""
    rows = []
    tenths = (posts.spam_probability * _BINS).astype(int).clip(0, _BINS - 1)
    for tenth in range(_BINS):
        part = posts.where(tenths == tenth)
        share = estimates.ratio(part=part.is_spam, whole=[1] * len(part), chances=part.chance)
        weights = 1 / part.chance
        mean = float((part.spam_probability * weights).sum() / weights.sum()) if len(part) else None
        rows.append({"from": tenth / _BINS, "to": (tenth + 1) / _BINS, "said": mean} | asdict(share))
    return rows


def precision_recall(posts: LabelledPosts) -> list[tuple[float, float]]:
    """Return recall and precision of all posts that labels stand for, by where removal would begin.

    From the highest probability on; there has to be spam among them.
    """
    order = np.argsort(-posts.spam_probability, kind="stable")
    weights = 1 / posts.chance[order]
    spam = np.cumsum(weights * posts.is_spam[order])
    ends = np.flatnonzero(np.diff(posts.spam_probability[order], append=-1.0))
    points = zip(spam / spam[-1], spam / np.cumsum(weights), strict=True)
    curve = [(float(recall), float(precision)) for recall, precision in points]
    return [curve[end] for end in ends]


def _overrides(decisions: QuerySet[Decision]) -> Rows:
    """Count decisions and those that a person replaced, by reason and by who had decided."""
    rows = decisions.order_by("reason", "source").values("reason", "source")
    replaced = Count("pk", filter=Q(reversal__replacement__isnull=False))
    return [dict(row) for row in rows.annotate(decisions=Count("pk"), part=replaced)]


def _appeals(appeals: QuerySet[Appeal]) -> Rows:
    """Count settled appeals and those that a person granted, by the reason of the disputed decision."""
    rows = appeals.order_by("decision__reason", "decision__source").values(
        "decision__reason", "decision__source"
    )
    settled = Q(outcome__isnull=False)
    granted = settled & ~Q(outcome__verdict=F("decision__verdict"))
    counted = rows.annotate(
        filed=Count("pk"), settled=Count("pk", filter=settled), part=Count("pk", filter=granted)
    )
    return [
        {"reason": row.pop("decision__reason"), "source": row.pop("decision__source")} | row
        for row in map(dict, counted)
    ]


def _complaints(complaints: QuerySet[Complaint]) -> Rows:
    """Count reported posts, those that a person judged, and those judged to be spam, by what readers said."""
    judged = Q(post__labels__isnull=False, post__labels__retracted_at__isnull=True)
    rows = complaints.order_by("reason").values("reason")
    counted = rows.annotate(
        posts=Count("post", distinct=True),
        judged=Count("post", filter=judged, distinct=True),
        part=Count("post", filter=judged & Q(post__labels__is_spam=True), distinct=True),
    )
    return [dict(row) for row in counted]


def _rules(labels: QuerySet[Label]) -> Rows:
    """Count the judged posts that a rule had decided, and those on which the person agreed with it."""
    by_rule: dict[int, dict[str, Any]] = {}
    for field in ("ban", "rule"):
        rule = f"decision__score__{field}"
        rows = labels.filter(**{f"{rule}__isnull": False}).order_by().values_list(rule, f"{rule}__effect")
        for pk, effect, posts, spam in rows.annotate(
            posts=Count("pk"), spam=Count("pk", filter=Q(is_spam=True))
        ):
            right = posts - spam if effect == "allow" else spam
            by_rule[pk] = {"rule": pk, "effect": effect, "judged": posts, "part": right}
    return sorted(by_rule.values(), key=lambda row: (-row["judged"], row["rule"]))[:MOST_RULES]


def _agreement(decisions: QuerySet[Decision], answers: QuerySet[BlindReview]) -> Rows:
    """Compare blind second reviews with the first decision on the same text, together and by its reason.

    A review drawn by chance or the rule for new moderators has its answer beside the decision; one that a
    person asked for is a decision of its own.
    """
    first = Decision.objects.filter(
        post=OuterRef("post"), decided_at__lt=OuterRef("decided_at"), source=DecisionSource.MODERATOR
    ).exclude(decided_by=OuterRef("decided_by"))
    earlier = first.filter(revision=OuterRef("revision")).order_by("-decided_at", "-pk")
    seconds = decisions.filter(source=DecisionSource.MODERATOR, case__reason=CaseReason.SECOND)
    rows = seconds.order_by("pk").annotate(
        first_verdict=Subquery(earlier.values("verdict")[:1]),
        first_reason=Subquery(earlier.values("reason")[:1]),
    )
    own = rows.values_list("verdict", "first_verdict", "first_reason")
    beside = answers.exclude(verdict="").values_list("verdict", "decision__verdict", "decision__reason")
    texts: defaultdict[str, list[int]] = defaultdict(list)
    for verdict, before, reason in (*(row for row in own if row[1] is not None), *beside):
        spam = (verdict == "spam") + (before == "spam")
        texts[""].append(spam)
        if reason:
            texts[reason].append(spam)
    return [
        {"reason": reason, "same": sum(votes != 1 for votes in spam)} | asdict(agreement(spam))
        for reason, spam in sorted(texts.items())
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Alpha, at most 1; 0 is what chance gives. None where all judged alike, or no text was judged twice."""

    alpha: float | None
    low: float | None
    high: float | None
    texts: int


def agreement(spam: Sequence[int]) -> Agreement:
    """Compute alpha for two values from how many of the two people who judged each text said spam.

    Krippendorff, Content Analysis (2018), chapter 12, nominal data. The interval is the middle 95 % of
    resampled texts.
    """
    votes = np.asarray(spam, dtype=np.float64)
    estimate = _alpha(votes)
    if estimate is None:
        return Agreement(alpha=None, low=None, high=None, texts=len(votes))
    random = np.random.default_rng(_SEED)
    drawn = (random.integers(0, len(votes), len(votes)) for _ in range(_SAMPLES))
    alphas = [alpha for rows in drawn if (alpha := _alpha(votes[rows])) is not None]
    low, high = np.quantile(alphas, (0.025, 0.975))
    return Agreement(alpha=estimate, low=float(low), high=float(high), texts=len(votes))


def _alpha(votes: Counts) -> float | None:
    judgements, spam = 2 * len(votes), votes.sum()
    expected = spam * (judgements - spam)
    return float(1 - (judgements - 1) * (votes == 1).sum() / expected) if expected else None
