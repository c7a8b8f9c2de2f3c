"""Decisions as CSV, a line at a time: who decided what, when and why. It has no texts of posts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from datetime import datetime

from moderation.models import Decision
from moderation.operations.labels.export_formats import inert_cell

COLUMNS = (
    "decision_id",
    "decided_at",
    "effective_at",
    "verdict",
    "source",
    "decided_by",
    "reason",
    "note",
    "platform",
    "post_id",
    "author_id",
    "spam_probability",
    "campaign_id",
    "reversed_at",
    "reversed_by",
    "replaced_by",
)


def lines(decisions: Iterable[Decision]) -> Iterator[str]:
    """Yield the file's lines, the names of the columns first."""
    yield _line(COLUMNS)
    for decision in decisions:
        yield _line(_cells(decision))


def _line(cells: Iterable[object]) -> str:
    text = io.StringIO()
    csv.writer(text).writerow([inert_cell(cell) for cell in cells])
    return text.getvalue()


def _cells(decision: Decision) -> Iterable[object]:
    post, reversal = decision.post, getattr(decision, "reversal", None)
    campaign = decision.campaign_decision
    return (
        decision.pk,
        _instant(decision.decided_at),
        _instant(decision.effective_at),
        decision.verdict,
        decision.source,
        decision.decided_by.username if decision.decided_by else "",
        decision.reason,
        decision.note,
        post.platform.slug,
        post.external_id,
        post.author.external_id or "",
        round(decision.score.spam_probability, 6),
        campaign.campaign_id if campaign else "",
        _instant(reversal.reversed_at) if reversal else "",
        reversal.reversed_by.username if reversal else "",
        (reversal.replacement_id or "") if reversal else "",
    )


def _instant(moment: datetime) -> str:
    return moment.isoformat()
