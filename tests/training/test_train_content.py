"""The training command end to end on a tiny model: it learns, it reports, it can be exported."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.libraries import later, needs
from training import __main__ as command
from training import compare, dataset, fine_tune, held_out
from training.dataset import Example, Split, split_of
from training.evaluate import Floats

# Several trainings and their bootstraps in one test: on a busy machine they need minutes.
pytestmark = [
    pytest.mark.train,
    needs("torch", "transformers"),
    pytest.mark.xdist_group("torch"),
    pytest.mark.timeout(300),
]
transformers = later("transformers")
wide_and_deep = later("training.wide_and_deep")


def test_learns_the_difference_and_reports_it(trained: Path) -> None:
    outcome = json.loads((trained / "metrics.json").read_text())["outcome"]

    (tiny, together) = outcome["models"]["wide_and_deep"]
    assert tiny["source"] == "tiny"
    assert together["rows"] == outcome["parts"]["test"] > 0
    assert tiny["roc_auc"]["value"] > 0.95
    assert set(outcome["models"]) == {"wide_and_deep", "distilbert", "wide", "tfidf_logistic"}
    assert set(outcome["held_out"]) == set(outcome["models"])


def test_what_is_saved_answers_as_measured(trained: Path) -> None:
    """Both halves, their mix and the calibration are in the weights: who serves these serves all of it."""
    outcome = json.loads((trained / "metrics.json").read_text())["outcome"]
    model = wide_and_deep.load(trained)
    tokenizer = transformers.AutoTokenizer.from_pretrained(trained)
    examples = dataset.part(dataset.load([trained / "texts.jsonl"]), split=Split.TEST)

    found = fine_tune.spam_probabilities(model, tokenizer, texts=[example.text for example in examples])

    (tiny, _) = outcome["models"]["wide_and_deep"]
    labels = np.array([example.label for example in examples], dtype=np.float64)
    assert float((found[labels == 1] >= 0.5).mean()) == pytest.approx(tiny["recall"])
    assert compare.calibration_error(labels, found) == pytest.approx(tiny["calibration_error"], abs=1e-4)


def new_texts(folder: Path, *, number: int) -> Path:
    """Write texts of which each stands once, unlike those of `trained`."""
    rows = [
        {"id": f"n{at}", "source": "new", "text": f"free lunch {at}", "label": at % 2, "group": f"n{at}"}
        for at in range(number)
    ]
    data = folder / "new.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return data


def test_trains_a_base_further_and_lets_it_answer_for_what_is_new(trained: Path, tmp_path: Path) -> None:
    data = new_texts(tmp_path, number=40)
    texts = [example.text for example in dataset.part(dataset.load([data]), split=Split.TRAIN)]
    earlier, out = tmp_path / "earlier.npz", tmp_path / "out"
    held_out.write(earlier, learned=texts[:5], texts=texts[:5], answers=np.full(5, 0.25))

    command.main(
        [
            *("content", "--data", str(trained / "texts.jsonl"), str(data), "--without-own-texts"),
            *("--base", str(trained), "--held-out", str(earlier), "--most-per-source", "30"),
            *("--out", str(out), "--epochs", "1", "--threads", "1"),
        ]
    )

    def unknown(asked: list[str]) -> Floats:
        assert not asked
        return np.zeros(0)

    answers = held_out.ask(texts, path=out / held_out.FILE, others=unknown)
    model, tokenizer = wide_and_deep.load(trained), transformers.AutoTokenizer.from_pretrained(trained)
    base = fine_tune.spam_probabilities(model, tokenizer, texts=texts)
    assert answers == pytest.approx([*[0.25] * 5, *base[5:]], abs=1e-6)
    card = (out / "model-card.md").read_text()
    assert "--most-per-source 30" in card
    assert "held-out answers of the training before" in card


def test_refuses_folds_beside_held_out_answers(trained: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="the base has seen every fold"):
        command.main(
            [
                *("content", "--data", str(trained / "texts.jsonl"), "--base", str(trained)),
                *("--held-out", str(trained / held_out.FILE), "--folds", "2", "--out", str(tmp_path)),
            ]
        )


@pytest.mark.parametrize(
    ("epochs", "folds", "reason"), [(1, 1, "0 or at least 2"), (1, -2, "0 or at least 2"), (0, 2, "epochs")]
)
def test_refuses_folds_that_hold_nothing_out(epochs: int, folds: int, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        fine_tune.Recipe(epochs=epochs, folds=folds)


@pytest.mark.long
def test_unseen_asks_each_source_of_a_training_without_it(
    trained: Path, tiny_base: Path, tmp_path: Path
) -> None:
    out = tmp_path / "trained"
    shutil.copytree(trained, out)
    data = tmp_path / "two.jsonl"
    rows = [json.loads(line) for line in (trained / "texts.jsonl").read_text().splitlines()]
    data.write_text(
        "".join(json.dumps({**row, "source": f"s{at % 2}"}) + "\n" for at, row in enumerate(rows))
    )
    options = ("--without-own-texts", "--base", str(tiny_base), "--epochs", "1", "--out", str(out))
    assert "Not measured" in (out / "model-card.md").read_text()

    command.main(["unseen", "--data", str(data), *options])

    measured = json.loads((out / "unseen.json").read_text())
    (first, second, together) = measured["wide_and_deep"]
    assert (first["source"], second["source"]) == ("s0", "s1")
    assert together["rows"] == len(rows) - len(dataset.part(dataset.load([data]), split=Split.TEST))
    (row,) = [
        line
        for line in (out / "model-card.md").read_text().splitlines()
        if line.startswith("| **both halves (shipped)** | s0 | ")
    ]
    assert f"{first['roc_auc']['value']:.3f} (" in row


@pytest.mark.long
def test_unseen_by_folds_writes_what_is_fitted_on_top_of_the_model(tiny_base: Path, tmp_path: Path) -> None:
    data = new_texts(tmp_path, number=120)
    options = ("--without-own-texts", "--base", str(tiny_base), "--epochs", "1", "--out", str(tmp_path))

    command.main(["unseen", "--data", str(data), *options, "--folds", "3", "--most-folds", "1"])

    learned = [one.text for one in dataset.part(dataset.load([data]), split=Split.TRAIN)]
    answers = held_out.ask(learned, path=tmp_path / held_out.FILE, others=lambda _: np.empty(0))
    assert 0 < np.isfinite(answers).sum() < len(learned)
    assert not (tmp_path / "unseen.json").exists()


def test_measures_what_disguise_costs(trained: Path) -> None:
    outcome = json.loads((trained / "metrics.json").read_text())["outcome"]

    by_attack = {one["attack"]: one for one in outcome["robustness"]}

    assert by_attack["none"]["recall"] >= by_attack["none"]["recall_without_normaliser"] - 0.5
    assert by_attack["zero_width"]["recall"] == by_attack["none"]["recall"]


@pytest.mark.long
def test_measures_an_earlier_outcome_without_training_it(trained: Path, tmp_path: Path) -> None:
    data = str(trained / "texts.jsonl")
    options = ("--without-own-texts", "--base", str(trained), "--epochs", "0", "--disguised-share", "0")

    command.main(["content", "--data", data, *options, "--out", str(tmp_path)])

    earlier, again = (json.loads((folder / "metrics.json").read_text()) for folder in (trained, tmp_path))
    assert again["earlier"]["recipe"] == earlier["recipe"]
    assert again["outcome"]["models"]["distilbert"][0]["roc_auc"] == pytest.approx(
        earlier["outcome"]["models"]["distilbert"][0]["roc_auc"], abs=0.05
    )
    card = (tmp_path / "model-card.md").read_text()
    assert "then calibrated and measured as it was" in card
    assert f"learning rate {earlier['recipe']['learning_rate']}" in card


def test_answers_in_the_order_asked(trained: Path) -> None:
    """Batches are grouped by length; answers must not be."""
    model = wide_and_deep.load(trained)
    tokenizer = transformers.AutoTokenizer.from_pretrained(trained)
    texts = [
        "hello friend meet lunch today " * 4,
        "free cash",
        "hello friend",
        "free cash click now win " * 4,
    ]

    together = fine_tune.spam_probabilities(model, tokenizer, texts=texts, batch_size=2)
    alone = [fine_tune.spam_probabilities(model, tokenizer, texts=[text])[0] for text in texts]

    assert together == pytest.approx(np.array(alone), abs=1e-5)
    assert together[[1, 3]].min() > together[[0, 2]].max()


def test_writes_a_card_with_the_measured_figures(trained: Path) -> None:
    metrics = json.loads((trained / "metrics.json").read_text())

    card = (trained / "model-card.md").read_text()

    assert metrics["data"][0]["sha256"][:16] in card
    assert f"{metrics['outcome']['models']['distilbert'][0]['roc_auc']['value']:.3f} (" in card
    assert "$" not in card.replace("$TRITON_URL", "")


def test_weights_make_both_classes_count_the_same() -> None:
    examples = [Example(id="x", source="s", text="t", group="g", label=int(row < 10)) for row in range(40)]

    ham, spam = fine_tune.class_weights(examples)

    assert (ham * 30, spam * 10) == pytest.approx((20, 20))


def test_refuses_to_train_on_one_class() -> None:
    example = Example(id="x", source="s", text="t", group="g", label=1)
    assert split_of(example.group) is Split.TRAIN

    with pytest.raises(ValueError, match="needs both classes"):
        fine_tune.class_weights([example])
