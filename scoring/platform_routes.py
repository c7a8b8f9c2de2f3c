"""Margins and probabilities on platforms: some have a head, some a curve from their own random labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring.ensemble import calibrated
from scoring.release import Release
from scoring.trees import Floats


def probabilities(release: Release, margins: Floats, *, platforms: Sequence[str]) -> Floats:
    """Map main margins (n,) to spam probabilities, each by the curve of its post's platform."""
    found = calibrated(margins, calibration=release.calibration)
    for platform in release.platforms.keys() & set(platforms):
        here = np.array([name == platform for name in platforms])
        found[here] = calibrated(margins[here], calibration=release.platforms[platform].calibration)
    return found
