"""Releases go live whole or not at all, on a real Triton and under load; else the live one stays up."""

import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.conf import settings
from pytest_django import Settings

from moderation import scorer
from moderation.models import AuditEntry, Promotion, Score, ScoringJob
from moderation.models.releases import PromotionKind
from moderation.operations.releases import promote, triton
from moderation.operations.scoring import score
from scoring import hosting
from scoring.content import ContentModel
from scoring.release import Corrupt, Release, SchemaMismatch
from tests import releases
from tests.moderation.instants import AT, later
from tests.moderation.operations.conftest import ON_TRITON, OTHER_MODELS_SHIFT
from tests.moderation.operations.releases.promotion import TEXTS, promote_with, score_all_the_time, wait_until
from training import variants

GoLive = Callable[[], Promotion]


@pytest.fixture
def go_live(candidate: Release, other_models: Path) -> GoLive:
    """Promote the candidate."""
    return lambda: promote_with(candidate, models=other_models, at=AT)


class TestPromote:
    pytestmark = [pytest.mark.django_db, *ON_TRITON]

    def test_lets_the_release_go_live_whole(self, candidate: Release, go_live: GoLive) -> None:
        shipped = scorer.release()
        before = scorer.content().scores(TEXTS)

        promotion = go_live()

        scorer.forget()
        after = scorer.content().scores(TEXTS)
        assert scorer.release().id == promotion.release_id == candidate.id
        assert promotion.replaced_id == shipped.id
        for one, other in zip(before, after, strict=True):
            moved = (other.logits[1] - other.logits[0]) - (one.logits[1] - one.logits[0])
            assert moved == pytest.approx(OTHER_MODELS_SHIFT, abs=0.05)
        assert AuditEntry.objects.get(action="release.promote").subject_id == candidate.id
        assert ContentModel(url=settings.TRITON_URL, version="1").is_ready(), "both stay loaded"
        note = Path(settings.TRITON_MODELS_DIR).with_name("live-models").read_text()
        assert note.split() == [scorer.content().model] == [hosting.served_name(candidate.content)]

    @pytest.mark.whole
    def test_a_process_follows_without_restart(
        self, candidate: Release, go_live: GoLive, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(scorer, "CHECK_SECONDS", 0.0)
        in_work = scorer.current().live()

        go_live()

        assert scorer.current().live().release.id == candidate.id
        assert in_work.content.probabilities(TEXTS).shape == (2,)

    def test_keeps_what_serves_the_shipped_weights(self, tmp_path: Path) -> None:
        thresholds = {"review_from": 0.3, "remove_from": 0.97, "audit_rate": 0.02}
        candidate = releases.release(tmp_path / "candidate", thresholds=thresholds)

        promote_with(candidate, models=releases.REPOSITORY, at=AT)

        scorer.forget()
        assert scorer.content().model == "content"
        installed = hosting.served_name(candidate.content)
        assert (Path(settings.TRITON_MODELS_DIR) / installed).is_dir()
        assert not triton.admin().is_ready(installed)

    def test_refuses_other_weights_in_another_variant_than_a_card_serves(
        self, candidate: Release, other_models: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(ContentModel, "served_by", lambda _: "TensorRT, GPU")

        with pytest.raises(
            hosting.Refused, match=r"there is cpu: try again after `python -m training tensorrt"
        ):
            promote_with(candidate, models=other_models, at=AT)

        assert not Promotion.objects.exists()
        assert not list(Path(settings.TRITON_MODELS_DIR).glob("content_*"))

    def test_takes_the_variant_of_a_card_and_finds_it_again(
        self, candidate: Release, other_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The card is a stand-in: nothing is loaded, and nobody asked."""
        monkeypatch.setattr(ContentModel, "served_by", lambda _: "TensorRT, GPU")
        monkeypatch.setattr(hosting, "probe", lambda _pin, *, content: None)
        monkeypatch.setattr(promote, "_try_out", lambda _: None)
        loaded: list[str] = []
        monkeypatch.setattr(hosting.TritonAdmin, "load", lambda _, name: loaded.append(name))
        of_card = _copied(other_models, tmp_path)
        network = of_card / "distilbert"
        (network / "1" / "model.onnx").rename(network / "1" / "model.plan")
        (network / "config.pbtxt").write_text('backend: "tensorrt" default_model_filename: "model.plan"')
        variants.finish(of_card, of=candidate.content.files, model="content", models=None)

        promote_with(candidate, models=of_card, at=AT)
        promote.roll_back(actor=None, at=later(1))
        scorer.forget()
        promote_with(candidate, models=releases.REPOSITORY, at=later(2))  # as pages do, which name none

        name = hosting.served_name(candidate.content)
        assert loaded == [name, name]
        plan = Path(settings.TRITON_MODELS_DIR) / name.replace("content", "distilbert") / "1" / "model.plan"
        assert plan.is_file()

    def test_refuses_what_the_gate_finds_worse(self, candidate: Release, other_models: Path) -> None:
        worse = {"live": 0.9, "candidate": 0.7, "difference_interval": [-0.25, -0.15]}
        part = {"by": "language", "name": "de", "rows": 100, "is_gated": True, "metrics": {"pr_auc": worse}}
        report = releases.report(candidate=candidate, live=scorer.release())
        report["slices"].append(part)

        with pytest.raises(promote.NotGoodEnough, match="pr_auc on language de"):
            promote_with(candidate, models=other_models, at=AT, report=report)

        assert not Promotion.objects.exists()


class TestRollBack:
    pytestmark = [pytest.mark.django_db, *ON_TRITON]

    def test_brings_back_the_release_before(self, go_live: GoLive) -> None:
        shipped = scorer.release()
        go_live()

        promotion = promote.roll_back(actor=None, at=AT)

        scorer.forget()
        assert (scorer.release().id, promotion.kind) == (shipped.id, PromotionKind.ROLLBACK)
        assert scorer.content().is_ready()

    @pytest.mark.whole
    @pytest.mark.long
    def test_goes_to_a_kept_release_by_name(self, candidate: Release, go_live: GoLive) -> None:
        go_live()
        promote.roll_back(actor=None, at=AT)

        promote.roll_back(to=candidate.id[:8], actor=None, at=AT)

        scorer.forget()
        assert scorer.release().id == candidate.id
        assert scorer.content().is_ready()


class TestLiveRelease:
    pytestmark = [pytest.mark.django_db, *ON_TRITON]

    @pytest.mark.whole
    def test_one_damaged_later_does_not_stop_scoring(self, candidate: Release, go_live: GoLive) -> None:
        shipped = scorer.release()
        go_live()
        (settings.RELEASES_DIR / candidate.id / "ensemble.json").write_text("{}")
        scorer.forget()

        assert scorer.release().id == shipped.id

    @pytest.mark.whole
    def test_loads_again_what_triton_lost(self, candidate: Release, go_live: GoLive) -> None:
        go_live()
        name = hosting.served_name(candidate.content)
        triton.admin().unload(name)
        wait_until(lambda: not triton.admin().is_ready(name))

        assert triton.reload() == [name]

        assert scorer.current().content_of(candidate.id).is_ready()

    @pytest.mark.whole
    @pytest.mark.long
    def test_scores_name_the_release_that_gave_them(
        self, candidate: Release, go_live: GoLive, post: Callable[..., object]
    ) -> None:
        shipped = scorer.release()
        post(text=TEXTS[0])
        score.run(revision_ids=_open_revisions(), at=later(1))
        go_live()
        scorer.forget()
        post(text=TEXTS[1])
        score.run(revision_ids=_open_revisions(), at=later(2))

        assert list(Score.objects.order_by("id").values_list("release_id", flat=True)) == [
            shipped.id,
            candidate.id,
        ]


def _open_revisions() -> list[int]:
    return list(ScoringJob.objects.filter(state="pending").values_list("pk", flat=True))


class TestBadReleases:
    pytestmark = [pytest.mark.whole, pytest.mark.django_db, *ON_TRITON]

    """Each is refused by name before the flip, and the live release goes on answering."""

    @pytest.fixture(autouse=True)
    def live_stays_up(self) -> Iterator[None]:
        before = scorer.content().scores(TEXTS)
        yield
        scorer.forget()
        assert not Promotion.objects.exists()
        assert scorer.release().id == scorer.shipped().id
        assert scorer.content().scores(TEXTS) == before

    def test_changed_model_file(self, candidate: Release, other_models: Path, tmp_path: Path) -> None:
        changed = _copied(other_models, tmp_path)
        with (changed / "distilbert/1/model.onnx").open("ab") as file:
            file.write(b"\0")

        with pytest.raises(Corrupt, match=r"model\.onnx: SHA-256"):
            promote_with(candidate, models=changed, at=AT)

    def test_folder_that_triton_does_not_read(
        self, candidate: Release, other_models: Path, tmp_path: Path, settings: Settings
    ) -> None:
        settings.TRITON_MODELS_DIR = tmp_path / "elsewhere" / "models"

        with pytest.raises(hosting.Refused, match="SPAMDESK_TRITON_MODELS_DIR"):
            promote_with(candidate, models=other_models, at=AT)

    def test_model_file_that_is_no_model(self, other_models: Path, tmp_path: Path) -> None:
        changed = _copied(other_models, tmp_path)
        (changed / "distilbert/1/model.onnx").write_bytes(b"no model at all")

        with pytest.raises(hosting.Refused, match="distilbert"):
            promote_with(releases.release(tmp_path / "release", models=changed), models=changed, at=AT)

    def test_answers_other_than_its_release_says(self, other_models: Path, tmp_path: Path) -> None:
        pins = hosting.pinned_files(other_models, model="content", version="1")
        probes = [{"text": "See you at the river tonight", "probability": 0.97}]
        content = {"model": "content", "version": "1", "files": pins, "probes": probes}

        with pytest.raises(hosting.WrongAnswers, match=r"its release says 0\.970"):
            promote_with(
                releases.release(tmp_path / "release", models=other_models, content=content),
                models=other_models,
                at=AT,
            )

    def test_other_features(self, other_models: Path, tmp_path: Path) -> None:
        with pytest.raises(SchemaMismatch):
            promote_with(
                releases.release(tmp_path / "release", models=other_models, schema_hash="0" * 64),
                models=other_models,
                at=AT,
            )


def _copied(repository: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(repository, tmp_path / "repository"))


class TestUnderLoad:
    pytestmark = [pytest.mark.whole, pytest.mark.django_db(transaction=True), *ON_TRITON]

    @pytest.mark.long
    def test_no_request_fails(
        self, candidate: Release, other_models: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(scorer, "CHECK_SECONDS", 0.05)
        shipped = scorer.release()
        seen: Counter[tuple[str, bool]] = Counter()
        ended = threading.Event()

        with ThreadPoolExecutor(3) as pool:
            callers = [pool.submit(score_all_the_time, seen, ended) for _ in range(3)]
            try:
                wait_until(lambda: seen[shipped.id, False] > 20)
                promote_with(candidate, models=other_models, at=AT)
                wait_until(lambda: seen[candidate.id, False] > 20)
                of_shipped = seen[shipped.id, False]
                begun = time.monotonic()
                promote.roll_back(actor=None, at=AT)
                wait_until(lambda: seen[shipped.id, False] > of_shipped + 20)
            finally:
                ended.set()

        for caller in callers:
            caller.result()
        assert set(seen) == {(shipped.id, False), (candidate.id, False)}
        assert time.monotonic() - begun < 60
