"""Training end to end on random records: a release that loads, scores, and is the same twice."""

import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from scoring.blocklist import Blocklist
from scoring.ensemble import ENSEMBLE_FILE, MAIN_INPUTS, SUB_MODELS, Ensemble
from scoring.features import NO_MODELS, SCHEMA_HASH
from scoring.pins import ContentPin, Probe
from scoring.pipeline import Scorer
from scoring.release import MANIFEST, Release
from scoring.splits import Split
from tests.scoring.random_records import FakeContent, decided, labelled
from tests.scoring.starter import STARTER
from training import cards, ensemble_card, fit_forests, mixture, train_ensemble
from training.calibrate import TooFewRandom
from training.ensemble_rows import Material, ask_content
from training.fit_ensemble import fit
from training.labelled_lines import Origin
from training.labelled_records import LabelledRecord
from training.train_ensemble import Config, train

pytestmark = [pytest.mark.xdist_group("train ensemble"), pytest.mark.timeout(300)]

RECORDS = labelled(700)
PIN = ContentPin(
    model="content",
    version="1",
    files={"distilbert/1/model.onnx": "0" * 64},
    probes=(Probe(text="hello", probability=0.25),),
)
PAGE = Path(__file__).parents[2] / "docs" / "models.md"


def trained(posts: list[LabelledRecord], *, out: Path) -> Release:
    return train(posts, config=Config(posts=(), seed=5), content=FakeContent(), out=out, pin=PIN)


@pytest.fixture(scope="module", autouse=True)
def few_trees() -> Iterator[None]:
    """Forests of fewer trees, on coarser values: enough to learn what random records show.

    Most of a fit to few rows goes into finding the bounds of 255 bins in every column.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fit_forests, "_MAIN_ROUNDS", 20)
        patch.setattr(fit_forests, "_MAIN", {**fit_forests._MAIN, "max_bins": 24})
        patch.setattr(fit_forests, "_SUB_MODEL", {**fit_forests._SUB_MODEL, "max_bins": 24, "max_iter": 50})
        yield


@pytest.fixture(scope="module")
def release(few_trees: None, tmp_path_factory: pytest.TempPathFactory) -> Release:
    return trained(RECORDS, out=tmp_path_factory.mktemp("release"))


class TestTrain:
    def test_pins_content_model_and_every_tree_model(self, release: Release) -> None:
        assert release.content == PIN
        assert set(release.sub_models) == {*SUB_MODELS, "main"}
        assert all(len(digest) == 64 for digest in release.sub_models.values())

    def test_writes_a_release_that_scores(self, release: Release) -> None:
        scorer = Scorer(release=Release.load(release.folder), content=FakeContent())

        scores = scorer.score_many([one.record for one in RECORDS[:100]], blocklist=Blocklist())

        right = [
            (score.spam_probability >= 0.5) == one.is_spam
            for score, one in zip(scores, RECORDS[:100], strict=True)
        ]
        assert np.mean(right) > 0.85

    def test_says_what_it_was_trained_from(self, release: Release) -> None:
        assert release.schema_hash == SCHEMA_HASH
        assert release.training["simulated"] is True
        assert release.training["records"]["rows"] == 700
        assert release.training["records"]["spam"] == sum(one.is_spam for one in RECORDS)
        assert set(release.metrics["pr_auc_of_each_sub_model"]) == set(MAIN_INPUTS)

    def test_measures_each_state_of_knowledge(self, release: Release) -> None:
        test = release.metrics["test"]

        assert list(test) == ["complete", "with random gaps", "bare (text and links only)", "without content"]
        assert test["complete"]["roc_auc"] > test["bare (text and links only)"]["roc_auc"] > 0.6

    def test_refuses_a_part_of_one_sort(self) -> None:
        honest = [one for one in RECORDS if not one.is_spam]

        with pytest.raises(ValueError, match="needs spam and not spam"):
            Material(honest, np.full(len(honest), 0.5), 1, NO_MODELS).part(Split.TRAIN)


def killed(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


class TestKilledFit:
    @pytest.fixture
    def changed(self, release: Release) -> Ensemble:
        return dataclasses.replace(Ensemble.load(release.folder), base_rate=-1.0)

    @pytest.fixture
    def out(self, release: Release, tmp_path: Path) -> Path:
        return Path(shutil.copytree(release.folder, tmp_path / "out"))

    def test_leaves_the_release_before(
        self, release: Release, changed: Ensemble, out: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(train_ensemble, "fit", lambda *_, **__: changed)
        monkeypatch.setattr(train_ensemble, "_metrics", killed)

        with pytest.raises(KeyboardInterrupt):
            trained(RECORDS, out=out)

        assert Release.load(out).id == release.id
        assert [path.name for path in out.parent.iterdir()] == ["out"]

    def test_leaves_it_while_the_new_one_is_written(
        self, release: Release, changed: Ensemble, out: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(train_ensemble, "file_sha256", killed)

        with pytest.raises(KeyboardInterrupt):
            train_ensemble._write(out, ensemble=changed, manifest=dict(release.manifest))

        assert Release.load(out).id == release.id


class TestDecisions:
    @pytest.mark.long
    def test_outvote_the_simulation(self) -> None:
        """A simulation of twice as many posts has it upside down."""
        simulated = [dataclasses.replace(one, is_spam=not one.is_spam) for one in labelled(1_600)]
        posts = [*simulated, *decided(800)]
        known = ask_content(posts, content=FakeContent())
        asked = Material(
            decided(300, seed=9), ask_content(decided(300, seed=9), content=FakeContent()), 5, NO_MODELS
        )

        mixed = Material(mixture.mixed(posts), known, 5, NO_MODELS).rows_with_gaps()

        ensemble = fit(mixed, models=NO_MODELS, seed=5)

        rows = asked.rows()
        judgement = ensemble.judge(rows.features, content_probabilities=rows.content_probabilities)
        assert roc_auc_score(rows.is_spam, judgement.added) > 0.7

    def test_the_manifest_counts_them_by_platform(self, tmp_path: Path) -> None:
        said = trained([*RECORDS, *decided(60)], out=tmp_path).training["fitted_on"]

        assert (said["simulated"], said["decided"]["tests"]["posts"]) == (700, 60)

    def test_move_no_threshold_of_all_platforms(self) -> None:
        posts = [*RECORDS, *decided(60)]

        kept = train_ensemble._calibrating(Material(posts, np.full(len(posts), 0.5), 1, NO_MODELS))

        assert {one.origin for one in kept.labelled} == {Origin.SIMULATED}

    def test_alone_need_two_hundred_random_ones(self) -> None:
        posts = [dataclasses.replace(one, is_random=True) for one in decided(199)]

        with pytest.raises(TooFewRandom, match="199 random labels and no simulated record"):
            train_ensemble._calibrating(Material(posts, np.full(199, 0.5), 1, NO_MODELS))


@pytest.mark.long
def test_the_same_seed_gives_the_same_models(tmp_path: Path) -> None:
    few = RECORDS[:250]
    rows = Material(few, ask_content(few, content=FakeContent()), 5, NO_MODELS).rows_with_gaps()
    written = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        with threadpool_limits(limits=1):
            written.append(fit(rows, models=NO_MODELS, seed=5).save(tmp_path / name).read_bytes())

    assert written[0] == written[1]


class TestCard:
    def test_takes_every_figure_from_the_release(self, release: Release) -> None:
        card = ensemble_card.write(release)

        assert f"`{release.id[:12]}`" in card
        assert "Simulated: 700 records" in card
        assert f"{release.metrics['test']['complete']['roc_auc']:.4f}" in card
        assert "$" not in card

    def test_replaces_itself_on_the_page_and_nothing_else(self, release: Release, tmp_path: Path) -> None:
        page = tmp_path / "models.md"
        page.write_text("# Models\n\nabout content\n", encoding="utf-8")

        cards.publish(ensemble_card.write(release), part=ensemble_card.PART, page=page)
        once = page.read_text(encoding="utf-8")
        cards.publish(ensemble_card.write(release), part=ensemble_card.PART, page=page)

        assert page.read_text(encoding="utf-8") == once
        assert once.startswith("# Models\n\nabout content\n")
        assert once.count("# Ensemble: card") == 1

    def test_the_page_is_about_the_shipped_release(self) -> None:
        """Cure: python -m training ensemble ... --out scoring/starter --card docs/models.md"""
        shipped = Release.load(STARTER)

        assert ensemble_card.write(shipped).strip() in PAGE.read_text(encoding="utf-8")


def test_the_release_holds_nothing_but_its_two_files(release: Release) -> None:
    assert sorted(path.name for path in release.folder.iterdir()) == [ENSEMBLE_FILE, MANIFEST]
