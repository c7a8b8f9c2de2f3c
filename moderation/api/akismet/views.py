"""Akismet's calls. They answer in plain text, errors included, since plugins read only that.

They carry no ids: a comment is identified by its content.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods
from rest_framework.exceptions import ValidationError

from moderation.api.akismet.host_keys import host_key
from moderation.api.serializers.fields import MAX_LANGUAGE_LENGTH, AddressField, is_language
from moderation.api.serializers.posts import MAX_TEXT_LENGTH, MAX_URL_LENGTH
from moderation.models import ApiKey
from moderation.models.decisions import Verdict
from moderation.models.platforms import Scope
from moderation.models.scores import RouteChoice
from moderation.operations import refusals, score_now
from moderation.operations.accounts import api_keys
from moderation.operations.cases import appeals, opening
from moderation.operations.infrastructure import client_address, limits
from moderation.operations.infrastructure.limits import Bucket
from moderation.operations.posts import complaints, ingest
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.posts.incoming_post import IncomingPost, of_fields
from moderation.queries import platform_posts

_PLAIN = "text/plain; charset=utf-8"
THANKS = "Thanks for making the web a better place."
_DISCARD_FROM = 0.99
"""From this spam probability on, and for bans, plugins may discard a comment."""

_TEST_SPAMMERS = frozenset({"akismet-guaranteed-spam", "viagra-test-123"})  # Akismet's documented names
_TEST_SPAM_MAIL = "akismet-guaranteed-spam@example.com"
_Call = Callable[[HttpRequest, ApiKey, datetime], HttpResponse]

_EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
_ADDRESS = AddressField()


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
    """Answer true for spam, otherwise false; false also while a human has yet to decide."""
    return _with_key(request, _check)


@csrf_exempt
@require_http_methods(["POST"])
def submit_spam(request: HttpRequest) -> HttpResponse:
    """Store missed spam as a complaint of the site."""
    return _with_key(request, _take_spam)


@csrf_exempt
@require_http_methods(["POST"])
def submit_ham(request: HttpRequest) -> HttpResponse:
    """File a false positive as an appeal: a lead reviews the comment again."""
    return _with_key(request, _take_ham)


@csrf_exempt
@require_http_methods(["GET", "POST"])
def usage_limit(request: HttpRequest) -> HttpResponse:
    """Answer how much of this month was used. There is no monthly limit here."""
    return _with_key(request, _usage)


def _check(request: HttpRequest, key: ApiKey, at: datetime) -> HttpResponse:
    form = request.POST.dict()
    if _is_given(form, "is_test"):
        return _test_answer(form)
    post = post_of(form, at=at)
    found = score_now.run(platform=key.platform, post=post, at=at)
    if isinstance(found, ingest.Refused):
        # The same comment with another date or browser: keep the earlier result.
        page = platform_posts.by_external_id(platform=key.platform, external_id=post.external_id, at=at)
        decision, score = page.decision, page.scores[0] if page.scores else None
    else:
        decision, score = found.decision, found.score
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
    post = post_of(form, at=at)
    ingest.accept(platform=key.platform, posts=[post], at=at)
    complaint = IncomingComplaint(
        post=post.external_id, reporter=reporter_of(form), reason="spam", reported_at=at
    )
    # The protocol has no answer for it: a plugin that gets an error reports the same comment for ever.
    with suppress(refusals.Erased):
        complaints.record(platform=key.platform, complaint=complaint, at=at)
    return _text(THANKS)


def _take_ham(request: HttpRequest, key: ApiKey, at: datetime) -> HttpResponse:
    form = request.POST.dict()
    if _is_given(form, "is_test"):
        return _text(THANKS)
    post = post_of(form, at=at)
    found = score_now.run(platform=key.platform, post=post, at=at)
    if not isinstance(found, ingest.Refused) or found.code == "revision_conflict":
        # Not decided yet: nothing to appeal.
        with suppress(opening.NotScored, refusals.Erased):
            appeals.file(platform=key.platform, external_id=post.external_id, at=at)
    return _text(THANKS)


def _usage(request: HttpRequest, key: ApiKey, at: datetime) -> HttpResponse:  # noqa: ARG001 - all calls are alike
    begins = at.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    used = platform_posts.count_since(platform=key.platform, since=begins)
    return JsonResponse({"limit": "none", "usage": used, "percentage": "0.00", "throttled": False})


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
    except limits.LimitReached as reached:
        return _too_many(reached)
    return call(request, key, at)


def _key(request: HttpRequest, *, name: str) -> ApiKey | None:
    """Find the key in form, query or host name. Raises LimitReached after too many wrong ones."""
    form = request.POST
    secret = form.get(name) or form.get("api_key") or request.GET.get("api_key") or host_key(request)
    try:
        network = client_address.network(client_address.address(request))
        key = api_keys.authenticate(secret=secret, at=timezone.now(), network=network)
    except api_keys.InvalidKey:
        return None
    wanted = {Scope.POSTS_WRITE, Scope.COMPLAINTS_WRITE, Scope.VERDICTS_READ}
    return key if wanted <= set(key.scopes) else None


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


def post_of(form: Mapping[str, str], *, at: datetime) -> IncomingPost:
    """Return the comment as a post; the same comment, checked or reported, has the same id."""
    text = _clean(form.get("comment_content", ""))[:MAX_TEXT_LENGTH]
    return of_fields(
        {
            "external_id": external_id_of(form),
            "text": text,
            "posted_at": _posted_at(form, at=at),
            "author": _author(form),
            "ip": _address(form.get("user_ip", "")),
            "user_agent": _clean(form.get("user_agent", ""))[:500],
            "language": _language(form.get("blog_lang", "")),
            "links": [
                url[:MAX_URL_LENGTH] for url in (_clean(form.get("comment_author_url", "")),) if url.strip()
            ],
        }
    )


def external_id_of(form: Mapping[str, str]) -> str:
    """Return the id of a comment: a digest of author, text and site."""
    # Without date, address and browser: a check and a later report of the same comment may differ in them.
    names = ("blog", "permalink", "comment_type", "comment_author", "comment_author_email", "comment_content")
    said = "\0".join(_clean(form.get(name, "")) for name in names)
    return f"akismet:{hashlib.sha256(said.encode()).hexdigest()}"


def reporter_of(form: Mapping[str, str]) -> str:
    """Return the reporter of complaints: one per site, for its own moderators."""
    return f"akismet-site:{_clean(form.get('blog', ''))}"[:200]


def _author(form: Mapping[str, str]) -> dict[str, str | None]:
    email = _clean(form.get("comment_author_email", "")).strip().lower()
    name = _clean(form.get("comment_author", "")).strip()
    known_by = email or name or form.get("user_ip", "")
    domain = email.rpartition("@")[2] if "@" in email else ""
    return {
        # The address itself is not kept, as everywhere here.
        "external_id": f"akismet:{hashlib.sha256(known_by.encode('utf-8', 'replace')).hexdigest()}",
        "display_name": name[:200],
        "email_domain": domain[:253] or None,
    }


def _posted_at(form: Mapping[str, str], *, at: datetime) -> datetime:
    try:
        given = datetime.fromisoformat(form.get("comment_date_gmt", ""))
    except ValueError:
        return at
    given = given if given.tzinfo else given.replace(tzinfo=UTC)
    # Plugins send the clock of the blog's server, often in local time: a wrong one must not lose the comment.
    return given if _EARLIEST < given <= at else at


def _address(text: str) -> str | None:
    try:
        return _ADDRESS.to_internal_value(text.strip())
    except ValidationError:
        return None


def _language(text: str) -> str:
    """Take the first of Akismet's list, en_us,fr_ca, as a language tag."""
    first = text.split(",", maxsplit=1)[0].strip().replace("_", "-")
    return first if len(first) <= MAX_LANGUAGE_LENGTH and is_language(first) else ""


def _clean(text: str) -> str:
    """Remove characters that the database cannot store."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()
