"""A stand-in for a Mastodon server: OAuth, reports and moderation of accounts, as documented."""

import hashlib
import hmac
import json
from base64 import urlsafe_b64encode
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.integrations.platform_server import PlatformServer, Request

TOKEN, SECRET, MODERATOR = "token-of-mod", "0123456789abcdef", "1"
_FLAGS = {"silence": "silenced", "suspend": "suspended", "sensitive": "sensitized", "none": "warned"}


class MastodonServer(PlatformServer):
    """`accounts` and `reports` by id, `public` statuses; a role without permissions is refused with 403."""

    def __init__(self) -> None:
        super().__init__()
        self.accounts: dict[str, dict[str, Any]] = {MODERATOR: account(MODERATOR, "mod")}
        self.reports: dict[str, dict[str, Any]] = {}
        self.may_moderate, self.codes = True, dict[str, dict[str, str]]()
        self.public = set[str]()

    def report(self, number: str, *statuses: dict[str, Any], **given: Any) -> dict[str, Any]:
        """Keep an open report by Ada about the account 77, and return it."""
        self.accounts.setdefault("77", account("77", "pills@spam.example"))
        self.reports[number] = {
            "id": number,
            "action_taken": False,
            "action_taken_by_account": None,
            "category": "spam",
            "comment": "sells pills",
            "created_at": "2026-03-01T09:35:00.000Z",
            "account": account("5", "ada"),
            "target_account": self.accounts["77"],
            "statuses": list(statuses),
            "rules": [],
            **given,
        }
        return self.reports[number]

    def restrictions(self) -> set[str]:
        """Return the flags that accounts have."""
        rows = self.accounts.items()
        return {f"{flag} {key}" for key, row in rows for flag in _FLAGS.values() if row.get(flag)}

    def waiting(self) -> set[str]:
        """Return the numbers of open reports."""
        return {key for key, row in self.reports.items() if not row["action_taken"]}

    def authorize(self, url: str) -> str:
        """Say yes in the browser; return the code."""
        self.codes["code-1"] = dict(parse_qsl(urlsplit(url).query))
        return "code-1"

    def answer(self, request: Request) -> tuple[int, Any]:
        """Answer as Mastodon does."""
        if request.name == "POST /api/v1/apps":
            return 200, {"client_id": "app", "client_secret": "app-secret"}
        if request.name == "POST /oauth/token":
            return self._token(request.body)
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            is_public = request.path.removeprefix("/api/v1/statuses/") in self.public
            return 200 if is_public else 401, {"error": "The access token is invalid"}
        if request.name == "GET /api/v1/accounts/verify_credentials":
            return 200, {"id": MODERATOR, "acct": "mod"}
        if not self.may_moderate:
            return 403, {"error": "This action is not allowed"}
        return self._moderated(request, [*request.path.split("/")[4:], "", ""])

    def _moderated(self, request: Request, names: list[str]) -> tuple[int, Any]:
        kind, number, change = names[:3]
        rows = self.reports if kind == "reports" else self.accounts
        if not number:
            return 200, self._listed(request) if kind == "reports" else list(rows.values())
        if number not in rows:
            return 404, {"error": "Record not found"}
        if request.method == "POST":
            self._change(number, change, request.body or {})
        return 200, rows[number]

    def _listed(self, request: Request) -> list[Any]:
        seen, most = int(request.query.get("min_id", 0)), int(request.query.get("limit", 100))
        fresh = [self.reports[number] for number in sorted(self.reports, key=int) if int(number) > seen]
        if request.query.get("resolved") == "true":
            below = int(request.query.get("max_id", 10**9))
            return [row for row in fresh[::-1] if row["action_taken"] and int(row["id"]) < below][:most]
        return [row for row in fresh if row.get("action_taken") is not True][:most][::-1]

    def _change(self, number: str, change: str, form: dict[str, str]) -> None:
        if change in ("resolve", "reopen"):
            self.resolve(number, is_resolved=change == "resolve")
            return
        kind = form.get("type", change)
        self.accounts[number][_FLAGS[kind.removeprefix("un")]] = not kind.startswith("un")
        about = [key for key, row in self.reports.items() if not row["action_taken"]]
        for key in [form["report_id"]] if kind == "none" else about if form else []:
            self.resolve(key)

    def resolve(self, number: str, *, is_resolved: bool = True, by: str = MODERATOR) -> None:
        """Resolve or reopen a report."""
        by_account = {"id": by} if is_resolved else None
        self.reports[number] |= {"action_taken": is_resolved, "action_taken_by_account": by_account}

    def _token(self, body: dict[str, str]) -> tuple[int, Any]:
        asked = self.codes.pop(body["code"], {})
        digest = hashlib.sha256(body["code_verifier"].encode()).digest()
        challenge = urlsafe_b64encode(digest).rstrip(b"=").decode()
        same = all(asked.get(name) == body[name] for name in ("client_id", "redirect_uri", "scope"))
        if not same or asked.get("code_challenge") != challenge or body["client_secret"] != "app-secret":
            return 400, {"error": "invalid_grant"}
        return 200, {"access_token": TOKEN, "token_type": "Bearer", "scope": body["scope"]}


def account(number: str, acct: str, **given: Any) -> dict[str, Any]:
    """Return an Admin::Account."""
    return {
        "id": number,
        "username": acct.partition("@")[0],
        "created_at": "2026-02-27T22:48:07.985Z",
        "email": None if "@" in acct else f"{acct}@mail.example",
        "suspended": False,
        "silenced": False,
        "sensitized": False,
        "account": {
            "id": number,
            "acct": acct,
            "display_name": "Best Pills",
            "note": '<p>Cheap <a href="https://pills.example/">here</a></p>',
            "avatar": "https://files.example/a.png",
            "fields": [{"name": "Shop", "value": '<a href="https://pills.example/shop">shop</a>'}],
            "followers_count": 3,
            "following_count": 2000,
            "statuses_count": 40,
            "created_at": "2026-02-27T00:00:00.000Z",
        },
        **given,
    }


def status(number: str, **given: Any) -> dict[str, Any]:
    """Return a Status."""
    return {
        "id": number,
        "created_at": "2026-03-01T09:30:00.000Z",
        "in_reply_to_id": "900",
        "spoiler_text": "Health",
        "visibility": "public",
        "language": "en",
        "content": '<p><a href="https://m.example/@ada" class="u-url mention">@ada</a>'
        ' Buy <a href="https://pills.example/x" rel="nofollow">pills</a>'
        ' <a href="https://m.example/tags/sale" class="mention hashtag" rel="tag">#sale</a></p>',
        "account": account("77", "pills@spam.example")["account"],
        "media_attachments": [{"type": "image", "url": "https://files.example/p.png", "preview_url": None}],
        "poll": {"options": [{"title": "Now"}, {"title": "Today"}]},
        **given,
    }


def delivery(event: str, subject: Any, *, secret: str = SECRET) -> tuple[dict[str, str], bytes]:
    """Return headers and body of a webhook's delivery."""
    body = json.dumps({"event": event, "created_at": "2026-03-01T09:36:00Z", "object": subject}).encode()
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return {"x-hub-signature": f"sha256={digest}", "content-type": "application/json"}, body
