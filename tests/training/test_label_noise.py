"""Labels by rule and label noise. Promise: of decisions turned round, most stand where people look first."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from scoring.ensemble import probabilities_of
from tests.json_lines import written
from training import fit_head, label_noise, labelled_lines, rules
from training.dataset import Example, Malformed, Provenance
from training.fit_head import Decisions
from training.label_noise import Suspicion

# Verdict and probability of spam. Of few spam posts heads are less sure: 0.4 is much for one of them.
ROWS = (
    (True, 0.70),
    (True, 0.40),
    (True, 0.02),
    (False, 0.05),
    (False, 0.10),
    (False, 0.97),
    (False, 0.55),
    (False, 0.04),
    (False, 0.03),
)


def columns() -> dict[str, np.ndarray]:
    return {
        "is_spam": np.array([row[0] for row in ROWS]),
        "spam_probability": np.array([row[1] for row in ROWS]),
    }


class TestNoise:
    def test_suspects_what_the_other_class_is_confident_of_the_worst_first(self) -> None:
        assert label_noise.suspected(**columns()).tolist()[:2] == [5, 2]

    def test_asks_less_of_the_class_that_heads_are_less_sure_of(self) -> None:
        quality = label_noise.quality(**columns())

        assert quality[6] < quality[1]
        assert quality[[2, 5, 6]].max() < np.delete(quality, [2, 5, 6]).min()

    @pytest.mark.parametrize("verdict", [True, False])
    def test_suspects_nothing_of_one_class(self, verdict: bool) -> None:
        one_class = {"is_spam": np.array([verdict] * 3), "spam_probability": np.array([0.1, 0.5, 0.9])}

        assert not len(label_noise.suspected(**one_class))
        assert label_noise.quality(**one_class).tolist() == [1.0, 1.0, 1.0]

    def test_writes_lines_without_words(self, tmp_path: Path) -> None:
        path = tmp_path / "suspicious.jsonl"

        label_noise.write([Suspicion(platform="a", post="p", is_spam=True, quality=0.1)], path=path)

        assert [json.loads(line) for line in path.read_text().splitlines()] == [
            {"platform": "a", "post": "p", "is_spam": True, "quality": 0.1}
        ]

    def test_finds_most_of_the_labels_turned_round_in_the_shipped_texts(self) -> None:
        texts = Path(fit_head.__file__).with_name("starter_texts.jsonl")
        rows = [line.stored for line in labelled_lines.lines(texts)]
        random = np.random.default_rng(1)
        truth = np.array([row["label"] == 1 for row in rows])
        turned = np.zeros(len(rows), dtype=bool)
        turned[random.choice(len(rows), len(rows) // 10, replace=False)] = True

        decisions = Decisions(
            grams=fit_head.grams_matrix([row["text"] for row in rows]),
            vectors=np.zeros((len(rows), 0)),
            content_margins=np.zeros(len(rows)),
            is_spam=truth ^ turned,
            weights=np.ones(len(rows)),
            groups=np.array([str(row["group"]) for row in rows]),
            is_reported=np.zeros(len(rows), dtype=bool),
        )

        said = probabilities_of(fit_head.left_out_margins(decisions))
        quality = label_noise.quality(is_spam=truth ^ turned, spam_probability=said)

        first = np.argsort(quality)[: round(0.15 * len(rows))]
        assert turned[first].sum() / turned.sum() > 0.5


class TestRules:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("You have won a £1000 cash prize, claim before Friday", 1),
            ("Y o u h a v e won a cash pr1ze, claim it at once", 1),
            ("FREE entry: txt WIN to 80086", 1),
            ("Please subscribe to my channel", 1),
            ("Airdrop is live: https://drop.example/claim", 1),
            ("see you later then", 0),
            ("ok miss you lots, sleep well and call when you are up in the morning please", 0),
            ("The committee published its report on transport in the northern provinces, 214 pages", None),
        ],
    )
    def test_says(self, text: str, expected: int | None) -> None:
        assert rules.label(text) == expected

    def test_is_silent_when_rules_disagree(self) -> None:
        assert rules.label("miss you! check out my new video") is None

    def test_labels_the_texts_of_a_file_that_it_is_sure_of(self, tmp_path: Path) -> None:
        texts = [
            "Please subscribe to my channel",
            "The committee published 214 pages on transport",
            "see you",
        ]
        path = written(tmp_path / "crawl.jsonl", ({"text": text} for text in texts))
        path.write_text(path.read_text() + "\n")

        spam, ham = rules.load(path)

        assert (spam.label, ham.label) == (1, 0)
        assert spam.provenance is ham.provenance is Provenance.RULE
        assert spam.source == "crawl"

    def test_near_duplicates_share_a_group(self, tmp_path: Path) -> None:
        text = (
            "Congratulations Ann, you have been selected to receive a cash reward, claim it on our page today"
        )
        path = written(tmp_path / "crawl.jsonl", [{"text": text}] * 2)

        first, second = rules.load(path)

        assert first.group == second.group

    @pytest.mark.parametrize("line", ["[]", "{}", "nonsense", '{"text": 1}', "3"])
    def test_names_the_line_that_cannot_be_used(self, tmp_path: Path, line: str) -> None:
        path = tmp_path / "crawl.jsonl"
        path.write_text('{"text": "see you"}\n' + line + "\n")

        with pytest.raises(Malformed, match=r"crawl\.jsonl, line 2"):
            rules.load(path)

    def test_measures_each_rule_on_labelled_texts(self) -> None:
        texts = {
            "Please subscribe to my channel": 1,
            "subscribe to me": 0,
            "nothing to see in these 214 pages": 0,
        }
        examples = [
            Example(id=text, source="s", text=text, label=label, group=text) for text, label in texts.items()
        ]

        (found,) = [one for one in rules.measure(examples) if one.rule == "subscribe_to_me"]

        assert (found.labelled, found.right) == (2, 0.5)
