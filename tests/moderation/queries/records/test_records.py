"""The record as of an instant: everything known before it, nothing known after."""

from datetime import datetime
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from moderation.models import LinkVerdict, Post, PostLink, Revision, User
from moderation.models.decisions import Verdict
from moderation.operations.cases import reversals
from moderation.operations.posts import complaints
from moderation.operations.posts.incoming_post import IncomingAuthor
from moderation.queries.records import records
from scoring.records import LinkReputation
from tests.moderation.conftest import Case_, Post_, judge
from tests.moderation.counted_case import account
from tests.moderation.instants import later

TEXT = "Cheap pills without prescription at http://pills.example/now"


def latest(post: Post) -> Revision:
    rows = Revision.objects.select_related("post__platform", "post__author")
    return rows.get(post=post, number=post.latest_revision)


def report(post: Post, at: datetime, reporter: str = "reporter", **said: str) -> None:
    words: dict[str, Any] = {"reason": "spam", **said}
    complaint = complaints.IncomingComplaint(
        post=post.external_id, reporter=reporter, reported_at=at, **words
    )
    complaints.record(platform=post.platform, complaint=complaint, at=at)


class TestRecordAt:
    def test_counts_what_happened_before(self, post: Post_, open_case: Case_, moderator: User) -> None:
        spam = open_case(text=TEXT, ip="192.0.2.7")
        judge(spam, moderator, at=later(10))
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

    def test_leaks_nothing_that_came_later(self, post: Post_, open_case: Case_, moderator: User) -> None:
        spam = open_case(text=TEXT, ip="192.0.2.7")
        judged = post(text=TEXT, ip="192.0.2.7", at=later(5))
        before = records.record_at(revision=latest(judged), at=later(30))

        judge(spam, moderator, at=later(30))
        report(spam.post, later(30))
        report(judged, later(31))
        for number in range(3):
            post(text=TEXT, ip="192.0.2.7", at=later(32 + number))

        assert records.record_at(revision=latest(judged), at=later(30)) == before
        assert records.record_at(revision=latest(judged), at=later(99)) != before

    def test_remembers_a_label_that_was_retracted_only_later(
        self, post: Post_, open_case: Case_, moderator: User
    ) -> None:
        case = open_case(text=TEXT)
        judge(case, moderator, at=later(10))
        judged = post(text=TEXT, at=later(12))
        decision = case.decisions.get()
        reversals.correct(
            decision_id=decision.pk, verdict=Verdict.NOT_SPAM, moderator=moderator, at=later(60)
        )

        then = records.record_at(revision=latest(judged), at=later(20)).author_history
        just_then = records.record_at(revision=latest(judged), at=later(60)).author_history
        now = records.record_at(revision=latest(judged), at=later(70)).author_history

        assert (just_then.confirmed_spam, just_then.confirmed_not_spam) == (1, 0)
        assert (then.confirmed_spam, then.confirmed_not_spam) == (1, 0)
        assert (now.confirmed_spam, now.confirmed_not_spam) == (0, 1)

    def test_costs_the_same_queries_for_one_and_for_many(
        self, post: Post_, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for number in range(20):
            post(text=f"{TEXT}/{number}", ip="192.0.2.7", ip_asn=64496, author=account(number))
        revisions = list(Revision.objects.select_related("post__platform", "post__author", "grouped"))

        with django_assert_num_queries(5):
            records.records_at(revisions=revisions, at=later(1))


class TestHistories:
    def test_old_decisions_weigh_less(self, open_case: Case_, post: Post_, moderator: User) -> None:
        judge(open_case(ip="192.0.2.7"), moderator, at=later(10))
        judge(open_case(ip="192.0.2.7"), moderator, at=later(20), verdict=Verdict.NOT_SPAM)
        judged = post(ip="192.0.2.7", at=later(30))

        history = records.record_at(revision=latest(judged), at=later(30 * 86_400)).ip_history

        assert (history.confirmed_spam, history.confirmed_not_spam) == (1, 1)
        assert history.recent_spam == pytest.approx(0.5, abs=1e-4)
        assert history.recent_not_spam == pytest.approx(0.5, abs=1e-4)
        assert (history.spam_days, history.spam_authors) == (1, 1)

    def test_count_complaints_of_spam_apart(self, post: Post_) -> None:
        earlier = post(ip="192.0.2.7")
        report(earlier, later(1), "first")
        report(earlier, later(2), "second", reason="abuse")

        record = records.record_at(revision=latest(post(at=later(3))), at=later(9))

        assert (record.author_history.complaints, record.author_history.spam_complaints) == (2, 1)

    def test_follow_provider_and_mail_domain(self, open_case: Case_, post: Post_, moderator: User) -> None:
        spam = open_case(ip="192.0.2.7", ip_asn=64496, author=account(1))
        judge(spam, moderator, at=later(10))
        other = IncomingAuthor(external_id="newcomer", email_domain="mail.example")
        judged = post(ip="198.51.100.9", ip_asn=64496, author=other, at=later(20))

        record = records.record_at(revision=latest(judged), at=later(30))

        assert record.ip_asn == 64496
        assert record.ip_asn_history.confirmed_spam == 1
        assert record.email_domain_history.confirmed_spam == 1
        assert record.ip_network_history.posts == 0


class TestResembling:
    def test_finds_the_accounts_that_one_script_made(
        self, open_case: Case_, post: Post_, moderator: User
    ) -> None:
        judge(open_case(author=account(1)), moderator, at=later(10))
        post(author=IncomingAuthor(external_id="rosa", display_name="Rosa", email_domain="mail.example"))
        judged = post(author=account(2), at=later(20))

        record = records.record_at(revision=latest(judged), at=later(30))

        assert (record.resembling.authors, record.resembling.confirmed_spam) == (1, 1)
        assert record.resembling.spam_authors == 1

    def test_leaves_out_accounts_that_came_later(self, post: Post_) -> None:
        judged = post(author=account(1))
        post(author=account(2), at=later(20))

        assert records.record_at(revision=latest(judged), at=later(20)).resembling.authors == 0
        assert records.record_at(revision=latest(judged), at=later(21)).resembling.authors == 1


class TestLinkReputation:
    def verdict(self, at: datetime, expires_at: datetime, **values: object) -> None:
        LinkVerdict.objects.create(fetched_at=at, expires_at=expires_at, **values)

    def test_is_the_latest_that_had_come_and_still_held(self, post: Post_) -> None:
        judged = post(text=TEXT)
        digest = PostLink.objects.get().url_digest
        for seconds, value in ((10, 0.0), (20, 1.0)):
            self.verdict(later(seconds), later(100), provider="web_risk", subject=digest, value=value)
        self.verdict(later(10), later(100), provider="trust", subject="pills.example", value=12.0)
        self.verdict(
            later(10), later(100), provider="registration", subject="pills.example", live_since_at=later(-90)
        )

        def known(seconds: float) -> LinkReputation:
            return records.record_at(revision=latest(judged), at=later(seconds)).links[0].reputation

        assert known(10) == LinkReputation()
        assert known(15) == LinkReputation(threat_score=0.0, trust_score=12.0, live_since_at=later(-90))
        assert known(21).threat_score == 1.0
        assert known(100) == LinkReputation()


def test_complaints_say_who_was_new_and_which_notes_are_copies(post: Post_) -> None:
    judged = post()
    report(judged, later(1), "first", note="Remove this liar!!")
    report(judged, later(2), "second", note="remove THIS liar 2")
    report(judged, later(3), "third")

    first, second, third = records.record_at(revision=latest(judged), at=later(9)).complaints

    assert first.note == second.note != third.note == ""
    assert first.reporter_seen_at == later(1)
