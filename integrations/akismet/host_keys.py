"""Keys that clients of Akismet put into the host name: `https://<key>.<host>/1.1/comment-check`.

The key is taken out of the request before anything else sees it: no log, no page, no redirect and no error
report holds a host name with a key. So it is the first middleware.
"""

import re
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

_GetResponse = Callable[[HttpRequest], HttpResponseBase]
_AKISMET = "rest.akismet.com"
_CALLS = re.compile(r"/1\.[12]/")
_LIKE_A_KEY = re.compile(r"sk-[a-z]{1,12}-[a-z0-9]{20,}", re.IGNORECASE | re.ASCII)


def host_keys(get_response: _GetResponse) -> _GetResponse:
    """Take the key from the host's first label, for Akismet's calls below SPAMDESK_AKISMET_HOST.

    Such a host is refused for anything else. Akismet's own name, which some plugins cannot change, is
    answered for its calls alone, with and without a key, whatever ALLOWED_HOSTS says.
    """

    def respond(request: HttpRequest) -> HttpResponseBase:
        host = str(request.META.get("HTTP_HOST", ""))
        label, _, rest = host.partition(".")
        is_call = _CALLS.match(request.path_info) is not None
        if is_call and _without_port(host) == _AKISMET:
            return get_response(_of_akismet(request))
        is_ours = _without_port(rest) in {_AKISMET, settings.AKISMET_HOST or _AKISMET}
        if not is_ours and not _LIKE_A_KEY.fullmatch(label):
            return get_response(request)
        # A key in front of any other of our names is taken out, too: refused, it must still not be logged.
        request.META["HTTP_HOST"] = rest
        # A WSGI server may take this name from the Host header, and Django falls back to it.
        if str(request.META.get("SERVER_NAME", "")).startswith(label):
            request.META["SERVER_NAME"] = _without_port(rest)
        if not is_ours or not is_call:
            return HttpResponse("Not found.", status=404, content_type="text/plain; charset=utf-8")
        request.host_key = label  # type: ignore[attr-defined]  # read through host_key()
        return get_response(_of_akismet(request) if _without_port(rest) == _AKISMET else request)

    return respond


def _of_akismet(request: HttpRequest) -> HttpRequest:
    """Let this request alone pass the check of ALLOWED_HOSTS."""
    request.get_host = lambda: _AKISMET  # type: ignore[method-assign]  # Django has no setting for one path
    return request


def host_key(request: HttpRequest) -> str:
    """Return the key that the host name held; empty if none."""
    return str(getattr(request, "host_key", ""))


def _without_port(host: str) -> str:
    return host.partition(":")[0].lower().rstrip(".")
