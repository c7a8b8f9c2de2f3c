"""What labels say of the two arms of a canary."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from moderation.queries.learning import canary_figures
from moderation.queries.learning.canary_figures import ArmFigure
from moderation.queries.quality import estimates
from moderation.queries.quality.labelled_posts import LabelledPosts

NONE = estimates.ratio(part=[], whole=[], chances=[])


def posts(rows: list[tuple[str, str, bool]]) -> LabelledPosts:
    """Return labelled posts of (release, verdict of the filter, spam)."""
    number = len(rows)
    release, automatic, is_spam = (np.asarray(column, dtype=object) for column in zip(*rows, strict=True))
    ones, texts = np.ones(number), np.asarray(["en"] * number, dtype=object)
    instants = np.asarray([datetime(2026, 3, 1, tzinfo=UTC)] * number, dtype=object)
    return LabelledPosts(
        post_id=np.arange(number),
        spam_probability=ones * 0.5,
        automatic=automatic,
        is_spam=is_spam.astype(bool),
        chance=ones,
        is_uniform=np.ones(number, dtype=bool),
        uniform_chance=ones,
        platform_id=np.ones(number, dtype=np.int64),
        language=texts,
        reason=texts,
        release_id=release,
        decided_by=np.ones(number, dtype=np.int64),
        scored_at=instants,
        labelled_at=instants,
        views=ones * np.nan,
    )


def compared(rows: list[tuple[str, str, bool]]) -> dict[str, ArmFigure]:
    found = canary_figures.compared(posts(rows), live="live", candidate="new", taken_back=(NONE, NONE))
    return {one.name: one for one in found}


class TestCompared:
    def test_is_certain_where_the_intervals_have_no_point_in_common(self) -> None:
        rows = [("live", "allow", False)] * 100 + [("new", "allow", number < 50) for number in range(100)]

        found = compared(rows)

        assert found["missed"].is_worse
        assert not found["precision"].is_worse
        assert canary_figures.worse(list(found.values())).startswith("missed: ")

    def test_is_not_certain_with_few_labels_in_an_arm(self) -> None:
        rows = [("live", "allow", False)] * 100 + [("new", "allow", True)] * 19

        assert not compared(rows)["missed"].is_worse

    def test_holds_a_better_candidate_against_nobody(self) -> None:
        rows = [("live", "remove", False)] * 100 + [("new", "remove", True)] * 100

        found = compared(rows)

        assert not any(one.is_worse for one in found.values())
        assert canary_figures.worse(list(found.values())) == ""
