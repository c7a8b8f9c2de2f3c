"""Choose a release's curve, thresholds and safety bounds."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from scoring.ensemble import MAIN_INPUTS, Ensemble, calibrated, probabilities_of
from scoring.release import Calibration, Safety, Thresholds
from scoring.trees import Floats
from training import calibrate, real_texts
from training.calibrate import Outcome
from training.ensemble_rows import Rows
from training.real_texts import RealTexts

PREVALENCE = 0.01
"""Prior of spam when circumstances are drawn: about as rare as on real platforms."""
DRAWS = 4
HOLD_SHARE = {"content": 0.025, "ip_url": 0.001, "behaviour": 0.001, "feedback": 0.001}
"""Honest real texts that may go to a human because one sub-model is sure, by sub-model: under 3 % in all."""
HOLD_LEAST = {"content": 0.5, "ip_url": 0.9, "behaviour": 0.9, "feedback": 0.9}
"""Lowest opinion of a sub-model that counts as sure; only content was calibrated on real texts."""
UNREAD_FROM = 0.3
"""Share of a text's letters.

Each such letter is a token, and so is a Latin word, so this is about two tokens of three.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The curve with the cross-validated log losses of its candidates, thresholds and safety bounds, and by
    what rule they were chosen.
    """

    calibration: Calibration
    log_losses: Mapping[str, float]
    thresholds: Thresholds
    safety: Safety = field(default_factory=Safety)
    rule: str


def on_records(ensemble: Ensemble, rows: Rows) -> Choice:
    """Choose on simulated or decided records alone.

    Safety bounds are the minimum: without real texts their cost in honest posts is unknown.
    """
    margins = _margins(ensemble, rows)
    choice = calibrate.choose_calibration(
        margins, is_spam=rows.is_spam, groups=rows.groups, weights=rows.weights
    )
    thresholds = calibrate.choose_thresholds(
        calibrated(margins, calibration=choice.calibration), is_spam=rows.is_spam, weights=rows.weights
    )
    return Choice(
        calibration=choice.calibration,
        log_losses=choice.log_losses,
        thresholds=thresholds,
        safety=Safety(
            hold_from=HOLD_LEAST,
            remove_alone_from={"content": thresholds.remove_from},
            unread_from=UNREAD_FROM,
        ),
        rule=calibrate.RULE,
    )


def on_texts(ensemble: Ensemble, texts: RealTexts, *, surroundings: Rows, seed: int) -> Choice:
    """Choose on real texts: the curve on bare ones, the rest where circumstances say nothing of the label.

    Two circumstances are the worst that the bounds leave open: every text excused as far as possible, and
    every text as suspicious as possible.
    """
    bare = texts.bare()
    margins = _margins(ensemble, bare)
    choice = calibrate.choose_calibration(
        margins, is_spam=bare.is_spam, groups=bare.groups, among=("as it is", "platt")
    )
    usual = real_texts.at_prevalence(surroundings, share=PREVALENCE)
    samples = [texts.surrounded(usual, copies=1, seed=seed + draw) for draw in range(DRAWS)]
    worst = (margins - ensemble.most_excused(margins), margins + ensemble.bounds.suspicion)
    ladder = [margins, *worst, *(_margins(ensemble, rows) for rows in samples)]
    outcomes = [
        Outcome(probabilities=calibrated(step, calibration=choice.calibration), is_spam=bare.is_spam)
        for step in ladder
    ]
    thresholds = calibrate.choose_in_circumstances(outcomes)
    return Choice(
        calibration=choice.calibration,
        log_losses=choice.log_losses,
        thresholds=thresholds,
        safety=_safety(ensemble, samples, bare=bare),
        rule=calibrate.RULE_ON_TEXTS,
    )


def _safety(ensemble: Ensemble, drawn: list[Rows], *, bare: Rows) -> Safety:
    """Choose each bound by the share of honest texts that it holds.

    Content alone removes from where its own probability is proven right about bare texts.
    """
    opinions = np.concatenate([_opinions(ensemble, rows)[~rows.is_spam] for rows in drawn])
    hold = {
        name: calibrate.choose_hold(opinions[:, place], share=HOLD_SHARE[name], least=HOLD_LEAST[name])
        for place, name in enumerate(MAIN_INPUTS)
    }
    alone = calibrate.choose_removal(
        [Outcome(probabilities=bare.content_probabilities, is_spam=bare.is_spam)]
    )
    return Safety(hold_from=hold, remove_alone_from={"content": alone}, unread_from=UNREAD_FROM)


def _opinions(ensemble: Ensemble, rows: Rows) -> Floats:
    judgement = ensemble.judge(rows.features, content_probabilities=rows.content_probabilities)
    return probabilities_of(judgement.main_inputs)


def _margins(ensemble: Ensemble, rows: Rows) -> Floats:
    return ensemble.judge(rows.features, content_probabilities=rows.content_probabilities).margins
