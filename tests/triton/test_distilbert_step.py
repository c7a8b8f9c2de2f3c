"""The DistilBERT step called directly: what it refuses, and that a refusal hits its own request only."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tritonclient.grpc
from numpy.typing import NDArray
from tritonclient.utils import InferenceServerException

Ints = NDArray[np.int32]


def inputs(ids: Ints, mask: Ints) -> list[Any]:
    tensors = []
    for name, rows in (("input_ids", ids), ("attention_mask", mask)):
        tensor = tritonclient.grpc.InferInput(name, list(rows.shape), "INT32")
        tensor.set_data_from_numpy(rows)
        tensors.append(tensor)
    return tensors


def row(*ids: int) -> Ints:
    return np.array([ids], dtype=np.int32)


GOOD = row(101, 7592, 102)


@pytest.mark.parametrize(
    ("ids", "mask", "complaint"),
    [
        (row(101, 99_999_999, 102), row(1, 1, 1), "token id is outside"),
        (row(101, -1, 102), row(1, 1, 1), "token id is outside"),
        (row(101, 102), row(0, 0), "all zero"),
        (row(101, 102), row(1, 1, 1), "must both be"),
        (np.ones((1, 200), dtype=np.int32), np.ones((1, 200), dtype=np.int32), "1 to 128"),
    ],
)
def test_refuses_what_it_cannot_answer(triton_client: Any, ids: Ints, mask: Ints, complaint: str) -> None:
    with pytest.raises(InferenceServerException, match=complaint):
        triton_client.infer("distilbert", inputs(ids, mask))


def test_padding_and_what_stands_in_it_change_nothing(triton_client: Any) -> None:
    plain = triton_client.infer("distilbert", inputs(GOOD, np.ones_like(GOOD))).as_numpy("logits")
    padded = np.full((1, 100), 2023, dtype=np.int32)
    padded[:, :3] = GOOD
    mask = np.zeros_like(padded)
    mask[:, :3] = 1

    found = triton_client.infer("distilbert", inputs(padded, mask)).as_numpy("logits")

    assert found.tolist() == plain.tolist()


def test_one_bad_request_does_not_fail_its_batch(triton_client: Any) -> None:
    """Sent at once: while the first, large request keeps the model busy, the others join in one batch."""
    expected = triton_client.infer("distilbert", inputs(GOOD, np.ones_like(GOOD))).as_numpy("logits").tolist()
    busy = np.full((32, 128), 2023, dtype=np.int32)
    answers: queue.Queue[tuple[int, Any]] = queue.Queue()

    triton_client.async_infer("distilbert", inputs(busy, np.ones_like(busy)), lambda **_: None)
    for index in range(12):
        ids = row(101, 99_999_999, 102) if index == 5 else GOOD
        triton_client.async_infer("distilbert", inputs(ids, np.ones_like(ids)), keep(answers, index=index))

    found = dict(answers.get(timeout=30) for _ in range(12))
    assert "token id is outside" in str(found.pop(5))
    assert [answer.as_numpy("logits").tolist() for answer in found.values()] == [expected] * 11


def keep(answers: queue.Queue[tuple[int, Any]], *, index: int) -> Callable[..., None]:
    def callback(*, result: Any, error: Any) -> None:
        answers.put((index, error or result))

    return callback
