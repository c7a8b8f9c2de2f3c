"""Bans of domains, hosts and addresses: one live at a time, and what they do to posts that are here."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest

from moderation.models import AuditEntry, Ban, Case, Decision, Post, Revision, Score, User
from moderation.models.bans import BanKind
from moderation.operations import ban, review, score
from tests.moderation.fakes import FakeScorer

Later = Callable[[float], datetime]
Post_ = Callable[..., Post]
Case_ = Callable[..., Case]


class TestImpose:
    def test_bans_the_registrable_domain_of_a_host(self, lead: User, at: datetime) -> None:
        imposed = ban.impose(value=" Shop.Pills.Example ", reason="pharmacy", actor=lead, at=at)

        assert imposed.value == "pills.example"
        entry = AuditEntry.objects.get()
        assert (entry.action, entry.details["value"]) == ("ban.imposed", "pills.example")

    @pytest.mark.parametrize(
        ("kind", "value", "canonical"),
        [
            ("host", "Pay.Pills.example", "pay.pills.example"),
            ("host", "pills.example", "pills.example"),
            ("domain", "10.1.2.3", "10.1.2.3"),
            ("address", "203.0.113.7", "203.0.113.7"),
            ("address", "203.0.113.7/24", "203.0.113.0/24"),
            ("address", "2001:DB8::/48", "2001:db8::/48"),
        ],
    )
    def test_names_its_target_canonically(
        self, lead: User, at: datetime, kind: str, value: str, canonical: str
    ) -> None:
        assert ban.impose(kind=kind, value=value, reason="x", actor=lead, at=at).value == canonical

    def test_refuses_a_second_live_ban(self, lead: User, later: Later) -> None:
        ban.impose(value="pills.example", reason="pharmacy", actor=lead, at=later(0))

        with pytest.raises(ban.AlreadyBanned):
            ban.impose(value="pills.example", reason="again", actor=lead, at=later(1))

    def test_replaces_an_expired_one(self, lead: User, later: Later) -> None:
        ban.impose(value="pills.example", reason="pharmacy", actor=lead, at=later(0), expires_at=later(10))

        ban.impose(value="pills.example", reason="again", actor=lead, at=later(10))

        assert Ban.objects.filter(lifted_at__isnull=True).get().reason == "again"

    @pytest.mark.parametrize(
        ("kind", "value"),
        [("domain", ""), ("domain", "com"), ("domain", "not a domain"), ("domain", "co.uk"),
         ("host", "com"), ("host", "10.1.2.3"), ("address", "pills.example"), ("address", "0.0.0.0/0"),
         ("address", "10.0.0.0/8"), ("address", "::/0"), ("address", "203.0.113.7/33")],
    )  # fmt: skip
    def test_refuses_what_cannot_be_banned(self, lead: User, at: datetime, kind: str, value: str) -> None:
        with pytest.raises(ban.NotBannable):
            ban.impose(kind=kind, value=value, reason="", actor=lead, at=at)


class TestScoring:
    @pytest.mark.parametrize(
        ("kind", "value", "is_hit"),
        [
            ("domain", "pills.example", True),
            ("host", "pay.pills.example", True),
            ("host", "www.pills.example", False),
            ("host", "a.pay.pills.example", False),
            ("address", "203.0.113.7", True),
            ("address", "203.0.113.0/28", True),
            ("address", "203.0.113.8", False),
            ("address", "2001:db8::/48", False),
        ],
    )
    def test_honours_a_ban(
        self,
        post: Post_,
        fake_scorer: FakeScorer,
        lead: User,
        later: Later,
        kind: str,
        value: str,
        is_hit: bool,
    ) -> None:
        imposed = ban.impose(kind=kind, value=value, reason="x", actor=lead, at=later(0))
        post(text="https://pay.pills.example/x", ip="203.0.113.7")

        score.run(revision_ids=[Revision.objects.get().pk], at=later(1))

        scored = Score.objects.get()
        assert scored.ban_id == (imposed.pk if is_hit else None)
        assert (scored.record["ip"], scored.record["links"][0]["host"]) == (
            "203.0.113.7",
            "pay.pills.example",
        )
        if is_hit:
            assert (scored.spam_probability, Decision.objects.get().verdict) == (1.0, "spam")

    def test_reaches_hosts_below_a_banned_one(
        self, post: Post_, fake_scorer: FakeScorer, lead: User, later: Later
    ) -> None:
        ban.impose(kind="host", value="pay.pills.example", reason="x", actor=lead, at=later(0))
        post(text="https://a.b.pay.pills.example/x https://xpay.pills.example/")

        score.run(revision_ids=[Revision.objects.get().pk], at=later(1))

        assert Score.objects.get().ban is not None

    def test_forgets_expired_and_lifted_bans(
        self, post: Post_, fake_scorer: FakeScorer, lead: User, later: Later
    ) -> None:
        ban.impose(
            kind=BanKind.ADDRESS,
            value="203.0.113.7",
            reason="x",
            actor=lead,
            at=later(0),
            expires_at=later(1),
        )
        lifted = ban.impose(value="pills.example", reason="x", actor=lead, at=later(0))
        ban.lift(ban_id=lifted.pk, actor=lead, at=later(1))
        post(text="https://pills.example/", ip="203.0.113.7")

        score.run(revision_ids=[Revision.objects.get().pk], at=later(2))

        assert Score.objects.get().ban is None


class TestRequeue:
    def test_takes_waiting_posts_out_of_the_queue(self, open_case: Case_, lead: User, later: Later) -> None:
        case = open_case(text="https://pills.example/")

        ban.impose(value="pills.example", reason="x", actor=lead, at=later(5), requeue=ban.Requeue.WAITING)
        score.run(revision_ids=[case.score.revision_id], at=later(6))

        case.refresh_from_db()
        assert case.state == "withdrawn"
        assert Decision.objects.get().verdict == "spam"
        assert AuditEntry.objects.get(action="ban.imposed").details["scored_again"] == 1

    def test_leaves_what_people_judged(
        self, open_case: Case_, lead: User, moderator: User, later: Later
    ) -> None:
        case = open_case(text="https://pills.example/")
        review.claim(case_id=case.pk, moderator=moderator, at=later(2))
        review.decide(case_id=case.pk, case_version=1, moderator=moderator, verdict="not_spam", at=later(3))

        ban.impose(value="pills.example", reason="x", actor=lead, at=later(5), requeue=ban.Requeue.RECENT)

        assert Revision.objects.get().score_state == "scored"

    def test_reaches_recent_posts_that_the_filter_let_pass(
        self, post: Post_, fake_scorer: FakeScorer, lead: User, later: Later
    ) -> None:
        fake_scorer.default = 0.01
        post(text="https://pills.example/")
        revision = Revision.objects.get()
        score.run(revision_ids=[revision.pk], at=later(1))

        ban.impose(value="pills.example", reason="x", actor=lead, at=later(5), requeue=ban.Requeue.RECENT)
        score.run(revision_ids=[revision.pk], at=later(6))

        assert [one.verdict for one in Decision.objects.order_by("pk")] == ["not_spam", "spam"]


class TestLift:
    def test_lifts_once(self, lead: User, later: Later) -> None:
        imposed = ban.impose(value="pills.example", reason="pharmacy", actor=lead, at=later(0))

        ban.lift(ban_id=imposed.pk, actor=lead, at=later(1))

        with pytest.raises(ban.NotBanned):
            ban.lift(ban_id=imposed.pk, actor=lead, at=later(2))

    def test_scores_again_what_it_removed(
        self, post: Post_, fake_scorer: FakeScorer, lead: User, later: Later
    ) -> None:
        imposed = ban.impose(value="pills.example", reason="x", actor=lead, at=later(0))
        post(text="https://pills.example/")
        revision = Revision.objects.get()
        score.run(revision_ids=[revision.pk], at=later(1))

        assert ban.lift(ban_id=imposed.pk, actor=lead, at=later(2), is_requeued=True) == 1
        score.run(revision_ids=[revision.pk], at=later(3))

        assert Case.objects.get().state == "open"
