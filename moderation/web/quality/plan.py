"""Sentences beside the figures: labels needed for narrow ones, and the effect of undecided posts."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from moderation.queries.quality.tables import Rows
from moderation.web import quantities
from moderation.web.quality import shares


def plan(rows: Rows) -> list[str]:
    """Say how many labels a week measuring missed spam takes, and how many come."""
    if not rows:
        return []
    [row] = rows
    if "share" not in row:
        few = _("No plan: {posts} posts let through this week, {fewest} are needed.")
        return [few.format(posts=quantities.count(row["scores"]), fewest=quantities.count(row["fewest"]))]
    origin = _("measured by {labels}") if row["is_measured"] else _("by the model alone; {labels}")
    return [
        _("Spam among posts let through: {share} ({origin}).").format(
            share=shares.share(row["share"]), origin=origin.format(labels=shares.labels(row["labels"]))
        ),
        _("To measure this within ±{within}, you need about {labels} a week. You have {pace}.").format(
            within=quantities.percent(row["within"]),
            labels=shares.labels(row["by_score"]),
            pace=quantities.count(row["pace"]),
        ),
    ]


def undecided(rows: Rows) -> list[str]:
    """Say which posts are missing from the figures, and how far they could move them; nothing if none is."""
    if not rows or not rows[0]["drawn"] + rows[0]["review"]:
        return []
    [row] = rows
    sentences = [waiting(row["drawn"] + row["review"])]
    if row.get("passed"):
        number = row["passed"]
        words = ngettext(
            "{} drawn post was passed over; the intervals allow any answer.",
            "{} drawn posts were passed over; the intervals allow any answer.",
            number,
        )
        sentences.append(words.format(quantities.count(number)))
    if row["review"] and row["with_recall"] is not None:
        sentences.append(
            _("If all in review were spam: recall {recall}, spam among all {spam}.").format(
                recall=shares.share(row["with_recall"]), spam=shares.share(row["with_prevalence"])
            )
        )
    return sentences


def waiting(number: int) -> str:
    """Say that so many posts of the period, one at least, were not judged yet."""
    words = ngettext(
        "{} post is undecided, so these figures may be off.",
        "{} posts are undecided, so these figures may be off.",
        number,
    )
    return words.format(quantities.count(number))
