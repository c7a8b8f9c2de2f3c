"""A moderator's server and the Ozone behind it, in memory, as their lexicons have them."""

from typing import Any

from tests.integrations.platform_server import PlatformServer, Request

HANDLE, PASSWORD, MODERATOR = "mod.example", "abcd-efgh", "did:plc:moderator"
LABELER, SPAMMER, READER = "did:plc:labeler", "did:plc:spammer", "did:plc:reader"
POST, AT = f"at://{SPAMMER}/app.bsky.feed.post/3k", "2026-03-02T10:00:00.000Z"
_LINK = {"$type": "app.bsky.richtext.facet#link", "uri": "https://pills.example/x"}
_CARD = {"uri": "https://pills.example/y", "title": "<script>Pills</script>", "description": ""}
RECORD: dict[str, Any] = {
    "text": "See bank.example now",
    "langs": ["en-US"],
    "createdAt": "2026-03-01T09:00:00.000Z",
    "reply": {"parent": {"uri": f"at://{READER}/app.bsky.feed.post/2a", "cid": "bafy2"}},
    "facets": [{"features": [_LINK]}, {"features": [{"did": READER}]}],
    "embed": {"media": {"external": _CARD, "images": [{"alt": "A pill"}]}},
}
PROFILE: dict[str, Any] = {"handle": "pills.example", "displayName": "Best Pills"}
PROFILE["description"] = "I sell pills"
PROFILE |= {"createdAt": "2026-02-27T00:00:00Z", "followsCount": 2000, "followersCount": 3, "postsCount": 40}
_DEFS = "tools.ozone.moderation.defs"


def subject(name: str) -> dict[str, Any]:
    """Return how events name a record or an account."""
    if name.startswith("at:"):
        return {"$type": "com.atproto.repo.strongRef", "uri": name, "cid": "bafy1"}
    return {"$type": "com.atproto.admin.defs#repoRef", "did": name}


def status(number: int, name: str, **fields: Any) -> dict[str, Any]:
    """Return an open subject, reported in the order of the numbers."""
    times = {"createdAt": AT, "lastReportedAt": f"2026-03-02T11:00:{number:02}.000Z"}
    state = {"reviewState": f"{_DEFS}#reviewOpen", "subjectRepoHandle": "pills.example"}
    return {"id": number, "subject": subject(name)} | times | state | fields


def report(number: int, name: str, kind: str = "Spam", **fields: Any) -> dict[str, Any]:
    """Return a report in the log."""
    event = {"$type": f"{_DEFS}#modEventReport", "reportType": f"com.atproto.moderation.defs#reason{kind}"}
    event |= {"comment": "Look", **fields}
    return {"id": number, "event": event, "subject": subject(name), "createdBy": READER, "createdAt": AT}


class OzoneServer(PlatformServer):
    """`logged` are the events of ours; an Ozone without `has_views` is older than getSubjects."""

    def __init__(self) -> None:
        super().__init__()
        self.statuses = [status(1, POST), status(2, SPAMMER)]
        self.events, self.logged = [report(1, POST), report(2, SPAMMER)], list[tuple[str, str]]()
        self.taken_down, self.labelled, self.keys = set[str](), set[str](), set[Any]()
        view: dict[str, Any] = {"repo": {"did": SPAMMER}, "profile": PROFILE}
        self.views = {POST: view | {"record": {"uri": POST, "value": RECORD}}, SPAMMER: view}
        self.sign_ins, self.role, self.has_views = 0, f"{_DEFS}#roleModerator", True

    def restrictions(self) -> set[str]:
        """Return what is labelled or taken down."""
        return {f"label {name}" for name in self.labelled} | {
            f"taken down {name}" for name in self.taken_down
        }

    def waiting(self) -> set[str]:
        """Return the subjects whose review is open."""
        rows = [row for row in self.statuses if row["reviewState"].endswith("Open")]
        return {str(next(iter(row["subject"].values()), "")) + str(row["id"]) for row in rows}

    def answer(self, request: Request) -> tuple[int, Any]:
        """Answer as the two servers do."""
        method = request.path.removeprefix("/xrpc/")
        if method == "com.atproto.server.createSession":
            return self._session(request.body)
        if request.headers.get("authorization") != f"Bearer token-{self.sign_ins}":
            return 400, {"error": "ExpiredToken", "message": "Token has expired"}
        is_passed_on = request.headers.get("atproto-proxy") == f"{LABELER}#atproto_labeler"
        assert is_passed_on == method.startswith("tools.ozone.")
        asked = {"queryStatuses": self._statuses, "queryEvents": self._events, "getRecord": self._record}
        if (name := method.rpartition(".")[2]) in asked:
            return asked[name](request.query)
        if name == "emitEvent":
            return self._emitted(request.body)
        views = [{"subject": name, **view} for name, view in self.views.items()]
        said = {"viewer": {"role": self.role}, "subjects": views}
        return 200 if self.has_views or name == "getConfig" else 501, said

    def _session(self, body: dict[str, Any]) -> tuple[int, Any]:
        if body != {"identifier": HANDLE, "password": PASSWORD}:
            return 401, {"error": "AuthenticationRequired", "message": "Invalid identifier or password"}
        self.sign_ins += 1
        return 200, {"accessJwt": f"token-{self.sign_ins}", "did": MODERATOR, "handle": HANDLE}

    def _statuses(self, query: Any) -> tuple[int, Any]:
        def place(row: dict[str, Any]) -> str:
            return f"{row[query['sortField']] or '~'}::{row['id']:09}"

        here, is_falling = query.get("cursor", ""), query.get("sortDirection", "desc") == "desc"
        waiting = [row for row in self.statuses if row["reviewState"] == query["reviewState"]]
        waiting = [row for row in waiting if row.get("lastReviewedAt", "~") > query.get("reviewedAfter", "")]
        rows = sorted(waiting, key=place, reverse=is_falling)
        rows = [row for row in rows if not here or (place(row) < here if is_falling else place(row) > here)]
        rows = rows[: int(query["limit"])]
        return 200, {"subjectStatuses": rows, **({"cursor": place(rows[-1])} if rows else {})}

    def _record(self, query: Any) -> tuple[int, Any]:
        uri = f"at://{query['repo']}/{query['collection']}/{query['rkey']}"
        return (200, {"uri": uri, "value": RECORD}) if uri == POST else (400, {"error": "RecordNotFound"})

    def _events(self, query: Any) -> tuple[int, Any]:
        found = [
            event
            for event in reversed(self.events)
            if event["event"]["$type"] == query["types"] and query["subject"] in event["subject"].values()
            if query.get("addedLabels", "") in ("", *event["event"].get("createLabelVals", []))
        ]
        return 200, {"events": found[: int(query["limit"])]}

    def _emitted(self, body: dict[str, Any]) -> tuple[int, Any]:
        event, about = body["event"], body["subject"]
        name, kind = about.get("uri") or about["did"], event["$type"].rpartition("#modEvent")[2]
        key, message = (kind, body["externalId"], name), ""
        if kind in ("Takedown", "ReverseTakedown") and (name in self.taken_down) == (kind == "Takedown"):
            message = f"Subject is {'already' if kind == 'Takedown' else 'not'} taken down"
        if message or key in self.keys or body["createdBy"] != MODERATOR:
            return 400, {"error": "InvalidRequest" if message else "DuplicateExternalId", "message": message}
        self.keys.add(key)
        self.events.append({"id": len(self.events) + 1, **body})
        self.logged.append((kind, name))
        if kind == "Label":
            self.labelled = self.labelled | {name} if event["createLabelVals"] else self.labelled - {name}
        self.taken_down |= {name} if kind == "Takedown" else set()
        self.taken_down -= {name} if kind == "ReverseTakedown" else set()
        for row in self.statuses if kind not in ("Comment", "Label") else ():
            if name in row["subject"].values():
                row["reviewState"] = f"{_DEFS}#review{'Open' if kind == 'Report' else 'Closed'}"
        return 200, {"id": len(self.events)}
