"""Why a case stands where it does, in words."""

from __future__ import annotations

from moderation.models.cases import CaseReason
from moderation.web import places


def test_every_reason_has_short_words_of_its_own() -> None:
    assert set(places._REASONS) == set(CaseReason)
