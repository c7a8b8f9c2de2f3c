"""Files of past actions: what is read, what is guessed, and refusals that name line and field."""

import io
from datetime import UTC, datetime, timedelta

import pytest

from integrations import past_file
from integrations.past_file import Columns, Unreadable
from moderation.operations.learning.past_posts import PastPost

AT = datetime(2026, 11, 1, tzinfo=UTC)
COLUMNS = Columns(
    names={"text": "body", "posted_at": "time", "action": "did", "author": "who", "decided_at": "when"},
    actions={"removed": "spam", "ok": "not_spam", "": "kept"},
)


def _rows(name: str, content: str | bytes) -> list[tuple[int, past_file.Row]]:
    data = content.encode() if isinstance(content, str) else content
    return list(past_file.rows(name, io.BytesIO(data)))


@pytest.mark.parametrize(
    ("name", "content", "rows"),
    [
        ("a.csv", "body,did\r\nhello,ok\r\n", [(2, {"body": "hello", "did": "ok"})]),
        (
            "a.csv",
            '\ufeffbody;did\n"two\nlines; here";ok\n',
            [(3, {"body": "two\nlines; here", "did": "ok"})],
        ),
        ("a.tsv", "body\tdid\na, b\tok\n\n", [(2, {"body": "a, b", "did": "ok"})]),
        (
            "a.jsonl",
            '\n{"body": "h\\u0000i", "user": {"id": 7}, "spam": true, "x": null, "y": [1]}\n',
            [(2, {"body": "hi", "user.id": "7", "spam": "true", "x": ""})],
        ),
    ],
)
def test_reads(name: str, content: str, rows: list[tuple[int, past_file.Row]]) -> None:
    assert _rows(name, content) == rows


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "body,did\nhello\n", "Line 2 has 1 fields, the first line names 2."),
        ("a.csv", "body,body\na,b\n", "Line 1 must name the columns"),
        ("a.csv", "", "Line 1 must name the columns"),
        ("a.csv", 'body,did\n"open,ok\n', "Line 2: unexpected end of data"),
        ("a.csv", b"body\n\xff\xfe\n", "Not UTF-8"),
        ("a.jsonl", '{"a": 1}\n{"a"\n', "Line 2: not JSON"),
        ("a.jsonl", "[1]\n", "Line 1: no object"),
        ("a.jsonl", "[" * 100_000, "Line 1: not JSON"),
    ],
)
def test_refuses(name: str, content: str | bytes, said: str) -> None:
    with pytest.raises(Unreadable, match=said):
        _rows(name, content)


def test_too_many_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past_file, "MOST_ROWS", 2)

    with pytest.raises(Unreadable, match="More than 2 lines"):
        _rows("a.csv", "body\na\nb\nc\n")


def test_guesses_columns_and_meanings() -> None:
    columns = ["Post ID", "Created_at", "user.id", "Message", "is_spam", "lang"]

    assert past_file.guessed(columns) == {
        "text": "Message",
        "posted_at": "Created_at",
        "action": "is_spam",
        "author": "user.id",
        "language": "lang",
        "id": "Post ID",
    }
    assert [past_file.meaning(word) for word in ("Removed", "approve", " ", "1", "muted")] == [
        "spam",
        "not_spam",
        "kept",
        "spam",
        "unknown",
    ]


class TestPastPost:
    def _post(self, **cells: str) -> PastPost:
        row = {"body": "Hello", "time": "2026-10-01T12:00:00+02:00", "did": "removed", "who": "ann"} | cells
        return past_file.past_post(row, line=7, columns=COLUMNS, at=AT)

    @pytest.mark.parametrize(
        ("did", "is_spam", "is_judged"),
        [("removed", True, True), ("ok", False, True), ("", False, False), ("muted", None, False)],
    )
    def test_what_moderators_did(self, did: str, is_spam: bool | None, is_judged: bool) -> None:
        past = self._post(did=did)

        assert (past.is_spam, past.is_judged) == (is_spam, is_judged)

    @pytest.mark.parametrize(
        "time",
        [
            "2026-10-01 10:00:00",
            "2026-10-01T10:00:00Z",
            "2026-10-01 10:00:00 UTC",
            "1790848800",
            "1790848800000",
        ],
    )
    def test_times(self, time: str) -> None:
        assert self._post(time=time).post.posted_at == datetime(2026, 10, 1, 10, tzinfo=UTC)

    @pytest.mark.parametrize("time", ["", "yesterday", "1999-01-01", "2027-01-01", "9" * 400, "٣"])
    def test_no_time_names_the_column(self, time: str) -> None:
        with pytest.raises(Unreadable, match=r"^time: no time"):
            self._post(time=time)

    def test_an_unknown_time_of_the_action_is_a_day_later(self) -> None:
        past = self._post()

        assert past.decided_at - past.post.posted_at == timedelta(days=1)
        assert self._post(when="2026-10-02T00:00:00").decided_at == datetime(2026, 10, 2, tzinfo=UTC)

    def test_without_an_author_each_post_has_its_own(self) -> None:
        past = self._post(who="")

        assert (past.post.author.external_id, past.post.external_id) == ("line-7", "line-7")
