"""Stored scores, with evidence too, come out the same with the release that gave them, on a real Triton."""

import json
import shutil
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from moderation import scorer
from moderation.models import Evidence, Revision, RevisionEvidence, Score
from moderation.operations import rules
from moderation.operations.posts.incoming_post import IncomingAuthor
from moderation.operations.releases import replay
from moderation.operations.scoring import score
from scoring import pins
from scoring import release as releases
from tests.moderation.conftest import Post_
from tests.moderation.instants import AT, later
from tests.scoring.evidence_release import release_with_evidence

TEXTS = ["Cheap pills at http://pills.example/ now", "See you at the river", "", "Win a prize, call 1-800"]


@pytest.fixture
def scored(post: Post_) -> list[Score]:
    for number, text in enumerate(TEXTS):
        post(
            text=text,
            links=("http://shop.example/",) if not text else (),
            author=IncomingAuthor(external_id=f"author-{number}", followers=number),
        )
    score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(1))
    return list(Score.objects.order_by("id"))


@pytest.mark.django_db
@pytest.mark.usefixtures("triton", "own_folder")
class TestCompare:
    def test_the_release_that_scored_says_the_same(self, scored: list[Score]) -> None:
        found = replay.compare(scored, release_id=scored[0].release_id)

        assert [one.score_id for one in found] == [one.pk for one in scored if not one.is_audit_sample]
        assert all(one.after == pytest.approx(one.before, abs=1e-3) for one in found)
        assert all(one.route_after == one.route_before for one in found)

    def test_another_release_says_where_posts_would_go(self, scored: list[Score], settings: object) -> None:
        kept = Path(settings.RELEASES_DIR) / scored[0].release_id  # type: ignore[attr-defined]
        manifest = json.loads((kept / releases.MANIFEST).read_text())
        manifest["thresholds"] |= {"review_from": 0.0, "remove_from": 1.0}
        other = pins.manifest_id(manifest)
        shutil.copytree(kept, kept.with_name(other))
        (kept.with_name(other) / releases.MANIFEST).write_text(json.dumps(manifest))
        settings.RELEASE_DIR = kept.with_name(other)  # type: ignore[attr-defined]  # its content model is served
        scorer.forget()

        found = replay.compare(scored, release_id=other)

        assert {one.route_after for one in found} == {"review"}
        assert {one.route_before for one in found} != {"review"}

    def test_what_no_model_routed_is_left_out(self, scored: list[Score]) -> None:
        scored[0].is_audit_sample = True

        assert len(replay.compare(scored[:2], release_id=scored[0].release_id)) == 1

    def test_says_when_the_content_model_does_not_answer(self, scored: list[Score], settings: object) -> None:
        settings.TRITON_URL = "grpc://127.0.0.1:9"  # type: ignore[attr-defined]
        scorer.forget()

        with pytest.raises(replay.ContentAway):
            replay.compare(scored, release_id=scored[0].release_id)


@pytest.mark.django_db
@pytest.mark.usefixtures("triton", "own_folder")
class TestCommand:
    def test_says_that_the_numbers_hold(self, scored: list[Score]) -> None:
        said = StringIO()

        call_command("replay_scores", "--scores=4", stdout=said)

        assert f"{len(TEXTS)} stored scores of 1 release(s)" in said.getvalue()

    def test_names_a_number_that_does_not(self, scored: list[Score]) -> None:
        Score.objects.filter(pk=scored[1].pk).update(spam_probability=0.123)
        said = StringIO()

        with pytest.raises(CommandError, match="1 differ"):
            call_command("replay_scores", stdout=said)
        assert f"score {scored[1].pk} of " in said.getvalue()

    def test_compares_with_a_release_by_the_beginning_of_its_id(self, scored: list[Score]) -> None:
        said = StringIO()

        call_command(
            "replay_scores", f"--release={scored[0].release_id[:8]}", "--platform=social", stdout=said
        )

        assert "moves by 0.0000 on average" in said.getvalue()
        assert "->" in said.getvalue()

    @pytest.mark.parametrize("arguments", [["--release=nothing"], ["--platform=nobody"]])
    def test_refuses_what_is_not_there(self, scored: list[Score], arguments: list[str]) -> None:
        with pytest.raises(CommandError, match=arguments[0].partition("=")[0]):
            call_command("replay_scores", *arguments)


@pytest.mark.django_db
@pytest.mark.usefixtures("triton", "own_folder")
class TestReplay:
    def test_every_score_comes_out_the_same(self, scored: list[Score]) -> None:
        found = replay.replay(scored)

        assert len(found) == len(TEXTS)
        assert all(one.is_equal and not one.why for one in found)
        assert [one.content is None for one in found] == [not text for text in TEXTS]
        assert all(one.trees is not None for one in found)

    def test_a_changed_number_is_found_and_its_part_is_named(self, scored: list[Score]) -> None:
        scored[0].spam_probability += 1e-5
        scored[1].content_probability = (scored[1].content_probability or 0.0) + 0.01

        first, second, *rest = replay.replay(scored)

        assert first.trees == pytest.approx(1e-5, rel=1e-3)
        assert not first.is_equal
        assert second.content == pytest.approx(0.01, rel=0.1)
        assert not second.is_equal
        assert all(one.is_equal for one in rest)

    def test_a_release_of_other_features_is_replayed_from_those_stored(
        self, scored: list[Score], settings: object
    ) -> None:
        kept = Path(settings.RELEASES_DIR) / scored[0].release_id  # type: ignore[attr-defined]
        manifest = json.loads((kept / releases.MANIFEST).read_text()) | {"schema_hash": "0" * 64}
        old = pins.manifest_id(manifest)
        shutil.copytree(kept, kept.with_name(old))
        (kept.with_name(old) / releases.MANIFEST).write_text(json.dumps(manifest))
        for one in scored:
            one.release_id = old

        found = replay.replay(scored)

        assert all(one.trees is not None and one.trees <= replay.TREES_TOLERANCE for one in found)

    def test_says_when_the_release_is_gone(self, scored: list[Score]) -> None:
        for one in scored:
            one.release_id = "0" * 64

        found = replay.replay(scored)

        assert {one.why for one in found} == {"trees: NotKept, content: NotKept"}

    def test_a_banned_post_has_nothing_to_replay(self, post: Post_, moderator: object) -> None:
        rules.impose(value="bad.example", reason="", actor=moderator, at=later(0))  # type: ignore[arg-type]
        post(text="http://bad.example/")
        score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(1))

        assert replay.replay(Score.objects.all()) == []


PAGE = {
    "title": "Prize",
    "article": "",
    "text": "Congratulations, you won a free prize! Claim your cash now.",
}


@pytest.fixture
def scored_on_evidence(
    triton: None, own_folder: None, tmp_path: Path, settings: Settings, post: Post_
) -> list[Score]:
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


class TestEvidence:
    def test_every_score_comes_out_the_same(self, scored_on_evidence: list[Score]) -> None:
        assert all(
            "content.page_probability" in [name for name, *_ in one.contributions]
            for one in scored_on_evidence
        )

        found = replay.replay(scored_on_evidence)

        assert [one.is_equal and not one.why for one in found] == [True, True]
        assert found[0].trees is not None
