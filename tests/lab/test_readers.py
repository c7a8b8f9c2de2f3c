"""People who read pages beside a trial notice what is old, and who changed something what is missing."""

from __future__ import annotations

import time

import pytest

from lab.containers import readers
from lab.containers.client import Desk
from lab.containers.engine import Failed
from lab.containers.readers import Readers
from lab.containers.traffic import Traffic
from moderation import standby
from moderation.web.middleware import standby_reads
from tests.lab.test_container_trials import ForgetfulApi


class Told(Desk):
    """A browser in which every page is the same; `answers` are tried first."""

    def __init__(
        self, page: str, *, answers: tuple[tuple[int, str] | Failed, ...] = (), mark: bool = True
    ) -> None:
        super().__init__(port=0)
        self.page, self.answers, self.mark = page, list(answers), mark

    def open(self, path: str) -> tuple[int, str]:
        """Answer as told."""
        answer = self.answers.pop(0) if self.answers else (200, self.page)
        if isinstance(answer, Failed):
            raise answer
        return answer

    def submit(self, path: str, fields: dict[str, str], *, form: str = "") -> None:
        """Change something."""
        if self.mark:
            self.cookies[readers.MARK] = "1"


@pytest.fixture
def traffic() -> Traffic:
    """Return traffic whose two posts were acknowledged 30 and 10 seconds ago."""
    made = Traffic(ForgetfulApi(scored=set(), read=[]))
    made.acknowledged_at = [time.monotonic() - 30, time.monotonic() - 10]
    return made


def listed(traffic: Traffic, *numbers: int) -> str:
    """Return a list of posts that shows these."""
    return " ".join(f"<a>Win a phone ({traffic.prefix}{number})</a>" for number in numbers)


def people(traffic: Traffic, desk: Desk) -> Readers:
    """Return readers whose desk this is for both."""
    return Readers(traffic, looks=desk, changes=desk)


class TestLook:
    @pytest.mark.parametrize(
        ("shown", "seconds"), [((1, 0), 0.0), ((0,), pytest.approx(10, abs=2))], ids=["all", "one-missing"]
    )
    def test_measures_by_the_first_post_that_is_missing(
        self, traffic: Traffic, shown: tuple[int, ...], seconds: float
    ) -> None:
        desk = Told(listed(traffic, *shown))
        made = people(traffic, desk)

        made._look(desk)

        assert made.oldest_seconds == seconds
        assert made.findings() == []

    def test_finds_a_page_older_than_is_promised(self, traffic: Traffic) -> None:
        desk = Told("<p>Nothing matches.</p>")
        made = people(traffic, desk)

        made._look(desk)

        [found] = made.findings()
        assert "a page was 30." in found

    def test_counts_repetitions_as_one_wait(self, traffic: Traffic, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(readers, "_PAUSE_SECONDS", 0.05)
        desk = Told(listed(traffic, 1), answers=((503, ""), Failed("cut off")))
        made = people(traffic, desk)

        made._look(desk)

        assert made.pages == 1
        assert made.longest_wait() >= 0.1
        assert made.longest_wait() == 0.0

    def test_reads_without_the_mark_of_its_sign_in(self, traffic: Traffic) -> None:
        desk = Told(listed(traffic, 1))
        desk.cookies[readers.MARK] = "1"

        people(traffic, desk)._look(desk)

        assert readers.MARK not in desk.cookies


class TestChange:
    @pytest.mark.parametrize(
        ("shown", "mark", "finding"),
        [
            ((1, 0), True, None),
            ((0,), True, "who has just changed something sees 1 of 2 posts"),
            ((1, 0), False, "a change leaves no mark in the browser"),
        ],
        ids=["all", "one-missing", "no-mark"],
    )
    def test_finds_what_is_missing(
        self, traffic: Traffic, shown: tuple[int, ...], mark: bool, finding: str | None
    ) -> None:
        desk = Told(listed(traffic, *shown), mark=mark)
        made = people(traffic, desk)

        made._change(desk)

        assert made.findings() == ([finding] if finding else [])
        assert made.changes == 1

    @pytest.mark.parametrize("answer", [(503, ""), Failed("cut off")], ids=["refused", "cut-off"])
    def test_an_outage_is_no_finding(self, traffic: Traffic, answer: tuple[int, str] | Failed) -> None:
        desk = Told("", answers=(answer,))
        made = people(traffic, desk)

        made._change(desk)

        assert made.findings() == []
        assert made.changes == 0


def test_the_promise_is_that_of_the_product() -> None:
    assert readers.MOST_SECONDS_OLD == standby.MOST_SECONDS_OLD
    assert readers.MARK == standby_reads.COOKIE
