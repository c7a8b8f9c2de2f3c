"""Matrix: reported events of a Synapse, and the callbacks of synapse-http-antispam.

Sources: element-hq/synapse docs/admin_api/event_reports.md and user_admin_api.md; Matrix client-server API
v1.18 (admin/suspend, rooms/…/redact); maunium/synapse-http-antispam README. A report is deleted once it is
decided, as Synapse has no other mark. Messages of encrypted rooms say nothing, and are left out.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations import text
from integrations.calls import Calls, Unusable
from integrations.connector import Connector, Credential, Incoming, Order, Page
from integrations.fields import part, parts, string
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingPost

_PAGE = 50


class Matrix(Connector):
    """A Synapse homeserver, by the access token of a server administrator."""

    name, title = "matrix", "Matrix (Synapse)"
    asks = (
        Credential(
            name="token", label=gettext_lazy("Access token of a server administrator"), is_secret=True
        ),
    )
    actions, final = ("limit", "remove", "suspend"), ("remove",)
    default_action = "remove"
    hook = "matrix"

    def __init__(self, http: Calls, credentials: Mapping[str, str]) -> None:
        super().__init__(http, credentials)
        self._headers = {"authorization": f"Bearer {credentials.get('token', '')}"}

    def check(self) -> str:
        """Return the account of the token; an administrator of the server alone may read reports."""
        account = self._get("/_matrix/client/v3/account/whoami").get("user_id", "")
        self._get("/_synapse/admin/v1/event_reports?limit=1")
        return str(account)

    def poll(self, cursor: Mapping[str, Any]) -> Page:
        """Return reports, oldest first, that are newer than the cursor's."""
        seen = int(cursor.get("seen", 0))
        offset = int(cursor.get("from", 0))
        answer = self._get(f"/_synapse/admin/v1/event_reports?from={offset}&limit={_PAGE}&dir=f")
        reports = parts(answer, "event_reports")
        fresh = [report for report in reports if isinstance(report.get("id"), int) and report["id"] > seen]
        incoming = tuple(piece for report in fresh if (piece := self._reported(report["id"])) is not None)
        newest = max([seen, *(report["id"] for report in fresh)])
        is_last = answer.get("next_token") is None
        # Decided reports are deleted there, which moves the others forward: begin anew each time.
        return Page(
            incoming=incoming,
            cursor={"seen": newest} if is_last else {"seen": seen, "from": offset + len(reports)},
            is_last=is_last,
        )

    def act(self, order: Order) -> Mapping[str, Any]:
        """Redact the event, or shadow-ban or suspend its sender; then delete the reports, spam or not."""
        sender, room = quote(order.remote["sender"], safe=""), quote(order.remote["room"], safe="")
        if order.action == "limit":
            self._sent("POST", f"/_synapse/admin/v1/users/{sender}/shadow_ban", json={})
        elif order.action == "suspend":
            if not self._is_suspended(sender):
                self._sent("PUT", f"/_matrix/client/v1/admin/suspend/{sender}", json={"suspended": True})
        elif order.action == "remove":
            # The transaction id makes it happen once, however often it is sent.
            event = quote(order.remote["event"], safe="")
            path = f"/_matrix/client/v3/rooms/{room}/redact/{event}/spamdesk-{order.decision_id}"
            self._sent("PUT", path, json={"reason": order.note})
        if order.action != "nothing" or order.verdict != "spam":
            for report in order.remote.get("reports", []):
                self._sent("DELETE", f"/_synapse/admin/v1/event_reports/{int(report)}", accepts=(404,))
        return {}

    def undo(self, order: Order) -> None:
        """Take a shadow ban or a suspension back. A redaction is for good: Matrix deletes what was said."""
        sender = quote(order.remote["sender"], safe="")
        if order.is_shared:
            return
        if order.action == "limit":
            self._sent("DELETE", f"/_synapse/admin/v1/users/{sender}/shadow_ban")
        elif order.action == "suspend":
            if self._is_suspended(sender):
                self._sent("PUT", f"/_matrix/client/v1/admin/suspend/{sender}", json={"suspended": False})
        elif order.action == "remove":
            raise Unusable(_("A redaction cannot be taken back on Matrix; tell the sender by hand."))

    def _reported(self, number: int) -> Incoming | None:
        report = self._get(f"/_synapse/admin/v1/event_reports/{number}")
        event = part(report, "event_json")
        post = post_of(event)
        if post is None:
            return None
        complaint = IncomingComplaint(
            post=post.external_id,
            reporter=string(report, "user_id"),
            reason="other",
            reported_at=_instant(report.get("received_ts")),
            external_id=f"matrix:report:{number}",
            note=string(report, "reason"),
        )
        remote = {
            "event": string(event, "event_id"),
            "room": string(event, "room_id"),
            "sender": string(event, "sender"),
            "reports": [number],
        }
        return Incoming(post=post, complaints=(complaint,), remote=remote)

    def _is_suspended(self, sender: str) -> bool:
        return self._get(f"/_matrix/client/v1/admin/suspend/{sender}").get("suspended") is True

    def _get(self, path: str) -> dict[str, Any]:
        return part(self.http.get(path, headers=self._headers).json)

    def _sent(self, method: str, path: str, *, json: Any = None, accepts: tuple[int, ...] = ()) -> None:
        self.http.sent(method, path, json=json, headers=self._headers, accepts=accepts)


def post_of(event: Mapping[str, Any]) -> IncomingPost | None:
    """Return the post that a message is; None for what says nothing, such as an encrypted message."""
    content = part(event, "content")
    if event.get("type") != "m.room.message":
        return None
    body, formatted = string(content, "body"), string(content, "formatted_body")
    read = text.from_html(formatted) if formatted else text.Text(text=body)
    identifier, sender = string(event, "event_id"), string(event, "sender")
    if not identifier or not sender or not (read.text or body):
        return None
    return IncomingPost(
        external_id=f"matrix:{identifier}",
        text=read.text or body,
        posted_at=_instant(event.get("origin_server_ts")),
        author=IncomingAuthor(external_id=sender, display_name=sender.partition(":")[0].removeprefix("@")),
        links=read.links,
    )


def _instant(milliseconds: object) -> datetime:
    """Return a time that Matrix gives in milliseconds; one that cannot be is now."""
    try:
        return datetime.fromtimestamp(int(milliseconds) / 1000, tz=UTC)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError, OSError):
        return datetime.now(UTC)
