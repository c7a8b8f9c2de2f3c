"""Open links once more, as a browser, and compare: some pages show programs something else.

The second fetch is a row of its own: the same leases and recovery, once an hour for all posts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Q

from moderation.evidence import likeness
from moderation.models import Evidence, Score
from moderation.models.evidence import EvidenceKind, EvidenceRole, EvidenceState
from moderation.models.platforms import Collecting
from moderation.models.scores import RouteChoice
from moderation.operations.evidence import leads
from moderation.operations.evidence.leads import Address
from moderation.operations.infrastructure import transactions

_KINDS = (EvidenceKind.PAGE, EvidenceKind.BROWSER)


def wanted(revision_ids: Sequence[int]) -> list[int]:
    """Return the revisions whose links are to be opened as a browser, too."""
    chooses = Q(revision__post__platform__browses_evidence=Collecting.ON) | Q(
        revision__post__platform__browses_evidence=Collecting.UNSURE, route=RouteChoice.REVIEW
    )
    scores = Score.objects.filter(chooses, revision__in=revision_ids)
    return list(scores.order_by("revision").values_list("revision", flat=True).distinct())


def of(addresses: Iterable[Address]) -> list[Address]:
    """Return the same links, to be opened as a browser."""
    return [replace(address, kind=EvidenceKind.BROWSER, role=EvidenceRole.BROWSER) for address in addresses]


@transactions.required
def lock_with_other(row: Evidence) -> tuple[bool, Evidence | None]:
    """Lock a row that was claimed and the other fetch of its address in the same hour.

    Return whether the row is still held, which it is not if another worker has taken over or its posts were
    erased, and the other if it was read. In order, so that the two cannot deadlock; the later one finds what
    the first one kept.
    """
    kinds = _KINDS if row.kind in _KINDS else ()
    digests = [row.url_digest, *(leads.digest(row.url, kind=kind) for kind in kinds)]
    rows = Evidence.objects.select_for_update(no_key=True).filter(url_digest__in=digests, hour=row.hour)
    other, is_held = None, False
    for fetch in rows.order_by("id"):
        if fetch.pk == row.pk:
            is_held = (fetch.state, fetch.attempts) == (EvidenceState.FETCHING, row.attempts)
        elif _was_read(fetch):
            other = fetch
    return is_held, other


@transactions.required
def compare(row: Evidence, other: Evidence | None) -> bool:
    """Record in both rows whether they show different pages; return whether they do.

    Also whether the page that people get matches its preview. Call with both locked and `row` as it will be
    kept: the caller saves it.
    """
    if row.kind not in _KINDS or not _was_read(row):
        return False
    if other is None:
        if row.kind == EvidenceKind.PAGE:
            facts = row.facts or {}
            _note(row, differs_from_preview=likeness.differs_from_preview(facts, preview=facts))
        return False
    page, browsers = (row, other) if row.kind == EvidenceKind.PAGE else (other, row)
    is_cloaked = _ends(page) != _ends(browsers) or likeness.differ(page.facts or {}, browsers.facts or {})
    from_preview = likeness.differs_from_preview(browsers.facts or {}, preview=page.facts or {})
    _note(page, differs_for_browser=is_cloaked, differs_from_preview=from_preview)
    _note(browsers, differs_for_browser=is_cloaked)
    other.save(update_fields=("facts",))
    return bool(is_cloaked)


def _was_read(row: Evidence) -> bool:
    # An error page, or a refusal, is what sites show to programs that they do not know: no cloaking.
    return row.state == EvidenceState.FETCHED and "text" in (row.facts or {})


def _ends(row: Evidence) -> str:
    return row.final_domain or row.final_host


def _note(row: Evidence, **found: Any) -> None:
    row.facts = {**(row.facts or {}), **found}
