"""FP16, as a TensorRT plan computes. Promise: it gives what the release pins and asks for at going live."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scoring import hosting, normalise
from scoring.release import Release
from tests.libraries import later, needs
from tests.scoring.starter import STARTER
from training import half_precision
from training.served_content import SHIPPED

pytestmark = [
    pytest.mark.train,
    needs("onnx", "onnxruntime", "tokenizers"),
    pytest.mark.filterwarnings("ignore"),  # the converter names numbers that it clamps
]
onnxruntime = later("onnxruntime")
tokenizers = later("tokenizers")


def test_the_graph_for_a_gpu_gives_the_answers_that_the_shipped_release_pins(tmp_path: Path) -> None:
    half = tmp_path / "half.onnx"
    half_precision.write(source=SHIPPED / "distilbert" / "1" / "model.onnx", target=half)
    session = onnxruntime.InferenceSession(str(half), providers=["CPUExecutionProvider"])
    tokenizer = tokenizers.Tokenizer.from_file(str(SHIPPED / "tokenizer" / "1" / "tokenizer.json"))
    content = Release.load(STARTER).content

    as_asked = normalise.of_version(normalise.VERSION)
    assert len(content.probes) >= 4
    for probe in content.probes:
        ids = np.array([tokenizer.encode(as_asked(probe.text)).ids], dtype=np.int32)
        ((ham, spam),) = session.run(["logits"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0]
        assert 1 / (1 + np.exp(ham - spam)) == pytest.approx(
            probe.probability, abs=hosting.PROBE_TOLERANCE / 10
        )
