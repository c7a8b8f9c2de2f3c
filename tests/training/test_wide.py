"""The wide half: what it sees, what it learns, how it answers; and both halves in one graph."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.libraries import TORCH, later, needs
from training import export_onnx, onnx_weights, wide

pytest.importorskip("sklearn", reason="scikit-learn is in the train group")


VOCABULARY = 50
CLS, SEP, FREE, CASH, HELLO, FRIEND, DOG = 2, 3, 10, 11, 12, 13, 14


def text(*pieces: int) -> list[int]:
    return [CLS, *pieces, SEP]


def fitted(texts: list[list[int]], labels: list[int], weights: list[float] | None = None) -> wide.Wide:
    return wide.fit(
        texts, labels=labels, weights=weights or [1.0] * len(texts), vocabulary=VOCABULARY, seed=1
    )


@pytest.fixture(scope="module")
def model() -> wide.Wide:
    spam, ham = text(FREE, CASH), text(HELLO, FRIEND)
    return fitted([spam] * 8 + [ham] * 8 + [text(DOG)], [1] * 8 + [0] * 9)


torch = later("torch")
transformers = later("transformers")
wide_and_deep = later("training.wide_and_deep")
PIECES = 18
MIX = wide.Mix(deep=0.7, wide=1.3, intercept=-0.4)


@pytest.fixture(scope="module")
def texts() -> list[list[int]]:
    random = np.random.default_rng(3)
    return [random.integers(1, PIECES, size=length).tolist() for length in (2, 5, 11, 40, 40, 90)]


@pytest.fixture(scope="module")
def wide_half(texts: list[list[int]]) -> wide.Wide:
    return wide.fit(texts * 2, labels=[0, 1, 0, 1, 1, 0] * 2, weights=[1.0] * 12, vocabulary=PIECES, seed=1)


@pytest.fixture(scope="module")
def deep(tiny_base: Path) -> Any:
    return wide_and_deep.load(tiny_base)


@pytest.fixture(scope="module")
def joined(deep: Any, wide_half: wide.Wide) -> Any:
    return wide_and_deep.joined(deep, fitted=wide_half, mix=MIX)


def margin(logits: Any) -> float:
    return float(logits[0, 1] - logits[0, 0])


def expected(deep: Any, wide_half: wide.Wide, text: list[int]) -> float:
    ids = torch.tensor([text])
    with torch.no_grad():
        of_deep = margin(deep(ids, torch.ones_like(ids)).logits)
    return MIX.deep * of_deep + MIX.wide * float(wide_half.margins([text])[0]) + MIX.intercept


def padded(texts: list[list[int]], *, width: int, filler: int) -> tuple[Any, Any]:
    ids = torch.full((len(texts), width), filler, dtype=torch.int32)
    mask = torch.zeros_like(ids)
    for row, text in enumerate(texts):
        ids[row, : len(text)] = torch.tensor(text, dtype=torch.int32)
        mask[row, : len(text)] = 1
    return ids, mask


def test_a_text_counts_by_its_weight() -> None:
    texts, labels = [text(FREE), text(FREE), text(CASH), text(CASH)] * 4, [1, 0, 1, 0] * 4

    doubted = fitted(texts, labels, [0.1, 1.0, 1.0, 1.0] * 4)

    free, cash = doubted.margins([text(FREE), text(CASH)])
    assert free < cash


def test_every_pair_has_a_row_behind_the_pieces() -> None:
    vocabulary = 30_522
    codes = wide.pair_codes(vocabulary).astype(np.int64)

    assert codes.min() >= 0
    assert vocabulary + codes.max() + vocabulary - 1 < wide.rows(vocabulary)


def test_a_mix_adds_log_odds() -> None:
    mix = wide.Mix(deep=0.5, wide=2.0, intercept=-1.0)

    found = mix.probabilities(deep=np.array([4.0]), wide=np.array([1.0]))

    assert found == pytest.approx(1 / (1 + np.exp(-3.0)))


def test_a_mix_can_be_calibrated_and_can_calibrate_first() -> None:
    mix = wide.Mix(deep=0.5, wide=2.0, intercept=-1.0)

    calibrated, after = mix.calibrated((3.0, 0.25)), mix.after((4.0, -2.0))

    assert calibrated == wide.Mix(deep=1.5, wide=6.0, intercept=-2.75)
    assert after == wide.Mix(deep=2.0, wide=2.0, intercept=-2.0)


class TestMargins:
    def test_tells_what_it_learned(self, model: wide.Wide) -> None:
        spam, ham = model.margins([text(FREE, CASH), text(HELLO, FRIEND)])

        assert ham < -1 < 1 < spam

    def test_a_piece_counts_once(self, model: wide.Wide) -> None:
        once, often = model.margins([[FREE, FREE], [FREE] * 40])

        assert often == pytest.approx(once)

    def test_order_is_seen(self, model: wide.Wide) -> None:
        learned, turned = model.margins([text(FREE, CASH), text(CASH, FREE)])

        assert learned > turned > 0

    def test_a_piece_of_one_text_says_nothing(self, model: wide.Wide) -> None:
        nothing, of_one_text = model.margins([[], [DOG]])

        assert model.weights[DOG] == model.squares[DOG] == 0
        assert of_one_text == nothing == pytest.approx(model.bias)

    def test_is_the_sum_over_the_length(self, model: wide.Wide) -> None:
        pair = VOCABULARY + int(wide.pair_codes(VOCABULARY)[FREE]) + CASH
        held = [FREE, CASH, pair]

        (found,) = model.margins([[FREE, CASH]])

        assert found == pytest.approx(
            model.weights[held].sum() / np.sqrt(model.squares[held].sum()) + model.bias
        )


class TestWideAndDeep:
    pytestmark = [*TORCH, needs("torch", "transformers")]

    @pytest.mark.parametrize("filler", [0, 7])
    def test_answers_the_mix_whatever_the_padding(
        self, joined: Any, deep: Any, wide_half: wide.Wide, texts: list[list[int]], filler: int
    ) -> None:
        ids, mask = padded(texts, width=100, filler=filler)

        with torch.no_grad():
            logits = joined(ids, mask).logits

        for row, text in enumerate(texts):
            assert margin(logits[row : row + 1]) == pytest.approx(expected(deep, wide_half, text), abs=1e-5)

    def test_leaves_the_deep_half_as_it_was(self, joined: Any, deep: Any, tmp_path: Path) -> None:
        """A run that continues from an outcome trains what was trained."""
        joined.save_pretrained(tmp_path)

        again = transformers.AutoModelForSequenceClassification.from_pretrained(tmp_path).state_dict()

        assert all(torch.equal(again[name], weights) for name, weights in deep.state_dict().items())

    def test_is_loaded_with_both_halves(self, joined: Any, texts: list[list[int]], tmp_path: Path) -> None:
        joined.save_pretrained(tmp_path)

        loaded = wide_and_deep.load(tmp_path)

        ids, mask = padded(texts, width=90, filler=0)
        with torch.no_grad():
            assert torch.equal(loaded(ids, mask).logits, joined(ids, mask).logits)

    def test_exports_both_halves(
        self, joined: Any, deep: Any, wide_half: wide.Wide, texts: list[list[int]], tmp_path: Path
    ) -> None:
        onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is in the train group")
        full, small = tmp_path / "full.onnx", tmp_path / "small.onnx"

        export_onnx.write_onnx(joined, path=full)
        onnx_weights.store_compactly(source=full, target=small)

        assert export_onnx.largest_difference(joined, path=full) < 1e-5
        session = onnxruntime.InferenceSession(str(small), providers=["CPUExecutionProvider"])
        for text in texts:
            ids = np.array([text], dtype=np.int32)
            (logits,) = session.run(["logits"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})
            assert margin(logits) == pytest.approx(expected(deep, wide_half, text), abs=5e-3)

    @pytest.mark.parametrize("precision", ["f32", pytest.param("bf16", marks=pytest.mark.long)])
    def test_openvino_finds_the_same_rows(
        self,
        joined: Any,
        deep: Any,
        wide_half: wide.Wide,
        texts: list[list[int]],
        tmp_path: Path,
        precision: str,
    ) -> None:
        """Places in a table of 131,000 rows are no numbers to round."""
        openvino = pytest.importorskip("openvino", reason="openvino is in the train group")
        export_onnx.write_onnx(joined, path=tmp_path / "model.onnx")
        request = (
            openvino.Core()
            .compile_model(str(tmp_path / "model.onnx"), "CPU", {"INFERENCE_PRECISION_HINT": precision})
            .create_infer_request()
        )

        for text in texts:
            ids = np.array([text], dtype=np.int32)
            logits = request.infer({"input_ids": ids, "attention_mask": np.ones_like(ids)})["logits"]
            assert margin(logits) == pytest.approx(expected(deep, wide_half, text), abs=0.03)
