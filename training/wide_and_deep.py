"""The content model as it is served: DistilBERT and `wide.py` in one graph, on the same tokens.

Imports torch and transformers: import it where it is used.
"""

import json
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import AutoModelForSequenceClassification, DistilBertForSequenceClassification

from training import wide


class WideHalf(nn.Module):  # type: ignore[misc] # torch has no types here
    """Compute `wide.Wide.margins` on a batch and mix it into the deep half's logits."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        rows = wide.rows(vocabulary)
        self.register_buffer("codes", torch.from_numpy(wide.pair_codes(vocabulary)))
        self.register_buffer("weights", torch.zeros(rows))
        self.register_buffer("squares", torch.zeros(rows))
        self.register_buffer("bias", torch.zeros(1))
        # How much a logit of the deep half counts: its weights stay as trained, to be trained further.
        self.register_buffer("deep", torch.ones(1))

    def forward(self, logits: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Mix deep logits [n, 2] with what ids and mask, integers [n, tokens], say: logits [n, 2]."""
        pairs, pairs_mask = self._pairs(ids, mask)
        of_pieces, of_pairs = self._sums(ids, mask), self._sums(pairs, pairs_mask)
        weights, squares = of_pieces[0] + of_pairs[0], of_pieces[1] + of_pairs[1]
        margins = weights / squares.clamp(min=1.0).sqrt() + self.bias
        return self._mixed(logits, margins)

    def _pairs(self, ids: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return len(self.codes) + self.codes[ids[:, :-1]] + ids[:, 1:], mask[:, 1:]

    def _mixed(self, logits: torch.Tensor, margins: torch.Tensor) -> torch.Tensor:
        apart = torch.tensor([-0.5, 0.5], dtype=logits.dtype, device=logits.device)
        mixed: torch.Tensor = self.deep * logits + margins[:, None] * apart
        return mixed

    def _sums(self, rows: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Sum weights and squares over the places of each text, a row that comes k times a k-th each time."""
        rows = rows * mask
        times = (rows[:, :, None] == rows[:, None, :]).to(self.weights.dtype).sum(dim=2)
        shares = mask.to(self.weights.dtype) / times
        return (shares * self.weights[rows]).sum(dim=1), (shares * self.squares[rows]).sum(dim=1)


class PaddedWideHalf(WideHalf):
    """The same sums in a graph that TensorRT 8.6 builds: pairs by padding, not by slicing; logits stacked."""

    def _pairs(self, ids: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        before, after = (nn.functional.pad(ids, side) for side in _SIDES)
        mask_before, mask_after = (nn.functional.pad(mask, side) for side in _SIDES)
        return len(self.codes) + self.codes[before] + after, mask_before * mask_after

    def _mixed(self, logits: torch.Tensor, margins: torch.Tensor) -> torch.Tensor:
        scaled, half = self.deep * logits, 0.5 * margins
        return torch.stack((scaled[:, 0] - half, scaled[:, 1] + half), dim=1)


_SIDES = (
    (1, 0),
    (0, 1),
)  # a place more on the left, on the right: what was before each place, and what is there


class WideAndDeep(DistilBertForSequenceClassification):  # type: ignore[misc] # nor has transformers
    """DistilBERT for two classes, its logits mixed with those of the wide half."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.wide = WideHalf(config.vocab_size)

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, *arguments: Any, **options: Any
    ) -> Any:
        answer = super().forward(input_ids, attention_mask, *arguments, **options)
        answer.logits = self.wide(answer.logits, input_ids, attention_mask)
        return answer


def for_tensorrt(model: WideAndDeep) -> WideAndDeep:
    """Give a model, in place, the form that TensorRT builds; its weights and answers stay."""
    padded = PaddedWideHalf(model.config.vocab_size)
    padded.load_state_dict(model.wide.state_dict())
    model.wide = padded.eval()
    return model


def load(folder: Path) -> Any:
    """Load the model of `content --out`, ready for export; also a DistilBERT without a wide half."""
    config = json.loads((folder / "config.json").read_text())
    is_wide = WideAndDeep.__name__ in config.get("architectures", [])
    kind = WideAndDeep if is_wide else AutoModelForSequenceClassification
    return kind.from_pretrained(folder, attn_implementation="eager").eval()


def joined(deep: Any, *, fitted: wide.Wide, mix: wide.Mix) -> WideAndDeep:
    """Put both halves into one model that gives the mixed margin; `deep` keeps its own weights."""
    model = WideAndDeep(deep.config)
    model.load_state_dict(deep.state_dict(), strict=False)
    with torch.no_grad():
        model.wide.deep.fill_(mix.deep)
        model.wide.weights.copy_(torch.from_numpy(fitted.weights * mix.wide))
        model.wide.squares.copy_(torch.from_numpy(fitted.squares))
        model.wide.bias.fill_(fitted.bias * mix.wide + mix.intercept)
    model.to(deep.device).eval()
    return model


def averaged(first: WideAndDeep, second: WideAndDeep, *, share: float) -> WideAndDeep:
    """Return the second model with a deep half whose weights are (1 - share) · first + share · second.

    The second deep half is the first, trained further. (Wortsman et al.: Robust fine-tuning of zero-shot
    models, 2022) The wide half is the second's: it was fitted anew to all texts and has forgotten none.
    """
    weights = first.state_dict()
    model = WideAndDeep(second.config)
    model.load_state_dict(
        {
            name: new if name.startswith("wide.") else torch.lerp(weights[name].to(new.device), new, share)
            for name, new in second.state_dict().items()
        }
    )
    model.to(second.device).eval()
    return model
