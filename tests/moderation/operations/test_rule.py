"""Rules about links and senders: one live at a time, and what they do to posts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from moderation.models import AuditEntry, Case, Decision, Post, Revision, Rule, Score, User
from moderation.models.rules import RuleKind
from moderation.operations import erase, review, rule, score
from tests.moderation.fakes import FakeScorer

Later = Callable[[float], datetime]
Post_ = Callable[..., Post]
Case_ = Callable[..., Case]


class TestImpose:
    def test_bans_the_registrable_domain_of_a_host(self, lead: User, at: datetime) -> None:
        imposed = rule.impose(value=" Shop.Pills.Example ", reason="pharmacy", actor=lead, at=at)

        assert imposed.value == "pills.example"
        entries = AuditEntry.objects.order_by("pk").values_list("action", "details__value")
        assert list(entries) == [("rule.drafted", "pills.example"), ("rule.activated", "pills.example")]

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
        assert rule.impose(kind=kind, value=value, reason="x", actor=lead, at=at).value == canonical

    def test_refuses_a_second_live_ban(self, lead: User, later: Later) -> None:
        rule.impose(value="pills.example", reason="pharmacy", actor=lead, at=later(0))

        with pytest.raises(rule.AlreadyRuled):
            rule.impose(value="pills.example", reason="again", actor=lead, at=later(1))

    def test_replaces_an_expired_one(self, lead: User, later: Later) -> None:
        rule.impose(value="pills.example", reason="pharmacy", actor=lead, at=later(0), expires_at=later(10))

        rule.impose(value="pills.example", reason="again", actor=lead, at=later(10))

        assert Rule.objects.filter(lifted_at__isnull=True).get().reason == "again"

    @pytest.mark.parametrize(
        ("kind", "value"),
        [("domain", ""), ("domain", "com"), ("domain", "not a domain"), ("domain", "co.uk"),
         ("host", "com"), ("host", "10.1.2.3"), ("address", "pills.example"), ("address", "0.0.0.0/0"),
         ("address", "10.0.0.0/8"), ("address", "::/0"), ("address", "203.0.113.7/33"),
         ("author", "0"), ("author", "rosa")],
    )  # fmt: skip
    def test_refuses_what_cannot_be_banned(self, lead: User, at: datetime, kind: str, value: str) -> None:
        with pytest.raises(rule.NotATarget):
            rule.impose(kind=kind, value=value, reason="", actor=lead, at=at)


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
        imposed = rule.impose(kind=kind, value=value, reason="x", actor=lead, at=later(0))
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
        rule.impose(kind="host", value="pay.pills.example", reason="x", actor=lead, at=later(0))
        post(text="https://a.b.pay.pills.example/x https://xpay.pills.example/")

        score.run(revision_ids=[Revision.objects.get().pk], at=later(1))

        assert Score.objects.get().ban is not None

    def test_forgets_expired_and_lifted_bans(
        self, post: Post_, fake_scorer: FakeScorer, lead: User, later: Later
    ) -> None:
        rule.impose(
            kind=RuleKind.ADDRESS,
            value="203.0.113.7",
            reason="x",
            actor=lead,
            at=later(0),
            expires_at=later(1),
        )
        lifted = rule.impose(value="pills.example", reason="x", actor=lead, at=later(0))
        rule.lift(rule_id=lifted.pk, actor=lead, at=later(1))
        post(text="https://pills.example/", ip="203.0.113.7")

        score.run(revision_ids=[Revision.objects.get().pk], at=later(2))

        assert Score.objects.get().ban is None


class TestRequeue:
    def test_takes_waiting_posts_out_of_the_queue(self, open_case: Case_, lead: User, later: Later) -> None:
        case = open_case(text="https://pills.example/")

        rule.impose(value="pills.example", reason="x", actor=lead, at=later(5), requeue=rule.Requeue.WAITING)
        score.run(revision_ids=[case.score.revision_id], at=later(6))

        case.refresh_from_db()
        assert case.state == "withdrawn"
        assert Decision.objects.get().verdict == "spam"
        assert AuditEntry.objects.get(action="rule.activated").details["scored_again"] == 1

    def test_leaves_what_people_judged(
        self, open_case: Case_, lead: User, moderator: User, later: Later
    ) -> None:
        case = open_case(text="https://pills.example/")
        review.claim(case_id=case.pk, moderator=moderator, at=later(2))
        review.decide(case_id=case.pk, case_version=1, moderator=moderator, verdict="not_spam", at=later(3))

        rule.impose(value="pills.example", reason="x", actor=lead, at=later(5), requeue=rule.Requeue.RECENT)

        assert Revision.objects.get().score_state == "scored"

    def test_reaches_recent_posts_that_the_filter_let_pass(
        self, post: Post_, fake_scorer: FakeScorer, lead: User, later: Later
    ) -> None:
        fake_scorer.default = 0.01
        post(text="https://pills.example/")
        revision = Revision.objects.get()
        score.run(revision_ids=[revision.pk], at=later(1))

        rule.impose(value="pills.example", reason="x", actor=lead, at=later(5), requeue=rule.Requeue.RECENT)
        score.run(revision_ids=[revision.pk], at=later(6))

        assert [one.verdict for one in Decision.objects.order_by("pk")] == ["not_spam", "spam"]


class TestLift:
    def test_lifts_once(self, lead: User, later: Later) -> None:
        imposed = rule.impose(value="pills.example", reason="pharmacy", actor=lead, at=later(0))

        rule.lift(rule_id=imposed.pk, actor=lead, at=later(1))

        with pytest.raises(rule.NotInForce):
            rule.lift(rule_id=imposed.pk, actor=lead, at=later(2))

    def test_scores_again_what_it_removed(
        self, post: Post_, fake_scorer: FakeScorer, lead: User, later: Later
    ) -> None:
        imposed = rule.impose(value="pills.example", reason="x", actor=lead, at=later(0))
        post(text="https://pills.example/")
        revision = Revision.objects.get()
        score.run(revision_ids=[revision.pk], at=later(1))

        assert rule.lift(rule_id=imposed.pk, actor=lead, at=later(2), is_requeued=True) == 1
        score.run(revision_ids=[revision.pk], at=later(3))

        assert Case.objects.get().state == "open"


class TestDraft:
    def test_does_nothing_until_it_is_activated(
        self, post: Post_, fake_scorer: FakeScorer, lead: User, later: Later
    ) -> None:
        drafted = rule.draft(value="pills.example", reason="x", actor=lead, at=later(0))
        revisions = []
        for name in ("before", "after"):
            made = post(external_id=name, text="https://pills.example/")
            revisions.append(Revision.objects.get(post=made).pk)
            score.run(revision_ids=revisions[-1:], at=later(1))
            if name == "before":
                rule.activate(rule_id=drafted.pk, actor=lead, at=later(1))

        assert [one.ban_id for one in Score.objects.order_by("pk")] == [None, drafted.pk]

    def test_is_activated_once(self, lead: User, later: Later) -> None:
        drafted = rule.draft(value="pills.example", reason="x", actor=lead, at=later(0))
        rule.activate(rule_id=drafted.pk, actor=lead, at=later(1))

        with pytest.raises(rule.AlreadyActive):
            rule.activate(rule_id=drafted.pk, actor=lead, at=later(2))

    def test_of_something_that_a_live_rule_is_about_waits_for_its_end(self, lead: User, later: Later) -> None:
        rule.impose(value="pills.example", reason="x", actor=lead, at=later(0), expires_at=later(10))
        allowance = rule.draft(
            value="pills.example", effect="allow", reason="x", actor=lead, at=later(1), expires_at=later(90)
        )

        with pytest.raises(rule.AlreadyRuled):
            rule.activate(rule_id=allowance.pk, actor=lead, at=later(9))
        assert rule.activate(rule_id=allowance.pk, actor=lead, at=later(10)).activated_at == later(10)

    def test_is_worth_nothing_past_its_end(self, lead: User, later: Later) -> None:
        drafted = rule.draft(value="a.example", reason="x", actor=lead, at=later(0), expires_at=later(5))

        with pytest.raises(rule.NotInForce):
            rule.activate(rule_id=drafted.pk, actor=lead, at=later(5))

    @pytest.mark.parametrize(("effect", "days"), [("allow", None), ("wave", None), ("wave", 31)])
    def test_of_other_effect_than_a_ban_ends(
        self, lead: User, at: datetime, effect: str, days: int | None
    ) -> None:
        ends = at + timedelta(days=days) if days else None

        with pytest.raises(rule.NoEnd):
            rule.draft(value="a.example", effect=effect, reason="x", actor=lead, at=at, expires_at=ends)


class TestAllowAndWave:
    def impose(self, lead: User, later: Later, **given: Any) -> Rule:
        named = {"value": "shop.example", "kind": "domain"} | given
        return rule.impose(reason="x", actor=lead, at=later(0), expires_at=later(50), **named)

    @pytest.mark.parametrize("probability", [0.99, 0.5, 0.01])
    def test_what_is_allowed_passes(
        self, post: Post_, fake_scorer: FakeScorer, lead: User, later: Later, probability: float
    ) -> None:
        allowance = self.impose(lead, later, effect="allow")
        fake_scorer.default = probability
        post(text="https://www.shop.example/")

        score.run(revision_ids=[Revision.objects.get().pk], at=later(1))

        scored, decision = Score.objects.get(), Decision.objects.get()
        assert (scored.route, scored.ruled_by, scored.ban) == ("allow", allowance, None)
        assert scored.spam_probability == probability
        assert (decision.verdict, decision.reason) == ("not_spam", "allowed")
        assert not Case.objects.exists()

    def test_in_a_wave_nothing_passes_unseen(
        self, post: Post_, fake_scorer: FakeScorer, lead: User, later: Later
    ) -> None:
        wave = self.impose(lead, later, effect="wave")
        fake_scorer.probabilities = {"fine https://shop.example/": 0.01, "spam https://shop.example/": 0.99}
        for text in fake_scorer.probabilities:
            post(external_id=text, text=text)

        score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(1))

        case = Case.objects.get()
        assert (case.reason, case.score.rule, case.score.route) == ("wave", wave, "review")
        assert Decision.objects.get().verdict == "spam"

    @pytest.mark.parametrize("effect", ["allow", "wave"])
    def test_both_end_by_themselves(
        self, post: Post_, fake_scorer: FakeScorer, lead: User, later: Later, effect: str
    ) -> None:
        self.impose(lead, later, effect=effect)
        post(text="https://shop.example/")

        score.run(revision_ids=[Revision.objects.get().pk], at=later(50))

        assert Score.objects.get().ruled_by is None
        assert Case.objects.get().reason == "uncertain"

    def test_an_allowance_empties_the_queue_and_lifting_fills_it(
        self, open_case: Case_, lead: User, later: Later
    ) -> None:
        case = open_case(text="https://shop.example/")
        allowance = rule.impose(
            effect="allow", value="shop.example", reason="x", actor=lead, at=later(5),
            expires_at=later(50), requeue=rule.Requeue.WAITING,
        )  # fmt: skip
        score.run(revision_ids=[case.score.revision_id], at=later(6))
        case.refresh_from_db()

        assert case.state == "withdrawn"
        assert rule.lift(rule_id=allowance.pk, actor=lead, at=later(7), is_requeued=True) == 1
        score.run(revision_ids=[case.score.revision_id], at=later(8))
        assert Case.objects.filter(state="open").exists()

    def test_an_author_is_allowed_on_their_platform_and_forgotten_with_it(
        self, post: Post_, fake_scorer: FakeScorer, lead: User, later: Later
    ) -> None:
        author = post().author
        allowance = self.impose(lead, later, effect="allow", kind="author", value=str(author.pk))
        fake_scorer.default = 0.99

        score.run(revision_ids=[Revision.objects.get().pk], at=later(1))
        erase.author(platform=author.platform, external_id="honest_author", at=later(2))

        assert Score.objects.get().rule == allowance
        allowance.refresh_from_db()
        assert (allowance.reason, allowance.lifted_at) == ("", later(2))
        assert not AuditEntry.objects.filter(details__reason="x").exists()
