"""Margins and probabilities on platforms: some have a head, some a curve from their own random labels."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from scoring.ensemble import calibrated
from scoring.release import Release
from scoring.trees import Floats


def link_bounds(release: Release, *, platforms: Sequence[str], content_probabilities: Floats) -> Floats:
    """Return what looks and past of links may add to posts (n,), each on its platform, in log-odds.

    Bounded where a head has read the text; one that was not asked has read no link.
    """
    bounds = np.array([link_bound(release, platform) for platform in platforms])
    bounds[np.isnan(content_probabilities)] = np.inf
    return bounds


def link_bound(release: Release, platform: str) -> float:
    """Return what looks and past of links may add on a platform, in log-odds: infinite without a head, or
    with one from before its release pinned a bound.
    """
    if platform not in release.heads:
        return math.inf
    return float(release.manifest["heads"][platform].get("links_at_most", math.inf))


def probabilities(release: Release, margins: Floats, *, platforms: Sequence[str]) -> Floats:
    """Map main margins (n,) to spam probabilities, each by the curve of its post's platform."""
    found = calibrated(margins, calibration=release.calibration)
    for platform in release.platforms.keys() & set(platforms):
        here = np.array([name == platform for name in platforms])
        found[here] = calibrated(margins[here], calibration=release.platforms[platform].calibration)
    return found
