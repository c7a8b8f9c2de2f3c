"""Exceptions to problems: the one handler of the platform API and the one table from refusals to codes."""

from typing import Any

import structlog
from django.core.exceptions import PermissionDenied
from django.core.signals import got_request_exception
from django.http import Http404, HttpRequest, JsonResponse, UnreadablePostError
from rest_framework import exceptions
from rest_framework.response import Response

from moderation.api import problems
from moderation.operations import refusals, rules
from moderation.operations.accounts import api_keys
from moderation.operations.campaigns import campaign_decisions
from moderation.operations.cases import reversals, second_review
from moderation.operations.infrastructure import idempotency, limits, outage, vault
from moderation.operations.labels import draws
from moderation.operations.learning import proposals, shadow, thresholds, training_runs
from moderation.operations.webhooks import endpoints, send

log = structlog.get_logger(__name__)

RETRY_AFTER_SECONDS = 5


class Refused(exceptions.APIException):
    """A refusal with a code of `problems`, raised by the API itself."""

    def __init__(self, code: str, detail: str, **more: Any) -> None:
        super().__init__(detail, code)
        self.status_code = problems.PROBLEMS[code].status
        self.code = code
        self.more = more


CODES: tuple[tuple[type[Exception], str], ...] = (
    # Subclasses come before their base classes.
    (api_keys.RevokedKey, "revoked_key"),
    (api_keys.ExpiredKey, "expired_key"),
    (api_keys.InvalidKey, "invalid_key"),
    (api_keys.PlatformOff, "platform_off"),
    (limits.LimitReached, "rate_limited"),
    (idempotency.InFlight, "request_in_flight"),
    (idempotency.KeyReused, "idempotency_key_reused"),
    (vault.MissingKey, "cannot_encrypt"),
    (refusals.Erased, "erased"),
    (idempotency.Forgotten, "erased"),
    (refusals.AlreadyClaimed, "already_claimed"),
    (refusals.AlreadyDecided, "already_decided"),
    (campaign_decisions.StillRunning, "still_running"),
    (campaign_decisions.NothingToDecide, "nothing_to_decide"),
    (campaign_decisions.SharedCampaign, "shared_campaign"),
    (draws.NothingToDraw, "nothing_to_draw"),
    (draws.TooManyWait, "too_many_drawn"),
    (training_runs.AlreadyOpen, "training_open"),
    (training_runs.NotOpen, "training_ended"),
    (training_runs.NothingToLearn, "nothing_to_learn"),
    (proposals.NoCandidate, "no_candidate"),
    (thresholds.NoOwnThresholds, "shared_thresholds"),
    (thresholds.Unchanged, "already_live"),
    (proposals.AlreadyLive, "already_live"),
    (proposals.AlreadyProposed, "already_proposed"),
    (proposals.OwnProposal, "own_proposal"),
    (proposals.Closed, "proposal_closed"),
    (proposals.GoingLive, "going_live"),
    (proposals.LiveHasChanged, "live_has_changed"),
    (shadow.AlreadyRunning, "shadow_open"),
    (shadow.NotRunning, "shadow_ended"),
    (second_review.NotDecided, "not_decided"),
    (refusals.CaseClosed, "case_closed"),
    (refusals.ClaimLost, "claim_lost"),
    (refusals.PostChanged, "post_changed"),
    (refusals.NotAllowed, "not_allowed"),
    (reversals.AlreadyReversed, "already_reversed"),
    (reversals.SameVerdict, "same_verdict"),
    (rules.AlreadyRuled, "rule_exists"),
    (refusals.AlreadyActive, "already_active"),
    (refusals.NotInForce, "rule_ended"),
    (refusals.SecondPersonNeeded, "second_person_needed"),
    (endpoints.AlreadyThere, "endpoint_exists"),
    (endpoints.TooMany, "too_many_endpoints"),
    (endpoints.Changed, "precondition_failed"),
    (send.NoReplay, "no_replay"),
    (exceptions.ValidationError, "invalid_fields"),
    (exceptions.ParseError, "malformed_body"),
    (UnreadablePostError, "malformed_body"),
    (exceptions.NotAuthenticated, "not_authenticated"),
    (exceptions.PermissionDenied, "missing_scope"),
    (PermissionDenied, "missing_scope"),
    (exceptions.NotFound, "not_found"),
    (Http404, "not_found"),
    (exceptions.MethodNotAllowed, "method_not_allowed"),
    (exceptions.NotAcceptable, "not_acceptable"),
    (exceptions.UnsupportedMediaType, "unsupported_media_type"),
)

_DETAILS = {
    # Their messages hold nothing useful for the caller.
    "internal_error": "The request failed on our side and was logged.",
    "not_found": "There is nothing at this address.",
}


def handle(exception: Exception, context: dict[str, Any]) -> Response:
    """Answer any exception of a view with a problem; unexpected ones are logged and become a 500."""
    code = code_of(exception)
    request: HttpRequest = context["request"]
    if found := outage.of(exception):
        outage.note(found)
    if code == "internal_error":
        log.error("unhandled_exception", exc_info=exception)
        # Django's own signal: its test client raises the exception again, monitors count it.
        got_request_exception.send(sender=type(context["view"]), request=request)
    return Response(
        problem_for(exception, request=request),
        status=problems.PROBLEMS[code].status,
        content_type=problems.CONTENT_TYPE,
        headers=_headers(code, exception),
    )


def code_of(exception: Exception) -> str:
    """Return the stable code of a refusal; `internal_error` for what is not one."""
    if isinstance(exception, Refused):
        return exception.code
    if outage.of(exception):
        return "unavailable"
    return next((code for kind, code in CODES if isinstance(exception, kind)), "internal_error")


def problem_for(exception: Exception, *, request: HttpRequest) -> dict[str, Any]:
    """Return the problem body for an exception."""
    code = code_of(exception)
    errors = problems.errors_of(exception.detail) if isinstance(exception, exceptions.ValidationError) else []
    return problems.body(
        code,
        detail=f"{_count(len(errors))} refused; nothing was stored." if errors else _detail(exception, code),
        instance=request.path,
        request_id=_request_id(request),
        errors=errors,
        more=exception.more if isinstance(exception, Refused) else None,
    )


def answer(
    code: str, *, detail: str, request: HttpRequest, headers: dict[str, str] | None = None
) -> JsonResponse:
    """Answer with a problem where no view runs."""
    body = problems.body(code, detail=detail, instance=request.path, request_id=_request_id(request))
    status = problems.PROBLEMS[code].status
    return JsonResponse(body, status=status, content_type=problems.CONTENT_TYPE, headers=headers)


def _request_id(request: HttpRequest) -> str:
    """Return the id that the middleware gave the request."""
    return str(getattr(request, "request_id", ""))


def _detail(exception: Exception, code: str) -> str:
    if found := outage.of(exception):  # a database driver's message may leak internals
        return found.detail
    return _DETAILS.get(code) or str(exception) or problems.PROBLEMS[code].title


def _count(fields: int) -> str:
    return "One field was" if fields == 1 else f"{fields} fields were"


def _headers(code: str, exception: Exception) -> dict[str, str]:
    if isinstance(exception, limits.LimitReached):
        return {"Retry-After": str(exception.taken.reset_seconds)}
    if code == "request_in_flight":
        return {"Retry-After": "1"}
    if problems.PROBLEMS[code].status == 401:
        return {"WWW-Authenticate": 'Bearer realm="spamdesk"'}
    if found := outage.of(exception):
        return {"Retry-After": str(found.retry_after_seconds)}
    if code in ("unavailable", "cannot_encrypt"):
        return {"Retry-After": str(RETRY_AFTER_SECONDS)}
    return {}
