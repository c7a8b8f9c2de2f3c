"""Lemmy: open reports of posts and comments, by API v3 (0.19.4 and later) or v4 (1.0).

Sources: LemmyNet/lemmy crates/api/routes*/src/lib.rs, crates/db_views/report_combined, crates/api/api_crud/*/
*/remove.rs; LemmyNet/lemmy-js-client src/types. Nobody can report a person there, and reports of private
messages and communities are left out. Lists of open reports begin with the oldest, of all with the newest.
"""

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations import text
from integrations.calls import Unreachable, Unusable
from integrations.connector import Connector, Credential, Incoming, Order, Page
from integrations.fields import count, digits, instant, part, parts, string, url
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingParent, IncomingPost

_PAGE, _MOST_PAGES = 50, 100
_KINDS, _GONE = ("post", "comment"), ("removed", "deleted")
_SIGN_IN = {"v3": "/user/login", "v4": "/account/auth/login"}
_ANSWERS = (400, 401, 404)
_SIGNED_OUT = ("not_logged_in", "incorrect_login")
_SESSIONS: dict[tuple[str, str, str], tuple[str, str]] = {}
"""API generation and token by address, user and password: Lemmy lets a person sign in a few times an hour."""


class Lemmy(Connector):
    """A Lemmy server, in the name of an administrator or moderator of communities."""

    name, title = "lemmy", "Lemmy"
    asks = (
        Credential(
            name="user",
            label=gettext_lazy("User name"),
            help=gettext_lazy("Of an account without a second factor."),
        ),
        Credential(name="password", label=gettext_lazy("Password"), is_secret=True),
    )
    actions = ("remove",)
    default_action, has_history = "remove", True

    def check(self) -> str:
        """Return the account's name; reading the reports is tried."""
        name = string(self._own(), "name")
        self.poll({})
        return name

    def poll(self, cursor: Mapping[str, Any]) -> Page:
        """Return open reports, oldest first, that are newer than the last of their kind."""
        rows, marks, is_last = self._open(cursor)
        incoming = list[Incoming]()
        for kind in _KINDS:
            fresh = [row for row in rows if _number(row, kind) > cursor.get(kind, 0)]
            incoming.extend(piece for row in fresh for piece in _reported(row, kind))
            marks[kind] = max([cursor.get(kind, 0), *(_number(row, kind) for row in fresh)])
        return Page(incoming=tuple(incoming), cursor=marks, is_last=is_last)

    def history(self, *, since: datetime) -> Iterator[Incoming]:
        """Yield the posts and comments of resolved reports. Lemmy does not tell why something was removed.

        Spam is what was removed and reported as spam or scam; not spam is what stays, in a thread that stays,
        of an author who is not banned. Unclear is the rest.
        """
        found = [self._resolved(kind, since=since) for kind in (("",) if self._is_v4() else _KINDS)]
        yield from heapq.merge(*found, key=lambda piece: piece.complaints[0].reported_at, reverse=True)

    def act(self, order: Order) -> Mapping[str, Any]:
        """Remove, which resolves the reports; resolve the reports of what is not spam."""
        if order.action not in (*self.actions, "nothing"):
            raise Unusable(_("On Lemmy, posts and comments can be removed, and nothing else."))
        if order.action == "nothing" and order.verdict == "spam":
            return {"verdict": order.verdict, "removed": False, "reports": []}
        item, resolved, ours = self._state(order)
        left = [report for report in _named(order) if report not in resolved]
        removed = order.action == "remove" and item.get("removed") is True and bool(ours)
        acted = {"verdict": order.verdict, "removed": removed, "reports": [*left, *ours]}
        if order.action == "remove" and item and not (item.get("removed") or item.get("deleted")):
            self._remove(order, is_removed=True)
            return {**acted, "removed": True}
        self._resolve(order, left, is_resolved=True)
        return acted

    def undo(self, order: Order) -> None:
        """Restore what was removed, which resolves its reports, and reopen them where the order asks so."""
        item, resolved, ours = self._state(order)
        acted = order.acted
        if "reports" not in acted:  # interrupted before it told what it did
            is_left = order.action == "nothing" and order.verdict == "spam"
            acted = {"removed": order.action == "remove" and ours, "reports": [] if is_left else ours}
        closed = [report for report in acted["reports"] if report in resolved]
        if acted["removed"] and not item:
            raise Unusable(_("It was purged on the server since then; nothing brings it back."))
        if acted["removed"] and item.get("removed"):
            self._remove(order, is_removed=False)
            closed = [report for report in _named(order) if report not in resolved or report in closed]
        self._resolve(order, closed if order.reopens else [], is_resolved=False)

    def _remove(self, order: Order, *, is_removed: bool) -> None:
        kind, number = order.remote["kind"], order.remote["id"]
        # The reason stands in a public log: the decision's number, and no words of people.
        change = {f"{kind}_id": number, "removed": is_removed, "reason": order.note}
        self._call("POST", f"/{kind}/remove", change)

    def _resolve(self, order: Order, reports: list[str], *, is_resolved: bool) -> None:
        for report in reports:
            change = {"report_id": int(report), "resolved": is_resolved}
            self._call("PUT", f"/{order.remote['kind']}/report/resolve", change)

    def _state(self, order: Order) -> tuple[dict[str, Any], set[str], list[str]]:
        """Return the post or comment, {} if purged, and which reports are resolved, and in our name."""
        kind, number = order.remote["kind"], order.remote["id"]
        item = part(self._call("GET", f"/{kind}?id={number}"), f"{kind}_view", kind)
        where = {"post_id": order.remote["post"]} if self._is_v4() else {f"{kind}_id": str(number)}
        rows = [part(row, f"{kind}_report") for row in _rows(self._list(kind, **where))]
        resolved = {digits(row): digits(row, "resolver_id") for row in rows if row.get("resolved") is True}
        own = digits(self._own()) if resolved else ""
        return item, set(resolved), [report for report in _named(order) if resolved.get(report) == own != ""]

    def _open(self, cursor: Mapping[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any], bool]:
        """Return a page of open reports, the next cursor, and whether nothing more waits."""
        if self._is_v4():
            # The cursor of the last page is asked again: new reports come behind it.
            here = string(cursor, "next")
            try:
                answer = self._list("", unresolved_only="true", **({"page_cursor": here} if here else {}))
            except (Unusable, Unreachable):
                if not here:
                    raise
                return [], {**cursor, "next": ""}, False  # the cursor's report was purged: begin anew
            following = string(answer, "next_page") or here
            return _rows(answer), {**cursor, "next": following}, following == here
        found, marks, is_last = list[dict[str, Any]](), dict(cursor), True
        for kind in _KINDS:
            page, seen = cursor.get(f"{kind}_page", 1), cursor.get(kind, 0)
            rows = _rows(self._list(kind, unresolved_only="true", page=str(page)))
            is_last = is_last and len(rows) < _PAGE
            # Resolved reports leave the list, and others move to earlier pages: go back to what is known.
            while page > 1 and (not rows or _number(rows[0], kind) > seen):
                page -= 1
                rows = _rows(self._list(kind, unresolved_only="true", page=str(page))) + rows
            found, marks[f"{kind}_page"] = [*found, *rows], page + len(rows) // _PAGE
        return found, marks, is_last

    def _resolved(self, kind: str, *, since: datetime) -> Iterator[Incoming]:
        onward = dict[str, str]()
        for page in range(_MOST_PAGES):
            answer = self._list(kind, unresolved_only="false", **onward)
            rows = [(row, name) for row in _rows(answer) for name in _KINDS if _number(row, name)]
            told = [piece for row, name in rows for piece in _reported(row, name)]
            fresh = [piece for piece in told if piece.complaints[0].reported_at > since]
            yield from (piece for piece in fresh if piece.decided_at)
            following = string(answer, "next_page") if self._is_v4() else str(page + 2)
            if len(fresh) < len(told) or not _rows(answer) or not following:
                return
            onward = {"page_cursor" if self._is_v4() else "page": following}

    def _list(self, kind: str, **query: str) -> Any:
        """Return reports: of all kinds in v4, where administrators must ask for those of communities."""
        path = "/report/list" if self._is_v4() else f"/{kind}/report/list"
        asked = {"limit": str(_PAGE), **query, "show_community_rule_violations": "true"}
        answer = self._call("GET", f"{path}?{urlencode(asked)}")
        if not isinstance(answer, dict):
            _SESSIONS.pop(self._key, None)  # perhaps it speaks the other API since an update
            raise Unreachable(_("Lemmy answered with something else than its reports."))
        return answer

    def _own(self) -> dict[str, Any]:
        """Return the person whom we are signed in as."""
        me = self._call("GET", "/account") if self._is_v4() else part(self._call("GET", "/site"), "my_user")
        return part(me, "local_user_view", "person")

    def _call(self, method: str, path: str, change: Mapping[str, Any] | None = None) -> Any:
        """Return the JSON of an answer, None of 404. A token that ended is replaced, once."""
        error = ""
        for _attempt in range(2):
            api, token = self._session()
            path_of_api, headers = f"/api/{api}{path}", {"authorization": f"Bearer {token}"}
            if method == "GET":
                answer = self.http.get(path_of_api, headers=headers, accepts=_ANSWERS)
            else:
                answer = self.http.sent(method, path_of_api, json=change, headers=headers, accepts=_ANSWERS)
            if answer.status not in (400, 401):
                return answer.json if answer.status != 404 else None
            error = string(answer.json, "error")
            if answer.status == 400 and error not in _SIGNED_OUT:
                break
            _SESSIONS.pop(self._key, None)
        raise Unusable(_("Lemmy refused: %(error)s.") % {"error": error or _("sign in again")})

    def _is_v4(self) -> bool:
        return self._session()[0] == "v4"

    @property
    def _key(self) -> tuple[str, str, str]:
        return self.http.base_url, self.credentials.get("user", ""), self.credentials.get("password", "")

    def _session(self) -> tuple[str, str]:
        if self._key not in _SESSIONS:
            # Servers of 1.0 answer v3, too, but not its reports.
            site = self.http.get("/api/v4/site", accepts=(400, 404))
            api = "v4" if site.status != 404 and isinstance(site.json, dict) else "v3"
            user, password = self._key[1:]
            asked = {"username_or_email": user, "password": password}
            answer = self.http.asked(f"/api/{api}{_SIGN_IN[api]}", json=asked, accepts=_ANSWERS)
            if not (token := string(answer.json, "jwt")):
                error = string(answer.json, "error").replace("_", " ")
                error = error or _("there is no Lemmy server at this address")
                raise Unusable(_("Lemmy did not let us in: %(error)s.") % {"error": error})
            _SESSIONS[self._key] = api, token
        return _SESSIONS[self._key]


def _named(order: Order) -> list[str]:
    return [str(report) for report in order.remote.get("reports", ())]


def _rows(answer: Any) -> list[dict[str, Any]]:
    names = ("items", "reports", "post_reports", "comment_reports")
    return [row for name in names for row in parts(answer, name)]


def _number(row: dict[str, Any], kind: str) -> int:
    return int(digits(part(row, f"{kind}_report")) or 0)


def _reported(row: dict[str, Any], kind: str) -> list[Incoming]:
    """Return the post or comment as it was reported, edited since or not; [] if it says nothing."""
    report, item, thread = part(row, f"{kind}_report"), part(row, kind), part(row, "post")
    number, author = digits(item), part(row, f"{kind}_creator")
    body = string(report, f"original_{kind}_{'body' if kind == 'post' else 'text'}")
    title = string(report, "original_post_name") or string(thread, "name") if kind == "post" else ""
    read = text.from_markdown(body or string(item, "body" if kind == "post" else "content"), title)
    link = url(report, "original_post_url") or url(item, "url") if kind == "post" else ""
    is_picture = string(item, "url_content_type").startswith("image/")
    address = url(item, "ap_id")
    if not number or not (read.text or link):
        return []
    reported_at = instant(report, "published_at", "published") or datetime.now(UTC)
    above = IncomingParent(external_id=url(thread, "ap_id"), text=string(thread, "name"))
    post = IncomingPost(
        external_id=address if 0 < len(address) <= 200 else f"lemmy:{kind}:{number}",
        text=read.text,
        posted_at=instant(item, "published_at", "published") or reported_at,
        author=_author(author),
        parent=above if kind == "comment" else None,
        links=tuple(dict.fromkeys(filter(None, [link, *read.links]))),
        media_urls=(link,) if link and is_picture else (),
    )
    reason = string(report, "reason")
    complaint = IncomingComplaint(
        post=post.external_id,
        reporter=_author(part(row, "creator")).external_id,
        reason=next((word for word in ("scam", "spam") if word in reason.lower()), "other"),
        reported_at=reported_at,
        external_id=f"lemmy:{kind}-report:{digits(report)}",
        note=reason,
        is_automated=part(row, "creator").get("bot_account") is True,
    )
    remote = {"kind": kind, "id": int(number), "post": digits(thread), "reports": [digits(report)]}
    is_gone = any(item.get(flag) is True for flag in _GONE)
    piece = Incoming(post=post, complaints=(complaint,), remote=remote, is_removed=is_gone)
    if report.get("resolved") is not True:
        return [piece]
    bans = (row.get("creator_banned"), row.get("creator_banned_from_community"), author.get("banned"))
    is_kept = not is_gone and True not in (*bans, *(thread.get(flag) for flag in _GONE))
    is_spam = item.get("removed") is True and complaint.reason != "other"
    decided_at = instant(report, "updated_at", "updated") or reported_at
    return [replace(piece, was_spam=False if is_kept else is_spam or None, decided_at=decided_at)]


def _author(person: dict[str, Any]) -> IncomingAuthor:
    name, home = string(person, "name"), url(person, "ap_id", "actor_id").split("/")[2:3]
    return IncomingAuthor(
        external_id="@".join(filter(None, [name, *home])) or "unknown",
        display_name=string(person, "display_name") or name,
        created_at=instant(person, "published_at", "published"),
        posts=count(person, "post_count"),
    )
