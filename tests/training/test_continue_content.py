"""The live model trained further on a platform's labels: it learns them, and says what it forgot."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests import json_lines
from tests.libraries import TORCH, later, needs
from training import __main__ as command
from training import continue_content, dataset, evaluate, export_onnx, fine_tune, paired, served_weights
from training.dataset import Example, Split, split_of
from training.evaluate import Floats

pytestmark = [*TORCH, needs("torch", "onnxruntime")]
torch = later("torch")
wide_and_deep = later("training.wide_and_deep")


@pytest.fixture(scope="module")
def live(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model repository as it is served."""
    folder = tmp_path_factory.mktemp("live")
    export_onnx.export(model_folder=trained, repository=folder)
    return folder


def written(path: Path, *, spam: str, ham: str, count: int) -> Path:
    rows = [
        {
            "id": f"{label}-{number}",
            "source": "messenger",
            "text": " ".join([text] * (1 + number % 3)),
            "label": label,
            "group": f"messenger-{label}-{number}",
        }
        for label, text in ((1, spam), (0, ham))
        for number in range(count)
    ]
    return json_lines.written(path, rows)


def train(live: Path, *, labels: Path, replay: Path, out: Path) -> None:
    command.main(
        [
            *("content", "--from-live", str(live), "--data", str(labels), "--replay", str(replay)),
            *("--without-own-texts", "--out", str(out), "--threads", "1"),
            *("--learning-rate", "3e-3", "--epochs", "4", "--batch-size", "8"),
        ]
    )


def changed(out: Path) -> dict[tuple[str, str], dict[str, float]]:
    report = json.loads((out / "continued.json").read_text())
    return {(one["source"], one["metric"]): one for one in report["changes"]}


def unlearned(live: Path) -> Any:
    """The live deep half with every verdict the other way round, and a wide half that says nothing."""
    model, _ = served_weights.load(live, models=live)
    with torch.no_grad():
        for weights in model.classifier.parameters():
            weights.neg_()
        for weights in (model.wide.weights, model.wide.bias):
            weights.zero_()
    return model


@pytest.mark.parametrize(("shares", "chosen"), [((1.0, 0.8, 0.6, 0.4, 0.2), 0.4), ((1.0, 0.8), 0.8)])
def test_averages_with_the_live_weights_until_nothing_is_forgotten(
    live: Path, trained: Path, monkeypatch: pytest.MonkeyPatch, shares: tuple[float, ...], chosen: float
) -> None:
    """More than a half of the reversed weights reverse verdicts, less than a half of them none."""
    monkeypatch.setattr(continue_content, "SHARES", shares)
    monkeypatch.setattr(continue_content, "ENOUGH_TEXTS", 10)
    monkeypatch.delitem(evaluate.METRICS, "F1")  # this training has no calibration
    model, tokenizer = served_weights.load(live, models=live)
    known = dataset.read_as_served(dataset.load([trained / "texts.jsonl"]))

    def answer(asked: Any, texts: Sequence[Example]) -> Floats:
        return fine_tune.spam_probabilities(asked, tokenizer, texts=[text.text for text in texts])

    share, mean = continue_content.averaged(model, unlearned(live), answer=answer, known=known)

    assert share == chosen
    expected = (1 - 2 * chosen) * model.classifier.weight
    assert torch.allclose(mean.classifier.weight, expected, atol=1e-6)


def test_writes_the_average_and_its_share(
    live: Path, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A training that forgets everything: only the average keeps the command from ending with an error."""
    monkeypatch.setattr(continue_content, "ENOUGH_TEXTS", 10)
    monkeypatch.delitem(evaluate.METRICS, "F1")  # this training has no calibration
    monkeypatch.setattr(continue_content, "_trained", lambda *_, **__: unlearned(live))
    labels = written(tmp_path / "labels.jsonl", spam="call a call", ham="the now the", count=60)

    train(live, labels=labels, replay=trained / "texts.jsonl", out=tmp_path / "out")

    assert json.loads((tmp_path / "out" / "continued.json").read_text())["share"] == 0.4
    tiny = changed(tmp_path / "out")["tiny", "ROC-AUC"]
    assert tiny["after"] == tiny["before"] > 0.9
    model, _ = served_weights.load(live, models=live)
    kept = wide_and_deep.load(tmp_path / "out")
    assert torch.allclose(kept.classifier.weight, 0.2 * model.classifier.weight, atol=1e-6)
    assert not kept.wide.weights.any()


def test_learns_the_platform_and_keeps_what_it_knew(live: Path, trained: Path, tmp_path: Path) -> None:
    labels = written(tmp_path / "labels.jsonl", spam="call a call", ham="the now the", count=60)

    train(live, labels=labels, replay=trained / "texts.jsonl", out=tmp_path / "out")

    found = changed(tmp_path / "out")
    assert found["messenger", "ROC-AUC"]["after"] > 0.95
    assert found["tiny", "ROC-AUC"]["after"] >= found["tiny", "ROC-AUC"]["before"] > 0.95
    assert export_onnx.export(model_folder=tmp_path / "out", repository=tmp_path / "repository")["bytes"]
    assert not (tmp_path / "out" / "before").exists()
    with pytest.raises(SystemExit, match=r"--card: .*metrics\.json is not there; .* in its continued\.json"):
        command.main(
            [
                *("export", "--model", str(tmp_path / "out"), "--repository", str(tmp_path / "other")),
                *("--card", str(tmp_path / "card.md")),
            ]
        )
    assert not (tmp_path / "other").exists()


def test_ends_with_an_error_that_names_what_was_forgotten(
    live: Path, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(continue_content, "ENOUGH_TEXTS", 10)
    # Whatever the model does is a loss, and certain.
    monkeypatch.setattr(continue_content, "LARGEST_LOSS", -2.0)
    monkeypatch.setattr(continue_content, "CERTAIN_BELOW", 2.0)
    labels = written(tmp_path / "labels.jsonl", spam="call a call", ham="the now the", count=60)

    with pytest.raises(SystemExit, match=r"was lost on tiny: ROC-AUC .*; tiny: F1 "):
        train(live, labels=labels, replay=trained / "texts.jsonl", out=tmp_path / "out")

    assert (tmp_path / "out" / "model.safetensors").is_file()
    assert changed(tmp_path / "out")["messenger", "F1"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((), "--from-live needs --replay"),
        (("--replay", "TEXTS", "--base", "anything"), "--base is not for --from-live"),
        (("--replay", "TEXTS", "--folds", "2"), "--folds is not for --from-live"),
    ],
)
def test_refuses_options_that_do_not_go_together(
    live: Path, trained: Path, tmp_path: Path, options: tuple[str, ...], reason: str
) -> None:
    texts = str(trained / "texts.jsonl")
    given = [texts if option == "TEXTS" else option for option in options]

    with pytest.raises(SystemExit, match=reason):
        command.main(["content", "--from-live", str(live), "--data", texts, "--out", str(tmp_path), *given])


def test_refuses_labels_of_one_sort(live: Path, trained: Path, tmp_path: Path) -> None:
    """Or the model would learn that all of this platform is spam."""
    labels = written(tmp_path / "labels.jsonl", spam="call a call", ham="the now the", count=7)

    with pytest.raises(SystemExit, match="7 labels are spam and 7 are not; at least 8 of each sort"):
        train(live, labels=labels, replay=trained / "texts.jsonl", out=tmp_path / "out")


def example(source: str, label: int, number: int) -> Example:
    name = f"{source}-{label}-{number}"
    return Example(id=name, source=source, text="a", label=label, group=name)


def test_replays_every_source_alike_with_its_own_share_of_spam() -> None:
    texts = [
        example(source, label, number)
        for source, label, count in (
            ("sms", 0, 900),
            ("sms", 1, 100),
            ("comments", 0, 60),
            ("comments", 1, 40),
        )
        for number in range(count)
    ]

    drawn = continue_content.replayed(texts, count=300, seed=1)

    assert Counter(one.source for one in drawn) == {"comments": 100, "sms": 200}
    assert sum(one.label for one in drawn if one.source == "sms") == pytest.approx(20, abs=8)
    assert len({one.id for one in drawn}) == 300
    assert continue_content.replayed(texts, count=10_000, seed=1) == texts


@pytest.mark.parametrize(
    ("texts", "after", "high", "is_kept"),
    [(100, 0.905, -0.001, True), (100, 0.885, -0.001, False), (100, 0.885, 0.0, True), (99, 0.5, -0.3, True)],
)
def test_a_point_may_be_lost_and_what_is_not_certain_is_told(
    texts: int, after: float, high: float, is_kept: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Of 78 spam texts one alone is a point: a loss is one where its whole interval says so."""
    change = paired.Change(
        source="sms", texts=texts, spam=40, metric="F1", before=0.9, after=after, low=-1.0, high=high
    )

    if is_kept:
        continue_content.check_kept([change])
    else:
        with pytest.raises(continue_content.Forgotten, match=r"sms: F1 0\.900 → 0\.885"):
            continue_content.check_kept([change])
    assert ("perhaps lost" in caplog.text) is (high == 0.0)


def test_parts_are_those_of_all_trainings() -> None:
    labels = [example("desk messenger", number % 2, number) for number in range(50)]
    texts = continue_content.Texts(labels=labels, replay=[])

    assert all(split_of(one.group) is Split.TEST for one in texts.of(Split.TEST))
    assert sum(len(texts.of(split)) for split in Split) == 50
