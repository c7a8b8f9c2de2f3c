"""Texts or pictures sent to an endpoint, as JSON or with tensors in binary; the answers are equal."""

import base64
import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from deploy.sagemaker.endpoint import Failed, client_of, refusals

_BINARY = "application/vnd.sagemaker-triton.binary+json;json-header-size="
MOST_CLASSES = 5


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """A tensor of byte strings, one to a row, and the output to return."""

    tensor: str
    rows: Sequence[bytes]
    output: dict[str, Any]


def ask(name: str, texts: Sequence[str], *, is_binary: bool) -> dict[str, Any]:
    """Return model, version and, for each text, its logits (not spam, spam). Raises Failed."""
    question = _Asked(
        tensor="TEXT", rows=[text.encode(errors="replace") for text in texts], output={"name": "logits"}
    )
    model, logits = _answer(name, question, is_binary=is_binary)
    return model | {"logits": _by_row(logits, rows=len(texts))}


def ask_pictures(name: str, pictures: Sequence[bytes], *, is_binary: bool) -> dict[str, Any]:
    """Return model, version and, for each picture, its most probable classes, five at most. Raises Failed.

    JSON has no bytes: there a picture is sent in base64, which the model understands, too.
    """
    rows = pictures if is_binary else [base64.b64encode(picture) for picture in pictures]
    output = {"name": "probabilities", "parameters": {"classification": MOST_CLASSES}}
    model, elements = _answer(name, _Asked(tensor="PICTURE", rows=rows, output=output), is_binary=is_binary)
    classes = [_class(name, element) for element in elements]
    return model | {"classes": _by_row(classes, rows=len(pictures))}


def _answer(name: str, asked: _Asked, *, is_binary: bool) -> tuple[dict[str, Any], Sequence[Any]]:
    """Return model and version, and the one output's elements in order. Raises Failed."""
    body, content_type = _binary(asked) if is_binary else _json(asked)
    client = client_of("sagemaker-runtime")
    with refusals():
        answer = client.invoke_endpoint(EndpointName=name, ContentType=content_type, Body=body)
        content = answer["Body"].read()
    header, _, size = answer["ContentType"].partition("json-header-size=")
    try:
        message = json.loads(content[: int(size)] if header and size else content)
        [output] = message["outputs"]
        elements = output["data"] if "data" in output else _unpacked(output, content[int(size) :])
        return {"model": message["model_name"], "version": message["model_version"]}, elements
    except (ValueError, KeyError, TypeError, struct.error) as wrong:
        raise Failed(f"{name} does not answer as this model: {content[:200]!r}") from wrong


def _json(asked: _Asked) -> tuple[bytes, str]:
    request = _request(asked)
    request["inputs"][0]["data"] = [row.decode() for row in asked.rows]
    return json.dumps(request).encode(), "application/json"


def _binary(asked: _Asked) -> tuple[bytes, str]:
    """Return the body and its type: a JSON header, then each row with its length before it."""
    tensor = b"".join(struct.pack("<I", len(row)) + row for row in asked.rows)
    request = _request(asked)
    request["inputs"][0]["parameters"] = {"binary_data_size": len(tensor)}
    [output] = request["outputs"]
    output["parameters"] = {**output.get("parameters", {}), "binary_data": True}
    header = json.dumps(request).encode()
    return header + tensor, f"{_BINARY}{len(header)}"


def _request(asked: _Asked) -> dict[str, Any]:
    tensor = {"name": asked.tensor, "datatype": "BYTES", "shape": [len(asked.rows), 1]}
    return {"inputs": [tensor], "outputs": [dict(asked.output)]}


def _unpacked(output: dict[str, Any], packed: bytes) -> list[Any]:
    """Return the elements of a tensor in binary: floats, or byte strings each with its length before it."""
    if output["datatype"] == "FP32":
        return list(struct.unpack(f"<{len(packed) // 4}f", packed))
    elements, place = [], 0
    while place < len(packed):
        (length,) = struct.unpack_from("<I", packed, place)
        elements.append(packed[place + 4 : place + 4 + length].decode())
        place += 4 + length
    return elements


def _by_row(found: Sequence[Any], *, rows: int) -> list[list[Any]]:
    size = len(found) // rows
    return [list(found[start : start + size]) for start in range(0, rows * size, size)]


def _class(name: str, said: Any) -> dict[str, Any]:
    """Read Triton's "probability:number:label"."""
    try:
        probability, _, label = str(said).split(":", 2)
        return {"label": label, "probability": float(probability)}
    except ValueError as wrong:
        raise Failed(f"{name} does not answer as an image model: {said!r}") from wrong
