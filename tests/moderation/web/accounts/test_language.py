"""Every word can be translated, German is complete, and a page in German writes as Germans do."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import User
from moderation.operations import rules
from tests.moderation.conftest import Case_
from tests.moderation.web import catalogue, messages
from tests.moderation.web.conftest import HTMX, flat

PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w*\}")
COORDINATE = re.compile(r'\s(?:x|y|width|height|d|transform|points)="[^"]*\d,\d[^" ]*"(?=[^>]*/>)')


@pytest.mark.parametrize("template", messages.TEMPLATES, ids=lambda path: path.name)
def test_templates_say_nothing_outside_of_a_translation(template: Path) -> None:
    assert messages.bare_words(template) == []


class TestCatalogue:
    """When one of these fails: `python -m tests.moderation.web.catalogue`, then translate what it names."""

    PO = catalogue.FOLDER / "django.po"

    def test_has_every_message_in_german(self) -> None:
        said = catalogue.read(self.PO)

        assert [one for one in catalogue.wanted() if not all(said.get(one, [""]))] == []

    def test_has_nothing_that_nobody_says_any_more(self) -> None:
        assert set(catalogue.read(self.PO)) - catalogue.wanted() == set()

    def test_is_compiled(self, tmp_path: Path) -> None:
        catalogue.compile_to(tmp_path / "django.mo", catalogue.read(self.PO))

        assert (tmp_path / "django.mo").read_bytes() == self.PO.with_suffix(".mo").read_bytes()

    def test_keeps_every_placeholder(self) -> None:
        wrong = [
            one
            for (one, many), forms in catalogue.read(self.PO).items()
            if set(PLACEHOLDER.findall(forms[-1])) != set(PLACEHOLDER.findall(many or one))
        ]

        assert wrong == []

    def test_reads_bare_words(self, tmp_path: Path) -> None:
        template = tmp_path / "page.html"
        said = '<p title="Bare title">{% translate "Said" %} {# no #}<b>Bare text</b> {{ name }}</p>'
        template.write_text(said)

        assert messages.bare_words(template) == ["Bare title", "Bare text"]
        assert messages.in_template(template) == {("Said", "")}


class TestGerman:
    @pytest.fixture
    def german(self, lead_desk: Client) -> Client:
        lead_desk.post("/language/", {"language": "de", "next": "/account/"})
        return lead_desk

    def test_is_chosen_and_remembered(self, german: Client) -> None:
        body = german.get("/account/").content.decode()

        assert '<html lang="de"' in flat(body)
        assert "Passwort" in body

    def test_is_taken_from_the_browser(self, client: Client, db: None) -> None:
        answer = client.get("/sign-in/", headers={"Accept-Language": "de-AT,en;q=0.5"})

        assert "Anmelden" in answer.content.decode()

    def test_is_named_in_itself(self, client: Client, german: Client) -> None:
        gate = flat(client.get("/sign-in/", headers={"Accept-Language": "de"}).content.decode())

        for body in (gate, flat(german.get("/account/").content.decode())):
            assert "English" in body
            assert "Deutsch" in body
            assert "Englisch" not in body

    def test_writes_dates_as_germans_do(self, german: Client, lead: User) -> None:
        at = timezone.now()
        rules.impose(value="shop.example", reason="x", actor=lead, at=at, expires_at=at + timedelta(days=9))

        assert f"{at:%d.%m.%Y}" in german.get("/rules/", headers=HTMX).content.decode()

    def test_leaves_drawings_alone(self, german: Client, open_case: Case_) -> None:
        case = open_case(text="https://shop.example/", at=timezone.now())
        for number in range(2):
            open_case(text=f"{number} https://shop.example/", at=timezone.now() - timedelta(days=number))

        body = german.get("/domains/shop.example/").content.decode()
        body += german.get(f"/review/{case.pk}/").content.decode()

        assert "<rect" in body
        assert COORDINATE.findall(body) == []

    def test_does_not_reach_the_platforms_api(self, client: Client, db: None) -> None:
        answer = client.get("/api/v1/posts", headers={"Accept-Language": "de"})

        assert "Content-Language" not in answer.headers
