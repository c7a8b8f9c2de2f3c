"""Pictures that come with posts and have no address: kept until they are read, a day at most.

A name stands for each among the post's `media_urls` (moderation/evidence/addresses.py).
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from moderation.evidence import addresses
from moderation.models import Platform, SentPicture
from moderation.models.evidence import EvidenceState
from moderation.models.platforms import Collecting
from moderation.operations.evidence.answers import Answer
from moderation.operations.evidence.fetch import Journey
from moderation.operations.infrastructure import transactions

KEPT = timedelta(days=1)
"""How long a picture waits for the score that requests it; then it is dropped."""
_KIND = "image/*"


@transactions.required
def keep(pictures: Mapping[str, bytes], *, platform: Platform, at: datetime) -> None:
    """Keep pictures of posts by name, if this platform collects evidence."""
    if platform.collects_evidence == Collecting.OFF:
        return
    # Sorted, so that two posts with the same pictures do not deadlock.
    SentPicture.objects.bulk_create(
        [SentPicture(name=name, data=data, sent_at=at) for name, data in sorted(pictures.items())],
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=["sent_at"],
    )


def bring(journey: Journey) -> None:
    """End a journey at a picture that came with a post: nothing is fetched."""
    journey.chain.append({"url": journey.url, "status": None})
    data = SentPicture.objects.filter(name=journey.url).values_list("data", flat=True).first()
    if data is None:
        journey.end(EvidenceState.BROKEN, f"no longer kept: it was not read within {KEPT.days} day")
        return
    journey.answer = Answer(status=200, content_type=_KIND, body=bytes(data))
    journey.end(EvidenceState.FETCHED)


@transactions.required
def drop_read(url: str, *, before: datetime | None) -> None:
    """Drop a picture that was read, unless it came once more since then."""
    if addresses.is_sent(url) and before is not None:
        SentPicture.objects.filter(name=url, sent_at__lte=before).delete()


@transactions.required
def forget(media_urls: Iterable[Iterable[str]]) -> None:
    """Drop the pictures of posts that are erased."""
    names = {url for urls in media_urls for url in map(str, urls) if addresses.is_sent(url)}
    SentPicture.objects.filter(name__in=names).delete()


def drop_old(*, at: datetime) -> None:
    """Drop pictures that were kept long enough."""
    SentPicture.objects.filter(sent_at__lt=at - KEPT).delete()
