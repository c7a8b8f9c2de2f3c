"""The real server; its address is in TRITON_URL."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tritonclient.grpc

from scoring.content import ContentModel
from tests import tiny_resnet
from tests.triton.sagemaker_endpoint import Endpoint, at_aws
from training.image import backbone, repository


@pytest.fixture(scope="session")
def triton_url(triton: None) -> str:
    url = os.environ["TRITON_URL"]
    if not url.startswith("grpc://"):
        pytest.skip("TRITON_URL names no gRPC server")
    return url


@pytest.fixture
def content_model(triton_url: str) -> ContentModel:
    return ContentModel(url=triton_url, version="1", timeout_seconds=20.0)


@pytest.fixture
def triton_client(triton_url: str) -> Any:
    return tritonclient.grpc.InferenceServerClient(triton_url.removeprefix("grpc://"))


@pytest.fixture
def endpoint(served: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """The endpoint that a test's module serves, at AWS's address."""
    with at_aws(served, monkeypatch) as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def random_backbone(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small ResNet of a thousand classes that was never trained."""
    labels = [f"class {number}" for number in range(1000)]
    return backbone.load(tiny_resnet.saved(tmp_path_factory.mktemp("image") / "weights", labels=labels))


@pytest.fixture(scope="session")
def image_repository(random_backbone: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The image model as `python -m training image` writes it."""
    folder = tmp_path_factory.mktemp("image") / "repository"
    repository.write(random_backbone, out=folder)
    return folder
