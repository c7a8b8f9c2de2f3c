"""Pages are compressed, the platform's API and what is compressed already are not."""

from __future__ import annotations

import gzip

from django.test import Client

ACCEPTS = {"Accept-Encoding": "gzip"}


def test_pages_are_compressed(desk: Client) -> None:
    answer = desk.get("/queue/", headers=ACCEPTS)

    assert answer.headers["Content-Encoding"] == "gzip"
    assert b"Start reviewing" in gzip.decompress(answer.content)


def test_the_api_is_left_alone(desk: Client) -> None:
    answer = desk.get("/api/v1/docs", headers=ACCEPTS)

    assert "Content-Encoding" not in answer.headers
