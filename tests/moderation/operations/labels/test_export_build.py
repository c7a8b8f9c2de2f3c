"""Trial 30. Promise: an export that lost its message or its worker is built, or says why it is not.

Stopped or killed at each step, or erased meanwhile, it leaves no file that no row names, no erased word.
"""

import hashlib
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from pyarrow import parquet
from pytest_django import Settings

from moderation.models import Export, Platform, Post, User
from moderation.models.exports import ExportFormat, ExportState
from moderation.operations.erasure import erase
from moderation.operations.labels import export_build, export_files, exports
from moderation.operations.posts.incoming_post import IncomingAuthor
from moderation.queries.labels import label_lines
from moderation.queries.labels.label_lines import LabelLine
from moderation.queries.labels.labels import LabelFilter
from tests.moderation.conftest import Cases
from tests.moderation.instants import later
from tests.moderation.operations.conftest import Decided, in_thread
from tests.moderation.operations.labels import builds

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.EXPORT_DIR = tmp_path / "exports"
    return tmp_path / "exports"


@pytest.fixture
def asked(decided_posts: None, lead: User, folder: Path) -> Export:
    return exports.request(requested_by=lead, wanted=LabelFilter(), at=later(50))


class TestLost:
    def test_message_is_sent_again(self, asked: Export, folder: Path) -> None:
        early, due = export_build.sweep(at=later(60)), export_build.sweep(at=later(111))

        export_build.build(export_id=asked.pk, at=later(112))

        assert (early, due) == (0, 1)
        asked.refresh_from_db()
        assert builds.is_whole(asked, folder)

    @pytest.mark.parametrize("step", builds.STEPS)
    def test_builder_is_replaced(self, asked: Export, folder: Path, step: str) -> None:
        with builds.at_step(step, builds.kill), pytest.raises(builds.Killed):
            export_build.build(export_id=asked.pk, at=later(51))

        export_build.build(export_id=asked.pk, at=later(60))

        asked.refresh_from_db()
        assert asked.state == ExportState.BUILDING  # the lease of the dead one still holds
        assert builds.is_whole(builds.finish(asked, at=later(51)), folder)
        assert (asked.attempts, asked.rows_written) == (2, 3)

    def test_builders_are_not_replaced_for_ever(self, asked: Export, folder: Path) -> None:
        moment = later(51)
        for _ in range(export_build.MOST_ATTEMPTS):
            with builds.at_step("reading", builds.kill), pytest.raises(builds.Killed):
                export_build.build(export_id=asked.pk, at=moment)
            moment += timedelta(seconds=builds.LEASE + 1)
            export_build.sweep(at=moment)

        asked.refresh_from_db()
        assert asked.state == ExportState.FAILED
        assert "begun 5 times" in asked.error
        assert builds.is_whole(asked, folder)

    def test_one_that_takes_too_long_says_what_to_do(
        self, asked: Export, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(export_build, "LONGEST_SECONDS", -1)

        export_build.build(export_id=asked.pk, at=later(51))

        asked.refresh_from_db()
        assert "shorter time" in asked.error
        assert builds.is_whole(asked, folder)

    def test_one_paused_past_its_lease_publishes_nothing(self, asked: Export, folder: Path) -> None:
        def overtaken() -> None:
            in_thread(lambda: export_build.build(export_id=asked.pk, at=later(52 + builds.LEASE))).join()

        for step in builds.STEPS[:4]:
            asked = exports.request(requested_by=asked.requested_by, wanted=LabelFilter(), at=later(50))
            with builds.at_step(step, overtaken):
                export_build.build(export_id=asked.pk, at=later(51))

            asked.refresh_from_db()
            assert asked.file_name == f"labels-{asked.pk}-2.jsonl"
            assert not list(folder.glob(f"labels-{asked.pk}-1.*"))
            assert builds.is_whole(asked, folder)
            export_files.delete([asked.file_name])


class TestErased:
    @pytest.mark.parametrize("step", builds.STEPS)
    def test_leaves_no_word_at_any_step(self, asked: Export, folder: Path, step: str) -> None:
        post = Post.objects.get(revisions__text__contains=builds.WORD)
        erasures: list[threading.Thread] = []

        def erase_it() -> None:
            erasures.append(in_thread(lambda: erase.post(post_id=post.pk, at=later(52))))
            # The publisher holds the row: there the erasure comes right after it.
            erasures[0].join(0.3 if step == "publishing" else builds.WAIT_SECONDS)

        with builds.at_step(step, erase_it):
            export_build.build(export_id=asked.pk, at=later(51))
        erasures[0].join(builds.WAIT_SECONDS)

        assert builds.words_left(folder) == []
        assert builds.is_whole(builds.finish(asked, at=later(52)), folder)
        assert builds.words_left(folder) == []
        assert asked.state == (ExportState.FAILED if step == "publishing" else ExportState.READY)
        assert (asked.attempts, asked.rows_written) == (1, 3 if step == "publishing" else 2)

    @pytest.mark.parametrize("form", ExportFormat.values)
    def test_ends_once_while_authors_are_erased_all_the_time(
        self,
        platform: Platform,
        open_cases: Cases,
        decided: Decided,
        lead: User,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        form: str,
    ) -> None:
        monkeypatch.setattr(label_lines, "CHUNK", 8)
        authors = [f"author-{number:02}" for number in range(40)]
        for case in open_cases(
            [
                {"text": f'Mail\n"{name}"@x.example', "author": IncomingAuthor(external_id=name)}
                for name in authors
            ]
        ):
            decided(case=case, at=later(10))
        erased: list[str] = []

        def erase_next(of: list[str]) -> None:
            name = next(name for name in of if name not in erased)
            erased.append(name)
            in_thread(lambda: erase.author(platform=platform, external_id=name, at=later(52))).join(
                builds.WAIT_SECONDS
            )

        def lines(**asked: Any) -> Iterator[LabelLine]:
            for number, line in enumerate(found(**asked)):
                yield line
                if number % 5 == 0:
                    erase_next(authors)  # mostly one that is in the file already
                    erase_next(authors[::-1])  # mostly one that is not

        found = label_lines.lines
        monkeypatch.setattr(label_lines, "lines", lines)
        row = exports.request(requested_by=lead, wanted=LabelFilter(), form=form, at=later(50))
        with (
            builds.at_step("written", lambda: erase_next(authors)),
            builds.at_step("moved", lambda: erase_next(authors)),
        ):
            export_build.build(export_id=row.pk, at=later(51))

        row.refresh_from_db()
        file = export_files.path_of(row)
        assert (row.state, row.attempts, row.rows_written) == (ExportState.READY, 1, 40 - len(erased))
        assert len(erased) > 10
        assert row.manifest is not None
        assert row.manifest["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
        held = str(parquet.read_table(file).to_pylist()) if form == "parquet" else file.read_text()
        assert [name for name in authors if name in held] == [n for n in authors if n not in erased]

    def test_waits_for_an_erasure_that_is_under_way(
        self, asked: Export, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(export_build, "_ERASURES_SECONDS", 1)
        post = Post.objects.get(revisions__text__contains=builds.WORD)
        with transaction.atomic():
            erase.post(post_id=post.pk, at=later(51))
            in_thread(lambda: export_build.build(export_id=asked.pk, at=later(51))).join(builds.WAIT_SECONDS)

        asked.refresh_from_db()
        assert asked.state == ExportState.WAITING
        assert builds.is_whole(builds.finish(asked, at=later(51)), folder)
        assert (builds.words_left(folder), asked.rows_written) == ([], 2)

    def test_spares_exports_of_another_time(self, asked: Export, lead: User) -> None:
        export_build.build(export_id=asked.pk, at=later(51))
        other = exports.request(requested_by=lead, wanted=LabelFilter(since=later(15)), at=later(50))
        export_build.build(export_id=other.pk, at=later(51))

        erase.post(post_id=Post.objects.get(revisions__text__contains=builds.WORD).pk, at=later(52))

        states = dict(Export.objects.values_list("pk", "state"))
        assert states == {asked.pk: ExportState.FAILED, other.pk: ExportState.READY}


def test_strays_are_deleted_and_nothing_else(asked: Export, folder: Path) -> None:
    export_build.build(export_id=asked.pk, at=later(51))
    named = {path.name for path in folder.iterdir()}
    strays = ("labels-9.csv", "labels-9-2.parquet.partial", "labels-99-1.jsonl.manifest.json")
    for name in (*strays, "labels-of-mine.csv", "notes.txt"):
        (folder / name).write_text(builds.WORD)

    export_files.delete_strays()

    assert {path.name for path in folder.iterdir()} == named | {"labels-of-mine.csv", "notes.txt"}
