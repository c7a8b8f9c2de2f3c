"""What was collected, as the record freezes it: fetched before the instant, bounded, unknown as None."""

import json
from datetime import datetime
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from moderation.models import Evidence, Post, Revision, RevisionEvidence, Score
from moderation.operations.erasure import erase
from moderation.operations.scoring import score
from moderation.queries.records import records, stored_records
from scoring.evidence import CAPTIONS, MOST_CHARACTERS, MOST_PIECES, EvidencePiece, PageRead, PictureRead
from scoring.records import PostRecord
from tests.moderation.conftest import Later, Post_
from tests.moderation.fakes import FakeScorer

LINK = "http://short.example/now"
PAGE: dict[str, Any] = {
    "title": "Claim it",
    "article": "Your parcel waits",
    "text": "Home Your parcel waits",
    "forms": [{"action_host": "takes.example", "posts_elsewhere": True, "asks_password": True}],
    "downloads": [],
}
PICTURE: dict[str, Any] = {
    "format": "png",
    "text": "WIN 5000 EUR",
    "text_engine": "tesseract 5",
    "codes": [{"format": "QRCode", "text": "http://takes.example/"}],
    "pdq": "f" * 64,
    "pdq_quality": 87,
}


@pytest.fixture
def posted(post: Post_) -> Revision:
    return latest(post(links=[LINK]))


def latest(post: Post) -> Revision:
    return Revision.objects.select_related("post__platform", "post__author", "grouped").get(post=post)


def add(revision: Revision, *, at: datetime, role: str = "link", **row: Any) -> None:
    """Join what was fetched at an instant to a revision, at its next position."""
    number = Evidence.objects.count()
    given = {
        "url": f"{LINK}/{number}",
        "url_digest": f"{number:064}",
        "site": "short.example",
        "kind": "page",
        "state": "fetched",
        "final_host": "www.lands.example",
        "final_domain": "lands.example",
        "chain": [{"url": LINK, "status": 302}, {"url": "http://www.lands.example/", "status": 200}],
    }
    evidence = Evidence.objects.create(
        **(given | row), hour=at, enqueued_at=at, since=at, due_at=at, fetched_at=at
    )
    RevisionEvidence.objects.create(revision=revision, evidence=evidence, role=role, position=number)


def frozen(revision: Revision, at: datetime) -> tuple[EvidencePiece, ...]:
    return records.record_at(revision=revision, at=at).evidence


class TestEvidence:
    def test_holds_pages_and_pictures_in_the_order_of_the_post_also_stored(
        self, posted: Revision, later: Later
    ) -> None:
        add(posted, at=later(1), facts=PAGE)
        add(posted, at=later(1), role="media", facts=PICTURE, chain=[{"url": LINK, "status": 200}])

        page, picture = frozen(posted, later(2))

        assert page == EvidencePiece(
            role="link",
            hops=1,
            host="www.lands.example",
            domain="lands.example",
            leads_elsewhere=True,
            page=PageRead(
                title="Claim it",
                article="Your parcel waits",
                text="Home Your parcel waits",
                asks_password=True,
                posts_elsewhere=True,
                sends_password_elsewhere=True,
            ),
        )
        assert (picture.role, picture.hops, picture.page) == ("media", 0, None)
        assert picture.picture == PictureRead(
            text="WIN 5000 EUR", codes=("http://takes.example/",), pdq="f" * 64, pdq_quality=87
        )
        record = records.record_at(revision=posted, at=later(2))
        assert PostRecord.from_json(json.loads(json.dumps(record.to_json()))) == record

    def test_knows_nothing_that_was_fetched_later(self, posted: Revision, later: Later) -> None:
        add(posted, at=later(5), facts=PAGE)

        assert frozen(posted, later(5)) == ()
        assert len(frozen(posted, later(6))) == 1

    @pytest.mark.parametrize(
        ("row", "expected"),
        [
            ({"state": "refused", "facts": None, "final_host": "", "final_domain": ""}, (None, None, None)),
            ({"state": "timed_out", "facts": None, "chain": []}, (True, None, None)),
            ({"facts": {"downloads": [{"url": LINK, "name": "a.apk"}]}}, (True, True, None)),
            ({"facts": PICTURE | {"text_engine": "", "text": ""}}, (True, None, True)),
            ({"facts": {}, "final_domain": "short.example"}, (False, None, None)),
        ],
    )
    def test_says_what_was_not_read(
        self, row: dict[str, Any], expected: tuple[object, ...], posted: Revision, later: Later
    ) -> None:
        add(posted, at=later(1), **row)

        [piece] = frozen(posted, later(2))

        assert piece.state == row.get("state", "fetched")
        offers = piece.page.offers_download if piece.page else None
        is_unread = piece.picture.text is None if piece.picture else None
        assert (piece.leads_elsewhere, offers, is_unread) == expected

    def test_is_bounded(self, posted: Revision, later: Later) -> None:
        for _ in range(MOST_PIECES + 2):
            add(posted, at=later(1), facts=PAGE | {"text": "ä" * 20_000, "article": "b" * 20_000})

        pieces = frozen(posted, later(2))

        assert len(pieces) == MOST_PIECES
        assert all(
            len(one.page.text) == len(one.page.article) == MOST_CHARACTERS for one in pieces if one.page
        )
        assert len(json.dumps(records.record_at(revision=posted, at=later(2)).to_json())) < 250_000

    def test_holds_captions_from_the_first_score_on(self, post: Post_, later: Later) -> None:
        said = {"language": "en", "source": "", "is_cut": False, "cues": [[0, 9, "Win"], [9, 20, "now"]]}
        revision = latest(post(transcripts=(said, {**said, "cues": []})))

        assert frozen(revision, later(1)) == (EvidencePiece(role=CAPTIONS, transcript="Win now"),)

    def test_costs_no_query_where_nothing_can_be_collected(
        self, post: Post_, later: Later, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        revisions = [latest(post(text=f"No link {number}")) for number in range(3)]

        with django_assert_num_queries(3):
            records.records_at(revisions=revisions, at=later(1))

        revisions = [latest(post(text=f"Look {number}", media_urls=(LINK,))) for number in range(3)]
        with django_assert_num_queries(4):
            records.records_at(revisions=revisions, at=later(1))


def test_erasing_a_post_erases_the_words_that_its_scores_froze(
    posted: Revision, fake_scorer: FakeScorer, later: Later
) -> None:
    add(posted, at=later(1), facts=PAGE)
    score.run(revision_ids=[posted.pk], at=later(2))
    stored = Score.objects.get()
    assert stored.record["evidence"][0]["page"]["article"] == "Your parcel waits"
    assert stored_records.read(stored) == records.record_at(revision=posted, at=later(2))

    erase.post(post_id=posted.post_id, at=later(3))

    stored.refresh_from_db()
    assert "parcel" not in json.dumps([stored.record, stored.contributions])
