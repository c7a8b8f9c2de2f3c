"""The real server; its address is in TRITON_URL."""

from __future__ import annotations

import os
from typing import Any

import pytest
import tritonclient.grpc

from scoring.content import ContentModel


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
