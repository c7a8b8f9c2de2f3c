"""Contributions: they add up whatever comes in, and words keep their places."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.ensemble import Ensemble, content_margins
from scoring.explain import MASK, MAX_WORDS, StackExplainer, _apportioned, word_contributions
from scoring.features import NAMES
from scoring.normalise import LINK
from scoring.trees import Floats

VALUES = st.one_of(
    st.just(float("nan")), st.floats(0, 1), st.integers(0, 20).map(float), st.floats(-1e6, 1e6)
)
VECTORS = st.lists(VALUES, min_size=len(NAMES), max_size=len(NAMES))
PROBABILITIES = st.one_of(st.just(float("nan")), st.floats(0, 1))


@pytest.fixture(scope="module")
def explainer(ensemble: Ensemble) -> StackExplainer:
    return StackExplainer(ensemble)


class TestStackExplainer:
    @given(vector=VECTORS, probability=PROBABILITIES)
    @settings(max_examples=150, deadline=None)
    def test_base_and_contributions_add_up_to_the_main_margin(
        self, ensemble: Ensemble, explainer: StackExplainer, vector: list[float], probability: float
    ) -> None:
        features = np.array([vector])
        judgement = ensemble.judge(features, content_probabilities=np.array([probability]))

        shares = explainer.contributions(features, judgement=judgement)

        assert shares.shape == (1, len(NAMES) + 2)
        assert explainer.base + shares.sum() == pytest.approx(judgement.margins[0], abs=1e-6)

    def test_a_feature_in_no_tree_has_no_share(self, ensemble: Ensemble, explainer: StackExplainer) -> None:
        features = np.random.default_rng(0).normal(size=(20, len(NAMES)))
        judgement = ensemble.judge(features, content_probabilities=np.full(20, 0.5))
        used = {
            forest.inputs[place]
            for forest in ensemble.sub_models.values()
            for tree in forest.trees
            for place in tree.input[tree.input >= 0]
        }
        unused = [place for place, name in enumerate(NAMES) if name not in used]

        shares = explainer.contributions(features, judgement=judgement)

        assert not shares[:, unused].any()

    def test_a_feature_as_of_a_post_about_which_nothing_is_known_has_no_share(
        self, ensemble: Ensemble, explainer: StackExplainer
    ) -> None:
        """So no page says that a journey that was never sent, or silence, speaks for anything."""
        generator = np.random.default_rng(1)
        features = np.random.default_rng(0).normal(scale=5, size=(40, len(NAMES)))
        is_unknown = generator.random(features.shape) < 0.5
        features = np.where(is_unknown, ensemble.reference, features)
        judgement = ensemble.judge(features, content_probabilities=np.full(40, 0.5))

        shares = explainer.contributions(features, judgement=judgement)

        assert np.abs(shares[:, : len(NAMES)][~is_unknown]).max() > 0.01
        assert not shares[:, : len(NAMES)][is_unknown].any()

    def test_the_text_has_its_content_margin(self, ensemble: Ensemble, explainer: StackExplainer) -> None:
        features = np.tile(ensemble.reference, (2, 1))
        judgement = ensemble.judge(features, content_probabilities=np.array([0.05, 0.95]))

        shares = explainer.contributions(features, judgement=judgement)

        assert shares[:, -2] == pytest.approx(content_margins(np.array([0.05, 0.95])))


class TestApportioned:
    @pytest.mark.parametrize(
        ("total", "shares", "expected"),
        [
            (2.0, [1.0, 3.0], [0.5, 1.5]),
            (-2.0, [1.0, 3.0], [-0.5, -1.5]),
            (2.0, [3.0, -1.0], [3.0, -1.0]),
            (2.0, [1.0, -1.0], [1.0, 1.0]),
            (2.0, [1.0, -0.999], [1.0005, 0.9995]),
            (2.0, [0.0, 0.0], [1.0, 1.0]),
            (0.0, [1.0, 2.0], [0.0, 0.0]),
        ],
        ids=["in proportion", "sign kept", "opposed", "cancelled", "nearly", "silent", "nothing"],
    )
    def test_splits(self, total: float, shares: list[float], expected: list[float]) -> None:
        found = _apportioned(np.array([total]), shares=np.array([shares]))

        assert found[0].tolist() == pytest.approx(expected, abs=1e-3)
        assert found.sum() == pytest.approx(total)


def speaks_of_pills(texts: Sequence[str]) -> Floats:
    """A content model: "pills" adds 2 to the log-odds, "cheap" 1, "mother" takes 1 away."""
    margins = [-1 + 2 * ("pills" in text) + ("cheap" in text) - ("mother" in text) for text in texts]
    return np.array([1 / (1 + np.exp(-margin)) for margin in margins])


LONG = [f"word{number}" for number in range(60)]
LONG[7], LONG[31], LONG[50] = "pills", "cheap", "mother"


@pytest.mark.xdist_group("shap")  # it takes seconds to import and to compile
class TestWordContributions:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("  cheap  pills, for mother!", {"cheap": 1, "pills": 2, "for": 0, "mother": -1}),
            ("pills", {"pills": 2}),
            (
                "a p i l l s offer, сhеаp as ever, for m\u200bother",
                dict.fromkeys(("a", "offer", "as", "ever", "for"), 0)
                | {"p i l l s": 2, "сhеаp": 1, "m\u200bother": -1},
            ),
            (" ".join(LONG), dict.fromkeys(LONG, 0) | {"pills": 2, "cheap": 1, "mother": -1}),
        ],
        ids=["in their places", "one", "disguised", "in a long text"],
    )
    def test_name_the_words_as_they_were_written(self, text: str, said: dict[str, float]) -> None:
        found = word_contributions(text, probabilities=speaks_of_pills)

        by_word = {text[one.start : one.end]: one.contribution for one in found}
        assert by_word == pytest.approx(said, abs=1e-6)

    def test_add_up_to_the_difference_from_the_masked_text(self) -> None:
        text = "cheap pills for my mother"

        found = word_contributions(text, probabilities=speaks_of_pills)

        whole, nothing = content_margins(speaks_of_pills([text, MASK]))
        assert sum(one.contribution for one in found) == pytest.approx(whole - nothing, abs=1e-6)

    def test_the_mask_stands_apart_from_its_neighbours(self) -> None:
        asked: list[str] = []

        def heard(texts: Sequence[str]) -> Floats:
            asked.extend(texts)
            return speaks_of_pills(texts)

        *_, link, _ = word_contributions("see http://a.example/ now", probabilities=heard)

        assert f"{MASK} {LINK} {MASK}" in asked or f"see {MASK} now" in asked
        assert not any(f"{MASK}{letter}" in text for text in asked for letter in "[n")
        assert (link.start, link.end) == (4, 21)

    @pytest.mark.parametrize(
        ("text", "units"),
        [
            ("Wow!!! This is not sponsored.", ["Wow", "This", "is", "not sponsored"]),
            ("(not a scam) → free!", ["not a scam", "free"]),
            ("«Ohne Haken», nicht gesponsert", ["Ohne Haken", "nicht gesponsert"]),
            ("je 15 €. Or €9.99-12, 0.1–5 ETH", ["je", "15 €", "Or", "€9.99-12", "0.1–5 ETH"]),
            ("1 200 zł: реклама не нужна", ["1 200 zł", "реклама", "не нужна"]),
            ("मुफ़्त पैसे, अभी। โทรเลย!", ["मुफ़्त", "पैसे", "अभी", "โทรเลย"]),
            ("pills http://a.example/x?y=1 🎉🎉 don't", ["pills", "http://a.example/x?y=1", "🎉🎉", "don't"]),
            ("!!! ... ?", []),
            ("", []),
            ("   ", []),
            ("\n\t", []),
            ("1," * 10_000, ["1"] * MAX_WORDS),
        ],
    )
    def test_are_of_words_prices_and_what_is_denied(self, text: str, units: list[str]) -> None:
        """A mark on "sponsored" in "not sponsored", on "!" or on half a price tells nobody anything."""
        found = word_contributions(text, probabilities=speaks_of_pills)

        assert [text[one.start : one.end] for one in found] == units

    def test_a_word_takes_the_punctuation_beside_it(self) -> None:
        def shouts(texts: Sequence[str]) -> Floats:
            return np.array([0.9 if "!!!" in text else 0.1 for text in texts])

        shares = [one.contribution for one in word_contributions("free pizza!!!", probabilities=shouts)]

        assert shares == pytest.approx([0.0, 2 * math.log(9)], abs=1e-6)

    @pytest.mark.parametrize(
        ("text", "words"),
        [("word " * 1_000 + "pills", MAX_WORDS), ("cheap pills for my dear mother today", 7)],
        ids=["long and cut", "short"],
    )
    def test_ask_a_number_of_times_that_the_words_bound(self, text: str, words: int) -> None:
        asked: list[int] = []

        def counted(texts: Sequence[str]) -> Floats:
            asked.append(len(texts))
            return speaks_of_pills(texts)

        found = word_contributions(text, probabilities=counted)

        assert len(found) == words
        assert sum(asked) <= 2 * words + 2
        assert max(asked) <= 16
