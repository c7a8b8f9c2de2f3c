"""The Lemmy connector against a local server that speaks both generations of its API."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from integrations import fields
from integrations.calls import Calls, Unusable
from integrations.connector import Incoming
from integrations.lemmy import Lemmy
from moderation.operations.posts import incoming_post
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingParent, IncomingPost
from tests.integrations import hostile
from tests.integrations.lemmy_server import LemmyServer
from tests.integrations.platform_server import order, serving, told


@pytest.fixture(params=["v3", "v4"])
def server(request: pytest.FixtureRequest) -> Iterator[LemmyServer]:
    platform = LemmyServer(request.param)
    with serving(platform):
        yield platform


def connected(server: LemmyServer, *, password: str = "pass", is_dry_run: bool = False) -> Lemmy:
    return Lemmy(Calls(server.url, is_dry_run=is_dry_run), {"user": "mod", "password": password})


class TestSignIn:
    def test_once_for_many_calls_and_anew_when_it_ended(self, server: LemmyServer) -> None:
        assert (connected(server, is_dry_run=True).check(), connected(server).check()) == ("mod", "mod")
        assert server.tokens == 1

        server.token = "ended"

        assert connected(server).check() == "mod"
        assert server.tokens == 2

    def test_is_refused(self, server: LemmyServer) -> None:
        with pytest.raises(Unusable, match="incorrect login"):
            connected(server, password="wrong").check()

    def test_something_else_answers(self, server: LemmyServer) -> None:
        server.answer = lambda request: (200, b"<html>Hello")  # type: ignore[method-assign]

        with pytest.raises(Unusable, match="no Lemmy server"):
            connected(server).check()


class TestPoll:
    def test_reported_post(self, server: LemmyServer) -> None:
        server.report("post", 5, 12)
        server.items["post", 12]["body"] = "edited since"

        [piece] = told(connected(server))

        assert piece.post == IncomingPost(
            external_id="https://far.example/post/12",
            text="Cheap pills\n\nBuy here",
            posted_at=datetime(2026, 3, 1, 9, 12, 0, 123_456, UTC),
            author=IncomingAuthor(
                external_id="pills@far.example",
                display_name="pills",
                created_at=datetime(2026, 2, 27, tzinfo=UTC),
            ),
            links=("https://pills.example/", "https://pills.example/x"),
        )
        assert piece.complaints == (
            IncomingComplaint(
                post="https://far.example/post/12",
                reporter="ada@lemmy.example",
                reason="spam",
                reported_at=datetime(2026, 3, 1, 10, tzinfo=UTC),
                external_id="lemmy:post-report:5",
                note="Spam again",
            ),
        )

    def test_a_report_by_a_bot_is_automated(self, server: LemmyServer) -> None:
        person = server.report("post", 5, 12)["creator"]
        person["bot_account"] = True

        [piece] = told(connected(server))

        assert [complaint.is_automated for complaint in piece.complaints] == [True]

    def test_reported_comment(self, server: LemmyServer) -> None:
        server.report("comment", 5, 55)

        [piece] = told(connected(server))

        assert (piece.post.text, piece.post.external_id) == ("Buy now", "https://far.example/comment/55")
        assert piece.post.parent == IncomingParent(
            external_id="https://far.example/post/12", text="Cheap pills"
        )

    def test_each_once_while_others_resolve(self, server: LemmyServer) -> None:
        for number in range(1, 131):
            server.report("post", number, 12)
            server.report("comment", number, 55)
        connector, seen = connected(server), list[str]()
        cursor, is_last = dict[str, Any](), False
        while not is_last:
            page = connector.poll(cursor)
            seen += [complaint.external_id for piece in page.incoming for complaint in piece.complaints]
            cursor, is_last = dict(page.cursor), page.is_last
            for number in range(1, 26):
                server.resolve("post", number)

        assert len(seen) == len(set(seen)) == 260
        server.report("post", 131, 12)
        assert len(connector.poll(cursor).incoming) == 1

    def test_bad_reports_take_no_other_with_them(self, server: LemmyServer) -> None:
        rows = list(hostile.spoiled(server.report("comment", 1, 55)))
        for number, row in enumerate(rows, start=2):
            if fields.part(row, "comment_report").get("id") == 1:
                row["comment_report"]["id"] = number
            server.reports["comment", number] = row
        server.report("comment", 9_999, 56)

        pieces = told(connected(server))

        assert pieces[-1].post.external_id == "https://far.example/comment/56"
        assert len(pieces) > len(rows) * 0.8
        assert all(
            piece.post.posted_at.tzinfo is UTC and incoming_post.body_digest(piece.post) for piece in pieces
        )


class TestActAndUndo:
    @pytest.fixture(params=["post", "comment"])
    def piece(self, server: LemmyServer, request: pytest.FixtureRequest) -> Incoming:
        server.report(request.param, 5, 12)
        server.report(request.param, 6, 13)
        [piece, _] = told(connected(server))
        return piece

    def calls(self, server: LemmyServer) -> list[str]:
        return [name.partition("/api/v")[2][2:] for name in server.changes() if "/login" not in name]

    def test_once_and_back_once(self, server: LemmyServer, piece: Incoming) -> None:
        connector, kind = connected(server), piece.remote["kind"]

        acted = connector.act(order(piece, "remove"))
        assert connector.act(order(piece, "remove", acted=acted)) == acted
        assert self.calls(server) == [f"{kind}/remove"]
        assert server.items[kind, 12]["removed"] is True
        assert server.requests[-1].method == "GET"

        connector.undo(order(piece, "remove", acted=acted))
        connector.undo(order(piece, "remove", acted=acted))
        assert self.calls(server)[1:] == [f"{kind}/remove", f"{kind}/report/resolve"]
        assert server.items[kind, 12]["removed"] is False
        assert not server.reports[kind, 5][f"{kind}_report"]["resolved"]
        removals = [request.body for request in server.requests if request.path.endswith("/remove")]
        assert all("4711" in body["reason"] for body in removals)

    def test_leaves_what_a_moderator_removed(self, server: LemmyServer, piece: Incoming) -> None:
        kind = piece.remote["kind"]
        server.items[kind, 12]["removed"] = True
        server.resolve(kind, 5, by=2)

        acted = connected(server).act(order(piece, "remove"))
        connected(server).undo(order(piece, "remove", acted=acted))

        assert self.calls(server) == []

    def test_spam_may_stay_and_a_dry_run_sends_nothing(self, server: LemmyServer, piece: Incoming) -> None:
        acted = connected(server).act(order(piece, "nothing"))
        connected(server).undo(order(piece, "nothing", acted=acted))
        connected(server, is_dry_run=True).act(order(piece, "remove"))

        assert self.calls(server) == []

    def test_says_what_it_cannot_do(self, server: LemmyServer, piece: Incoming) -> None:
        acted = connected(server).act(order(piece, "remove"))
        del server.items[piece.remote["kind"], 12]

        with pytest.raises(Unusable, match="nothing else"):
            connected(server).act(order(piece, "limit"))
        with pytest.raises(Unusable, match="purged"):
            connected(server).undo(order(piece, "remove", acted=acted))
