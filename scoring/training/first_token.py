"""A DistilBERT classifier that computes no more than its answer needs.

Only the first token's last state is classified. So the last layer may answer for that token alone: its keys
and values still see every token, its queries and its feed-forward part see one. The same logits for about
one seventh less arithmetic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel


def trimmed(model: PreTrainedModel) -> torch.nn.Module:
    """Wrap the model's own modules, nothing copied: (ids, mask) INT32 [n, tokens] → logits [n, 2].

    Raises TypeError for another architecture than DistilBertForSequenceClassification.
    """
    from torch import nn
    from transformers import DistilBertForSequenceClassification

    from scoring.training import wide_and_deep

    if not isinstance(model, DistilBertForSequenceClassification):
        raise TypeError(f"expected a DistilBertForSequenceClassification, got {type(model).__name__}")

    class Trimmed(nn.Module):  # type: ignore[misc] # torch has no types here
        def __init__(self) -> None:
            super().__init__()
            self.distilbert = model.distilbert
            self.pre_classifier = model.pre_classifier
            self.classifier = model.classifier
            self.wide = model.wide if isinstance(model, wide_and_deep.WideAndDeep) else None

        def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            states = self.distilbert.embeddings(ids)
            # Added to the attention scores: 0 for a token, the lowest number for padding.
            hidden = (1.0 - mask[:, None, None, :].to(states.dtype)) * _lowest(states)
            *layers, last = self.distilbert.transformer.layer
            for layer in layers:
                states = _layer(layer, states, states, hidden)
            first = _layer(last, states[:, :1], states, hidden)[:, 0]
            logits: torch.Tensor = self.classifier(nn.functional.relu(self.pre_classifier(first)))
            return self.wide(logits, ids, mask) if self.wide else logits

    return Trimmed().eval()


def _lowest(states: torch.Tensor) -> float:
    import torch

    return float(torch.finfo(states.dtype).min)


def _layer(layer: Any, queries: torch.Tensor, states: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """One transformer layer for the tokens of `queries`, each looking at all of `states`."""
    attended = layer.sa_layer_norm(_attention(layer.attention, queries, states, hidden) + queries)
    answered: torch.Tensor = layer.output_layer_norm(layer.ffn(attended) + attended)
    return answered


def _attention(
    attention: Any, queries: torch.Tensor, states: torch.Tensor, hidden: torch.Tensor
) -> torch.Tensor:
    """Multi-head attention (Vaswani et al. 2017, section 3.2.2) with the modules of DistilBERT."""
    texts, _, width = states.shape
    head = width // attention.n_heads

    def heads(projected: torch.Tensor) -> torch.Tensor:
        return projected.view(texts, -1, attention.n_heads, head).transpose(1, 2)

    scores = heads(attention.q_lin(queries)) @ heads(attention.k_lin(states)).transpose(2, 3)
    shares = (scores * head**-0.5 + hidden).softmax(dim=-1)
    mixed = (shares @ heads(attention.v_lin(states))).transpose(1, 2).reshape(texts, -1, width)
    answered: torch.Tensor = attention.out_lin(mixed)
    return answered
