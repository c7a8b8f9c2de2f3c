"""Rules through their pages: the dry run, imposing, activating drafts, lifting; rules about texts."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, DeskSettings, Rule, Score, ScoringJob, User
from moderation.models.users import Role
from moderation.operations import rules
from moderation.operations.scoring import score
from moderation.queries.rules import rule_pages
from tests.moderation.conftest import Case_, Decided
from tests.moderation.fakes import FakeScorer
from tests.moderation.web.conftest import HTMX, DeskOf, flat

FORM = {"kind": "domain", "value": "shop.example", "reason": "Sells pills", "days": "30"}


def impose(desk: Client, **given: str) -> int:
    return desk.post("/rules/new/", FORM | {"requeue": ""} | given).status_code


@pytest.mark.usefixtures("linked")
class TestDryRun:
    @pytest.mark.parametrize(
        ("kind", "value"),
        [("domain", "shop.example"), ("host", "www.shop.example"), ("address", "203.0.113.0/24")],
    )
    def test_counts_what_a_rule_would_have_hit(self, lead_desk: Client, kind: str, value: str) -> None:
        body = lead_desk.get("/rules/new/", {"kind": kind, "value": value}).content.decode()

        assert "<strong>1 post</strong> so far" in body
        assert "None of them has been judged by people." in body
        assert not Rule.objects.exists()

    def test_shows_what_people_found_harmless(
        self, lead_desk: Client, open_case: Case_, decided: Decided
    ) -> None:
        for number, verdict in enumerate(("spam", "spam", "not_spam")):
            text = f"{verdict} {number} https://shop.example/"
            decided(open_case(text=text, at=timezone.now()), verdict=verdict)

        body = lead_desk.get("/rules/new/?kind=domain&value=shop.example").content.decode()

        assert "<strong>2 spam, 1 not</strong>. That is 67% spam (95% interval: 21% to 94%)" in flat(body)
        assert "show the one that was not" in body
        assert "not_spam 2" in body
        harmless = lead_desk.get("/posts/?state=not_spam&domain=shop.example").content.decode()
        assert "not_spam 2" in harmless
        assert "spam 1" not in harmless

    @pytest.mark.parametrize("query", ["", "kind=domain&value=com", "kind=address&value=0.0.0.0/0", "kind=x"])
    def test_refuses_what_cannot_be_banned(self, lead_desk: Client, query: str) -> None:
        assert lead_desk.get(f"/rules/new/?{query}").headers["Location"] == "/rules/"


@pytest.mark.usefixtures("linked")
class TestRules:
    def test_are_imposed_listed_and_lifted_once(self, lead_desk: Client) -> None:
        assert impose(lead_desk) == 302
        impose(lead_desk)
        assert "is already active" in lead_desk.get("/domains/shop.example/").content.decode()
        imposed = Rule.objects.get()
        assert imposed.expires_at is not None
        assert "Sells pills" in lead_desk.get("/rules/").content.decode()
        assert "shop.example" in lead_desk.get("/domains/?which=banned").content.decode()

        lead_desk.post(f"/rules/{imposed.pk}/lift/")

        assert Rule.objects.get().lifted_at is not None
        assert "Sells pills" not in lead_desk.get("/rules/", headers=HTMX).content.decode()
        assert "Sells pills" in lead_desk.get("/rules/?state=ended", headers=HTMX).content.decode()
        lead_desk.post(f"/rules/{imposed.pk}/lift/")
        assert "already lifted" in lead_desk.get("/rules/").content.decode()

    @pytest.mark.parametrize(("text", "found"), [("SHOP", 1), ("pills", 1), ("casino", 0)])
    def test_are_searched_by_target_and_reason(self, lead_desk: Client, text: str, found: int) -> None:
        impose(lead_desk)

        assert len(lead_desk.get("/rules/", {"q": text}).context["rules"]) == found

    def test_of_an_address_show_on_its_page(self, lead_desk: Client) -> None:
        impose(lead_desk, kind="address", value="203.0.113.0/24", days="")

        assert "within 203.0.113.0/24" in lead_desk.get("/addresses/203.0.113.7/").content.decode()

    def test_need_a_reason(self, lead_desk: Client) -> None:
        assert impose(lead_desk, reason="") == 422
        assert not Rule.objects.exists()

    @pytest.mark.parametrize(("effect", "told"), [("allow", "allowed until"), ("hold", "held until")])
    def test_allow_and_hold_until_a_date(self, lead_desk: Client, effect: str, told: str) -> None:
        tried = lead_desk.get(f"/rules/new/?kind=domain&value=shop.example&effect={effect}")
        assert re.search(f'value="{effect}"[^>]*selected', tried.content.decode())
        assert impose(lead_desk, effect=effect, days="") == 422

        assert impose(lead_desk, effect=effect, days="30") == 302

        assert told in lead_desk.get("/domains/shop.example/").content.decode()
        listed = lead_desk.get("/rules/", {"effect": effect}, headers=HTMX).content.decode()
        assert "Sells pills" in listed
        assert "Sells pills" not in lead_desk.get("/rules/?effect=ban", headers=HTMX).content.decode()

    def test_of_an_author_begin_on_their_page(self, lead_desk: Client, linked: Case) -> None:
        author = linked.post.author
        page = f"/authors/{author.pk}/"
        assert f'name="value" value="{author.pk}"' in lead_desk.get(page).content.decode()

        impose(lead_desk, kind="author", value=str(author.pk), effect="allow")

        assert "allowed until" in lead_desk.get(page).content.decode()

    def test_shows_on_the_case_that_it_led_to(
        self, lead_desk: Client, linked: Case, fake_scorer: FakeScorer
    ) -> None:
        impose(lead_desk, effect="hold", requeue="waiting")
        fake_scorer.default = 0.01
        score.run(revision_ids=[linked.score.revision_id], at=timezone.now())
        case = Case.objects.get()

        body = lead_desk.get(f"/review/{case.pk}/").content.decode()

        assert "a person reviews every post that matches" in body
        assert "Held by a rule" in body


class TestDrafts:
    @pytest.fixture
    def draft(self, lead: User, linked: Case) -> Rule:
        given: dict[str, Any] = {"effect": "allow", "value": "shop.example", "reason": "Their own shop"}
        at = timezone.now()
        return rules.draft(actor=lead, at=at, expires_at=at + timedelta(days=9), **given)

    def test_are_listed_shown_with_their_reach_and_put_in_force(self, lead_desk: Client, draft: Rule) -> None:
        assert "Their own shop" in lead_desk.get("/rules/?state=draft").content.decode()
        assert "Their own shop" not in lead_desk.get("/rules/", headers=HTMX).content.decode()
        assert "<strong>1 post</strong> so far" in lead_desk.get(f"/rules/{draft.pk}/").content.decode()

        lead_desk.post(f"/rules/{draft.pk}/", {"requeue": "waiting"})

        draft.refresh_from_db()
        assert not draft.is_draft
        assert ScoringJob.objects.get().state == "pending"


class TestHarmlessPosts:
    @pytest.fixture
    def harmless(self, linked: Case, decided: Decided) -> None:
        decided(linked, verdict="not_spam")

    def test_make_a_ban_ask_again(self, lead_desk: Client, harmless: None) -> None:
        answer = lead_desk.post("/rules/new/", FORM)

        assert answer.status_code == 422
        assert "1 post matched by this ban was judged not spam." in answer.content.decode()
        assert not Rule.objects.exists()

        lead_desk.post("/rules/new/", FORM | {"sure": "1"})

        assert Rule.objects.get().activated_at is not None

    @pytest.mark.parametrize("effect", ["hold", "allow"])
    def test_make_no_other_rule_ask(self, lead_desk: Client, harmless: None, effect: str) -> None:
        lead_desk.post("/rules/new/", FORM | {"effect": effect})

        assert Rule.objects.get().activated_at is not None

    def test_make_a_drafted_ban_ask_again(self, lead_desk: Client, lead: User, harmless: None) -> None:
        drafted = rules.draft(value="shop.example", reason="Pills", actor=lead, at=timezone.now())

        answer = lead_desk.post(f"/rules/{drafted.pk}/", {})

        assert "Ban anyway" in answer.content.decode()
        assert Rule.objects.get().activated_at is None

        lead_desk.post(f"/rules/{drafted.pk}/", {"sure": "1"})

        assert Rule.objects.get().activated_at is not None

    def test_of_which_there_are_many_need_a_second_person(
        self, lead_desk: Client, desk_of: DeskOf, harmless: None, remembered: DeskSettings
    ) -> None:
        remembered.ban_posts = 0
        sure = {"sure": "1"}

        lead_desk.post("/rules/new/", FORM | sure)
        drafted = Rule.objects.get()
        answer = lead_desk.post(f"/rules/{drafted.pk}/", sure, follow=True)
        assert "A second person has to activate it." in answer.content.decode()
        assert Rule.objects.get().activated_at is None

        desk_of(User.objects.create_user("other_lead", role=Role.LEAD)).post(f"/rules/{drafted.pk}/", sure)
        assert Rule.objects.get().activated_at is not None


class TestHits:
    def test_are_the_texts_that_a_rule_decided(
        self, lead_desk: Client, lead: User, linked: Case, open_case: Case_
    ) -> None:
        ban = rules.impose(value="shop.example", reason="Pills", actor=lead, at=timezone.now())
        other = rules.impose(value="other.example", reason="Pills", actor=lead, at=timezone.now())
        Score.objects.filter(pk=linked.score_id).update(ban=ban)
        again = Score.objects.get(pk=linked.score_id)
        again.pk, again.generation = None, again.generation + 1
        again.save()
        Score.objects.filter(pk=open_case().score_id).update(ban=ban)

        assert rule_pages.hits([ban, other]) == {ban.pk: 2}
        assert "Matches" in lead_desk.get("/rules/").content.decode()

    def test_of_holds_and_allowances_are_counted_too(self, lead: User, linked: Case) -> None:
        now = timezone.now()
        about: dict[str, Any] = {"value": "shop.example", "effect": "hold", "reason": "Many"}
        hold = rules.impose(actor=lead, at=now, expires_at=now + timedelta(days=1), **about)
        Score.objects.filter(pk=linked.score_id).update(rule=hold)

        assert rule_pages.hits([hold]) == {hold.pk: 1}


class TestTexts:
    @pytest.mark.parametrize(
        ("kind", "value", "told"),
        [
            ("text", "Check out, my channel!", "contain these words in a row"),
            ("phone", "+1 888 555 0162", "this number in any notation"),
            ("handle", "@crypto_king", "mention or link to this handle"),
            ("lookalike", "pay.example", "domains that look like this one"),
        ],
    )
    def test_tries_what_texts_name(
        self, lead_desk: Client, open_case: Case_, kind: str, value: str, told: str
    ) -> None:
        open_case(text="Check out MY channel, 888-555-0162 @crypt0_king https://xn--py-7kc.example/")

        body = lead_desk.get("/rules/new/", {"kind": kind, "value": value}).content.decode()

        assert "<strong>1 post</strong> so far" in body
        assert 'value="hold"' in body
        assert 'value="allow"' not in body
        assert told in flat(body)
        assert ("Tried on the 2,000 posts" in body) is (kind != "lookalike")
        assert ("the first 10,000 characters of a post" in flat(body)) is (kind != "lookalike")

    def test_of_texts_are_imposed_and_listed(self, lead_desk: Client) -> None:
        about = {"kind": "phone", "value": "+1 888 555 0162", "days": "7"}

        assert impose(lead_desk, **about | {"effect": "allow", "days": "30"}) == 422
        assert impose(lead_desk, **about) == 302

        listed = flat(lead_desk.get("/rules/?kind=phone").content.decode())
        assert "<bdi>+18885550162</bdi>" in listed
        assert "Phone number" in listed
