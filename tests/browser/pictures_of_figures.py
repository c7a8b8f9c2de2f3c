"""Pictures of Quality, Thresholds and Models, full, hostile and long: `docs.screenshots --staged`.

Not tests: pytest collects this file only when it is named. Empty they stand among the other empty pages.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import F
from django.utils import timezone

from moderation import scorer
from moderation.models import (
    Case,
    Label,
    Platform,
    Promotion,
    Release,
    ReleaseProposal,
    Revision,
    Score,
    TrainingRun,
    User,
)
from moderation.models.releases import PromotionKind
from moderation.models.training_runs import TrainingState, TrainingStep
from moderation.operations.quality import refresh
from tests.browser.pictures import NAMES, Open, Shoot, look, still
from tests.browser.stage import MARKUP
from tests.moderation.conftest import judged_alike

__all__ = ["judged_alike"]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(600)]

Case_ = Callable[..., Case]
PLACES = {
    "quality": "/quality/",
    "quality-90d": "/quality/?span=90d",
    "quality-views": "/quality/?unit=views",
    "thresholds": "/thresholds/?review_from=30&remove_from=80&audit_rate=3",
    "thresholds-wrong": "/thresholds/?review_from=95",
    "models": "/models/",
}
AUDIT = {"route": "review", "route_reason": "audit", "is_audit_sample": True, "audit_probability": 0.1}
HOSTILE = f"{MARKUP[1]} {NAMES[3]} {NAMES[2]}"


@pytest.fixture
def judged(open_case: Case_, judged_alike: Callable[..., None]) -> Case:
    """A month of random labels over every probability and three languages, estimated."""
    now = timezone.now()
    case = open_case(text=HOSTILE, at=now - timedelta(hours=2))
    manifest = {"thresholds": {"review_from": 0.2, "remove_from": 0.9, "audit_rate": 0.02}}
    Release.objects.filter(pk=case.score.release_id).update(manifest=manifest)
    case.score.refresh_from_db()
    for tenth in range(10):
        for days in (1, 9, 20, 26):
            when = now - timedelta(days=days)
            judged_alike(
                case,
                probability=tenth / 10 + 0.05,
                spam=tenth,
                fine=10 - tenth,
                score=AUDIT | {"scored_at": when},
                decision={"decided_at": when, "effective_at": when, "reason": ("scam", "W" * 40)[tenth % 2]},
            )
    for number, language in enumerate(("ar", "de", "zh-Hant")):
        Revision.objects.filter(pk__gt=case.score.revision_id + number * 130).update(language=language)
    Label.objects.update(labelled_at=now)
    Revision.objects.update(views=F("pk") % 40 + 1)
    refresh.refresh(at=timezone.now())
    return case


@pytest.fixture
def learned(judged: Case, platform: Platform, admin: User, lead: User) -> None:
    """Releases that came and went, training runs of every state, proposals of two people."""
    now = timezone.now()
    pairs = [
        Release.objects.create(pk=uuid4().hex * 2, manifest={}, first_used_at=now - timedelta(days=number))
        for number in range(3)
    ]
    for new, old, kind in ((0, 1, PromotionKind.PROMOTE), (1, 2, PromotionKind.ROLLBACK)):
        Promotion.objects.create(
            release=pairs[new], replaced=pairs[old], kind=kind, at=now - timedelta(days=new), actor=lead
        )
    metrics = {"pr_auc": {"live": 0.9, "candidate": 0.905, "difference_interval": [-0.01, 0.02]}}
    few = {"pr_auc": {"live": 0.9, "candidate": 0.905, "difference_interval": [None, None]}}
    slices = [
        {"by": "all", "name": "all", "rows": 40_000, "metrics": metrics},
        {"by": "source", "name": HOSTILE, "rows": 19, "metrics": few},
    ]
    finished = {"candidate": uuid4().hex * 2, "live": scorer.newest(), "report": {"slices": slices}}
    findings = [["pr_auc on all not worse", False, f"0.9 live, 0.7 candidate {HOSTILE}"]]
    runs: tuple[dict[str, Any], ...] = (
        {"state": TrainingState.RUNNING, "step": TrainingStep.HEADS, "log": HOSTILE * 40},
        {
            "state": TrainingState.READY,
            "findings": [["holds enough evidence", True, "400 posts"]],
            **finished,
        },
        {"state": TrainingState.READY, "findings": findings, "platform": platform, **finished},
        {"state": TrainingState.FAILED, "error": HOSTILE[:500], "log": "\n".join(MARKUP) * 20},
        {"state": TrainingState.CANCELLED},
    )
    for hours, run in enumerate(runs):
        TrainingRun.objects.create(requested_at=now - timedelta(hours=hours), requested_by=lead, **run)
    figure = {"value": 0.95, "low": 0.9, "high": 0.98}
    tried = {"cases_per_day": 420.0, "precision": figure}
    for who, reason in ((lead, HOSTILE[:500]), (admin, "Fewer cases at night")):
        ReleaseProposal.objects.create(
            kind="thresholds",
            candidate=uuid4().hex * 2,
            replaces=scorer.newest(),
            changes={
                "platform": platform.slug,
                "from": {"review_from": 0.2, "remove_from": 0.9, "audit_rate": 0.02},
                "to": {"review_from": 0.3, "remove_from": 0.8, "audit_rate": 0.03},
            },
            evidence={"labels": 400, "days": 30, "now": tried, "then": tried},
            reason=reason,
            made_by=who,
            made_at=now,
            expires_at=now + timedelta(days=3),
            closed_at=now if who == lead else None,
            refused_by=admin if who == lead else None,
        )


def test_figures(
    page_of: Open, learned: None, platform: Platform, admin: User, lead: User, origin: str, shoot: Shoot
) -> None:
    page = still(page_of, admin)
    look(page, shoot, "full", PLACES)
    Platform.objects.filter(pk=platform.pk).update(name="W" * 80)
    User.objects.filter(pk=lead.pk).update(first_name="W" * 100, last_name=NAMES[0])
    look(page, shoot, "hostile", PLACES)
    page.context.add_cookies([{"name": "django_language", "value": "de", "url": origin}])
    look(page, shoot, "german-full", PLACES)


def test_with_too_few_labels(page_of: Open, open_case: Case_, admin: User, shoot: Shoot) -> None:
    case = open_case(at=timezone.now() - timedelta(hours=2))
    Score.objects.filter(pk=case.score_id).update(**AUDIT)
    refresh.refresh(at=timezone.now())
    look(still(page_of, admin), shoot, "few", PLACES)
