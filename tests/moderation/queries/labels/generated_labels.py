"""Labels of every kind, from a seed: hostile words, missing numbers, corrected, sampled and erased posts."""

import random
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from moderation.models import (
    Author,
    Campaign,
    CampaignDecision,
    Case,
    Decision,
    Label,
    LabelDraw,
    Platform,
    Post,
    Release,
    Reversal,
    Revision,
    Score,
    User,
)
from moderation.models.cases import CaseReason, Lane
from moderation.models.decisions import DecisionSource, Verdict
from moderation.queries.records import stored_records
from scoring.explain import CONTENT_TEXT
from scoring.features import NAMES, SCHEMA_HASH
from tests.scoring.random_records import record

WORDS = (
    *("plain", "", " ", '"quoted"', "it's", "back\\slash"),
    *("\\n", "\\u0041", "new\nline", "tab\there", "\r\n"),
    *("\x01\x1f\x7f", "\u2028\u2029", "ünïcödé", "🎉👨‍👩‍👧", "日本語", "مرحبا", "\ufeff", "%s %(x)s"),
    *("{}[],:", "null", "NaN", "</script>"),
)
NUMBERS = (0.0, 1.0, -1.5, 0.1, 1e-300, 1e22, 123456789.123456, 5e-324, 1 / 3, float("nan"))
CHANCES = (0.0, 1.0, 0.05, 0.3, 1 / 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Makers:
    """What the rows point to."""

    platform: Platform
    author: Author
    users: Sequence[User]
    release: Release
    draw: LabelDraw
    campaign_decision: CampaignDecision
    at: datetime


def makers(platform: Platform, users: Sequence[User], *, at: datetime) -> Makers:
    campaign = Campaign.objects.create(opened_at=at, latest_at=at)
    return Makers(
        platform=platform,
        author=Author.objects.create(platform=platform, external_id="author", first_seen_at=at),
        users=users,
        release=Release.objects.create(pk="f" * 64, manifest={}, first_used_at=at),
        draw=LabelDraw.objects.create(platform=platform, asked_by=users[0], asked_at=at, days=1, wanted=1),
        campaign_decision=CampaignDecision.objects.create(
            campaign=campaign, verdict="spam", decided_by=users[0], decided_at=at, effective_at=at, posts=1
        ),
        at=at,
    )


def labelled_posts(makers: Makers, *, count: int, seed: int) -> None:
    """Store so many posts with a decision each, most of them with a standing label."""
    rng = random.Random(seed)
    for number in range(count):
        revision = _revision(makers, rng, number)
        score = _score(makers, rng, revision)
        case = _case(makers, rng, score) if rng.random() < 0.8 else None
        made = _decision(makers, rng, score, case)
        if rng.random() < 0.2:
            _correct(makers, rng, made)
        if rng.random() < 0.1:
            Post.objects.filter(pk=revision.post_id).update(erased_at=makers.at)


def _words(rng: random.Random) -> str:
    return "".join(rng.choice(WORDS) for _ in range(rng.randrange(5)))


def _revision(makers: Makers, rng: random.Random, number: int) -> Revision:
    revision = rng.choice((1, 2, 7))
    post = Post.objects.create(
        platform=makers.platform,
        author=makers.author,
        external_id=f"{_words(rng)}{number}",
        posted_at=makers.at,
        received_at=makers.at,
        latest_revision=revision,
    )
    return Revision.objects.create(
        post=post,
        number=revision,
        received_at=makers.at,
        text=_words(rng),
        language=rng.choice(("", "en", "zh-Hant")),
        body_digest=str(number),
        text_digest=str(number),
        ip=rng.choice((None, "192.0.2.7", "2001:db8::7")),
        author_snapshot={"external_id": _words(rng), "email_domain": rng.choice((None, "mail.example"))},
        journey=rng.choice(("[]", '[["open",0],["send",900]]')),
    )


def _score(makers: Makers, rng: random.Random, revision: Revision) -> Score:
    return Score.objects.create(
        revision=revision,
        generation=1,
        release=makers.release,
        scored_at=makers.at,
        record=stored_records.kept(record(shares=rng.choice((None, 7)))) | {_words(rng): _words(rng)},
        spam_probability=rng.choice((0.0, 1.0, 0.5, 1 / 3, 0.999999999)),
        route="review",
        is_audit_sample=rng.random() < 0.3,
        audit_probability=rng.choice(CHANCES),
        review_probability=rng.choice((None, None, 0.25, 1e-3)),
        is_review_sample=rng.random() < 0.2,
        is_degraded=rng.random() < 0.2,
        **_features(rng),
    )


def _features(rng: random.Random) -> dict[str, Any]:
    """Of the schema that this code computes, of an earlier one, or of a post that a rule banned."""
    kind = rng.choice(("now", "now", "earlier", "banned"))
    if kind == "banned":
        return {"schema_hash": SCHEMA_HASH, "features": [], "contributions": [], "content_probability": None}
    names = NAMES if kind == "now" else ("old.one", "old.two", "content.text")
    values = [rng.choice(NUMBERS) for _ in names]
    content = rng.choice((None, 0.25, 1e-9))
    parts = [[name, _known(value), rng.uniform(-2, 2)] for name, value in zip(names, values, strict=True)]
    if kind == "now":
        parts.append([CONTENT_TEXT, content, 0.1])
    rng.shuffle(parts)
    return {
        "schema_hash": SCHEMA_HASH if kind == "now" else "0" * 64,
        "features": values,
        "contributions": parts,
        "content_probability": content,
    }


def _known(value: float) -> float | None:
    return value if value == value else None  # noqa: PLR0124 - NaN


def _case(makers: Makers, rng: random.Random, score: Score) -> Case:
    is_drawn = rng.random() < 0.3
    return Case.objects.create(
        post=score.revision.post,
        platform_id=score.revision.post.platform_id,
        score=score,
        reason=rng.choice(CaseReason.values),
        priority=0.5,
        state="decided",
        opened_at=makers.at,
        closed_at=makers.at,
        draw=makers.draw if is_drawn else None,
        audit_probability=rng.choice(CHANCES) if is_drawn else None,
        lane=rng.choice(("", *Lane.values)),
    )


def _decision(makers: Makers, rng: random.Random, score: Score, case: Case | None) -> Decision:
    """Decide, and label what a human decided."""
    user = rng.choice((*makers.users, None))
    decided_at = makers.at + timedelta(microseconds=rng.choice((0, 1, 250_000)), seconds=rng.randrange(5))
    made = Decision.objects.create(
        post=score.revision.post,
        revision=score.revision,
        case=case,
        case_version=1 if case else None,
        score=score,
        verdict=rng.choice(Verdict.values),
        source=DecisionSource.MODERATOR if user else DecisionSource.AUTOMATIC,
        reason=_words(rng)[:40],
        decided_by=user,
        decided_at=decided_at,
        effective_at=decided_at,
        campaign_decision=makers.campaign_decision if user and rng.random() < 0.2 else None,
    )
    if user:
        _label(made)
    return made


def _correct(makers: Makers, rng: random.Random, made: Decision) -> None:
    """Replace a decision by its opposite; the label of the first no longer stands."""
    Label.objects.filter(post=made.post).update(retracted_at=makers.at)
    user = makers.users[-1]
    verdict = Verdict.SPAM if made.verdict == Verdict.NOT_SPAM else Verdict.NOT_SPAM
    again = Decision.objects.create(
        post=made.post,
        revision=made.revision,
        score=made.score,
        verdict=verdict,
        source=DecisionSource.MODERATOR,
        reason=_words(rng)[:40],
        decided_by=user,
        decided_at=made.decided_at + timedelta(seconds=1),
        effective_at=made.decided_at + timedelta(seconds=1),
    )
    Reversal.objects.create(decision=made, replacement=again, reversed_by=user, reversed_at=again.decided_at)
    _label(again)


def _label(made: Decision) -> None:
    Label.objects.create(
        decision=made,
        post=made.post,
        is_spam=made.verdict == Verdict.SPAM,
        similarity_group=uuid.UUID(int=made.pk),
        labelled_at=made.decided_at,
    )
