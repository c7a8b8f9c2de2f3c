"""Each half alone beside both: the sum of what they say is what is served."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from scoring.training import __main__ as command
from scoring.training import compare_halves, dataset, export_onnx, fine_tune, platt
from scoring.training.cross_fit import DEEP, WIDE
from scoring.training.dataset import Example
from tests.libraries import later, needs

pytestmark = [
    pytest.mark.train,
    needs("torch", "transformers"),
    pytest.mark.xdist_group("torch"),
    pytest.mark.timeout(300),
]
transformers = later("transformers")
wide_and_deep = later("scoring.training.wide_and_deep")

TEXTS = ["free cash click now win", "hello friend meet lunch today", "free lunch", "call a friend now"]


def test_halves_add_up_to_what_is_served(trained: Path) -> None:
    model = wide_and_deep.load(trained)
    tokenizer = transformers.AutoTokenizer.from_pretrained(trained)
    deep = transformers.AutoModelForSequenceClassification.from_pretrained(trained).eval()

    found = compare_halves.margins(model, tokenizer, texts=TEXTS)

    served = platt.margins(fine_tune.spam_probabilities(model, tokenizer, texts=TEXTS))
    alone = platt.margins(fine_tune.spam_probabilities(deep, tokenizer, texts=TEXTS))
    assert found[DEEP] + found[WIDE] == pytest.approx(served)
    assert found[DEEP] == pytest.approx(float(model.wide.deep) * alone, abs=1e-3)
    assert np.ptp(found[WIDE]) > 0.1


def test_reads_texts_of_all_parts(trained: Path) -> None:
    examples = compare_halves.load([trained / "texts.jsonl"])

    assert len(examples) == len(dataset.load([trained / "texts.jsonl"]))


def test_draws_whole_groups_of_each_source() -> None:
    texts = [
        Example(id=f"{source}-{row}", source=source, text="a", label=row % 2, group=f"g{row % 5}")
        for source in ("sms", "comments")
        for row in range(20)
    ]

    drawn = compare_halves.drawn(texts, groups=2, seed=1)

    for source in ("sms", "comments"):
        found = [one.group for one in drawn if one.source == source]
        assert (len(found), len(set(found))) == (8, 2)
    assert compare_halves.drawn(texts, groups=None, seed=1) == texts


@pytest.mark.long
def test_prints_a_table_for_each_half(
    trained: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is in the train group")
    export_onnx.export(model_folder=trained, repository=tmp_path / "repository")
    texts = tmp_path / "texts.jsonl"
    rows = [json.loads(line) for line in (trained / "texts.jsonl").read_text().splitlines()]
    texts.write_text("".join(json.dumps({**row, "source": "unseen"}) + "\n" for row in rows))

    with caplog.at_level("INFO"):
        command.main(["halves", "--release", str(tmp_path / "repository"), "--data", str(texts)])

    assert "| distilbert alone | both halves |" in caplog.text
    assert "| wide alone | both halves |" in caplog.text
    assert caplog.text.count("| unseen | 160 (80) | PR-AUC |") == 2
