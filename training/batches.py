"""The readings of training texts: tokens with and without a link, the base's vectors, and batches of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from scoring.normalise import LINK
from training import base_model
from training.dataset import Example

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_READ_TOGETHER = 32


def pieces(tokenizer: PreTrainedTokenizerBase, texts: Sequence[str]) -> list[list[int]]:
    """Tokenize texts as they are served: the ids of at most 128 word pieces each, no padding."""
    encoded = tokenizer(list(texts), truncation=True, max_length=base_model.MAX_TOKENS, padding=False)
    return list(encoded["input_ids"])


def with_or_without_link(ids: list[int], *, link: int | None, chance: random.Random) -> list[int]:
    """Return the tokens without their links, or with one put somewhere if they have none.

    Learned beside the text as it is, in both classes: that there is a link says nothing about the text.
    """
    if link is None or len(ids) < 3:
        return ids
    without = [token for token in ids if token != link]
    if len(without) < len(ids):
        return without if len(without) > 2 else ids
    # After the first and before the last token, which are special; most people put links at the end.
    at = chance.choice((1, len(ids) - 1, len(ids) - 1, chance.randrange(1, len(ids))))
    longer = [*ids[:at], link, *ids[at:]]
    return longer if len(longer) <= base_model.MAX_TOKENS else [*longer[: base_model.MAX_TOKENS - 1], ids[-1]]


def both_readings(
    tokenizer: PreTrainedTokenizerBase, texts: Sequence[str], *, seed: int
) -> list[list[list[int]]]:
    """Tokenize texts, and each once more with or without a link."""
    token_id = tokenizer.convert_tokens_to_ids(LINK)
    link = None if token_id is None or token_id == tokenizer.unk_token_id else int(token_id)
    chance = random.Random(seed)  # noqa: S311 - repeatable, nothing secret
    return [[ids, with_or_without_link(ids, link=link, chance=chance)] for ids in pieces(tokenizer, texts)]


def encoded(
    tokenizer: PreTrainedTokenizerBase, examples: Sequence[Example], *, is_read_twice: bool, seed: int
) -> list[dict[str, Any]]:
    """Tokenize examples: one row each, with one reading or two."""
    readings = both_readings(tokenizer, [example.text for example in examples], seed=seed)
    return [
        {
            "input_ids": both[0],  # by whose length Trainer groups
            "readings": both if is_read_twice else both[:1],
            "labels": example.label,
            "weights": example.weight,
        }
        for both, example in zip(readings, examples, strict=True)
    ]


def add_vectors(rows: list[dict[str, Any]], *, encoder: Any, is_bf16: bool) -> None:
    """Add the vectors of each row's readings before training: FP32 [readings, width]."""
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    encoder.to(device).eval()
    by_length = sorted(rows, key=lambda row: len(row["input_ids"]))
    for start in range(0, len(rows), _READ_TOGETHER):
        together = by_length[start : start + _READ_TOGETHER]
        batch = _padded(together)
        with torch.no_grad(), torch.autocast(device, dtype=torch.bfloat16, enabled=is_bf16):
            states = encoder(**{name: values.to(device) for name, values in batch.items()})[0]
        vectors = vector(states.float(), batch["attention_mask"].to(device)).cpu()
        for place, row in enumerate(together):
            row["vectors"] = vectors[place :: len(together)]
    encoder.train()


def _padded(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Pad readings: all first ones, then all second ones."""
    import torch

    count = len(rows[0]["readings"])
    ids = [torch.tensor(row["readings"][place]) for place in range(count) for row in rows]
    return {
        "input_ids": torch.nn.utils.rnn.pad_sequence(ids, batch_first=True),
        "attention_mask": torch.nn.utils.rnn.pad_sequence(
            [torch.ones_like(row) for row in ids], batch_first=True
        ),
    }


def collated(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Pad a batch; labels, weights and vectors are in the order of its readings."""
    import torch

    count = len(rows[0]["readings"])
    batch = {
        **_padded(rows),
        "labels": torch.tensor([row["labels"] for row in rows] * count),
        "weights": torch.tensor([row["weights"] for row in rows] * count),
    }
    vectors = [row["vectors"] for row in rows if "vectors" in row]
    return {**batch, "vectors": torch.stack(vectors, dim=1).flatten(end_dim=1) if vectors else None}


def vector(states: Any, mask: Any) -> Any:
    """Return the mean of last states [n, tokens, width] where mask [n, tokens] is 1, at length one."""
    from torch.nn import functional

    weights = mask[..., None].to(states.dtype)
    return functional.normalize((states * weights).sum(dim=1) / weights.sum(dim=1), dim=-1)
