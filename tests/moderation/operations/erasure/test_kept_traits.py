"""Erased spam is recognised in its copies for SPAM_DIGEST_DAYS, by digests that need the key."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from pytest_django import DjangoCaptureOnCommitCallbacks

from moderation.models import (
    Campaign,
    CampaignMember,
    CampaignTrait,
    DeskSettings,
    KeptTraits,
    Platform,
    Post,
    PostLink,
    RevisionGroup,
    SimilarityBand,
    User,
)
from moderation.models.decisions import Verdict
from moderation.operations.campaigns import campaign_decisions
from moderation.operations.erasure import erase
from moderation.operations.posts.incoming_post import IncomingAuthor
from moderation.operations.similarity import picture_groups
from moderation.queries.campaigns import campaign_members
from moderation.queries.records import record_histories
from scoring import similarity
from tests.moderation.api.test_posts_erasures import everything_stored
from tests.moderation.conftest import Case_, judge
from tests.moderation.instants import AT, later
from tests.moderation.operations.campaigns.campaign_posts import accept, campaign_of, gather, incoming, opened

pytestmark = pytest.mark.usefixtures("fake_scorer")

_MONTH = timedelta(days=30)
_TEXT = "Cheap pills without prescription in Oslo, call now and save 7 dollars today"


def spam(number: int, **given: Any) -> Any:
    return incoming(number, author=IncomingAuthor(external_id=f"runaway-{number}"), **given)


def forget(post: Post, *, at: datetime) -> None:
    erase.author(platform=post.platform, external_id=str(post.author.external_id), at=at)


class TestText:
    def test_of_a_decided_post_is_recognised_with_its_verdict(
        self, platform: Platform, open_case: Case_, moderator: User
    ) -> None:
        first = judge(open_case(text=_TEXT), moderator, at=later(2)).post
        plain = similarity.bands(_TEXT)

        forget(first, at=later(3))

        assert not SimilarityBand.objects.filter(digest__in=plain).exists()
        [copy] = accept(platform, [incoming(3, at=later(4), text=_TEXT)], at=later(4))
        gather([copy], at=later(5))
        campaign = campaign_of(copy)
        assert campaign is not None
        assert campaign.posts == 2
        wanted = {"similar": [(str(copy.revisions.get().similarity_group), copy.pk)]}
        [history] = record_histories.histories(wanted, at=later(60))["similar"]
        assert history.confirmed_spam == 1
        # The erased post was drawn in, but nobody can decide anything about it.
        named = {"campaign_id": campaign.pk, "post_id": first.pk}
        assert campaign_members.row(**named, viewer=moderator).place == "left_out"
        with pytest.raises(CampaignMember.DoesNotExist):
            campaign_decisions.leave_out(**named, is_left_out=False, moderator=moderator, at=later(9))

    def test_of_a_campaign_draws_its_copies_there_one_after_the_other(self, platform: Platform) -> None:
        campaign = opened(platform, 3, at=AT, ip="203.0.113.7", text=_TEXT)
        for number, post in enumerate(Post.objects.order_by("pk")):
            forget(post, at=later(10 + number))

        for number in range(3):  # each copy is erased, too, before the next comes
            [copy] = accept(platform, [spam(number, at=later(20), text=_TEXT)], at=later(20 + number))
            gather([copy], at=later(20 + number))
            assert campaign_of(copy) == campaign
            forget(copy, at=later(20.5 + number))

        assert SimilarityBand.objects.count() == similarity.BANDS
        assert not SimilarityBand.objects.filter(digest__in=similarity.bands(_TEXT)).exists()
        assert not CampaignTrait.objects.filter(kind="network").exists()
        assert "203.0.113" not in everything_stored()

    def test_of_an_honest_post_is_forgotten(self, open_case: Case_, moderator: User) -> None:
        judged, waiting = open_case(), open_case(text="Who has a boat to lend for a week in summer?")
        judge(judged, moderator, at=later(2), verdict=Verdict.NOT_SPAM)

        for case in (judged, waiting):
            erase.post(post_id=case.post_id, at=later(9))

        assert not KeptTraits.objects.exists()
        assert not SimilarityBand.objects.exists()


class TestLinksAndPictures:
    def test_a_link_is_kept_under_the_key_only(self, platform: Platform) -> None:
        link = "https://pills.example/offer?id=7"
        campaign = opened(platform, 8, at=AT, links=(link,), text=_TEXT)
        plain = PostLink.objects.values_list("url_digest", flat=True)[0]
        for post in Post.objects.all():
            forget(post, at=later(10))

        assert plain not in everything_stored()
        [copy] = accept(
            platform, [incoming(3, at=later(20), text="You should see this one", links=(link,))], at=later(20)
        )
        gather([copy], at=later(21))
        assert campaign_of(copy) == campaign
        assert CampaignMember.objects.get(post=copy).ties == ["link"]

    @pytest.mark.parametrize("bits", [0, 8, 20])
    def test_a_picture_is_recognised_without_its_hash(
        self,
        open_case: Case_,
        moderator: User,
        django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
        bits: int,
    ) -> None:
        hash_ = f"{7**90 % 2**256:064x}"
        post = judge(open_case(text="Look"), moderator, at=later(2)).post
        with transaction.atomic():
            group = picture_groups.of({"pdq": hash_, "pdq_quality": 100}, at=later(2))
        assert group is not None
        revision = post.revisions.get()
        revision.pictures.create(group=group, received_at=revision.received_at)

        with django_capture_on_commit_callbacks(execute=True):
            forget(post, at=later(3))

        assert hash_ not in everything_stored()
        flipped = f"{int(hash_, 16) ^ sum(1 << (13 * bit) for bit in range(bits)):064x}"
        with transaction.atomic():
            copy = picture_groups.of({"pdq": flipped, "pdq_quality": 100}, at=later(4))
            other = picture_groups.of({"pdq": f"{3**160 % 2**256:064x}", "pdq_quality": 100}, at=later(4))
        assert copy == group
        assert other != group


class TestTime:
    def test_leaves_nothing(
        self, platform: Platform, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
    ) -> None:
        campaign = opened(platform, 3, at=AT, links=("https://pills.example/",), text=_TEXT)
        for post in Post.objects.all():
            forget(post, at=later(10))

        erase.expired(at=AT + _MONTH - timedelta(seconds=1))
        assert (KeptTraits.objects.count(), campaign.members.count()) == (3, 3)
        erase.expired(at=AT + _MONTH)

        left = (KeptTraits, SimilarityBand, CampaignMember, CampaignTrait)
        assert [model for model in left if model.objects.exists()] == []
        assert Campaign.objects.get().posts == 0
        assert not PostLink.objects.exclude(url_digest="").exists()
        groups = RevisionGroup.objects.values_list("similarity_group", flat=True)
        assert len(set(groups)) == 3

    def test_is_none_at_once_where_the_setting_says_so(
        self, platform: Platform, remembered: DeskSettings
    ) -> None:
        opened(platform, 3, at=AT)
        forget(Post.objects.all()[0], at=later(10))
        remembered.digest_days = 0
        forget(Post.objects.all()[1], at=later(10))
        assert KeptTraits.objects.count() == 1

        erase.expired(at=later(11))

        assert not KeptTraits.objects.exists()
        assert CampaignMember.objects.count() == 1
