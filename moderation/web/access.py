"""View guards: which role may open which page, and refusals told. A test requests all URLs with all roles."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import TypeVar

import structlog
from allauth.account.authentication import get_authentication_records
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import BadRequest, ObjectDoesNotExist, PermissionDenied
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.middleware import HtmxDetails

from moderation.models import User, desk_settings
from moderation.operations.refusals import Erased, Refusal
from moderation.queries.accounts import users
from moderation.queries.keyset import InvalidCursor

log = structlog.get_logger(__name__)


class DeskRequest(HttpRequest):
    """A request of a signed-in user; for type checking only."""

    user: User
    htmx: HtmxDetails
    has_no_queues: bool


View = Callable[..., HttpResponseBase]
_Act = TypeVar("_Act")


def unkept(get_response: Callable[[HttpRequest], HttpResponseBase]) -> View:
    """Middleware: forbid browsers to store an answer that has no cache header, errors included.

    Neither erased content nor what one person reads may stay there for the next.
    """

    def respond(request: HttpRequest) -> HttpResponseBase:
        answer = get_response(request)
        answer.headers.setdefault("Cache-Control", "private, no-store")
        return answer

    return respond


@contextmanager
def refusals_told(request: HttpRequest, *, done: str = "") -> Iterator[None]:
    """Tell a refusal of the block, or that its post was erased, as a warning on the next page.

    The rest of the block is left out then. Otherwise tell that it is `done`, in these words.
    """
    try:
        yield
        if done:
            messages.success(request, done)
    except Refusal as refusal:
        messages.warning(request, str(refusal))
    except Erased:
        messages.warning(request, gettext("This post was erased."))


def complete(form: BaseForm, words: str = "") -> None:
    """Go on with a form that is valid. Raises Refusal, for `refusals_told`, with these words."""
    if not form.is_valid():
        raise Refusal(words or gettext("Nothing was changed: the form is incomplete."))


def chosen(request: HttpRequest, field: str, acts: Mapping[str, _Act]) -> _Act:
    """Return the act that a form's field names. Raises BadRequest, answered with 400, for any other."""
    if (name := request.POST.get(field, "")) not in acts:
        raise BadRequest(f"{field}: {name[:40]!r}")
    return acts[name]


def lacks_second_factor(request: HttpRequest, user: User) -> bool:
    """Return whether the role needs a second factor that is not there; a provider sees to its own."""
    if user.role not in desk_settings.current().second_factor_roles or users.has_second_factor(user):
        return False
    methods = {record["method"] for record in get_authentication_records(request, user)}
    return "socialaccount" not in methods


def _first_to(page: str, request: HttpRequest) -> HttpResponse:
    """Redirect to what has to be done before anything else.

    For htmx by header, since it would swap a redirect's page into the current one.
    """
    if request.headers.get("HX-Request"):
        return HttpResponse(status=204, headers={"HX-Redirect": reverse(page)})
    return redirect(page)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """Who may open a view; its methods decorate one, and say by which HTTP methods it is requested."""

    is_allowed: Callable[[User], bool]
    is_before_password_change: bool = False
    is_before_second_factor: bool = False

    def get(self, view: View) -> View:
        """Let them read a page."""
        return require_safe(self._guarded(view))

    def post(self, view: View) -> View:
        """Let them send a form."""
        return require_POST(self._guarded(view))

    def get_or_post(self, view: View) -> View:
        """Let them read a page and send its form to the same address."""
        return require_http_methods(["GET", "HEAD", "POST"])(self._guarded(view))

    def _guarded(self, view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
            if not isinstance(request.user, User):
                # htmx follows redirects and would swap the sign-in page into the case.
                if request.headers.get("HX-Request"):
                    words = gettext("Your session has ended.")
                    return HttpResponse(words, status=401, content_type="text/plain")
                return redirect_to_login(request.get_full_path())
            if request.user.must_change_password:
                if not self.is_before_password_change:
                    return _first_to("account", request)
            elif not self.is_before_second_factor and lacks_second_factor(request, request.user):
                return _first_to("mfa_index", request)
            if not self.is_allowed(request.user):
                raise PermissionDenied
            try:
                return view(request, *args, **kwargs)
            # Also for a case that waits for a lead: a 403 would reveal that it exists.
            except ObjectDoesNotExist as refusal:
                log.info("row_missing", row=type(refusal).__qualname__, view=view.__name__)
                raise Http404 from refusal
            except InvalidCursor as refusal:
                raise Http404(str(refusal)) from refusal

        return guarded


signed_in = Guard(is_allowed=lambda _: True)
signed_in_before_password_change = Guard(is_allowed=lambda _: True, is_before_password_change=True)
"""Also a user who must first choose a new password; the others send such a user to the account page."""
signed_in_before_second_factor = Guard(is_allowed=lambda _: True, is_before_second_factor=True)
"""Also a user whose role needs a second factor that is not there yet; the others send there to add one."""
deciders = Guard(is_allowed=lambda user: user.may_decide)
readers = Guard(is_allowed=lambda user: user.may_read)
"""Of posts, cases and decisions."""
address_readers = Guard(is_allowed=lambda user: user.may_read_origins)
leads = Guard(is_allowed=lambda user: user.may_lead)
"""And administrators."""
admins = Guard(is_allowed=lambda user: user.may_administer)
exporters = Guard(is_allowed=lambda user: user.may_export)
