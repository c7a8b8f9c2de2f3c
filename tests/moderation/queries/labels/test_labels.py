"""Labels: the file that PostgreSQL streams, counts of those that stand, rank measures, calibration."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from moderation.models import Case, Decision, Label, Platform, Post, Score, User
from moderation.models.feed import Stream
from moderation.operations.outbox import feed
from moderation.queries.labels import calibration, label_balance, label_changes, label_lines
from moderation.queries.labels.labels import LabelFilter
from moderation.queries.records import stored_records
from scoring.splits import Split
from tests.moderation.caches import forget
from tests.moderation.conftest import Case_, Judged
from tests.moderation.instants import AT, later
from tests.moderation.queries.labels import generated_labels

SEED, COUNT = 18, 160


@pytest.fixture
def generated(platform: Platform, moderator: User, lead: User) -> None:
    makers = generated_labels.makers(platform, [moderator, lead], at=AT)
    generated_labels.labelled_posts(makers, count=COUNT, seed=SEED)
    while feed.number(platform_id=platform.pk, stream=Stream.LABELS, at=later(3_600)):
        pass


def rows(wanted: LabelFilter) -> list[dict[str, Any]]:
    """As the API reads them."""
    return list(label_lines.page(wanted=wanted, after=None, limit=COUNT * 2).rows)


@pytest.mark.django_db
@pytest.mark.usefixtures("generated")
class TestLines:
    def test_are_the_rows_of_the_api_and_leave_nothing_but_weights_out(self) -> None:
        streamed, unweighed = (
            [json.loads(one.line) for one in label_lines.lines(wanted=LabelFilter(), has_weights=has)]
            for has in (True, False)
        )

        for line, bare, row in zip(streamed, unweighed, rows(LabelFilter()), strict=True):
            assert line == row
            del row["weight"]
            assert bare == row

    def test_meet_every_kind(self) -> None:
        """Else the comparison says less than it seems to."""
        found = rows(LabelFilter())

        assert 50 < len(found) < Label.objects.count()
        assert {row["provenance"]["sample"] for row in found} == {"", "audit", "draw", "review"}
        assert len({row["provenance"]["lane"] for row in found}) == 6
        assert {row["label"] for row in found} == {0, 1}
        assert len({row["schema_hash"] for row in found}) == 2
        assert any(not row["features"] for row in found)
        assert any(None in row["features"].values() for row in found)
        assert any(set(row["text"]) & set('"\\\n\u2028🎉') for row in found)
        assert {row["weight"] > 0 for row in found} == {True, False}

    @pytest.mark.whole
    @pytest.mark.parametrize("split", Split)
    def test_are_counted_by_what_they_say(self, split: Split) -> None:
        for one in label_lines.lines(wanted=LabelFilter(splits=(split.value,))):
            line = json.loads(one.line)
            assert line["split"] == one.split == split.value
            assert line["label"] == one.is_spam
            assert line["provenance"]["release"] == one.release
            assert line["provenance"]["is_audit_sample"] == one.is_random
            assert (line["lang"], line["provenance"]["decided_at"]) == (one.language, one.decided_at)

    def test_an_increment_from_the_beginning_holds_the_same_lines(self) -> None:
        wanted = LabelFilter(after={})
        until = label_changes.positions(platform_id=None)

        changed = list(label_changes.lines(wanted=wanted, until=until))

        standing = {one.line for one in changed if not one.is_retraction}
        assert standing == {one.line for one in label_lines.lines(wanted=LabelFilter())}
        assert {tuple(json.loads(one.line)) for one in changed} == {tuple(rows(LabelFilter())[0])}

    def test_hold_records_as_a_release_reads_them(self) -> None:
        scores = {str(made.pk): made.score for made in Decision.objects.select_related("score")}

        for row in rows(LabelFilter()):
            assert row["record"] == stored_records.whole(scores[row["provenance"]["decision_id"]])


class TestBalance:
    def test_erased_posts_and_retracted_labels_are_out(self, open_case: Case_, judged_alike: Judged) -> None:
        case = open_case()
        judged_alike(case, probability=0.9, spam=3, fine=2)
        first, second = Label.objects.filter(is_spam=True).order_by("pk")[:2]
        Post.objects.filter(pk=first.post_id).update(erased_at=AT)
        Label.objects.filter(pk=second.pk).update(retracted_at=AT)

        counted = label_balance.of(platform_id=case.post.platform_id)

        assert (counted.labels, counted.spam) == (3, 1)


@pytest.fixture
def case(open_case: Case_) -> Case:
    """A case at 93 %."""
    found = open_case()
    Score.objects.filter(pk=found.score_id).update(spam_probability=0.93)
    found.score.refresh_from_db()
    return found


def measured(case: Case, at: datetime, *, has_link: bool = False) -> calibration.Measured | None:
    return calibration.measured(case.score, platform_id=case.post.platform_id, has_link=has_link, at=at)


class TestMeasured:
    @pytest.fixture(autouse=True)
    def _nothing_remembered(self) -> Iterator[None]:
        forget(calibration)
        yield
        forget(calibration)

    def test_counts_the_posts_scored_alike(self, case: Case, judged_alike: Judged) -> None:
        judged_alike(case, probability=0.91, spam=60, fine=12)
        judged_alike(case, probability=0.3, spam=20, fine=108)

        found = measured(case, AT)

        assert found == calibration.Measured(low=90, high=100, posts=72, spam=60, first_at=AT, last_at=AT)

    def test_is_silent_below_two_hundred_labels(self, case: Case, judged_alike: Judged) -> None:
        judged_alike(case, probability=0.91, spam=150, fine=49)

        assert measured(case, AT) is None

    def test_is_silent_where_few_were_scored_alike(self, case: Case, judged_alike: Judged) -> None:
        judged_alike(case, probability=0.91, spam=10, fine=9)
        judged_alike(case, probability=0.3, spam=20, fine=208)

        assert measured(case, AT) is None

    @pytest.mark.parametrize(
        "score",
        [
            {"audit_probability": 0.02},  # a complaint or an appeal brought it
            {"audit_probability": 0.02, "is_audit_sample": True},  # its doubtful score brought it
            {"is_degraded": True},
        ],
    )
    def test_leaves_out_what_did_not_come_by_chance_or_score(
        self, case: Case, judged_alike: Judged, score: dict[str, Any]
    ) -> None:
        judged_alike(case, probability=0.91, spam=200, fine=0, score=score)
        judged_alike(case, probability=0.91, spam=100, fine=99)

        assert measured(case, AT) is None

    def test_counts_the_uniform_part_of_audit_samples(self, case: Case, judged_alike: Judged) -> None:
        sample = {"audit_probability": 0.02, "is_audit_sample": True, "audit_uniform_probability": 0.006}
        judged_alike(case, probability=0.91, spam=200, fine=10, score=sample)

        found = measured(case, AT)

        assert found is not None
        assert found.posts == 210

    def test_leaves_out_retracted_labels(self, case: Case, judged_alike: Judged) -> None:
        judged_alike(case, probability=0.91, spam=200, fine=0)
        Label.objects.filter(pk=Label.objects.earliest("pk").pk).update(retracted_at=AT)

        assert measured(case, AT) is None

    def test_keeps_platforms_apart(self, case: Case, judged_alike: Judged) -> None:
        judged_alike(case, probability=0.91, spam=200, fine=10)
        other = Platform.objects.create(slug="other", name="Other", created_at=AT)

        assert calibration.measured(case.score, platform_id=other.pk, has_link=False, at=AT) is None

    @pytest.mark.parametrize("kind", ["links", "language"])
    def test_says_nothing_of_another_kind(self, case: Case, judged_alike: Judged, kind: str) -> None:
        judged_alike(case, probability=0.91, spam=200, fine=10)
        assert measured(case, AT) is not None
        if kind == "language":
            case.score.revision.language = "th"

        assert measured(case, AT, has_link=kind == "links") is None

    def test_counts_again_after_five_minutes(self, case: Case, judged_alike: Judged) -> None:
        assert measured(case, AT) is None
        judged_alike(case, probability=0.91, spam=200, fine=10)

        assert measured(case, AT) is None
        assert measured(case, AT + timedelta(minutes=5)) is not None
