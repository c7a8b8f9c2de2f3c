"""Rows and a stand-in scorer, as in tests/moderation; API, desk, database and broker are real."""

from __future__ import annotations

from tests.moderation.api.conftest import secret  # noqa: F401 - a key with every scope
from tests.moderation.conftest import (  # noqa: F401 - the same rows as in the app's own tests
    at,
    fake_scorer,
    incoming,
    later,
    lead,
    moderator,
    open_case,
    open_cases,
    other_moderator,
    platform,
    post,
)
