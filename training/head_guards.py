"""What decisions allow a platform's head: refusals and warnings with advice, and scripts that it reads."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from sklearn.metrics import log_loss

from scoring.ensemble import probabilities_of
from scoring.label_balance import CURE, ENOUGH_RANDOM, LEAST_OF_EACH, MOST_OF_ONE_SORT, Balance, findings
from scoring.trees import Floats
from scoring.unread_script import letters_by_script
from training.labelled_records import LabelledRecord

_ONE_LANGUAGE = 10
_LEAST_OF_SCRIPT = 0.1
"""Least share of a text's letters: Japanese is written in three scripts at once."""


class Refused(ValueError):
    """Decisions would mislead a head; the message says what to do."""


class TooFew(Refused):
    """Fewer than LEAST_OF_EACH decisions of either class."""


class OneSided(Refused):
    """Nearly all decisions are spam, and hardly any was drawn at random: no sample of what is posted."""


class NoGain(Refused):
    """On held-out decisions the head is no better than the content model alone."""


def check(labelled: Sequence[LabelledRecord]) -> None:
    """Raise TooFew or OneSided; `labelled` are one platform's decisions, reported ones included."""
    standing = [post for post in labelled if post.weight > 0.0]
    spam, random = _spam(standing), sum(post.is_random for post in standing)
    if min(spam, len(standing) - spam) < LEAST_OF_EACH:
        raise TooFew(
            f"{spam} spam and {len(standing) - spam} other decisions, of which no complaint or appeal is "
            f"counted; at least {LEAST_OF_EACH} of each are needed. {CURE}"
        )
    if _spam(labelled) > MOST_OF_ONE_SORT * len(labelled) and random < ENOUGH_RANDOM:
        raise OneSided(
            f"{_spam(labelled)} of {len(labelled)} decisions are spam and {random} were drawn at random: "
            f"a head would learn that what is posted here is spam. {CURE}"
        )


def check_gain(labelled: Sequence[LabelledRecord], *, left_out: Floats, content: Floats) -> None:
    """Raise NoGain unless the head's margins on decisions left out cost less than the content margins.

    Only random decisions count: others are no sample.
    """
    standing = np.array([post.weight > 0.0 for post in labelled])
    is_spam = np.array([post.is_spam for post in labelled])[standing]
    head, alone = (
        float(log_loss(is_spam, probabilities_of(margins[standing]), labels=[False, True]))
        for margins in (left_out, content)
    )
    if head >= alone:
        raise NoGain(
            f"log loss {head:.3f} on decisions left out, {alone:.3f} by the content model alone: "
            "it stays as it is"
        )


def warnings(labelled: Sequence[LabelledRecord]) -> Iterator[str]:
    """Return warnings about the decisions that a head was fitted on."""
    yield from (finding.message for finding in findings(_balance(labelled)))
    languages = defaultdict(list)
    for post in labelled:
        languages[post.record.language or "unknown"].append(post.is_spam)
    if len(languages) == 1:
        yield f"one language alone: {next(iter(languages))}; what is posted in others is not known"
        return
    for language, verdicts in sorted(languages.items()):
        if len(verdicts) >= _ONE_LANGUAGE and len(set(verdicts)) == 1:
            sort = "spam" if verdicts[0] else "not spam"
            yield f"all {len(verdicts)} decisions in {language} are {sort}. {CURE}"


def scripts_seen(labelled: Sequence[LabelledRecord]) -> list[str]:
    """Return the scripts, by their Unicode names, in which there are as many decisions of either sort as a
    head needs. Decisions that a complaint or an appeal brought are not counted.
    """
    counts: Counter[tuple[str, bool]] = Counter()
    for post in labelled:
        letters = letters_by_script(post.record.text) if post.weight > 0.0 else Counter()
        least = _LEAST_OF_SCRIPT * letters.total()
        counts.update((script, post.is_spam) for script, count in letters.items() if count >= least)
    scripts = {script for script, _ in counts}
    return sorted(
        script for script in scripts if min(counts[script, True], counts[script, False]) >= LEAST_OF_EACH
    )


def _balance(labelled: Sequence[LabelledRecord]) -> Balance:
    return Balance(
        labels=len(labelled),
        spam=_spam(labelled),
        random=sum(post.is_random for post in labelled),
        by_complaint=sum(post.weight == 0.0 for post in labelled),
        languages=Counter(post.record.language or "" for post in labelled),
    )


def _spam(labelled: Sequence[LabelledRecord]) -> int:
    return sum(post.is_spam for post in labelled)
