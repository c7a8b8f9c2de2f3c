"""Campaigns beside their own page: the list, the queue, the strip over a case."""

from datetime import datetime, timedelta

import pytest
from django.test import Client

from moderation.models import (
    Campaign,
    CampaignMember,
    CampaignTrait,
    Case,
    Decision,
    NamedQueue,
    Platform,
    Revision,
    User,
)
from moderation.models.campaigns import TieKind
from moderation.models.cases import BLIND_REASONS, CaseReason
from moderation.models.decisions import Verdict
from moderation.queries.campaigns import campaign_names, campaign_pages
from tests.moderation.conftest import Decided, judge
from tests.moderation.fakes import FakeScorer
from tests.moderation.operations.campaigns.campaign_posts import opened
from tests.moderation.web.campaigns.decided import decide
from tests.moderation.web.conftest import asked, flat

PHONE = "Win a phone, only this evening, share and comment now"


class TestList:
    def test_shows_those_with_most_waiting_first(
        self, desk: Client, platform: Platform, pills: Campaign, now: datetime
    ) -> None:
        larger = opened(platform, 7, at=now, text=PHONE)

        rows = desk.get("/campaigns/").context["page"].rows

        assert [(row.campaign.pk, row.waiting) for row in rows] == [(larger.pk, 7), (pills.pk, 5)]

    def test_leaves_out_those_that_are_settled(self, desk: Client, pills: Campaign) -> None:
        decide(desk, pills, 5)

        assert "No campaigns waiting" in desk.get("/campaigns/").content.decode()
        [row] = desk.get("/campaigns/?show=all").context["page"].rows
        assert (row.campaign.pk, row.waiting) == (pills.pk, 0)

    def test_leaves_out_queues_of_others(self, desk: Client, pills: Campaign) -> None:
        kept, one, two, *_ = Case.objects.order_by("pk")
        Case.objects.filter(pk=kept.pk).update(language="de")
        NamedQueue.objects.create(name="German", languages=["de"], is_exclusive=True)

        for show in ("", "?show=all"):
            assert [row.waiting for row in desk.get(f"/campaigns/{show}").context["page"].rows] == [4]
        assert desk.post(f"/review/{one.pk}/next-similar/").headers["Location"] == f"/review/{two.pk}/"
        decide(desk, pills, 4)
        assert Case.objects.get(state="open") == kept

    def test_leaves_out_pairs_without_a_link(
        self, desk: Client, platform: Platform, fake_scorer: FakeScorer, now: datetime
    ) -> None:
        opened(platform, 2, at=now, text=PHONE)
        linked = opened(platform, 2, at=now, text="Learn to trade gold, join https://gold.example/now")

        for address in ("/campaigns/", "/campaigns/?show=all"):
            assert [row.campaign.pk for row in desk.get(address).context["page"].rows] == [linked.pk]

    @pytest.mark.parametrize("show", ["waiting", "all"])
    def test_goes_on_where_the_first_page_ended(
        self, moderator: User, platform: Platform, pills: Campaign, now: datetime, show: str
    ) -> None:
        other = opened(platform, 7, at=now, text=PHONE)
        listed = campaign_pages.newest if show == "all" else campaign_pages.waiting

        first = listed(viewer=moderator, limit=1)
        second = listed(viewer=moderator, limit=1, cursor=first.next_cursor)

        assert [page.rows[0].campaign.pk for page in (first, second)] == [other.pk, pills.pk]
        assert second.next_cursor == ""

    def test_names_each_and_tells_how_tight_it_is(self, desk: Client, pills: Campaign) -> None:
        others = CampaignMember.objects.exclude(revision=pills.example_id).order_by("pk")
        for member, likeness in zip(others, (0.2, 0.6, 0.8, 0.9), strict=True):
            CampaignMember.objects.filter(pk=member.pk).update(likeness=likeness)

        html = flat(desk.get("/campaigns/").content.decode())

        assert "<q><bdi>Cheap pills without prescription in " in html
        assert "campaign-excerpt" not in html
        assert "70% alike" in html
        assert "over 4 other posts" in html

    def test_tells_how_the_posts_were_decided(self, desk: Client, pills: Campaign, decided: Decided) -> None:
        cases = list(Case.objects.order_by("pk"))
        for case, verdict in zip(cases[:3], ("spam", "spam", "not_spam"), strict=True):
            decided(case, verdict=verdict)
        overruled = Decision.objects.filter(post=cases[0].post_id).get()
        overruled.pk, overruled.case, overruled.verdict = None, None, Verdict.NOT_SPAM
        overruled.decided_at += timedelta(seconds=1)
        overruled.save(force_insert=True)

        html = flat(desk.get("/campaigns/?show=all").content.decode())

        assert "1 removed" in html
        assert "2 let through" in html

    def test_counts_decisions_on_the_newest_posts_alone(
        self, desk: Client, pills: Campaign, decided: Decided, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for case in Case.objects.all():
            decided(case, verdict="spam")
        monkeypatch.setattr(campaign_names, "NEWEST_COUNTED", 3)

        html = flat(desk.get("/campaigns/?show=all").content.decode())

        assert "3 removed" in html
        assert "of the 3 newest posts" in html

    def test_needs_the_same_few_queries_for_any_number(
        self, desk: Client, platform: Platform, pills: Campaign, now: datetime
    ) -> None:
        desk.get("/campaigns/")
        first = len(asked(desk, "/campaigns/"))
        opened(platform, 7, at=now, text=PHONE)
        opened(platform, 4, at=now, text="Learn to trade gold from home with our free signals channel")

        assert len(asked(desk, "/campaigns/")) == first


class TestName:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("Acerté 12 de 20 en el quiz! ¿Me superas?", "Acerté 12 de 20 en el quiz! ¿Me superas?"),
            ("I got 12 of 20 in the quiz! Beat me. " + "W" * 99, "I got 12 of 20 in the quiz! Beat me."),
            ("Win! See https://a.example/x or s\u200bhop, it costs 2.99", "Win! See or shop, it costs 2.99"),
            ("W" * 300, "W" * 240),
        ],
    )  # fmt: skip
    def test_is_the_beginning_of_the_text(self, pills: Campaign, text: str, words: str) -> None:
        Revision.objects.update(text=text)

        assert campaign_names.names([pills.pk])[pills.pk].words == words

    def test_is_no_text_that_most_posts_do_not_resemble(self, pills: Campaign) -> None:
        CampaignMember.objects.exclude(revision=pills.example_id).update(likeness=0.4)

        assert campaign_names.names([pills.pk])[pills.pk].words == ""

    def test_is_the_domain_that_most_share_where_no_words_are(self, pills: Campaign) -> None:
        Revision.objects.update(text="")

        name = campaign_names.names([pills.pk])[pills.pk]

        assert (name.words, name.domain) == ("", "pills.example")

        CampaignTrait.objects.filter(kind=TieKind.DOMAIN).update(posts=2)

        assert campaign_names.names([pills.pk])[pills.pk].domain == ""

    def test_is_escaped_in_the_list_the_head_and_the_search(
        self, desk: Client, platform: Platform, fake_scorer: FakeScorer, now: datetime
    ) -> None:
        text = "<script>alert(1)</script> free pills \u202enow for you"
        campaign = opened(platform, 3, at=now, text=text)

        for address in ("/campaigns/", f"/campaigns/{campaign.pk}/", "/posts/"):
            html = flat(desk.get(address).content.decode())
            assert "script&gt;alert(1)&lt;/script&gt; free pills now for you</bdi></q>" in html
            assert "<script>alert" not in html

    def test_stands_over_the_case_and_in_the_search(self, desk: Client, pills: Campaign) -> None:
        case = Case.objects.order_by("pk")[0]

        review, search = (
            flat(desk.get(address).content.decode()) for address in (f"/review/{case.pk}/", "/posts/")
        )

        assert "<q><bdi>Cheap pills without prescription in " in review
        assert "alike" in review
        assert search.count(f'href="/campaigns/{pills.pk}/"') == 5

    @pytest.mark.parametrize("reason", sorted(BLIND_REASONS))
    def test_is_not_told_of_a_blindly_judged_post(self, desk: Client, pills: Campaign, reason: str) -> None:
        Case.objects.update(reason=reason)

        assert "/campaigns/" + str(pills.pk) not in desk.get("/posts/").content.decode()


class TestStrip:
    def test_is_none_for_a_blind_case(self, pills: Campaign, moderator: User, now: datetime) -> None:
        first, second = Case.objects.order_by("id")[:2]
        judge(first, moderator, at=now)
        found = campaign_names.strip(case=second)
        assert found is not None
        assert (found.posts, found.authors, found.domains, found.decided.judged) == (5, 5, 1, 1)

        second.reason = CaseReason.CAMPAIGN

        assert campaign_names.strip(case=second) is None

    def test_tells_what_the_filter_decided_from_what_people_did(
        self,
        desk: Client,
        pills: Campaign,
        moderator: User,
        now: datetime,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Twelve of 22 posts were removed by the filter, and the line said that none was decided."""
        first, *_, last = Case.objects.order_by("id")
        for case, verdict in zip(Case.objects.order_by("id")[1:4], ("spam", "spam", "not_spam"), strict=True):
            scored = {"post": case.post, "revision": case.score.revision, "score": case.score}
            Decision.objects.create(
                **scored, verdict=verdict, source="automatic", decided_at=now, effective_at=now
            )
        address = f"/review/{last.pk}/"

        before = flat(desk.get(address).content.decode())
        judge(first, moderator, at=now)
        monkeypatch.setattr(campaign_names, "NEWEST_COUNTED", 4)
        after = flat(desk.get(address).content.decode())

        assert "2 removed by the filter, 1 let through by the filter, none reviewed" in before
        assert "none reviewed of the 4 newest posts" in after


class TestQueue:
    def test_shows_only_the_cases_of_a_campaign(
        self, desk: Client, platform: Platform, pills: Campaign, now: datetime
    ) -> None:
        opened(platform, 3, at=now, text=PHONE)

        rows = desk.get(f"/queue/?campaign={pills.pk}").context["page"].rows

        assert [row.campaign_id for row in rows] == [pills.pk] * 5
        assert [row.campaign_posts for row in rows] == [5] * 5

    def test_says_nothing_of_the_campaign_of_a_sample(self, desk: Client, pills: Campaign) -> None:
        Case.objects.update(reason=CaseReason.CAMPAIGN)

        assert {row.campaign_id for row in desk.get("/queue/").context["page"].rows} == {None}
        assert not desk.get(f"/queue/?campaign={pills.pk}").context["page"].rows
