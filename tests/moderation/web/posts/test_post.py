"""The page of a post through its address, also of one that no human saw."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, Decision, Delivery, DeskSettings, Platform, Post, Revision, Score, User
from moderation.models.cases import CaseReason
from moderation.models.decisions import Verdict
from moderation.operations.cases import appeals, notes, reversals, second_review
from moderation.operations.scoring import score
from moderation.operations.webhooks import endpoints
from moderation.queries import post_pages
from tests.moderation.conftest import Case_, Decided, Post_
from tests.moderation.fakes import RELEASE_ID, FakeScorer
from tests.moderation.web.conftest import HTMX, asked, read


def body_of(desk: Client, post: Post, query: str = "") -> str:
    return read(desk, f"/posts/{post.pk}/{query}")


@pytest.fixture
def removed(post: Post_, fake_scorer: FakeScorer) -> Post:
    """A post that the filter removed: no human saw it."""
    fake_scorer.default = 0.95
    row = post(text="Cheap pills at https://pills.example/now", ip="203.0.113.7", at=timezone.now())
    revisions = list(Revision.objects.filter(post=row).values_list("pk", flat=True))
    score.run(revision_ids=revisions, at=timezone.now())
    return row


def decided_again(post: Post, *, days: int = 0) -> None:
    """Let the filter decide once more."""
    one = Decision.objects.filter(post=post).earliest("decided_at")
    one.pk, one.decided_at = None, one.decided_at + timedelta(days=days)
    one.save(force_insert=True)


class TestOfAPostThatNobodySaw:
    def test_tells_what_the_filter_did_beside_its_inert_text(self, desk: Client, removed: Post) -> None:
        body = body_of(desk, removed)

        assert "Removed by the filter" in body
        assert "95%" in body
        assert "Why this score" in body
        assert RELEASE_ID[:12] in body
        assert "Not sent to review." in body
        assert "none: only people’s decisions become labels" in body
        assert "hxxps" in body
        assert 'href="https://pills.example' not in body
        for way in ("/domains/pills.example/", "/addresses/203.0.113.7/", f"/authors/{removed.author_id}/"):
            assert f'href="{way}"' in body

    def test_is_found_by_the_platforms_id_in_one_search(self, desk: Client, removed: Post) -> None:
        plain = desk.get(f"/posts/?q={removed.external_id}")
        swapped = desk.get(f"/posts/?q={removed.external_id}", headers=HTMX)

        assert plain.headers["Location"] == f"/posts/{removed.pk}/"
        assert swapped.headers["HX-Redirect"] == f"/posts/{removed.pk}/"

    def test_is_linked_from_the_lists_of_posts(self, desk: Client, lead_desk: Client, removed: Post) -> None:
        link = f'href="/posts/{removed.pk}/"'

        assert link in desk.get("/posts/").content.decode()
        assert link in desk.get(f"/authors/{removed.author_id}/").content.decode()
        assert link in desk.get("/domains/pills.example/").content.decode()
        assert link in lead_desk.get("/decisions/?whose=everyone").content.decode()

    def test_that_is_not_scored_says_so(self, desk: Client, post: Post_) -> None:
        assert "Not scored yet" in body_of(desk, post())


class TestChainOfDecisions:
    def test_tells_decision_correction_and_labels(
        self, desk: Client, open_case: Case_, decided: Decided, moderator: User, remembered: DeskSettings
    ) -> None:
        remembered.undo_seconds = 0
        case = open_case(at=timezone.now())
        first = decided(case)
        reversals.correct(
            decision_id=first.pk,
            verdict=Verdict.NOT_SPAM,
            reason="<b>A club</b> of its members",
            moderator=moderator,
            at=timezone.now(),
        )

        body = body_of(desk, case.post)

        assert "Judged not spam by <bdi>moderator</bdi>" in body
        assert "Corrected by moderator" in body
        assert "&lt;b&gt;A club&lt;/b&gt; of its members" in body
        assert "Replaces the decision of" in body
        assert "retracted on" in body
        assert f'href="/review/{case.pk}/"' in body

    def test_tells_an_appeal_and_its_answer(
        self,
        desk: Client,
        open_case: Case_,
        decided: Decided,
        platform: Platform,
        lead: User,
        remembered: DeskSettings,
    ) -> None:
        remembered.undo_seconds = 0
        case = open_case(at=timezone.now())
        first = decided(case)
        filed = appeals.dispute(
            platform=platform, decision_id=first.pk, at=timezone.now(), reason="It was my own cat"
        )
        before = body_of(desk, case.post)
        decided(filed.case, verdict="not_spam", by=lead)
        after = body_of(desk, case.post)

        assert "It was my own cat" in before
        assert "pending" in before
        assert re.search(r"Disputed by the platform on [^:]+:\d\d[^:]*: not spam", after)

    def test_tells_each_message_without_what_may_be_secret_of_its_address(
        self, desk: Client, open_case: Case_, decided: Decided, platform: Platform, moderator: User
    ) -> None:
        url = "https://hooks.example/secret-token/in"
        endpoints.add(platform=platform, url=url, actor=moderator, at=timezone.now())
        case = open_case(at=timezone.now())
        decided(case)
        Delivery.objects.update(attempts=2, last_error="500 <i>no</i>")

        body = body_of(desk, case.post)

        assert "hooks.example" in body
        assert "secret-token" not in body
        assert "2 attempts, next" in body
        assert "500 &lt;i&gt;no&lt;/i&gt;" in body

    def test_goes_on_without_gaps_or_repeats(
        self, desk: Client, removed: Post, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(post_pages, "_DECISIONS", 2)
        for days in (1, 1, 2, 2):
            decided_again(removed, days=days)
        seen, cursor = [], ""
        viewer = User.objects.get(username="moderator")
        for _ in range(3):
            cursors = post_pages.Cursors(decisions=cursor)
            found = post_pages.page(post_id=removed.pk, viewer=viewer, cursors=cursors)
            seen += [step.decision.pk for step in found.decisions.rows]
            cursor = found.decisions.next_cursor

        assert seen == sorted(seen, reverse=True)
        assert len(set(seen)) == 5
        assert cursor == ""

    @pytest.mark.parametrize("chain", ["revisions", "scores", "decisions"])
    def test_refuses_a_made_up_cursor(self, desk: Client, removed: Post, chain: str) -> None:
        assert desk.get(f"/posts/{removed.pk}/?{chain}=nonsense").status_code == 404


class TestRevisions:
    def test_stand_with_their_own_scores(
        self, desk: Client, removed: Post, post: Post_, fake_scorer: FakeScorer
    ) -> None:
        fake_scorer.default = 0.03
        post(external_id=removed.external_id, revision=2, text="A quiet walk by the river", at=timezone.now())
        newest = Revision.objects.get(post=removed, number=2)
        score.run(revision_ids=[newest.pk], at=timezone.now())
        first = Score.objects.get(revision__number=1)

        body = body_of(desk, removed)
        earlier = body_of(desk, removed, f"?score={first.pk}")

        assert "A quiet walk by the river" in body
        assert "Cheap pills" in body
        assert "Let through by the filter" in body
        assert '<span class="verdict__number">3%</span>' in body
        assert '<span class="verdict__number">95%</span>' in earlier

    def test_open_whole(self, desk: Client, post: Post_) -> None:
        row = post(text="word " * 2_000 + "<b>end</b>")
        address = f"/posts/{row.pk}/text/1/"

        assert "end" not in body_of(desk, row).split("Content")[1].split("</ol>")[0]
        assert "&lt;b&gt;end&lt;/b&gt;" in desk.get(address).content.decode()
        assert desk.get(address, headers=HTMX).content.decode().split()[:2] == ["<div", 'id="text-1"']
        assert desk.get(f"/posts/{row.pk}/text/2/").status_code == 404

    def test_that_were_erased_show_nothing(self, desk: Client, removed: Post) -> None:
        Revision.objects.filter(post=removed).update(text="", ip=None)
        Score.objects.update(record={"erased": True})
        Post.objects.update(erased_at=timezone.now())

        body = body_of(desk, removed)

        assert "erased" in body
        assert "This post has no text." in body


class TestABlindCase:
    @pytest.mark.parametrize("reason", [CaseReason.AUDIT, CaseReason.RANDOM])
    def test_hides_what_models_and_people_said(self, desk: Client, open_case: Case_, reason: str) -> None:
        case = open_case()
        Case.objects.update(reason=reason)

        body = body_of(desk, case.post)

        assert "This post is judged individually" in body
        assert "50%" not in body
        assert "Why this score" not in body

    def test_of_a_second_person_hides_the_first_verdict(
        self, desk: Client, open_case: Case_, decided: Decided, lead: User
    ) -> None:
        case = open_case(at=timezone.now())
        decided(case)
        assert "Judged spam by <bdi>moderator</bdi>" in body_of(desk, case.post)

        second_review.ask(case_id=case.pk, asked_by=lead, at=timezone.now())

        assert "Judged spam" not in body_of(desk, case.post)


class TestEscalation:
    def test_keeps_case_and_notes_to_the_leads(
        self, desk: Client, lead_desk: Client, open_case: Case_, moderator: User
    ) -> None:
        case = open_case()
        notes.write(case=case, author=moderator, text="Looks like the ring of Monday", at=timezone.now())
        assert "ring of Monday" in body_of(desk, case.post)
        Case.objects.update(is_escalated=True)

        assert "ring of Monday" not in body_of(desk, case.post)
        assert f"/review/{case.pk}/" not in body_of(desk, case.post)
        assert "ring of Monday" in body_of(lead_desk, case.post)


def test_needs_few_queries_however_long_its_chains(desk: Client, removed: Post) -> None:
    first = Score.objects.get()
    for number in range(12):
        decided_again(removed)
        first.pk, first.generation = None, number + 5
        first.save()
    desk.get(f"/posts/{removed.pk}/")  # what is remembered for minutes is read once

    assert len(asked(desk, f"/posts/{removed.pk}/")) <= 21
