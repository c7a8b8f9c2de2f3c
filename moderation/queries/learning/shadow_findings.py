"""What the promotion gate asks of a candidate that scored live posts in shadow."""

from __future__ import annotations

from moderation.models import ShadowRun
from moderation.queries.learning import shadow_figures, shadow_labels
from scoring.gate import Finding


def findings(*, candidate: str, live: str) -> list[Finding]:
    """Ask the latest shadow run of these two releases; nothing if there was none."""
    run = ShadowRun.objects.filter(candidate=candidate, live=live).order_by("-id").first()
    return [] if run is None else [shadow_figures.finding(shadow_labels.comparison(run), number=run.pk)]
