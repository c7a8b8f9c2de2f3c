"""Open blind reviews of labels that the models contradict; `training` ranks them."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.db import transaction

from moderation.models import BlindReview, BlindReviewPlan, Label, Platform
from moderation.models.blind_reviews import BlindCause
from moderation.operations.audit import entries
from moderation.operations.cases import blind_reviews

_audit = entries.writer("platform")
MOST = 50
"""Labels of one platform per request, the most suspicious ones."""


class Unreadable(ValueError):
    """The file does not name labels as training writes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """A label that is probably wrong, by the platform's short name and its own id of the post."""

    platform: str
    post: str
    is_spam: bool


def read(path: Path) -> list[Suspicion]:
    """Read what training wrote, the most suspicious of each platform first. Raises Unreadable or OSError."""
    suspicions = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            entry = json.loads(line)
            suspicions.append(
                Suspicion(
                    platform=str(entry["platform"]),
                    post=str(entry["post"]),
                    is_spam=bool(entry["is_spam"]),
                )
            )
        except (ValueError, KeyError, TypeError) as wrong:
            raise Unreadable(f"{path.name}, line {number}: {type(wrong).__name__}: {wrong}") from wrong
    return suspicions


def ask(*, suspicions: Sequence[Suspicion], at: datetime, most: int = MOST) -> int:
    """Draw up to `most` labels of each platform for a blind review; return how many are new.

    Left out are labels that were retracted or changed since, those of a person whose decision was judged
    again before, and erased posts. Their cases open as the queue has room. Asking again changes nothing.
    """
    by_platform = defaultdict(list)
    for suspicion in suspicions:
        by_platform[suspicion.platform].append(suspicion)
    platforms = Platform.objects.filter(slug__in=by_platform).order_by("pk")
    return sum(_ask(platform, by_platform[platform.slug], most=most, at=at) for platform in platforms)


def _ask(platform: Platform, suspicions: Sequence[Suspicion], *, most: int, at: datetime) -> int:
    with transaction.atomic():
        BlindReviewPlan.objects.get_or_create(platform=platform, defaults={"drawn_until": at})
        BlindReviewPlan.objects.select_for_update().get(pk=platform.pk)
        labels = {
            (label.post.external_id, label.is_spam): label
            for label in Label.objects.filter(
                post__platform=platform,
                post__external_id__in=[suspicion.post for suspicion in suspicions],
                post__erased_at__isnull=True,
                retracted_at__isnull=True,
                decision__blind_review__isnull=True,
                decision__reversal__isnull=True,
                decision__effective_at__lte=at,
            ).select_related("post")
        }
        suspects = [
            labels[key] for suspicion in suspicions if (key := (suspicion.post, suspicion.is_spam)) in labels
        ][:most]
        BlindReview.objects.bulk_create(
            BlindReview(
                platform=platform,
                post=label.post,
                decision_id=label.decision_id,
                cause=BlindCause.SUSPICIOUS,
                chance=1.0,
                drawn_at=at,
            )
            for label in suspects
        )
        if suspects:
            _audit("labels.suspected", platform, actor=None, at=at, labels=len(suspects))
    blind_reviews.fill(platform_id=platform.pk, at=at)
    return len(suspects)
