"""`python -m scoring.training languages`: quality of the content model by language.

Texts in a script that the release does not read are told apart by script, whatever their language is called.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scoring.release import Release
from scoring.training import cards, dataset, evaluate, served_content
from scoring.training.dataset import Example, Split
from scoring.training.evaluate import Floats, Quality
from scoring.unread_script import in_release

PART = "languages"
LEAST_OF_EACH = 10
"""Of spam and of other texts: with fewer, nothing can be said."""
_THRESHOLD = 0.5
_SEED = 1
_NO_PLATFORM = ""


@dataclass(frozen=True, order=True)
class Kind:
    """Texts of a language in one source; `script` is theirs if it is not read, else ""."""

    script: str
    language: str
    source: str

    @property
    def told(self) -> str:
        """Return the script that is not read, else the language."""
        return f"{self.script.title()} (not read)" if self.script else self.language


@dataclass(frozen=True)
class Measured:
    """The quality on each kind that there is enough of, the most texts first; how many texts of others."""

    known: Mapping[Kind, Quality]
    unknown: Mapping[Kind, int]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--release", type=Path, required=True, help="folder of the release to judge")
    parser.add_argument(
        "--data", type=Path, nargs="+", default=[], help="labelled texts, of which the test part is read"
    )
    parser.add_argument(
        "--unseen", type=Path, nargs="+", default=[], help="labelled texts that nothing was trained on"
    )
    served_content.add_arguments(parser)
    parser.add_argument("--card", type=Path, help="page whose part is rewritten, docs/model-card.md")


def main(arguments: argparse.Namespace) -> None:
    """Measure, print the table, write it into the page. Raises content.Unavailable."""
    release = Release.load(arguments.release)
    content = served_content.connect(release.content, normaliser=release.normaliser, arguments=arguments)
    examples = dataset.part(dataset.load(arguments.data), split=Split.TEST) + dataset.load(arguments.unseen)
    probabilities = content.probabilities([example.text for example in examples])
    card = write(measured(examples, probabilities=probabilities, release=release), release=release)
    if arguments.card:
        cards.insert(card, part=PART, page=arguments.card)
    sys.stdout.write(card)


def measured(examples: Sequence[Example], *, probabilities: Floats, release: Release) -> Measured:
    """Measure each language of each source, scripts that are not read apart."""
    kinds = [
        Kind(
            in_release(example.text, platform=_NO_PLATFORM, manifest=release.manifest) or "",
            example.lang,
            example.source,
        )
        for example in examples
    ]
    spam = Counter(kind for kind, example in zip(kinds, examples, strict=True) if example.label)
    texts = Counter(kinds)
    enough = {kind for kind in texts if min(spam[kind], texts[kind] - spam[kind]) >= LEAST_OF_EACH}
    chosen = [place for place, kind in enumerate(kinds) if kind in enough]
    # One name for each kind, so that all are measured as sources are.
    names = {str(place): kind for place, kind in enumerate(sorted(enough))}
    name_of = {kind: name for name, kind in names.items()}
    qualities = (
        evaluate.by_source(
            [replace(examples[place], source=name_of[kinds[place]]) for place in chosen],
            probabilities=probabilities[chosen],
            threshold=_THRESHOLD,
            seed=_SEED,
        )
        if chosen
        else []
    )
    known = {names[quality.source]: quality for quality in qualities if quality.source in names}
    return Measured(
        known=dict(sorted(known.items(), key=lambda pair: (pair[0].script != "", -pair[1].rows))),
        unknown={kind: count for kind, count in sorted(texts.items()) if kind not in enough},
    )


def write(found: Measured, *, release: Release) -> str:
    """Return what is known and what is not as markdown between its marks."""
    rows = "\n".join(_row(kind, quality) for kind, quality in found.known.items())
    scripts = ", ".join(script.title() for script in release.content.scripts) or "not said"
    text = f"""
Written by `python -m scoring.training languages` from what it measured; do not edit by hand.

Read are texts in these scripts: {scripts}. A text in any other goes to a human, until a platform's decisions have taught
[its head](ml-guide.md#scripts-that-the-models-do-not-read) to read it. ROC-AUC is the content model's alone, in brackets the 95 % interval of a
bootstrap over groups; recall and false positives are those at {_THRESHOLD}. Texts in a script that is not read stand apart, by script.

| language | source | texts (spam) | ROC-AUC | recall | false positives | script |
|---|---|---|---|---|---|---|
{rows}

Not known, since there are fewer than {LEAST_OF_EACH} spam or other texts: {_told(found.unknown)}. Of languages that do not stand here, nothing was measured.
"""  # noqa: E501 - a page's lines are longer
    return cards.marked(text, part=PART)


def _row(kind: Kind, quality: Quality) -> str:
    area, caught = quality.roc_auc, quality.recall * quality.spam
    flagged = caught / quality.precision if quality.precision else 0.0
    cells = (
        kind.language,
        kind.source,
        f"{quality.rows:,} ({quality.spam:,})",
        f"{area.value:.3f} ({area.low:.3f} to {area.high:.3f})",
        f"{quality.recall:.1%}",
        f"{(flagged - caught) / (quality.rows - quality.spam):.1%}",
        f"{kind.script.title()}: **not read**" if kind.script else "read",
    )
    return f"| {' | '.join(cells)} |"


def _told(unknown: Mapping[Kind, int]) -> str:
    counts: Counter[str] = Counter()
    for kind, count in unknown.items():
        counts[kind.told] += count
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"
