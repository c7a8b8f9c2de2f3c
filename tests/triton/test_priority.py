"""Explanations ask with the last priority, which changes no score. Whether others go first is not tested."""

from __future__ import annotations

from scoring.content import FIRST, LAST, ContentModel


def test_priority_does_not_change_a_score(triton_url: str) -> None:
    first, last = (
        ContentModel(url=triton_url, version="1", priority=priority, timeout_seconds=20)
        for priority in (FIRST, LAST)
    )

    assert last.scores(["cheap pills now"]) == first.scores(["cheap pills now"])
