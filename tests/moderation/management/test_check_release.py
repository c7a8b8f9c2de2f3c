"""Whether a release fits the code, as `make run` asks."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from moderation import scorer
from scoring.release import SchemaMismatch
from tests.moderation.fakes import RELEASE_ID, FakeScorer


def test_names_the_release_that_scores(fake_scorer: FakeScorer) -> None:
    said = StringIO()

    call_command("check_release", stdout=said)

    assert said.getvalue() == f"Release {RELEASE_ID[:12]} scores.\n"


def test_says_why_none_can(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise SchemaMismatch("release 0123 does not know context.mentions: refit it")

    monkeypatch.setattr(scorer.current(), "live", refuse)

    with pytest.raises(
        CommandError, match=r"Posts are not scored: release 0123 does not know context\.mentions"
    ):
        call_command("check_release")
