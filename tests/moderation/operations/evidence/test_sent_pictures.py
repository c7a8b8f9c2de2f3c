"""Pictures that come with posts: read like those with an address, kept no longer than that takes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

import pytest
from django.db import transaction
from pytest_django import Settings

from moderation.evidence import addresses
from moderation.models import Evidence, EvidenceRequest, Platform, Revision, SentPicture
from moderation.models.evidence import EvidenceState
from moderation.models.platforms import Collecting
from moderation.operations.erasure import erase
from moderation.operations.evidence import collect, opening, sent_pictures, thumbnails
from moderation.operations.scoring import score
from moderation.queries.cases import behind
from moderation.queries.evidence import findings
from tests.moderation.conftest import Post_
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.evidence.hostile_site import HostileSite, picture

pytestmark = pytest.mark.whole

STATE = EvidenceState
Sends = Callable[..., Revision]


@pytest.fixture
def send(post: Post_, site: HostileSite, platform: Platform, fake_scorer: FakeScorer) -> Sends:
    """Store a post with these pictures, score it and write them down."""

    def run(*pictures: bytes, at: datetime, media: Sequence[str] = ()) -> Revision:
        platform.refresh_from_db()
        named = {addresses.sent_name(one, platform=platform.name): one for one in pictures}
        sent = post(media_urls=(*named, *media), pictures=tuple(named.items()), at=at)
        revision = Revision.objects.get(post=sent)
        score.run(revision_ids=[revision.pk], at=at)
        opening.run(revision_ids=[revision.pk], at=at)
        return revision

    return run


def rows() -> list[Evidence]:
    return list(Evidence.objects.order_by("id"))


def read(at: datetime) -> list[Evidence]:
    for row in rows():
        collect.run(evidence_id=row.pk, at=at)
    return rows()


def test_is_read_without_asking_anybody_and_not_kept(send: Sends, site: HostileSite) -> None:
    revision = send(picture("WIN"), at=AT, media=[site.url("/words.png")])

    sent, linked = read(later(1))

    assert (sent.state, linked.state) == (STATE.FETCHED, STATE.FETCHED)
    assert (sent.facts or {})["format"] == "PNG"
    assert sent.thumbnail
    assert sent.chain == [{"url": revision.media_urls[0], "status": None}]
    assert (sent.site, sent.final_host, sent.final_domain) == ("", "", "")
    assert site.paths() == ["/words.png"]
    assert not SentPicture.objects.exists()
    [finding, other] = findings.of(revision)
    assert (finding.is_sent, finding.is_picture, finding.leads_elsewhere) == (True, True, False)
    assert not other.is_sent
    assert not behind.of(revision, [finding, other], at=AT).unopened


def test_is_read_once_for_two_posts_of_a_platform(send: Sends) -> None:
    send(picture("WIN"), at=AT)
    send(picture("WIN"), at=later(1))

    [row] = read(later(2))

    assert row.revisions.count() == 2


def test_platforms_share_none() -> None:
    assert addresses.sent_name(b"a", platform="one") != addresses.sent_name(b"a", platform="two")


@pytest.mark.parametrize(
    ("data", "state"),
    [(b"<p>Hello", STATE.WRONG_KIND), (b"%PDF-1.7", STATE.WRONG_KIND), (picture("WIN")[:300], STATE.BROKEN)],
)
def test_what_is_no_picture_ends_by_name(data: bytes, state: EvidenceState, send: Sends) -> None:
    send(data, at=AT)

    [row] = read(later(1))

    assert (row.state, row.facts) == (state, None)
    assert not SentPicture.objects.exists()


def test_many_do_not_wait_for_one_another(send: Sends, settings: Settings) -> None:
    settings.EVIDENCE_LIMITS = replace(settings.EVIDENCE_LIMITS, site_per_second=1, site_at_once=1)
    send(*(picture(f"WIN {number}") for number in range(3)), at=AT)

    assert {row.state for row in read(later(1))} == {STATE.FETCHED}


def test_is_not_kept_where_nothing_is_collected(send: Sends) -> None:
    Platform.objects.update(collects_evidence=Collecting.OFF)

    revision = send(picture("WIN"), at=AT)

    assert not SentPicture.objects.exists()
    assert not EvidenceRequest.objects.exists()
    assert behind.of(revision, [], at=AT).unopened == tuple(revision.media_urls)


def test_what_nobody_asked_for_is_kept_for_a_day(send: Sends) -> None:
    send(picture("WIN"), at=AT)

    thumbnails.sweep(at=AT + sent_pictures.KEPT)
    assert SentPicture.objects.count() == 1

    thumbnails.sweep(at=AT + sent_pictures.KEPT * 1.01)
    assert not SentPicture.objects.exists()
    [row] = read(AT + sent_pictures.KEPT * 1.02)
    assert row.state == STATE.BROKEN
    assert "no longer kept" in row.detail


def test_one_that_came_again_meanwhile_is_left_to_that_post(send: Sends, platform: Platform) -> None:
    revision = send(picture("WIN"), at=AT)
    [name] = revision.media_urls
    platform.refresh_from_db()
    with transaction.atomic():
        sent_pictures.keep({name: picture("WIN")}, platform=platform, at=later(9))

    read(later(5))

    assert SentPicture.objects.get().sent_at == later(9)


def test_is_erased_with_its_post_before_it_was_read(send: Sends) -> None:
    revision = send(picture("WIN"), at=AT)

    erase.post(post_id=revision.post_id, at=later(1))

    assert not SentPicture.objects.exists()
    assert not Evidence.objects.exists()
