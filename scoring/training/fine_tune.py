"""Fine-tuning: a recipe, Hugging Face's Trainer with class weights, and predictions in order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scoring.training import base_model, evaluate
from scoring.training.dataset import Example, Split
from scoring.training.evaluate import Floats

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


@dataclass(frozen=True)
class Recipe:
    """Everything that decides the result besides the data."""

    base: str = base_model.OFFLINE_PACKAGE
    epochs: int = 4
    batch_size: int = 32
    learning_rate: float = 1e-4
    warmup_share: float = 0.1
    weight_decay: float = 0.01
    patience: int = 2
    # Share of the train texts that are learned a second time, disguised.
    disguised_share: float = 0.35
    # Weight of the disagreement of two readings under dropout in the loss; 0 reads once, in half the time.
    consistency: float = 0.0
    # The mean of the weights over the last epoch, in place of those that did best on VALIDATION.
    is_averaged: bool = False
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
        if self.consistency < 0:
            raise ValueError(f"consistency must be at least 0, got {self.consistency:g}")


def class_weights(examples: Sequence[Example]) -> tuple[float, float]:
    """Weights (ham, spam) that let both classes count the same, by the examples' own weights."""
    spam = sum(example.weight for example in examples if example.label)
    ham = sum(example.weight for example in examples if not example.label)
    if not spam or not ham:
        raise ValueError(f"the train part needs both classes, it holds {spam:g} spam and {ham:g} others")
    return (spam + ham) / (2 * ham), (spam + ham) / (2 * spam)


def fit(
    parts: Mapping[Split, Sequence[Example]], *, recipe: Recipe, weights: tuple[float, float], out: Path
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Fine-tune on TRAIN, stop early on VALIDATION PR-AUC, return the best weights and the tokenizer.

    Averaged, every epoch is run and the mean over the last one returned. Checkpoints go into `out`. With no
    epochs the base, trained before, is taken as it is.
    """
    import torch
    from transformers import (
        DataCollatorWithPadding,
        EarlyStoppingCallback,
        Trainer,
        TrainerCallback,
        set_seed,
    )

    torch.set_num_threads(recipe.threads)
    set_seed(recipe.seed)
    model, tokenizer = base_model.load(recipe.base)
    if not recipe.epochs:
        return model, tokenizer
    trainer = weighted(Trainer, classes=weights, consistency=recipe.consistency)(
        model=model,
        args=_training_arguments(recipe, rows=len(parts[Split.TRAIN]), out=out),
        train_dataset=_encode(tokenizer, parts[Split.TRAIN]),
        # Grouped by length, so that a batch has little padding.
        eval_dataset=_encode(tokenizer, sorted(parts[Split.VALIDATION], key=lambda one: len(one.text))),
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=_validation_metrics,
        callbacks=[
            averaging(TrainerCallback)()
            if recipe.is_averaged
            else EarlyStoppingCallback(early_stopping_patience=recipe.patience)
        ],
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


def weighted(trainer: type[Any], *, classes: tuple[float, float], consistency: float) -> type[Any]:
    """Derive a Trainer whose loss weighs classes and single texts, and two readings that disagree.

    Each text of a batch is read twice under dropout. The divergence of both answers, times `consistency`,
    is added to the loss: a model that contradicts itself has learned the text, not what makes it spam.
    (Liang et al.: R-Drop, Regularized Dropout for Neural Networks, 2021)
    """
    import torch

    class Weighted(trainer):  # type: ignore[misc]  # transformers is untyped
        def compute_loss(self, model: Any, inputs: dict[str, Any], *_: Any, **options: Any) -> Any:
            is_twice = model.training and consistency > 0
            inputs = {
                name: torch.cat([given, given]) if is_twice else given for name, given in inputs.items()
            }
            labels, weights = inputs.pop("labels"), inputs.pop("weights")
            outputs = model(**inputs)
            logits = outputs["logits"].float()
            losses = torch.nn.functional.cross_entropy(
                logits, labels, weight=torch.tensor(classes, device=labels.device), reduction="none"
            )
            if is_twice:
                losses = losses + consistency * _divergence(*logits.chunk(2)).repeat(2)
            loss = (losses * weights).sum() / weights.sum()
            return (loss, outputs) if options.get("return_outputs") else loss

    return Weighted


def _divergence(one: Any, other: Any) -> Any:
    """Kullback-Leibler divergence of two answers, the mean of both directions: logits [n, 2] to [n]."""
    ones, others = one.log_softmax(dim=-1), other.log_softmax(dim=-1)
    return ((ones.exp() - others.exp()) * (ones - others)).sum(dim=-1) / 2


def _training_arguments(recipe: Recipe, *, rows: int, out: Path) -> Any:
    from transformers import TrainingArguments

    steps_per_epoch = math.ceil(rows / recipe.batch_size)
    half_epoch = max(1, steps_per_epoch // 2)
    checks = "no" if recipe.is_averaged else "steps"
    return TrainingArguments(
        output_dir=str(out / "checkpoints"),
        num_train_epochs=recipe.epochs,
        per_device_train_batch_size=recipe.batch_size,
        per_device_eval_batch_size=64,
        learning_rate=recipe.learning_rate,
        weight_decay=recipe.weight_decay,
        warmup_steps=round(recipe.warmup_share * steps_per_epoch * recipe.epochs),
        # Texts of similar length share a batch, to save padding.
        train_sampling_strategy="group_by_length",
        eval_strategy=checks,
        eval_steps=half_epoch,
        save_strategy=checks,
        save_steps=half_epoch,
        save_total_limit=1,
        load_best_model_at_end=not recipe.is_averaged,
        metric_for_best_model="pr_auc",
        greater_is_better=True,
        logging_steps=20,
        seed=recipe.seed,
        data_seed=recipe.seed,
        use_cpu=not _has_gpu(),
        bf16=recipe.is_bf16,
        # The loss needs each text's weight, which the model's own arguments do not name.
        remove_unused_columns=False,
        label_names=["labels"],
        report_to=[],
    )


def _has_gpu() -> bool:
    import torch

    return bool(torch.cuda.is_available())


def _validation_metrics(prediction: Any) -> dict[str, float]:
    labels = np.asarray(prediction.label_ids, dtype=np.float64)
    logits = prediction.predictions
    return {"pr_auc": evaluate.pr_auc(labels, _spam_probability(np.asarray(logits)))}


def pieces(tokenizer: PreTrainedTokenizerBase, texts: Sequence[str]) -> list[list[int]]:
    """Tokenize texts as they are served: the ids of at most 128 word pieces each, no padding."""
    encoded = tokenizer(list(texts), truncation=True, max_length=base_model.MAX_TOKENS, padding=False)
    ids: list[list[int]] = encoded["input_ids"]
    return ids


def _encode(tokenizer: PreTrainedTokenizerBase, examples: Sequence[Example]) -> list[dict[str, Any]]:
    encoded = pieces(tokenizer, [example.text for example in examples])
    return [
        {
            "input_ids": ids,
            "attention_mask": [1] * len(ids),
            "labels": example.label,
            "weights": example.weight,
        }
        for ids, example in zip(encoded, examples, strict=True)
    ]


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

    found = np.empty(len(texts), dtype=np.float64)
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
            found[rows] = _spam_probability(model(**encoded).logits.float().cpu().numpy())
    return found


def _spam_probability(logits: Any) -> Floats:
    """Softmax of class 1 for two logits: float64 array of shape (n_texts,)."""
    wide = np.asarray(logits, dtype=np.float64)
    return np.asarray(1 / (1 + np.exp(wide[:, 0] - wide[:, 1])), dtype=np.float64)
