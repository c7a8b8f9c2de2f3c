"""Language of the desk: chosen by a cookie, otherwise by the browser."""

from django.http import HttpRequest, HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation

NOT_THE_DESK = ("/api/", "/problems/", "/1.1/", "/healthz", "/readyz", "/metrics")


class DeskLocaleMiddleware(LocaleMiddleware):
    """Django's locale middleware, for the desk's pages only: API answers must not change with a header."""

    def process_request(self, request: HttpRequest) -> None:
        """Activate the language of the request."""
        if request.path.startswith(NOT_THE_DESK):
            translation.activate("en")
            request.LANGUAGE_CODE = "en"
        else:
            super().process_request(request)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Name the language of a page in its headers."""
        if request.path.startswith(NOT_THE_DESK):
            return response
        return super().process_response(request, response)
