"""Gathering: who ends up in one campaign, however many arrive at once."""

import dataclasses
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.test.utils import CaptureQueriesContext

from moderation.models import (
    Campaign,
    CampaignMember,
    CampaignTrait,
    DeskSettings,
    KeptTraits,
    Platform,
    Post,
    Revision,
)
from moderation.operations.campaigns import gather as campaigns_gather
from moderation.operations.erasure import erase
from moderation.operations.infrastructure import advisory_locks
from moderation.operations.infrastructure.advisory_locks import AdvisoryLock
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingAuthor
from moderation.operations.scoring import score
from moderation.operations.similarity import text_groups
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.campaigns.campaign_posts import (
    accept,
    campaign_of,
    gather,
    incoming,
    run_all,
)
from tests.moderation.operations.conftest import side_by_side
from tests.moderation.operations.posts.arrivals import PROFILE, complain


class TestGather:
    def test_near_duplicates_of_several_authors_become_one_campaign(self, platform: Platform) -> None:
        posts = accept(platform, [incoming(number, at=AT) for number in range(5)], at=AT)

        gather(posts, at=AT)

        campaign = Campaign.objects.get()
        assert (campaign.posts, campaign.authors, campaign.domains) == (5, 5, 0)
        assert CampaignMember.objects.filter(campaign=campaign).count() == 5
        assert all(member.ties == ["text"] for member in CampaignMember.objects.all())

    @pytest.mark.usefixtures("fake_scorer")
    def test_copies_of_a_profile_become_one_campaign(self, platform: Platform) -> None:
        for number in range(3):
            author = IncomingAuthor(external_id=str(number), display_name="Pill Palace")
            complain(platform, dataclasses.replace(PROFILE, author=author))

        run_all(list(Post.objects.all()), at=AT)

        campaign = Campaign.objects.get()
        assert (campaign.posts, campaign.authors) == (3, 3)

    def test_posts_that_resemble_nothing_stay_alone(self, platform: Platform) -> None:
        texts = (
            "Has anybody seen my grey cat near the river?",
            "The concert last night was wonderful, thank you all for coming",
            "Traffic was terrible on the way to work today",
        )
        posts = accept(platform, [incoming(n, at=AT, text=text) for n, text in enumerate(texts)], at=AT)

        gather(posts, at=AT)

        assert not Campaign.objects.exists()

    def test_a_later_post_joins_and_is_counted(self, platform: Platform) -> None:
        gather(accept(platform, [incoming(n, at=AT) for n in range(2)], at=AT), at=AT)

        [late] = accept(platform, [incoming(7, at=AT, links=("https://pills.example/buy",))], at=later(60))
        gather([late], at=later(61))

        campaign = Campaign.objects.get()
        assert (campaign.posts, campaign.authors, campaign.domains) == (3, 3, 1)
        assert campaign.latest_at == later(61)

    def test_is_safe_to_run_twice(self, platform: Platform) -> None:
        posts = accept(platform, [incoming(number, at=AT) for number in range(3)], at=AT)

        gather(posts, at=AT)
        gather(posts, at=AT)

        assert Campaign.objects.get().posts == 3
        assert CampaignMember.objects.count() == 3

    def test_a_domain_in_every_third_post_glues_nothing_together(self, platform: Platform) -> None:
        words = "apple river stone cloud tiger piano lemon hotel radio field glass candle".split()  # noqa: SIM905
        posts = accept(
            platform,
            [
                incoming(
                    number,
                    at=AT + timedelta(seconds=number),
                    text=f"{word} " * 3 + f"{word[::-1]} {word}ly un{word} {word}ish",
                    links=("https://video.example/watch",),
                    ip="203.0.113.7",
                )
                for number, word in enumerate(words)
            ],
            at=AT,
        )

        gather(posts, at=AT)

        assert not Campaign.objects.exists()

    def test_a_domain_of_one_campaign_draws_other_texts_in(self, platform: Platform) -> None:
        link = ("https://only-here.example/buy",)
        gather(accept(platform, [incoming(number, at=AT, links=link) for number in range(16)], at=AT), at=AT)

        [other] = accept(
            platform, [incoming(99, at=AT, text="Completely different words, yes", links=link)], at=later(5)
        )
        gather([other], at=later(6))

        member = CampaignMember.objects.get(post=other)
        assert member.campaign == Campaign.objects.get()
        assert member.ties == ["link"]
        assert member.likeness < 0.2

    def test_a_post_between_two_campaigns_unites_them(self, platform: Platform) -> None:
        other = "Win a phone, only this evening, share and comment to enter the draw"
        both = ("https://one.example/",)
        first = accept(platform, [incoming(n, at=AT, links=both) for n in range(12)], at=AT)
        gather(first, at=AT)
        second = accept(platform, [incoming(n, at=AT, text=other) for n in range(3)], at=later(1))
        gather(second, at=later(1))
        assert Campaign.objects.count() == 2

        [between] = accept(platform, [incoming(50, at=AT, text=other, links=both)], at=later(2))
        gather([between], at=later(2))

        kept = campaign_of(first[0])
        assert kept == campaign_of(second[0]) == campaign_of(between)
        assert kept is not None
        assert (kept.posts, kept.domains) == (16, 1)
        assert Campaign.objects.exclude(pk=kept.pk).get().merged_into == kept
        assert sum(trait.posts for trait in CampaignTrait.objects.filter(kind="author")) == 16

    def test_an_edited_post_leaves_when_it_says_something_else(self, platform: Platform) -> None:
        posts = accept(platform, [incoming(number, at=AT) for number in range(3)], at=AT)
        gather(posts, at=AT)

        edited = incoming(
            0,
            at=AT,
            external_id=posts[0].external_id,
            revision=2,
            text="I have sold my old bicycle to a friend",
        )
        accept(platform, [edited], at=later(5))
        gather([posts[0]], at=later(6))

        assert campaign_of(posts[0]) is None
        assert (Campaign.objects.get().posts, Campaign.objects.get().authors) == (2, 2)

    def test_forgets_what_is_erased_with_all_that_it_brought(
        self, platform: Platform, remembered: DeskSettings
    ) -> None:
        remembered.digest_days = 0
        posts = accept(platform, [incoming(n, at=AT, ip=f"203.0.{n}.7") for n in range(3)], at=AT)
        gather(posts, at=AT)

        erase.post(post_id=posts[0].pk, at=later(5))

        campaign = Campaign.objects.get()
        assert (campaign.posts, campaign.authors) == (2, 2)
        assert not CampaignMember.objects.filter(post=posts[0]).exists()
        assert not CampaignTrait.objects.filter(value="203.0.0.0/24").exists()
        [late] = accept(platform, [incoming(9, at=later(6))], at=later(6))
        gather([late], at=later(7))
        assert CampaignMember.objects.get(post=late).likeness > 0.5

    def test_takes_as_many_queries_for_many_posts_as_for_few(self, platform: Platform) -> None:
        gather(accept(platform, [incoming(number, at=AT) for number in range(8)], at=AT), at=AT)
        counts = []
        for size in (2, 40):
            posts = accept(
                platform,
                [incoming(n, at=AT, links=("https://x.example/",), ip="198.51.100.1") for n in range(size)],
                at=later(size),
            )
            with CaptureQueriesContext(connection) as queries:
                gather(posts, at=later(size))
            counts.append(len(queries))

        assert max(counts) <= 24
        assert Campaign.objects.get().posts == 50

    @pytest.mark.django_db(transaction=True)
    def test_workers_that_gather_at_once_make_one_campaign(self, platform: Platform) -> None:
        posts = accept(platform, [incoming(number, at=AT) for number in range(24)], at=AT)
        outcomes = side_by_side(*(lambda n=n: gather(posts[n::6], at=AT) for n in range(6)))

        assert outcomes == [None] * 6
        assert Campaign.objects.get().posts == 24
        assert CampaignMember.objects.count() == 24
        assert {member.campaign_id for member in CampaignMember.objects.all()} == {Campaign.objects.get().pk}

    @pytest.mark.django_db(transaction=True)
    def test_a_slower_worker_finds_what_a_faster_one_could_not_see(
        self, platform: Platform, fake_scorer: FakeScorer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ingest.accept(platform=platform, posts=[incoming(n, at=AT) for n in range(2)], at=AT)
        slower, faster = Revision.objects.order_by("pk").values_list("pk", flat=True)
        has_gathered, compare, look = Event(), text_groups.backfill, campaigns_gather.gather_or_leave

        def compare_later(revisions: list[Revision]) -> None:
            assert revisions[0].pk == faster or has_gathered.wait(20)
            compare(revisions=revisions)

        def look_and_tell(**given: Any) -> None:
            look(**given)
            has_gathered.set()

        monkeypatch.setattr(text_groups, "backfill", compare_later)
        monkeypatch.setattr(campaigns_gather, "gather_or_leave", look_and_tell)
        acts = [lambda pk=pk: score.at_once(revision_id=pk, at=later(2)) for pk in (slower, faster)]

        assert side_by_side(*acts) == [1, 1]
        assert Campaign.objects.get().posts == 2

    def test_a_post_that_became_visible_late_joins_a_later_one(self, platform: Platform) -> None:
        for seconds in (5, 0):
            gather(accept(platform, [incoming(seconds, at=AT)], at=later(seconds)), at=later(9))

        assert Campaign.objects.get().posts == 2

    def test_posts_still_to_be_placed_do_not_shrink_the_share_of_a_campaign(self, platform: Platform) -> None:
        link = ("https://only-here.example/buy",)
        gather(accept(platform, [incoming(number, at=AT, links=link) for number in range(16)], at=AT), at=AT)
        accept(platform, [incoming(n, at=AT, text=f"My {n}", links=link) for n in range(8)], at=later(9))

        [late] = accept(platform, [incoming(99, at=AT, text="Other words", links=link)], at=later(5))
        gather([late], at=later(10))

        assert campaign_of(late) == Campaign.objects.get()

    def test_chooses_again_under_the_lock(self, platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
        posts = accept(platform, [incoming(number, at=AT) for number in range(3)], at=AT)

        def other_first() -> None:
            monkeypatch.setattr(campaigns_gather, "_line_up", lambda: None)
            gather(posts[:2], at=AT)

        monkeypatch.setattr(campaigns_gather, "_line_up", other_first)
        gather(posts[1:], at=AT)

        assert Campaign.objects.get().posts == CampaignMember.objects.count() == 3

    @pytest.mark.django_db(transaction=True)
    def test_posts_that_could_join_nothing_wait_for_no_other_worker(self, platform: Platform) -> None:
        alone = accept(platform, [incoming(0, at=AT, text="My grey cat has come home to the river")], at=AT)
        alike = accept(platform, [incoming(number, at=AT) for number in range(2)], at=AT)
        with transaction.atomic():
            advisory_locks.take(AdvisoryLock.CAMPAIGNS)

            outcomes = side_by_side(lambda: gather(alone, at=AT), lambda: hurried(alike))

        assert outcomes[0] is None
        assert isinstance(outcomes[1], OperationalError)

    @pytest.mark.parametrize("is_kept", [False, True])
    def test_draws_in_what_was_erased_meanwhile_only_if_its_digests_are_kept(
        self, platform: Platform, monkeypatch: pytest.MonkeyPatch, is_kept: bool
    ) -> None:
        first, second = accept(platform, [incoming(number, at=AT) for number in range(2)], at=AT)
        monkeypatch.setattr(
            campaigns_gather, "_line_up", lambda: Post.objects.filter(pk=first.pk).update(erased_at=AT)
        )
        if is_kept:
            KeptTraits.objects.create(post=first, received_at=AT)

        gather([second], at=AT)

        assert CampaignMember.objects.count() == (2 if is_kept else 0)
        assert CampaignMember.objects.filter(left_out_at=AT).count() == is_kept


def hurried(posts: list[Post]) -> None:
    """Gather, but wait for no lock."""
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = '300ms'")
    campaigns_gather.gather(revisions=list(Revision.objects.filter(post__in=posts)), at=AT)
