"""The Discourse connector against a local server that speaks the published API."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from integrations.calls import Answer, Calls, Unusable
from integrations.connector import BadSignature, Incoming, Order
from integrations.discourse import Discourse
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingPost
from tests.integrations import discourse_server as forum
from tests.integrations import hostile
from tests.integrations.discourse_server import MODERATOR, SECRET, DiscourseServer
from tests.integrations.platform_server import serving

POST = IncomingPost(
    external_id="discourse:50",
    text="Health\n\nBuy pills @ada",
    posted_at=datetime(2026, 3, 1, 9, tzinfo=UTC),
    author=IncomingAuthor(external_id="7", display_name="Best Pills"),
    links=("https://pills.example/x",),
)
FLAG = IncomingComplaint(
    post="discourse:50",
    reporter="3",
    reason="spam",
    reported_at=datetime(2026, 3, 2, 10, tzinfo=UTC),
    external_id="discourse:flag:120",
    note="Look",
)
NO_FLAG = {"post": "50", "user": "7"}
FLAGGED = NO_FLAG | {"review": "12"}
QUEUED = {"review": "13", "kind": "queued", "user": "7"}
ACCOUNT = {"review": "14", "kind": "user", "user": "7"}


@pytest.fixture
def server() -> Iterator[DiscourseServer]:
    platform = DiscourseServer()
    with serving(platform):
        yield platform


def connected(server: DiscourseServer, *, key: str = forum.KEY, is_dry_run: bool = False) -> Discourse:
    return Discourse(Calls(server.url, is_dry_run=is_dry_run), {"user": MODERATOR, "key": key})


def order(
    action: str, remote: dict[str, Any] = FLAGGED, *, verdict: str = "spam", until: Any = None
) -> Order:
    asked = {"verdict": verdict, "reason": "spam", "action": action, "until": until, "note": "Decided"}
    return Order(decision_id="d-1", external_id="discourse:50", remote=remote, **asked)


def changed(server: DiscourseServer) -> str:
    """Return the paths of all changes, shortened."""
    return " ".join(server.changes()).replace(".json", "").replace("/perform", "").replace("PUT ", "")


class TestCheck:
    def test_tells_the_user_and_refuses_a_wrong_key_and_a_user_without_queue(self, server: Any) -> None:
        assert connected(server).check() == "spamdesk (moderator)"

        with pytest.raises(Unusable, match="does not know"):
            connected(server, key="other").check()
        server.has_queue = False
        with pytest.raises(Unusable, match="make it a moderator"):
            connected(server).check()


class TestPoll:
    def test_tells_of_flagged_posts_queued_posts_and_accounts(self, server: Any) -> None:
        post, waiting, user = connected(server).poll({}).incoming

        assert post == Incoming(post=POST, complaints=(FLAG,), remote=FLAGGED)
        assert (waiting.post.external_id, waiting.remote) == ("discourse:queued:13", QUEUED)
        assert waiting.post.text == "New pills\n\nSee this"
        assert waiting.post.links == ("https://pills.example/y",)
        assert (user.post.external_id, user.remote, user.account) == ("account:7", ACCOUNT, True)
        assert user.post.text == "pills\n\nBest Pills\n\nhttps://pills.example\n\nI sell pills"
        # That something waits for approval is nobody's complaint.
        assert waiting.complaints == user.complaints == ()

    def test_tells_again_of_what_changed_alone_page_by_page(self, server: Any) -> None:
        server.queue |= {number: forum.queued(number) for number in range(20, 30)}
        first = connected(server).poll({})
        second = connected(server).poll(first.cursor)
        assert (len(first.incoming), first.is_last) == (10, False)
        assert (len(second.incoming), second.is_last) == (3, True)

        server.queue[12]["reviewable_score_ids"].append(121)
        [again] = connected(server).poll(second.cursor).incoming
        assert [flag.external_id for flag in again.complaints] == ["discourse:flag:120", "discourse:flag:121"]

    def test_leaves_out_its_own_flags_and_tells_the_systems_from_peoples(self, server: Any) -> None:
        server.queue = {12: forum.flagged(reviewable_score_ids=[120, 121, 122, 123])}
        [piece] = connected(server).poll({}).incoming
        told = [(flag.external_id[-3:], flag.reporter, flag.is_automated) for flag in piece.complaints]
        assert told == [("120", "3", False), ("121", "3", False), ("123", "system", True)]

    def test_reads_a_post_that_is_not_shown_from_the_queue(self, server: Any) -> None:
        server.posts.clear()
        [post, *_] = connected(server).poll({}).incoming
        assert (post.post.text, post.post.author, post.complaints) == ("Buy pills", POST.author, (FLAG,))

    def test_leaves_out_what_is_akismets_and_marks_direct_messages(self, server: Any) -> None:
        server.queue = {
            15: forum.flagged(15, type="ReviewableAkismetPost"),
            16: forum.flagged(16, topic_id=21, category_id=None),
            17: forum.flagged(17, topic_id=99, category_id=None),
            18: forum.queued(18, payload={"raw": "psst", "archetype": "private_message"}),
        }
        pieces = connected(server).poll({}).incoming

        assert [(piece.remote["review"], piece.is_direct) for piece in pieces] == [("16", True), ("17", True)]


class TestAct:
    @pytest.mark.parametrize(
        ("action", "remote", "done", "undone"),
        [
            ("hide", FLAGGED, "/review/12/agree_and_hide", "/posts/50/unhide"),
            ("remove", FLAGGED, "/review/12/delete_and_agree", "/posts/50/recover"),
            ("limit", NO_FLAG, "POST /post_actions /users/7/silence", "/users/7/unsilence /posts/50/unhide"),
            ("suspend", NO_FLAG, "DELETE /posts/50 /users/7/suspend", "/users/7/unsuspend /posts/50/recover"),
            ("remove", QUEUED, "/review/13/reject_post", "/review/13/approve_post"),
            ("hide", ACCOUNT, "/users/7/silence", "/users/7/unsilence"),
            ("remove", ACCOUNT, "/users/7/suspend", "/users/7/unsuspend"),
            ("nothing", FLAGGED, "", ""),
        ],
    )
    def test_acts_once_and_is_undone_once(
        self, server: Any, action: str, remote: Any, done: str, undone: str
    ) -> None:
        for _ in range(2):
            acted = connected(server).act(order(action, remote))
            assert changed(server).replace("/admin", "") == done
        for _ in range(2):
            connected(server).undo(order(action, remote))
        assert changed(server).replace("/admin", "") == f"{done} {undone}".strip()
        assert acted == {"verdict": "spam"}

    @pytest.mark.parametrize(
        ("remote", "done"),
        [
            (FLAGGED, "/review/12/disagree"),
            (QUEUED, "/review/13/approve_post"),
            (ACCOUNT, "/review/14/approve_user"),
            (NO_FLAG, ""),
        ],
    )
    def test_dismisses_flags_and_approves_what_is_no_spam(self, server: Any, remote: Any, done: str) -> None:
        for _ in range(2):
            connected(server).act(order("nothing", remote, verdict="not_spam"))
        assert changed(server) == done

    @pytest.mark.parametrize(("conflicts", "claimed_by"), [(1, None), (0, "")])
    def test_asks_again_where_the_version_moved_and_claims(
        self, server: Any, conflicts: int, claimed_by: str | None
    ) -> None:
        server.conflicts, server.claimed_by = conflicts, claimed_by
        connected(server).act(order("remove"))
        assert server.posts[50]["deleted_at"]

    def test_says_so_where_another_has_claimed_it_or_nothing_is_offered(self, server: Any) -> None:
        server.claimed_by = "ada"
        with pytest.raises(Unusable, match="claimed"):
            connected(server).act(order("remove"))
        server.queue[12]["type"] = "ReviewableChatMessage"
        with pytest.raises(Unusable, match="its queue"):
            connected(server).act(order("nothing", verdict="not_spam"))

    def test_removes_a_queued_post_that_was_published_meanwhile(self, server: Any) -> None:
        connected(server).act(order("nothing", QUEUED, verdict="not_spam"))
        connected(server).act(order("remove", QUEUED))
        assert server.posts[60]["deleted_at"]
        connected(server).undo(order("remove", QUEUED))
        assert not server.posts[60]["deleted_at"]

    def test_leaves_what_others_did(self, server: Any) -> None:
        server.posts[50] |= {"deleted_at": forum.FLAGGED, "deleted_by": {"username": "ada"}}
        server.users[7] |= {"suspended_till": "3017-01-01T00:00:00Z", "suspended_by": {"username": "ada"}}

        connected(server).act(order("suspend", NO_FLAG))
        connected(server).undo(order("suspend", NO_FLAG))

        assert changed(server) == ""

    def test_ends_when_the_decision_says_and_changes_nothing_in_a_dry_run(self, server: Any) -> None:
        connected(server, is_dry_run=True).act(order("suspend"))
        assert changed(server) == ""
        connected(server).act(order("limit", until=datetime(2030, 1, 1, tzinfo=UTC)))
        assert server.users[7]["silenced_till"] == "2030-01-01T00:00:00+00:00"

    def test_what_decisions_share_ends_with_the_last_of_them(self, server: Any) -> None:
        for year in (2030, 2031, 2031, 2029):
            end = datetime(year, 1, 1, tzinfo=UTC)
            connected(server).act(replace(order("limit", NO_FLAG, until=end), is_shared=year > 2030))

        assert server.users[7]["silenced_till"] == "2031-01-01T00:00:00+00:00"
        kinds = [path.rpartition("/")[2] for path in changed(server).split() if "users" in path]
        assert kinds == ["silence", "unsilence", "silence"]


class TestReceived:
    @pytest.mark.parametrize("event", ["post_created", "post_edited", "post_destroyed"])
    def test_reads_a_post_as_polling_does(self, event: str) -> None:
        post = forum.post(topic_title="Health", topic_archetype="regular")
        pieces = Discourse.received(*forum.delivery(event, post=post), secret=SECRET)
        assert pieces == (Incoming(post=POST, remote=NO_FLAG, is_removed=event == "post_destroyed"),)

    @pytest.mark.parametrize(
        ("body", "taken"),
        [
            ({"reviewable": forum.queued(target_created_by={"id": 7})}, ["discourse:queued:13"]),
            ({"reviewable": forum.account()}, ["account:7"]),
            ({"reviewable": forum.flagged()}, []),  # the next poll reads when the post was written
            ({"reviewable": forum.queued(status=1)}, []),
            ({"post": forum.post(topic_archetype="private_message")}, []),
            ({"post": forum.post()}, []),  # of no category, as direct messages are
            ({"post": forum.post(topic_archetype="regular", post_type=4)}, []),  # a whisper
            ({"ping": "OK"}, []),
        ],
    )
    def test_takes_what_is_queued_and_no_messages(self, body: dict[str, Any], taken: list[str]) -> None:
        pieces = Discourse.received(*forum.delivery("post_created", **body), secret=SECRET)
        assert [piece.post.external_id for piece in pieces] == taken

    def test_refuses_what_is_not_signed_or_no_json(self) -> None:
        headers, body = forum.delivery("post_created", post=forum.post())
        for secret, sent in (("another", headers), ("", forum.signed(body, secret="")), (SECRET, {})):
            with pytest.raises(BadSignature):
                Discourse.received(sent, body, secret=secret)
        for broken in (b"[" * 100_000, b"\xff", b"{"):
            with pytest.raises(ValueError, match=r"."):
                Discourse.received(forum.signed(broken), broken, secret=SECRET)


class Canned(Calls):
    """Answers every question about the queue with `page`."""

    page: Any = None

    def get(self, path: str, **_: Any) -> Answer:
        return Answer(status=200, json=self.page if "/review" in path else {})


def test_one_bad_item_takes_no_other_with_it() -> None:
    http, rows = Canned(""), [forum.flagged(), forum.queued(), forum.account()]
    short = tuple(value for value in hostile.VALUES if len(str(value)) < 100)
    for bad in hostile.spoiled({"reviewables": rows, **DiscourseServer().beside}, values=short):
        found = bad.get("reviewables")
        http.page = bad | {"reviewables": [*(found if isinstance(found, list) else []), forum.queued(77)]}
        assert Discourse(http, {}).poll({}).incoming[-1].post.external_id == "discourse:queued:77"
    for bad in hostile.spoiled({"post": forum.post(topic_archetype="regular"), "reviewable": forum.queued()}):
        Discourse.received(*forum.delivery("post_created", **bad), secret=SECRET)
