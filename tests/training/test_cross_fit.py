"""Folds: every text is answered once, by a training that saw nothing of its group."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from training import cross_fit
from training.dataset import Example, Provenance, Split
from training.evaluate import Floats
from training.fine_tune import Recipe


@dataclass
class Trained:
    """Remembers the groups that it was trained on, and answers by the text alone."""

    groups: set[str]

    def answers(self, texts: list[str]) -> dict[str, Floats]:
        found = np.array([int(text.removeprefix("text ")) / 1000 for text in texts])
        return dict.fromkeys((cross_fit.DEEP, cross_fit.WIDE, cross_fit.SIMPLE), found)


@pytest.fixture
def examples() -> list[Example]:
    return [
        Example(id=str(row), source="one", text=f"text {row}", label=row % 2, group=f"group {row // 3}")
        for row in range(300)
    ]


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[Split, Sequence[Example]]]:
    asked: list[Mapping[Split, Sequence[Example]]] = []

    def train(parts: Mapping[Split, Sequence[Example]], *, recipe: Recipe, out: Path) -> Any:
        asked.append(parts)
        return Trained({one.group for members in parts.values() for one in members})

    monkeypatch.setattr(cross_fit, "train", train)
    return asked


def test_every_text_is_answered_by_a_training_without_its_group(
    examples: list[Example], trainings: list[Mapping[Split, Sequence[Example]]]
) -> None:
    held = cross_fit.by_folds(examples, recipe=Recipe(folds=4, disguised_share=0.0))

    assert held.answers[cross_fit.DEEP].tolist() == [row / 1000 for row in range(300)]
    assert len(trainings) == 4
    for fold, parts in enumerate(trainings):
        seen = {one.group for members in parts.values() for one in members}
        left_out = {one.group for one, at in zip(examples, held.folds, strict=True) if at == fold}
        assert left_out
        assert not seen & left_out
        assert seen | left_out == {one.group for one in examples}


def test_a_training_stops_on_groups_that_it_does_not_learn(
    examples: list[Example], trainings: list[Mapping[Split, Sequence[Example]]]
) -> None:
    cross_fit.by_folds(examples, recipe=Recipe(folds=2, disguised_share=0.0))

    for parts in trainings:
        train, stop = ({one.group for one in parts[split]} for split in (Split.TRAIN, Split.VALIDATION))
        assert stop
        assert not train & stop


def test_some_of_the_folds_answer_for_their_own_texts_alone(
    examples: list[Example], trainings: list[Mapping[Split, Sequence[Example]]]
) -> None:
    whole = cross_fit.by_folds(examples, recipe=Recipe(folds=4, disguised_share=0.0))

    held = cross_fit.by_folds(examples, recipe=Recipe(folds=4, most_folds=1, disguised_share=0.0))

    assert len(trainings) == 4 + 1
    assert held.examples == whole.only(whole.folds == 0).examples
    assert np.array_equal(held.answers[cross_fit.DEEP], whole.only(whole.folds == 0).answers[cross_fit.DEEP])


def test_every_source_is_answered_by_a_training_without_it(
    examples: list[Example], trainings: list[Mapping[Split, Sequence[Example]]]
) -> None:
    sources = [replace(one, source=f"source {row % 3}") for row, one in enumerate(examples)]

    held = cross_fit.by_sources(sources, recipe=Recipe(disguised_share=0.0))

    assert held.answers[cross_fit.DEEP].tolist() == [row / 1000 for row in range(300)]
    learned = [{one.source for members in parts.values() for one in members} for parts in trainings]
    assert learned == [{"source 1", "source 2"}, {"source 0", "source 2"}, {"source 0", "source 1"}]
    assert [f"source {fold}" for fold in held.folds] == held.sources


def test_refuses_to_ask_a_base_that_is_not_trained_anew(examples: list[Example]) -> None:
    with pytest.raises(ValueError, match="needs epochs"):
        cross_fit.by_sources(examples, recipe=Recipe(epochs=0))


def test_refuses_to_leave_the_only_source_out(examples: list[Example]) -> None:
    with pytest.raises(ValueError, match="needs two sources at least, to leave one out: found one"):
        cross_fit.by_sources(examples, recipe=Recipe())


def test_draws_the_most_of_each_published_source(examples: list[Example]) -> None:
    own = [replace(example, source="desk", provenance=Provenance.CURATED) for example in examples]

    drawn, others = cross_fit.drawn([*examples, *own], recipe=Recipe(most_per_source=50))

    assert sum(example.source == "one" for example in drawn) == 50
    assert sum(example.source == "desk" for example in drawn) == len(own)
    assert sorted(map(repr, [*drawn, *others])) == sorted(map(repr, [*examples, *own]))
