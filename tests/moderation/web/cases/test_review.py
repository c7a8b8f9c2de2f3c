"""The review page through its addresses."""

import gzip
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.utils import timezone

from moderation.models import Case, DeskSettings, Label, Release, Score, User
from moderation.models.cases import CaseReason
from moderation.models.decisions import Verdict
from tests.moderation.conftest import Case_, Decided, judge
from tests.moderation.counted_case import report_it
from tests.moderation.fakes import FakeScorer
from tests.moderation.web.conftest import HTMX, asked, read

THRESHOLDS_SHOWN = {"thresholds": {"review_from": 0.2, "remove_from": 0.9}}
PILLS = "Cheap pills for every pain, ask Dr {} today and pay less than ever before"


class TestCase:
    def test_shows_the_post_its_facts_and_the_models_view(self, desk: Client, case_in_front: Case) -> None:
        body = desk.get(f"/review/{case_in_front.pk}/").content.decode()

        assert "grey cat near the river" in body
        assert "50%" in body
        assert "Even odds" in body
        assert "Nobody has complained." in body
        assert body.index("pane--facts") < body.index("campaign-strip--none")

    def test_says_of_what_the_age_is_and_keeps_ids_to_the_foot(
        self, desk: Client, case_in_front: Case
    ) -> None:
        body = " ".join(desk.get(f"/review/{case_in_front.pk}/").content.decode().split())
        post = case_in_front.post

        assert re.search(r"posted \d+ \w+ ago", body)
        assert body.count(f'data-raw="{post.external_id}"') == 1
        assert body.index('id="post-text"') < body.index(f'data-raw="{post.external_id}"')
        assert body.index('id="post-text"') < body.index(f'data-raw="{post.author.external_id}"')

    def test_names_each_step_of_the_way_to_the_post(self, desk: Client, open_case: Case_) -> None:
        case = open_case(journey=(("open", 0), ("<b>paste", 1_500), ("send", 34_000)))

        body = " ".join(desk.get(f"/review/{case.pk}/").content.decode().split())

        for step in ("open", "&lt;b&gt;paste after 1.5 s", "send after 34 s"):
            assert f"<title>{step}</title>" in body
            assert f"<li>{step}</li>" in body.replace("<li> ", "<li>").replace(" </li>", "</li>")

    def test_announces_author_and_first_words_without_what_cannot_be_heard(
        self, desk: Client, open_case: Case_
    ) -> None:
        case = open_case(text="b\u200buy https://evil.example/x now" + " and more" * 40)

        body = " ".join(desk.get(f"/review/{case.pk}/").content.decode().split())
        [said] = re.findall(r'data-announce="([^"]*)"', body)

        assert said.startswith(
            f"Next case: {case.post.author}, {case.get_reason_display()}. buy hxxps://evil[.]example/x"
        )
        assert len(said) < 200

    def test_announces_no_words_of_a_blurred_post(self, desk: Client, case_in_front: Case) -> None:
        User.objects.update(stored_preferences={"blur": "always"})

        body = desk.get(f"/review/{case_in_front.pk}/").content.decode()
        [said] = re.findall(r'data-announce="([^"]*)"', body)

        assert "grey cat" not in said

    def test_names_people_alike(self, desk: Client, case_in_front: Case, other_moderator: User) -> None:
        User.objects.filter(pk=other_moderator.pk).update(first_name="Mona", last_name="Moderator")
        Case.objects.update(claimed_by=other_moderator, lease_end_at=timezone.now() + timedelta(minutes=1))

        body = " ".join(desk.get(f"/review/{case_in_front.pk}/").content.decode().split())

        assert "Mona Moderator is reviewing this case" in body
        assert 'data-watched="Mona Moderator"' in body

    def test_tells_how_often_people_agreed_with_a_reporter(
        self, desk: Client, open_case: Case_, moderator: User
    ) -> None:
        now = timezone.now()
        *earlier, later, case = (open_case(text=f"Post number {number}") for number in range(7))
        for verdict, reported in zip(("spam", "spam", "not_spam", "spam"), earlier, strict=False):
            report_it(reported.post, at=now, reporter="ann")
            judge(reported, moderator, verdict=Verdict(verdict), at=now)
        report_it(earlier[4].post, at=now, reporter="ann")  # nobody judged it
        Label.objects.filter(post=earlier[1].post).update(retracted_at=now)
        report_it(case.post, at=now + timedelta(seconds=1), reporter="ann")
        report_it(case.post, at=now + timedelta(seconds=1), reporter="bob")
        report_it(later.post, at=now + timedelta(seconds=2), reporter="ann")
        judge(later, moderator, at=now)

        for address in (f"/review/{case.pk}/", f"/posts/{case.post_id}/"):
            body = read(desk, address)
            assert body.count("agreed 2, disagreed 1") == body.count(", disagreed") == 1

    def test_needs_few_queries_also_for_many_links(
        self, desk: Client, case_in_front: Case, open_case: Case_
    ) -> None:
        linking = open_case(text=" ".join(f"https://shop{number}.example/" for number in range(15)))

        for case in (case_in_front, linking):
            desk.get(f"/review/{case.pk}/")  # what is remembered for minutes is read once
            assert len(asked(desk, f"/review/{case.pk}/")) <= 14

    def test_breaks_the_links_that_others_wrote_beside_the_post(self, desk: Client, open_case: Case_) -> None:
        case = open_case(text="a link https://evil.example/post")
        Release.objects.update(manifest=THRESHOLDS_SHOWN)
        change = {"change": "word_removed", "subject": "https://evil.example/word", "probability": 0.1}
        Score.objects.update(counterfactual=change | {"route": "allow"})
        report_it(case.post, at=timezone.now(), note="leads to https://evil.example/note")

        body = desk.get(f"/review/{case.pk}/").content.decode()

        assert body.count("evil[.]example") >= 3
        assert "https://evil.example" not in body

    def test_hides_the_score_of_an_audit_sample(self, desk: Client, case_in_front: Case) -> None:
        Case.objects.update(reason=CaseReason.AUDIT)
        Score.objects.update(word_contributions=[[0, 3, 1.0]])

        body = desk.get(f"/review/{case_in_front.pk}/").content.decode()

        assert "Hidden until you decide" in body
        assert "50%" not in body
        assert "word--spam" not in body

    def test_says_when_the_text_was_not_read(
        self, desk: Client, fake_scorer: FakeScorer, open_case: Case_, remembered: DeskSettings
    ) -> None:
        fake_scorer.is_degraded, remembered.degraded_seconds = True, 0

        body = desk.get(f"/review/{open_case().pk}/").content.decode()

        assert "The content model was offline" in body

    def test_never_prints_markup_of_the_post(self, desk: Client, open_case: Case_) -> None:
        case = open_case(
            text="<script>alert(1)</script><img src=x onerror=alert(2)>{{ 7|add:7 }} https://evil.example/x"
        )

        body = desk.get(f"/review/{case.pk}/").content.decode()

        assert "<script>alert" not in body
        assert "<img src=x" not in body
        assert "&lt;script&gt;alert(1)" in body
        assert "https://evil.example" not in body
        assert "{{ 7|add:7 }}" in body

    def test_collapses_long_texts_and_gives_the_rest_when_asked(self, desk: Client, open_case: Case_) -> None:
        case = open_case(text="word " * 5_000 + "the very end")

        body = desk.get(f"/review/{case.pk}/").content.decode()
        whole = desk.get(f"/review/{case.pk}/text/", headers=HTMX).content.decode()

        assert "the very end" not in body
        assert "Show all 25,012 characters" in body
        assert "the very end" in whole

    @pytest.mark.parametrize("part", ["", "beside/author/", "around/"])
    def test_hides_escalated_cases_from_moderators(
        self, desk: Client, lead_desk: Client, open_case: Case_, part: str
    ) -> None:
        address = f"/review/{open_case().pk}/{part}"
        Case.objects.update(is_escalated=True)

        assert desk.get(address).status_code == 404
        assert lead_desk.get(address).status_code == 200


class TestExplanation:
    def test_says_that_words_are_looked_for_until_found(self, desk: Client, case_in_front: Case) -> None:
        waiting = desk.get(f"/review/{case_in_front.pk}/").content.decode()
        early = desk.get(f"/review/{case_in_front.pk}/text/?part", headers=HTMX)
        Score.objects.update(word_contributions=[[0, 3, 1.0]])
        found = desk.get(f"/review/{case_in_front.pk}/text/?part", headers=HTMX)

        assert "Explaining the words" in waiting
        assert early.status_code == 204
        assert "word--spam" in found.content.decode()
        assert "Explaining the words" not in found.content.decode()

    def test_says_the_smallest_change_that_flips_the_route_and_nothing_where_there_is_none(
        self, desk: Client, case_in_front: Case
    ) -> None:
        change = {"change": "word_removed", "subject": "<b>cat</b>", "probability": 0.1, "route": "allow"}
        Release.objects.update(manifest=THRESHOLDS_SHOWN)

        bodies = []
        for stored in (change, {}):
            Score.objects.update(counterfactual=stored)
            bodies.append(desk.get(f"/review/{case_in_front.pk}/").content.decode())

        assert "Without the word" in bodies[0]
        assert "<b>cat" not in bodies[0]
        assert 'class="flip' not in bodies[1]

    def test_shows_the_nearest_decided_posts_but_not_on_a_blind_case(
        self, desk: Client, open_case: Case_, decided: Decided
    ) -> None:
        decided(open_case(text=PILLS.format("Miller")), verdict="spam")
        case = open_case(text=PILLS.format("Smith"))

        seeing = desk.get(f"/review/{case.pk}/").content.decode()
        Case.objects.filter(pk=case.pk).update(reason=CaseReason.AUDIT)
        body = desk.get(f"/review/{case.pk}/").content.decode()

        assert "reviewed: 1 spam, 0 not" in seeing
        assert "ask Dr Miller" in seeing
        assert "Hidden until you decide" in body
        case_alone, _ = body.split('class="last ')  # below stands what one decided oneself
        assert "ask Dr Miller" not in case_alone


class TestContext:
    def test_draws_what_happened_around_it(self, desk: Client, open_case: Case_, decided: Decided) -> None:
        decided(open_case(text="An earlier post", ip="198.51.100.7"), verdict="spam")
        case = open_case(text="See https://shop.example/", ip="198.51.100.9")

        body = desk.get(f"/review/{case.pk}/context/", headers=HTMX).content.decode()

        assert body.count("lanes__mark--this") == 1
        assert "lanes__mark--spam" in body
        assert "shop.example" in body
        assert "198.51.100.0/24" in body

    def test_draws_at_the_same_places_in_german(self, desk: Client, open_case: Case_) -> None:
        case = open_case(text="See https://shop.example/", ip="198.51.100.9")

        german = HTMX | {"Accept-Language": "de"}
        body = desk.get(f"/review/{case.pk}/context/", headers=german).content.decode()

        places = re.findall(r' x[12]?="([^"]*)%"', body)
        assert len({float(place) for place in places}) > 2

    def test_needs_few_queries(self, desk: Client, open_case: Case_) -> None:
        case = open_case(text="See https://shop.example/", ip="198.51.100.9")

        assert len(asked(desk, f"/review/{case.pk}/context/", headers=HTMX)) <= 18


def test_weighs_little_on_first_load(desk: Client, case_in_front: Case) -> None:
    """Leave room below 140 kB for what a case brings, such as letters beyond Latin-1; a head is 300 bytes."""
    page = desk.get(f"/review/{case_in_front.pk}/").content
    loaded = {"fonts/atkinson-mono-latin.woff2": b""}
    wanted = {*loaded, *re.findall(r'"/static/([^"]+\.(?:css|js|woff2))"', page.decode())}
    while wanted:
        loaded |= {name: Path(str(finders.find(name))).read_bytes() for name in wanted}
        scripts = (loaded[name].decode() for name in wanted if re.fullmatch(r"desk/\w+\.js", name))
        imported = {f"desk/{name}" for each in scripts for name in re.findall(r'from "\./([^"]+)"', each)}
        wanted = imported - loaded.keys()

    sizes = [min(len(content), len(gzip.compress(content))) for content in loaded.values()]
    assert sum(sizes) + 300 * len(sizes) < 111_000
    assert len(gzip.compress(page)) < 9_000
