"""Bluesky: the reports that wait in an existing Ozone, and decisions as moderation events in its log.

Sources: bluesky-social/atproto lexicons/tools/ozone/{moderation,server} and com/atproto/{server,repo},
packages/ozone/src/{api/moderation,mod-service}. Everything is asked of the moderator's own server, which
passes it on to the labeler. Escalated subjects are left to the people of Ozone.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations import text
from integrations.calls import Answer, Calls, Unusable
from integrations.connector import Connector, Credential, Incoming, Order, Page
from integrations.fields import count, digits, instant, part, parts, string
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingParent, IncomingPost

_MODERATION, _EVENT = "tools.ozone.moderation", "tools.ozone.moderation.defs#modEvent"
_ACCOUNT, _RECORD = "com.atproto.admin.defs#repoRef", "com.atproto.repo.strongRef"
_PAGE, _MOST_PAGES, _LABEL, _LONGEST_NAME, _MARK = 20, 200, "spam", 200, "[spamdesk:"
_OPEN, _CLOSED = (f"{_MODERATION}.defs#review{state}" for state in ("Open", "Closed"))
_REFUSALS, _IS_OVER = (400, 401, 404, 501), ("ExpiredToken", "InvalidToken", "AuthMissing")
_DONE = ("DuplicateExternalId", "SubjectHasAction", "already taken down", "not taken down")
_EVENTS = {"note": "Comment", "hide": "Label", "limit": "Label", "remove": "Takedown", "suspend": "Takedown"}
_REVERSALS = {"Label": "Label", "Takedown": "ReverseTakedown"}
_REASONS = {"Spam": "spam", "MisleadingSpam": "spam", "MisleadingBot": "spam", "MisleadingScam": "scam"}
_REASONS |= {"MisleadingImpersonation": "impersonation", "Sexual": "adult", "Rude": "abuse"}
_REASONS |= {"Harassment": "abuse"}

_SESSIONS: dict[tuple[str, ...], dict[str, str]] = {}
"""This process's sessions by credentials: servers allow few sign-ins a day. Lost ones are made anew."""


class Ozone(Connector):
    """A labeler's Ozone, by a moderator's app password; the address is that of the moderator's server."""

    name, title = "ozone", "Bluesky (Ozone)"
    asks = (
        Credential(
            name="handle",
            label=gettext_lazy("Handle of a moderator"),
            help=gettext_lazy("A member of the team in your Ozone."),
        ),
        Credential(name="password", label=gettext_lazy("App password of this account"), is_secret=True),
        Credential(
            name="labeler", label=gettext_lazy("DID of the labeler"), help=gettext_lazy("Begins with did:")
        ),
    )
    actions, final = tuple(_EVENTS), ("note",)
    default_action, has_history = "hide", True

    def __init__(self, http: Calls, credentials: Mapping[str, str]) -> None:
        super().__init__(http, credentials)
        self._key = tuple(credentials.get(name, "").strip() for name in ("handle", "password", "labeler"))

    def check(self) -> str:
        """Return handle and role; triage may neither label nor take down."""
        role = string(part(self._got("tools.ozone.server.getConfig"), "viewer"), "role")
        if not role:
            raise Unusable(_("This account is not in the team of this Ozone; add it there as a moderator."))
        return f"@{self._session()['handle']} ({role.rpartition('#role')[2].lower()})"

    def poll(self, cursor: Mapping[str, Any]) -> Page:
        """Return open subjects, the longest waiting first; a new report puts its subject last."""
        query = {"reviewState": _OPEN, "sortField": "lastReportedAt", "sortDirection": "asc", **cursor}
        incoming, statuses, position = self._read(query)
        # Subjects without a report come last; a cursor behind them would leave out all reports to come.
        if not position or not string(statuses[-1], "lastReportedAt"):
            return Page(incoming=incoming, cursor=cursor)
        return Page(incoming=incoming, cursor={"cursor": position}, is_last=len(statuses) < _PAGE)

    def history(self, *, since: datetime) -> Iterator[Incoming]:
        """Yield posts whose review was closed. Ozone does not tell why something was taken down.

        Spam is what the labeler labels so, or what is down, alone or with its account, and was reported as
        spam or scam; not spam is what has neither label nor takedown, nor its account. The rest is unclear.
        """
        query = {"reviewState": _CLOSED, "sortField": "lastReviewedAt", "subjectType": "record"}
        query["reviewedAfter"] = f"{since:%Y-%m-%dT%H:%M:%SZ}"
        for _page in range(_MOST_PAGES):
            incoming, _statuses, query["cursor"] = self._read(query)
            yield from incoming
            if not query["cursor"]:
                return

    def act(self, order: Order) -> Mapping[str, Any]:
        """Log what the decision asks for, with its id: Ozone takes each event of it once.

        This closes the reports, unless the post is spam and nothing, or only a note, is asked for.
        """
        is_spam = order.verdict == "spam"
        if is_spam and order.action in _EVENTS:
            self._emit(order, _EVENTS[order.action])
        if not is_spam or order.action not in ("nothing", "note", "remove"):
            self._emit(order, "Acknowledge")
        return {"verdict": order.verdict}

    def undo(self, order: Order) -> None:
        """Take back the label or takedown, if it is ours, and report what was closed again; notes stay."""
        kind, subject = _EVENTS.get(order.action, ""), _subject(order, _EVENTS.get(order.action, ""))
        # What decisions share of an account may be the event of another one.
        mark = _mark(order) if subject["$type"] == _RECORD else _MARK
        if kind in _REVERSALS and not order.is_shared:
            added = {"addedLabels": _LABEL} if kind == "Label" else {}
            if self._is_last(_name(subject), kind, mark=mark, **added):
                self._emit(order, _REVERSALS[kind], is_undone=True)
        if order.reopens:
            closing = "Takedown" if order.action == "remove" else "Acknowledge"
            if self._is_last(_name(_subject(order, "Acknowledge")), closing, mark=_mark(order)):
                self._emit(order, "Report", is_undone=True)

    def _emit(self, order: Order, kind: str, *, is_undone: bool = False) -> None:
        # Events are shown without the external id that came with them, so the comment has it, too.
        event: dict[str, Any] = {"$type": _EVENT + kind, "comment": f"{order.note} {_mark(order)}"}
        if kind == "Label":
            added, taken = ([], [_LABEL]) if is_undone else ([_LABEL], [])
            event |= {"createLabelVals": added, "negateLabelVals": taken}
        if kind == "Report":
            event["reportType"] = "com.atproto.moderation.defs#reasonOther"
        if kind == "Takedown" and order.until:
            hours = (order.until - datetime.now(UTC)).total_seconds() / 3600
            event["durationInHours"] = max(1, math.ceil(hours))
        said = {
            "event": event,
            "subject": _subject(order, kind),
            "createdBy": self._session()["did"],
            "externalId": _mark(order) + ("undone" if is_undone else ""),
        }
        if kind != "Comment" and not is_undone:
            said["reportAction"] = {"all": True}
        path, accepts = f"/xrpc/{_MODERATION}.emitEvent", (*_REFUSALS, 409)
        answer = self._called(
            lambda headers: self.http.sent("POST", path, json=said, headers=headers, accepts=accepts)
        )
        if answer.status != 200 and not any(done in _refusal(answer) for done in _DONE):
            raise Unusable(_("Ozone refuses: %(error)s") % {"error": _refusal(answer)})

    def _read(self, query: Mapping[str, Any]) -> tuple[tuple[Incoming, ...], list[dict[str, Any]], str]:
        """Return a page of subjects, as we and as Ozone tell of them, and where the next begins."""
        answer = self._got(f"{_MODERATION}.queryStatuses", limit=_PAGE, **query)
        statuses, position = parts(answer, "subjectStatuses"), string(answer, "cursor")
        names = [name for status in statuses if (name := _name(part(status, "subject")))]
        seen = self._got(f"{_MODERATION}.getSubjects", may_fail=True, subjects=names) if names else {}
        views = {string(view, "subject"): view for view in parts(seen, "subjects")}
        incoming = tuple(filter(None, [self._reported(status, views) for status in statuses]))
        return incoming, statuses, position if statuses and position.isprintable() else ""

    def _reported(self, status: dict[str, Any], views: Mapping[str, dict[str, Any]]) -> Incoming | None:
        if not (name := _name(subject := part(status, "subject"))):
            return None
        did, *path = name.removeprefix("at://").split("/")
        view = views.get(name, {})
        profile = part(view, "profile")
        handle = string(profile, "handle") or string(status, "subjectRepoHandle")
        value = part(view, "record", "value") if path else profile
        if path and not value:
            where = dict(zip(("repo", "collection", "rkey"), (did, *path), strict=False))
            value = part(self._got("com.atproto.repo.getRecord", may_fail=True, **where), "value")
            if not value:
                return None  # deleted since: nothing is left to look at
        # The author tells when it was written, perhaps a date ahead or long past.
        times = [instant(status, "createdAt"), instant(value, "createdAt") if path else None]
        said, parent = text.from_record(value), string(part(value, "reply", "parent"), "uri")
        langs, cid = value.get("langs"), string(subject, "cid")
        post = IncomingPost(
            external_id=name if path else f"account:{did}",
            text=said.text or ("" if path else handle),
            posted_at=min(filter(None, times), default=datetime.now(UTC)),
            author=_author(did, profile, handle=handle),
            parent=IncomingParent(external_id=parent) if parent else None,
            language=str(langs[0]).partition("-")[0] if isinstance(langs, list) and langs else "",
            links=said.links,
        )
        complaints = self._complaints(name, post=post.external_id)
        return Incoming(
            post=post,
            complaints=complaints,
            account=not path,
            remote={"did": did, "uri": name if path else "", "cid": cid if cid.isalnum() else ""},
            was_spam=self._was_spam(status, view, {told.reason for told in complaints}),
            decided_at=instant(status, "lastReviewedAt"),
        )

    def _was_spam(self, status: dict[str, Any], view: dict[str, Any], reasons: set[str]) -> bool | None:
        record, repo = part(view, "record"), part(view, "repo")
        labels = [*parts(record, "labels"), *parts(repo, "labels")]
        own = {string(label, "val") for label in labels if string(label, "src") == self._key[2]}
        takedowns = (status.get("takendown"), part(repo, "moderation", "subjectStatus").get("takendown"))
        if _LABEL in own or (True in takedowns and reasons & {"spam", "scam"}):
            return True
        is_kept = record and not own and True not in takedowns
        return False if is_kept and status.get("reviewState") == _CLOSED else None

    def _complaints(self, subject: str, *, post: str) -> tuple[IncomingComplaint, ...]:
        """Return the reports of a subject, without appeals, muted reporters and reports of messages."""
        found = self._events(subject, "Report", limit=100, may_fail=True)
        events = [(part(event, "event"), event) for event in found]
        return tuple(
            IncomingComplaint(
                post=post,
                reporter=string(event, "createdBy"),
                reason=_reason(string(report, "reportType")),
                reported_at=instant(event, "createdAt") or datetime.now(UTC),
                external_id=f"ozone:event:{digits(event)}",
                note=string(report, "comment"),
            )
            for report, event in events
            if _name(part(event, "subject")) and report.get("isReporterMuted") is not True
            if _MARK not in string(report, "comment")
            if not string(report, "reportType").endswith("#reasonAppeal")
        )

    def _events(self, subject: str, kind: str, **query: Any) -> list[dict[str, Any]]:
        query |= {"subject": subject, "types": _EVENT + kind}
        return parts(self._got(f"{_MODERATION}.queryEvents", **query), "events")

    def _is_last(self, subject: str, kind: str, *, mark: str, **query: Any) -> bool:
        """Tell whether the latest event of a kind about a subject has a mark of ours."""
        last = self._events(subject, kind, limit=1, **query)
        return any(mark in string(event.get("event"), "comment") for event in last)

    def _got(self, method: str, *, may_fail: bool = False, **query: Any) -> dict[str, Any]:
        path, is_ozone = f"/xrpc/{method}?{urlencode(query, doseq=True)}", method.startswith("tools.ozone.")
        answer = self._called(
            lambda headers: self.http.get(path, headers=headers, accepts=_REFUSALS), is_ozone=is_ozone
        )
        if answer.status != 200 and not may_fail:
            raise Unusable(_("Ozone refuses: %(error)s") % {"error": _refusal(answer)})
        return part(answer.json) if answer.status == 200 else {}

    def _called(self, call: Callable[[Mapping[str, str]], Answer], *, is_ozone: bool = True) -> Answer:
        """Make a call, once more where the session was over."""
        for is_over in (False, True):
            headers = {"authorization": f"Bearer {self._session(is_over=is_over)['accessJwt']}"}
            if is_ozone:
                headers["atproto-proxy"] = f"{self._key[2]}#atproto_labeler"
            answer = call(headers)
            if string(answer.json, "error") not in _IS_OVER:
                break
        return answer

    def _session(self, *, is_over: bool = False) -> dict[str, str]:
        if is_over or self._key not in _SESSIONS:
            typed = {"identifier": self._key[0].removeprefix("@"), "password": self._key[1]}
            path = "/xrpc/com.atproto.server.createSession"
            said = self.http.asked(path, json=typed, accepts=(400, 401)).json
            session = {name: string(said, name) for name in ("accessJwt", "did", "handle")}
            if not all(value and value.isascii() and value.isprintable() for value in session.values()):
                raise Unusable(
                    _("The server refuses handle and app password; make a new app password there.")
                )
            _SESSIONS[self._key] = session
        return _SESSIONS[self._key]


def _name(subject: dict[str, Any]) -> str:
    """Return the address of a record or the DID of an account, "" for messages and what fits no database."""
    fields = {_RECORD: "uri", _ACCOUNT: "did"}
    name = string(subject, fields.get(string(subject, "$type"), ""))
    is_usable = name.startswith(("at://did:", "did:")) and name.isascii() and name.isprintable()
    return name if is_usable and len(name) <= _LONGEST_NAME else ""


def _mark(order: Order) -> str:
    return f"{_MARK}{order.decision_id}]"


def _subject(order: Order, kind: str) -> dict[str, Any]:
    """Return what an event is about: the account where the decision limits or suspends it."""
    uri, is_closed = string(order.remote, "uri"), kind in ("Acknowledge", "Report")
    if uri and (is_closed or order.action not in ("limit", "suspend")):
        return {"$type": _RECORD, "uri": uri, "cid": string(order.remote, "cid")}
    return {"$type": _ACCOUNT, "did": string(order.remote, "did")}


def _reason(kind: str) -> str:
    said = kind.rpartition("#reason")[2]
    return next((reason for start, reason in _REASONS.items() if said.startswith(start)), "other")


def _author(did: str, profile: dict[str, Any], *, handle: str) -> IncomingAuthor:
    return IncomingAuthor(
        external_id=did,
        display_name=string(profile, "displayName") or handle,
        created_at=instant(profile, "createdAt"),
        friends=count(profile, "followsCount"),
        followers=count(profile, "followersCount"),
        posts=count(profile, "postsCount"),
    )


def _refusal(answer: Answer) -> str:
    said = f"{string(answer.json, 'error')[:100]} {string(answer.json, 'message')[:200]}"
    return said.strip() or str(answer.status)
