"""What rules do to the posts that they reach: bans, holds and allowances in scoring."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from moderation.models import AuditEntry, Case, Decision, Revision, Score, User
from moderation.models.rules import RuleKind
from moderation.operations import rules
from moderation.operations.erasure import erase
from moderation.operations.scoring import score
from moderation.queries.records import records
from moderation.queries.rules import rule_pages, rules_in_force, targets
from tests.moderation.conftest import Case_, Post_, judge
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import later
from tests.moderation.operations.conftest import Impose

pytestmark = pytest.mark.usefixtures("fake_scorer")


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
    def test_honours_a_ban(self, post: Post_, impose: Impose, kind: str, value: str, is_hit: bool) -> None:
        imposed = impose(kind=kind, value=value)
        post(text="https://pay.pills.example/x", ip="203.0.113.7")

        score.run(revision_ids=[Revision.objects.get().pk], at=later(1))

        scored = Score.objects.get()
        assert scored.ban_id == (imposed.pk if is_hit else None)
        assert scored.record["links"][0]["host"] == "pay.pills.example"
        if is_hit:
            decision = Decision.objects.get()
            assert (scored.spam_probability, decision.verdict) == (1.0, "spam")
            assert decision.reason == f"banned_{kind}"

    def test_reaches_hosts_below_a_banned_one(self, post: Post_, impose: Impose) -> None:
        impose(kind="host", value="pay.pills.example")
        post(text="https://a.b.pay.pills.example/x https://xpay.pills.example/")

        score.run(revision_ids=[Revision.objects.get().pk], at=later(1))

        assert Score.objects.get().ban is not None

    def test_forgets_expired_and_lifted_bans(self, post: Post_, lead: User, impose: Impose) -> None:
        impose(kind=RuleKind.ADDRESS, value="203.0.113.7", expires_at=later(1))
        lifted = impose()
        rules.lift(rule_id=lifted.pk, actor=lead, at=later(1))
        post(text="https://pills.example/", ip="203.0.113.7")

        score.run(revision_ids=[Revision.objects.get().pk], at=later(2))

        assert Score.objects.get().ban is None


class TestTexts:
    SPAM = "Check out my ch\u200bannel! Call (888) 555-0162, https://t.me/crypto_king or https://xn--py-7kc.example/"
    RULES = (
        ("text", "check out my channel"),
        ("phone", "+1 888 555 0162"),
        ("handle", "telegram:@crypt0_king"),
        ("lookalike", "pay.example"),
    )

    @pytest.mark.parametrize(("kind", "value"), RULES)
    def test_are_banned_by_what_they_name(self, post: Post_, impose: Impose, kind: str, value: str) -> None:
        imposed = impose(kind=kind, value=value)
        post(text=self.SPAM)
        post(text="Call (888) 555-0163 about my channel, https://pay.example/")

        score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(1))

        assert list(Score.objects.order_by("pk").values_list("ban", flat=True)) == [imposed.pk, None]
        assert Decision.objects.get().reason == f"banned_{kind}"
        assert rule_pages.hits([imposed]) == {imposed.pk: 1}

    def test_take_as_many_queries_however_many_rules_there_are(self, post: Post_, impose: Impose) -> None:
        revision = post(text=self.SPAM).revisions.get()
        frozen = records.record_at(revision=revision, at=later(1))
        counts = []
        for number in range(0, 40, 20):
            for more in range(20):
                value = f"check out channel {number + more}"
                impose(kind="text", value=value)
            with CaptureQueriesContext(connection) as queries:
                found = rules_in_force.for_revisions(revisions=[revision], records=[frozen], at=later(1))
            counts.append((len(queries), found.texts))

        assert counts == [(2, ())] * 2

    def test_are_tried_on_what_people_judged_last_and_what_came_last(
        self, open_case: Case_, moderator: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(targets, "JUDGED", 1)
        monkeypatch.setattr(targets, "NEWEST", 1)
        cases = [open_case(text=self.SPAM) for _ in range(5)]
        for case in cases[:2]:
            judge(case, moderator, at=later(3))

        found = targets.naming(kind="phone", value="+18885550162")

        assert found == [cases[1].score.revision_id, cases[4].score.revision_id]

    def test_that_were_erased_are_not_tried(self, post: Post_) -> None:
        erase.post(post_id=post(text=self.SPAM).pk, at=later(1))

        tried = targets.dry_run(wanted=targets.target(kind="phone", value="+18885550162"), at=later(4))

        assert tried.figures.posts == 0


class TestAllowAndHold:
    @pytest.mark.parametrize("probability", [0.99, 0.5, 0.01])
    def test_what_is_allowed_passes(
        self, post: Post_, fake_scorer: FakeScorer, impose: Impose, probability: float
    ) -> None:
        allowance = impose(value="shop.example", expires_at=later(50), effect="allow")
        fake_scorer.default = probability
        post(text="https://www.shop.example/")

        score.run(revision_ids=[Revision.objects.get().pk], at=later(1))

        scored, decision = Score.objects.get(), Decision.objects.get()
        assert (scored.route, scored.ruled_by, scored.ban) == ("allow", allowance, None)
        assert scored.spam_probability == probability
        assert (decision.verdict, decision.reason) == ("not_spam", "allowed")
        assert not Case.objects.exists()

    def test_under_a_hold_nothing_passes_unseen(
        self, post: Post_, fake_scorer: FakeScorer, impose: Impose
    ) -> None:
        hold = impose(value="shop.example", expires_at=later(50), effect="hold")
        fake_scorer.probabilities = {"fine https://shop.example/": 0.01, "spam https://shop.example/": 0.99}
        for text in fake_scorer.probabilities:
            post(external_id=text, text=text)

        score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(1))

        case = Case.objects.get()
        assert (case.reason, case.score.rule, case.score.route) == ("hold", hold, "review")
        assert Decision.objects.get().verdict == "spam"

    def test_an_allowance_empties_the_queue_and_lifting_fills_it(
        self, open_case: Case_, lead: User, impose: Impose
    ) -> None:
        case = open_case(text="https://shop.example/")
        allowance = impose(
            effect="allow",
            value="shop.example",
            at=later(5),
            expires_at=later(50),
            requeue=rules.Requeue.WAITING,
        )
        score.run(revision_ids=[case.score.revision_id], at=later(6))
        case.refresh_from_db()

        assert case.state == "withdrawn"
        assert rules.lift(rule_id=allowance.pk, actor=lead, at=later(7), is_requeued=True) == 1
        score.run(revision_ids=[case.score.revision_id], at=later(8))
        assert Case.objects.filter(state="open").exists()

    def test_an_author_is_allowed_on_their_platform_and_forgotten_with_it(
        self, post: Post_, fake_scorer: FakeScorer, impose: Impose
    ) -> None:
        author = post().author
        allowance = impose(expires_at=later(50), effect="allow", kind="author", value=str(author.pk))
        fake_scorer.default = 0.99

        score.run(revision_ids=[Revision.objects.get().pk], at=later(1))
        erase.author(platform=author.platform, external_id="honest_author", at=later(2))

        assert Score.objects.get().rule == allowance
        allowance.refresh_from_db()
        assert (allowance.reason, allowance.lifted_at) == ("", later(2))
        assert not AuditEntry.objects.filter(details__reason="x").exists()
