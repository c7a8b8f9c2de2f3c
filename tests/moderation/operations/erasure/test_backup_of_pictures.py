"""Backups hold the pictures of whichever store there is; a restore keeps them in the one named then."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from moderation.operations.erasure import backup, restore
from moderation.operations.erasure.backup import Failed
from moderation.operations.infrastructure import kept_files
from tests.s3 import bucket, moto  # noqa: F401 - fixtures

pytestmark = pytest.mark.whole


@pytest.fixture(autouse=True)
def _folders(settings: Settings, tmp_path: Path) -> None:
    settings.EVIDENCE_DIR = tmp_path / "evidence"
    settings.RELEASES_DIR = settings.TRITON_MODELS_DIR = tmp_path / "none"


def test_go_from_the_state_folder_into_a_bucket_and_back(
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


def test_fail_by_name_where_the_store_does_not_answer(settings: Settings, tmp_path: Path) -> None:
    kept_files.keep(b"one")
    backup._pack(tmp_path / "files.tar")
    settings.EVIDENCE_DIR = tmp_path / "files.tar"  # no folder

    with pytest.raises(Failed, match="store of pictures does not take evidence/"):
        restore._unpack(tmp_path / "files.tar")
