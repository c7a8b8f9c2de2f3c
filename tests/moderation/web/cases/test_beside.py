"""The panel beside a case: author, domain, address, notes on the author, rules; what stands open around."""

# ruff: noqa: F811 - fixtures of another module are arguments here

import re

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import AuthorNote, Case, CaseNote, Decision, Rule, User
from moderation.models.cases import CaseReason
from moderation.operations import rules
from moderation.operations.cases import notes
from tests.moderation.conftest import Case_, Decided
from tests.moderation.counted_case import counted_case, judged_at, scored_posts  # noqa: F401 - fixtures
from tests.moderation.web.conftest import HTMX, asked, read


def panel(desk: Client, case: Case, kind: str = "author", query: str = "") -> str:
    return read(desk, f"/review/{case.pk}/beside/{kind}/{query}", headers=HTMX)


class TestPanel:
    def test_tells_what_people_judged_and_who_looks_alike(self, desk: Client, counted_case: Case) -> None:
        body = panel(desk, counted_case)

        assert "Maria_vip0" in body
        judged = re.search(r"(\d+) of (\d+) judged posts? (?:was|were) spam", body)
        assert judged
        mine = Decision.objects.filter(
            post__author=counted_case.post.author, reversal__isnull=True, label__retracted_at__isnull=True
        ).exclude(post=counted_case.post)
        assert judged.groups() == (str(mine.filter(verdict="spam").count()), str(mine.count()))
        assert "Similar accounts" in body
        assert "Maria_vip1" in body
        assert "Maria_vip2" in body

    def test_never_tells_a_share(self, desk: Client, counted_case: Case) -> None:
        for kind in ("author", "domain", "address"):
            assert not re.search(r"\d%", panel(desk, counted_case, kind))

    def test_shows_the_last_posts_but_not_the_one_in_front(self, desk: Client, counted_case: Case) -> None:
        for kind in ("author", "domain", "address"):
            body = panel(desk, counted_case, kind)

            assert f'href="/posts/{counted_case.post_id}/"' not in body
            others = 5 if kind == "author" else Case.objects.count() - 1
            assert len(re.findall(r'href="/posts/\d+/"', body)) == min(10, others)

    def test_defangs_what_others_wrote(self, desk: Client, open_case: Case_) -> None:
        open_case(text="<b>x</b> https://a.example/ and https://b.example/")
        case = open_case(text="<i>y</i> https://b.example/ and https://a.example/")

        body = panel(desk, case, "domain", "?domain=a.example")

        assert "&lt;b&gt;x&lt;/b&gt;" in body
        assert "hxxps" in body
        assert "<b>x</b>" not in body
        assert re.search(r'aria-current="true" ?>a', body)

    @pytest.mark.parametrize(
        ("kind", "query"),
        [("domain", ""), ("domain", "?domain=other.example"), ("address", ""), ("moon", "")],
    )
    def test_of_what_the_post_has_not_is_not_found(
        self, desk: Client, open_case: Case_, kind: str, query: str
    ) -> None:
        assert desk.get(f"/review/{open_case().pk}/beside/{kind}/{query}").status_code == 404

    def test_is_a_page_without_the_script(self, desk: Client, open_case: Case_) -> None:
        case = open_case()

        assert f'href="/review/{case.pk}/"' in desk.get(f"/review/{case.pk}/beside/author/").content.decode()
        assert f"/review/{case.pk}/beside/author/" in desk.get(f"/review/{case.pk}/").content.decode()

    def test_keeps_the_claim(self, desk: Client, case_in_front: Case) -> None:
        panel(desk, case_in_front)

        kept = Case.objects.get(pk=case_in_front.pk)
        assert (kept.claimed_by, kept.lease_end_at) == (case_in_front.claimed_by, case_in_front.lease_end_at)

    @pytest.mark.parametrize("reason", [CaseReason.SECOND, CaseReason.CAMPAIGN])
    def test_of_a_blind_case_leaves_out_posts_of_the_same_text(
        self, desk: Client, counted_case: Case, reason: str
    ) -> None:
        Case.objects.filter(pk=counted_case.pk).update(reason=reason)

        body = panel(desk, counted_case)

        assert "judged blind" in body
        assert "No posts judged by people" in body
        assert not re.search(r'href="/posts/\d+/"', body)

    def test_needs_few_queries(self, desk: Client, counted_case: Case) -> None:
        for kind, most in (("author", 18), ("domain", 12), ("address", 12)):
            panel(desk, counted_case, kind)
            address = f"/review/{counted_case.pk}/beside/{kind}/"
            assert len(asked(desk, address, headers=HTMX)) <= most


class TestNotes:
    def test_on_the_author_meet_the_next_person(self, desk: Client, open_case: Case_) -> None:
        case, other = open_case(), open_case()

        note = {"note": "Runs <b>three</b> accounts"}
        answer = desk.post(f"/review/{case.pk}/author/note/", note, headers=HTMX)

        assert "Note added." in answer.content.decode()
        assert "Runs &lt;b&gt;three&lt;/b&gt; accounts" in panel(desk, other)
        assert "Runs &lt;b&gt;three" in desk.get(f"/authors/{case.post.author_id}/").content.decode()
        assert desk.post(f"/review/{case.pk}/author/note/", {"note": " "}).status_code == 200
        assert AuthorNote.objects.count() == 1

    def test_on_other_cases_of_its_author_show(self, desk: Client, open_case: Case_, moderator: User) -> None:
        case, other = open_case(), open_case()
        notes.write(case=other, author=moderator, text="Same shop as on Monday", at=timezone.now())

        assert "Same shop as on Monday" in panel(desk, case)

    def test_are_not_written_on_an_erased_account(self, desk: Client, open_case: Case_) -> None:
        case = open_case()
        type(case.post.author).objects.update(erased_at=timezone.now())

        answer = desk.post(f"/review/{case.pk}/author/note/", {"note": "again"}, headers=HTMX)

        assert "This account was erased." in answer.content.decode()
        assert not AuthorNote.objects.exists()

    def test_notes_on_a_case_and_a_second_person_are_asked_from_the_desk(
        self, desk: Client, open_case: Case_, decided: Decided
    ) -> None:
        case = open_case(at=timezone.now())
        noted = desk.post(f"/review/{case.pk}/note/", {"note": "Seen on Monday, too"}, headers=HTMX)
        plain = desk.post(f"/review/{case.pk}/note/", {"note": "And on Tuesday"})
        early = desk.post(f"/review/{case.pk}/second/", {}, follow=True)
        decided(case)
        shown = desk.get(f"/review/{case.pk}/").content.decode()
        asked = desk.post(f"/review/{case.pk}/second/", {"note": "Please look"}, follow=True)

        assert "Seen on Monday, too" in noted.content.decode()
        assert plain.headers["Location"] == f"/review/{case.pk}/"
        assert CaseNote.objects.filter(case=case).count() == 2
        assert "decided once first" in early.content.decode()
        assert "Request second review" in shown
        assert "A second person will review this post." in asked.content.decode()
        second = Case.objects.get(reason=CaseReason.SECOND)
        assert (second.post_id, second.notes.get().text) == (case.post_id, "Please look")


class TestRules:
    FORM = {"effect": "ban", "reason": "Sells pills", "days": "30"}

    @pytest.fixture
    def linking(self, open_case: Case_) -> Case:
        open_case(text="see https://evil.example/a", at=timezone.now())
        return open_case(text="look https://evil.example/b", ip="203.0.113.7", at=timezone.now())

    def test_of_a_lead_hold_after_their_dry_run(self, lead_desk: Client, linking: Case) -> None:
        address = f"/review/{linking.pk}/beside/domain/rule/"
        tried = lead_desk.get(address, headers=HTMX).content.decode()
        done = lead_desk.post(address, self.FORM | {"requeue": ""}, headers=HTMX).content.decode()

        assert "<strong>2 posts</strong> so far" in tried
        assert "Re-score" in tried
        assert "The rule is active." in done
        rule = Rule.objects.get()
        assert (rule.value, rule.is_draft) == ("evil.example", False)

    @pytest.mark.parametrize("kind", ["author", "domain", "address"])
    def test_of_a_moderator_are_proposed(
        self, desk: Client, lead_desk: Client, linking: Case, kind: str
    ) -> None:
        address = f"/review/{linking.pk}/beside/{kind}/rule/"
        tried = desk.get(address, headers=HTMX).content.decode()
        done = desk.post(address, self.FORM, headers=HTMX).content.decode()

        assert "so far" in tried
        assert "Re-score" not in tried
        assert "Proposed. It starts when a lead activates it." in done
        rule = Rule.objects.get()
        assert (rule.kind, rule.is_draft, str(rule.imposed_by)) == (kind, True, "moderator")
        assert "Sells pills" in lead_desk.get("/rules/?state=draft").content.decode()
        assert "Drafts <b>1</b>" in lead_desk.get("/rules/").content.decode()

    def test_are_proposed_once(self, desk: Client, linking: Case) -> None:
        address = f"/review/{linking.pk}/beside/domain/rule/"
        desk.post(address, self.FORM, headers=HTMX)

        again = desk.post(address, self.FORM, headers=HTMX).content.decode()

        assert "has already been proposed" in again
        assert Rule.objects.count() == 1

    def test_are_not_proposed_beside_one_in_force(self, desk: Client, linking: Case, lead: User) -> None:
        rules.impose(value="evil.example", reason="Sells pills", actor=lead, at=timezone.now())

        answer = desk.post(f"/review/{linking.pk}/beside/domain/rule/", self.FORM, headers=HTMX)

        assert "is already active" in answer.content.decode()
        assert Rule.objects.count() == 1

    def test_say_what_is_wrong_in_place(self, lead_desk: Client, linking: Case) -> None:
        form = self.FORM | {"effect": "allow", "days": ""}

        answer = lead_desk.post(f"/review/{linking.pk}/beside/domain/rule/", form, headers=HTMX)

        assert answer.status_code == 200
        assert "Only a ban can be permanent" in answer.content.decode()
        assert 'value="Sells pills"' in answer.content.decode()
        assert not Rule.objects.exists()

    def test_work_without_the_script(self, desk: Client, linking: Case) -> None:
        answer = desk.post(f"/review/{linking.pk}/beside/domain/rule/", self.FORM)

        assert answer.headers["Location"] == f"/review/{linking.pk}/beside/domain/?domain=evil.example"


def around(desk: Client, case: Case) -> str:
    return read(desk, f"/review/{case.pk}/around/", headers=HTMX)


class TestAround:
    def test_shows_posts_and_lanes_and_opens_them_elsewhere(self, desk: Client, counted_case: Case) -> None:
        body = around(desk, counted_case)
        author, similar = body.split("Similar posts", 1)

        assert re.search(r"\d+ of \d+ judged posts? (?:was|were) spam", author)
        assert re.search(r'href="/posts/\d+/"', author)
        assert re.search(r'href="/posts/\d+/"', similar)
        assert "lanes__mark--this" in similar
        assert f'href="/posts/{counted_case.post_id}/"' not in body
        assert body.count('href="/posts/') == body.count('target="_blank"') > 0

    @pytest.mark.parametrize("reason", [CaseReason.AUDIT, CaseReason.RANDOM, CaseReason.SECOND])
    def test_hides_similar_posts_while_a_case_is_judged_blindly(
        self, desk: Client, counted_case: Case, reason: CaseReason
    ) -> None:
        Case.objects.filter(pk=counted_case.pk).update(reason=reason)

        _, similar = around(desk, counted_case).split("Similar posts", 1)

        assert "hidden until you decide" in similar
        assert 'href="/posts/' not in similar

    def test_says_what_each_mark_is(self, desk: Client, open_case: Case_, decided: Decided) -> None:
        decided(open_case(text="An earlier post"), verdict="spam")

        body = around(desk, open_case())

        assert re.search(r"<title>this post, \d+ \w+ ago</title>", body)
        assert re.search(r"<title>\d+ \w+ ago, spam</title>", body)
        assert re.search(r"2, latest \d+ \w+ ago; 1 spam, 0 not", body)

    def test_needs_as_many_queries_for_many_posts(self, desk: Client, open_case: Case_) -> None:
        cases = [open_case(text="buy these pills now, cheap and fast") for _ in range(8)]

        assert len(asked(desk, f"/review/{cases[-1].pk}/around/", headers=HTMX)) <= 28
