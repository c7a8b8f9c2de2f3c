"""Backup and restore. Promise: a restored backup is whole and verified, and what was erased stays erased."""

import io
import os
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection
from pytest_django import Settings

from deploy.local import postgres_files
from deploy.local.places import ROOT
from moderation.models import Erasure, Platform, Post, Revision
from moderation.operations.erasure import backup, erase, journal, restore
from moderation.operations.infrastructure import kept_files
from moderation.operations.posts.incoming_post import IncomingAuthor
from tests.moderation.conftest import Post_
from tests.moderation.instants import AT
from tests.s3 import bucket, moto  # noqa: F401 - fixtures

pytestmark = pytest.mark.whole

KEPT, LATER = "Has anybody seen my grey cat?", "Erased after the backup"


@pytest.fixture(autouse=True)
def places(settings: Settings, tmp_path: Path) -> None:
    settings.POSTGRES_PROGRAMS = postgres_files.binaries()
    settings.ERASURE_JOURNAL = tmp_path / "journal.jsonl"
    settings.RELEASES_DIR = tmp_path / "releases"
    settings.TRITON_MODELS_DIR = tmp_path / "models"
    settings.EVIDENCE_DIR = tmp_path / "evidence"


def manage(*arguments: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.django_db(transaction=True)
def test_what_was_erased_stays_erased_in_an_empty_server(
    post: Post_, platform: Platform, empty_server: dict[str, str], tmp_path: Path
) -> None:
    kept, wanted, before = post(text=KEPT), post(text=LATER), post(text="Erased before")
    spammer = IncomingAuthor(external_id="spammer", display_name="Secret Name")
    post(text=f"{LATER}, too", author=spammer)
    erase.post(post_id=before.pk, at=AT)
    release = tmp_path / "releases" / "r1" / "manifest.json"
    release.parent.mkdir(parents=True)
    release.write_text("{}")
    thumbnail = kept_files.keep(b"pixels")
    manifest = backup.make(tmp_path / "backup", at=AT)
    erase.post(post_id=wanted.pk, at=AT)
    erase.author(platform=platform, external_id="spammer", at=AT)
    lost = post(text="Neither in the backup nor in the journal's database")
    erase.post(post_id=lost.pk, at=AT)
    journal.write(at=AT)

    journal_option = f"--journal={tmp_path / 'journal.jsonl'}"
    done = manage("restore", str(tmp_path / "backup"), journal_option, environment=empty_server)
    verified = manage("verify_audit", f"--head={manifest['audit_head']}", environment=empty_server)
    again = manage("restore", str(tmp_path / "backup"), journal_option, environment=empty_server)

    assert done.returncode == 0, done.stderr
    assert "Erased again: 2; known: 1; not in this database: 1" in done.stdout
    assert verified.returncode == 0, verified.stderr
    assert "not empty" in again.stderr
    assert (Path(empty_server["SPAMDESK_STATE_DIR"]) / "releases" / "r1" / "manifest.json").exists()
    [restored] = (Path(empty_server["SPAMDESK_STATE_DIR"]) / "evidence").glob(f"*/{thumbnail}")
    assert restored.read_bytes() == b"pixels"
    with psycopg.connect(empty_server["DATABASE_URL"]) as connection:
        texts = connection.execute("SELECT text FROM moderation_revision ORDER BY id").fetchall()
        names = connection.execute("SELECT external_id, display_name FROM moderation_author").fetchall()
        next_ids = "SELECT nextval('moderation_post_id_seq'), nextval('moderation_decision_id_seq')"
        next_id, next_decision_id = connection.execute(next_ids).fetchone() or (0, 0)
    assert texts == [(KEPT,), ("",), ("",), ("",)]
    assert kept.pk < wanted.pk < lost.pk < next_id
    assert next_decision_id > 10_000_000, "platforms were told of decisions that are lost"
    assert ("spammer", "Secret Name") not in names


@pytest.mark.django_db(transaction=True)
def test_a_changed_backup_is_refused(post: Post_, empty_server: dict[str, str], tmp_path: Path) -> None:
    post(text=KEPT)
    backup.make(tmp_path / "backup", at=AT)
    with (tmp_path / "backup" / backup.DUMP).open("ab") as file:
        file.write(b"x")

    done = manage("restore", str(tmp_path / "backup"), "--without-journal", environment=empty_server)

    assert done.returncode == 1
    assert "is not as it was written" in done.stderr


class TestJournal:
    def test_names_no_word_and_no_name(self, post: Post_, settings: Settings) -> None:
        erase.post(post_id=post(external_id="their-own-id", text=KEPT).pk, at=AT)

        written = (journal.write(at=AT), journal.write(at=AT))

        assert written == (1, 0)
        [entry] = journal.read(settings.ERASURE_JOURNAL)
        assert entry.subject_id == Erasure.objects.get().subject_id
        assert "their-own-id" not in settings.ERASURE_JOURNAL.read_text()

    def test_spares_another_post_that_got_the_same_id(self, post: Post_, settings: Settings) -> None:
        row = post(text=KEPT)
        erase.post(post_id=row.pk, at=AT)
        journal.write(at=AT)
        Erasure.objects.all().delete()
        Post.objects.filter(pk=row.pk).update(external_id="another", erased_at=None)
        Revision.objects.update(text=KEPT)

        applied = journal.apply(settings.ERASURE_JOURNAL, at=AT)

        assert (applied.erased, applied.absent) == (0, 1)
        assert Revision.objects.get().text == KEPT


class TestInterrupted:
    """Trial 30: what a killed backup or restore leaves looks like neither."""

    @pytest.fixture
    def slow_dump(self, settings: Settings, tmp_path: Path) -> Path:
        """A `pg_dump` that writes half of a dump and then goes no further."""
        programs = tmp_path / "programs"
        programs.mkdir()
        script = programs / "pg_dump"
        script.write_text(
            "#!/bin/sh\n"
            'for one; do case $one in --file=*) echo "grey cat" > "${one#--file=}"; esac; done\n'
            "exec sleep 120\n"
        )
        script.chmod(0o755)
        return programs

    @pytest.mark.django_db(transaction=True)
    def test_a_killed_backup_leaves_nothing_to_restore_and_the_next_clears_up(
        self, post: Post_, slow_dump: Path, tmp_path: Path
    ) -> None:
        post(text=KEPT)
        folder, of = tmp_path / "backups" / "one", connection.settings_dict
        login = f"{of['USER']}:{of['PASSWORD']}@{of['HOST']}:{of['PORT']}"
        address = f"postgresql://{login}/{of['NAME']}"
        environment = os.environ | {"DATABASE_URL": address, "SPAMDESK_POSTGRES_PROGRAMS": str(slow_dump)}
        command = [sys.executable, str(ROOT / "manage.py"), "backup", str(folder)]
        making = subprocess.Popen(command, env=environment, start_new_session=True)
        try:
            deadline = time.monotonic() + 60
            while not list(folder.parent.glob(".backup-*/backup/database.dump")):
                assert time.monotonic() < deadline
                time.sleep(0.05)
            [staging] = folder.parent.glob(".backup-*")
            backup.make(tmp_path / "backups" / "beside", at=AT)
            is_spared = staging.exists()
        finally:
            os.killpg(making.pid, signal.SIGKILL)
            making.wait()
        with pytest.raises(backup.Failed, match="is not a backup"):
            restore.run(staging / "backup", erasures=None, at=AT)
        backup.make(tmp_path / "backups" / "two", at=AT)

        assert is_spared
        assert sorted(path.name for path in folder.parent.iterdir()) == ["beside", "two"]

    @pytest.mark.django_db(transaction=True)
    @pytest.mark.long
    def test_a_broken_off_restore_is_not_served(
        self, post: Post_, empty_server: dict[str, str], tmp_path: Path
    ) -> None:
        erased = post(text=LATER)
        backup.make(tmp_path / "backup", at=AT)
        erase.post(post_id=erased.pk, at=AT)
        broken_off = (
            "from django.utils import timezone; from pathlib import Path;"
            " from moderation.operations.erasure import journal, restore;"
            " journal.apply = lambda *_, **__: exit(9);"
            f" restore.run(Path({str(tmp_path / 'backup')!r}), erasures=Path('/dev/null'), at=timezone.now())"
        )

        done = manage("shell", "--no-imports", "-c", broken_off, environment=empty_server)
        served = manage("migrate", environment=empty_server)
        again = manage("restore", str(tmp_path / "backup"), "--without-journal", environment=empty_server)

        assert done.returncode == 9, done.stderr
        assert (served.returncode, "spamdesk.E002" in served.stderr) == (1, True)
        assert "A restore into it was interrupted" in again.stderr


def archived(folder: Path, *, name: str) -> Path:
    path = folder / "files.tar"
    with tarfile.open(path, "w") as packed:
        member = tarfile.TarInfo(name)
        member.size, member.mode = 4, 0o4777
        packed.addfile(member, io.BytesIO(b"file"))
    return path


def test_kept_files_are_unpacked_without_what_only_later_pythons_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian 12's Python, 3.11.2, knows no filter for archives."""
    monkeypatch.delattr(tarfile, "data_filter", raising=False)
    for name in ("extract", "extractall"):
        monkeypatch.delattr(tarfile.TarFile, name)

    restore._unpack(archived(tmp_path, name="releases/r1/manifest.json"))

    [file] = (tmp_path / "releases").rglob("*.*")
    assert (file.name, file.read_bytes()) == ("manifest.json", b"file")
    assert file.stat().st_mode & 0o7022 == 0


@pytest.mark.parametrize("name", ["releases/../../outside", "releases//outside", "triton-models/../outside"])
def test_an_archive_that_leaves_its_folders_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(backup.Failed, match="names a file outside of its folders"):
        restore._unpack(archived(tmp_path, name=name))

    assert not list(tmp_path.rglob("outside"))


def test_pictures_go_from_the_state_folder_into_a_bucket_and_back(
    bucket: Any,  # noqa: F811 - the fixture
    settings: Settings,
    tmp_path: Path,
) -> None:
    address, settings.EVIDENCE_STORE = settings.EVIDENCE_STORE, ""
    files = {kept_files.keep(data): data for data in (b"one", b"two", b"three")}
    backup._pack(tmp_path / "first.tar")

    settings.EVIDENCE_DIR = tmp_path / "another"
    settings.EVIDENCE_STORE = address
    restore._unpack(tmp_path / "first.tar")
    assert {digest: kept_files.read(digest) for digest in files} == files
    assert len(list(bucket.objects.all())) == 3
    backup._pack(tmp_path / "second.tar")

    settings.EVIDENCE_STORE = ""
    restore._unpack(tmp_path / "second.tar")
    assert {digest: kept_files.read(digest) for digest in files} == files
    with tarfile.open(tmp_path / "second.tar") as packed:
        assert sorted(packed.getnames()) == sorted(f"evidence/{name[:2]}/{name}" for name in files)


def test_pictures_fail_by_name_where_the_store_does_not_answer(settings: Settings, tmp_path: Path) -> None:
    kept_files.keep(b"one")
    backup._pack(tmp_path / "files.tar")
    settings.EVIDENCE_DIR = tmp_path / "files.tar"  # no folder

    with pytest.raises(backup.Failed, match="store of pictures does not take evidence/"):
        restore._unpack(tmp_path / "files.tar")
