"""Rows and a stand-in scorer, as in tests/moderation; API, desk, database and broker are real."""

from tests.moderation.api.conftest import secret  # noqa: F401 - a key with every scope
