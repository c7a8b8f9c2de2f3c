"""Compress pages, styles and scripts, for users with slow connections."""

from django.http import HttpRequest, HttpResponseBase
from django.middleware.gzip import GZipMiddleware

_WORTH_IT = ("text/html", "text/css", "text/javascript", "application/javascript", "image/svg+xml")


class DeskCompression(GZipMiddleware):
    """Compress what browsers load, except the platform API and partial answers.

    Django's middleware adds a random length to each answer, which hides the secrets of a page from an
    attacker who can only measure its size (BREACH).
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Compress a complete answer of a compressible type."""
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        if response.status_code == 206 or kind not in _WORTH_IT or request.path.startswith("/api/"):
            return response
        return super().process_response(request, response)
