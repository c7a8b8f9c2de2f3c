"""What moderators did on connected platforms: read by the connectors, and compared as a file is."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from integrations.calls import Calls
from integrations.connector import Incoming
from integrations.discourse import Discourse
from integrations.mastodon import Mastodon
from integrations.models import HistoryImport, Integration, PastLine
from integrations.past_file import FIELDS, Columns, past_post, row_of
from moderation.models import Platform
from moderation.operations.infrastructure import vault
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingPost
from tests.integrations import discourse_server as forum
from tests.integrations import hostile, stand_ins, test_history, test_lemmy, test_ozone
from tests.integrations import ozone_server as bluesky
from tests.integrations.lemmy_server import LemmyServer
from tests.integrations.mastodon_server import TOKEN, MastodonServer, account, status
from tests.integrations.platform_server import serving

SINCE = datetime(2026, 3, 1, tzinfo=UTC)
judged_here, learnt, desk = test_history._judged_here, test_history.learnt, test_history.desk


@pytest.fixture
def server(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[MastodonServer]:
    settings.EGRESS_PRIVATE_HOSTS = ["127.0.0.1"]
    monkeypatch.setattr("integrations.mastodon._PAGE", 2)
    platform, limited, free = MastodonServer(), account("77", "pills", silenced=True), account("78", "bo")
    for number, (words, author, given) in {
        20: ("casino 1", limited, {"action_taken_at": "2026-03-02T10:00:00Z"}),
        19: ("bread 2", free, {}),
        18: ("insult 3", limited, {"category": "violation"}),
        17: ("deleted 4", free, {}),
        16: ("message 5", limited, {}),
        15: ("old 6", limited, {"created_at": "2026-02-01T00:00:00Z"}),
    }.items():
        shown = {"visibility": "direct" if number == 16 else "public", "spoiler_text": "", "poll": None}
        post = status(f"9{number}", content=words, **shown)
        platform.report(str(number), post, target_account=author, action_taken=True, **given)
    platform.report("30", status("999"))
    platform.public = {"919"}
    with serving(platform):
        yield platform


def test_mastodon_survives_any_json(monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[Any] = []
    monkeypatch.setattr(Mastodon, "_get", lambda *_: pages.pop() if pages else [])
    monkeypatch.setattr(Mastodon, "_was_spam", lambda *_: None)
    for bad in hostile.spoiled(MastodonServer().report("12", status("901"))):
        pages.append([bad])
        assert len(list(Mastodon(Calls("", is_dry_run=False), {}).history(since=SINCE))) <= 2


def test_discourse_tells_how_flags_ended() -> None:
    platform, both = forum.DiscourseServer(), {"reviewable_score_ids": [120, 124]}
    agreed, disagreed, ignored = (forum.flagged(number, status=number) for number in (1, 2, 3))
    published, refused = forum.queued(4, status=1), forum.queued(5, status="rejected")
    others = [forum.flagged(6, status=1, **both), forum.flagged(7, type="ReviewablePost", status="approved")]
    rows = [agreed, disagreed, ignored, published, refused, *others, forum.queued()]
    platform.queue = dict(enumerate(rows))
    with serving(platform):
        connector = Discourse(
            Calls(platform.url, is_dry_run=False), {"user": forum.MODERATOR, "key": forum.KEY}
        )
        found = list(connector.history(since=SINCE))
    assert [piece.was_spam for piece in found] == [True, False, None, False, None, None, False]
    assert [piece.post.external_id for piece in found if piece.decided_at] == ["discourse:50"]
    assert platform.requests[0].query["from_date"] == "2026-03-01"


@pytest.mark.parametrize("api", ["v3", "v4"])
def test_lemmy_tells_what_became_of_reports(api: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("integrations.lemmy._PAGE", 2)
    platform, suffix = LemmyServer(api), "_at" if api == "v4" else ""
    cases = "post post removed spam, post post removed scam, comment comment removed rude, "
    cases += "comment comment kept spam, post post deleted spam, comment post removed spam, "
    cases += "post post_creator banned spam, post post removed spam"
    for number, case in enumerate(cases.split(", ")):
        kind, part, state, reason = case.split()
        row = platform.report(kind, number + 1, number + 10)
        row[part][state] = True
        times = {f"published{suffix}": f"2026-0{3 if number else 2}-01T1{number}:00:00Z"}
        times |= {f"updated{suffix}": "2026-03-02T10:00:00Z"}
        row[f"{kind}_report"] |= {"reason": reason, "resolved": number < 7, **times}
    with serving(platform):
        found = list(test_lemmy.connected(platform).history(since=SINCE))
    ends = [(piece.post.external_id.rpartition("/")[2], piece.was_spam) for piece in found]
    assert ends == [("16", None), ("15", None), ("14", None), ("13", False), ("12", None), ("11", True)]
    assert {piece.decided_at for piece in found} == {datetime(2026, 3, 2, 10, tzinfo=UTC)}


def test_ozone_tells_how_reviews_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("integrations.ozone._PAGE", 2)
    platform, closed = stand_ins.ozone(), {"reviewState": "tools.ozone.moderation.defs#reviewClosed"}
    ends = ["Spam", "MisleadingScam down", "Rude down", "Spam", "Spam author", "Rude spam", "Spam nudity"]
    for number, end in enumerate([*ends, "Spam"], start=2):
        (reason, _, state), name = end.partition(" "), f"{bluesky.POST}{number if number < 9 else ''}"
        closed["lastReviewedAt"] = f"2026-0{3 if number > 2 else 2}-02T1{number}:00:00.000Z"
        platform.statuses.append(bluesky.status(number, name, takendown=state == "down", **closed))
        platform.events.append(bluesky.report(number, name, reason))
        marks = [{"src": "did:plc:another", "val": "spam"}, {"src": bluesky.LABELER, "val": state}]
        record = {"value": bluesky.RECORD, "labels": marks if state in ("spam", "nudity") else marks[:1]}
        account = {"moderation": {"subjectStatus": {"takendown": state == "author"}}}
        platform.views[name] = {"record": record, "repo": account}
    platform.views[bluesky.POST] = {}
    with serving(platform):
        found = list(test_ozone.connected(platform).history(since=SINCE))
    assert [piece.was_spam for piece in found] == [None, None, True, True, False, None, True]
    assert found[-1].decided_at == datetime(2026, 3, 2, 13, tzinfo=UTC)


def test_a_post_comes_through_the_line_of_a_file() -> None:
    author = IncomingAuthor(external_id="ann", created_at=SINCE)
    post = IncomingPost(
        external_id="7", text="Buy", posted_at=SINCE, author=author, links=("https://a.example",)
    )
    columns = Columns(names={name: name for name in FIELDS}, actions={"spam": "spam"})
    past = past_post(row_of(Incoming(post=post, was_spam=True)), line=1, columns=columns, at=test_history.AT)
    assert (past.post, past.is_spam) == (post, True)


@pytest.mark.django_db
def test_waits_compares_and_tells_what_fails(
    desk: Client, server: MastodonServer, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept, answer = list[float](), server.answer
    monkeypatch.setattr("integrations.calls.time.sleep", slept.append)
    monkeypatch.setattr(server, "answer", lambda asked: answer(asked) if slept else (429, {}))
    keys = vault.encrypt(json.dumps({"access_token": TOKEN}))
    given = {"kind": "mastodon", "base_url": server.url, "credentials": keys, "created_at": SINCE}
    source = Integration.objects.create(platform=platform, state="active", **given)

    def begun() -> str:
        return desk.post("/history/", {"integration": source.pk}, follow=True).content.decode()

    page, row = begun(), HistoryImport.objects.get()
    told = row.report or {}
    assert [told[name] for name in ("posts", "spam", "not_spam", "unknown", "by_hand")] == [4, 1, 1, 2, 4]
    assert "not known" in page
    lines = [line.given for line in PastLine.objects.order_by("line")]
    assert {line["text"]: line["action"] for line in lines} == {
        "casino 1": "spam", "bread 2": "not_spam", "insult 3": "unknown", "deleted 4": "unknown"
    }  # fmt: skip
    assert (lines[0]["decided_at"][:10], lines[0]["joined_at"][:10]) == ("2026-03-02", "2026-02-27")
    assert (row.platform, slept, server.changes()) == (platform, [60.0], [])

    server.may_moderate = False
    assert "It answered 403." in begun()
    assert 'name="integration"' in desk.get("/history/").content.decode()
    Integration.objects.update(state="paused")
    assert 'name="integration"' not in desk.get("/history/").content.decode()
    begun()
    assert HistoryImport.objects.count() == 2
