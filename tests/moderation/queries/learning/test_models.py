"""Which releases were live here."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest

from moderation.models import CanaryRun, Case, Promotion, Release, Score, ShadowRun, User
from moderation.models.releases import PromotionKind
from moderation.models.users import Role
from moderation.queries.learning import models

pytestmark = pytest.mark.django_db


class TestWereLive:
    def test_are_those_of_promotions_and_those_that_scored_without_any(
        self, open_case: Callable[..., Case], lead: User, at: datetime
    ) -> None:
        shipped = open_case().score.release_id
        promoted, replaced, failed, tried = (
            Release.objects.create(pk=letter * 64, manifest={}, first_used_at=at) for letter in "0123"
        )
        Promotion.objects.create(release=promoted, replaced=replaced, kind=PromotionKind.PROMOTE, at=at)
        _canary(tried, lead=lead, at=at)
        Score.objects.filter(pk=open_case(text="another").score_id).update(release=tried)

        found = models.were_live([shipped, promoted.pk, replaced.pk, failed.pk, tried.pk])

        assert found == {shipped, promoted.pk, replaced.pk}

    def test_is_a_candidate_of_a_canary_once_it_was_promoted(self, lead: User, at: datetime) -> None:
        tried, before = (
            Release.objects.create(pk=letter * 64, manifest={}, first_used_at=at) for letter in "01"
        )
        _canary(tried, lead=lead, at=at)
        Promotion.objects.create(release=tried, replaced=before, kind=PromotionKind.PROMOTE, at=at)

        assert models.were_live([tried.pk]) == {tried.pk}


def _canary(candidate: Release, *, lead: User, at: datetime) -> None:
    second = User.objects.create_user("second", role=Role.LEAD)
    run = ShadowRun.objects.create(
        candidate=candidate.pk, live="f" * 64, share=1.0, started_by=lead, started_at=at, reached=0
    )
    CanaryRun.objects.create(
        shadow=run,
        candidate=candidate.pk,
        live=run.live,
        share=0.1,
        proposed_by=lead,
        proposed_at=at,
        confirmed_by=second,
        started_at=at,
    )
