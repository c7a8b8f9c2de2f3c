"""The store of pictures in a bucket: moto's S3 on a local port."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError
from pytest_django import Settings

from moderation.operations.infrastructure import file_stores, kept_files
from moderation.operations.infrastructure.file_stores import Bucket, Folder, Unreachable
from tests.s3 import bucket, moto  # noqa: F401 - fixtures

THUMBNAIL = b"RIFF pixels"


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.EVIDENCE_DIR = tmp_path / "evidence"
    return tmp_path / "evidence"


def keys(bucket: Any) -> list[str]:  # noqa: F811 - the fixture's value
    return [found.key for found in bucket.objects.all()]


class TestBucket:
    def test_keeps_once_and_leaves_nothing_in_the_state_folder(self, bucket: Any, folder: Path) -> None:  # noqa: F811
        digest = kept_files.keep(THUMBNAIL)

        assert kept_files.keep(THUMBNAIL) == digest
        assert keys(bucket) == [f"thumbs/{digest}"]
        assert not folder.exists()
        assert kept_files.read(digest) == THUMBNAIL
        assert list(kept_files.names()) == [digest]
        kept_files.drop([digest, digest])
        assert kept_files.read(digest) is None
        assert keys(bucket) == []

    def test_deletes_old_files_that_no_row_names(self, bucket: Any) -> None:  # noqa: F811
        named, stray = kept_files.keep(b"named"), kept_files.keep(b"stray")
        bucket.put_object(Key="of-somebody-else", Body=b"stays")
        now = datetime.now(UTC)

        assert kept_files.delete_strays(named=lambda _: set(), at=now) == 0
        asked = kept_files.delete_strays(named=lambda _: {named}, at=now + timedelta(hours=2))

        assert asked == 1
        assert keys(bucket) == ["of-somebody-else", f"thumbs/{named}"]
        assert kept_files.read(stray) is None

    def test_takes_over_what_the_state_folder_has(
        self,
        bucket: Any,  # noqa: F811
        settings: Settings,
    ) -> None:
        address, settings.EVIDENCE_STORE = settings.EVIDENCE_STORE, ""
        digest = kept_files.keep(THUMBNAIL)
        settings.EVIDENCE_STORE = address

        assert kept_files.read(digest) == THUMBNAIL
        assert list(kept_files.names()) == [digest]
        kept_files.move()
        assert list(Folder().listed()) == []
        assert keys(bucket) == [f"thumbs/{digest}"]
        assert list(kept_files.names()) == [digest]

    @pytest.mark.long
    def test_lists_more_than_a_page(self, bucket: Any) -> None:  # noqa: F811
        for number in range(1_003):
            bucket.put_object(Key=f"thumbs/{number:064x}", Body=b"")

        assert len(set(kept_files.names())) == 1_003

    @pytest.mark.parametrize("use", [lambda: kept_files.keep(THUMBNAIL), lambda: kept_files.read("0" * 64)])
    def test_that_is_gone_is_unreachable_and_left_alone_for_a_while(
        self,
        use: Callable[[], object],
        bucket: Any,  # noqa: F811
        settings: Settings,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        address = settings.EVIDENCE_STORE
        settings.EVIDENCE_STORE = f"s3://{bucket.name}?endpoint=http://127.0.0.1:9"
        began = time.monotonic()
        for _ in range(20):
            with pytest.raises(Unreachable):
                use()
        assert time.monotonic() - began < 8
        with pytest.raises(Unreachable):
            file_stores.store().check()
        settings.EVIDENCE_STORE = address.replace(bucket.name, "another-bucket")
        with pytest.raises(Unreachable):
            file_stores.store().check()
        settings.EVIDENCE_STORE = address
        file_stores.store().check()

    def test_that_is_full_has_no_room(self, bucket: Any, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
        class Full:
            def put_object(self, **_: Any) -> None:
                raise ClientError({"Error": {"Code": "QuotaExceeded"}}, "PutObject")

        monkeypatch.setattr(Bucket, "_connected", lambda _: Full())

        with pytest.raises(kept_files.NoRoom):
            kept_files.keep(THUMBNAIL)
