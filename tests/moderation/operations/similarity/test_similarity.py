"""What posts share: groups of pictures, and what new posts share with earlier ones."""

import random
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoCaptureOnCommitCallbacks

from moderation.models import (
    AuthorBand,
    CampaignMember,
    Evidence,
    PictureBand,
    PictureGroup,
    Platform,
    Revision,
    RevisionEvidence,
    RevisionPicture,
    SimilarityBand,
)
from moderation.models.evidence import EvidenceKind, EvidenceRole, EvidenceState
from moderation.operations.campaigns import gather
from moderation.operations.erasure import erase
from moderation.operations.similarity import picture_groups, text_groups
from moderation.queries.campaigns import campaign_pages, shared_traits
from tests.moderation.conftest import Incoming, Post_
from tests.moderation.instants import AT
from tests.moderation.operations.posts.arrivals import SPAM, accept

_RANDOM = random.Random(1)


def some_hash() -> str:
    return f"{_RANDOM.getrandbits(256):064x}"


def apart(hash_: str, bits: int) -> str:
    """A hash that differs by so many bits, spread over the bands as evenly as can be."""
    number = int(hash_, 16)
    for place in range(bits):
        number ^= 1 << (16 * (place % 16) + place // 16)
    return f"{number:064x}"


def read(hash_: str, *, turned: Sequence[str] = (), quality: int = 100) -> dict[str, Any]:
    return {"pdq": hash_, "pdq_quality": quality, "pdq_turned": list(turned)}


@pytest.fixture
def group_of(db: None) -> Callable[..., int | None]:
    def find(hash_: str, **more: Any) -> int | None:
        with transaction.atomic():
            group = picture_groups.of(read(hash_, **more), at=AT)
        return group.pk if group else None

    return find


@pytest.fixture
def showing(post: Post_, group_of: Callable[..., int | None]) -> Callable[..., Revision]:
    """Store a post that shows a picture which was read."""

    def run(hash_: str, *, text: str = "", **fields: Any) -> Revision:
        revision = Revision.objects.select_related("post").get(post=post(text=text, **fields))
        count = Evidence.objects.count()
        row = Evidence.objects.create(
            url=f"http://pictures.example/{count}", url_digest=f"digest {count}", hour=AT, site="x.example",
            kind=EvidenceKind.PICTURE, state=EvidenceState.FETCHED,
            enqueued_at=AT, since=AT, due_at=AT, fetched_at=AT,
            picture_group_id=group_of(hash_), thumbnail="a" * 64, facts={},
        )  # fmt: skip
        RevisionEvidence.objects.create(revision=revision, evidence=row, role=EvidenceRole.MEDIA, position=0)
        return revision

    return run


class TestGroups:
    @pytest.mark.parametrize("bits", [0, 1, 15, 16, 17, 30, 31])
    def test_hold_every_copy_up_to_31_bits(self, bits: int, group_of: Callable[..., int | None]) -> None:
        first = some_hash()

        assert group_of(apart(first, bits)) == group_of(first)
        assert PictureGroup.objects.count() == 1
        assert PictureBand.objects.count() == 16

    def test_hold_no_other_picture(self, group_of: Callable[..., int | None]) -> None:
        first = some_hash()

        assert group_of(apart(first, 32)) != group_of(first)
        assert group_of(some_hash()) != group_of(first)

    def test_hold_mirrored_copies(self, group_of: Callable[..., int | None]) -> None:
        first = some_hash()
        group = group_of(first)

        assert group_of(some_hash(), turned=[some_hash(), apart(first, 20)]) == group

    def test_hold_the_nearest(self, group_of: Callable[..., int | None]) -> None:
        first = some_hash()
        far = group_of(apart(first, 40))
        near = group_of(first)

        assert far != near
        assert group_of(apart(first, 12)) == near

    def test_are_found_beside_a_flood_with_one_band_in_common(
        self, group_of: Callable[..., int | None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(picture_groups, "LATEST", 2)
        first = some_hash()
        group = group_of(first)
        for _ in range(5):
            assert group_of(first[:4] + some_hash()[4:]) != group

        assert group_of(apart(first, 12)) == group

    @pytest.mark.parametrize("facts", [None, {}, read("", quality=100), read("0" * 64, quality=49)])
    def test_are_not_made_of_what_has_no_features(self, facts: Any, db: None) -> None:
        with transaction.atomic():
            assert picture_groups.of(facts, at=AT) is None


class TestPosts:
    def test_that_show_one_picture_and_no_words_are_gathered(self, showing: Callable[..., Revision]) -> None:
        first = some_hash()
        one, other, unlike = showing(first), showing(apart(first, 20)), showing(some_hash())
        revisions = [one, other, unlike]
        with transaction.atomic():
            shared = picture_groups.join([revision.pk for revision in revisions])
            again = picture_groups.join([revision.pk for revision in revisions])
        gather.gather(revisions=revisions, at=AT)

        assert shared == {one.pk, other.pk}
        assert again == set(), "no news the second time"
        members = CampaignMember.objects.filter(post__in=[one.post_id, other.post_id, unlike.post_id])
        assert {member.post_id for member in members} == {one.post_id, other.post_id}
        assert all("picture" in member.ties for member in members)
        [picture] = campaign_pages.shared_pictures(members[0].campaign_id)
        assert (picture.posts, picture.digest) == (2, "a" * 64)

    def test_with_texts_of_their_own_are_not_gathered_by_a_picture_alone(
        self, showing: Callable[..., Revision]
    ) -> None:
        first = some_hash()
        revisions = [
            showing(first, text="Our kitchen is finished and we could not be happier with it"),
            showing(first, text="Has anybody been to the market on Saturday, was it worth the trip"),
        ]
        with transaction.atomic():
            picture_groups.join([revision.pk for revision in revisions])
        gather.gather(revisions=revisions, at=AT)

        assert not CampaignMember.objects.exists()

    def test_of_a_flood_with_one_picture_are_looked_up_once(
        self, showing: Callable[..., Revision], django_assert_num_queries: Any
    ) -> None:
        first = some_hash()
        revisions = [showing(first) for _ in range(20)]

        with (
            transaction.atomic(),
            django_assert_num_queries(3),
        ):  # what they show and what is noted is read, the rest written
            shared = picture_groups.join([revision.pk for revision in revisions])
        assert len(shared) == 20
        with django_assert_num_queries(1):
            traits = shared_traits.facts_of(revisions)
        seen = shared_traits.sightings_of(revisions, traits=traits)
        most = shared_traits.LATEST + shared_traits.FIRST
        assert {len(one.posts) for found in seen.values() for one in found} <= set(range(1, most + 1))

    def test_without_pictures_cost_no_query_more(self, post: Post_, django_assert_num_queries: Any) -> None:
        plain = list(Revision.objects.select_related("post").filter(post=post(text="Plain words")))

        with django_assert_num_queries(1):
            shared_traits.facts_of(plain)
        with transaction.atomic(), django_assert_num_queries(1):
            assert picture_groups.join([revision.pk for revision in plain]) == set()

    def test_take_their_group_along_when_they_are_erased(
        self,
        showing: Callable[..., Revision],
        django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    ) -> None:
        first = some_hash()
        one, other = showing(first), showing(first)
        with transaction.atomic():
            picture_groups.join([one.pk, other.pk])

        for revision, left in ((one, 1), (other, 0)):
            with django_capture_on_commit_callbacks(execute=True):
                erase.post(post_id=revision.post_id, at=AT)
            assert (PictureGroup.objects.count(), RevisionPicture.objects.count()) == (left, left)


def revisions() -> list[Revision]:
    return list(Revision.objects.select_related("post", "grouped").order_by("pk"))


class TestMissing:
    def test_groups_near_duplicates_and_only_those(self, platform: Platform, incoming: Incoming) -> None:
        accept(platform, AT, incoming(text=SPAM.format("a1")), incoming(text=SPAM.format("b2")))
        text_groups.backfill(revisions=revisions())
        accept(platform, AT, incoming(text=SPAM.format("c3")), incoming())
        assert [row.similarity_group is None for row in revisions()] == [False, False, True, True]

        loaded = revisions()
        text_groups.backfill(revisions=loaded)

        groups = [row.similarity_group for row in revisions()]
        assert len(set(groups[:3])) == 1
        assert groups[3] not in (None, groups[0])
        assert groups == [row.similarity_group for row in loaded]

    def test_does_nothing_twice(
        self,
        platform: Platform,
        incoming: Incoming,
        django_assert_num_queries: Callable[[int], CaptureQueriesContext],
    ) -> None:
        accept(platform, AT, incoming(text=SPAM.format("a1")))
        text_groups.backfill(revisions=revisions())
        loaded = revisions()

        with django_assert_num_queries(0):
            text_groups.backfill(revisions=loaded)

    def test_takes_the_group_that_another_worker_stored_meanwhile(
        self, platform: Platform, incoming: Incoming, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        accept(platform, AT, incoming(text=SPAM.format("a1")))
        text_groups.backfill(revisions=revisions())
        accept(platform, AT, incoming(text=SPAM.format("b2")))
        answers = iter([dict[int, UUID]()])  # as it was before the other committed
        known = shared_traits.groups_of
        monkeypatch.setattr(
            f"{text_groups.__name__}.groups_of", lambda digests: next(answers, known(digests))
        )

        text_groups.backfill(revisions=revisions())

        assert len({row.similarity_group for row in revisions()}) == 1

    def test_writes_nothing_of_what_is_erased_meanwhile(self, platform: Platform, incoming: Incoming) -> None:
        accept(platform, AT, incoming(text=SPAM.format("a")))
        [loaded] = revisions()
        erase.post(post_id=loaded.post_id, at=AT)

        text_groups.backfill(revisions=[loaded])

        assert SimilarityBand.objects.count() == AuthorBand.objects.count() == 0
        assert loaded.similarity_group is not None
