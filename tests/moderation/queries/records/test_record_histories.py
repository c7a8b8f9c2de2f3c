"""Two platforms. Promise: what one posted and decided says nothing on the other, unless both share."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from moderation.models import Case, Platform, Post, Revision, User
from moderation.models.cases import CaseState
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingPost
from moderation.operations.scoring import score
from moderation.queries.records import records
from scoring.records import History, PostRecord
from tests.moderation.conftest import Later, judge
from tests.moderation.counted_case import account
from tests.moderation.fakes import FakeScorer

TEXT = "Cheap pills without prescription at http://pills.example/now"


def send(platform: Platform, number: int, *, at: datetime) -> Revision:
    """The same text from the same address by an account of the same making, wherever it is sent."""
    sent = IncomingPost(
        external_id=f"post-{number}", text=TEXT, posted_at=at, ip="192.0.2.7", author=account(number)
    )
    [answer] = ingest.accept(platform=platform, posts=[sent], at=at)
    assert isinstance(answer, ingest.Accepted)
    score.run(
        revision_ids=list(Revision.objects.filter(post=answer.post_id).values_list("pk", flat=True)), at=at
    )
    rows = Revision.objects.select_related("post__platform", "post__author")
    return rows.get(post=answer.post_id)


def known(record: PostRecord) -> dict[str, History]:
    """All histories that posts of others can move."""
    return {
        "ip": record.ip_history,
        "network": record.ip_network_history,
        "mail": record.email_domain_history,
        "resembling": record.resembling,
        "similar": record.similar,
        "domain": record.links[0].domain_history,
    }


@pytest.fixture
def other(at: datetime, platform: Platform) -> Platform:
    return Platform.objects.create(slug="other", name="Other", created_at=at)


@pytest.fixture
def spam_there(other: Platform, fake_scorer: FakeScorer, moderator: User, at: datetime) -> None:
    """Twelve posts on the other platform, all decided to be spam."""
    for number in range(12):
        send(other, number, at=at + timedelta(seconds=number))
    for case in Case.objects.filter(state=CaseState.OPEN).order_by("id"):
        judge(case, moderator, at=at + timedelta(seconds=20))


@pytest.mark.usefixtures("spam_there")
class TestTwoPlatforms:
    def test_know_nothing_of_one_another(self, platform: Platform, later: Later) -> None:
        judged = send(platform, 99, at=later(60))

        record = records.record_at(revision=judged, at=later(61))

        assert {name for name, history in known(record).items() if history.posts} == set()
        assert record.links[0].url_posts == 0

    def test_count_each_others_posts_where_both_share(
        self, platform: Platform, other: Platform, later: Later
    ) -> None:
        judged = send(platform, 99, at=later(60))
        Platform.objects.filter(pk=platform.pk).update(shares_histories=True)
        one_sided = records.record_at(revision=judged, at=later(61))
        Platform.objects.filter(pk=other.pk).update(shares_histories=True)

        record = records.record_at(revision=judged, at=later(61))

        assert {history.posts for history in known(one_sided).values()} == {0}
        assert {history.confirmed_spam for history in known(record).values()} == {12}
        assert record.links[0].url_posts == 12

    def test_know_their_own_posts_behind_those_of_another(
        self, platform: Platform, other: Platform, later: Later
    ) -> None:
        send(platform, 50, at=later(30))
        for number in range(60, 70):
            send(other, number, at=later(number))
        judged = send(platform, 99, at=later(90))

        record = records.record_at(revision=judged, at=later(91))

        assert {history.posts for history in known(record).values()} == {1}


def test_a_platform_alone_is_counted_as_before(
    platform: Platform, fake_scorer: FakeScorer, later: Later
) -> None:
    for number in range(3):
        send(platform, number, at=later(number))
    judged = send(platform, 99, at=later(60))

    record = records.record_at(revision=judged, at=later(61))

    assert {history.posts for history in known(record).values()} == {3}
    assert Post.objects.count() == 4
