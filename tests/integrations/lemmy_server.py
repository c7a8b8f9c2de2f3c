"""A stand-in for a Lemmy server, by API v3 (0.19) or v4 (1.0): signing in, reports, removal."""

from typing import Any

from integrations.fields import part
from tests.integrations.platform_server import PlatformServer, Request

ME = {"id": 1, "name": "mod", "ap_id": "https://lemmy.example/u/mod"}


class LemmyServer(PlatformServer):
    """`reports` by kind and number, `items` likewise. `sign_out` ends every token."""

    def __init__(self, api: str) -> None:
        super().__init__()
        self.api, self.tokens, self.token = api, 0, ""
        self.items: dict[tuple[str, int], dict[str, Any]] = {}
        self.reports: dict[tuple[str, int], dict[str, Any]] = {}

    def report(self, kind: str, number: int, item: int = 55, **given: Any) -> dict[str, Any]:
        """Keep an open report, and return it."""
        suffix = "_at" if self.api == "v4" else ""
        published = {f"published{suffix}": f"2026-03-01T09:{item:02}:00.123456Z"}
        common = {**published, "removed": False, "deleted": False}
        address, person = f"https://far.example/{kind}/{item}", "actor_id" if self.api == "v3" else "ap_id"
        thread = {"id": 12, "name": "Cheap pills", "ap_id": "https://far.example/post/12"}
        texts = {"body": "Buy [here](https://pills.example/x)", "content": "Buy **now**"}
        new = {**thread, **texts, **common, "url": "https://pills.example/", "id": item, "ap_id": address}
        row = self.items.setdefault((kind, item), new)
        self.reports[kind, number] = {
            "type_": kind.title(),
            f"{kind}_report": {
                "id": number,
                f"{kind}_id": item,
                "reason": "Spam again",
                "resolved": False,
                f"published{suffix}": "2026-03-01T10:00:00Z",
                "original_post_name": "Cheap pills",
                "original_post_url": "https://pills.example/",
                "original_post_body": texts["body"],
                "original_comment_text": texts["content"],
            },
            "post": row if kind == "post" else thread,
            kind: row,
            "creator": {"id": 5, "name": "ada", person: "https://lemmy.example/u/ada"},
            f"{kind}_creator": {"id": 77, "name": "pills", person: "https://far.example/u/pills"}
            | {f"published{suffix}": "2026-02-27T00:00:00Z"},
            **given,
        }
        return self.reports[kind, number]

    def restrictions(self) -> set[str]:
        """Return what is removed."""
        return {f"{kind} {number}" for (kind, number), row in self.items.items() if row.get("removed")}

    def waiting(self) -> set[str]:
        """Return the numbers of open reports."""
        rows = self.reports.items()
        return {
            str(number) for (kind, number), row in rows if not part(row, f"{kind}_report").get("resolved")
        }

    def answer(self, request: Request) -> tuple[int, Any]:
        """Answer as Lemmy does."""
        path = request.path.removeprefix(f"/api/{self.api}")
        if path == request.path:
            return 404, b"Not found"
        if path in ("/user/login", "/account/auth/login"):
            return self._sign_in(request.body)
        if not request.headers.get("authorization"):
            return 200, {"site_view": {}}
        return self._signed_in(path, request)

    def _signed_in(self, path: str, request: Request) -> tuple[int, Any]:
        if not self.token or request.headers.get("authorization") != f"Bearer {self.token}":
            status, error = (401, "incorrect_login") if self.api == "v4" else (400, "not_logged_in")
            return status, {"error": error}
        if path in ("/site", "/account"):
            me = {"local_user_view": {"person": ME}}
            return 200, {"my_user": me} if path == "/site" else me
        kind = path.split("/")[1]
        if path.endswith("/report/list"):
            return 200, self._listed(kind, request.query)
        return self._item(kind, path, request)

    def _sign_in(self, body: dict[str, str]) -> tuple[int, Any]:
        if body != {"username_or_email": "mod", "password": "pass"}:
            return 401, {"error": "incorrect_login"}
        self.tokens += 1
        self.token = f"jwt-{self.tokens}"
        return 200, {"jwt": self.token}

    def _listed(self, kind: str, query: Any) -> dict[str, Any]:
        is_open, limit = query.get("unresolved_only") == "true", int(query["limit"])
        kinds = ("post", "comment") if self.api == "v4" else (kind,)
        found = [(key, row) for key, row in self.reports.items() if key[0] in kinds]
        if is_open:
            found = [one for one in found if part(one[1], f"{one[0][0]}_report").get("resolved") is not True]
        else:
            found.reverse()
        if self.api == "v3":
            start, name = limit * (int(query.get("page", 1)) - 1), f"{kind}_reports"
            return {name: [row for _, row in found[start : start + limit]]}
        order = [str(key) for key in (self.reports if is_open else reversed(self.reports))]
        start = order.index(query["page_cursor"]) + 1 if query.get("page_cursor") else 0
        page = [(key, row) for key, row in found if str(key) in order[start:]][:limit]
        further = {"next_page": str(page[-1][0])} if len(page) == limit else {}
        return {"items": [row for _, row in page], **further}

    def _item(self, kind: str, path: str, request: Request) -> tuple[int, Any]:
        body = request.body or {}
        if path.endswith("/report/resolve"):
            self.resolve(kind, body["report_id"], is_resolved=body["resolved"])
            return 200, {}
        item = self.items.get((kind, int(body.get(f"{kind}_id") or request.query["id"])))
        if item is None:
            return 404, {"error": "not_found"}
        if path.endswith("/remove"):
            item["removed"] = body["removed"]
            for (about, number), row in self.reports.items():
                if about == kind and row[f"{kind}_report"][f"{kind}_id"] == item["id"]:
                    self.resolve(kind, number)
        return 200, {f"{kind}_view": {kind: item}}

    def resolve(self, kind: str, number: int, *, is_resolved: bool = True, by: int = 1) -> None:
        """Resolve or reopen a report."""
        self.reports[kind, number][f"{kind}_report"] |= {"resolved": is_resolved, "resolver_id": by}
