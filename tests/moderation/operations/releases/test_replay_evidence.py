"""Scores with evidence come out the same from what is stored with them, on a real Triton."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings

from moderation import scorer
from moderation.models import Evidence, Revision, RevisionEvidence, Score
from moderation.operations.releases import replay
from moderation.operations.scoring import score
from tests.moderation.conftest import Post_
from tests.moderation.instants import AT, later
from tests.scoring.evidence_release import release_with_evidence

PAGE = {
    "title": "Prize",
    "article": "",
    "text": "Congratulations, you won a free prize! Claim your cash now.",
}


@pytest.fixture
def scored(triton: None, own_folder: None, tmp_path: Path, settings: Settings, post: Post_) -> list[Score]:
    settings.RELEASE_DIR = release_with_evidence(tmp_path / "shipped").folder
    scorer.forget()
    link = "http://shop.example/"
    for text in ("See you at the river", ""):
        revision = Revision.objects.get(post=post(text=text, links=[link]))
        evidence = Evidence.objects.create(
            url=link,
            url_digest=f"{revision.pk:064}",
            hour=AT,
            site="shop.example",
            kind="page",
            state="fetched",
            chain=[{"url": link, "status": 200}],
            facts=PAGE,
            enqueued_at=AT,
            since=AT,
            due_at=AT,
            fetched_at=AT,
        )
        RevisionEvidence.objects.create(revision=revision, evidence=evidence, role="link", position=0)
    score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(9))
    return list(Score.objects.order_by("id"))


def test_every_score_comes_out_the_same(scored: list[Score]) -> None:
    assert all("content.page_probability" in [name for name, *_ in one.contributions] for one in scored)

    found = replay.replay(scored)

    assert [one.is_equal and not one.why for one in found] == [True, True]
    assert found[0].trees is not None
