"""Decisions on a platform whose texts the content model does not read: what is spam there, its words tell."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from scoring.release import Release
from tests.scoring.random_records import FakeContent, record
from tests.scoring.starter import STARTER
from training import train_heads
from training.labelled_lines import Origin
from training.labelled_records import DECISION, LabelledRecord

PLATFORM = "messenger"
LIVE = Release.load(STARTER)
_SPAM = ("гарантия", "выигрыш", "казино", "бонус", "жми")
_HONEST = ("завтра", "обед", "поезд", "мама", "работа")
_COMMON = ("это", "мы", "очень", "так", "или", "где", "когда")


def decisions(
    count: int,
    *,
    seed: int = 1,
    spam_share: float = 0.5,
    reported: float = 0.0,
    random: float = 0.5,
    content: bool = False,
) -> list[LabelledRecord]:
    """`count` decided posts; a share `reported` of spam came by a complaint, `random` of the rest by chance.

    What FakeContent reads at the end of a text knows nothing of it, unless `content`.
    """
    generator = np.random.default_rng(seed)
    found = []
    for place in range(count):
        is_spam = bool(generator.random() < spam_share)
        words = [*generator.choice(_SPAM if is_spam else _HONEST, 2), *generator.choice(_COMMON, 4)]
        generator.shuffle(words)
        said = (
            generator.uniform(0.6, 0.99)
            if is_spam == (generator.random() < 0.95)
            else generator.uniform(0.01, 0.4)
        )
        probability = said if content else generator.uniform(0.05, 0.95)
        is_reported = is_spam and bool(generator.random() < reported)
        found.append(
            LabelledRecord(
                record=record(
                    text=f"{' '.join(words)} {probability:.4f}",
                    platform=PLATFORM,
                    external_id=f"post-{seed}-{place}",
                    language="ru",
                ),
                is_spam=is_spam,
                kind=DECISION,
                group=f"{seed}-{place}",
                weight=0.0 if is_reported else 1.0,
                origin=Origin.DECIDED,
                is_random=not is_reported and bool(generator.random() < random),
            )
        )
    return found


def with_head(labelled: Sequence[LabelledRecord], *, out: Path, base: Release = LIVE) -> Release:
    """The shipped release, or another, with a head that learnt these decisions."""
    made = train_heads.add_heads(base, labelled, content=FakeContent(), out=out)
    assert not made.release.training["heads_refused"]
    return made.release
