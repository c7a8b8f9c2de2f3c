"""The age of domains: asked at the registry that IANA's list names, beside scoring, and kept."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from moderation.models import LinkVerdict, Revision
from moderation.operations.reputation import inquiry, provider, registration
from moderation.queries.records import records
from tests.moderation.conftest import Post_
from tests.moderation.instants import AT, later
from tests.moderation.operations.reputation.providers import Providers, registered, serving

HOUR = 3_600


def listed(*services: tuple[list[str], list[str]], published: str = "2027-01-01T00:00:00Z") -> dict[str, Any]:
    return {"version": "1.0", "publication": published, "services": [list(one) for one in services]}


@pytest.fixture
def registry(settings: Settings, tmp_path: Path) -> Iterator[Providers]:
    """A registry on a local server, which a fetched list names for .example."""
    with serving() as server:
        settings.EGRESS_PRIVATE_HOSTS = ("127.0.0.1",)
        settings.RDAP_URL, settings.RDAP_LIST = "iana", tmp_path / "rdap" / "dns.json"
        settings.RDAP_LIST.parent.mkdir()
        settings.RDAP_LIST.write_text(json.dumps(listed((["example"], [server.url + "/rdap/"]))))
        server.set("/rdap/domain/", registered("2019-05-01T10:00:00Z"))
        inquiry._providers.cache_clear()
        yield server
    inquiry._providers.cache_clear()


@pytest.fixture
def known(post: Post_) -> Callable[..., datetime | None]:
    """Ask about the link of a new post, and return since when its next score takes it to be live."""

    def run(url: str, *, at: datetime) -> datetime | None:
        revision = Revision.objects.select_related("post__platform", "post__author").get(post=post(text=url))
        inquiry.ask(revision_ids=[revision.pk], at=at)
        record = records.record_at(revision=revision, at=at + timedelta(seconds=1))
        return record.links[0].reputation.live_since_at

    return run


Known = Callable[..., datetime | None]


class TestAsk:
    def test_asks_the_registry_of_the_domain_once(self, registry: Providers, known: Known) -> None:
        for seconds in (0, 29 * 24 * HOUR):
            assert known("http://a.pills.example/x", at=later(seconds)) == datetime(
                2019, 5, 1, 10, 0, tzinfo=UTC
            )
        assert [path for path, _ in registry.asked] == ["/rdap/domain/pills.example"]
        assert registry.asked[0][1]["accept"] == "application/rdap+json"

    def test_follows_redirects_through_the_guard(self, registry: Providers, known: Known) -> None:
        registry.set("/rdap/domain/", b"/other/domain/pills.example", status=302)
        registry.set("/other/domain/", registered("2020-01-01T00:00:00Z"))
        assert known("http://pills.example/", at=AT) == datetime(2020, 1, 1, tzinfo=UTC)

        registry.set("/rdap/domain/", b"http://10.0.0.1/domain/other.example", status=302)
        assert known("http://other.example/", at=AT) is None
        assert "not a public address" in LinkVerdict.objects.get(subject="other.example").detail

    @pytest.mark.parametrize(
        ("answer", "status", "hours"),
        [
            (b"", 404, 24),
            (b"", 429, 3),
            (b"", 500, 3),
            (b"<html>", 200, 3),
            ([], 200, 3),
            ({"events": [{"eventAction": "registration", "eventDate": "soon"}]}, 200, 3),
            (b"/rdap/domain/round", 302, 3),
            ({"events": []}, 200, 24 * 30),
        ],
        ids=["not found", "too many", "broken", "no JSON", "a list", "no date", "loop", "says nothing"],
    )
    def test_is_unknown_for_hours_where_no_answer_comes(
        self, answer: Any, status: int, hours: int, registry: Providers, known: Known
    ) -> None:
        registry.set("/rdap/domain/", answer, status=status)

        assert known("http://pills.example/", at=later(0)) is None
        count = len(registry.asked)
        assert known("http://pills.example/", at=later(hours * HOUR - 1)) is None
        assert len(registry.asked) == count <= 4
        known("http://pills.example/", at=later(hours * HOUR + 1))
        assert len(registry.asked) > count

    def test_a_registry_that_is_slow_or_gone_is_unknown(
        self, registry: Providers, known: Known, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(provider, "TIMEOUT_SECONDS", 0.2)
        registry.may_answer.clear()

        assert known("http://pills.example/", at=AT) is None
        registry.may_answer.set()
        assert LinkVerdict.objects.get().detail

    def test_a_task_ends_in_time_however_many_it_could_ask(
        self, registry: Providers, known: Known, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(inquiry, "SECONDS", 0.0)

        assert known("http://pills.example/", at=AT) is None
        assert not registry.asked

    @pytest.mark.parametrize(
        "url", ["http://pills.test/", "http://192.0.2.7/", "http://[2001:db8::7]/", "http://localhost/"]
    )
    def test_asks_nobody_where_no_registry_answers(self, url: str, registry: Providers, known: Known) -> None:
        assert known(url, at=AT) is None
        assert not registry.asked
        assert not LinkVerdict.objects.exists()


class TestRegistries:
    def test_the_shipped_list_names_the_large_registries(self) -> None:
        shipped = registration.parse(registration.SHIPPED.read_bytes())

        assert len(shipped.servers) > 1_000
        assert shipped.published_at == datetime(2026, 7, 23, 2, 0, 3, tzinfo=UTC)
        assert shipped.server_of("a.pills.COM.") == "https://rdap.verisign.com/com/v1/"
        assert shipped.server_of("москва.xn--p1acf") == shipped.server_of("пример.рус") != ""
        assert shipped.server_of("pills.example") == shipped.server_of("") == ""

    def test_the_longest_suffix_and_https_count(self) -> None:
        both = ["http://a.example/", "https://a.example/"]
        found = registration.parse(
            json.dumps(listed((["uk"], ["http://u.example/"]), (["CO.uk"], both))).encode()
        )

        assert found.server_of("pills.co.uk") == "https://a.example/"
        assert found.server_of("pills.uk") == "http://u.example/"

    @pytest.mark.parametrize(
        "data",
        [
            b"",
            b"[]",
            b'{"services": []}',
            json.dumps(listed()).encode(),
            json.dumps(listed((["com"], ["ftp://a.example/"]))).encode(),
            json.dumps(listed((["com"], ["https://a.example/"]), published="soon")).encode(),
        ],
    )
    def test_refuses_what_is_no_list(self, data: bytes) -> None:
        with pytest.raises(registration.Invalid):
            registration.parse(data)


class TestRefresh:
    @pytest.fixture
    def many(self, registry: Providers, settings: Settings) -> list[str]:
        settings.RDAP_LIST.unlink()
        return [f"tld{number}" for number in range(1_200)]

    def test_a_newer_list_replaces_the_shipped_one_at_once(
        self, registry: Providers, many: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert registration.current().server_of("a.tld7") == ""
        registry.set("/dns.json", listed((many, [registry.url])))

        call_command("refresh_rdap_list", "--from", registry.url + "/dns.json")

        assert capsys.readouterr().out == "In force: the list of 2027-01-01, 1200 suffixes.\n"
        assert registration.current().server_of("a.tld7") == registry.url

    def test_an_older_one_does_not(self, registry: Providers, many: list[str]) -> None:
        registry.set("/dns.json", listed((many, [registry.url]), published="2020-01-01T00:00:00Z"))

        call_command("refresh_rdap_list", "--from", registry.url + "/dns.json")

        assert registration.current().server_of("a.tld7") == ""

    @pytest.mark.parametrize(
        ("answer", "status"),
        [(listed((["com"], ["https://a.example/"])), 200), (b"<html>", 200), ({}, 200), (b"", 404)],
        ids=["few", "no JSON", "no list", "not there"],
    )
    def test_what_is_no_list_is_refused_in_a_line(
        self, answer: Any, status: int, registry: Providers, many: list[str], settings: Settings
    ) -> None:
        registry.set("/dns.json", answer, status=status)

        with pytest.raises(CommandError, match="stays as it is"):
            call_command("refresh_rdap_list", "--from", registry.url + "/dns.json")
        assert not settings.RDAP_LIST.exists()

    def test_a_broken_file_does_not_count(self, many: list[str], settings: Settings) -> None:
        settings.RDAP_LIST.write_text("{")

        assert registration.current().server_of("pills.com") == "https://rdap.verisign.com/com/v1/"
