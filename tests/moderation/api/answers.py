"""What a refusal must look like, whoever refuses."""

from typing import Any


def problem(response: Any, *, status: int, code: str) -> dict[str, Any]:
    """Check that an answer is this problem, whole, and return it."""
    assert response.headers["Content-Type"] == "application/problem+json"
    answer: dict[str, Any] = response.json()
    assert response.status_code == answer["status"] == status, answer
    assert answer["type"] == f"/problems/{code}"
    assert set(answer) == {"type", "title", "status", "detail", "instance", "request_id", "errors"}
    assert answer["title"]
    assert answer["detail"]
    assert answer["request_id"] == response.headers["X-Request-ID"]
    return answer


def bad_fields(response: Any) -> dict[str, str]:
    """Check that an answer refuses fields, and return them and their codes."""
    return pointers(problem(response, status=422, code="invalid_fields"))


def pointers(answer: dict[str, Any]) -> dict[str, str]:
    """Return the refused fields and their codes."""
    return {error["pointer"]: error["code"] for error in answer["errors"]}
