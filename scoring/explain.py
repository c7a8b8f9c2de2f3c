"""Explanations: contributions of features to the main margin, and of words to the content margin.

Words are explained by shap, imported for the first explanation: the import takes 270 MB and five seconds of
processor time, too much at start. The words for users are in moderation.
"""

# ruff: noqa: RUF001 - signs and letters of other alphabets are meant

import functools
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.ensemble import ENSEMBLE_FILE, SUB_MODELS, Ensemble, Judgement, content_margins
from scoring.normalise import LINK, as_read
from scoring.release import Corrupt, Release
from scoring.tree_shap import TreeShap
from scoring.trees import Floats

CONTENT_TEXT = "content.text"
WITHHELD = "bounds.withheld"
"""The pseudo-feature of what the bounds cut off: an excuse (> 0) or a suspicion (< 0) beyond its bound."""
# Replaces removed words, chosen by comparison: the model takes shap's default, three dots, for an honest
# text, so that a fifth of the words of honest posts seemed to indicate spam.
MASK = "_"
MAX_WORDS = 126  # each word has at least one of the model's 128 tokens, two of which are special

_IMPORTING = threading.Lock()
_BATCH = 16  # small, so that scoring never waits long behind an explanation
_MAX_CHARACTERS = 20_000
# Explained as one: a word or link, a price, what is denied, a run of emoji. Punctuation goes with a word.
_AMOUNT = r"\d(?:[\d.,'\u2019]{0,12}\d)?(?:\s\d{3}(?!\d)){0,3}[kKmM]?"
_RANGE = rf"{_AMOUNT}(?:\s?[-\u2013\u2014]\s?{_AMOUNT})?"
_SIGN = "[$€£¥₹₽₺₩₴฿₿₫]"
_UNIT = (
    r"(?i:%|usd|eur|gbp|euros?|dollars?|bucks|btc|eth|usdt|rs|inr|tl|zł|руб\w*|грн|kr|chf|reais|pesos)(?!\w)"
)
_PRICE = rf"{_SIGN}\s?{_RANGE}(?!\w)|{_RANGE}\s?(?:{_SIGN}|{_UNIT})"
_DENIES = (
    r"(?i:not?|never|without|nicht|kein\w{0,2}|ohne|sin|nunca|pas|sans|jamais|non|senza|não|sem|nie|bez|niet|geen|"
    r"zonder|не|нет|без|ні|tidak|bukan|không)\s(?:(?:an?|the|ein\w{0,2}|une?)\s)?"
)
_SIGNS = r"!-/:-@\[-`{-~¡¿«»‹›…·•–—“”„‘’‚→。、！？：；，（）「」『』【】।؟،؛"
# Vowel signs of Arabic, of India and of Thailand are no \w.
_LETTER = r"\w\u064b-\u065f\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e"
_WORD = re.compile(
    rf"{re.escape(LINK)}"
    rf"|(?:\b{_DENIES})?(?:{_PRICE}|[{_LETTER}](?:[{_LETTER}'\u2019@&%/:.?=#+-]*[{_LETTER}/])?)"
    rf"|[^{_LETTER}\s{_SIGNS}]+"
)
# Below this share of its absolute total, a sub-model's sum is too small for proportional shares.
_CANCELLED = 0.05


class Contribution(NamedTuple):
    """A feature's value (NaN unknown) and its share of the main margin in log-odds, > 0 for spam.

    A tuple, since each score makes eighty of them.
    """

    feature: str
    value: float
    contribution: float


@dataclass(frozen=True, slots=True)
class WordContribution:
    """The characters [start, end) of the raw text and their share of the content margin, in log-odds."""

    start: int
    end: int
    contribution: float


class StackExplainer:
    """Splits main margins over features and text by TreeSHAP through the stack (G-DeepSHAP: Chen, Lundberg
    and Lee, Explaining a series of models by propagating Shapley values, Nature Communications 13, 2022),
    against a post about which nothing is known: what is as there has no share at all.

    Safe to share between threads.
    """

    base = 0.0
    """Even odds: all of the margin is explained by contributions."""

    def __init__(self, ensemble: Ensemble) -> None:
        self._ensemble = ensemble
        self._silent = ensemble.silent_margins
        self._main = TreeShap(ensemble.main, reference=self._silent)
        self._sub_models = {
            name: TreeShap(ensemble.sub_models[name], reference=ensemble.reference[ensemble.columns(name)])
            for name in SUB_MODELS
        }

    def contributions(self, features: Floats, *, judgement: Judgement) -> Floats:
        """Return each feature's share of the main margin, then the text's, then what the bounds withheld:
        float64 (n, n_features + 2).

        `features` has shape (n, n_features), `judgement` is what Ensemble.judge made of it. `base` plus a
        row's sum is the row's main margin within 1e-6.
        """
        margins = judgement.main_inputs[:, : len(SUB_MODELS)]
        of_main = self._main.shares(np.where(np.isnan(margins), self._silent, margins))
        shares = np.zeros((len(features), features.shape[1] + 2))
        for place, name in enumerate(SUB_MODELS):
            columns = self._ensemble.columns(name)
            family = self._sub_models[name].shares(features[:, columns])
            shares[:, columns] = _apportioned(of_main[:, place], shares=family)
        shares[:, -2] = judgement.line
        shares[:, -1] = judgement.withheld
        return shares


@dataclass(frozen=True, slots=True)
class _EnsembleFile:
    """An ensemble, identified by its checked digest, not by its path."""

    sha256: str
    folder: Path = field(compare=False)


def explained_ensemble(release: Release) -> tuple[Ensemble, StackExplainer]:
    """Return a release's ensemble with its explainer. Raises Corrupt.

    Releases that differ in thresholds alone share both: building the explainer takes a third of a second.
    """
    if ENSEMBLE_FILE not in release.files:
        raise Corrupt(f"{release.folder}: its manifest does not name {ENSEMBLE_FILE}")
    return _explained(_EnsembleFile(release.files[ENSEMBLE_FILE], release.folder))


@functools.lru_cache(maxsize=4)
def _explained(file: _EnsembleFile) -> tuple[Ensemble, StackExplainer]:
    ensemble = Ensemble.load(file.folder)
    try:
        return ensemble, StackExplainer(ensemble)
    except ValueError as error:
        raise Corrupt(f"{file.folder}: the ensemble cannot be explained: {error}") from error


def word_contributions(
    text: str, *, probabilities: Callable[[Sequence[str]], Floats]
) -> tuple[WordContribution, ...]:
    """Return each word's share of the difference of content margin between `text` and MASK, in reading
    order; empty without words. A price is a word, and so is one with the "not" before it.

    Words are those of the normalised text, so that "f r e e" is one; their places are those of the raw text.
    `probabilities` maps texts to spam probabilities; it is called in batches of 16, two texts a word and at
    most 254 in all. Of a long text only the first 126 words are explained, as if it ended there.
    """
    normalised = as_read(text[:_MAX_CHARACTERS])
    words = [match.span() for match in _WORD.finditer(normalised.text)]
    if not words:
        return ()
    explained = normalised.text[: words[MAX_WORDS][0]] if len(words) > MAX_WORDS else normalised.text
    words = words[:MAX_WORDS]
    shares = _word_shares(explained, words=len(words), probabilities=probabilities)
    places = [normalised.raw_range(start, end) for start, end in words]
    return tuple(
        WordContribution(start=start, end=end, contribution=float(share))
        for (start, end), share in zip(places, shares, strict=True)
    )


def _word_shares(
    text: str, *, words: int, probabilities: Callable[[Sequence[str]], Floats]
) -> Sequence[float]:
    shap = _shap()

    def margins(masked: NDArray[Any]) -> Floats:
        return content_margins(np.asarray(probabilities([str(part) for part in masked]), dtype=np.float64))

    if words == 1:  # shap's clustering needs at least two words
        whole, masked_out = margins(np.array([text, MASK]))
        return [float(whole - masked_out)]
    masker = shap.maskers.Text(_words_of, mask_token=f"{MASK} ")  # the space separates it from the next word
    explainer = shap.PartitionExplainer(margins, masker)
    # Each part is masked with all others in place (one context, not both): 2 n evaluations then reach every
    # word. With both, 300 leave most words of a 50-word text at their neighbours' mean.
    explanation = explainer([text], max_evals=2 * words + 2, batch_size=_BATCH, fixed_context=1, silent=True)
    shares: Sequence[float] = explanation.values[0]
    return shares


def _apportioned(totals: Floats, *, shares: Floats) -> Floats:
    """Split each row's total over its family in proportion to the sub-model's own shares (the rescale rule).

    Where these cancel out, proportions would be huge and of arbitrary sign, so the total is split by their
    size instead; where all are 0, evenly. Rows always add up to the totals.
    """
    sums = shares.sum(axis=1, keepdims=True)
    sizes = np.abs(shares)
    weights = np.where(np.abs(sums) > _CANCELLED * sizes.sum(axis=1, keepdims=True), shares, sizes)
    weights = np.where(sizes.sum(axis=1, keepdims=True) > 0.0, weights, 1.0)
    apportioned: Floats = totals[:, None] * weights / weights.sum(axis=1, keepdims=True)
    return apportioned


def _words_of(text: str, *, return_offsets_mapping: bool = True) -> dict[str, list[Any]]:
    """Tokenize as shap's text masker asks; an unused argument name is part of its protocol."""
    spans = [match.span() for match in _WORD.finditer(text)]
    tokens: dict[str, list[Any]] = {"input_ids": [text[start:end] for start, end in spans]}
    # shap gives what lies between two words to the first; what lies outside of all belongs to the outermost.
    if spans:
        spans[0], spans[-1] = (0, spans[0][1]), (spans[-1][0], len(text))
    if return_offsets_mapping:
        tokens["offset_mapping"] = spans
    return tokens


def _shap() -> Any:
    # One thread imports: two that begin at once could see half of a package whose modules import one another.
    with _IMPORTING:
        import shap

    return shap
