"""Releases of a test's own, as the operations' tests have them."""

from tests.moderation.operations.conftest import own_releases

__all__ = ["own_releases"]
