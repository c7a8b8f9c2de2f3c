"""Triton's tokenizer step: the one place between a client's text and the model's tokens."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

os.environ["TOKENIZERS_PARALLELISM"] = "false"  # Triton runs requests side by side already

import numpy as np
import triton_python_backend_utils as pb_utils
from tokenizers import Tokenizer

MAX_TOKENS = 128
# 126 tokens never need more; a megabyte of text must not cost a megabyte of tokenizing.
MAX_CHARACTERS = 20_000
PAD = 0


class Unusable(RuntimeError):
    """tokenizer.json is missing or is no tokenizer."""


class TritonPythonModel:
    """TEXT [n, 1] → input_ids, attention_mask INT32 [n, width of the request]."""

    def initialize(self, args: dict[str, str]) -> None:
        """Load the tokenizer of this version. Raises Unusable, which names the file and refuses the load."""
        path = Path(args["model_repository"], args["model_version"], "tokenizer.json")
        self.tokenizer = _loaded(path)
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(MAX_TOKENS)
        self.widths = _widths(args["model_config"])

    def execute(self, requests: list[Any]) -> list[Any]:
        """Answer every request by itself: one bad text fails its own request only."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Any) -> Any:
        try:
            rows = pb_utils.get_input_tensor_by_name(request, "TEXT").as_numpy().reshape(-1)
            encodings = self.tokenizer.encode_batch([_text(row) for row in rows])
            ids, mask = _padded([encoding.ids for encoding in encodings], widths=self.widths)
        except Exception as error:  # noqa: BLE001 - the edge: an exception here would fail the whole batch
            return pb_utils.InferenceResponse(error=pb_utils.TritonError(f"tokenizer: {error}"))
        return pb_utils.InferenceResponse(
            [pb_utils.Tensor("input_ids", ids), pb_utils.Tensor("attention_mask", mask)]
        )


def _text(row: bytes) -> str:
    text = row.decode("utf-8", errors="replace")
    if len(text) <= MAX_CHARACTERS:
        return text
    # Runs of white space hold no tokens: padding must not push the message out of sight.
    return " ".join(text[: 10 * MAX_CHARACTERS].split())[:MAX_CHARACTERS]


def _padded(rows: list[list[int]], *, widths: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Pad all rows to the first of the widths that holds the longest; without widths, to the longest."""
    longest = max(map(len, rows))
    width = next((width for width in widths if width >= longest), longest)
    ids = np.full((len(rows), width), PAD, dtype=np.int32)
    mask = np.zeros_like(ids)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = row
        mask[index, : len(row)] = 1
    return ids, mask


def _loaded(path: Path) -> Tokenizer:
    if not path.is_file():
        raise Unusable(f"tokenizer: {path} is missing")
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise Unusable(f"tokenizer: {path} is not a tokenizer: {error}") from error


def _widths(config: str) -> tuple[int, ...]:
    """Ascending widths of the parameter WIDTHS; none for "longest"."""
    wanted = json.loads(config).get("parameters", {}).get("WIDTHS", {}).get("string_value", "longest")
    return () if wanted == "longest" else tuple(sorted(map(int, wanted.split())))
