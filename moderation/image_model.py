"""The image model of the live release in this process, and those of other kept releases; optional in each."""

from functools import lru_cache

from django.conf import settings

from moderation import scorer
from scoring import hosting
from scoring.image import ImageModel
from scoring.release import Release


def live() -> ImageModel | None:
    """Return the client of the live release's image model; None if it carries none.

    It connects at its first call. Raises as Scorers.live does.
    """
    return of(scorer.release().id)


def of(release_id: str) -> ImageModel | None:
    """Return the client of a kept release's image model, None without one. Raises NotKept or Corrupt."""
    release = scorer.kept(release_id)
    if release.image is None:
        return None
    name = hosting.served_name(release.image)
    return _client(settings.TRITON_URL, name, release.image.version, settings.TRITON_TIMEOUT_SECONDS)


def served_name(one: Release) -> str | None:
    """Return the name of a release's image model on Triton, if it has one, shipped or not."""
    return None if one.image is None else hosting.served_name(one.image)


@lru_cache(maxsize=4)
def _client(url: str, model: str, version: str, timeout_seconds: float) -> ImageModel:
    """Return one client for each model: its breaker counts what the whole process sees."""
    return ImageModel(url=url, model=model, version=version, timeout_seconds=timeout_seconds)
