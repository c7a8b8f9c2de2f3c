"""Triton's tokenizer step: the one place between a client's text and the model's tokens."""

from __future__ import annotations

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


class TritonPythonModel:
    """TEXT [n, 1] → input_ids, attention_mask INT32 [n, longest of the request]."""

    def initialize(self, args: dict[str, str]) -> None:
        """Load the tokenizer of this version."""
        path = Path(args["model_repository"], args["model_version"], "tokenizer.json")
        self.tokenizer = Tokenizer.from_file(str(path))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(MAX_TOKENS)

    def execute(self, requests: list[Any]) -> list[Any]:
        """Answer every request by itself: one bad text fails its own request only."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Any) -> Any:
        try:
            rows = pb_utils.get_input_tensor_by_name(request, "TEXT").as_numpy().reshape(-1)
            encodings = self.tokenizer.encode_batch([_text(row) for row in rows])
            ids, mask = _padded([encoding.ids for encoding in encodings])
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


def _padded(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    ids = np.full((len(rows), max(map(len, rows))), PAD, dtype=np.int32)
    mask = np.zeros_like(ids)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = row
        mask[index, : len(row)] = 1
    return ids, mask
