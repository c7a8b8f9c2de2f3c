"""A candidate in shadow, where the scorers are stand-ins."""

from collections.abc import Callable

import pytest

from moderation import scorer
from moderation.models import Post, Promotion, Release, ShadowRun, User
from moderation.models.releases import PromotionKind
from moderation.operations.scoring import score
from tests.moderation.conftest import Post_
from tests.moderation.fakes import RELEASE_ID, FakeScorer, FakeScorers
from tests.moderation.instants import AT

Scored = Callable[..., Post]


@pytest.fixture
def candidate_scorer(fake_scorer: FakeScorer) -> FakeScorer:
    """The candidate, beside the live stand-in."""
    stand_in = scorer.current()
    assert isinstance(stand_in, FakeScorers)
    stand_in.shadow = FakeScorer()
    return stand_in.shadow


@pytest.fixture
def shadow_run(candidate_scorer: FakeScorer, lead: User) -> ShadowRun:
    """A run of all posts, whose live release is the stand-in."""
    manifest = {"thresholds": {"review_from": 0.2, "remove_from": 0.9}}
    live, before = (
        Release.objects.create(pk=name, manifest=manifest, first_used_at=AT)
        for name in (RELEASE_ID, "0" * 64)
    )
    Promotion.objects.create(release=live, replaced=before, kind=PromotionKind.PROMOTE, at=AT)
    return ShadowRun.objects.create(
        candidate="c" * 64, live=RELEASE_ID, share=1.0, started_by=lead, started_at=AT, reached=0
    )


@pytest.fixture
def scored(post: Post_) -> Scored:
    """Store and score a post."""

    def run(**given: object) -> Post:
        row = post(**given)
        score.run(revision_ids=list(row.revisions.values_list("pk", flat=True)), at=AT)
        return row

    return run
