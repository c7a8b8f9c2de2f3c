"""Times of the desk by the clock of the browser."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Post, Revision
from tests.moderation.conftest import Case_, Decided, Post_
from tests.moderation.web.conftest import read

AT = datetime(2026, 3, 1, 20, 15, 30, tzinfo=UTC)
BERLIN, KOLKATA = "Europe/Berlin", "Asia/Kolkata"


@pytest.fixture
def address(post: Post_) -> str:
    """The page of a post that came in the evening."""
    one = post()
    Post.objects.update(received_at=AT)
    Revision.objects.update(received_at=AT)
    return f"/posts/{one.pk}/"


class TestClock:
    def test_is_utc_and_named_without_a_cookie(self, lead_desk: Client, address: str) -> None:
        assert "2026-03-01 20:15 UTC" in read(lead_desk, address)

    @pytest.mark.parametrize(
        ("zone", "words"),
        [
            (BERLIN, "2026-03-01 21:15"),
            (KOLKATA, "2026-03-02 01:45"),
            ("America/New_York", "2026-03-01 15:15"),
        ],
    )
    def test_is_the_browsers(self, lead_desk: Client, address: str, zone: str, words: str) -> None:
        lead_desk.cookies["time_zone"] = zone

        page = read(lead_desk, address)

        assert words in page
        assert f"{words} UTC" not in page
        assert f"Times in {zone.replace('_', ' ')}, as this browser says." in read(lead_desk, "/account/")

    @pytest.mark.parametrize(
        "name",
        [
            "../../../etc/localtime",
            "/usr/share/zoneinfo/Europe/Berlin",
            "Europe",
            "localtime",
            "Europe/Berlin\x00",
            "<script>",
            "x" * 4000,
        ],
    )
    def test_ignores_what_is_no_zone(self, lead_desk: Client, address: str, name: str) -> None:
        lead_desk.cookies["time_zone"] = name

        assert "2026-03-01 20:15 UTC" in read(lead_desk, address)

    def test_ends_with_the_answer(self, lead_desk: Client) -> None:
        lead_desk.cookies["time_zone"] = KOLKATA

        lead_desk.get("/account/")

        assert str(timezone.get_current_timezone()) == "UTC"


class TestDays:
    def test_of_filters_are_the_readers(self, lead_desk: Client, address: str) -> None:
        lead_desk.cookies["time_zone"] = KOLKATA

        assert address in read(lead_desk, "/posts/?since=2026-03-02&until=2026-03-02")
        assert address not in read(lead_desk, "/posts/?since=2026-03-01&until=2026-03-01")

    def test_show_a_moment_that_a_link_set(self, lead_desk: Client, address: str) -> None:
        lead_desk.cookies["time_zone"] = KOLKATA

        page = read(lead_desk, "/posts/?since=2026-03-01T20:00%2B00:00&until=2026-03-01T20:15%2B00:00")

        assert 'type="datetime-local" value="2026-03-02T01:30"' in page
        assert address not in page
        assert address in read(lead_desk, "/posts/?since=2026-03-02T01:45&until=2026-03-02T01:46")


def test_files_keep_exact_times(lead_desk: Client, open_case: Case_, decided: Decided, now: datetime) -> None:
    decision = decided(open_case(at=now - timedelta(hours=1)))
    lead_desk.cookies["time_zone"] = KOLKATA

    answer = lead_desk.get("/decisions/csv/?whose=everyone")

    assert decision.decided_at.isoformat() in b"".join(answer).decode()
