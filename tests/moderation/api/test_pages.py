"""The OpenAPI document and the pages around it."""

from __future__ import annotations

import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.test import Client

from moderation.api.openapi_links import LINKS, NEXT_PAGE
from moderation.api.problems import PROBLEMS
from moderation.api.views import pages
from tests.moderation.api.routes import OPERATIONS


def test_the_document_is_valid_and_complete() -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=StringIO())


def test_the_document_lists_every_operation(document: Any) -> None:
    operations = {
        f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods
    }

    assert document["openapi"].startswith("3.1")
    assert operations == {
        f"{method} /api/v1/{path}" for path, methods in OPERATIONS.items() for method in methods.split()
    }


def test_every_operation_has_examples(document: Any) -> None:
    for methods in document["paths"].values():
        for operation in methods.values():
            bodies = list(operation.get("requestBody", {}).get("content", {}).values())
            answers = [
                content
                for status, response in operation["responses"].items()
                if status.startswith("2")
                for kind, content in response.get("content", {}).items()
                if kind == "application/json"
            ]
            assert all("example" in one for one in bodies + answers), operation["operationId"]


def test_links_lead_to_operations_that_take_an_id(document: Any) -> None:
    operations = {
        one["operationId"]: one for methods in document["paths"].values() for one in methods.values()
    }
    links = [
        link
        for operation in operations.values()
        for response in operation["responses"].values()
        for name, link in response.get("links", {}).items()
        if name != NEXT_PAGE
    ]

    assert len(links) == sum(len(following) for following in LINKS.values())
    for link in links:
        [taken] = [one for one in operations[link["operationId"]]["parameters"] if one["in"] == "path"]
        assert {taken["name"]} == set(link["parameters"])


def test_every_operation_names_its_scope_and_refusals(document: Any) -> None:
    for methods in document["paths"].values():
        for operation in methods.values():
            assert re.search(r"Scopes?: `", operation["description"])
            assert operation["security"] == [{"key": []}]
            assert "application/problem+json" in operation["responses"]["401"]["content"]


def test_unknown_fields_are_closed_out(document: Any) -> None:
    for name in ("PostRequest", "AuthorRequest", "JourneyStepRequest", "ComplaintRequest", "ReporterRequest"):
        assert document["components"]["schemas"][name]["additionalProperties"] is False


def test_a_request_is_called_so_once(document: Any) -> None:
    names = document["components"]["schemas"]

    assert {"RuleRequest", "DecisionRequest", "HandOnRequest"} <= set(names)
    assert not [name for name in names if name.endswith("RequestRequest")]


class TestDocumentation:
    def test_loads_nothing_from_elsewhere_and_runs_nothing_inline(self) -> None:
        response = Client().get("/api/v1/docs")
        page = response.content.decode()

        assert response.status_code == 200
        assert "unsafe" not in response.headers["Content-Security-Policy"]
        assert "<style" not in page
        assert not re.search(r"<script(?![^>]*\ssrc=)", page)
        assert not re.search(r"(?:src|href)=.(?:https?:)?//", page)

    def test_every_file_that_it_names_is_there(self) -> None:
        page = Client().get("/api/v1/docs").content.decode()
        files = re.findall(r'"/static/([^"]+)"', page)

        assert len(files) >= 5
        assert [file for file in files if finders.find(file) is None] == []


def test_the_list_of_problems_names_them_all() -> None:
    page = Client().get("/problems/").content.decode()

    assert all(f"<code>{code}</code>" in page for code in PROBLEMS)


def test_the_document_is_made_once_and_nobody_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made, may_end = [], threading.Event()

    def generated() -> bytes:
        made.append(threading.current_thread())
        assert may_end.wait(10)
        return b"{}"

    monkeypatch.setattr(pages, "_generated", generated)
    document = pages._Document()
    with ThreadPoolExecutor() as threads:
        first = threads.submit(document.get)
        while not made:
            time.sleep(0.01)
        others = [document.get() for _ in range(20)]
        may_end.set()

    assert others == [None] * 20
    assert (first.result(), document.get(), len(made)) == (b"{}", b"{}", 1)
