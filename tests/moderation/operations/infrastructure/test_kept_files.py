import errno
import hashlib
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.conf import settings
from pytest_django import Settings

from moderation.operations.infrastructure import kept_files
from moderation.operations.infrastructure.file_stores import Folder

AT = datetime(2026, 11, 1, 12, tzinfo=UTC)
THUMBNAIL = b"RIFF pixels"


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.EVIDENCE_DIR = tmp_path / "evidence"
    return tmp_path / "evidence"


def age(digest: str, by: timedelta) -> None:
    path = next(Path(settings.EVIDENCE_DIR).glob(f"*/{digest}"))
    os.utime(path, times=((AT - by).timestamp(),) * 2)


class TestKeep:
    def test_keeps_once_by_the_digest_of_the_bytes(self) -> None:
        digest = kept_files.keep(THUMBNAIL)

        assert kept_files.keep(THUMBNAIL) == digest == hashlib.sha256(THUMBNAIL).hexdigest()
        assert kept_files.read(digest) == THUMBNAIL
        assert len(list(kept_files.names())) == 1
        kept_files.drop([digest, digest])
        assert kept_files.read(digest) is None

    def test_refuses_what_is_too_large(self) -> None:
        with pytest.raises(kept_files.TooLarge):
            kept_files.keep(bytes(kept_files.MOST_BYTES + 1))

    def test_leaves_nothing_of_a_file_on_a_full_disk(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(_file: int) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as disk:
            disk.setattr(os, "fsync", full)
            with pytest.raises(kept_files.NoRoom):
                kept_files.keep(THUMBNAIL)

        assert list(Folder().listed()) == []
        assert kept_files.read(kept_files.keep(THUMBNAIL)) == THUMBNAIL  # there is room again


@pytest.mark.parametrize("name", ["", "../../settings", "A" * 64, "0" * 63, "0" * 64])
def test_reads_nothing_but_kept_files(name: str) -> None:
    kept_files.keep(THUMBNAIL)

    assert kept_files.read(name) is None
    kept_files.drop([name])
    assert len(list(kept_files.names())) == 1


class TestDeleteStrays:
    def test_deletes_old_files_that_no_row_names(self, folder: Path) -> None:
        named, stray, young = (kept_files.keep(data) for data in (b"named", b"stray", b"young"))
        (folder / "00").mkdir(exist_ok=True)
        (folder / "00" / ".unfinished").touch()
        for digest in (named, stray, ".unfinished"):
            age(digest, 2 * kept_files.STRAY_AFTER)
        age(young, timedelta(minutes=1))

        deleted = kept_files.delete_strays(named=lambda _: {named}, at=AT)

        assert deleted == 2
        assert sorted(found.name for found in Folder().listed()) == sorted((named, young))

    def test_spares_an_old_file_that_is_kept_again(self) -> None:
        digest = kept_files.keep(THUMBNAIL)
        age(digest, 2 * kept_files.STRAY_AFTER)
        kept_files.keep(THUMBNAIL)

        assert kept_files.delete_strays(named=lambda _: set(), at=AT) == 0
