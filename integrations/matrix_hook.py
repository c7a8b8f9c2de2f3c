"""Callbacks of synapse-http-antispam: while the sender waits, and always answered in JSON.

Synapse refuses what is not answered in JSON, for invitations and sign-ins of a whole server. So only messages
are looked at, and a failure lets them through unless the address in Synapse's settings says otherwise.
Source: maunium/synapse-http-antispam README, 0a28a4d.
"""

import hmac
import json
from typing import Any

import structlog
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from integrations import intake
from integrations.matrix import post_of
from integrations.models import Integration, IntegrationState
from moderation.models.decisions import Verdict
from moderation.operations import score_now
from moderation.operations.infrastructure import vault
from moderation.operations.posts import ingest

log = structlog.get_logger(__name__)

_MOST_BYTES = 200_000  # an event of Matrix has at most 65,536


@csrf_exempt
def answer(request: HttpRequest, hook: str, callback: str, *, is_closed: bool = False) -> JsonResponse:
    """Answer a callback: 200 lets it through, 403 refuses it, with what the sender reads."""
    try:
        body = json.loads(request.body) if len(request.body) <= _MOST_BYTES else {}
        body = body if isinstance(body, dict) else {}
        if callback == "ping":
            return JsonResponse({"id": body.get("id"), "status": "ok"})
        is_spam = callback == "check_event_for_spam" and _is_spam(request, hook, body.get("event"))
    except Exception:
        log.exception("matrix_callback_failed", callback=callback)
        if is_closed and callback == "check_event_for_spam":
            return _refusal(503, "The message could not be checked. Please try again later.")
        is_spam = False
    return _refusal(403, "This message looks like spam.") if is_spam else JsonResponse({})


def _is_spam(request: HttpRequest, hook: str, event: Any) -> bool:
    """Store and score a message; whether the filter removed it. What a person is to judge goes through."""
    integration = Integration.objects.select_related("platform").get(
        hook=hook, kind="matrix", state=IntegrationState.ACTIVE
    )
    secret = vault.decrypt(integration.webhook_secret) if integration.webhook_secret else ""
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    if not hmac.compare_digest(given.encode(), secret.encode()):
        raise PermissionError("The authorization is not the secret that stands on the page.")
    post = post_of(event) if isinstance(event, dict) else None
    if post is None:
        return False
    at = timezone.now()
    if integration.platform.off_at is not None:
        return False
    scored = score_now.run(platform=integration.platform, post=intake.cleaned(post, at=at), at=at)
    if isinstance(scored, ingest.Refused):
        return False
    intake.remember(
        integration,
        post_id=scored.post.post_id,
        remote={"event": event["event_id"], "room": event.get("room_id", ""), "sender": event["sender"]},
    )
    return scored.decision is not None and scored.decision.verdict == Verdict.SPAM


def _refusal(status: int, words: str) -> JsonResponse:
    return JsonResponse({"errcode": "M_FORBIDDEN", "error": words}, status=status)
