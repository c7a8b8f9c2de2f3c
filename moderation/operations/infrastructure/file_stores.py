"""Where kept files lie: the state folder, or a bucket of an S3-compatible store. Names are digests."""

import errno
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.conf import settings

_FULL_CODES = frozenset({"QuotaExceeded", "XMinioStorageFull", "InsufficientCapacity", "507"})
_GONE_CODES = frozenset({"NoSuchKey", "404"})
_CONNECT_SECONDS, _READ_SECONDS = 1.0, 4.0
_PAUSE_SECONDS = 30.0
"""How long a bucket that did not answer is left alone: a worker must not wait for it with every picture."""
_DELETED_AT_ONCE = 1_000


class Unreachable(OSError):
    """The store gives no answer, or refuses this installation."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A file in a store, and when it was kept last, in seconds since 1970."""

    name: str
    kept_at: float


def store() -> "Store":
    """Return the store that the settings name.

    Whatever a store does raises OSError; of a full one with the errno ENOSPC. A file is whole once `put`
    returns, and deleting one that is gone already does not matter.
    """
    return Bucket.at(settings.EVIDENCE_STORE) if settings.EVIDENCE_STORE else Folder()


def sync(path: Path) -> None:
    """Sync a file or a folder to disk: what survives a power cut is complete."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Folder:
    """The folder of the settings, with one below for each first two digits."""

    def put(self, name: str, data: bytes) -> None:
        """Keep a file: written beside and then renamed, so that nobody ever reads half of it.

        A second time only its age changes.
        """
        place = self._place(name)
        with suppress(FileNotFoundError):
            os.utime(place)  # somebody names it again: no stray for another hour
            return
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, unfinished = tempfile.mkstemp(dir=place.parent, prefix=".")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(unfinished).rename(place)
        except BaseException:
            Path(unfinished).unlink(missing_ok=True)
            raise
        sync(place.parent)

    def get(self, name: str) -> bytes | None:
        """Return the bytes of a file, None if there is none."""
        with suppress(FileNotFoundError):
            return self._place(name).read_bytes()
        return None

    def delete(self, names: Sequence[str]) -> None:
        """Delete files."""
        for name in names:
            self._place(name).unlink(missing_ok=True)

    def listed(self) -> Iterator[Listed]:
        """Return all files, those included that a killed process left unfinished."""
        for path in Path(settings.EVIDENCE_DIR).glob("*/*"):
            with suppress(FileNotFoundError):  # deleted meanwhile
                if path.is_file():
                    yield Listed(path.name, path.stat().st_mtime)

    def check(self) -> None:
        """Do nothing: the state folder is probed by itself."""

    def _place(self, name: str) -> Path:
        # An unfinished file begins with a dot, and lies beside the one that it would become.
        for folder in Path(settings.EVIDENCE_DIR).glob("??") if name.startswith(".") else ():
            if (folder / name).exists():
                return folder / name
        return Path(settings.EVIDENCE_DIR) / name[:2] / name


@dataclass(slots=True)
class Bucket:
    """A bucket, with a prefix before each name. After a failure it is left alone for half a minute."""

    name: str
    prefix: str
    endpoint: str
    _client: Any = None
    _rests_until: float = 0.0

    @staticmethod
    @lru_cache(maxsize=4)
    def at(address: str) -> "Bucket":
        """Return the bucket at `s3://NAME/PREFIX?endpoint=URL`; prefix and endpoint may be missing."""
        parts = urlsplit(address)
        prefix = parts.path.strip("/")
        return Bucket(
            name=parts.netloc,
            prefix=f"{prefix}/" if prefix else "",
            endpoint=parse_qs(parts.query).get("endpoint", [""])[0],
        )

    def put(self, name: str, data: bytes) -> None:
        """Keep a file."""
        self._call("put_object", Key=self._key(name), Body=data, ContentType="image/webp")

    def get(self, name: str) -> bytes | None:
        """Return the bytes of a file, None if there is none."""
        answer = self._call("get_object", Key=self._key(name))
        return None if answer is None else self._read(answer["Body"])

    def delete(self, names: Sequence[str]) -> None:
        """Delete files."""
        for start in range(0, len(names), _DELETED_AT_ONCE):
            some = [{"Key": self._key(name)} for name in names[start : start + _DELETED_AT_ONCE]]
            answer = self._call("delete_objects", Delete={"Objects": some, "Quiet": True}) or {}
            if answer.get("Errors"):
                raise Unreachable(f"not deleted: {answer['Errors'][0].get('Code', '')}")

    def listed(self) -> Iterator[Listed]:
        """Return all files, a thousand with each call."""
        more: dict[str, Any] = {}
        while True:
            answer = self._call("list_objects_v2", Prefix=self.prefix, **more) or {}
            for item in answer.get("Contents", ()):
                yield Listed(item["Key"].removeprefix(self.prefix), item["LastModified"].timestamp())
            if not answer.get("IsTruncated"):
                return
            more = {"ContinuationToken": answer["NextContinuationToken"]}

    def check(self) -> None:
        """Make sure that the bucket is there and answers, also while it rests."""
        self._rests_until = 0.0
        if self._call("head_bucket") is None:
            raise Unreachable("there is no such bucket")

    def _key(self, name: str) -> str:
        return self.prefix + name

    def _read(self, body: Any) -> bytes:
        from botocore.exceptions import BotoCoreError  # noqa: PLC0415 - as in `_call`

        try:
            return bytes(body.read())
        except BotoCoreError as failed:
            raise self._failed(failed) from failed

    def _call(self, operation: str, **wanted: Any) -> Any:
        """Call the store; None for what is not there. Raises OSError."""
        # Optional, and half a second of imports: only where a bucket is named.
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

        if time.monotonic() < self._rests_until:
            raise Unreachable("it did not answer a moment ago")
        try:
            return getattr(self._connected(), operation)(Bucket=self.name, **wanted)
        except ClientError as refused:
            error, status = refused.response.get("Error", {}), refused.response.get("ResponseMetadata", {})
            codes = {str(error.get("Code", "")), str(status.get("HTTPStatusCode", ""))}
            if codes & _GONE_CODES and "NoSuchBucket" not in codes:
                return None
            if codes & _FULL_CODES:
                raise OSError(errno.ENOSPC, "the store is full") from refused
            raise self._failed(refused) from refused
        except BotoCoreError as failed:
            raise self._failed(failed) from failed

    def _failed(self, reason: Exception) -> Unreachable:
        self._rests_until = time.monotonic() + _PAUSE_SECONDS
        return Unreachable(str(reason)[:200])

    def _connected(self) -> Any:
        if self._client is None:
            import boto3  # noqa: PLC0415 - as in `_call`
            from botocore.config import Config  # noqa: PLC0415

            self._client = boto3.session.Session().client(
                "s3",
                endpoint_url=self.endpoint or None,
                config=Config(
                    connect_timeout=_CONNECT_SECONDS,
                    read_timeout=_READ_SECONDS,
                    retries={"total_max_attempts": 1},
                    # What all of them understand: the bucket in the path, checksums only where they must be.
                    s3={"addressing_style": "path"} if self.endpoint else {},
                    request_checksum_calculation="when_required",
                    response_checksum_validation="when_required",
                ),
            )
        return self._client


Store = Folder | Bucket
