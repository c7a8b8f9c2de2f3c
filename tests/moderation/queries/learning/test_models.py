"""Which releases were live here."""

from __future__ import annotations

from datetime import datetime

import pytest

from moderation.models import Promotion, Release
from moderation.models.releases import PromotionKind
from moderation.queries.learning import models
from tests.moderation.conftest import Case_

pytestmark = pytest.mark.django_db


def test_those_of_promotions_and_those_that_scored_without_any_were_live(
    open_case: Case_, at: datetime
) -> None:
    shipped = open_case().score.release_id
    promoted, replaced, failed = (
        Release.objects.create(pk=letter * 64, manifest={}, first_used_at=at) for letter in "012"
    )
    Promotion.objects.create(release=promoted, replaced=replaced, kind=PromotionKind.PROMOTE, at=at)

    found = models.were_live([shipped, promoted.pk, replaced.pk, failed.pk])

    assert found == {shipped, promoted.pk, replaced.pk}
