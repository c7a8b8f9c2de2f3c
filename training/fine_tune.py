"""Fine-tuning: a recipe, Hugging Face's Trainer with class weights, and predictions in order."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scoring.ensemble import probabilities_of
from scoring.normalise import LINK
from training import base_model
from training.dataset import Example
from training.evaluate import Floats

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_READ_TOGETHER = 32


@dataclass(frozen=True)
class Recipe:
    """Everything that decides the result besides the data."""

    base: str = base_model.OFFLINE_PACKAGE
    epochs: int = 4
    batch_size: int = 64
    learning_rate: float = 8e-5
    warmup_share: float = 0.1
    weight_decay: float = 0.01
    # Most texts of one published source that DistilBERT learns, drawn; 0: all. The wide half learns all.
    most_per_source: int = 0
    # Share of the train texts that are learned a second time, disguised.
    disguised_share: float = 0.35
    # Weight of the disagreement of two readings under dropout in the loss; 0 reads once, in half the time.
    consistency: float = 1.0
    # Weight of how far a text's vector moves from the base's, 1 - cosine: other heads read it, too.
    likeness: float = 2.0
    # BF16 arithmetic halves the time on a processor with AMX; weights and their updates stay FP32.
    is_bf16: bool = False
    seed: int = 7
    threads: int = 2
    # Further trainings, each without a fold of TRAIN and VALIDATION; 0 calibrates on VALIDATION alone.
    folds: int = 0

    def __post_init__(self) -> None:
        if self.folds < 0 or self.folds == 1:
            raise ValueError(f"folds must be 0 or at least 2, got {self.folds}")
        if self.folds and not self.epochs:
            raise ValueError("folds need epochs: a base that is not trained anew has seen every fold")
        if min(self.consistency, self.likeness) < 0:
            raise ValueError(
                f"consistency and likeness must be at least 0, got {self.consistency:g} and {self.likeness:g}"
            )


def class_weights(examples: Sequence[Example]) -> tuple[float, float]:
    """Weights (ham, spam) that let both classes count the same, by the examples' own weights."""
    spam = sum(example.weight for example in examples if example.label)
    ham = sum(example.weight for example in examples if not example.label)
    if not spam or not ham:
        raise ValueError(f"the train part needs both classes, it holds {spam:g} spam and {ham:g} others")
    return (spam + ham) / (2 * ham), (spam + ham) / (2 * spam)


def fit(
    examples: Sequence[Example], *, recipe: Recipe, weights: tuple[float, float], out: Path
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Fine-tune on examples; return the mean of the weights over the last epoch, and the tokenizer.

    The word embeddings stay the base's, so that a word which no example has keeps its meaning. With no epochs
    the base, trained before, is taken as it is.
    """
    import torch
    from transformers import Trainer, TrainerCallback, set_seed

    torch.set_num_threads(recipe.threads)
    set_seed(recipe.seed)
    model, tokenizer = base_model.load(recipe.base)
    if not recipe.epochs:
        return model, tokenizer
    model.get_input_embeddings().requires_grad_(requires_grad=False)
    rows = _encode(tokenizer, examples, recipe=recipe)
    if recipe.likeness > 0:
        _add_vectors(rows, encoder=model.distilbert, is_bf16=recipe.is_bf16)
    trainer = weighted(Trainer, classes=weights, recipe=recipe)(
        model=model,
        args=_training_arguments(recipe, rows=len(examples), out=out),
        train_dataset=rows,
        data_collator=_collated,
        callbacks=[averaging(TrainerCallback)()],
    )
    trainer.train()
    return trainer.model, tokenizer


def save(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, *, out: Path) -> None:
    """Write weights, configuration and tokenizer into `out`."""
    model.save_pretrained(str(out))
    tokenizer.save_pretrained(str(out))


def averaging(callback: type[Any]) -> type[Any]:
    """Derive a TrainerCallback that ends with the mean of the weights over the steps of the last epoch.

    Weights that still move are each a little off; their mean lies where the loss is flatter.
    (Izmailov et al.: Averaging Weights Leads to Wider Optima and Better Generalization, 2018)
    """
    from torch.optim.swa_utils import AveragedModel

    class Averaging(callback):  # type: ignore[misc]  # transformers is untyped
        def on_train_begin(self, *_: Any, model: Any, **__: Any) -> None:
            self.mean = AveragedModel(model)

        def on_step_end(self, args: Any, state: Any, *_: Any, model: Any, **__: Any) -> None:
            if state.epoch > args.num_train_epochs - 1:
                self.mean.update_parameters(model)

        def on_train_end(self, *_: Any, model: Any, **__: Any) -> None:
            model.load_state_dict(self.mean.module.state_dict())

    return Averaging


def weighted(trainer: type[Any], *, classes: tuple[float, float], recipe: Recipe) -> type[Any]:
    """Derive a Trainer whose loss weighs classes and single texts, two readings that disagree, and a vector
    that leaves the base's.

    A batch holds each text twice, one reading with and one without links (`_encode`), both under dropout. The
    divergence of both answers, times `consistency`, is added to the loss: a model that contradicts itself has
    learned the text, not what makes it spam. (Liang et al.: R-Drop, Regularized Dropout for Neural Networks,
    2021)
    """
    import torch
    from torch.nn import functional

    classes_weights = torch.tensor(classes)

    class Weighted(trainer):  # type: ignore[misc]  # transformers is untyped
        def compute_loss(self, model: Any, inputs: dict[str, Any], *_: Any, **options: Any) -> Any:
            labels, weights, vectors = (inputs.pop(name) for name in ("labels", "weights", "vectors"))
            outputs = model(**inputs, output_hidden_states=recipe.likeness > 0)
            logits = outputs["logits"].float()
            losses = functional.cross_entropy(
                logits, labels, weight=classes_weights.to(labels.device), reduction="none"
            )
            if recipe.consistency > 0:
                losses = losses + recipe.consistency * _divergence(*logits.chunk(2)).repeat(2)
            if recipe.likeness > 0:
                here = vector(outputs["hidden_states"][-1], inputs["attention_mask"])
                losses = losses + recipe.likeness * (1 - (here * vectors).sum(dim=-1))
            loss = (losses * weights).sum() / weights.sum()
            return (loss, outputs) if options.get("return_outputs") else loss

    return Weighted


def vector(states: Any, mask: Any) -> Any:
    """Return the mean of last states [n, tokens, width] where mask [n, tokens] is 1, at length one."""
    from torch.nn import functional

    weights = mask[..., None].to(states.dtype)
    return functional.normalize((states * weights).sum(dim=1) / weights.sum(dim=1), dim=-1)


def _divergence(one: Any, other: Any) -> Any:
    """Kullback-Leibler divergence of two answers, the mean of both directions: logits [n, 2] to [n]."""
    ones, others = one.log_softmax(dim=-1), other.log_softmax(dim=-1)
    return ((ones.exp() - others.exp()) * (ones - others)).sum(dim=-1) / 2


def _training_arguments(recipe: Recipe, *, rows: int, out: Path) -> Any:
    import torch
    from transformers import TrainingArguments

    return TrainingArguments(
        output_dir=str(out / "checkpoints"),
        num_train_epochs=recipe.epochs,
        per_device_train_batch_size=recipe.batch_size,
        learning_rate=recipe.learning_rate,
        weight_decay=recipe.weight_decay,
        warmup_steps=round(recipe.warmup_share * math.ceil(rows / recipe.batch_size) * recipe.epochs),
        # Texts of similar length share a batch, to save padding.
        train_sampling_strategy="group_by_length",
        save_strategy="no",
        logging_steps=20,
        seed=recipe.seed,
        data_seed=recipe.seed,
        use_cpu=not torch.cuda.is_available(),
        bf16=recipe.is_bf16,
        # The loss needs each text's weight, which the model's own arguments do not name.
        remove_unused_columns=False,
        report_to=[],
    )


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


def _encode(
    tokenizer: PreTrainedTokenizerBase, examples: Sequence[Example], *, recipe: Recipe
) -> list[dict[str, Any]]:
    readings = both_readings(tokenizer, [example.text for example in examples], seed=recipe.seed)
    return [
        {
            "input_ids": both[0],  # by whose length Trainer groups
            "readings": both if recipe.consistency > 0 else both[:1],
            "labels": example.label,
            "weights": example.weight,
        }
        for both, example in zip(readings, examples, strict=True)
    ]


def _add_vectors(rows: list[dict[str, Any]], *, encoder: Any, is_bf16: bool) -> None:
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


def _collated(rows: list[dict[str, Any]]) -> dict[str, Any]:
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


def spam_probabilities(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    *,
    texts: Sequence[str],
    batch_size: int = 64,
    is_bf16: bool = False,
) -> Floats:
    """Answer P(spam) of each text in the order given: float64 array of shape (n_texts,).

    Not Trainer.predict: with batches grouped by length it returns another order.
    """
    import torch

    probabilities = np.empty(len(texts), dtype=np.float64)
    by_length = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    model.eval()
    for start in range(0, len(texts), batch_size):
        rows = by_length[start : start + batch_size]
        encoded = tokenizer(
            [texts[row] for row in rows],
            truncation=True,
            max_length=base_model.MAX_TOKENS,
            padding=True,
            return_token_type_ids=False,
            return_tensors="pt",
        ).to(model.device)
        with torch.no_grad(), torch.autocast(model.device.type, dtype=torch.bfloat16, enabled=is_bf16):
            probabilities[rows] = _spam_probability(model(**encoded).logits.float().cpu().numpy())
    return probabilities


def _spam_probability(logits: Any) -> Floats:
    """Softmax of class 1 for two logits: float64 array of shape (n_texts,)."""
    return probabilities_of(np.asarray(logits[:, 1] - logits[:, 0], dtype=np.float64))
