"""Akismet's calls. They answer in plain text, errors included, since plugins read only that.

They carry no ids: a comment is identified by its content.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from integrations import platform_verdicts
from integrations.akismet.comments import external_id_of, host_of, is_by_program, post_of, reporter_of
from integrations.akismet.host_keys import host_key
from moderation.models import ApiKey, Decision, Score
from moderation.models.decisions import DecisionSource, Verdict
from moderation.models.scores import RouteChoice
from moderation.operations import refusals, score_now
from moderation.operations.accounts import akismet_aliases, api_keys
from moderation.operations.cases import appeals, opening
from moderation.operations.infrastructure import client_address, limits
from moderation.operations.infrastructure.limits import Bucket
from moderation.operations.posts import complaints, ingest
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.queries import platform_posts

_PLAIN = "text/plain; charset=utf-8"
THANKS = "Thanks for making the web a better place."
_ALIAS = re.compile(r"[0-9a-f]{12}", re.ASCII)
_DISCARD_FROM = 0.99
"""From this spam probability on, and for bans, plugins may discard a comment."""

_TEST_SPAMMERS = frozenset({"akismet-guaranteed-spam", "viagra-test-123"})  # Akismet's documented names
_TEST_SPAM_MAIL = "akismet-guaranteed-spam@example.com"
_Call = Callable[[HttpRequest, ApiKey, datetime], HttpResponse]


@csrf_exempt
@require_http_methods(["POST"])
def verify_key(request: HttpRequest) -> HttpResponse:
    """Answer valid or invalid."""
    try:
        key = _key(request, name="key")
    except limits.LimitReached as reached:
        return _too_many(reached)
    return _text("valid" if key else "invalid")


@csrf_exempt
@require_http_methods(["POST"])
def comment_check(request: HttpRequest) -> HttpResponse:
    """Answer true for spam, otherwise false; while nothing is decided, pending if the key says so."""
    return _with_key(request, _check)


@csrf_exempt
@require_http_methods(["POST"])
def submit_spam(request: HttpRequest) -> HttpResponse:
    """Take missed spam: a complaint of the site, or a decision if the key says so."""
    return _with_key(request, _take_spam)


@csrf_exempt
@require_http_methods(["POST"])
def submit_ham(request: HttpRequest) -> HttpResponse:
    """Take a false positive: an appeal, which a lead reviews, or a decision if the key says so."""
    return _with_key(request, _take_ham)


@csrf_exempt
@require_http_methods(["GET", "POST"])
def usage_limit(request: HttpRequest) -> HttpResponse:
    """Answer how much of this month was used. There is no monthly limit here."""
    return _with_key(request, _usage)


@csrf_exempt
@require_http_methods(["POST"])
def get_subscription(request: HttpRequest) -> HttpResponse:
    """Answer what WordPress' plugin asks before it keeps a key; nothing here has to be paid."""
    return _with_key(request, _subscription)


@csrf_exempt
def nothing_here(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - a view takes the request
    """Answer any other call: plugins show the text to people, who need no page."""
    return HttpResponse("Not found.", status=404, content_type=_PLAIN)


def _check(request: HttpRequest, key: ApiKey, at: datetime) -> HttpResponse:
    form = request.POST.dict()
    if _is_given(form, "is_test"):
        return _test_answer(form)
    post = post_of(form, at=at)
    found = score_now.run(platform=key.platform, post=post, at=at)
    decision: Decision | None
    score: Score | None
    received_at = at
    if isinstance(found, ingest.Refused) or key.pending_hours is not None:
        # The same comment, perhaps with another date or browser: what the site may know of it by now.
        page = platform_posts.by_external_id(platform=key.platform, external_id=post.external_id, at=at)
        decision, score = page.decision, page.scores[0] if page.scores else None
        received_at = page.post.received_at
    else:
        decision, score = found.decision, found.score
    is_by_person = decision is not None and decision.source == DecisionSource.MODERATOR
    if is_by_program(form) and not is_by_person:
        _complain(key, form, note="A field was filled in that people do not see.", at=at)
        return _text("true")
    if decision is None and key.pending_hours is not None:
        if at < received_at + timedelta(hours=key.pending_hours):
            return _text("pending", help_="not decided yet")
        return _text("true" if score is not None and score.spam_probability >= 0.5 else "false")
    if decision is None or decision.verdict != Verdict.SPAM:
        return _text("false", help_="" if score else "not scored in time")
    is_certain = score is not None and (
        score.ban_id is not None
        or (score.route == RouteChoice.REMOVE and score.spam_probability >= _DISCARD_FROM)
    )
    return _text("true", discard=is_certain)


def _take_spam(request: HttpRequest, key: ApiKey, at: datetime) -> HttpResponse:
    form = request.POST.dict()
    if _is_given(form, "is_test"):
        return _text(THANKS)
    if not _decide(key, form, Verdict.SPAM, at=at):
        ingest.accept(platform=key.platform, posts=[post_of(form, at=at)], at=at)
        _complain(key, form, at=at)
    return _text(THANKS)


def _take_ham(request: HttpRequest, key: ApiKey, at: datetime) -> HttpResponse:
    form = request.POST.dict()
    if _is_given(form, "is_test") or _decide(key, form, Verdict.NOT_SPAM, at=at):
        return _text(THANKS)
    post = post_of(form, at=at)
    found = score_now.run(platform=key.platform, post=post, at=at)
    if not isinstance(found, ingest.Refused) or found.code == "revision_conflict":
        # Not decided yet: nothing to appeal.
        with suppress(opening.NotScored, refusals.Erased):
            appeals.file(platform=key.platform, external_id=post.external_id, at=at)
    return _text(THANKS)


def _decide(key: ApiKey, form: dict[str, str], verdict: Verdict, *, at: datetime) -> bool:
    """Decide as the site's moderators did, if the key may; return whether it is decided."""
    if not key.submissions_decide or key.acts_as is None or not key.acts_as.is_active:
        return False
    post = post_of(form, at=at)
    score_now.run(platform=key.platform, post=post, at=at)
    with suppress(opening.NotScored, refusals.Erased, refusals.Refusal):
        platform_verdicts.record(
            platform=key.platform,
            external_id=post.external_id,
            verdict=verdict,
            moderator=key.acts_as,
            at=at,
        )
        return True
    return False


def _complain(key: ApiKey, form: dict[str, str], *, at: datetime, note: str = "") -> None:
    complaint = IncomingComplaint(
        post=external_id_of(form),
        # By programs' fields and by people: how often each is right is learned apart.
        reporter=reporter_of(form, by="form" if note else "site"),
        reason="spam",
        reported_at=at,
        note=note,
    )
    # The protocol has no answer for it: a plugin that gets an error reports the same comment for ever.
    with suppress(refusals.Erased):
        complaints.record(platform=key.platform, complaint=complaint, at=at)


def _usage(request: HttpRequest, key: ApiKey, at: datetime) -> HttpResponse:  # noqa: ARG001 - all calls are alike
    begins = at.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    used = platform_posts.count_since(platform=key.platform, since=begins)
    return JsonResponse({"limit": "none", "usage": used, "percentage": "0.00", "throttled": False})


def _subscription(request: HttpRequest, key: ApiKey, at: datetime) -> HttpResponse:  # noqa: ARG001 - as above
    return JsonResponse(
        {
            "account_id": key.pk,
            "account_name": key.name,
            "account_type": "Spamdesk",
            "status": "active",
            "next_billing_date": False,
            "limit_reached": False,
        }
    )


def _with_key(request: HttpRequest, call: _Call) -> HttpResponse:
    at = timezone.now()
    bucket = Bucket(name="scores", per_minute=settings.SCORE_NOW_PER_MINUTE, burst=settings.SCORE_NOW_BURST)
    try:
        key = _key(request, name="api_key")
        if key is None:
            return _text(
                "invalid", help_="unknown key, or one without the scopes of posts, complaints, verdicts"
            )
        limits.take(bucket=bucket, owner=str(key.pk), at=at)
    except api_keys.PlatformOff as refusal:
        return _text("invalid", help_=str(refusal))
    except limits.LimitReached as reached:
        return _too_many(reached)
    return call(request, key, at)


def _key(request: HttpRequest, *, name: str) -> ApiKey | None:
    """Find the key in form, query or host name. Raises LimitReached after too many wrong ones."""
    form, at = {**request.GET.dict(), **request.POST.dict()}, timezone.now()
    secret = form.get(name) or form.get("api_key") or form.get("key") or host_key(request)
    network = client_address.network(client_address.address(request))
    try:
        if _ALIAS.fullmatch(secret):
            site = host_of(form)
            key = akismet_aliases.authenticate(alias=secret, site=site, at=at, network=network)
        else:
            key = api_keys.authenticate(secret=secret, at=at, network=network)
    except api_keys.InvalidKey:
        return None
    return key if key.serves_akismet else None


def _too_many(reached: limits.LimitReached) -> HttpResponse:
    headers = {"Content-Type": _PLAIN, "Retry-After": str(reached.taken.reset_seconds)}
    return HttpResponse("Too many requests.", status=429, headers=headers)


def _test_answer(form: dict[str, str]) -> HttpResponse:
    """Answer Akismet's documented test comments; nothing is stored."""
    is_spam = (
        form.get("comment_author") in _TEST_SPAMMERS or form.get("comment_author_email") == _TEST_SPAM_MAIL
    )
    return _text("true" if is_spam else "false", discard=is_spam and _is_given(form, "test_discard"))


def _is_given(form: dict[str, str], name: str) -> bool:
    return form.get(name, "").lower() in {"1", "true"}


def _text(body: str, *, discard: bool = False, help_: str = "") -> HttpResponse:
    response = HttpResponse(body, content_type=_PLAIN)
    response.headers["Cache-Control"] = "no-store"
    if discard:
        response.headers["X-akismet-pro-tip"] = "discard"
    if help_:
        response.headers["X-akismet-debug-help"] = help_
    return response
