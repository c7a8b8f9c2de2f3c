"""Real texts in circumstances, by no look at a label; and a platform that nobody trained on."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from scoring.features import NAMES, NO_MODELS
from scoring.normalise import as_read
from scoring.splits import Split
from tests.json_lines import written
from tests.scoring.platform_posts import decisions
from tests.scoring.random_records import Always, FakeContent, Said, labelled
from training import held_out, new_platform, real_texts
from training.ensemble_rows import Material, Rows, ask_content
from training.promise import BROKEN, KEPT, Row
from training.real_texts import RealTexts, at_prevalence

RECORDS = labelled(600)
LINKS = NAMES.index("context.link_count")
LENGTH = NAMES.index("context.url_length")
DOMAIN_POSTS = NAMES.index("context.domain_posts")
AGE = NAMES.index("social.account_age_days")


@pytest.fixture(scope="module")
def surroundings() -> Rows:
    return Material(RECORDS, ask_content(RECORDS, content=FakeContent()), 1, NO_MODELS).rows()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("texts") / "words.jsonl"
    rows = [
        {
            "id": str(place),
            "source": "words",
            "lang": "en",
            "text": f"{_words(place)} {place} at {_link(place)} {place / 600:.3f}",
            "label": int(place % 3 == 0),
            "group": f"g{place}",
        }
        for place in range(600)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _words(place: int) -> str:
    return "win a prize" if place % 3 == 0 else "see you"


def _link(place: int) -> str:
    return "https://shop.example/offer" if place % 2 else "home"


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("answers") / held_out.FILE
    held_out.write(path, learned=[], texts=[], answers=np.zeros(0))
    return path


@pytest.fixture(scope="module")
def texts(file: Path, answers: Path) -> RealTexts:
    return real_texts.load(
        [file], split=Split.VALIDATION, content=FakeContent(), models=NO_MODELS, answers=answers
    )


@pytest.fixture
def messenger(tmp_path: Path) -> Path:
    lines = [
        {
            "id": str(place),
            "source": "m",
            "text": one.record.text,
            "label": int(one.is_spam),
            "group": str(place),
        }
        for place, one in enumerate(decisions(300))
    ]
    return written(tmp_path / "messenger.jsonl", lines)


def measured(path: Path) -> dict[str, Row]:
    return {row.title: row for row in new_platform.rows([path], content=Always(0.5), most=300)}


@pytest.mark.xdist_group("real texts")
@pytest.mark.timeout(300)
class TestSurrounded:
    def test_draws_the_same_surroundings_for_both_sorts(self, texts: RealTexts, surroundings: Rows) -> None:
        rows = texts.surrounded(surroundings, copies=60, seed=2)

        spam, honest = (np.nanmean(rows.features[rows.is_spam == sort, AGE]) for sort in (True, False))
        apart = [
            np.nanmean(surroundings.features[surroundings.is_spam == sort, AGE]) for sort in (True, False)
        ]
        assert abs(spam - honest) < 0.1 * abs(apart[0] - apart[1])

    def test_keeps_its_links_and_lends_some_to_both_sorts(self, texts: RealTexts, surroundings: Rows) -> None:
        bare, rows = texts.bare(), texts.surrounded(surroundings, copies=3, seed=2)

        own = np.tile(bare.features[:, LINKS], 3) > 0
        for column in (LINKS, LENGTH):
            assert rows.features[own, column].tolist() == np.tile(bare.features[:, column], 3)[own].tolist()
        for sort in (True, False):
            assert 0.2 < rows.features[~own & (rows.is_spam == sort), LINKS].mean() < 0.5
        assert rows.content_probabilities.tolist() == np.tile(bare.content_probabilities, 3).tolist()

    def test_gives_links_a_past_and_none_to_texts_without(self, texts: RealTexts, surroundings: Rows) -> None:
        rows = texts.surrounded(surroundings, copies=3, seed=2)

        is_linked = rows.features[:, LINKS] > 0
        assert rows.features[is_linked, DOMAIN_POSTS].any()
        assert not rows.features[~is_linked, DOMAIN_POSTS].any()

    def test_the_same_seed_draws_the_same(self, texts: RealTexts, surroundings: Rows) -> None:
        first, again = (texts.surrounded(surroundings, copies=2, seed=5).features for _ in range(2))

        np.testing.assert_array_equal(first, again)


@pytest.mark.xdist_group("real texts")
@pytest.mark.timeout(300)
class TestAtPrevalence:
    def test_weighs_spam_to_its_share(self, surroundings: Rows) -> None:
        rows = at_prevalence(surroundings, share=0.01)

        assert rows.weights.sum() == pytest.approx(1.0)
        assert rows.weights[rows.is_spam].sum() == pytest.approx(0.01)


@pytest.mark.xdist_group("real texts")
@pytest.mark.timeout(300)
class TestLoad:
    def test_asks_content_about_what_it_did_not_learn(self, texts: RealTexts) -> None:
        written = [float(post.record.text.rsplit(" ", 1)[-1]) for post in texts.posts]

        assert texts.content_probabilities.tolist() == pytest.approx(written)

    def test_reads_what_a_training_that_left_it_out_said_of_what_it_learned(
        self, file: Path, texts: RealTexts, tmp_path: Path
    ) -> None:
        class NotAsked(Said):
            def probabilities(self, texts: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
                assert not texts, "the content model was trained on these texts"
                return np.zeros(0)

        served = [as_read(post.record.text).text for post in texts.posts]
        held_out.write(
            tmp_path / held_out.FILE,
            learned=served,
            texts=served[1:],
            answers=np.linspace(0.1, 0.9, len(served) - 1),
        )

        read = real_texts.load(
            [file],
            split=Split.VALIDATION,
            content=NotAsked(),
            models=NO_MODELS,
            answers=tmp_path / held_out.FILE,
        )

        assert [post.record.external_id for post in read.posts] == [
            post.record.external_id for post in texts.posts[1:]
        ]
        assert read.content_probabilities == pytest.approx(np.linspace(0.1, 0.9, len(served) - 1))


@pytest.mark.xdist_group("new platform")
@pytest.mark.timeout(300)
class TestNewPlatform:
    def test_a_head_learns_what_content_does_not_know(
        self, messenger: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(new_platform, "_PROMISES", {("messenger", 0, "ROC-AUC"): 0.94})

        rows = measured(messenger)

        bare, after = (rows[f"messenger, {when}: ROC-AUC"] for when in ("bare", "after 100 labels"))
        assert (bare.value, bare.verdict, bare.promise) == (0.5, BROKEN, "≥ 0.940")
        assert after.value > 0.9
        assert after.note.startswith("TF-IDF ")
        assert rows["heads that rank below TF-IDF beyond noise"].texts == 6

    def test_counts_heads_that_certainly_rank_below(
        self, messenger: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(new_platform, "_by_head", lambda _, unseen, **__: np.linspace(0, 1, len(unseen)))

        below = measured(messenger)["heads that rank below TF-IDF beyond noise"]

        assert (below.value, below.verdict) == (6, BROKEN)
        assert below.verdict != KEPT
