"""A desk on which the pages of second opinions and of learning are full, some of it hostile and long."""

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from moderation.models import (
    BlindReview,
    BlindReviewPlan,
    Case,
    CaseNote,
    Decision,
    DriftAlarm,
    DriftBlock,
    GoldenItem,
    Label,
    Platform,
    Score,
    ShadowRun,
    ShadowScore,
    User,
)
from moderation.models.decisions import DecisionSource
from moderation.models.users import Role
from moderation.operations.posts.incoming_post import IncomingAuthor
from tests.browser.stage import LONG_HOST, MARKUP, PEOPLE, SPOOFS
from tests.moderation.conftest import Case_
from tests.moderation.web.learning.test_shadow import figures
from tests.moderation.web.quality.test_quality import trait

ARABIC = (
    "فرصة ذهبية! اربح آيفون جديد مجانا الآن، اضغط على الرابط https://pay.evil.example/ar ولا تنس المشاركة"
)
HONEST = (
    "Has anybody seen my grey cat near the river? She has a white paw and answers to Minka.",
    "Order cheap pills without prescription today at http://pills.example/now",
    "Verdienen Sie 3.000 € pro Woche von zu Hause aus, schreiben Sie mir auf Telegram @geldregen 💸🔥",
    "Great article, thanks!",
)
HOSTILE = (*MARKUP[:2], *SPOOFS[:5], ARABIC, "😘👉🏽💦" * 80, "W" * 10_000)


@pytest.fixture
def decided(open_case: Case_, moderator: User, other_moderator: User) -> list[Case]:
    """Cases of honest and hostile texts and names, each decided and labelled."""
    now = timezone.now()
    cases = []
    for number, text in enumerate((*HONEST, *HOSTILE)):
        name = ("Minka", "Jo", *PEOPLE)[number % 6]
        author = IncomingAuthor(external_id=f"author-{number}", display_name=name)
        language = ("en", "de", "ar", "zh-Hant")[number % 4]
        at = now - timedelta(minutes=9 * number + 5)
        case = open_case(text=text, author=author, language=language, at=at)
        _judge(case, number=number, by=(moderator, other_moderator)[number % 2], at=at)
        cases.append(case)
    return cases


def _judge(case: Case, *, number: int, by: User, at: datetime) -> None:
    is_spam = number % 3 == 0
    changes = {
        "spam_probability": number / 14,
        "route": ("allow", "review", "remove")[number % 3],
        "is_degraded": number == 2,
        "scored_at": at,
    }
    Score.objects.filter(pk=case.score_id).update(**changes)
    decision = Decision.objects.create(
        post=case.post, revision=case.score.revision, score=case.score,
        verdict="spam" if is_spam else "not_spam", source=DecisionSource.MODERATOR, decided_by=by,
        decided_at=at, effective_at=at, reason="w" * 40 if number % 4 == 3 else "scam",
        note=PEOPLE[number % 4] if number % 2 else "",
    )  # fmt: skip
    group = case.score.revision.similarity_group or uuid4()
    Label.objects.create(
        decision=decision, post=case.post, is_spam=is_spam, similarity_group=group, labelled_at=at
    )


@pytest.fixture
def reviewed(decided: list[Case], platform: Platform, lead: User, admin: User) -> None:
    """Disagreements, settled and waiting; golden items of every state, with answers of several people."""
    now = timezone.now()
    BlindReviewPlan.objects.create(
        platform=platform, share=0.05, first_decisions=200, golden_share=0.125, drawn_until=now
    )
    Platform.objects.create(slug="quiet", name="A second platform, without a plan", created_at=now)
    people = [
        User.objects.create_user(f"reviewer-{number}", role=Role.MODERATOR, last_name=name[:150])
        for number, name in enumerate((*PEOPLE, "W" * 100))
    ]
    for number, case in enumerate(decided):
        decision = Decision.objects.get(post=case.post)
        review = BlindReview.objects.create(
            platform=platform, post=case.post, decision=decision, case=case,
            cause=("sample", "first", "suspicious")[number % 3], chance=0.05,
            drawn_at=now - timedelta(days=1),
            verdict="" if number % 5 == 4 else ("not_spam" if decision.verdict == "spam" else "spam"),
            note=(SPOOFS[0], "W" * 2_000, "Her own cat, see the photo of last week.", "")[number % 4],
            answered_by=people[number % len(people)], answered_at=now - timedelta(hours=2), is_disputed=True,
        )  # fmt: skip
        CaseNote.objects.create(case=case, author=people[0], text=HOSTILE[number % 10][:900], written_at=now)
        if number % 3 == 2:
            changes = {"settled_verdict": "spam", "settled_note": "W" * 500, "settled_by": admin}
            BlindReview.objects.filter(pk=review.pk).update(settled_at=now, **changes)
        item = GoldenItem.objects.create(
            platform=platform, post=case.post, revision=case.score.revision, verdict=decision.verdict,
            note=("", "Known shop, see the rule", "W" * 500)[number % 3], marked_by=lead, marked_at=now,
            is_wrong=number == 9,
        )  # fmt: skip
        state: dict[str, Any] = {"confirmed_by": admin, "confirmed_at": now} if number % 4 else {}
        if number % 5 == 4:
            state |= {"retired_by": admin, "retired_at": now}
        GoldenItem.objects.filter(pk=item.pk).update(**state)
    _answer(people, at=now - timedelta(days=8))


def _answer(people: list[User], *, at: datetime) -> None:
    """Answers to golden items, which never say who drew them: enough for a share, and too few."""
    item = GoldenItem.objects.filter(retired_at=None, confirmed_at__isnull=False).select_related("post")[0]
    pattern = Case.objects.get(post=item.post)
    for person, count in zip(people, (21, 400, 3, 50, 20), strict=True):
        for number in range(min(count, 50)):
            case = Case.objects.get(pk=pattern.pk)
            case.pk = None
            case.state = "decided"
            case.save(force_insert=True)
            verdict = item.verdict if number % 7 else "spam"
            BlindReview.objects.create(
                platform=item.platform, post=item.post, golden=item, case=case, chance=1.0, drawn_at=at,
                cause="first" if count == 3 else "golden", verdict=verdict, answered_by=person,
                answered_at=at,
            )  # fmt: skip


@pytest.fixture
def drifted(decided: list[Case], platform: Platform, lead: User) -> None:
    """Alarms with traits of every family, harmless and hostile, and one that a lead has seen."""
    now = timezone.now()
    words = ("golden harvest", MARKUP[0], PEOPLE[1], PEOPLE[3], "W" * 200, "奖品 免费")
    traits = [
        *(trait("words", name, authors_before=number) for number, name in enumerate(words)),
        trait("domain", LONG_HOST[:180]),
        trait("feature", "social.friends=2^3"),
        trait("feature", "journey.seconds_to_first_key=-2^-7"),
        trait("probability", "0.05"),
        trait("language", ""),
    ]
    slices = [
        {"kind": "language", "name": "de", "posts": 30, "all_posts": 400},
        {"kind": "domain", "name": LONG_HOST[:180], "posts": 30, "all_posts": 400},
        {"kind": "route", "name": "allow", "posts": 37, "all_posts": 6_000},
    ]
    numbers = {"posts": 37, "all_posts": 6_812, "mean_probability": 0.04, "slices": slices}
    for number, shown in enumerate((traits, traits[-4:], traits[:1])):
        at = now - timedelta(hours=5 * number)
        DriftAlarm.objects.create(
            platform=platform, raised_at=at, seen_at=at, traits=shown,
            sample=[case.post_id for case in decided], acknowledged_at=now if number else None,
            acknowledged_by=lead if number else None, **numbers,
        )  # fmt: skip
    DriftBlock.objects.create(platform=platform, starts_at=now, posts=6_812, authors=6_240, counts=b"")


@pytest.fixture
def shadowed(decided: list[Case], platform: Platform, lead: User, admin: User) -> ShadowRun:
    """A run that is worse on one slice and better on another, with disagreements and trouble."""
    now = timezone.now()
    stored = figures(name="ar")
    [worse] = stored["differences"]
    better = {"dimension": "links", "name": "new", "mistake": "wrong", "outcome": "better", "value": -0.02}
    stored["differences"] += [
        worse | better | {"low": -0.03, "high": -0.01},
        worse | {"dimension": "platform", "name": platform.name, "mistake": "removed", "outcome": "near"},
        worse | {"dimension": "all", "name": "", "outcome": "open", "labels": 4},
    ]
    people = {"started_by": lead, "stopped_by": None}
    for number, ended in enumerate((now - timedelta(days=3), None)):
        run = ShadowRun.objects.create(
            pk=number + 1, candidate=f"{number}c" * 32, live="d" * 64, share=0.5,
            started_at=now - timedelta(days=5), stopped_at=ended, reached=0,
            figures=stored | {"until": now.isoformat()}, failed=2, skipped=1_204,
            trouble=f"Corrupt: {MARKUP[0]} {'W' * 200}" if ended is None else "",
            trouble_at=None if ended else now, **people,
        )  # fmt: skip
    for number, case in enumerate(decided):
        ShadowScore.objects.create(
            run=run, score=case.score, scored_at=now, spam_probability=0.95, route="remove",
            live_route="allow" if number % 2 else "review", distance=1 + number % 2, gap=number / 100,
            platform=platform, links="none", case=case if number % 3 == 0 else None,
        )  # fmt: skip
    return run
