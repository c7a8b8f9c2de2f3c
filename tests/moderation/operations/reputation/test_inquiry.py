"""Reputation: asked once, kept, used by records, and bad news has a scored post looked at again."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pytest_django import Settings

from moderation.models import LinkVerdict, Post, Revision, ScoringJob
from moderation.models.posts import ScoreState
from moderation.operations.reputation import inquiry, provider
from moderation.operations.scoring import score
from moderation.queries.records import records
from scoring.records import LinkReputation
from tests.moderation.conftest import Post_
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import later
from tests.moderation.operations.reputation.providers import Providers, registered, serving

TEXT = "Cheap pills without prescription at http://pills.example/now?a=1"
SUSPECTED = {"threatTypes": ["SOCIAL_ENGINEERING_EXTENDED_COVERAGE"], "expireTime": "2026-03-02T00:00:00Z"}


@pytest.fixture
def providers(settings: Settings) -> Iterator[Providers]:
    """All three providers, on a local server that the operator allows."""
    with serving() as server:
        settings.EGRESS_PRIVATE_HOSTS = ("127.0.0.1",)
        settings.WEB_RISK_KEY, settings.WEB_RISK_URL = "risk-key", server.url
        settings.WOT_KEY, settings.WOT_USER, settings.WOT_URL = "wot-key", "wot-user", server.url
        settings.RDAP_URL = server.url
        inquiry._providers.cache_clear()
        yield server
    inquiry._providers.cache_clear()


def revision_of(post: Post) -> Revision:
    return Revision.objects.select_related("post__platform", "post__author").get(post=post)


class TestAsk:
    def test_keeps_what_each_provider_says_and_asks_as_they_document_it(
        self, providers: Providers, post: Post_
    ) -> None:
        revision = revision_of(post(text=TEXT))

        assert inquiry.ask(revision_ids=[revision.pk], at=later(5)) == 3

        reputation = records.record_at(revision=revision, at=later(6)).links[0].reputation
        assert reputation == LinkReputation(
            trust_score=7.0, threat_score=1.0, live_since_at=datetime(2026, 2, 20, 10, 0, tzinfo=UTC)
        )
        assert records.record_at(revision=revision, at=later(5)).links[0].reputation == LinkReputation()
        (risk, risk_headers), (wot, wot_headers), (rdap, _) = providers.asked
        assert risk.startswith("/v1/uris:search?threatTypes=MALWARE&threatTypes=SOCIAL_ENGINEERING&")
        assert risk.endswith("&uri=http%3A%2F%2Fpills.example%2Fnow%3Fa%3D1")
        assert risk_headers["x-goog-api-key"] == "risk-key"
        assert wot == "/v3/targets?t=pills.example"
        assert (wot_headers["x-api-key"], wot_headers["x-user-id"]) == ("wot-key", "wot-user")
        assert rdap == "/domain/pills.example"

    def test_asks_again_only_when_an_answer_has_expired(self, providers: Providers, post: Post_) -> None:
        first, second = revision_of(post(text=TEXT)), revision_of(post(text=TEXT))

        inquiry.ask(revision_ids=[first.pk], at=later(5))
        assert inquiry.ask(revision_ids=[first.pk, second.pk], at=later(60)) == 0
        # Web Risk's match held for five minutes only.
        assert inquiry.ask(revision_ids=[second.pk], at=later(400)) == 1
        assert len(providers.asked) == 4

    @pytest.mark.parametrize(
        ("prefix", "answer", "reputation"),
        [
            ("/v1/uris:search", {}, {"threat_score": 0.0}),
            ("/v1/uris:search", {"threat": SUSPECTED}, {"threat_score": 0.5}),
            ("/v3/targets", [{"target": "pills.example", "safety": {"status": "UNKNOWN"}}], {}),
            ("/domain/", {"events": []}, {}),
        ],
        ids=["not listed", "suspected", "unrated", "no date"],
    )
    def test_reads_every_answer(
        self, prefix: str, answer: Any, reputation: dict[str, float], providers: Providers, post: Post_
    ) -> None:
        for other in providers.answers:
            providers.set(other, b"", status=500)
        providers.set(prefix, answer)
        revision = revision_of(post(text=TEXT))

        assert inquiry.ask(revision_ids=[revision.pk], at=later(5)) >= 1

        known = records.record_at(revision=revision, at=later(6)).links[0].reputation
        assert known == LinkReputation(**reputation)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("answer", "status"),
        [
            (b"<html>", 200),
            ([], 200),
            ({"threat": {"threatTypes": 5, "expireTime": "soon"}, "events": [{}]}, 200),
            ([{"safety": {"reputations": 400}}], 200),
            ({"error": "quota"}, 429),
            (b"x" * 2_000_000, 200),
        ],
        ids=["no JSON", "empty list", "wrong fields", "out of range", "over quota", "too long"],
    )
    def test_takes_nonsense_for_no_answer(
        self, answer: Any, status: int, providers: Providers, post: Post_
    ) -> None:
        for prefix in providers.answers:
            providers.set(prefix, answer, status=status)
        revision = revision_of(post(text=TEXT))

        inquiry.ask(revision_ids=[revision.pk], at=later(5))

        for verdict in LinkVerdict.objects.all():
            assert verdict.value in (None, 0.0)
            assert verdict.live_since_at is None

    def test_leaves_a_failing_provider_alone_for_a_while(self, providers: Providers, post: Post_) -> None:
        for prefix in providers.answers:
            providers.set(prefix, b"", status=503)
        revisions = [revision_of(post(text=f"http://shop{number}.example/")) for number in range(9)]

        inquiry.ask(revision_ids=[revision.pk for revision in revisions], at=later(5))

        assert len(providers.asked) == 3 * provider.BREAKER_FAILURES

    def test_refuses_a_private_address_that_nobody_allowed(
        self, providers: Providers, settings: Settings, post: Post_
    ) -> None:
        settings.EGRESS_PRIVATE_HOSTS = ()

        inquiry.ask(revision_ids=[revision_of(post(text=TEXT)).pk], at=later(5))

        assert providers.asked == []
        [failure] = LinkVerdict.objects.all()
        assert (failure.provider, failure.live_since_at) == ("registration", None)
        assert failure.detail.startswith("127.0.0.1 is not a public address")

    def test_without_keys_nobody_is_asked(self, post: Post_) -> None:
        inquiry._providers.cache_clear()

        assert not inquiry.is_configured()
        assert inquiry.ask(revision_ids=[revision_of(post(text=TEXT)).pk], at=later(5)) == 0


class TestBadNews:
    def test_has_a_scored_post_scored_again(self, providers: Providers, post: Post_) -> None:
        revision = revision_of(post(text=TEXT))
        ScoringJob.objects.update(state=ScoreState.SCORED)

        inquiry.ask(revision_ids=[revision.pk], at=later(5))

        revision.refresh_from_db()
        assert (revision.scoring.state, revision.scoring.generation) == (ScoreState.PENDING, 2)

    def test_good_news_does_not(self, providers: Providers, post: Post_) -> None:
        providers.set("/v1/uris:search", {})
        providers.set("/v3/targets", [{"safety": {"reputations": 93}}])
        providers.set("/domain/", registered("2019-05-01T00:00:00Z"))
        revision = revision_of(post(text=TEXT))
        ScoringJob.objects.update(state=ScoreState.SCORED)

        inquiry.ask(revision_ids=[revision.pk], at=later(5))

        revision.refresh_from_db()
        assert (revision.scoring.state, revision.scoring.generation) == (ScoreState.SCORED, 1)

    def test_of_another_posts_task_counts_for_who_was_scored_before_it(
        self, providers: Providers, post: Post_, fake_scorer: FakeScorer
    ) -> None:
        providers.set("/v1/uris:search", {})
        first, second = revision_of(post(text=TEXT)), revision_of(post(text=TEXT))
        score.run(revision_ids=[second.pk], at=later(4))
        inquiry.ask(revision_ids=[first.pk], at=later(5))

        for at in (later(6), later(8)):
            inquiry.ask(revision_ids=[second.pk], at=at)
            score.run(revision_ids=[second.pk], at=at + timedelta(seconds=1))

        second.refresh_from_db()
        assert second.scoring.generation == 2, "once: the second score was made with it"
