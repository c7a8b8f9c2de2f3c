"""How the people of the demonstration judge: mostly right, each in their own way, with a note at times."""

import random
from dataclasses import dataclass

from moderation.models import Case, User
from moderation.models.cases import CaseReason
from moderation.models.decisions import Verdict
from moderation.operations.cases.shift import Choice
from simulation import material
from simulation.events import Truth
from simulation.texts import Families, curated

# Judgement between published extremes: two annotators agree at alpha .60, one with himself at .79.
_EASY_ERROR_SHARE, _HARD_ERROR_SHARE = 0.015, 0.08
_REVIEWED_SPAM_SHARE, _REVIEWED_TALK_SHARE = 0.25, 0.07
_SECONDS = 8.0, 45.0
_UNSURE_SHARE = 0.7
"""Of hard posts: how many a moderator leaves to the leads."""
_NOTE_SHARE = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewer:
    """Somebody who decides cases: `carelessness` multiplies the usual share of errors."""

    user: User
    carelessness: float
    rng: random.Random

    def seconds(self) -> float:
        """Return how long the next case takes them."""
        return self.rng.uniform(*_SECONDS)

    def handed_on(self, truth: Truth) -> str | None:
        """Return what they ask the leads about a case, None if they decide it themselves."""
        is_unsure = truth.is_hard and self.rng.random() < _UNSURE_SHARE
        return (
            self.rng.choice(material.table("people")["questions"])
            if is_unsure and not self.user.may_lead
            else None
        )

    def choice(self, case: Case, truth: Truth) -> Choice:
        """Return what they decide, with a reason and now and then a note."""
        error_share = _HARD_ERROR_SHARE if truth.is_hard else _EASY_ERROR_SHARE
        is_spam = truth.is_spam != (self.rng.random() < error_share * self.carelessness)
        reason = _spam_reason(truth) if is_spam else _honest_reason(case)
        notes, note = material.table("people")["notes"].get(reason), ""
        if notes and self.rng.random() < _NOTE_SHARE:
            note = self.rng.choice(notes)
        return Choice(
            verdict=Verdict.SPAM if is_spam else Verdict.NOT_SPAM,
            case_version=case.version,
            reason=reason,
            note=note,
        )


def _spam_reason(truth: Truth) -> str:
    said = _REPORTED[truth.kind]
    if "impersonation" in said:
        return "phishing"
    return said[0] if said[0] in ("scam", "adult") else "advertising"


def _honest_reason(case: Case) -> str:
    return "false_report" if case.reason == CaseReason.COMPLAINTS else "ordinary"


_REPORTED = {text.kind.name: text.kind.reasons for text in curated(Families.KEPT_OUT)}


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedVerdict:
    """A verdict, `after_seconds` after the post; wrong at times, more often where posts are hard."""

    is_spam: bool
    after_seconds: float


def verdict(truth: Truth, *, rng: random.Random) -> SimulatedVerdict | None:
    """Return a platform's moderator's verdict on a post, None for the many that nobody looks at."""
    if rng.random() >= (_REVIEWED_SPAM_SHARE if truth.is_spam else _REVIEWED_TALK_SHARE):
        return None
    is_wrong = rng.random() < (_HARD_ERROR_SHARE if truth.is_hard else _EASY_ERROR_SHARE)
    return SimulatedVerdict(is_spam=truth.is_spam != is_wrong, after_seconds=rng.expovariate(1 / 5400) + 60)
