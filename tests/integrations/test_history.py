"""Imports of past actions by their pages: upload, columns, report, deletion; and nothing of them is sent."""

import io
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.test import Client

from integrations import history, history_job, tasks
from integrations.models import HistoryImport, HistoryState, PastLine
from integrations.past_file import Columns
from moderation.models import AuditEntry, User
from moderation.operations.learning import past_verdicts
from moderation.operations.learning.past_posts import PastRecord
from moderation.operations.learning.past_verdicts import Judged, NotFitted
from tests.moderation.fakes import FakeScorer
from training import labelled_records

AT = datetime(2026, 3, 1, tzinfo=UTC)
NASTY = '<script>alert(1)</script> "><img src=x onerror=alert(2)>'
NAMES = {"text": "body", "posted_at": "created_at", "action": "action", "author": "user"}
CHOSEN = {"begin": "1", "seconds": "36"} | {f"column-{part}": name for part, name in NAMES.items()}


def _file(posts: int = 40, *, wrong: str = "") -> io.BytesIO:
    """Every fourth post was removed; of the other ones nobody approved more than every second."""
    lines = ["body,created_at,action,user"]
    for number in range(posts):
        spam = number % 4 == 0
        action = "removed" if spam else "ok" if number % 2 else ""
        body = f"casino {number}" if spam else f"bread {number}"
        lines.append(f"{body},{(AT + timedelta(hours=number)).isoformat()},{action},ann")
    named = io.BytesIO("\n".join([*lines, *([wrong] if wrong else [])]).encode())
    named.name = "march.csv"
    return named


class _Inline:
    """Does what a pool of threads would, at once: another thread would not see the test's rows."""

    def __init__(self, **_: object) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def submit(self, work: Callable[..., Any], *given: Any, **named: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(work(*given, **named))
        except Exception as failure:  # noqa: BLE001 - as a pool does
            done.set_exception(failure)
        return done


def _judge(records: Sequence[PastRecord], *, judge: FakeScorer, **_: object) -> Judged:
    """Remove casinos, and hold every fifth post; a judge that has learnt removes nothing."""
    found = []
    for one in records:
        number = int(one.record.text.split()[1])
        is_casino = "casino" in one.record.text and judge.default != 0.1
        found.append(
            (0.5, "review") if number % 5 == 0 else (0.99, "remove") if is_casino else (0.01, "allow")
        )
    return Judged(probabilities=[one for one, _ in found], routes=[route for _, route in found])


@pytest.fixture
def learnt() -> list[FakeScorer]:
    """What learning gives; refused while it is empty."""
    return []


@pytest.fixture(autouse=True)
def _judged_here(monkeypatch: pytest.MonkeyPatch, fake_scorer: FakeScorer, learnt: list[FakeScorer]) -> None:
    def fitted(*_: object, **__: object) -> FakeScorer:
        if not learnt:
            raise NotFitted("TooFew: 3 spam")
        return learnt[0]

    monkeypatch.setattr(past_verdicts, "live", lambda: fake_scorer)
    monkeypatch.setattr(past_verdicts, "content_scores", lambda texts, **_: [None] * len(texts))
    monkeypatch.setattr(past_verdicts, "judged", _judge)
    monkeypatch.setattr(past_verdicts, "fitted", fitted)
    monkeypatch.setattr(history_job, "ThreadPoolExecutor", _Inline)
    monkeypatch.setattr(history_job, "connection", SimpleNamespace(close=lambda: None))
    monkeypatch.setattr(
        tasks,
        "judge_soon",
        lambda *, history_id: history_job.carry_out(history_id=history_id, at=AT + timedelta(days=30)),
    )


@pytest.fixture
def desk(lead: User) -> Client:
    desk = Client()
    desk.force_login(lead)
    return desk


def _uploaded(desk: Client, **given: str) -> HistoryImport:
    desk.post("/history/", {"file": _file(**given)})  # type: ignore[arg-type]
    return HistoryImport.objects.get()


def _begun(desk: Client, **given: str) -> str:
    row = _uploaded(desk)
    meanings = {"ok": "not_spam", "": "kept", "removed": "spam"}
    actions = enumerate(history.actions_of(row, "action"))
    chosen = CHOSEN | {f"action-{place}": meanings[name] for place, name in actions} | given
    return desk.post(f"/history/{row.pk}/", chosen, follow=True).content.decode()


def _counts() -> dict[str, int]:
    models = [model for model in apps.get_app_config("moderation").get_models() if model is not AuditEntry]
    return {model.__name__: model._default_manager.count() for model in models}


@pytest.mark.django_db
class TestPages:
    def test_columns_are_guessed_and_hostile_cells_inert(self, desk: Client) -> None:
        row = _uploaded(desk, wrong=f'"{NASTY.replace(chr(34), chr(34) * 2)}",soon,{"x" * 300},bob')
        PastLine.objects.filter(line__lt=42).exclude(line__gt=39).delete()

        page = desk.get(f"/history/{row.pk}/").content.decode()

        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert '<option value="body" selected>' in page
        assert '<option value="not_spam" selected>' in page

    def test_an_unreadable_file_is_refused_and_nothing_kept(self, desk: Client) -> None:
        answer = desk.post("/history/", {"file": _file(wrong="one,two")})

        assert answer.status_code == 422
        assert "Line 42 has 2 fields" in answer.content.decode()
        assert not HistoryImport.objects.exists()

    def test_other_columns_are_shown_before_text_time_and_action_are_there(self, desk: Client) -> None:
        row = _uploaded(desk)

        page = desk.post(
            f"/history/{row.pk}/", CHOSEN | {"begin": "", "column-action": "user"} | {"look": "1"}
        )

        assert "ann" in page.content.decode()
        row.refresh_from_db()
        assert row.state == HistoryState.MAPPING
        desk.post(f"/history/{row.pk}/", CHOSEN | {"column-text": ""})
        row.refresh_from_db()
        assert row.state == HistoryState.MAPPING

    def test_reports_on_all_posts_where_nothing_was_learnt(self, desk: Client) -> None:
        page = _begun(desk)

        report = HistoryImport.objects.get().report
        assert report is not None
        assert (report["posts"], report["spam"], report["not_spam"], report["by_hand"]) == (40, 10, 30, 30)
        [option] = report["options"]
        assert option["removed"] == [8, 40]
        assert option["people"] == [8, 40]
        assert option["precision"] == [8, 8]
        assert option["missed"] == [0, 10]
        assert option["wrong"] == [0, 30]
        assert report["hours_by_hand"] == pytest.approx(30 * 36 / 3600)
        # People confirm the removals and look at a share of the rest, first.
        assert option["hours_at_first"] == pytest.approx((16 + option["first_share"] * 24) * 36 / 3600)
        assert "TooFew: 3 spam" in page
        assert "(8 of 40)" in page
        assert "34.7%" in page
        assert "shares are of these, not of all posts" in page

    def test_judges_the_newer_posts_beside_what_was_learnt(
        self, desk: Client, learnt: list[FakeScorer]
    ) -> None:
        learnt.append(FakeScorer(default=0.1))

        page = _begun(desk, is_whole="on")

        report = HistoryImport.objects.get().report
        assert report is not None
        assert (report["older"], report["posts"]) == (28, 12)
        assert [option["removed"][0] for option in report["options"]] == [3, 0]
        assert report["options"][1]["missed"] == [3, 3]
        assert "After learning from the older posts" in page
        # The filter lets through what moderators removed.
        assert "casino 28" in page
        assert "shares are of these" not in page

    def test_nothing_enters_the_desk_nor_does_the_same_message_again_change_a_thing(
        self, desk: Client
    ) -> None:
        before = _counts()
        _begun(desk)
        assert _counts() == before
        row = HistoryImport.objects.get()

        history_job.carry_out(history_id=row.pk, at=AT + timedelta(days=31))

        assert HistoryImport.objects.get().ended_at == row.ended_at

    def test_csv_has_figures_and_posts(self, desk: Client, learnt: list[FakeScorer]) -> None:
        learnt.append(FakeScorer(default=0.1))
        _begun(desk)

        lines = desk.get(f"/history/{HistoryImport.objects.get().pk}/posts.csv").content.decode().splitlines()

        assert lines[0] == ",As live now,After learning from the older posts"
        assert lines[-1].endswith("casino 36")

    def test_deletes_all_of_it(self, desk: Client) -> None:
        _begun(desk)

        desk.post(f"/history/{HistoryImport.objects.get().pk}/remove/")

        assert not HistoryImport.objects.exists()
        assert not PastLine.objects.exists()


@pytest.mark.django_db
class TestImports:
    def _row(self) -> HistoryImport:
        row = history.take(name="m.csv", file=_file(4), actor=None, at=AT)
        history.begin(
            history_id=row.pk, columns=Columns(names=row.mapping["names"]), platform=None, actor=None, at=AT
        )
        return row

    def test_a_lost_one_may_be_begun_again(self) -> None:
        row = self._row()
        columns = Columns(names=row.mapping["names"])
        later = AT + history.PATIENCE + timedelta(seconds=1)

        with pytest.raises(history.NotReady):
            history.begin(history_id=row.pk, columns=columns, platform=None, actor=None, at=AT)
        history.begin(history_id=row.pk, columns=columns, platform=None, actor=None, at=later)

    def test_old_posts_are_deleted_and_the_report_stays(self) -> None:
        self._row()
        HistoryImport.objects.update(left_out=[[2, "time: “Ann”"]])

        history.forget(at=AT + timedelta(days=91))

        assert HistoryImport.objects.get().left_out == []
        assert not PastLine.objects.exists()

    def test_lines_that_are_no_posts_are_named(self) -> None:
        row = history.take(name="m.csv", file=_file(wrong="late,soon,ok,bob"), actor=None, at=AT)
        columns = Columns(names=row.mapping["names"], actions={"removed": "spam"})
        history.begin(history_id=row.pk, columns=columns, platform=None, actor=None, at=AT)

        history_job.carry_out(history_id=row.pk, at=AT + timedelta(days=30))

        row.refresh_from_db()
        assert row.left_out == [[42, "created_at: no time from 2000 until now: “soon”"]]


@pytest.mark.django_db
class TestCommand:
    def test_writes_report_and_labels(self, tmp_path: Path, learnt: list[FakeScorer]) -> None:
        path, labels = tmp_path / "march.csv", tmp_path / "labels.jsonl"
        path.write_bytes(_file().read())
        told = io.StringIO()

        call_command(
            "import_history", path, "--whole", "--action", "=unknown", "--labels", str(labels), stdout=told
        )

        assert '"removed": [\n    8,\n    40\n   ]' in told.getvalue()
        posts = labelled_records.load(labels)
        assert (len(posts), sum(post.is_spam for post in posts)) == (30, 10)
        assert all(post.is_random and post.weight == 1.0 for post in posts)

    @pytest.mark.parametrize(
        ("words", "said"),
        [(["--map", "text=words"], "no column 'words'"), (["--action", "gone=spam"], "values are")],
    )
    def test_refuses_by_name(self, tmp_path: Path, words: list[str], said: str) -> None:
        path = tmp_path / "march.csv"
        path.write_bytes(_file().read())

        with pytest.raises(CommandError, match=said):
            call_command("import_history", path, *words)
        assert not HistoryImport.objects.exists()
