"""Releases go live whole or not at all, on a real Triton; whatever one lacks, the live one stays up."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import onnx
import pytest
from django.conf import settings
from onnx import TensorProto, helper

from moderation import scorer
from moderation.models import AuditEntry, Promotion, Revision, Score
from moderation.models.releases import PromotionKind
from moderation.operations.releases import promote, triton
from moderation.operations.scoring import score
from scoring import hosting
from scoring.content import ContentModel
from scoring.gate import Unreadable
from scoring.release import Corrupt, Release, SchemaMismatch
from tests import releases
from tests.moderation.operations.conftest import OTHER_MODELS_SHIFT

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("own_releases"),
    pytest.mark.xdist_group("triton"),
    pytest.mark.timeout(180),
]

TEXTS = ["Cheap pills, call 1-800 now", "See you at the river tonight"]


class TestPromote:
    def test_lets_the_release_go_live_whole(
        self, candidate: Release, other_models: Path, at: datetime
    ) -> None:
        shipped = scorer.release()
        before = scorer.content().scores(TEXTS)

        promotion = _promote(candidate, models=other_models, at=at)

        scorer.forget()
        after = scorer.content().scores(TEXTS)
        assert scorer.release().id == promotion.release_id == candidate.id
        assert promotion.replaced_id == shipped.id
        for one, other in zip(before, after, strict=True):
            moved = (other.logits[1] - other.logits[0]) - (one.logits[1] - one.logits[0])
            assert moved == pytest.approx(OTHER_MODELS_SHIFT, abs=0.05)
        assert AuditEntry.objects.get(action="release.promote").subject_id == candidate.id

    def test_both_content_models_stay_loaded(
        self, candidate: Release, other_models: Path, at: datetime
    ) -> None:
        _promote(candidate, models=other_models, at=at)

        shipped = ContentModel(url=settings.TRITON_URL, version="1")
        promoted = ContentModel(
            url=settings.TRITON_URL, version="1", model=hosting.served_name(candidate.content)
        )
        assert shipped.is_ready()
        assert promoted.is_ready()
        note = Path(settings.TRITON_MODELS_DIR).with_name("live-models").read_text()
        assert note.split() == [promoted.model]

    def test_a_process_follows_without_restart(
        self, candidate: Release, other_models: Path, at: datetime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(scorer, "CHECK_SECONDS", 0.0)
        in_work = scorer.get()

        _promote(candidate, models=other_models, at=at)

        assert scorer.get().release.id == candidate.id
        assert in_work.content.probabilities(TEXTS).shape == (2,)

    def test_refuses_what_the_gate_finds_worse(
        self, candidate: Release, other_models: Path, at: datetime
    ) -> None:
        worse = {"live": 0.9, "candidate": 0.7, "difference_interval": [-0.25, -0.15]}
        part = {"by": "language", "name": "de", "rows": 100, "is_gated": True, "metrics": {"pr_auc": worse}}
        report = releases.report(candidate=candidate, live=scorer.release())
        report["slices"].append(part)

        with pytest.raises(promote.NotGoodEnough, match="pr_auc on language de"):
            promote.promote(
                folder=candidate.folder, report=report, repository=other_models, actor=None, at=at
            )

        assert not Promotion.objects.exists()

    def test_refuses_a_comparison_with_another_release(
        self, candidate: Release, other_models: Path, at: datetime
    ) -> None:
        report = releases.report(candidate=candidate, live=candidate)

        with pytest.raises(promote.NotGoodEnough, match="live one"):
            promote.promote(
                folder=candidate.folder, report=report, repository=other_models, actor=None, at=at
            )

    def test_refuses_a_report_that_is_none(
        self, candidate: Release, other_models: Path, at: datetime
    ) -> None:
        with pytest.raises(Unreadable, match="format"):
            promote.promote(folder=candidate.folder, report={}, repository=other_models, actor=None, at=at)

    def test_refuses_the_live_release(self, at: datetime) -> None:
        live = scorer.release()

        with pytest.raises(promote.AlreadyLive):
            _promote(live, models=releases.REPOSITORY, at=at)


class TestBadReleases:
    """Each is refused by name before the flip, and the live release goes on answering."""

    @pytest.fixture(autouse=True)
    def live_stays_up(self) -> Iterator[None]:
        before = scorer.content().scores(TEXTS)
        yield
        scorer.forget()
        assert not Promotion.objects.exists()
        assert scorer.release().id == scorer.shipped().id
        assert scorer.content().scores(TEXTS) == before

    def test_changed_model_file(
        self, candidate: Release, other_models: Path, tmp_path: Path, at: datetime
    ) -> None:
        changed = _copied(other_models, tmp_path)
        with (changed / "distilbert/1/model.onnx").open("ab") as file:
            file.write(b"\0")

        with pytest.raises(Corrupt, match=r"model\.onnx: SHA-256"):
            _promote(candidate, models=changed, at=at)

    def test_missing_tokenizer(
        self, candidate: Release, other_models: Path, tmp_path: Path, at: datetime
    ) -> None:
        changed = _copied(other_models, tmp_path)
        (changed / "tokenizer/1/tokenizer.json").unlink()

        with pytest.raises(Corrupt, match=r"tokenizer\.json: pinned by the release but not there"):
            _promote(candidate, models=changed, at=at)

    def test_tokenizer_that_was_never_there(self, other_models: Path, tmp_path: Path, at: datetime) -> None:
        changed = _copied(other_models, tmp_path)
        (changed / "tokenizer/1/tokenizer.json").unlink()

        with pytest.raises(hosting.Refused, match="tokenizer"):
            _promote(releases.release(tmp_path / "release", models=changed), models=changed, at=at)

    def test_model_file_that_is_no_model(self, other_models: Path, tmp_path: Path, at: datetime) -> None:
        changed = _copied(other_models, tmp_path)
        (changed / "distilbert/1/model.onnx").write_bytes(b"no model at all")

        with pytest.raises(hosting.Refused, match="distilbert"):
            _promote(releases.release(tmp_path / "release", models=changed), models=changed, at=at)

    def test_logits_that_are_no_numbers(self, tmp_path: Path, at: datetime) -> None:
        broken = releases.repository(tmp_path / "repository", shift=float("nan"))

        with pytest.raises((hosting.Refused, hosting.WrongAnswers), match="finite"):
            _promote(releases.release(tmp_path / "release", models=broken), models=broken, at=at)

    def test_logits_of_another_shape(self, other_models: Path, tmp_path: Path, at: datetime) -> None:
        changed = _copied(other_models, tmp_path)
        _three_classes(changed / "distilbert/1/model.onnx")

        with pytest.raises((hosting.Refused, hosting.WrongAnswers), match="shape"):
            _promote(releases.release(tmp_path / "release", models=changed), models=changed, at=at)

    def test_answers_other_than_its_release_says(
        self, other_models: Path, tmp_path: Path, at: datetime
    ) -> None:
        pins = hosting.pinned_files(other_models, model="content", version="1")
        probes = [{"text": "See you at the river tonight", "probability": 0.97}]
        content = {"model": "content", "version": "1", "files": pins, "probes": probes}

        with pytest.raises(hosting.WrongAnswers, match=r"its release says 0\.970"):
            _promote(
                releases.release(tmp_path / "release", models=other_models, content=content),
                models=other_models,
                at=at,
            )

    def test_other_features(self, other_models: Path, tmp_path: Path, at: datetime) -> None:
        with pytest.raises(SchemaMismatch):
            _promote(
                releases.release(tmp_path / "release", models=other_models, schema_hash="0" * 64),
                models=other_models,
                at=at,
            )

    def test_damaged_trees(self, candidate: Release, other_models: Path, at: datetime) -> None:
        (candidate.folder / "ensemble.json").write_text("{}")

        with pytest.raises(Corrupt, match=r"ensemble\.json"):
            _promote(candidate, models=other_models, at=at)

    def test_content_model_that_is_not_pinned(self, tmp_path: Path, at: datetime) -> None:
        unpinned = releases.release(
            tmp_path / "release", content={"model": "content", "version": "1"}, normaliser="none", metrics={}
        )

        with pytest.raises(Corrupt, match="does not pin"):
            _promote(unpinned, models=releases.REPOSITORY, at=at)


class TestRollBack:
    def test_brings_back_the_release_before(
        self, candidate: Release, other_models: Path, at: datetime
    ) -> None:
        shipped = scorer.release()
        _promote(candidate, models=other_models, at=at)

        promotion = promote.roll_back(actor=None, at=at)

        scorer.forget()
        assert (scorer.release().id, promotion.kind) == (shipped.id, PromotionKind.ROLLBACK)
        assert scorer.content().is_ready()

    def test_goes_to_a_kept_release_by_name(
        self, candidate: Release, other_models: Path, at: datetime
    ) -> None:
        _promote(candidate, models=other_models, at=at)
        promote.roll_back(actor=None, at=at)

        promote.roll_back(to=candidate.id[:8], actor=None, at=at)

        scorer.forget()
        assert scorer.release().id == candidate.id
        assert scorer.content().is_ready()

    def test_refuses_when_nothing_was_live_before(self, at: datetime) -> None:
        with pytest.raises(promote.NothingBefore):
            promote.roll_back(actor=None, at=at)


class TestLiveRelease:
    def test_one_that_is_damaged_later_does_not_stop_scoring(
        self, candidate: Release, other_models: Path, at: datetime
    ) -> None:
        shipped = scorer.release()
        _promote(candidate, models=other_models, at=at)
        (settings.RELEASES_DIR / candidate.id / "ensemble.json").write_text("{}")
        scorer.forget()

        assert scorer.release().id == shipped.id

    def test_loads_again_what_triton_lost(self, candidate: Release, other_models: Path, at: datetime) -> None:
        _promote(candidate, models=other_models, at=at)
        name = hosting.served_name(candidate.content)
        triton.admin().unload(name)
        _wait_until(lambda: not triton.admin().is_ready(name))

        assert triton.reload() == [name]

        assert scorer.content_of(candidate.id).is_ready()

    def test_scores_name_the_release_that_gave_them(
        self,
        candidate: Release,
        other_models: Path,
        post: Callable[..., object],
        at: datetime,
        later: Callable[[float], datetime],
    ) -> None:
        shipped = scorer.release()
        post(text=TEXTS[0])
        score.run(revision_ids=_open_revisions(), at=later(1))
        _promote(candidate, models=other_models, at=at)
        scorer.forget()
        post(text=TEXTS[1])
        score.run(revision_ids=_open_revisions(), at=later(2))

        assert list(Score.objects.order_by("id").values_list("release_id", flat=True)) == [
            shipped.id,
            candidate.id,
        ]


def _promote(candidate: Release, *, models: Path, at: datetime) -> Promotion:
    return promote.promote(
        folder=candidate.folder,
        report=releases.report(candidate=candidate, live=scorer.release()),
        repository=models,
        actor=None,
        at=at,
    )


def _copied(repository: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(repository, tmp_path / "repository"))


def _open_revisions() -> list[int]:
    return list(Revision.objects.filter(score_state="pending").values_list("pk", flat=True))


def _wait_until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _three_classes(path: Path) -> None:
    """Give the model a third logit."""
    model = onnx.load(path)
    for node in model.graph.node:
        for place, name in enumerate(node.output):
            if name == "logits":
                node.output[place] = "two_logits"
    extra = helper.make_node("Concat", ["two_logits", "two_logits"], ["logits"], axis=1)
    model.graph.node.append(extra)
    del model.graph.output[:]
    model.graph.output.append(helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", 4]))
    onnx.save(model, path)
