"""Trial 33. Promise: a clock that is set back or forward holds up nothing beyond its own period."""

import contextlib
import uuid

import pytest
from django.db import transaction

from moderation.models import Export, Platform, Post, Revision, User
from moderation.models.exports import ExportState
from moderation.models.feed import Stream
from moderation.models.posts import ScoreState
from moderation.operations.cases import claims
from moderation.operations.infrastructure import limits
from moderation.operations.infrastructure.limits import Bucket
from moderation.operations.labels import export_build, exports
from moderation.operations.outbox import feed
from moderation.operations.scoring import leases, recovery, score
from moderation.operations.webhooks import attempts, send
from moderation.queries.labels.labels import LabelFilter
from tests.moderation.conftest import Case_, Post_, judge
from tests.moderation.instants import later

pytestmark = pytest.mark.usefixtures("fake_scorer")

HOUR = 3_600


def revision_of(post: Post) -> Revision:
    return Revision.objects.get(post=post)


class TestScoring:
    def test_a_post_of_a_later_hour_is_enqueued_again(self, post: Post_) -> None:
        post(at=later(HOUR))

        assert recovery.sweep(at=later(0)) == 1

    def test_a_lease_of_a_later_hour_is_over(self, post: Post_) -> None:
        revision = revision_of(post())
        [held] = leases.claim(revision_ids=[revision.pk], at=later(HOUR))

        assert recovery.sweep(at=later(0)) == 1
        assert score.run(revision_ids=[revision.pk], at=later(0)) == 1
        with transaction.atomic():
            assert leases.finish(revisions=[held]) == set()  # who held it and wakes up writes nothing
        assert revision_of(revision.post).scoring.state == ScoreState.SCORED

    def test_a_lease_of_a_machine_some_minutes_ahead_stands(self, post: Post_) -> None:
        revision = revision_of(post())
        leases.claim(revision_ids=[revision.pk], at=later(240))

        assert recovery.sweep(at=later(0)) == 0
        assert score.run(revision_ids=[revision.pk], at=later(0)) == 0


class TestCases:
    def test_a_claim_of_a_later_hour_holds_nobody_up(
        self, open_case: Case_, moderator: User, other_moderator: User
    ) -> None:
        case = open_case()
        claims.claim(case_id=case.pk, moderator=moderator, at=later(HOUR))

        assert list(claims.free_cases(moderator=other_moderator, at=later(0))) == [case]
        held = claims.claim(case_id=case.pk, moderator=other_moderator, at=later(0))

        assert held.claimed_by == other_moderator
        assert held.lease_end_at is not None
        assert held.lease_end_at < later(HOUR)

    def test_whoever_holds_it_goes_on(self, open_case: Case_, moderator: User) -> None:
        case = claims.claim(case_id=open_case().pk, moderator=moderator, at=later(HOUR))

        again = claims.claim(case_id=case.pk, moderator=moderator, at=later(0))

        assert again.lease_end_at is not None
        assert again.lease_end_at < later(HOUR)


def test_an_export_of_a_later_hour_is_built(lead: User) -> None:
    row = exports.request(requested_by=lead, wanted=LabelFilter(), at=later(HOUR))
    Export.objects.filter(pk=row.pk).update(
        state=ExportState.BUILDING, lease_until=later(HOUR + export_build.LEASE.total_seconds())
    )

    assert export_build.sweep(at=later(0)) == 1


class TestLimits:
    BUCKET = Bucket(name="posts", per_minute=60, burst=3)

    @pytest.mark.parametrize("moved", [-HOUR, HOUR])
    def test_a_full_bucket_is_closed_for_its_own_time(self, moved: int) -> None:
        owner = uuid.uuid4().hex
        limits.take(bucket=self.BUCKET, owner=owner, at=later(0), cost=3)
        with pytest.raises(limits.LimitReached):
            limits.take(bucket=self.BUCKET, owner=owner, at=later(0))

        with contextlib.suppress(limits.LimitReached):
            limits.take(bucket=self.BUCKET, owner=owner, at=later(moved))
        taken = [limits.take(bucket=self.BUCKET, owner=owner, at=later(moved + wait)) for wait in (2, 3, 4)]

        assert all(taken)

    def test_a_clock_set_back_opens_nothing_early(self) -> None:
        owner = uuid.uuid4().hex
        limits.take(bucket=self.BUCKET, owner=owner, at=later(0), cost=3)

        with pytest.raises(limits.LimitReached) as reached:
            limits.take(bucket=self.BUCKET, owner=owner, at=later(-HOUR), cost=3)

        assert reached.value.taken.reset_seconds <= 3


class TestTelling:
    def test_what_a_later_hour_decided_is_told(
        self, webhook: Platform, open_case: Case_, moderator: User
    ) -> None:
        judge(open_case(), moderator, at=later(HOUR))

        send.mend_clock_steps(at=later(0))

        page = feed.read(
            platform=webhook, stream=Stream.DECISIONS, since=None, cursor=None, limit=1, at=later(3)
        )
        assert len(page.rows) == 1
        assert attempts.due(at=later(0)).count() == 1

    def test_what_may_be_undone_waits(self, webhook: Platform, open_case: Case_, moderator: User) -> None:
        judge(open_case(), moderator, at=later(0))

        assert send.mend_clock_steps(at=later(0)) == 0
