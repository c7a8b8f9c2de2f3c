"""Curated texts that no model learns from, for `topic-quality` of training: families are topics."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from simulation.texts import Families, curated


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--out", type=Path, required=True)


def main(options: argparse.Namespace) -> None:
    """Write one JSON line for each text."""
    texts = curated(Families.KEPT_OUT)
    with options.out.open("w", encoding="utf-8") as file:
        for place, text in enumerate(texts):
            row = {
                "id": f"curated-{place}",
                "source": "curated, English" if text.language == "en" else "curated, other languages",
                "lang": text.language,
                "text": text.text,
                "label": int(text.kind.is_spam),
                "group": f"curated-{place}",
                "meta": {"labels": [text.kind.name]},
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(f"{options.out}: {len(texts):,} texts")
