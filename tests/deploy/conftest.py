"""An account at AWS, which is moto's here, what tests create in it, and rows of the app."""

from pathlib import Path
from typing import Any

import boto3
import pytest

from tests.s3 import moto

__all__ = ["moto"]

BUCKET = "models-of-ours"
CREATE = [
    *("create", "spam", "--image", "spamdesk-triton:1", "--account", "123456789012"),
    *("--role", "arn:aws:iam::123456789012:role/runs-it"),
    *("--model-data", f"s3://{BUCKET}/spam/model.tar.gz", "--env", "TOKENIZERS_PARALLELISM=false"),
]


def left(aws: Any) -> list[str]:
    """What an account is charged for or keeps."""
    return [
        *[one["EndpointName"] for one in aws.list_endpoints()["Endpoints"]],
        *[one["EndpointConfigName"] for one in aws.list_endpoint_configs()["EndpointConfigs"]],
        *[one["ModelName"] for one in aws.list_models()["Models"]],
        *[one.key for one in boto3.resource("s3").Bucket(BUCKET).objects.all()],
    ]


@pytest.fixture
def packed(tmp_path: Path) -> str:
    """What stands for an archive of models."""
    file = tmp_path / "model.tar.gz"
    file.write_bytes(b"an archive")
    return str(file)


@pytest.fixture
def aws(moto: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """boto3's client; the account is empty but for a bucket."""
    for name, value in {
        "AWS_ENDPOINT_URL": moto,
        "AWS_DEFAULT_REGION": "eu-central-1",
        "AWS_ACCESS_KEY_ID": "id",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_CONFIG_FILE": str(tmp_path / "none"),
        "AWS_MAX_ATTEMPTS": "1",
    }.items():
        monkeypatch.setenv(name, value)
    boto3.client("s3").create_bucket(
        Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"}
    )
    yield boto3.client("sagemaker")
    boto3.resource("s3").Bucket(BUCKET).objects.all().delete()
    boto3.client("s3").delete_bucket(Bucket=BUCKET)
