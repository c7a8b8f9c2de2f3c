"""Content model and encoder of topics as TensorRT builds them: in FP16, not as the committed files are.

TensorRT 8.6 refuses the content model's (`wide_and_deep.PaddedWideHalf`); later versions were not tried.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from scoring import normalise
from training import export_onnx, model_configs, onnx_weights, plan_recipe, served_content, served_weights
from training.model_configs import MAX_TOKENS
from training.plan_recipe import GRAPH, TEXTS, TOPICS, Answers, Inputs, Network, Profile

MAX_DIFFERENCE = 1e-4  # logits, between this form and the model it is made of, both in FP32


def write(*, repository: Path, folder: Path) -> None:
    """Write graph and recipe of an exported model into a version folder. Raises served_weights.Unreadable."""
    source = repository / served_weights.MODEL_FILE
    write_graph(source=source, target=folder / GRAPH)
    inputs = tokenised(served_content.PROBES, tokenizer=repository / served_weights.TOKENIZER_FILE)
    answers = Answers(asked=inputs, probabilities=_probabilities(source, asked=inputs))
    plan_recipe.write(folder, network=TEXTS, profile=Profile(), answers=answers)


def write_encoder(*, source: Path, folder: Path) -> None:
    """Write graph, recipe and configuration of a topics model's ONNX file into a model's folder."""
    import onnxruntime

    (folder / "1").mkdir(parents=True, exist_ok=True)
    onnx_weights.write_half(source=source, target=folder / "1" / GRAPH)
    session = onnxruntime.InferenceSession(str(source), providers=["CPUExecutionProvider"])
    inputs = tuple(tensor.name for tensor in session.get_inputs())
    [row] = session.run(None, dict.fromkeys(inputs, np.ones((1, 1), dtype=np.int32)))[0]
    text = model_configs.encoder_text(TOPICS, inputs=inputs, width=len(row))
    (folder / "config.pbtxt").write_text(text, encoding="utf-8")
    network = Network(name=TOPICS, inputs=inputs, row=(MAX_TOKENS,))
    plan_recipe.write(folder / "1", network=network, profile=Profile())


def write_graph(*, source: Path, target: Path) -> None:
    """Write an exported float file in TensorRT's form and in FP16. Raises served_weights.Unreadable."""
    if not served_weights.has_wide_half(source):  # then its form is DistilBERT's
        onnx_weights.write_half(source=source, target=target)
        return
    from training import wide_and_deep

    model = wide_and_deep.for_tensorrt(served_weights.read(source))
    with tempfile.TemporaryDirectory() as scratch:
        full = Path(scratch, GRAPH)
        export_onnx.write_onnx(model, path=full)
        difference = export_onnx.largest_difference(model, path=full)
        if not difference <= MAX_DIFFERENCE:
            raise served_weights.Unreadable(
                f"{source}: a logit differs by {difference:.2g} in TensorRT's form"
            )
        onnx_weights.write_half(source=full, target=target)


def tokenised(texts: Sequence[str], *, tokenizer: Path) -> Inputs:
    """Return the server's tokens: normalised first, as the product asks, padded to 128."""
    from tokenizers import Tokenizer

    reader = Tokenizer.from_file(str(tokenizer))
    reader.no_padding()
    reader.enable_truncation(MAX_TOKENS)
    as_asked = normalise.of_version(normalise.VERSION)
    ids = np.zeros((len(texts), MAX_TOKENS), dtype=np.int32)
    mask = np.zeros_like(ids)
    for row, encoding in enumerate(reader.encode_batch([as_asked(text) for text in texts])):
        ids[row, : len(encoding.ids)] = encoding.ids
        mask[row, : len(encoding.ids)] = 1
    return {"input_ids": ids, "attention_mask": mask}


def _probabilities(source: Path, *, asked: Inputs) -> list[float]:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(source), providers=["CPUExecutionProvider"])
    logits = np.asarray(session.run(["logits"], dict(asked))[0], dtype=np.float64)
    probabilities: list[float] = (1 / (1 + np.exp(logits[:, 0] - logits[:, 1]))).tolist()
    return probabilities
