"""Write the table of features: `python -m scoring.features > docs/features.md`."""

import sys
from collections.abc import Iterable, Iterator

from scoring.features import FEATURES, SCHEMA_HASH, SUB_MODEL_FEATURES, Feature, collected

_OPENING = f"""# Features

What the ensemble looks at, computed from a stored record by pure functions in `scoring/features/`.
This page is generated (`python -m scoring.features > docs/features.md`); a test fails when it is out of date.

NaN ("unknown") is the value where the platform did not say or there is nothing to measure; it is never
replaced by a number. Counts and shares of confirmed spam rest on moderators' decisions only, never on the
filter's own verdicts. "Mission name" is what the product's requirements call it; `text_content` among them is
the content model's contribution `content.text`, which is no feature.

Schema hash: `{SCHEMA_HASH}`
"""

_OF_EVIDENCE = """## Evidence

What links lead to, pictures and captions. No tree reads these: they come after a post's first score, and
`scoring/evidence_model.py` joins them to its margin, towards spam only
([ADR 31](adr/0031-evidence-adds-and-never-excuses.md)). They are not in the schema hash; a score
names only those that are known of its post. What begins with `content.` is what the release's reader says
of a text by itself.
"""


def page() -> str:
    """Return docs/features.md: one table for each sub-model."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _OPENING
    by_name = {feature.name: feature for feature in FEATURES}
    for sub_model, names in SUB_MODEL_FEATURES.items():
        yield f"## Sub-model {sub_model}\n"
        yield from _table(by_name[name] for name in names)
    yield _OF_EVIDENCE
    yield from _table(collected.FEATURES)


def _table(rows: Iterable[Feature]) -> Iterator[str]:
    yield "| feature | mission name | unit | range | meaning | why spammers move it | source |"
    yield "|---|---|---|---|---|---|---|"
    yield from map(_row, rows)
    yield ""


def _row(feature: Feature) -> str:
    cells = (
        f"`{feature.name}`",
        feature.mission_name,
        feature.unit,
        " to ".join(f"{bound:g}".replace("inf", "∞") for bound in feature.bounds),
        feature.meaning,
        feature.why,
        _source(feature),
    )
    return f"| {' | '.join(cells)} |"


def _source(feature: Feature) -> str:
    """Name the function's module: its file under scoring/features/."""
    function = feature.judge or feature.compute
    if function is None:
        return "`readings.py`"
    function = getattr(function, "func", function)
    return f"`{getattr(function, '__module__', '').rpartition('.')[2]}.py`"


if __name__ == "__main__":
    sys.stdout.write(page())
