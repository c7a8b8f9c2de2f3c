"""The campaign pages as a moderator's browser asks for them."""

from collections.abc import Sequence
from datetime import datetime

import pytest
from django.db import transaction
from django.test import Client

from moderation.models import (
    Campaign,
    CampaignDecision,
    CampaignMember,
    Case,
    Decision,
    Evidence,
    Platform,
    Revision,
    User,
)
from moderation.models.cases import CaseReason, CaseState
from moderation.models.decisions import DecisionSource, Verdict
from moderation.operations.campaigns import campaign_decisions
from moderation.operations.similarity import picture_groups
from tests.moderation.carried_pictures import carry_picture
from tests.moderation.conftest import Case_, Decided
from tests.moderation.fakes import FakeScorer
from tests.moderation.operations.campaigns.campaign_posts import accept, incoming, opened, run_all, spam
from tests.moderation.web.campaigns.decided import HTMX_HEADERS, decide
from tests.moderation.web.conftest import asked, flat


@pytest.fixture
def five_decided(pills: Campaign, moderator: User, now: datetime) -> CampaignDecision:
    return campaign_decisions.decide(campaign_id=pills.pk, wanted=spam(5), moderator=moderator, at=now)


class TestPage:
    def test_shows_members_authors_domains_and_timeline(self, desk: Client, pills: Campaign) -> None:
        page = desk.get(f"/campaigns/{pills.pk}/").content.decode()

        assert page.count('id="member-') == 5
        assert "5 similar posts" in page
        assert "pills.example" in page
        assert "fill--waiting" in page
        assert "spammer-3" in page

    def test_links_author_post_and_case(self, desk: Client, pills: Campaign) -> None:
        case = Case.objects.select_related("post").order_by("pk")[0]

        page = flat(desk.get(f"/campaigns/{pills.pk}/").content.decode())

        assert f'class="table__author" href="/authors/{case.post.author_id}/"' in page
        assert f'href="/posts/{case.post_id}/"' in page
        assert f'href="/review/{case.pk}/">waiting</a>' in page

    def test_offers_nothing_that_would_decide_nothing(self, desk: Client, pills: Campaign) -> None:
        decide(desk, pills, 5)

        page = flat(desk.get(f"/campaigns/{pills.pk}/").content.decode())

        assert "Nothing in this campaign waits for a decision." in page
        assert 'name="verdict"' not in page
        assert "Exclude" not in page
        assert page.count("data-member") == 5

    def test_asks_again_only_about_what_the_filter_decided(self, desk: Client, pills: Campaign) -> None:
        decide(desk, pills, 5)
        Decision.objects.update(source=DecisionSource.AUTOMATIC, decided_by=None, campaign_decision=None)

        page = flat(desk.get(f"/campaigns/{pills.pk}/").content.decode())

        assert 'name="verdict" value="spam"' not in page
        assert 'name="verdict" value="not_spam"' in page
        assert '<input type="hidden" name="has_filtered" value="on">' in page
        assert 'data-waiting="5" data-together="5">5</span>' in page

    def test_puts_the_least_alike_first(self, desk: Client, pills: Campaign) -> None:
        CampaignMember.objects.filter(post__author__external_id="spammer-3").update(likeness=0.1)

        page = desk.get(f"/campaigns/{pills.pk}/").content.decode()

        assert page.index(">spammer-3<") < page.index(">spammer-0<")

    def test_goes_on_where_the_first_page_ended(
        self, desk: Client, platform: Platform, fake_scorer: FakeScorer, now: datetime
    ) -> None:
        campaign = opened(platform, 60, at=now)
        for sort in ("", "sort=newest&"):
            first = desk.get(f"/campaigns/{campaign.pk}/?{sort}").context["members"]
            address = f"/campaigns/{campaign.pk}/?{sort}cursor={first.next_cursor}"
            second = desk.get(address, headers=HTMX_HEADERS).context["members"]
            seen = {row.post_id for row in (*first.rows, *second.rows)}

            assert (len(first.rows), len(second.rows), len(seen)) == (50, 10, 60)
            assert second.next_cursor == ""
        assert desk.get(f"/campaigns/{campaign.pk}/?cursor=nonsense").status_code == 404

    def test_takes_as_many_queries_for_sixty_members_as_for_five(
        self, desk: Client, platform: Platform, pills: Campaign, now: datetime
    ) -> None:
        large = opened(platform, 60, at=now, text="alpha beta gamma delta epsilon zeta eta")

        few, many = (len(asked(desk, f"/campaigns/{campaign.pk}/")) for campaign in (pills, large))

        assert few == many <= 16

    def test_leads_to_the_campaign_that_has_it(self, desk: Client, pills: Campaign, now: datetime) -> None:
        gone = Campaign.objects.create(opened_at=now, latest_at=now, merged_into=pills)

        assert desk.get(f"/campaigns/{gone.pk}/").headers["Location"] == f"/campaigns/{pills.pk}/"

    def test_hides_what_the_models_say_of_a_sample(self, desk: Client, pills: Campaign) -> None:
        Case.objects.update(reason=CaseReason.CAMPAIGN)

        page = desk.get(f"/campaigns/{pills.pk}/").content.decode()

        assert "models:" not in page
        assert "sample, judged individually" in page


class TestDecide:
    def test_answers_412_and_says_why_when_posts_joined(
        self, desk: Client, pills: Campaign, platform: Platform, now: datetime
    ) -> None:
        run_all(accept(platform, [incoming(n, at=now) for n in range(40)], at=now), at=now)

        answer = decide(desk, pills, 5)

        assert answer.status_code == 412
        assert "40 more waiting now" in answer.content.decode()
        assert not Decision.objects.exists()

    def test_asks_for_the_count_beyond_25(
        self, desk: Client, platform: Platform, fake_scorer: FakeScorer, now: datetime
    ) -> None:
        campaign = opened(platform, 30, at=now)

        asked = decide(desk, campaign, 30)
        wrong = decide(desk, campaign, 30, confirmed_count=29)
        assert asked.status_code == 200
        assert "Type <strong>30</strong>" in asked.content.decode()
        assert wrong.status_code == 422
        assert not Decision.objects.exists()

        assert decide(desk, campaign, 30, confirmed_count=30).status_code == 302
        assert Decision.objects.count() == 30

    def test_refuses_nonsense(self, desk: Client, pills: Campaign) -> None:
        assert desk.post(f"/campaigns/{pills.pk}/decide/", {"verdict": "maybe"}).status_code == 400

    def test_keeps_reasons_with_their_verdict(self, desk: Client, pills: Campaign) -> None:
        from moderation.models import Reason  # noqa: PLC0415 - only here

        Reason.objects.all().delete()
        Reason.objects.create(code="scam", title="Scam", digit=1, verdict=Verdict.SPAM)

        assert decide(desk, pills, 5, verdict="not_spam", reason="scam").status_code == 400
        assert decide(desk, pills, 5, reason="scam").status_code == 302

        assert {made.reason for made in Decision.objects.all()} == {"scam"}


class TestProgress:
    def test_shows_how_far_a_large_one_is(
        self, desk: Client, pills: Campaign, moderator: User, now: datetime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(campaign_decisions, "AT_ONCE", 4)
        made = campaign_decisions.decide(campaign_id=pills.pk, wanted=spam(5), moderator=moderator, at=now)
        CampaignDecision.objects.filter(pk=made.pk).update(state="running", settled=2)

        answer = desk.get(f"/campaigns/{pills.pk}/?part=facts", headers=HTMX_HEADERS).content.decode()

        assert '<progress max="5" value="2">' in answer
        assert 'hx-swap-oob="true"' in answer
        assert decide(desk, pills, 5).status_code == 409


class TestLeaveOut:
    def test_counts_anew(self, desk: Client, pills: Campaign) -> None:
        post = CampaignMember.objects.filter(campaign=pills)[0].post_id

        form = {"post": post, "is_left_out": "on"}
        told = desk.post(f"/campaigns/{pills.pk}/leave-out/", form, headers=HTMX_HEADERS)
        answer = told.content.decode()

        assert f'id="member-{post}"' in answer
        assert "excluded by <bdi>moderator</bdi>" in answer
        assert 'name="expected_waiting" value="4"' in answer
        assert decide(desk, pills, 4).status_code == 302
        assert Case.objects.filter(state=CaseState.OPEN).get().post_id == post

    def test_knows_no_strangers(self, desk: Client, pills: Campaign) -> None:
        assert desk.post(f"/campaigns/{pills.pk}/leave-out/", {"post": 10**9}).status_code == 404


class TestUndoAndCorrect:
    def test_correct_asks_why(self, desk: Client, five_decided: CampaignDecision) -> None:
        desk.post(f"/campaign-decisions/{five_decided.pk}/correct/", {"reason": " "})
        assert Decision.objects.count() == 5
        desk.post(f"/campaign-decisions/{five_decided.pk}/correct/", {"reason": "a charity"})

        assert Decision.objects.filter(verdict=Verdict.NOT_SPAM).count() == 5

    def test_says_when_it_is_too_late(self, desk: Client, five_decided: CampaignDecision) -> None:
        answer = desk.post(f"/campaign-decisions/{five_decided.pk}/undo/", follow=True)

        assert "Correct it instead" in answer.content.decode()


HASH = "8c" * 32


def show(cases: Sequence[Case]) -> None:
    """Let posts show copies of one picture, each with a row of evidence of its own."""
    with transaction.atomic():
        for number, case in enumerate(cases):
            carry_picture(case, f"http://pictures.example/{number}.png", pdq=HASH, pdq_quality=100)
        picture_groups.join([case.score.revision_id for case in cases])


def cases_of(campaign: Campaign) -> list[Case]:
    return list(Case.objects.filter(post__membership__campaign=campaign).order_by("pk"))


@pytest.mark.usefixtures("evidence_store")
class TestPictures:
    def test_a_campaign_shows_the_pictures_that_its_posts_share(self, desk: Client, pills: Campaign) -> None:
        show(cases_of(pills)[:3])

        body = flat(desk.get(f"/campaigns/{pills.pk}/").content.decode())

        assert "in 3 posts" in body
        assert "data-shows-pictures" in body
        digest = Evidence.objects.values_list("thumbnail", flat=True).first()
        assert f'/pictures/{digest}/"' in body

    def test_a_campaign_without_pictures_waits_for_no_query_more(self, desk: Client, pills: Campaign) -> None:
        address = f"/campaigns/{pills.pk}/"
        desk.get(address)
        without = asked(desk, address)
        assert all('FROM "moderation_campaign"' in sql for sql in without if "revisionpicture" in sql)
        show(cases_of(pills))

        assert len(asked(desk, address)) == len(without) + 3  # the newest posts, what they show, the pictures

    def test_a_decided_post_with_a_copy_of_the_picture_is_no_near_duplicate(
        self, desk: Client, open_case: Case_, decided: Decided
    ) -> None:
        earlier, case = open_case(text="Look at this offer"), open_case(text="Who has seen my grey cat today")
        decided(earlier, verdict="spam")
        address = f"/review/{case.pk}/"
        assert "the same picture" not in desk.get(address).content.decode()
        plain = asked(desk, address)
        assert not [sql for sql in plain if "revisionpicture" in sql]
        show([earlier, case])

        assert len(asked(desk, address)) == len(plain) + 2  # copies, and lists that name the picture
        body = flat(desk.get(address).content.decode())
        near, alike = body[body.index("Decided near-duplicates") :].split(
            "with the same picture but another text"
        )
        assert "None yet." in near
        assert "Look at this offer" in alike
        assert Revision.objects.get(pk=case.score.revision_id).pictures.count() == 1

    def test_a_near_duplicate_with_the_same_picture_is_shown_once(
        self, desk: Client, open_case: Case_, decided: Decided
    ) -> None:
        text = "Cheap pills without prescription, ask Dr {}, we ship at night"
        earlier, case = open_case(text=text.format("Miller")), open_case(text=text.format("Smith"))
        decided(earlier, verdict="spam")
        show([earlier, case])

        body = flat(desk.get(f"/review/{case.pk}/").content.decode())

        assert "reviewed: 1 spam, 0 not" in body
        assert "the same picture" not in body
