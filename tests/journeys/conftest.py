"""Journeys go through HTTP alone; where scoring is not the subject, a stand-in scores."""

from __future__ import annotations

from tests.moderation.conftest import fake_scorer, fake_topics

__all__ = ["fake_scorer", "fake_topics"]
