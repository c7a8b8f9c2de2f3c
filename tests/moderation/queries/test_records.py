"""The record as of an instant: everything known before it, nothing known after."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime

from pytest_django import DjangoAssertNumQueries

from moderation.models import Case, Post, Revision, User
from moderation.models.cases import Verdict
from moderation.operations import complain, reverse, review
from moderation.queries import records
from scoring.records import PostRecord

Later = Callable[[float], datetime]
StorePost = Callable[..., Post]
TEXT = "Cheap pills without prescription at http://pills.example/now"


def latest(post: Post) -> Revision:
    rows = Revision.objects.select_related("post__platform", "post__author")
    return rows.get(post=post, number=post.latest_revision)


def report(post: Post, at: datetime, reporter: str = "reporter") -> None:
    complaint = complain.IncomingComplaint(
        post=post.external_id, reporter=reporter, reason="spam", reported_at=at
    )
    complain.record(platform=post.platform, complaint=complaint, at=at)


def decide(case: Case, moderator: User, at: datetime, verdict: Verdict) -> None:
    case = review.claim(case_id=case.pk, moderator=moderator, at=at)
    review.decide(case_id=case.pk, case_version=case.version, moderator=moderator, verdict=verdict, at=at)


class TestRecordAt:
    def test_counts_what_happened_before(
        self, post: StorePost, open_case: Callable[..., Case], moderator: User, later: Later
    ) -> None:
        spam = open_case(text=TEXT, ip="192.0.2.7")
        decide(spam, moderator, later(10), Verdict.SPAM)
        report(spam.post, later(20))
        judged = post(text=TEXT, ip="192.0.2.9", at=later(30))
        report(judged, later(40))

        record = records.record_at(revision=latest(judged), at=later(50))

        assert record.author_history.posts == 1
        assert record.author_history.confirmed_spam == 1
        assert record.ip_history.posts == 0
        assert record.ip_network_history.confirmed_spam == 1
        assert record.links[0].domain_history.posts == record.links[0].url_posts == 1
        assert record.links[0].author_posts == record.same_text_by_author == 1
        assert record.similar.complaints == 1
        assert record.complaints[0].reporter_confirmed == 1

    def test_leaks_nothing_that_came_later(
        self, post: StorePost, open_case: Callable[..., Case], moderator: User, later: Later
    ) -> None:
        spam = open_case(text=TEXT, ip="192.0.2.7")
        judged = post(text=TEXT, ip="192.0.2.7", at=later(5))
        before = records.record_at(revision=latest(judged), at=later(30))

        decide(spam, moderator, later(30), Verdict.SPAM)
        report(spam.post, later(30))
        report(judged, later(31))
        for number in range(3):
            post(text=TEXT, ip="192.0.2.7", at=later(32 + number))

        assert records.record_at(revision=latest(judged), at=later(30)) == before
        assert records.record_at(revision=latest(judged), at=later(99)) != before

    def test_remembers_a_label_that_was_retracted_only_later(
        self, post: StorePost, open_case: Callable[..., Case], moderator: User, later: Later
    ) -> None:
        case = open_case(text=TEXT)
        decide(case, moderator, later(10), Verdict.SPAM)
        judged = post(text=TEXT, at=later(12))
        decision = case.decisions.get()
        reverse.correct(decision_id=decision.pk, verdict=Verdict.NOT_SPAM, moderator=moderator, at=later(60))

        then = records.record_at(revision=latest(judged), at=later(20)).author_history
        now = records.record_at(revision=latest(judged), at=later(70)).author_history

        assert (then.confirmed_spam, then.confirmed_not_spam) == (1, 0)
        assert (now.confirmed_spam, now.confirmed_not_spam) == (0, 1)

    def test_survives_storage(self, post: StorePost, later: Later) -> None:
        record = records.record_at(revision=latest(post(text=TEXT)), at=later(1))

        assert PostRecord.from_json(json.loads(json.dumps(record.to_json()))) == record

    def test_costs_the_same_queries_for_one_and_for_many(
        self, post: StorePost, later: Later, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for number in range(20):
            post(text=f"{TEXT}/{number}", ip="192.0.2.7")
        revisions = list(Revision.objects.select_related("post__platform", "post__author"))

        with django_assert_num_queries(9):
            records.records_at(revisions=revisions, at=later(1))
