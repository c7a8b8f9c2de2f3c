"""Why a case stands where it does, in words."""

from __future__ import annotations

from moderation.models.cases import CaseReason
from moderation.web.cases import queue_position


def test_every_reason_has_short_words_of_its_own() -> None:
    assert set(queue_position._REASONS) == set(CaseReason)
