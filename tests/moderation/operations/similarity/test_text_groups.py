"""What new posts share with earlier ones is found out once, before they are scored."""

from __future__ import annotations

from collections.abc import Callable

from django.test.utils import CaptureQueriesContext

from moderation.models import AuthorBand, Platform, Revision, SimilarityBand
from moderation.operations.erasure import erase
from moderation.operations.similarity import text_groups
from tests.moderation.conftest import Incoming
from tests.moderation.instants import AT
from tests.moderation.operations.posts.arrivals import SPAM, accept


def revisions() -> list[Revision]:
    return list(Revision.objects.select_related("post").order_by("pk"))


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

    def test_writes_nothing_of_what_was_erased_meanwhile(
        self, platform: Platform, incoming: Incoming
    ) -> None:
        accept(platform, AT, incoming(text=SPAM.format("a")))
        [loaded] = revisions()
        erase.post(post_id=loaded.post_id, at=AT)

        text_groups.backfill(revisions=[loaded])

        assert SimilarityBand.objects.count() == AuthorBand.objects.count() == 0
        assert loaded.similarity_group is not None
