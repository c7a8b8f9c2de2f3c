"""Increments of exports. Promise: added up they are what a whole export holds, whatever was reversed."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from moderation.models import Case, Platform, User
from moderation.models.decisions import Verdict
from moderation.operations.cases import reversals
from moderation.operations.erasure import erase
from moderation.operations.labels import export_write
from moderation.operations.refusals import Refusal
from moderation.queries.labels.labels import LabelFilter
from tests.moderation.conftest import Case_, judge
from tests.moderation.instants import later
from tests.moderation.operations.labels.builds import rows_of


class Consumer:
    """Keeps labels by the increments alone, as the ML guide says."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.files = folder, 0
        self.after: dict[str, Any] = {}
        self.labels: dict[str, int] = {}

    def take(self, *, at: datetime) -> dict[str, Any]:
        """Ask for what changed since, and add it; return the manifest."""
        self.files += 1
        out = self.folder / f"{self.files}.jsonl"
        wanted = LabelFilter(after=export_write.from_json(self.after))
        manifest = export_write.write(out=out, wanted=wanted, at=at)
        for row in rows_of(out):
            if row["label"] is None:
                self.labels.pop(row["provenance"]["decision_id"], None)
            else:
                self.labels[row["provenance"]["decision_id"]] = row["label"]
        self.after = manifest["positions"]
        return manifest


def whole(folder: Path, *, at: datetime) -> dict[str, int]:
    """Return the labels of a whole export by their decisions."""
    out = folder / "whole.jsonl"
    export_write.write(out=out, wanted=LabelFilter(), at=at)
    return {row["provenance"]["decision_id"]: row["label"] for row in rows_of(out)}


@pytest.fixture
def consumer(tmp_path: Path) -> Consumer:
    return Consumer(tmp_path)


class TestIncrements:
    def test_tell_of_what_was_corrected_undone_and_erased(
        self, consumer: Consumer, tmp_path: Path, open_case: Case_, moderator: User, lead: User
    ) -> None:
        decisions = [judge(open_case(), moderator, at=later(10)) for _ in range(4)]
        first = consumer.take(at=later(60))
        undone = judge(open_case(), moderator, at=later(61))
        reversals.undo(decision_id=undone.pk, moderator=moderator, at=later(62))
        reversals.correct(decision_id=decisions[0].pk, verdict=Verdict.NOT_SPAM, moderator=lead, at=later(70))
        erase.post(post_id=decisions[1].post_id, at=later(71))

        then = consumer.take(at=later(120))

        assert first["counts"] == {"labels": 4, "spam": 4, "not_spam": 0, "retracted": 0}
        assert then["counts"] == {"labels": 1, "spam": 0, "not_spam": 1, "retracted": 2}
        assert consumer.labels == whole(tmp_path, at=later(120))
        assert sorted(consumer.labels.values()) == [0, 1, 1]

    def test_hold_no_label_that_can_still_be_undone(
        self, consumer: Consumer, tmp_path: Path, open_case: Case_, moderator: User
    ) -> None:
        decision = judge(open_case(), moderator, at=later(10))

        early = consumer.take(at=later(12))

        assert early["counts"]["labels"] == len(whole(tmp_path, at=later(12))) == 0
        reversals.undo(decision_id=decision.pk, moderator=moderator, at=later(13))
        consumer.take(at=later(99))
        assert consumer.labels == {}

    def test_that_follow_soon_are_empty(self, consumer: Consumer, open_case: Case_, moderator: User) -> None:
        judge(open_case(), moderator, at=later(10))
        consumer.take(at=later(60))

        again = consumer.take(at=later(61))

        assert (again["counts"]["labels"], again["counts"]["retracted"]) == (0, 0)

    def test_keep_to_a_platform_and_tombstones_pass_every_split(
        self, tmp_path: Path, platform: Platform, open_case: Case_, moderator: User, lead: User
    ) -> None:
        decision = judge(open_case(), moderator, at=later(10))
        base = export_write.write(out=tmp_path / "base", wanted=LabelFilter(), at=later(60))
        reversals.correct(decision_id=decision.pk, verdict=Verdict.NOT_SPAM, moderator=lead, at=later(70))
        wanted = LabelFilter(after=export_write.from_json(base["positions"]), splits=("no such split",))

        ours = export_write.write(
            out=tmp_path / "ours", wanted=replace(wanted, platform_id=platform.pk), at=later(99)
        )
        others = export_write.write(
            out=tmp_path / "others", wanted=replace(wanted, platform_id=platform.pk + 1), at=later(99)
        )

        assert (ours["counts"]["labels"], ours["counts"]["retracted"]) == (0, 1)
        assert (others["positions"], others["counts"]["retracted"]) == ({}, 0)

    @pytest.mark.parametrize("form", ["csv", "parquet"])
    def test_are_written_in_every_form(
        self, tmp_path: Path, open_case: Case_, moderator: User, lead: User, form: str
    ) -> None:
        decision = judge(open_case(), moderator, at=later(10))
        base = export_write.write(out=tmp_path / "base", wanted=LabelFilter(), at=later(60))
        reversals.correct(decision_id=decision.pk, verdict=Verdict.NOT_SPAM, moderator=lead, at=later(70))
        out = tmp_path / f"changes.{form}"

        wanted = LabelFilter(after=export_write.from_json(base["positions"]))
        export_write.write(out=out, wanted=wanted, at=later(99), form=form)

        rows = rows_of(out)
        assert [row["label"] for row in rows] == (["", "0"] if form == "csv" else [None, 0])
        assert rows[0]["decision_id"] == str(decision.pk)


@pytest.mark.whole
@pytest.mark.django_db(transaction=True)
def test_increments_add_up_while_people_reverse(
    consumer: Consumer, tmp_path: Path, open_case: Case_, moderator: User, lead: User
) -> None:
    cases = [open_case() for _ in range(24)]
    is_over = threading.Event()

    def work(mine: list[Case], seed: int) -> None:
        dice = random.Random(seed)
        try:
            for case in mine:
                decision = judge(case, moderator, at=later(5))
                threading.Event().wait(dice.uniform(0, 0.03))
                act = dice.randrange(4)
                with suppress(Refusal):  # too late to undo: somebody was told
                    if act == 0:
                        reversals.undo(decision_id=decision.pk, moderator=moderator, at=later(6))
                    elif act == 1:
                        reversals.correct(
                            decision_id=decision.pk, verdict=Verdict.NOT_SPAM, moderator=lead, at=later(30)
                        )
                    elif act == 2:
                        erase.post(post_id=case.post_id, at=later(30))
        finally:
            connection.close()

    def read() -> None:
        try:
            while not is_over.is_set():
                consumer.take(at=later(600))
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        reading = pool.submit(read)
        writing = [pool.submit(work, cases[number::3], number) for number in range(3)]
        for one in writing:
            one.result(60)
        is_over.set()
        reading.result(60)
    consumer.take(at=later(700))

    assert consumer.files > 2
    assert consumer.labels == whole(tmp_path, at=later(700))
    assert set(consumer.labels.values()) == {0, 1}


@pytest.mark.django_db
class TestCommand:
    def test_goes_on_from_a_manifest(
        self,
        tmp_path: Path,
        open_case: Case_,
        moderator: User,
        lead: User,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        decision = judge(open_case(), moderator, at=later(10))
        call_command("export_labels", out=tmp_path / "first.jsonl")
        reversals.correct(decision_id=decision.pk, verdict=Verdict.NOT_SPAM, moderator=lead, at=later(70))

        call_command(
            "export_labels", out=tmp_path / "then.jsonl", after=tmp_path / "first.jsonl.manifest.json"
        )

        assert "1 labels (0 spam, 1 not spam), 1 retracted" in capsys.readouterr().out

    def test_refuses_what_is_no_manifest(self, tmp_path: Path) -> None:
        (tmp_path / "other.json").write_text('{"file": "labels.jsonl"}')

        with pytest.raises(CommandError, match="begin with a whole export"):
            call_command("export_labels", out=tmp_path / "then.jsonl", after=tmp_path / "other.json")
