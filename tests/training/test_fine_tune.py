"""The loss counts classes and texts by their weights and two readings that disagree; the weights' mean."""

import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import entropy

from tests.libraries import later, needs
from training import batches, fine_tune

pytestmark = [pytest.mark.train, needs("torch"), pytest.mark.xdist_group("torch"), pytest.mark.timeout(300)]
torch = later("torch")

CLASSES = (0.5, 2.0)
# Two texts, the second spam and three times as heavy, read twice: the readings differ.
LABELS, WEIGHTS = (0, 1), (1.0, 3.0)
FIRST, SECOND = [[1.0, -1.0], [0.0, 2.0]], [[0.5, 0.5], [1.0, 0.0]]


def reading(logits: list[list[float]]) -> Any:
    """A model that answers with the logits that it was given, as many as it is asked for."""

    class Reader(torch.nn.Module):  # type: ignore[misc, name-defined] # torch has no types here
        def __init__(self) -> None:
            super().__init__()
            self.logits = torch.tensor(logits)
            self.texts_read = 0

        def forward(self, input_ids: Any, **_: Any) -> dict[str, Any]:
            self.texts_read += len(input_ids)
            states = torch.tensor([0.0, 3.0]).expand(len(input_ids), 3, 2)
            return {"logits": self.logits[: len(input_ids)], "hidden_states": [states]}

    return Reader()


def loss(reader: Any, *, consistency: float, likeness: float = 0.0) -> float:
    recipe = fine_tune.Recipe(consistency=consistency, likeness=likeness)
    trainer = fine_tune.weighted(object, classes=CLASSES, recipe=recipe)()
    count = 2 if consistency else 1
    batch = {
        "input_ids": torch.zeros(2 * count, 3),
        "attention_mask": torch.ones(2 * count, 3),
        "labels": torch.tensor(LABELS * count),
        "weights": torch.tensor(WEIGHTS * count),
        # The base's point half way between the two axes.
        "vectors": torch.full((2 * count, 2), np.sqrt(0.5)),
    }
    return float(trainer.compute_loss(reader, batch))


def answers(logits: list[list[float]]) -> Any:
    powers = np.exp(logits)
    return powers / powers.sum(axis=1, keepdims=True)


def cross_entropy(logits: list[list[float]]) -> float:
    """The mean over both texts, each by its weight, its loss times its class's."""
    losses = [
        -CLASSES[label] * np.log(found[label]) for found, label in zip(answers(logits), LABELS, strict=True)
    ]
    return float(np.average(losses, weights=WEIGHTS))


def test_readings_that_disagree_cost_their_divergence() -> None:
    reader = reading(FIRST + SECOND)
    one, other = answers(FIRST), answers(SECOND)
    apart = (entropy(one, other, axis=1) + entropy(other, one, axis=1)) / 2

    found = loss(reader.train(), consistency=2.0)

    wrong = (cross_entropy(FIRST) + cross_entropy(SECOND)) / 2
    assert found == pytest.approx(wrong + 2.0 * np.average(apart, weights=WEIGHTS))
    assert reader.texts_read == 4


def test_readings_that_agree_cost_no_more_than_one() -> None:
    assert loss(reading(FIRST + FIRST).train(), consistency=2.0) == pytest.approx(cross_entropy(FIRST))


def test_a_text_is_read_once_without_consistency() -> None:
    once = reading(FIRST + SECOND).train()

    assert loss(once, consistency=0.0) == pytest.approx(cross_entropy(FIRST))
    assert once.texts_read == 2


def test_a_vector_that_leaves_the_base_s_costs_how_far() -> None:
    cosine = 3.0 / (3.0 * np.sqrt(2.0))

    found = loss(reading(FIRST).train(), consistency=0.0, likeness=2.0)

    assert found == pytest.approx(cross_entropy(FIRST) + 2.0 * (1.0 - cosine))


def test_refuses_to_reward_disagreement() -> None:
    with pytest.raises(ValueError, match="consistency and likeness must be at least 0, got -1"):
        fine_tune.Recipe(consistency=-1.0)


@pytest.mark.parametrize(
    ("ids", "other"), [([1, 8, 4, 9, 2], {(1, 8, 9, 2)}), ([1, 8, 2], {(1, 4, 8, 2), (1, 8, 4, 2)})]
)
def test_the_second_reading_differs_by_a_link_alone(ids: list[int], other: set[tuple[int, ...]]) -> None:
    found = {
        tuple(batches.with_or_without_link(ids, link=4, chance=random.Random(seed))) for seed in range(20)
    }

    assert found == other


def test_ends_with_the_mean_of_the_last_epoch() -> None:
    model = torch.nn.Linear(1, 1)
    callback = fine_tune.averaging(object)()
    arguments = SimpleNamespace(num_train_epochs=2)

    callback.on_train_begin(arguments, None, None, model=model)
    for epoch, weight in ((0.5, 100.0), (1.0, 50.0), (1.5, 3.0), (2.0, 5.0)):
        torch.nn.init.constant_(model.weight, weight)
        callback.on_step_end(arguments, SimpleNamespace(epoch=epoch), None, model=model)
    callback.on_train_end(arguments, None, None, model=model)

    assert model.weight.item() == pytest.approx(4.0)
