"""The Ozone connector against local servers that speak the published lexicons."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from integrations import ozone
from integrations.calls import Answer, Calls, Unusable
from integrations.connector import Incoming, Order
from integrations.ozone import Ozone
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingParent, IncomingPost
from tests.integrations import hostile
from tests.integrations import ozone_server as bluesky
from tests.integrations.ozone_server import POST, READER, SPAMMER, OzoneServer, report, status
from tests.integrations.platform_server import serving

AUTHOR = IncomingAuthor(
    external_id=SPAMMER,
    display_name="Best Pills",
    created_at=datetime(2026, 2, 27, tzinfo=UTC),
    friends=2000,
    followers=3,
    posts=40,
)
REPORT = IncomingComplaint(
    post=POST,
    reporter=READER,
    reason="spam",
    reported_at=datetime(2026, 3, 2, 10, tzinfo=UTC),
    external_id="ozone:event:1",
    note="Look",
)
TOLD = IncomingPost(
    external_id=POST,
    text="See bank.example now\n\n<script>Pills</script>\n\nA pill",
    posted_at=datetime(2026, 3, 1, 9, tzinfo=UTC),
    author=AUTHOR,
    parent=IncomingParent(external_id=f"at://{READER}/app.bsky.feed.post/2a"),
    language="en",
    links=("https://pills.example/x", "https://pills.example/y"),
)
RECORDED, ACCOUNT = {"did": SPAMMER, "uri": POST, "cid": "bafy1"}, {"did": SPAMMER, "uri": "", "cid": ""}
CLOSED, OPENED = ("Acknowledge", POST), ("Report", POST)


@pytest.fixture
def server() -> Iterator[OzoneServer]:
    ozone._SESSIONS.clear()
    platform = OzoneServer()
    with serving(platform):
        yield platform


def connected(server: OzoneServer, *, password: str = bluesky.PASSWORD, is_dry_run: bool = False) -> Ozone:
    credentials = {"handle": f"@{bluesky.HANDLE}", "password": password, "labeler": bluesky.LABELER}
    return Ozone(Calls(server.url, is_dry_run=is_dry_run), credentials)


def order(action: str, remote: Any = RECORDED, *, verdict: str = "spam", **fields: Any) -> Order:
    asked = {"verdict": verdict, "reason": "spam", "action": action, "until": None, "note": "Decided"}
    return Order(external_id=POST, remote=remote, **{"decision_id": "d-1"} | asked | fields)


class TestCheck:
    def test_tells_who_is_signed_in_and_refuses_strangers(self, server: Any) -> None:
        assert connected(server).check() == "@mod.example (moderator)"

        with pytest.raises(Unusable, match="app password"):
            connected(server, password="other").check()
        server.role = ""
        with pytest.raises(Unusable, match="team"):
            connected(server).check()

    def test_signs_in_once_and_again_when_the_session_ends(self, server: Any) -> None:
        for _ in range(3):
            connected(server).check()
        assert server.sign_ins == 1

        server.sign_ins = 5
        connected(server).check()
        assert server.sign_ins == 6


class TestPoll:
    def test_tells_of_records_and_accounts(self, server: Any) -> None:
        post, account = connected(server).poll({}).incoming

        assert post == Incoming(post=TOLD, complaints=(REPORT,), remote=RECORDED)
        assert (account.account, account.remote) == (True, ACCOUNT)
        assert account.post.external_id == f"account:{SPAMMER}"
        assert account.post.text == "Best Pills\n\nI sell pills"
        assert [complaint.external_id for complaint in account.complaints] == ["ozone:event:2"]

    def test_tells_of_a_new_report_alone(self, server: Any) -> None:
        cursor = connected(server).poll({}).cursor
        nothing = connected(server).poll(cursor)
        assert (nothing.incoming, nothing.cursor) == ((), cursor)

        server.statuses[0]["lastReportedAt"] = "2026-03-03T00:00:00.000Z"
        server.events.append(report(3, POST, "HarassmentTroll"))
        [again] = connected(server).poll(cursor).incoming
        assert [complaint.reason for complaint in again.complaints] == ["abuse", "spam"]

    def test_reads_on_and_a_subject_without_a_report_hides_no_later_one(self, server: Any) -> None:
        server.statuses += [status(number, f"did:plc:{number}") for number in range(3, 22)]
        server.statuses.append(status(99, "did:plc:quiet", lastReportedAt=None))
        first = connected(server).poll({})
        second = connected(server).poll(first.cursor)
        assert (len(first.incoming), first.is_last) == (20, False)
        assert (len(second.incoming), second.is_last) == (2, True)

        server.statuses.append(status(30, "did:plc:loud"))
        again = [piece.post.external_id for piece in connected(server).poll(second.cursor).incoming]
        assert "account:did:plc:loud" in again

    def test_fetches_what_ozone_does_not_show_and_leaves_out_what_is_gone(self, server: Any) -> None:
        server.has_views, server.statuses = False, [status(1, f"{POST}gone"), status(2, POST)]

        [there] = connected(server).poll({}).incoming

        assert (there.post.text, there.post.author.display_name) == (TOLD.text, "pills.example")

    def test_leaves_out_appeals_muted_reporters_and_messages(self, server: Any) -> None:
        message = {"$type": "chat.bsky.convo.defs#messageRef", "did": SPAMMER}
        server.events = [report(3, SPAMMER, "Appeal"), report(4, SPAMMER, isReporterMuted=True)]
        server.events.append(report(5, SPAMMER) | {"subject": message})

        assert connected(server).poll({}).incoming[1].complaints == ()


class TestAct:
    @pytest.mark.parametrize(
        ("action", "remote", "done", "undone"),
        [
            ("note", RECORDED, [("Comment", POST)], []),
            ("hide", RECORDED, [("Label", POST), CLOSED], [("Label", POST), OPENED]),
            ("limit", RECORDED, [("Label", SPAMMER), CLOSED], [("Label", SPAMMER), OPENED]),
            ("remove", RECORDED, [("Takedown", POST)], [("ReverseTakedown", POST), OPENED]),
            ("suspend", RECORDED, [("Takedown", SPAMMER), CLOSED], [("ReverseTakedown", SPAMMER), OPENED]),
            ("remove", ACCOUNT, [("Takedown", SPAMMER)], [("ReverseTakedown", SPAMMER), ("Report", SPAMMER)]),
            ("nothing", RECORDED, [], []),
        ],
    )
    def test_acts_once_and_is_undone_once(
        self, server: Any, action: str, remote: Any, done: list[Any], undone: list[Any]
    ) -> None:
        for _ in range(2):
            connected(server).act(order(action, remote))
            assert server.logged == done
        for _ in range(2):
            connected(server).undo(order(action, remote))
        assert server.logged == done + undone
        assert server.labelled | server.taken_down == set()

    def test_leaves_what_others_took_down(self, server: Any) -> None:
        server.taken_down = {POST}
        connected(server).act(order("remove"))
        connected(server).undo(order("remove"))
        assert (server.logged, server.taken_down) == ([], {POST})

    def test_leaves_what_another_decision_did(self, server: Any) -> None:
        connected(server).act(order("hide", decision_id="d-12"))
        connected(server).undo(order("hide"))
        assert server.labelled == {POST}

    def test_suspends_until_the_end_in_whole_hours(self, server: Any) -> None:
        connected(server).act(order("suspend", until=datetime.now(UTC) + timedelta(hours=47, minutes=30)))
        assert server.events[-2]["event"]["durationInHours"] == 48

    def test_changes_nothing_in_a_dry_run_and_says_what_ozone_refuses(self, server: Any) -> None:
        connected(server, is_dry_run=True).act(order("suspend"))
        assert server.logged == []
        server._emitted = lambda _: (401, {"error": "AuthRequired", "message": "Must be a full moderator"})
        with pytest.raises(Unusable, match="full moderator"):
            connected(server).act(order("hide"))


class Canned(Calls):
    """Answers each question with what `said` has under the last word of its name."""

    said: Any = None

    def asked(self, *_: Any, **__: Any) -> Answer:
        return Answer(status=200, json={"accessJwt": "a", "did": "did:plc:m", "handle": "m"})

    def get(self, path: str, **_: Any) -> Answer:
        return Answer(status=200, json=self.said.get(path.partition("?")[0].rpartition(".")[2]))


def test_one_bad_subject_takes_no_other_with_it() -> None:
    view = {"subject": POST, "record": {"value": bluesky.RECORD}, "profile": bluesky.PROFILE}
    rows, good, http = [status(1, POST), status(2, SPAMMER)], status(3, "did:plc:good"), Canned("")
    said = {"rows": rows, "getSubjects": {"subjects": [view]}, "queryEvents": {"events": [report(1, POST)]}}
    for bad in hostile.spoiled(said):
        rows = bad["rows"] if isinstance(bad.get("rows"), list) else []
        http.said = bad | {"queryStatuses": {"subjectStatuses": [*rows, good], "cursor": "1::3"}}
        assert Ozone(http, {}).poll({}).incoming[-1].post.external_id == "account:did:plc:good"
