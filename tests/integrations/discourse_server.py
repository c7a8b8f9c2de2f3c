"""A forum in memory that speaks Discourse's API: its review queue, posts and users."""

import hashlib
import hmac
import json
from typing import Any

from tests.integrations.platform_server import PlatformServer, Request

KEY, MODERATOR, SECRET = "0123abcd", "spamdesk", "a secret of twelve"
WRITTEN, FLAGGED = "2026-03-01T09:00:00.000Z", "2026-03-02T10:00:00.000Z"
PILLS = {"id": 7, "username": "pills", "name": "Best Pills"}
_HTML = (
    '<p>Buy <b>pills</b> <a href="https://pills.example/x">here</a> '
    '<a class="mention" href="https://forum.example/u/ada">@ada</a></p><script>alert(1)</script>'
)
_CHANGES: dict[str, dict[str, Any]] = {
    "delete": {"deleted_at": FLAGGED, "deleted_by": {"username": MODERATOR}},
    "recover": {"deleted_at": None},
    "hide": {"hidden": True},
    "unhide": {"hidden": False},
    "unsilence": {"silenced_till": None},
    "unsuspend": {"suspended_till": None},
}
_EFFECTS = {"agree_and_hide": "hide", "delete_and_agree": "delete"}
_OFFERS = {
    "ReviewableFlaggedPost": ("agree_and_hide", "disagree", "delete_and_agree", "delete_user_block"),
    "ReviewableQueuedPost": ("approve_post", "reject_post"),
    "ReviewableUser": ("approve_user", "delete_user"),
}


def post(number: int = 50, **fields: Any) -> dict[str, Any]:
    """Return a post as the API shows it to moderators."""
    told = {"id": number, "user_id": 7, "username": "pills", "name": "Best Pills", "created_at": WRITTEN}
    told |= {"raw": "Buy **pills** @ada", "cooked": _HTML, "post_number": 1, "post_type": 1, "version": 1}
    return told | {"hidden": False, "deleted_at": None} | fields


def flagged(number: int = 12, **fields: Any) -> dict[str, Any]:
    """Return an item of the queue about a post."""
    item = {"id": number, "type": "ReviewableFlaggedPost", "status": 0, "version": 0, "created_at": FLAGGED}
    about = {"post_id": 50, "raw": "Buy **pills**", "post_version": 1, "topic_id": 20, "category_id": 4}
    return item | about | {"target_created_by_id": 7, "reviewable_score_ids": [120]} | fields


def queued(number: int = 13, **fields: Any) -> dict[str, Any]:
    """Return a post that waits for approval."""
    payload = {"raw": "See [this](https://pills.example/y)", "title": "New pills", "archetype": "regular"}
    told = {"type": "ReviewableQueuedPost", "post_id": None, "reviewable_score_ids": [130]}
    return flagged(number) | told | {"payload": payload} | fields


def account(number: int = 14, **fields: Any) -> dict[str, Any]:
    """Return an account that waits for approval."""
    payload = PILLS | {"bio": "I sell *pills*", "website": "https://pills.example"}
    return queued(number) | {"type": "ReviewableUser", "user_id": 7, "payload": payload} | fields


def signed(body: bytes, *, secret: str = SECRET) -> dict[str, str]:
    """Return the header that proves who sent a body."""
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return {"x-discourse-event-signature": f"sha256={digest}"}


def delivery(event: str, *, secret: str = SECRET, **body: Any) -> tuple[dict[str, str], bytes]:
    """Return the headers and the body of a web hook."""
    content = json.dumps(body).encode()
    return {"x-discourse-event": event, **signed(content, secret=secret)}, content


class DiscourseServer(PlatformServer):
    """`conflicts` are refusals to come because of the version; `claimed_by` is None where none must claim."""

    def __init__(self) -> None:
        super().__init__()
        self.queue = {item["id"]: item for item in (flagged(), queued(), account())}
        self.posts, self.users = {50: post()}, {7: dict(PILLS)}
        self.conflicts, self.has_queue = 0, True
        self.claimed_by: str | None = None

    def restrictions(self) -> set[str]:
        """Return what is hidden, deleted or rejected, and who is silenced or suspended."""
        flags = ("hidden", "deleted_at", "silenced_till", "suspended_till")
        rows = [*self.posts.items(), *self.users.items()]
        found = {f"{flag} {key}" for key, row in rows for flag in flags if row.get(flag)}
        queue = [row for row in self.queue.values() if row["type"] == "ReviewableQueuedPost"]
        return found | {f"rejected {row['id']}" for row in queue if row["status"] == 2}

    def waiting(self) -> set[str]:
        """Return the numbers of what waits in the queue."""
        return {str(key) for key, row in self.queue.items() if row["status"] == 0}

    @property
    def beside(self) -> dict[str, Any]:
        """What answers have beside the items of the queue; flag 130 asks for approval."""
        flag = {"user_id": 3, "created_at": FLAGGED, "reason": "<b>Look</b>", "score_type_id": 8}
        kinds = {8: "spam", 9: "needs_approval", 10: "off_topic"}
        topics = {20: "regular", 21: "private_message"}
        names = {3: "ada", 4: MODERATOR, -1: "system"}
        others = [{"id": 122} | flag | {"user_id": 4}, {"id": 123} | flag | {"user_id": -1}]
        return {
            "users": [PILLS, *({"id": key, "username": name, "name": ""} for key, name in names.items())],
            "topics": [{"id": key, "title": "Health", "archetype": kind} for key, kind in topics.items()],
            "reviewable_scores": [
                {"id": 120} | flag,
                {"id": 121} | flag,
                *others,
                {"id": 124, "reviewed_at": FLAGGED} | flag | {"score_type_id": 10},
                {"id": 130, "score_type_id": 9},
            ],
            "score_types": [{"id": key, "type": kind} for key, kind in kinds.items()],
        }

    def answer(self, request: Request) -> tuple[int, Any]:
        """Answer as the controllers do."""
        if (request.headers.get("api-key"), request.headers.get("api-username")) != (KEY, MODERATOR):
            return 403, {"errors": ["You are not permitted to view the requested resource."]}
        kind, *names = request.path.removesuffix(".json").removeprefix("/admin").strip("/").split("/")
        if kind == "review":
            return self._performed(request, *names) if names[1:] else self._queue(request, *names)
        if kind in ("posts", "users"):
            return self._changed(request, {"posts": self.posts, "users": self.users}[kind], *names)
        if kind == "post_actions":
            if request.body["post_action_type_id"] == 7:
                assert request.body["message"]
                self.queue[12] |= {"status": 0, "version": self.queue[12]["version"] + 1}
            else:
                assert request.body == {"id": "50", "post_action_type_id": 8, "take_action": "true"}
                self.posts[50]["hidden"] = True
        if kind == "reviewable_claimed_topics":
            if self.claimed_by is None or self.claimed_by:
                return 403 if self.claimed_by is None else 409, {"errors": ["…"]}
            self.claimed_by = MODERATOR
        return 200, {"current_user": {"id": 9, "username": MODERATOR, "moderator": True}}

    def _queue(self, request: Request, number: str = "") -> tuple[int, Any]:
        if number:
            item = self.queue.get(int(number), {})
            offers = [{"id": name, "label": "…"} for name in self._offered(item)]
            return 200 if item else 404, {"reviewable": item, "actions": offers, **self.beside}
        is_pending = request.query["status"] == "pending"
        found = [item for item in self.queue.values() if (item["status"] == 0) == is_pending]
        offset = int(request.query["offset"])
        return 200 if self.has_queue else 403, {"reviewables": found[offset : offset + 10], **self.beside}

    def _performed(self, request: Request, number: str, _perform: str, action: str) -> tuple[int, Any]:
        item = self.queue[int(number)]
        if self.claimed_by not in (None, MODERATOR):
            return 422, {"errors": ["You must claim items before reviewing them."]}
        if self.conflicts or int(request.query["version"]) != item["version"]:
            self.conflicts, item["version"] = max(0, self.conflicts - 1), item["version"] + 1
            return 409, {"errors": ["There was an update conflict."]}
        assert action in self._offered(item)
        item |= {"version": item["version"] + 1, "status": 2 if action in ("reject_post", "disagree") else 1}
        if action == "approve_post":
            item["post_id"], self.posts[60] = 60, post(60)
        self.posts.get(item["post_id"], {}).update(_CHANGES.get(_EFFECTS.get(action, ""), {}))
        return 200, {"reviewable_perform_result": {"success": "OK"}}

    def _changed(self, request: Request, rows: Any, number: str, verb: str = "") -> tuple[int, Any]:
        row = rows.get(int(number))
        if row is not None and request.method != "GET":
            row |= _CHANGES.get(verb or "delete", {})
            if verb in ("silence", "suspend"):
                until, past = next(iter(request.body.values())), f"{verb.removesuffix('e')}ed"
                row |= {f"{past}_till": until, f"{past}_by": {"username": MODERATOR}}
        return 200 if row else 404, row or {}

    def _offered(self, item: dict[str, Any]) -> tuple[str, ...]:
        if item.get("status") == 2 and item["type"] == "ReviewableQueuedPost":
            return ("approve_post",)
        return _OFFERS.get(item.get("type", ""), ()) if item.get("status") == 0 else ()
