"""A platform's head: what it reads, that it keeps its answer, and where the product asks it."""

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest

from scoring import counterfactual
from scoring.blocklist import Blocklist
from scoring.content import ContentScore
from scoring.counterfactual import Change
from scoring.ensemble import content_margins, probabilities_of
from scoring.explain import word_contributions
from scoring.ngrams import BUCKETS
from scoring.pipeline import Scorer
from scoring.platform_head import PlatformHead, PlatformHeads, file_of, grams_of
from scoring.release import Corrupt, Release
from tests.scoring.platform_posts import LIVE, PLATFORM, decisions, with_head
from tests.scoring.random_records import Always, Down, FakeContent, record

SILENT = PlatformHead(weights=np.zeros(BUCKETS, dtype=np.float32), content_slope=1.0, intercept=0.0)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """The shipped release with a head for one platform."""
    return with_head(decisions(200), out=tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="module")
def scorer(release: Release) -> Scorer:
    return Scorer(release=release, content=FakeContent())


class TestGramsOf:
    @pytest.mark.parametrize(
        "text", ["hello there", "ก็ไม่รู้", "a", "\ud800 lone surrogate", "x" * 100_000, "🎉🎉 gratis 🎉"]
    )
    def test_each_sort_has_length_one(self, text: str) -> None:
        buckets, values = grams_of(text)

        assert (values**2).sum() == pytest.approx(2.0)
        assert buckets.min() >= 0
        assert buckets.max() < BUCKETS

    def test_an_empty_text_has_no_words(self) -> None:
        assert np.isfinite(grams_of("")[1]).all()

    def test_reads_through_disguise_and_case(self) -> None:
        plain, disguised = grams_of("free cash"), grams_of("F\u200bR\u200bE\u200bE cash")

        assert plain[0].tolist() == disguised[0].tolist()


class TestPlatformHead:
    def test_a_silent_one_says_what_the_content_model_says(self) -> None:
        asked = [ContentScore((0.0, -2.0)), ContentScore((0.0, 3.0))]

        said = SILENT.probabilities(["a", "c"], scores=asked)

        assert said == pytest.approx([score.probability for score in asked])

    def test_reads_what_a_text_says_where_no_word_is_known(self) -> None:
        head = dataclasses.replace(SILENT, vector=np.array([2.0, -1.0], dtype=np.float32))
        spam, honest = ContentScore((0.0, 0.5), b"\x7f\x00"), ContentScore((0.0, 0.5), b"\x00\x7f")

        margins = content_margins(head.probabilities(["a", "a"], scores=[spam, honest]))

        assert margins == pytest.approx([2.5, -0.5])

    def test_refuses_the_vector_of_another_model(self) -> None:
        head = dataclasses.replace(SILENT, vector=np.ones(3, dtype=np.float32))

        with pytest.raises(ValueError, match="broadcast"):
            head.probabilities(["a"], scores=[ContentScore((0.0, 0.5), b"\x7f\x00")])

    def test_keeps_its_answers_in_its_file(self, tmp_path: Path, release: Release) -> None:
        head = PlatformHead.load(release.folder / file_of(PLATFORM))

        head.save(tmp_path / "head.npz")

        assert PlatformHead.load(tmp_path / "head.npz").margin(
            "казино бонус", content_margin=0.3, vector=np.array([1.0, 0.0])
        ) == head.margin("казино бонус", content_margin=0.3, vector=np.array([1.0, 0.0]))
        assert (tmp_path / "head.npz").read_bytes() == (release.folder / file_of(PLATFORM)).read_bytes()

    @pytest.mark.parametrize(
        "change",
        [
            {"weights": np.zeros(3, dtype=np.float32)},
            {"content_slope": float("nan")},
            {"intercept": float("inf")},
            {"vector": np.array([np.nan], dtype=np.float32)},
        ],
    )
    def test_a_damaged_one_is_refused(self, tmp_path: Path, change: dict[str, object]) -> None:
        damaged = {"weights": SILENT.weights, "content_slope": 1.0, "intercept": 0.0} | change
        np.savez_compressed(tmp_path / "head.npz", **damaged)  # type: ignore[arg-type]  # numpy's stubs want arrays

        with pytest.raises(Corrupt, match=r"head\.npz"):
            PlatformHead.load(tmp_path / "head.npz")


@pytest.mark.parametrize("platform", ["", "../x", "a/b", "a.b"])
def test_file_of_refuses_what_is_no_slug(platform: str) -> None:
    with pytest.raises(ValueError, match="no slug"):
        file_of(platform)


class TestRelease:
    def test_pins_the_head(self, release: Release) -> None:
        assert release.heads == {PLATFORM: "heads/messenger.npz"}
        assert release.id != LIVE.id

        (release.folder / "heads" / "other.npz").write_bytes(b"")  # a file that no manifest names is let be
        assert Release.load(release.folder).id == release.id

    def test_a_head_that_no_digest_pins_is_refused(self, release: Release, tmp_path: Path) -> None:
        manifest = with_head([], out=tmp_path, base=release).folder / "manifest.json"
        manifest.write_text(manifest.read_text().replace('"file": "heads/', '"file": "elsewhere/'))

        with pytest.raises(Corrupt, match="KeyError"):
            Release.load(manifest.parent)


@pytest.mark.xdist_group("shap")
class TestScorer:
    def test_asks_the_head_of_the_posts_platform_alone(self, scorer: Scorer) -> None:
        text = "казино бонус выигрыш жми 0.3"
        here, elsewhere = (record(text=text, platform=name) for name in (PLATFORM, "tests"))

        ours, theirs = scorer.score_many([here, elsewhere], blocklist=Blocklist())

        assert theirs.content_probability == pytest.approx(0.3)
        assert ours.content_probability is not None
        assert ours.content_probability > 0.8
        assert ours.spam_probability > theirs.spam_probability

    def test_contributions_still_add_up(self, scorer: Scorer) -> None:
        score = scorer.score(record(text="казино бонус 0.3", platform=PLATFORM), blocklist=Blocklist())

        total = score.base + sum(one.contribution for one in score.contributions)
        again = scorer.spam_probabilities(
            [record(text="казино бонус 0.3", platform=PLATFORM)],
            content_probabilities=np.array([score.content_probability]),
        )
        assert np.isfinite(total)
        assert again[0] == pytest.approx(score.spam_probability, abs=1e-12)

    def test_without_the_content_model_nothing_is_guessed(self, release: Release) -> None:
        silent = Scorer(release=release, content=Down())

        score = silent.score(record(text="казино", platform=PLATFORM), blocklist=Blocklist())

        assert score.is_degraded
        assert score.content_probability is None

    def test_words_are_explained_as_the_platform_reads_them(self, scorer: Scorer) -> None:
        words = word_contributions("мы казино где", probabilities=scorer.content_on(PLATFORM).probabilities)

        shares = [word.contribution for word in words]
        assert shares[1] == max(shares)
        assert shares[1] > 0.1

    def test_counterfactuals_ask_the_head_too(self, release: Release) -> None:
        """A word that only the head knows is the one without which the post goes another way."""
        post, without = record(text="казино где", platform=PLATFORM), record(text=" где", platform=PLATFORM)
        judge = Scorer(release=release, content=Always(0.3))
        read = judge.content_on(PLATFORM).probabilities([post.text, without.text])
        before, after = judge.spam_probabilities([post, without], content_probabilities=read)
        thresholds = dataclasses.replace(release.thresholds, review_from=(before + after) / 2)
        judge = Scorer(release=dataclasses.replace(release, thresholds=thresholds), content=Always(0.3))

        found = counterfactual.find(post, scorer=judge, content_probability=read[0], words=[(0, 6)])

        assert found is not None
        assert found.change is Change.WORD_REMOVED
        assert found.probability == pytest.approx(after)


class TestHeads:
    def test_without_one_nothing_changes(self) -> None:
        heads = PlatformHeads({})

        assert heads.read(record(text="hello"), ContentScore((0.0, 0.0))) == 0.5
        assert math.isnan(heads.read(record(text="hello"), None))

    def test_a_margin_is_a_log_odds(self) -> None:
        margin = float(content_margins(np.array([0.2]))[0])

        assert float(
            probabilities_of(np.array([SILENT.margin("x", content_margin=margin, vector=np.zeros(2))]))[0]
        ) == pytest.approx(0.2)
