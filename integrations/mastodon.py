"""Mastodon: open reports with their posts or accounts, and moderation of accounts.

Sources: mastodon/documentation content/en/methods/admin/{accounts,reports}.md and admin/webhooks.md;
mastodon/mastodon app/models/{report,report_filter,admin/account_action}.rb. It acts on no post.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _

from integrations import text
from integrations.calls import Unreachable, Unusable
from integrations.connector import Incoming, Order, Page, SignsIn, signed
from integrations.fields import count, digits, instant, part, parts, string, url
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingParent, IncomingPost

_PAGE, _MOST_PAGES = 40, 100
_TYPES = {"note": "none", "sensitive": "sensitive", "limit": "silence", "suspend": "suspend"}
_FLAGS = {"sensitive": "sensitized", "silence": "silenced", "suspend": "suspended"}
_REASONS = {"spam": "spam", "violation": "abuse"}
_NO_LINKS = ("mention", "hashtag", "u-url")


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """How things stand on the server: the reports that are open, resolved in our name, and by others."""

    open: tuple[str, ...]
    ours: tuple[str, ...]
    others: tuple[str, ...]
    account: Mapping[str, Any]

    def has(self, kind: str) -> bool:
        """Tell whether nothing is left to do. A note shows in nothing but the report that it resolves."""
        flag = _FLAGS.get(kind, "")
        has_flag = self.account.get(flag) or self.account.get("suspended")
        return bool(has_flag if flag else self.ours and not self.open)

    def is_ours(self, kind: str, remote: Mapping[str, Any]) -> bool:
        """Tell whether what the account has now came after its report, and not by somebody there."""
        has_flag = _FLAGS.get(kind) in [name for name in remote.get("free_of", ()) if self.account.get(name)]
        return has_flag and not self.others


class Mastodon(SignsIn):
    """A Mastodon server, in the name of a moderator who signs in there."""

    name, title = "mastodon", "Mastodon"
    actions = ("note", "sensitive", "limit", "suspend")
    final = ("note",)
    default_action = "limit"
    hook = "hook"
    has_history = True
    scopes = "read:accounts admin:read:accounts admin:read:reports admin:write:accounts admin:write:reports"

    def check(self) -> str:
        """Return the moderator's name; both permissions are tried."""
        name = string(self._get("/api/v1/accounts/verify_credentials"), "acct")
        if not name:
            raise Unusable(_("There is no Mastodon server at this address."))
        for path in ("/api/v1/admin/reports?limit=1", "/api/v1/admin/accounts?limit=1"):
            if self.http.get(path, headers=self._headers, accepts=(403,)).status == 403:
                words = _("@%(name)s needs a role with “Manage Reports” and “Manage Users” in Mastodon.")
                raise Unusable(words % {"name": name})
        return f"@{name}"

    def poll(self, cursor: Mapping[str, Any]) -> Page:
        """Return open reports, oldest first. `resolved=false` means “resolved” to old servers: left out."""
        seen = int(cursor.get("min_id", 0))
        answer = self._get(f"/api/v1/admin/reports?limit={_PAGE}&min_id={seen}")
        if not isinstance(answer, list):
            raise Unreachable(_("Mastodon answered with something else than its reports."))
        reports = {int(digits(report) or 0): report for report in parts(answer)}
        fresh = sorted(number for number in reports if number > seen)
        incoming = tuple(piece for number in fresh for piece in _reported(reports[number]))
        return Page(incoming=incoming, cursor={"min_id": max([seen, *fresh])}, is_last=not fresh)

    def history(self, *, since: datetime) -> Iterator[Incoming]:
        """Yield the posts of resolved reports. Mastodon does not tell how or why one was resolved.

        Spam is what was reported as spam and whose account is limited, frozen or suspended now; not spam is
        what everybody can still read, of a free account. Unclear are deleted posts and other restrictions.
        """
        path = further = f"/api/v1/admin/reports?resolved=true&limit={_PAGE}"
        for _page in range(_MOST_PAGES):
            rows = [row for row in parts(self._get(further)) if (instant(row, "created_at") or since) > since]
            for row in rows:
                at = instant(row, "action_taken_at")
                for piece in _statuses(row):
                    yield replace(piece, was_spam=self._was_spam(row, piece), decided_at=at)
            if not rows:
                return
            further = f"{path}&max_id={digits(rows[-1])}"

    def _was_spam(self, report: dict[str, Any], piece: Incoming) -> bool | None:
        account = part(report, "target_account")
        if any(account.get(flag) is True for flag in ("silenced", "disabled", "suspended")):
            return True if report.get("category") == "spam" else None
        # Asked without our token: it may not read posts, and servers show deleted ones to nobody.
        path = f"/api/v1/statuses/{piece.post.external_id.removeprefix('mastodon:')}"
        return False if self.http.get(path, accepts=(401, 403, 404, 410)).status == 200 else None

    def act(self, order: Order) -> Mapping[str, Any]:
        """Act on the account, which resolves its reports; resolve the reports of what is not spam."""
        kind = _TYPES.get(order.action, "")
        if not kind and order.action != "nothing":
            raise Unusable(
                _("Mastodon lets no program remove a post: remove it there, or act on the account.")
            )
        state = self._state(order, _named(order))
        left, is_ours = state.open, order.is_shared or state.is_ours(kind, order.remote)
        if kind and state.account and not state.has(kind):
            form = {"type": kind, "text": order.note, "send_email_notification": "false"}
            if known := state.open + state.ours + state.others:
                form["report_id"] = known[0]
            elif kind == "none":
                raise Unusable(_("Mastodon keeps notes with reports, and nobody has reported this."))
            self._sent(f"/api/v1/admin/accounts/{order.remote['account']}/action", form)
            # The server resolves this report after a note, and all reports about the account otherwise.
            left, is_ours = state.open[1:] if kind == "none" else (), True
        for report in left:
            self._sent(f"/api/v1/admin/reports/{report}/resolve")
        reports = [*state.open, *state.ours]
        return {"verdict": order.verdict, "type": kind if is_ours else "", "reports": reports}

    def undo(self, order: Order) -> None:
        """Lift what the account has by us, and reopen its reports; a note stays in the account's history."""
        acted, state = order.acted, self._state(order, order.acted.get("reports", _named(order)))
        if "reports" not in acted:  # interrupted before it told what it did
            kind = _TYPES.get(order.action, "")
            acted = {"type": kind if state.is_ours(kind, order.remote) else "", "reports": state.ours}
        if (flag := _FLAGS.get(acted["type"])) and not order.is_shared:
            if not state.account:
                raise Unusable(_("The account was deleted on the server since then; nothing brings it back."))
            if state.account.get(flag):
                self._sent(f"/api/v1/admin/accounts/{order.remote['account']}/un{acted['type']}")
        for report in acted["reports"] if order.reopens else ():
            if report in state.ours + state.others:
                self._sent(f"/api/v1/admin/reports/{report}/reopen")

    @classmethod
    def received(cls, headers: Mapping[str, str], body: bytes, *, secret: str) -> tuple[Incoming, ...]:
        """Return what a webhook tells. Statuses for few people are left out, unless they are reported."""
        told = signed(headers.get("x-hub-signature", ""), body, secret=secret)
        event, subject = string(told, "event"), part(told, "object")
        if event.startswith("report."):
            return tuple(_reported(subject))
        if event.startswith("account."):
            return tuple(_profile(subject))
        if event.startswith("status.") and string(subject, "visibility") in ("public", "unlisted"):
            author = {"account": subject.get("account")}
            if post := _post(subject, author=author):
                return (Incoming(post=post, remote=_remote(author)),)
        return ()

    @property
    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.credentials.get('access_token', '')}"}

    def _get(self, path: str) -> Any:
        answer = self.http.get(path, headers=self._headers, accepts=(404,))
        return answer.json if answer.status != 404 else None

    def _sent(self, path: str, form: Mapping[str, str] | None = None) -> None:
        self.http.sent("POST", path, form=form, headers=self._headers)

    def _state(self, order: Order, named: list[str]) -> _State:
        found = {report: part(self._get(f"/api/v1/admin/reports/{report}")) for report in named}
        by = {
            report: string(part(read, "action_taken_by_account"), "id")
            for report, read in found.items()
            if read.get("action_taken")
        }
        own = string(self._get("/api/v1/accounts/verify_credentials"), "id") if by else ""
        account = string(order.remote, "account") if order.action != "nothing" else ""
        return _State(
            open=tuple(report for report, read in found.items() if read and report not in by),
            ours=tuple(report for report in by if by[report] == own),
            others=tuple(report for report in by if by[report] != own),
            account=part(self._get(f"/api/v1/admin/accounts/{account}")) if account else {},
        )


def _named(order: Order) -> list[str]:
    """Return the reports that a decision is about; spam that may stay leaves them open."""
    is_left = order.action == "nothing" and order.verdict == "spam"
    return [str(report) for report in order.remote.get("reports", ()) if not is_left]


def _reported(report: dict[str, Any]) -> Iterator[Incoming]:
    """Yield the statuses that an open report names, or else the account."""
    author, number = part(report, "target_account"), digits(report)
    if not number or report.get("action_taken") is True:
        return
    rules = [string(rule, "text") for rule in parts(report, "rules")]
    reporter = part(report, "account")
    is_bot = not reporter or part(reporter, "account").get("bot") is True
    for piece in _statuses(report) or _profile(author):
        # Reports from another server come in the name of its own account, which has the server's name.
        complaint = IncomingComplaint(
            post=piece.post.external_id,
            reporter=_name(reporter) or "unknown",
            reason=_REASONS.get(string(report, "category"), "other"),
            reported_at=instant(report, "created_at") or piece.post.posted_at,
            external_id=f"mastodon:report:{number}",
            note="\n".join(filter(None, [string(report, "comment"), *rules])),
            is_automated=is_bot and string(reporter, "username") != string(reporter, "domain"),
        )
        yield replace(piece, complaints=(complaint,), remote={**piece.remote, "reports": [number]})


def _statuses(report: dict[str, Any]) -> list[Incoming]:
    author, rows = part(report, "target_account"), parts(report, "statuses")
    told = [(_post(row, author=author), row.get("visibility") == "direct") for row in rows]
    return [Incoming(post=post, remote=_remote(author), is_direct=few) for post, few in told if post]


def _post(status: dict[str, Any], *, author: dict[str, Any]) -> IncomingPost | None:
    """Return a status as a post, None for one that says nothing. Its card, which comes later, is left out."""
    content = text.from_html(string(status, "content"), leaves_out=_NO_LINKS)
    options = (string(option, "title") for option in parts(part(status, "poll"), "options"))
    said = "\n\n".join(filter(None, [string(status, "spoiler_text"), content.text, "\n".join(options)]))
    media = [url(one, "url", "remote_url") for one in parts(status, "media_attachments")]
    answered = digits(status, "in_reply_to_id")
    if not digits(status) or not (said.strip() or any(media)):
        return None
    return IncomingPost(
        external_id=f"mastodon:{digits(status)}",
        text=said,
        posted_at=instant(status, "created_at") or datetime.now(UTC),
        author=_author(author),
        parent=IncomingParent(external_id=f"mastodon:{answered}") if answered else None,
        language=string(status, "language"),
        links=content.links,
        media_urls=tuple(filter(None, media)),
    )


def _profile(admin: dict[str, Any]) -> Iterator[Incoming]:
    """Yield an account as a subject: its display name, bio and fields."""
    public = part(admin, "account")
    lines, links = [string(public, "display_name")], list[str]()
    for field in [{"value": public.get("note")}, *parts(public, "fields")]:
        read = text.from_html(string(field, "value"), leaves_out=_NO_LINKS)
        lines.append(": ".join(filter(None, [string(field, "name"), read.text])))
        links.extend(read.links)
    if not _name(admin):
        return
    post = IncomingPost(
        external_id=f"account:{_name(admin)}",
        text="\n".join(filter(None, lines)),
        posted_at=instant(admin, "created_at") or instant(public, "created_at") or datetime.now(UTC),
        author=_author(admin),
        links=tuple(dict.fromkeys(links)),
        media_urls=tuple(filter(None, [url(public, "avatar")])),
    )
    yield Incoming(post=post, account=True, remote=_remote(admin))


def _author(admin: dict[str, Any]) -> IncomingAuthor:
    public = part(admin, "account")
    return IncomingAuthor(
        external_id=_name(admin) or "unknown",
        display_name=string(public, "display_name") or string(public, "username"),
        created_at=instant(admin, "created_at") or instant(public, "created_at"),
        email_domain=string(admin, "email").rpartition("@")[2] or None,
        friends=count(public, "following_count"),
        followers=count(public, "followers_count"),
        posts=count(public, "statuses_count"),
    )


def _remote(admin: dict[str, Any]) -> dict[str, Any]:
    """Return the account's number, and what it was seen without: acting on it shows who did that."""
    public = part(admin, "account")
    has = {"sensitized": True, "silenced": public.get("limited"), **admin}
    free_of = [flag for flag in _FLAGS.values() if not has.get(flag)]
    return {"account": digits(admin) or digits(public), "free_of": free_of}


def _name(admin: dict[str, Any]) -> str:
    return string(part(admin, "account"), "acct") or string(admin, "username")
