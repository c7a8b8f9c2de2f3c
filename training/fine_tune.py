"""Fine-tuning: a recipe, Hugging Face's Trainer with class weights, and predictions in order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scoring.ensemble import probabilities_of
from training import base_model, batches
from training.dataset import Example
from training.evaluate import Floats

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


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
    # So many of the folds are trained, 0 all; texts of the others have no held-out answer.
    most_folds: int = 0

    def __post_init__(self) -> None:
        if self.folds < 0 or self.folds == 1:
            raise ValueError(f"folds must be 0 or at least 2, got {self.folds}")
        if self.most_folds < 0:
            raise ValueError(f"most_folds must be at least 0, got {self.most_folds}")
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
    rows = batches.encoded(tokenizer, examples, is_read_twice=recipe.consistency > 0, seed=recipe.seed)
    if recipe.likeness > 0:
        batches.add_vectors(rows, encoder=model.distilbert, is_bf16=recipe.is_bf16)
    trainer = weighted(Trainer, classes=weights, recipe=recipe)(
        model=model,
        args=_training_arguments(recipe, rows=len(examples), out=out),
        train_dataset=rows,
        data_collator=batches.collated,
        callbacks=[averaging(TrainerCallback)()],
    )
    trainer.train()
    return trainer.model, tokenizer


def save(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, *, out: Path) -> None:
    """Write weights, configuration and tokenizer into `out`."""
    model.save_pretrained(str(out))
    # Both stay as the last call set them; who serves the tokenizer sets its own.
    tokenizer.backend_tokenizer.no_padding()
    tokenizer.backend_tokenizer.no_truncation()
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

    A batch holds each text twice, with and without links (`batches.encoded`), both under dropout. The
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
                here = batches.vector(outputs["hidden_states"][-1], inputs["attention_mask"])
                losses = losses + recipe.likeness * (1 - (here * vectors).sum(dim=-1))
            loss = (losses * weights).sum() / weights.sum()
            return (loss, outputs) if options.get("return_outputs") else loss

    return Weighted


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
