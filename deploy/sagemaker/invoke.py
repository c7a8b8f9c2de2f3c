"""Texts sent to an endpoint, as JSON or with the tensor in binary; the answers are equal."""

import json
import struct
from collections.abc import Sequence
from typing import Any

import boto3

from deploy.sagemaker.endpoint import Failed, refusals

_BINARY = "application/vnd.sagemaker-triton.binary+json;json-header-size="


def ask(name: str, texts: Sequence[str], *, is_binary: bool) -> dict[str, Any]:
    """Return model, version and, for each text, its logits (not spam, spam). Raises Failed."""
    body, content_type = (
        _binary(texts) if is_binary else (json.dumps(_request(texts)).encode(), "application/json")
    )
    with refusals():
        client = boto3.session.Session().client("sagemaker-runtime")
        answer = client.invoke_endpoint(EndpointName=name, ContentType=content_type, Body=body)
        said = answer["Body"].read()
    header, _, size = answer["ContentType"].partition("json-header-size=")
    try:
        told = json.loads(said[: int(size)] if header and size else said)
        [output] = told["outputs"]
        count = 2 * len(texts)
        numbers = output["data"] if "data" in output else struct.unpack_from(f"<{count}f", said, int(size))
        rows = [list(numbers[start : start + 2]) for start in range(0, count, 2)]
        return {"model": told["model_name"], "version": told["model_version"], "logits": rows}
    except (ValueError, KeyError, TypeError, struct.error) as wrong:
        raise Failed(f"{name} does not answer as this model: {said[:200]!r}") from wrong


def _request(texts: Sequence[str]) -> dict[str, Any]:
    return {"inputs": [{"name": "TEXT", "datatype": "BYTES", "shape": [len(texts), 1], "data": list(texts)}]}


def _binary(texts: Sequence[str]) -> tuple[bytes, str]:
    """Return the body and its type: a JSON header, then each text with its length before it."""
    encoded = [text.encode() for text in texts]
    tensor = b"".join(struct.pack("<I", len(text)) + text for text in encoded)
    request = _request(texts)
    [described] = request["inputs"]
    del described["data"]
    described["parameters"] = {"binary_data_size": len(tensor)}
    request["outputs"] = [{"name": "logits", "parameters": {"binary_data": True}}]
    header = json.dumps(request).encode()
    return header + tensor, f"{_BINARY}{len(header)}"
