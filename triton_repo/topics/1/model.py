"""Triton's model of topics on CPU: how probably is a text about what some words say, without training for it.

topics.json beside this file says by which of two engines: `embeddings` compares mean-pooled sentence
embeddings of text and hypothesis, `nli` asks a model of natural language inference whether the text entails
the hypothesis. Both read "This text is about …", and both answer probabilities.

The weights are read at the first request: most servers start without a policy in words, and every start
would cost a second of a core and a hundred megabytes.
"""

from __future__ import annotations

import json
import os
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

os.environ["TOKENIZERS_PARALLELISM"] = "false"  # Triton runs requests side by side already

import numpy as np
import triton_python_backend_utils as pb_utils

MAX_TOKENS = 128
# 126 tokens never need more; a megabyte of text must not cost a megabyte of tokenizing.
MAX_CHARACTERS = 20_000
MAX_TOPIC_CHARACTERS = 300
WIDTH_STEP = 16
MAX_ROWS = 32
MAX_PAIRS = 2_048
"""Texts times topics of one request: each pair costs the engine `nli` a run of its model."""
NETWORK = "topics_encoder"  # on a card, the network as a TensorRT plan, of rows of MAX_TOKENS
LARGEST_DIFFERENCE = 0.05  # of its probabilities; beyond, the processor answers
_PROBE = (["Are you ready?", "Win bitcoin and tokens now"], [["anything", "cryptocurrency"]] * 2)
MOST_KEPT = 4_096
"""Embeddings, 6 MB: topics come with every text, and a post comes again with its pages."""


class Refused(ValueError):
    """A request that the model cannot answer; its message goes to the client."""


class Unusable(RuntimeError):
    """A file is missing or not what topics.json says, or the model answers what is no number."""


class TritonPythonModel:
    """TEXT [n, 1], TOPICS [n, m] → PROBABILITIES FP32 [n, m], VECTOR_WEIGHT FP32 [n, 1]: by how much the
    client multiplies the same contrast of the content model's vectors to add it to the log-odds.
    """

    def initialize(self, args: dict[str, str]) -> None:
        """Look at the files of this version. Raises Unusable, which refuses the load."""
        self.folder = Path(args["model_repository"], args["model_version"])
        _told(self.folder)
        self.engine: Any = None
        self.refused: Exception | None = None

    def execute(self, requests: list[Any]) -> list[Any]:
        """Answer every request by itself: one bad text fails its own request only."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Any) -> Any:
        try:
            texts = pb_utils.get_input_tensor_by_name(request, "TEXT").as_numpy().reshape(-1)
            topics = pb_utils.get_input_tensor_by_name(request, "TOPICS").as_numpy()
            found = self._checked(texts, topics)
            weights = np.full((len(texts), 1), self.engine.vector_weight, dtype=np.float32)
        except Exception as error:  # noqa: BLE001 - the edge: an exception here would fail the whole batch
            return pb_utils.InferenceResponse(error=pb_utils.TritonError(f"topics: {error}"))
        return pb_utils.InferenceResponse(
            [
                pb_utils.Tensor("PROBABILITIES", np.ascontiguousarray(found, dtype=np.float32)),
                pb_utils.Tensor("VECTOR_WEIGHT", weights),
            ]
        )

    def _checked(self, texts: np.ndarray, topics: np.ndarray) -> np.ndarray:
        if topics.ndim != 2 or len(topics) != len(texts):
            raise Refused(f"TOPICS {topics.shape} must have a row for each of {len(texts)} texts")
        if not 1 <= topics.size <= MAX_PAIRS:
            raise Refused(f"{topics.size} pairs of text and topic, 1 to {MAX_PAIRS} are allowed")
        wanted = [[_text(topic)[:MAX_TOPIC_CHARACTERS] for topic in row] for row in topics]
        found = self._ready_engine().probabilities([_text(text) for text in texts], wanted)
        if not np.isfinite(found).all():
            raise Refused("the model answered a number that is not finite")
        return found

    def _ready_engine(self) -> Any:
        """Return the engine, at the first request loaded and asked once. Raises Unusable, from then on."""
        if self.refused is not None:
            raise self.refused
        if self.engine is None:
            try:
                self.engine = _engine(self.folder)
            except Unusable as wrong:
                self.refused = wrong
                raise
        return self.engine


class Embeddings:
    """Cosine of the embeddings of text and hypothesis, less that of a hypothesis that says nothing, through a
    logistic curve: what a text has in common with every such sentence says nothing of its topic.
    """

    def __init__(self, encoder: Encoder, told: dict[str, Any]) -> None:
        self.encoder, self.hypothesis = encoder, str(told["hypothesis"])
        self.slope, self.intercept = float(told["slope"]), float(told["intercept"])
        self.vector_weight = float(told["vector_weight"])
        self.nothing = encoder.run([self.hypothesis.format(told["neutral"])])[0]
        self.kept: OrderedDict[bytes, np.ndarray] = OrderedDict()

    def probabilities(self, texts: list[str], topics: list[list[str]]) -> np.ndarray:
        """Answer P(about) of each text and each topic of its row."""
        names = sorted({topic for row in topics for topic in row})
        vectors = self._vectors([*texts, *map(self.hypothesis.format, names)])
        about = dict(zip(names, vectors[len(texts) :], strict=True))
        contrasts = np.array(
            [
                [float(text @ (about[topic] - self.nothing)) for topic in row]
                for text, row in zip(vectors, topics, strict=False)
            ]
        )
        return 1 / (1 + np.exp(-np.clip(self.slope * contrasts + self.intercept, -50, 50)))

    def _vectors(self, texts: list[str]) -> list[np.ndarray]:
        keys = [sha256(text.encode()).digest() for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self.kept}
        if missing:
            rows = self.encoder.run(list(missing.values()))
            if not np.isfinite(rows).all():
                raise Refused("the model answered a number that is not finite")
            # Copies: a row would hold the memory of its whole batch.
            self.kept.update((key, row.copy()) for key, row in zip(missing, rows, strict=True))
        for key in keys:
            self.kept.move_to_end(key)
        found = [self.kept[key] for key in keys]
        while len(self.kept) > MOST_KEPT:
            self.kept.popitem(last=False)
        return found


class Inference:
    """P(entailment) against contradiction alone, as zero-shot classification reads NLI (Yin et al. 2019)."""

    vector_weight = 0.0

    def __init__(self, encoder: Encoder, told: dict[str, Any]) -> None:
        self.encoder, self.hypothesis = encoder, str(told["hypothesis"])
        self.entailment, self.contradiction = int(told["entailment"]), int(told["contradiction"])

    def probabilities(self, texts: list[str], topics: list[list[str]]) -> np.ndarray:
        """Answer P(about) of each text and each topic of its row."""
        pairs = [
            (text, self.hypothesis.format(topic))
            for text, row in zip(texts, topics, strict=True)
            for topic in row
        ]
        logits = self.encoder.run(pairs)
        margin = logits[:, self.entailment] - logits[:, self.contradiction]
        return (1 / (1 + np.exp(-np.clip(margin, -50, 50)))).reshape(len(texts), -1)


class Encoder:
    """Tokenizer and ONNX model: texts, or pairs of them, to the model's row for each.

    Rows of one width run together. A row's width depends on its own length alone, so a text's answer does not
    depend on who shares its batch.
    """

    step = WIDTH_STEP

    def __init__(self, folder: Path, *, pad: int) -> None:
        import openvino  # noqa: PLC0415 - at the first request

        self.tokenizer = _tokenizer(folder / "tokenizer.json")
        model = _model(folder / "model.onnx")
        self.names = {name for tensor in model.inputs for name in tensor.names}
        self.pad = pad
        settings = {
            "PERFORMANCE_HINT": "LATENCY",
            # The answers are compared with thresholds: every processor computes them alike.
            "INFERENCE_PRECISION_HINT": "f32",
            "INFERENCE_NUM_THREADS": len(os.sched_getaffinity(0)),
        }
        self.request = openvino.Core().compile_model(model, "CPU", settings).create_infer_request()

    def run(self, texts: Sequence[str | tuple[str, str]]) -> np.ndarray:
        """Return float32 of shape (n_texts, columns), in their order."""
        encodings = self.tokenizer.encode_batch(list(texts))
        widths = np.array([-(-len(one.ids) // self.step) * self.step for one in encodings])
        found: dict[int, np.ndarray] = {}
        for width in np.unique(widths):
            rows = np.flatnonzero(widths == width)
            for start in range(0, len(rows), MAX_ROWS):
                chosen = rows[start : start + MAX_ROWS]
                inputs = self._padded([encodings[row] for row in chosen], width=int(width))
                found.update(zip(chosen.tolist(), self.answers(inputs), strict=True))
        return np.stack([found[row] for row in range(len(encodings))])

    def answers(self, inputs: dict[str, np.ndarray]) -> np.ndarray:
        """Return the network's rows for one batch."""
        return np.array(next(iter(self.request.infer(inputs).values())))

    def _padded(self, encodings: list[Any], *, width: int) -> dict[str, np.ndarray]:
        every = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
        for one in encodings:
            one.pad(width, pad_id=self.pad)
        rows = {name: [getattr(one, every[name]) for one in encodings] for name in self.names}
        return {name: np.array(rows[name], dtype=np.int32) for name in self.names}


class OnCard(Encoder):
    """The encoder whose network is Triton's model NETWORK, loaded when it is first needed."""

    step = MAX_TOKENS

    def __init__(self, encoder: Encoder) -> None:
        self.tokenizer, self.names, self.pad = encoder.tokenizer, encoder.names, encoder.pad
        pb_utils.load_model(model_name=NETWORK)

    def answers(self, inputs: dict[str, np.ndarray]) -> np.ndarray:
        """Return the network's rows for one batch. Raises Unusable."""
        response = pb_utils.InferenceRequest(
            model_name=NETWORK,
            requested_output_names=["answer"],
            inputs=[pb_utils.Tensor(name, rows) for name, rows in inputs.items()],
            preferred_memory=pb_utils.PreferredMemory(pb_utils.TRITONSERVER_MEMORY_CPU),
        ).exec()
        if response.has_error():
            raise Unusable(f"{NETWORK}: {response.error().message()}")
        return np.array(pb_utils.get_output_tensor_by_name(response, "answer").as_numpy())


_ENGINES = {"embeddings": Embeddings, "nli": Inference}


def _engine(folder: Path) -> Any:
    told = _told(folder)
    try:
        encoder = Encoder(folder, pad=int(told["pad"]))
        engine = _ENGINES[told["engine"]](encoder, told)
    except (ValueError, KeyError, TypeError) as wrong:
        raise Unusable(f"topics: {folder / 'topics.json'} cannot be used: {wrong!r}") from wrong
    found = engine.probabilities(*_PROBE)
    if found.shape != (2, 2) or not np.isfinite(found).all():
        raise Unusable("topics: the model answers what is no probability")
    if (folder.parents[1] / NETWORK).is_dir():
        why = f"{NETWORK} answers otherwise"
        try:
            on_card = type(engine)(OnCard(encoder), told)
            if np.abs(on_card.probabilities(*_PROBE) - found).max() <= LARGEST_DIFFERENCE:
                return on_card
        except Exception as wrong:  # noqa: BLE001 - whatever ails the plan, the processor answers
            why = str(wrong)
        pb_utils.Logger.log_warn(f"topics: the processor answers: {why}")
    return engine


def _told(folder: Path) -> dict[str, Any]:
    for name in ("model.onnx", "tokenizer.json"):
        if not (folder / name).is_file():
            raise Unusable(f"topics: {folder / name} is missing")
    try:
        told: dict[str, Any] = json.loads((folder / "topics.json").read_text(encoding="utf-8"))
        if told["engine"] not in _ENGINES:
            raise Unusable(f"topics: no engine is called {told['engine']!r}")
    except (OSError, ValueError, KeyError, TypeError) as wrong:
        raise Unusable(f"topics: {folder / 'topics.json'} cannot be used: {wrong!r}") from wrong
    return told


def _model(path: Path) -> Any:
    import openvino  # noqa: PLC0415 - at the first request

    try:
        model = openvino.Core().read_model(path)
    except RuntimeError as error:
        raise Unusable(f"topics: {path} is not a model: {error}") from error
    names = {name for tensor in model.inputs for name in tensor.names}
    if not {"input_ids", "attention_mask"} <= names <= {"input_ids", "attention_mask", "token_type_ids"}:
        raise Unusable(f"topics: {path} takes {sorted(names)}")
    return model


def _tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer  # noqa: PLC0415 - at the first request

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise Unusable(f"topics: {path} is not a tokenizer: {error}") from error
    tokenizer.no_padding()
    # Of a pair the longer is cut: neither a long text nor a long topic pushes the other out.
    tokenizer.enable_truncation(MAX_TOKENS, strategy="longest_first")
    return tokenizer


def _text(row: bytes) -> str:
    text = row.decode("utf-8", errors="replace")
    if len(text) <= MAX_CHARACTERS:
        return text
    # Runs of white space hold no tokens: padding must not push the message out of sight.
    return " ".join(text[: 10 * MAX_CHARACTERS].split())[:MAX_CHARACTERS]
