"""Curve and thresholds of a platform's own, fitted with its head."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import log_loss

from scoring.blocklist import Blocklist
from scoring.ensemble import calibrated
from scoring.pipeline import Scorer
from scoring.release import Thresholds
from scoring.routing import ReviewReason
from tests.scoring.platform_posts import LIVE, PLATFORM, decisions
from tests.scoring.random_records import Always, FakeContent, record
from tests.training.test_train_heads import UNSEEN_RARE, _shuffled
from training import train_heads
from training.train_heads import add_heads


class TestOwnRoutes:
    @pytest.fixture(scope="class")
    def made(self, tmp_path_factory: pytest.TempPathFactory) -> train_heads.Made:
        """Fifteen in a hundred posts are spam here, where the content model knows nothing."""
        labelled = decisions(600, spam_share=0.15, random=0.5)
        return add_heads(LIVE, labelled, content=FakeContent(), out=tmp_path_factory.mktemp("own"))

    def test_are_pinned_and_told(self, made: train_heads.Made) -> None:
        release = made.release

        assert set(release.platforms) == {PLATFORM}
        assert release.thresholds_on("another") == release.thresholds == LIVE.thresholds
        assert release.calibration == LIVE.calibration
        assert release.training["platforms_refused"] == {}
        [told] = [line for line in train_heads.told(release) if "random labels among" in line]
        assert f"{PLATFORM}: " in told
        assert f"({release.thresholds.review_from:.3f} shared)" in told

    def test_route_and_calibrate_their_platform_alone(self, made: train_heads.Made) -> None:
        """The margin is the same on every platform; the curve from it to a probability is not."""
        release, own = made.release, made.release.platforms[PLATFORM]
        headless = dataclasses.replace(release, heads={})
        here, there = (record(text="мы обед 0.4", platform=name) for name in (PLATFORM, "another"))

        ours, theirs = Scorer(release=headless, content=FakeContent()).score_many(
            [here, there], blocklist=Blocklist()
        )

        margin = ours.base + sum(one.contribution for one in ours.contributions)
        assert margin == pytest.approx(theirs.base + sum(one.contribution for one in theirs.contributions))
        for score, curve in ((ours, own.calibration), (theirs, release.calibration)):
            assert score.spam_probability == pytest.approx(
                calibrated(np.array([margin]), calibration=curve)[0], abs=1e-9
            )
        assert ours.spam_probability != theirs.spam_probability

    def test_say_what_scores_mean_there(self, made: train_heads.Made) -> None:
        scorer = Scorer(release=made.release, content=FakeContent())
        shared = Scorer(release=dataclasses.replace(made.release, platforms={}), content=FakeContent())
        records = [one.record for one in UNSEEN_RARE]
        is_spam = np.array([one.is_spam for one in UNSEEN_RARE])
        read = scorer.content_on(PLATFORM).probabilities([one.text for one in records])

        own, without = (
            log_loss(is_spam, judge.spam_probabilities(records, content_probabilities=read))
            for judge in (scorer, shared)
        )

        assert own < without

    def test_below_two_hundred_random_labels_nothing_moves(self, tmp_path: Path) -> None:
        """By name; the head comes all the same."""
        labelled = [
            dataclasses.replace(one, is_random=place < 199) for place, one in enumerate(decisions(400))
        ]

        made = add_heads(LIVE, labelled, content=FakeContent(), out=tmp_path)

        assert made.release.platforms == {}
        assert set(made.release.heads) == {PLATFORM}
        refused = made.release.training["platforms_refused"]
        assert "TooFewRandom: 199 random labels, 200 are needed" in refused[PLATFORM]
        assert any("NO CURVE OF ITS OWN" in line for line in train_heads.told(made.release))

    def test_are_chosen_without_a_head_too(self, tmp_path: Path) -> None:
        """Where a head gains nothing, random labels still tell what scores mean."""
        labelled = _shuffled(decisions(500, random=1.0))

        made = add_heads(LIVE, labelled, content=Always(0.5), out=tmp_path)

        assert "NoGain" in made.release.training["heads_refused"][PLATFORM]
        assert set(made.release.platforms) == {PLATFORM}
        assert made.release.heads == {}

    def test_stay_while_nothing_new_is_decided(self, made: train_heads.Made, tmp_path: Path) -> None:
        again = add_heads(made.release, [], content=FakeContent(), out=tmp_path).release

        assert again.platforms == made.release.platforms

    def test_safety_bounds_hold_there_too(self, made: train_heads.Made) -> None:
        lenient = dataclasses.replace(
            made.release.platforms[PLATFORM],
            thresholds=Thresholds(review_from=1.0, remove_from=1.0, audit_rate=0.0),
        )
        release = dataclasses.replace(made.release, platforms={PLATFORM: lenient})
        post = record(text="казино бонус выигрыш жми 0.9", platform=PLATFORM)

        score = Scorer(release=release, content=FakeContent()).score(post, blocklist=Blocklist())

        assert score.content_probability is not None
        assert score.content_probability >= release.safety.hold_from["content"]
        assert score.routing.reason is ReviewReason.OUTVOTED
