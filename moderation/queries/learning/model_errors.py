"""Posts that the live models got wrong by what people judged, the greatest loss first.

The loss is minus the logarithm of the probability that the models gave to the verdict of people: it grows
with the probability of the wrong one, by which the rows are sorted.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, Exists, F, FloatField, OuterRef, QuerySet, When
from django.db.models.functions import Left

from moderation.models import Label
from moderation.queries import case_access, keyset
from moderation.queries.keyset import Page

_READ_LENGTH = 640
_LEAST = 1e-9


@dataclass(frozen=True, kw_only=True)
class ErrorFilter:
    """Labels given in [since, until); empty fields are no filter. `verdict` is people's: spam or not_spam."""

    since: datetime
    until: datetime | None = None
    platform: str = ""
    language: str = ""
    route: str = ""
    verdict: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelError:
    """A labelled post; `wrong` is the probability of the other verdict, `loss` is in nats, ≥ 0."""

    post_id: int
    external_id: str
    platform: str
    language: str
    excerpt: str
    is_spam: bool
    spam_probability: float
    wrong: float
    route: str
    is_degraded: bool
    labelled_at: datetime

    @property
    def loss(self) -> float:
        """minus log of the probability of what people judged."""
        return -math.log(max(1 - self.wrong, _LEAST)) + 0.0


def page(
    *, releases: Sequence[str], wanted: ErrorFilter, cursor: str = "", limit: int = 50
) -> Page[ModelError]:
    """Return the worst of them. Raises InvalidCursor."""
    found = keyset.page(
        _rows(releases, wanted),
        order=("-wrong", "-pk"),
        after=keyset.after(cursor, float, int),
        limit=limit,
    )
    return found.of(lambda rows: [_error(row) for row in rows])


def worst(*, releases: Sequence[str], wanted: ErrorFilter, most: int) -> list[ModelError]:
    """Return the posts with the largest loss, `most` at most."""
    return [_error(row) for row in _rows(releases, wanted)[:most]]


def _rows(releases: Sequence[str], wanted: ErrorFilter) -> QuerySet[Label, Any]:
    """Return the labels of scores of these releases, the worst first, without posts judged blindly now.

    The index `label_by_time` bounds what is read and sorted.
    """
    # A wrong probability is of no stored column: it is compared with what another table says.
    wrong = Case(
        When(is_spam=True, then=1.0 - F("decision__score__spam_probability")),
        default=F("decision__score__spam_probability"),
        output_field=FloatField(),
    )
    found = Label.objects.filter(
        retracted_at__isnull=True,
        labelled_at__gte=wanted.since,
        post__erased_at__isnull=True,
        decision__score__release__in=releases,
        decision__score__ban__isnull=True,
    ).exclude(Exists(case_access.blind_cases().filter(post=OuterRef("post"))))
    asked = {
        "labelled_at__lt": wanted.until,
        "post__platform__slug": wanted.platform,
        "decision__revision__language": wanted.language,
        "decision__score__route": wanted.route,
    }
    found = found.filter(**{name: value for name, value in asked.items() if value})
    if wanted.verdict:
        found = found.filter(is_spam=wanted.verdict == "spam")
    ordered = found.annotate(wrong=wrong).order_by("-wrong", "-pk")
    return ordered.values(
        "pk",
        "post_id",
        "is_spam",
        "labelled_at",
        "wrong",
        external_id=F("post__external_id"),
        platform=F("post__platform__name"),
        language=F("decision__revision__language"),
        excerpt=Left("decision__revision__text", _READ_LENGTH),
        spam_probability=F("decision__score__spam_probability"),
        route=F("decision__score__route"),
        is_degraded=F("decision__score__is_degraded"),
    )


def _error(row: dict[str, Any]) -> ModelError:
    return ModelError(**{name: value for name, value in row.items() if name != "pk"})
