"""Discourse: its review queue, polled, its web hooks, and what moderators do there by its API.

Sources: discourse/discourse config/routes.rb, app/{controllers,models,serializers}/*review*.rb and
post_actions_controller.rb; docs.discourse.org. What Akismet queued is left to it; users are never deleted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations.calls import Calls, Unusable
from integrations.connector import Connector, Credential, Incoming, Order, Page, signed
from integrations.discourse_posts import PENDING, REJECTED, is_private, mark, of_post, of_queue, rows_of
from integrations.fields import digits, instant, part, parts, string

_PAGE, _MOST_PAGES, _TRIES = 10, 200, 3
_OPEN = "status=pending&sort_order=created_at_asc"
_POST_EVENTS = ("post_created", "post_edited", "post_destroyed", "post_recovered")
_SPAM_FLAG, _FLAG_TO_MODERATORS = 8, 7
# What an action is called depends on the item, its state and the version: the first offered is performed.
_HIDES = ("agree_and_hide", "agree_and_keep_hidden", "hide_post", "reject_post")
_REMOVES = ("delete_and_agree", "reject_and_delete", "delete_post", "reject_post")
_PUBLISHES = ("approve_post", "approve_post_closed")
_ALLOWS = ("disagree_and_restore", "disagree", "approve_and_unhide", "approve", *_PUBLISHES, "approve_user")
_PENALTIES = {"limit": ("silence", "silenced", "silenced_till")}
_PENALTIES |= {"suspend": ("suspend", "suspended", "suspend_until")}


class Discourse(Connector):
    """A forum, by a moderator's API key. An account is silenced where a post is hidden, else suspended."""

    name, title, hook = "discourse", "Discourse", "hook"
    asks = (
        Credential(name="user", label=gettext_lazy("User name of a moderator, best only Spamdesk's")),
        Credential(name="key", label=gettext_lazy("API key: single user, scope global"), is_secret=True),
    )
    actions, default_action, has_history = ("hide", "limit", "remove", "suspend"), "remove", True

    def __init__(self, http: Calls, credentials: Mapping[str, str]) -> None:
        super().__init__(http, credentials)
        self._user = credentials.get("user", "")
        self._headers = {"Api-Key": credentials.get("key", ""), "Api-Username": self._user}

    def check(self) -> str:
        """Return the user of the key; others than moderators are refused the review queue."""
        user = part(self._read("/session/current.json", gone=(403, 404)), "current_user")
        if not (name := string(user, "username")):
            raise Unusable(_("Discourse does not know this user with this key; add a key for this user."))
        self._queue(offset=0)
        return f"{name} ({'administrator' if user.get('admin') is True else 'moderator'})"

    def poll(self, cursor: Mapping[str, Any]) -> Page:
        """Return what is new or changed on the next page of the queue; after the last one it begins anew."""
        seen, walked, offset = cursor.get("seen", []), cursor.get("walked", []), cursor.get("offset", 0)
        rows = self._queue(offset=offset)
        fresh = [self._reported(row) for row in rows if mark(row) not in seen]
        incoming, walked = tuple(filter(None, fresh)), [*walked, *map(mark, rows)]
        if len(rows) < _PAGE:
            return Page(incoming=incoming, cursor={"seen": walked})
        onward = {"seen": seen, "walked": walked, "offset": offset + _PAGE}
        return Page(incoming=incoming, cursor=onward, is_last=False)

    def history(self, *, since: datetime) -> Iterator[Incoming]:
        """Yield what was decided in the review queue; what is deleted since then, from Discourse 3.4 on.

        Spam is what was agreed with and flagged as spam alone; not spam is what flags were disagreed with, or
        what was approved. Other flags, ignored ones and refused posts may mean anything.
        """
        asked = f"status=reviewed&sort_order=created_at&from_date={since:%Y-%m-%d}"
        for page in range(_MOST_PAGES):
            rows = self._queue(asked, offset=page * _PAGE)
            yield from filter(None, map(self._reported, rows))
            if len(rows) < _PAGE:
                return

    def act(self, order: Order) -> Mapping[str, Any]:
        """Decide the item in the queue; act on the post itself where it is in none, or was decided there."""
        review = digits(order.remote, "review")
        if order.verdict != "spam":
            if review and self._performed(review, _ALLOWS) == "":
                raise Unusable(_("Discourse does not let %s dismiss this; look at its queue.") % self._user)
        elif order.action != "nothing":
            if order.remote.get("kind") != "user":
                self._take_away(order, review)
            self._penalise(order)
        return {"verdict": order.verdict}

    def undo(self, order: Order) -> None:
        """Show, recover or publish the post and lift the penalty, or flag again; what others did stays."""
        if not order.is_shared:
            self._penalise(order, is_over=True)
        review, kind = digits(order.remote, "review"), order.remote.get("kind")
        if kind == "user":
            return
        if order.action == "nothing":
            # Dismissed flags stay so. Another kind opens the item again, and may come soon after a decision.
            if review and not kind and order.reopens and self._row(review).get("status") not in PENDING:
                flag = {"id": order.remote["post"], "post_action_type_id": _FLAG_TO_MODERATORS}
                self._sent("POST", "/post_actions.json", flag | {"message": order.note}, accepts=(403, 422))
            return
        if kind == "queued" and self._row(review).get("status") in REJECTED:
            if not self._performed(review, _PUBLISHES, while_pending=False):
                raise Unusable(_("This Discourse publishes no rejected posts; ask for a new one."))
            return
        post, state = self._post(order)
        if order.action in ("hide", "limit"):
            if state.get("hidden") is True:
                self._sent("PUT", f"/posts/{post}/unhide.json")
        elif state.get("deleted_at") and self._is_own(part(state, "deleted_by")):
            self._sent("PUT", f"/posts/{post}/recover.json")

    @classmethod
    def received(cls, headers: Mapping[str, str], body: bytes, *, secret: str) -> tuple[Incoming, ...]:
        """Return a post or a queued item; flags are left to the next poll, which reads their post's time."""
        said = part(signed(headers.get("x-discourse-event-signature", ""), body, secret=secret))
        event, post, row = headers.get("x-discourse-event"), part(said, "post"), part(said, "reviewable")
        piece = of_queue(row) if row.get("status") in PENDING else None
        if event in _POST_EVENTS and not is_private(post) and post.get("post_type", 1) == 1:
            piece = of_post(post, title=string(post, "topic_title"), is_removed=event == "post_destroyed")
        return (piece,) if piece else ()

    def _queue(self, asked: str = _OPEN, *, offset: int) -> list[dict[str, Any]]:
        answer = self._read(f"/review.json?{asked}&offset={offset}", gone=(403, 404))
        if not isinstance(answer.get("reviewables"), list):
            raise Unusable(_("Discourse does not show its review queue to this user; make it a moderator."))
        return rows_of(answer, is_own=self._is_own)

    def _reported(self, row: dict[str, Any]) -> Incoming | None:
        if row.get("type") not in ("ReviewableFlaggedPost", "ReviewablePost"):
            return of_queue(row)
        topic, author, post = part(row, "topic"), part(row, "target_created_by"), digits(row, "post_id")
        now = self._read(f"/posts/{post}.json", gone=(403, 404)) if post else {}
        told = {**author, **row, "user_id": author.get("id"), **now, "id": post}
        piece = of_post(told, title=string(topic, "title"))
        remote, is_direct = {"review": digits(row)}, is_private(topic | row)
        return piece and replace(piece, remote={**piece.remote, **remote}, is_direct=is_direct)

    def _take_away(self, order: Order, review: str) -> None:
        hides = order.action in ("hide", "limit")
        if review and self._performed(review, _HIDES if hides else _REMOVES):
            return
        post, state = self._post(order)
        is_there = bool(state) and not state.get("deleted_at")
        if is_there and not hides:
            self._sent("DELETE", f"/posts/{post}.json")
        elif is_there and state.get("hidden") is not True:
            flag = {"id": post, "post_action_type_id": _SPAM_FLAG, "take_action": "true"}
            self._sent("POST", "/post_actions.json", flag)

    def _performed(self, review: str, wanted: Sequence[str], *, while_pending: bool = True) -> str | None:
        """Perform the first wanted action on offer; return it, "" if none is, None if all is decided."""
        for _attempt in range(_TRIES):
            row = self._row(review)
            if not row or (while_pending and row.get("status") not in PENDING):
                return None
            if action := next((name for name in wanted if name in row["offered"]), ""):
                path = f"/review/{review}/perform/{action}.json?version={digits(row, 'version')}"
                if self._sent("PUT", path, accepts=(409, 422)) not in (409, 422):
                    return action
            # Refused: another version is current now, or the topic must be claimed first.
            if topic := digits(row, "topic_id"):
                claim = {"reviewable_claimed_topic": {"topic_id": topic}}
                self._sent("POST", "/reviewable_claimed_topics.json", claim, accepts=(403, 404, 409, 422))
        if action:
            raise Unusable(_("Discourse refuses %s; perhaps somebody has claimed the topic there.") % action)
        return ""

    def _row(self, review: str) -> dict[str, Any]:
        """Return an item of the queue with the names of what is `offered` for it; empty if there is none."""
        answer = self._read(f"/review/{review}.json")
        row, actions = part(answer, "reviewable"), parts(answer, "actions")
        return row and {**row, "offered": [string(action, "id") for action in actions]}

    def _post(self, order: Order) -> tuple[str, dict[str, Any]]:
        """Return the post as it is now, empty if it is gone or was never published."""
        post = digits(order.remote, "post")
        if order.remote.get("kind") == "queued":
            post = digits(self._row(digits(order.remote, "review")), "post_id")
        return post, self._read(f"/posts/{post}.json") if post else {}

    def _penalise(self, order: Order, *, is_over: bool = False) -> None:
        """Silence or suspend the author, or end that, where the action asks for it and it is not so yet."""
        action, user = order.action, digits(order.remote, "user")
        if order.remote.get("kind") == "user":
            action = {"hide": "limit", "remove": "suspend"}.get(action, action)
        if action not in _PENALTIES:
            return
        if not user:
            raise Unusable(_("Discourse did not say who wrote this; act on the account there."))
        (verb, past, until), now, path = _PENALTIES[action], datetime.now(UTC), f"/admin/users/{user}/"
        state = self._read(f"/admin/users/{user}.json")
        end = (order.until or datetime(3000, 1, 1, tzinfo=UTC)).replace(microsecond=0)
        till, is_own = instant(state, f"{past}_till") or now, self._is_own(part(state, f"{past}_by"))
        is_shorter = till < end and is_own and order.is_shared  # ended first: there is no call to prolong
        if till > now and is_own and (is_over or is_shorter):
            self._sent("PUT", path + f"un{verb}.json")
        if state and not is_over and (till <= now or is_shorter):
            self._sent("PUT", path + f"{verb}.json", {until: end.isoformat(), "reason": order.note})

    def _is_own(self, who: dict[str, Any]) -> bool:
        """Tell whether this user did it; where Discourse does not say who, the decision did."""
        return string(who, "username").casefold() in ("", self._user.casefold())

    def _read(self, path: str, *, gone: Sequence[int] = (404,)) -> dict[str, Any]:
        answer = self.http.get(path, headers=self._headers, accepts=gone)
        return part(answer.json) if answer.status not in gone else {}

    def _sent(self, method: str, path: str, said: Any = None, *, accepts: Sequence[int] = ()) -> int:
        return self.http.sent(method, path, json=said, headers=self._headers, accepts=accepts).status
