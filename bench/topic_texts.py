"""Texts of the simulated world with their kinds as topics, for `python -m scoring.training topic-quality`."""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from pathlib import Path

from moderation.simulation.texts import ComposedTexts, variant


def main() -> None:
    """Write one JSON line for each text; kinds are the simulation's own, their templates the groups."""
    parser = argparse.ArgumentParser(prog="python -m bench topic_texts", description=__doc__)
    parser.add_argument("--texts", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    source = ComposedTexts()
    with arguments.out.open("w", encoding="utf-8") as file:
        for place in range(arguments.texts):
            template = source.template(rng=rng, is_spam=place % 2 == 0)
            text = variant(template, rng=rng)
            is_english = text.language == "en"
            row = {
                "id": f"simulated-{place}",
                "source": "simulation, English" if is_english else "simulation, other languages",
                "lang": text.language,
                "text": text.text,
                "label": int(text.kind.is_spam),
                "group": hashlib.sha256(template.template.encode()).hexdigest()[:12],
                "meta": {"labels": [text.kind.name]},
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(f"{arguments.out}: {arguments.texts:,} texts")
