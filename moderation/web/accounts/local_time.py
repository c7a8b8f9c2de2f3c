"""Times of the desk in the reader's time zone, which the browser names in a cookie; without it, in UTC."""

from collections.abc import Callable
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from moderation.web.accounts.language import NOT_THE_DESK


@cache
def _zones() -> set[str]:
    """Looked up here, a name from a browser never becomes a path. "localtime" is the server's own."""
    return available_timezones() - {"localtime"}


def local_time(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer pages in the zone of the cookie, if there is such a zone; the API answers in UTC alone."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        name = request.COOKIES.get("time_zone", "")
        if request.path.startswith(NOT_THE_DESK) or name not in _zones():
            return get_response(request)
        with timezone.override(ZoneInfo(name)):
            return get_response(request)

    return answer
