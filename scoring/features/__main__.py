"""Write the table of features: `python -m scoring.features > docs/features.md`."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from string import Template

from scoring.features import FEATURES, SCHEMA_HASH, SUB_MODEL_FEATURES, Feature, collected

_TEMPLATE = Path(__file__).with_name("features.md.template")


def page() -> str:
    """Return docs/features.md: one table for each sub-model."""
    return Template(_TEMPLATE.read_text(encoding="utf-8")).substitute(
        schema_hash=SCHEMA_HASH,
        sub_models="\n".join(_sub_models()),
        evidence="\n".join(_table(collected.FEATURES)),
    )


def _sub_models() -> Iterator[str]:
    by_name = {feature.name: feature for feature in FEATURES}
    for sub_model, names in SUB_MODEL_FEATURES.items():
        yield f"## Sub-model {sub_model}\n"
        yield from _table(by_name[name] for name in names)


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
