"""What the tests create at SageMaker, and what an account holds."""

from __future__ import annotations

from typing import Any

import boto3

BUCKET = "models-of-ours"
CREATE = [
    *("create", "spam", "--image", "sagemaker-tritonserver:24.10-py3"),
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
