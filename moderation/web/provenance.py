"""Whether posts, or the training data of the live release, are simulated."""

import time
from dataclasses import dataclass
from functools import lru_cache

from django.db import DatabaseError
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from moderation import scorer
from moderation.models import Platform, Promotion
from moderation.operations.accounts import demo

_CACHED_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Provenance:
    """Whether posts, or the posts that the live release was fitted to, are simulated."""

    is_post: bool = False
    is_training: bool = False

    @property
    def words(self) -> str:
        """The notice on every page, "" if nothing is simulated."""
        if self.is_post and self.is_training:
            return _("Simulated posts and training")
        if self.is_post:
            return _("Simulated posts")
        return _("Simulated training") if self.is_training else ""

    @property
    def title(self) -> str:
        """The long form of the notice."""
        sentences = []
        if self.is_post:
            sentences.append(_("The demo's posts, authors and complaints are simulated."))
        if self.is_training:
            sentences.append(_("The live release was trained on simulated posts."))
        return " ".join(sentences)


def context(_request: HttpRequest) -> dict[str, object]:
    """Give every template `provenance`."""
    return {"provenance": SimpleLazyObject(current)}


def current() -> Provenance:
    """Return what is simulated, cached for half a minute; nothing if it cannot be read."""
    try:
        return _read(int(time.monotonic() // _CACHED_SECONDS))
    # Every page has this line; a database that is away must not take the page of the outage with it.
    except (DatabaseError, *scorer.UNUSABLE):
        return Provenance()


@lru_cache(maxsize=1)
def _read(_bucket: int) -> Provenance:
    manifest = Promotion.objects.order_by("-id").values_list("release__manifest", flat=True).first()
    training = (scorer.shipped().manifest if manifest is None else manifest).get("training") or {}
    return Provenance(
        is_post=Platform.objects.filter(slug=demo.PLATFORM_SLUG).exists(),
        is_training=bool(training.get("simulated")),
    )
