"""Labelled URLs that are made up, and the file that holds such ones."""

import csv
import gzip
from pathlib import Path

import numpy as np

from training.labelled_urls import LabelledUrl

SITES = [f"popular{number}.com" for number in range(40)]


def made_up(count: int) -> list[LabelledUrl]:
    """URLs of many domains, bad ones with a login path, a few of each sort with the other's."""
    generator = np.random.default_rng(2)
    rows = []
    for number in range(count):
        is_bad = bool(generator.random() < 0.5)
        swapped = is_bad != bool(generator.random() < 0.04)
        path = f"wp-content/login.php?id={number}" if swapped else f"news/{number}/a-calm-story.html"
        rows.append(
            LabelledUrl(
                url=f"http://site{number % 150}.example/{path}",
                domain=f"site{number % 150}.example",
                kind="phishing" if is_bad else "benign",
            )
        )
    return rows


def written(rows: list[LabelledUrl], path: Path) -> Path:
    with gzip.open(path, "wt", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["source", "url", "dom", "cls"])
        lines.writerows(["made-up", row.url, row.domain, row.kind] for row in rows)
    return path
