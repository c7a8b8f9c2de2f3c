"""moto's S3 on a local port, as a store of pictures."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer
from pytest_django import Settings

from moderation.operations.infrastructure.file_stores import Bucket

NAME = "pictures-of-ours"


@pytest.fixture(scope="session")
def moto() -> Iterator[str]:
    """The address of a server that lasts for all tests."""
    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    yield "http://{}:{}".format(*server.get_host_and_port())
    server.stop()


@pytest.fixture
def bucket(moto: str, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An empty bucket that the settings name."""
    for name, value in {
        "AWS_ACCESS_KEY_ID": "id",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "eu-central-1",
        "AWS_CONFIG_FILE": "/nowhere",
    }.items():
        monkeypatch.setenv(name, value)
    found = boto3.resource("s3", endpoint_url=moto).Bucket(NAME)
    found.create(CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    settings.EVIDENCE_STORE = f"s3://{NAME}/thumbs?endpoint={moto}"
    Bucket.at.cache_clear()
    yield found
    found.objects.all().delete()
    found.delete()
    Bucket.at.cache_clear()
