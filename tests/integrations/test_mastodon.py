"""The Mastodon connector against a local server that speaks the documented API."""

import dataclasses
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from integrations.calls import Calls, Unreachable, Unusable
from integrations.connector import BadSignature, Incoming
from integrations.mastodon import Mastodon
from moderation.operations.posts import incoming_post
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingParent, IncomingPost
from tests.integrations import hostile
from tests.integrations.mastodon_server import SECRET, TOKEN, MastodonServer, account, delivery, status
from tests.integrations.platform_server import order, serving, told

RETURN = "https://desk.example/back"
FLAGS = {"sensitive": "sensitized", "limit": "silenced", "suspend": "suspended"}
ACCOUNT, REPORT = "POST /api/v1/admin/accounts/77", "POST /api/v1/admin/reports/12"
ACT, RESOLVE, REOPEN = f"{ACCOUNT}/action", f"{REPORT}/resolve", f"{REPORT}/reopen"
LIFT = {"limit": f"{ACCOUNT}/unsilence"} | {act: f"{ACCOUNT}/un{act}" for act in ("sensitive", "suspend")}
PILLS = IncomingAuthor(
    external_id="pills@spam.example",
    display_name="Best Pills",
    created_at=datetime(2026, 2, 27, 22, 48, 7, 985_000, UTC),
    friends=2000,
    followers=3,
    posts=40,
)
POST = IncomingPost(
    external_id="mastodon:901",
    text="Health\n\n@ada Buy pills #sale\n\nNow\nToday",
    posted_at=datetime(2026, 3, 1, 9, 30, tzinfo=UTC),
    author=PILLS,
    parent=IncomingParent(external_id="mastodon:900"),
    language="en",
    links=("https://pills.example/x",),
    media_urls=("https://files.example/p.png",),
)
PROFILE = IncomingPost(
    external_id="account:pills@spam.example",
    text="Best Pills\nCheap here\nShop: shop",
    posted_at=datetime(2026, 2, 27, 22, 48, 7, 985_000, UTC),
    author=PILLS,
    links=("https://pills.example/", "https://pills.example/shop"),
    media_urls=("https://files.example/a.png",),
)


@pytest.fixture
def server() -> Iterator[MastodonServer]:
    platform = MastodonServer()
    with serving(platform):
        yield platform


def connected(server: MastodonServer, *, is_dry_run: bool = False) -> Mastodon:
    return Mastodon(Calls(server.url, is_dry_run=is_dry_run), {"access_token": TOKEN})


class TestSignIn:
    def test_in_the_browser(self, server: MastodonServer) -> None:
        http = Calls(server.url, is_dry_run=True)
        credentials = Mastodon.register(http, redirect_uri=RETURN)
        url = Mastodon.authorize_url(server.url, credentials, redirect_uri=RETURN, state="s1")
        code = server.authorize(url)

        credentials |= Mastodon.exchange(http, credentials, code=code, redirect_uri=RETURN)

        assert dict(parse_qsl(urlsplit(url).query))["state"] == "s1"
        assert Mastodon(http, credentials).check() == "@mod"
        with pytest.raises(Unusable, match="begin again"):
            Mastodon.exchange(http, credentials, code=code, redirect_uri=RETURN)

    def test_names_missing_permissions(self, server: MastodonServer) -> None:
        server.may_moderate = False

        with pytest.raises(Unusable, match="Manage Reports"):
            connected(server).check()
        with pytest.raises(Unreachable, match="401"):
            Mastodon(Calls(server.url), {"access_token": "old"}).check()


class TestPoll:
    def test_reported_status(self, server: MastodonServer) -> None:
        server.report("12", status("901", visibility="direct"), rules=[{"id": "1", "text": "No ads"}])

        [piece] = told(connected(server))

        assert (piece.post, piece.account) == (POST, False)
        assert (piece.remote["account"], piece.remote["reports"]) == ("77", ["12"])
        assert piece.complaints == (
            IncomingComplaint(
                post="mastodon:901",
                reporter="ada",
                reason="spam",
                reported_at=datetime(2026, 3, 1, 9, 35, tzinfo=UTC),
                external_id="mastodon:report:12",
                note="sells pills\nNo ads",
            ),
        )

    def test_reports_of_bots_but_not_of_other_servers(self, server: MastodonServer) -> None:
        bot = {"username": "watch", "domain": None, "account": {"acct": "watch", "bot": True}}
        for number, reporter in enumerate(
            [bot, bot | {"username": "far.example", "domain": "far.example"}], 1
        ):
            server.report(str(number), status("901"), account=reporter)
        assert [piece.complaints[0].is_automated for piece in told(connected(server))] == [True, False]

    def test_reported_account(self, server: MastodonServer) -> None:
        server.report("12", category="violation")

        [piece] = told(connected(server))

        assert (piece.post, piece.account) == (PROFILE, True)
        assert piece.complaints[0].reason == "abuse"

    def test_each_once_over_pages(self, server: MastodonServer) -> None:
        for number in range(1, 91):
            server.report(str(number), status(str(900 + number)), action_taken=number == 50)

        numbers = [int(piece.remote["reports"][0]) for piece in told(connected(server))]
        assert numbers == [*range(1, 50), *range(51, 91)]
        assert connected(server).poll({"min_id": 90}).incoming == ()

    def test_bad_reports_take_no_other_with_them(self, server: MastodonServer) -> None:
        server.report("1", status("901", content="word " * 200_000))
        server.report("2", status("902", content=None, account=3), target_account=[], account=None)
        server.report("3", {"id": {}}, "statuses", created_at=7)  # type: ignore[arg-type]
        server.report("4", status("904"), id=None)
        server.report("5", status("905", content="<script>alert(1)</script><b onclick='x'>Hi</b>", poll=None))

        pieces = told(connected(server))

        ids = [piece.post.external_id for piece in pieces]
        assert ids == ["mastodon:901", "mastodon:902", "account:pills@spam.example", "mastodon:905"]
        assert pieces[3].post.text == "Health\n\nHi"

    def test_something_else_answers(self, server: MastodonServer) -> None:
        server.answer = lambda request: (200, b"<html>Hello")  # type: ignore[method-assign]

        with pytest.raises(Unreachable):
            connected(server).poll({})
        with pytest.raises(Unusable):
            Mastodon.register(Calls(server.url), redirect_uri=RETURN)


class TestReceived:
    def test_local_status_and_its_edit(self) -> None:
        edited = status("901", content="<p>Better pills</p>", edited_at="2026-03-01T10:00:00Z")

        [first] = Mastodon.received(*delivery("status.created", status("901")), secret=SECRET)
        [second] = Mastodon.received(*delivery("status.updated", edited), secret=SECRET)

        assert first.post == dataclasses.replace(
            POST, author=dataclasses.replace(PILLS, created_at=datetime(2026, 2, 27, tzinfo=UTC))
        )
        assert first.complaints == ()
        assert second.post.text == "Health\n\nBetter pills\n\nNow\nToday"

    @pytest.mark.parametrize("visibility", ["private", "direct", "unheard-of", None])
    def test_leaves_out_what_few_may_read(self, visibility: str | None) -> None:
        given = delivery("status.created", status("901", visibility=visibility))

        assert Mastodon.received(*given, secret=SECRET) == ()

    def test_account_and_reports(self, server: MastodonServer) -> None:
        report = server.report("12", status("901"))

        [profile] = Mastodon.received(*delivery("account.created", account("8", "bo")), secret=SECRET)
        reported = Mastodon.received(*delivery("report.created", report), secret=SECRET)
        server.resolve("12")
        resolved = Mastodon.received(*delivery("report.updated", report), secret=SECRET)

        assert profile.account
        assert profile.post.author.email_domain == "mail.example"
        assert all(piece.complaints for piece in reported)
        assert (len(reported), resolved) == (1, ())

    @pytest.mark.parametrize("secret", ["", "another"])
    def test_refuses_a_foreign_signature(self, secret: str) -> None:
        with pytest.raises(BadSignature):
            Mastodon.received(*delivery("status.created", status("901"), secret=secret), secret="mine")

    def test_survives_any_json(self, server: MastodonServer) -> None:
        for report in hostile.spoiled(server.report("12", status("901"))):
            for piece in Mastodon.received(*delivery("report.created", report), secret=SECRET):
                assert piece.post.posted_at.tzinfo is UTC
                assert incoming_post.body_digest(piece.post)


class TestActAndUndo:
    @pytest.fixture
    def piece(self, server: MastodonServer) -> Incoming:
        server.report("12", status("901"))
        [piece] = told(connected(server))
        return piece

    @pytest.mark.parametrize(("action", "flag"), FLAGS.items())
    def test_once_and_back_once(
        self, server: MastodonServer, piece: Incoming, action: str, flag: str
    ) -> None:
        connector = connected(server)

        acted = connector.act(order(piece, action))
        assert connector.act(order(piece, action, acted=acted)) == acted
        assert (server.changes(), server.accounts["77"][flag]) == ([ACT], True)
        assert server.reports["12"]["action_taken"]

        connector.undo(order(piece, action, acted=acted))
        connector.undo(order(piece, action, acted=acted))
        assert server.accounts["77"][flag] is False
        assert server.changes()[1:] == [LIFT[action], REOPEN]
        form = next(request.body for request in server.requests if request.name == ACT)
        assert form["send_email_notification"] == "false"
        assert (form["report_id"], "4711" in form["text"]) == ("12", True)

    @pytest.mark.parametrize("acted", [{"action": "limit"}, None])
    def test_leaves_what_a_moderator_did_there(
        self, server: MastodonServer, piece: Incoming, acted: dict[str, Any] | None
    ) -> None:
        server.accounts["77"]["silenced"] = True
        server.resolve("12", by="2")
        connector = connected(server)

        done = connector.act(order(piece, "limit"))
        connector.undo(order(piece, "limit", acted=done if acted is None else acted))

        assert server.changes() == []

    def test_note_goes_beside_the_first_report(self, server: MastodonServer, piece: Incoming) -> None:
        server.report("13", status("901"))
        both = dataclasses.replace(piece, remote={**piece.remote, "reports": ["12", "13"]})

        connected(server).act(order(both, "note"))
        connected(server).act(order(both, "note"))

        assert server.changes() == [ACT, "POST /api/v1/admin/reports/13/resolve"]

    def test_spam_may_stay(self, server: MastodonServer, piece: Incoming) -> None:
        acted = connected(server).act(order(piece, "nothing"))
        connected(server).undo(order(piece, "nothing", acted=acted, verdict="not_spam"))

        assert server.changes() == []

    def test_dry_run_sends_nothing(self, server: MastodonServer, piece: Incoming) -> None:
        connected(server, is_dry_run=True).act(order(piece, "limit"))

        assert server.changes() == []

    def test_says_what_it_cannot_do(self, server: MastodonServer, piece: Incoming) -> None:
        acted = connected(server).act(order(piece, "suspend"))
        server.accounts.pop("77")

        with pytest.raises(Unusable, match="no program remove a post"):
            connected(server).act(order(piece, "remove"))
        with pytest.raises(Unusable, match="deleted"):
            connected(server).undo(order(piece, "suspend", acted=acted))
        connected(server).act(order(piece, "suspend"))
