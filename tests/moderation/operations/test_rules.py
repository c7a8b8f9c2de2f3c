"""Rules about links and senders: one live at a time, drafted, lifted, and what is scored again."""

from datetime import timedelta

import pytest

from moderation.models import (
    AuditEntry,
    Case,
    Decision,
    Delivery,
    Platform,
    Revision,
    Rule,
    Score,
    ScoringJob,
    User,
)
from moderation.models.decisions import Verdict
from moderation.models.rules import IDENTIFIERS, WORDS
from moderation.operations import refusals, rules
from moderation.operations.erasure import erase
from moderation.operations.scoring import score
from moderation.operations.webhooks import endpoints
from tests.moderation.conftest import Case_, Post_, judge
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.conftest import Impose

pytestmark = pytest.mark.usefixtures("fake_scorer")

VALUES = {
    "text": "check out my channel",
    "phone": "+18885550162",
    "wallet": "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    "handle": "telegram/@crypto_king",
    "lookalike": "pay.example",
    "picture": "0f" * 32,
}
WALLET = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
OTHERS = {
    "text": "win a free phone",
    "phone": "+491711234567",
    "wallet": "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
    "handle": "@crypto_king",
    "lookalike": "bank.example",
}


class TestImpose:
    def test_bans_the_registrable_domain_of_a_host(self, impose: Impose) -> None:
        imposed = impose(value=" Shop.Pills.Example ")

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
            ("text", "Check OUT my channel!", "check out my channel"),
            ("phone", "+1 (888) 555-0162", "+18885550162"),
            ("wallet", WALLET, WALLET.lower()),
            ("handle", "t.me/Crypto_King", "telegram/@crypto_king"),
            ("lookalike", "www.Pay.example", "pay.example"),
        ],
    )
    def test_names_its_target_canonically(
        self, impose: Impose, kind: str, value: str, canonical: str
    ) -> None:
        assert impose(kind=kind, value=value).value == canonical

    def test_replaces_an_expired_one(self, impose: Impose) -> None:
        impose(expires_at=later(10))

        impose(reason="again", at=later(10))

        assert Rule.objects.filter(lifted_at__isnull=True).get().reason == "again"

    @pytest.mark.parametrize(
        ("kind", "value"),
        [("domain", ""), ("domain", "com"), ("domain", "not a domain"), ("domain", "co.uk"),
         ("host", "com"), ("host", "10.1.2.3"), ("address", "pills.example"), ("address", "0.0.0.0/0"),
         ("address", "10.0.0.0/8"), ("address", "::/0"), ("address", "203.0.113.7/33"),
         ("author", "0"), ("author", "rosa"), ("text", "two words"), ("phone", "888 555 0162"),
         ("wallet", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb"), ("handle", "rosa"), ("lookalike", "com")],
    )  # fmt: skip
    def test_refuses_what_cannot_be_banned(self, impose: Impose, kind: str, value: str) -> None:
        with pytest.raises(rules.NotATarget):
            impose(kind=kind, value=value, reason="")

    @pytest.mark.parametrize("kind", IDENTIFIERS)
    def test_never_allows_what_anybody_can_write(self, impose: Impose, kind: str) -> None:
        with pytest.raises(rules.NotAllowable):
            impose(kind=kind, value=VALUES[kind], effect="allow", expires_at=later(9))

    @pytest.mark.parametrize("kind", WORDS)
    def test_writes_no_words_into_what_cannot_be_erased(
        self, lead: User, impose: Impose, platform: Platform, kind: str
    ) -> None:
        endpoints.add(platform=platform, url="https://hooks.example/", events=["rule.activated"], at=later(0))

        imposed = impose(kind=kind, value=VALUES[kind], reason="Rosa")
        rules.lift(rule_id=imposed.pk, actor=lead, at=later(1))

        for entry in AuditEntry.objects.filter(subject_kind="rule"):
            assert {"value", "reason"}.isdisjoint(entry.details)
            assert entry.subject_id == str(imposed.pk)
        assert imposed.value not in str(list(Delivery.objects.values_list("body", flat=True)))


class TestForgetEnded:
    @pytest.mark.parametrize("kind", IDENTIFIERS)
    def test_wipes_words_thirty_days_after_the_end(self, lead: User, impose: Impose, kind: str) -> None:
        lifted = impose(kind=kind, value=VALUES[kind], reason="Rosa")
        rules.lift(rule_id=lifted.pk, actor=lead, at=AT)
        ends = AT + timedelta(days=1)
        expired = [
            impose(kind=kind, value=value, reason="Rosa", expires_at=ends)
            for value in (VALUES[kind], OTHERS[kind])
        ]

        rules.forget_ended(at=AT + timedelta(days=30, seconds=-1))
        assert not Rule.objects.filter(value="").exists()
        erase.expired(at=AT + timedelta(days=31))

        for rule in (lifted, *expired):
            rule.refresh_from_db()
            is_wiped = (rule.value, rule.anchor, rule.reason) == ("", "", "")
            assert is_wiped is (kind in WORDS)
            assert str(rule.label)

    def test_leaves_what_is_in_force(self, impose: Impose) -> None:
        imposed = impose(kind="text", value="check out my channel")

        rules.forget_ended(at=AT + timedelta(days=900))

        imposed.refresh_from_db()
        assert imposed.value == "check out my channel"


class TestRequeue:
    def test_takes_waiting_posts_out_of_the_queue(self, open_case: Case_, impose: Impose) -> None:
        case = open_case(text="https://pills.example/")

        impose(at=later(5), requeue=rules.Requeue.WAITING)
        score.run(revision_ids=[case.score.revision_id], at=later(6))

        case.refresh_from_db()
        assert case.state == "withdrawn"
        assert Decision.objects.get().verdict == "spam"
        assert AuditEntry.objects.get(action="rule.activated").details["scored_again"] == 1

    def test_leaves_what_people_judged(self, open_case: Case_, impose: Impose, moderator: User) -> None:
        case = open_case(text="https://pills.example/")
        judge(case, moderator, at=later(3), verdict=Verdict.NOT_SPAM)

        impose(at=later(5), requeue=rules.Requeue.RECENT)

        assert ScoringJob.objects.get().state == "scored"

    def test_reaches_recent_posts_that_the_filter_let_pass(
        self, post: Post_, fake_scorer: FakeScorer, impose: Impose
    ) -> None:
        fake_scorer.default = 0.01
        post(text="https://pills.example/")
        revision = Revision.objects.get()
        score.run(revision_ids=[revision.pk], at=later(1))

        impose(at=later(5), requeue=rules.Requeue.RECENT)
        score.run(revision_ids=[revision.pk], at=later(6))

        assert [one.verdict for one in Decision.objects.order_by("pk")] == ["not_spam", "spam"]


class TestLift:
    def test_scores_again_what_it_removed(self, post: Post_, lead: User, impose: Impose) -> None:
        imposed = impose()
        post(text="https://pills.example/")
        revision = Revision.objects.get()
        score.run(revision_ids=[revision.pk], at=later(1))

        assert rules.lift(rule_id=imposed.pk, actor=lead, at=later(2), is_requeued=True) == 1
        score.run(revision_ids=[revision.pk], at=later(3))

        assert Case.objects.get().state == "open"


class TestDraft:
    def test_does_nothing_until_it_is_activated(self, post: Post_, lead: User) -> None:
        drafted = rules.draft(value="pills.example", reason="x", actor=lead, at=later(0))
        revisions = []
        for name in ("before", "after"):
            made = post(external_id=name, text="https://pills.example/")
            revisions.append(Revision.objects.get(post=made).pk)
            score.run(revision_ids=revisions[-1:], at=later(1))
            if name == "before":
                rules.activate(rule_id=drafted.pk, actor=lead, at=later(1))

        assert [one.ban_id for one in Score.objects.order_by("pk")] == [None, drafted.pk]

    def test_is_worth_nothing_past_its_end(self, lead: User) -> None:
        drafted = rules.draft(value="a.example", reason="x", actor=lead, at=later(0), expires_at=later(5))

        with pytest.raises(refusals.NotInForce):
            rules.activate(rule_id=drafted.pk, actor=lead, at=later(5))
