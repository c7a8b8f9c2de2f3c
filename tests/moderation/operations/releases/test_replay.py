"""Stored scores come out the same with the release that gave them, on a real Triton."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest

from moderation import scorer
from moderation.models import Post, Revision, Score
from moderation.operations import rules
from moderation.operations.intake.incoming_post import IncomingAuthor
from moderation.operations.releases import replay
from moderation.operations.scoring import score
from scoring import release as releases

pytestmark = pytest.mark.django_db

TEXTS = ["Cheap pills at http://pills.example/ now", "See you at the river", "", "Win a prize, call 1-800"]


@pytest.fixture(autouse=True)
def own_releases(triton: None, tmp_path: Path, settings: object) -> Iterator[None]:
    settings.RELEASES_DIR = tmp_path / "releases"  # type: ignore[attr-defined]  # pytest-django's fixture
    scorer.forget()
    yield
    scorer.forget()


@pytest.fixture
def scored(post: Callable[..., Post], later: Callable[[float], datetime]) -> list[Score]:
    for number, text in enumerate(TEXTS):
        post(
            text=text,
            links=("http://shop.example/",) if not text else (),
            author=IncomingAuthor(external_id=f"author-{number}", followers=number),
        )
    score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(1))
    return list(Score.objects.order_by("id"))


def test_every_score_comes_out_the_same(scored: list[Score]) -> None:
    found = replay.replay(scored)

    assert len(found) == len(TEXTS)
    assert all(one.is_equal and not one.why for one in found)
    assert [one.content is None for one in found] == [not text for text in TEXTS]
    assert all(one.trees is not None for one in found)


def test_a_changed_number_is_found_and_its_part_is_named(scored: list[Score]) -> None:
    scored[0].spam_probability += 1e-5
    scored[1].content_probability = (scored[1].content_probability or 0.0) + 0.01

    first, second, *rest = replay.replay(scored)

    assert first.trees == pytest.approx(1e-5, rel=1e-3)
    assert not first.is_equal
    assert second.content == pytest.approx(0.01, rel=0.1)
    assert not second.is_equal
    assert all(one.is_equal for one in rest)


def test_a_release_of_other_features_is_replayed_from_those_stored(
    scored: list[Score], settings: object
) -> None:
    kept = Path(settings.RELEASES_DIR) / scored[0].release_id  # type: ignore[attr-defined]
    manifest = json.loads((kept / releases.MANIFEST).read_text()) | {"schema_hash": "0" * 64}
    old = releases.manifest_id(manifest)
    shutil.copytree(kept, kept.with_name(old))
    (kept.with_name(old) / releases.MANIFEST).write_text(json.dumps(manifest))
    for one in scored:
        one.release_id = old

    found = replay.replay(scored)

    assert all(one.trees is not None and one.trees <= replay.TREES_TOLERANCE for one in found)


def test_says_when_the_release_is_gone(scored: list[Score]) -> None:
    for one in scored:
        one.release_id = "0" * 64

    found = replay.replay(scored)

    assert {one.why for one in found} == {"trees: NotKept, content: NotKept"}


def test_a_banned_post_has_nothing_to_replay(
    post: Callable[..., Post], later: Callable[[float], datetime], moderator: object
) -> None:
    rules.impose(value="bad.example", reason="", actor=moderator, at=later(0))  # type: ignore[arg-type]
    post(text="http://bad.example/")
    score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(1))

    assert replay.replay(Score.objects.all()) == []
