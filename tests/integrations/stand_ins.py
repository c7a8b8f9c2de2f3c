"""The platforms that stand in for real ones, each with one report, and how to sign in there."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from integrations.ozone import _SESSIONS
from tests.integrations import discourse_server, mastodon_server, matrix_server, ozone_server
from tests.integrations.discourse_server import DiscourseServer
from tests.integrations.lemmy_server import LemmyServer
from tests.integrations.mastodon_server import MastodonServer
from tests.integrations.matrix_server import MatrixServer
from tests.integrations.ozone_server import OzoneServer


def mastodon() -> MastodonServer:
    """Return a server with a reported status."""
    server = MastodonServer()
    server.report("12", mastodon_server.status("901"))
    return server


def discourse(number: int = 12) -> DiscourseServer:
    """Return a forum in whose queue a post was flagged (12), or a post (13) or an account (14) waits."""
    server = DiscourseServer()
    server.queue = {number: server.queue[number]}
    return server


def lemmy(api: str = "v4", kind: str = "post") -> LemmyServer:
    """Return a server with a reported post or comment."""
    server = LemmyServer(api)
    server.report(kind, 5)
    return server


def ozone(subject: int = 0) -> OzoneServer:
    """Return an Ozone where a post (0) or an account (1) waits."""
    _SESSIONS.clear()
    server = OzoneServer()
    server.statuses = server.statuses[subject : subject + 1]
    return server


def matrix() -> MatrixServer:
    """Return a homeserver with a reported message."""
    server = MatrixServer()
    server.report("Cheap watches https://watches.test/now")
    return server


MAKE: dict[str, Callable[..., Any]] = {
    "mastodon": mastodon,
    "discourse": discourse,
    "lemmy": lemmy,
    "ozone": ozone,
    "matrix": matrix,
}
TYPED: dict[str, dict[str, str]] = {
    "mastodon": {},
    "discourse": {"user": discourse_server.MODERATOR, "key": discourse_server.KEY},
    "lemmy": {"user": "mod", "password": "pass"},
    "ozone": {
        "handle": ozone_server.HANDLE,
        "password": ozone_server.PASSWORD,
        "labeler": ozone_server.LABELER,
    },
    "matrix": {"token": matrix_server.TOKEN},
}


def allowed(server: MastodonServer, link: str) -> dict[str, str]:
    """Say yes at the server's page of a sign-in; return what the browser brings back."""
    return {"code": server.authorize(link), "state": dict(parse_qsl(urlsplit(link).query))["state"]}
