"""Explanations ask for hundreds of texts at a time; a post that waits for its score goes before them."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import Any

import numpy as np
import tritonclient.grpc

from scoring.content import FIRST, LAST, ContentModel

SCORING, EXPLANATION = (
    1,
    2,
)  # priority levels of triton_repo/*/config.pbtxt; without one a request has the first
EXPLANATIONS = 60


def texts(count: int, *, words: int) -> Any:
    tensor = tritonclient.grpc.InferInput("TEXT", [count, 1], "BYTES")
    tensor.set_data_from_numpy(np.array([["cheap pills now " * words]] * count, dtype=np.object_))
    return tensor


def answered_before_a_score(client: Any, *, priority: int) -> int:
    """Queue many explanations of this priority, then one text without; how many are answered before it."""
    order: queue.Queue[str] = queue.Queue()

    def note(name: str) -> Callable[..., None]:
        return lambda **_: order.put(name)

    for _ in range(EXPLANATIONS):
        client.async_infer("content", [texts(16, words=40)], note("explanation"), priority=priority)
    client.async_infer("content", [texts(1, words=2)], note("score"))
    return [order.get(timeout=60) for _ in range(EXPLANATIONS + 1)].index("score")


def test_a_score_overtakes_explanations(triton_client: Any) -> None:
    in_turn = answered_before_a_score(triton_client, priority=FIRST)
    overtaking = answered_before_a_score(triton_client, priority=LAST)

    assert in_turn > EXPLANATIONS / 2
    # What is being computed is finished first: a batch of 128 texts, and those already on their way.
    assert overtaking < in_turn / 2


def test_priority_does_not_change_a_score(triton_url: str) -> None:
    first, last = (
        ContentModel(url=triton_url, version="1", priority=priority, timeout_seconds=20)
        for priority in (FIRST, LAST)
    )

    assert last.scores(["cheap pills now"]) == first.scores(["cheap pills now"])
