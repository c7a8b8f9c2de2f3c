"""A stand-in Synapse: reports, redaction, shadow bans and suspension, as its documents describe them."""

from typing import Any
from urllib.parse import unquote

from tests.integrations.platform_server import PlatformServer, Request

TOKEN = "syt_admin"


class MatrixServer(PlatformServer):
    """`reports` by number; what was done is in `redacted`, `shadow_banned` and `suspended`."""

    def __init__(self) -> None:
        super().__init__()
        self.reports: dict[int, dict[str, Any]] = {}
        self.numbered = 0
        self.redacted: dict[str, str] = {}
        self.shadow_banned: set[str] = set()
        self.suspended: set[str] = set()

    def report(self, body: str, *, sender: str = "@spammer:matrix.test", **event: Any) -> int:
        """Let somebody report a message."""
        number = self.numbered = self.numbered + 1
        self.reports[number] = {
            "id": number,
            "event_id": f"$event-{number}",
            "room_id": "!room:matrix.test",
            "user_id": f"@reader-{number}:matrix.test",
            "reason": "spam, I think",
            "received_ts": 1_700_000_000_000 + number,
            "event_json": {
                "event_id": f"$event-{number}",
                "room_id": "!room:matrix.test",
                "sender": sender,
                "type": "m.room.message",
                "origin_server_ts": 1_700_000_000_000,
                "content": {"msgtype": "m.text", "body": body},
                **event,
            },
        }
        return number

    def restrictions(self) -> set[str]:
        """Return who is restricted, and what is redacted."""
        return self.shadow_banned | self.suspended | set(self.redacted.values())

    def waiting(self) -> set[str]:
        """Return the numbers of reports."""
        return {str(number) for number in self.reports}

    def answer(self, request: Request) -> tuple[int, Any]:  # noqa: PLR0911 - a route each
        """Answer as Synapse does."""
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return 401, {"errcode": "M_UNKNOWN_TOKEN", "error": "Invalid access token"}
        parts = [unquote(part) for part in request.path.strip("/").split("/")]
        match request.method, parts:
            case "GET", ["_matrix", "client", "v3", "account", "whoami"]:
                return 200, {"user_id": "@admin:matrix.test"}
            case "GET", ["_synapse", "admin", "v1", "event_reports"]:
                return 200, self._page(int(request.query.get("from", 0)), int(request.query["limit"]))
            case method, ["_synapse", "admin", "v1", "event_reports", number]:
                return self._one(method, int(number))
            case method, ["_synapse", "admin", "v1", "users", user, "shadow_ban"]:
                (self.shadow_banned.add if method == "POST" else self.shadow_banned.discard)(user)
                return 200, {}
            case method, ["_matrix", "client", "v1", "admin", "suspend", user]:
                if method == "PUT":
                    (self.suspended.add if request.body["suspended"] else self.suspended.discard)(user)
                return 200, {"suspended": user in self.suspended}
            case "PUT", ["_matrix", "client", "v3", "rooms", _, "redact", event, transaction]:
                self.redacted.setdefault(transaction, event)
                return 200, {"event_id": f"$redaction-of-{event}"}
        return 404, {"errcode": "M_UNRECOGNIZED", "error": "Unrecognized request"}

    def _page(self, start: int, limit: int) -> dict[str, Any]:
        rows = [self.reports[number] for number in sorted(self.reports)]
        listed = [{name: row[name] for name in row if name != "event_json"} for row in rows]
        page: dict[str, Any] = {"event_reports": listed[start : start + limit], "total": len(rows)}
        return page | ({"next_token": start + limit} if start + limit < len(rows) else {})

    def _one(self, method: str, number: int) -> tuple[int, Any]:
        if number not in self.reports:
            return 404, {"errcode": "M_NOT_FOUND", "error": "Event report not found"}
        if method == "DELETE":
            del self.reports[number]
            return 200, {}
        return 200, self.reports[number]
