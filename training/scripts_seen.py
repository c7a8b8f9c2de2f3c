"""Which scripts a platform's decisions are written in, often enough for a head to read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from scoring.unread_script import letters_by_script
from training.head_guards import LEAST_OF_EACH
from training.labelled_records import LabelledRecord

_LEAST_SHARE = 0.1
"""Least share of a text's letters: Japanese is written in three scripts at once."""


def seen(labelled: Sequence[LabelledRecord]) -> list[str]:
    """Return the scripts, by their Unicode names, in which there are as many decisions of either sort as a
    head needs. Decisions that a complaint or an appeal brought are not counted.
    """
    counts: Counter[tuple[str, bool]] = Counter()
    for post in labelled:
        letters = letters_by_script(post.record.text) if post.weight > 0.0 else Counter()
        least = _LEAST_SHARE * letters.total()
        counts.update((script, post.is_spam) for script, count in letters.items() if count >= least)
    scripts = {script for script, _ in counts}
    return sorted(
        script for script in scripts if min(counts[script, True], counts[script, False]) >= LEAST_OF_EACH
    )
