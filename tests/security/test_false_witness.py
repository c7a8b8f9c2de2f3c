"""Trial 23. Promise: complaints alone neither remove a post nor become labels; one voice counts once."""

from __future__ import annotations

from datetime import datetime

import pytest
from pytest_django import Settings

from moderation.models import Decision, Label, Platform, Revision
from moderation.operations.infrastructure import limits
from moderation.operations.infrastructure.limits import Bucket
from moderation.operations.posts import complaints
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.scoring import score
from moderation.queries.records import records
from scoring.features.feedback import complaint_clusters
from tests.moderation.conftest import Later, Post_

pytestmark = pytest.mark.whole

HAM = "Lovely weather at the lake today, we went swimming with the children."


def report(platform: Platform, *, reporter: str, at: datetime, note: str = "") -> None:
    complaint = IncomingComplaint(post="p-1", reporter=reporter, reason="spam", reported_at=at, note=note)
    complaints.record(platform=platform, complaint=complaint, at=at)


def test_one_account_is_stopped_long_before_a_hundred_thousand(later: Later, settings: Settings) -> None:
    bucket = Bucket(
        name="complaints",
        per_minute=settings.COMPLAINTS_PER_REPORTER_PER_MINUTE,
        burst=settings.COMPLAINTS_PER_REPORTER_BURST,
    )

    def flood() -> None:
        for number in range(100_000):
            limits.take(bucket=bucket, owner="trial-23:loud", at=later(number / 1_000))
            passed.append(number)

    passed: list[int] = []
    with pytest.raises(limits.LimitReached):
        flood()

    burst = settings.COMPLAINTS_PER_REPORTER_BURST
    assert burst <= len(passed) < 2 * burst


@pytest.mark.timeout(300)
def test_five_hundred_copies_of_one_text_do_not_remove_a_harmless_post(
    platform: Platform, post: Post_, later: Later
) -> None:
    """With the real models: the shipped release and Triton."""
    row = post(external_id="p-1", text=HAM)
    [revision] = Revision.objects.filter(post=row)
    score.run(revision_ids=[revision.pk], at=later(1))
    for number in range(500):
        report(
            platform, reporter=f"puppet-{number}", note="This is spam, remove it!", at=later(2 + number / 100)
        )
    Revision.objects.update(score_state="pending", generation=99)

    score.run(revision_ids=[revision.pk], at=later(60))

    latest = revision.scores.order_by("-generation").first()
    assert latest is not None
    assert latest.route != "remove"
    assert not Decision.objects.filter(verdict="spam").exists()
    assert not Label.objects.exists()


def test_copies_count_as_one_witness(platform: Platform, post: Post_, later: Later) -> None:
    row = post(external_id="p-1", text=HAM)
    for number in range(40):
        report(platform, reporter=f"puppet-{number}", note="This is spam, remove it!", at=later(number))
    revision = Revision.objects.select_related("post__platform", "post__author").get(post=row)

    record = records.record_at(revision=revision, at=later(60))

    assert len(record.complaints) == 40
    assert len(complaint_clusters(record.complaints)) == 1
