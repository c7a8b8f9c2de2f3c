"""The current case of a moderator, with everything that its template needs."""

from datetime import datetime

from django.template.loader import render_to_string

from moderation.models import BlindReview, Decision, desk_settings
from moderation.models.cases import CaseReason
from moderation.models.decisions import Verdict
from moderation.models.preferences import Blur
from moderation.queries.accounts import reasons as accounts_reasons
from moderation.queries.campaigns import campaign_names
from moderation.queries.cases import backlog, case_pages, first_shift
from moderation.queries.decisions import actions, last_act
from moderation.web import access
from moderation.web.cases import behind, evidence, model_view, working_filter

_LAST = {"last": Decision, "last_answer": BlindReview, "last_skip": last_act.Skip}


def context(request: access.DeskRequest, case_id: int, *, at: datetime) -> dict[str, object]:
    """Return the variables of `cases/_current_case.html` for a case. Raises Case.DoesNotExist."""
    page = case_pages.case_page(case_id=case_id, viewer=request.user, at=at)
    score = page.case.score
    reasons = accounts_reasons.reasons()
    is_blurred = _is_blurred(request, page)
    rules = {} if page.case.reason == CaseReason.BLIND else actions.rules([page.case.post.platform_id])
    words = None if page.is_score_hidden else score.evidence_words
    return {
        "at": at,
        "page": page,
        "strip": campaign_names.strip(case=page.case),
        "is_mine": page.is_held_by(request.user, at=at),
        "holder": page.other_holder(request.user, at=at),
        "lease_seconds": desk_settings.current().lease_seconds,
        "segments": evidence.text_segments(page, is_whole=False),
        "is_shortened": evidence.is_shortened(score.revision.text),
        "is_blurred": is_blurred,
        "behind": behind.of(score.revision, page.evidence, at=at, words=words),
        "captions": behind.captions(score.revision, words=words),
        "announced": evidence.announcement(page, is_blurred=is_blurred),
        "ids": evidence.foreign_ids(page),
        "view": None if page.is_score_hidden or score.ban_id else model_view.of(page.scored, at=at),
        "reasons": evidence.offered(reasons, page, rules),
        "follow_ups": [rule for verdict in Verdict if (rule := evidence.follow_up(page, rules, verdict))]
        if rules
        else None,
        "author_facts": list(evidence.author_facts(page)),
        "address_facts": list(evidence.address_facts(page)),
        "journey": evidence.journey_marks(page.record) if page.record else [],
        "journey_words": evidence.journey_words(page.record) if page.record else "",
    }


def idle_context(request: access.DeskRequest, *, at: datetime, is_swap: bool = False) -> dict[str, object]:
    """Return the variables of `cases/_current_case.html` without a case: counts of the queue."""
    overview = backlog.overview(viewer=request.user, at=at)
    is_first_shift = working_filter.is_first_shift(request)
    shift = first_shift.of(user=request.user, at=at) if is_first_shift else None
    return {
        "at": at,
        "page": None,
        "lease_seconds": desk_settings.current().lease_seconds,
        "overview": overview,
        "is_first_shift_over": is_first_shift and (is_swap or not (shift and shift.is_offered)),
    }


def last_context(request: access.DeskRequest, *, at: datetime) -> dict[str, object]:
    """Return the variables of `cases/_last_decision.html`: what was done last and can still be undone."""
    act = last_act.undoable(moderator=request.user, at=at)
    until = act.effective_at if isinstance(act, Decision) else act and act.final_at
    acts = {name: act if isinstance(act, kind) else None for name, kind in _LAST.items()}
    return {"at": at, "last_until": until, **acts}


def render(request: access.DeskRequest, case_id: int | None, *, at: datetime) -> str:
    """Return the case, or the page without a case, as HTML."""
    parts = context(request, case_id, at=at) if case_id else idle_context(request, at=at, is_swap=True)
    return render_to_string("cases/_current_case.html", parts | {"is_swap": True}, request)


def _is_blurred(request: access.DeskRequest, page: case_pages.CasePage) -> bool:
    blur = request.user.preferences.blur
    return blur == Blur.ALWAYS or (blur == Blur.GRAPHIC and page.is_graphic)
