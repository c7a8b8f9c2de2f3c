"""A head learns what a platform decides, and learns nothing from decisions that would mislead it."""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score

from scoring.content import ContentScore
from scoring.ensemble import content_margins, probabilities_of
from tests.scoring.platform_posts import LIVE, PLATFORM, decisions, with_head
from tests.scoring.random_records import Always, FakeContent, Said
from training import fit_head, head_guards, train_heads
from training.labelled_records import LabelledRecord
from training.train_heads import add_heads, decisions_of, fit_platform

UNSEEN = decisions(400, seed=99)
UNSEEN_READ = decisions(400, seed=98, content=True)
UNSEEN_RARE = decisions(800, seed=77, spam_share=0.15)


def heard(labelled: Sequence[LabelledRecord]) -> list[ContentScore]:
    return FakeContent().scores([one.record.text for one in labelled])


def mean_margin(fitted: train_heads.Fitted) -> float:
    return float(fit_head.margins(fitted.head, decisions_of(UNSEEN, scores=heard(UNSEEN))).mean())


def honest_held(fitted: train_heads.Fitted) -> float:
    honest = [one for one in UNSEEN if not one.is_spam]
    return float((fit_head.margins(fitted.head, decisions_of(honest, scores=heard(honest))) > 0).mean())


def roc_auc(fitted: train_heads.Fitted, posts: list[LabelledRecord]) -> float:
    said = fit_head.margins(fitted.head, decisions_of(posts, scores=heard(posts)))
    return float(roc_auc_score([one.is_spam for one in posts], said))


class TestFitPlatform:
    def test_learns_what_the_content_model_cannot_read(self) -> None:
        fitted = fit_platform(decisions(60), content=FakeContent())

        assert roc_auc(fitted, UNSEEN) > 0.95
        assert fitted.head.content_slope < 0.3

    def test_keeps_to_a_content_model_that_is_right(self) -> None:
        fitted = fit_platform(decisions(60, content=True), content=FakeContent())

        assert fitted.head.content_slope > 0.5

    def test_a_few_wrong_decisions_do_not_turn_it(self) -> None:
        """A reviewer errs in one of ten."""
        generator = np.random.default_rng(3)
        noisy = [
            dataclasses.replace(one, is_spam=one.is_spam != bool(generator.random() < 0.1))
            for one in decisions(150)
        ]

        assert roc_auc(fit_platform(noisy, content=FakeContent()), UNSEEN) > 0.9

    def test_reported_spam_shows_what_spam_is_and_not_how_much(self) -> None:
        """Of 129 labels 115 were spam, most of it reported: what was trained on them held honest texts."""
        sample = decisions(120, spam_share=0.3)
        reported = decisions(100, seed=5, spam_share=1.0, reported=1.0)

        fitted = fit_platform([*sample, *reported], content=FakeContent())

        as_sample = fit_platform(
            [*sample, *(dataclasses.replace(one, weight=1.0) for one in reported)], content=FakeContent()
        )
        assert 0 < fitted.about["reported"] <= 100
        assert honest_held(fitted) < 0.05
        assert mean_margin(fitted) < mean_margin(as_sample) - 0.3

    def test_learns_from_every_decision(self) -> None:
        """What judges it is a head without the test part, not this one."""
        fitted = fit_platform(decisions(200), content=FakeContent())

        assert fitted.about["fitted_on"][PLATFORM]["posts"] == 200

    def test_where_content_ranks_well_and_says_too_little_it_gains(self) -> None:
        """Its order is right and its odds are not: a head that mends these is a gain."""
        labelled = decisions(120, content=True, spam_share=0.15)

        fitted = fit_platform(labelled, content=_Timid())

        said = probabilities_of(fitted.left_out)
        is_spam = np.array([one.is_spam for one in labelled])
        assert log_loss(is_spam, said) < 0.7 * log_loss(
            is_spam, _Timid().probabilities([one.record.text for one in labelled])
        )
        assert roc_auc(fitted, UNSEEN_READ) > 0.9


class TestRefusals:
    @pytest.mark.parametrize(
        ("labelled", "refusal", "says"),
        [
            (lambda: decisions(20, spam_share=0.2), head_guards.TooFew, "at least 8 of each"),
            (lambda: decisions(200, spam_share=1.0), head_guards.TooFew, "0 other decisions"),
            (
                lambda: [
                    *decisions(40, spam_share=0.3, random=0.1),
                    *decisions(300, seed=2, spam_share=1.0, reported=1.0),
                ],
                head_guards.OneSided,
                "were drawn at random",
            ),
            (lambda: _shuffled(decisions(120)), head_guards.NoGain, "it stays as it is"),
            (lambda: decisions(200, reported=1.0, spam_share=1.0), head_guards.TooFew, "100 random posts"),
        ],
    )
    def test_are_named_and_say_what_to_do(
        self, labelled: Callable[[], list[LabelledRecord]], refusal: type[Exception], says: str
    ) -> None:
        # One half of every text: nothing is as hard to beat where labels are noise.
        with pytest.raises(refusal, match=says):
            fit_platform(labelled(), content=Always(0.5))

    def test_nothing_of_the_release_moves(self, tmp_path: Path) -> None:
        """Neither calibration nor thresholds nor any model."""
        made = add_heads(LIVE, decisions(200, spam_share=1.0), content=FakeContent(), out=tmp_path)

        assert made.release.files == LIVE.files
        assert (made.release.calibration, made.release.thresholds) == (LIVE.calibration, LIVE.thresholds)
        assert PLATFORM in made.release.training["heads_refused"]
        assert any("NO HEAD TooFew" in line for line in train_heads.told(made.release))


class TestWarnings:
    def test_name_what_is_weak(self) -> None:
        found = list(head_guards.warnings(decisions(40, random=0.0)))

        assert any("30 would be enough" in one for one in found)
        assert any(one.startswith("0 labels were drawn at random") for one in found)
        assert any(one.startswith("one language alone: ru") for one in found)

    def test_name_a_language_of_one_sort(self) -> None:
        """So "Russian is spam" is learnt."""
        russian = [dataclasses.replace(one, is_spam=True) for one in decisions(20)]

        found = list(head_guards.warnings([*russian, *_german(80)]))

        assert any("all 20 decisions in ru are spam" in one for one in found)

    def test_are_silent_where_there_is_enough(self) -> None:
        assert list(head_guards.warnings([*_german(100), *decisions(100)])) == []


class TestAddHeads:
    def test_a_platform_without_new_decisions_keeps_its_head(self, tmp_path: Path) -> None:
        first = with_head(decisions(100), out=tmp_path / "a")

        assert with_head([], out=tmp_path / "b", base=first).heads == first.heads

    def test_the_same_decisions_give_the_same_release(self, tmp_path: Path) -> None:
        first, second = (with_head(decisions(100), out=tmp_path / name) for name in ("a", "b"))

        assert first.id == second.id

    def test_says_what_it_was_fitted_on(self, tmp_path: Path) -> None:
        release = with_head(decisions(100), out=tmp_path)

        assert any("messenger: a head from" in line for line in train_heads.told(release))


def _german(count: int) -> list[LabelledRecord]:
    return [
        dataclasses.replace(one, record=dataclasses.replace(one.record, language="de"))
        for one in decisions(count, seed=2)
    ]


def _shuffled(labelled: list[LabelledRecord]) -> list[LabelledRecord]:
    verdicts = np.random.default_rng(0).permutation([one.is_spam for one in labelled])
    return [
        dataclasses.replace(one, is_spam=bool(said)) for one, said in zip(labelled, verdicts, strict=True)
    ]


class _Timid(Said):
    """Ranks texts as FakeContent does, three log-odds too low."""

    def probabilities(self, texts: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        said: np.ndarray[tuple[int], np.dtype[np.float64]] = probabilities_of(
            content_margins(FakeContent().probabilities(texts)) - 3.0
        )
        return said
