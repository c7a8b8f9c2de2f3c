"""`make test`: style first, then types and tests beside each other; the first that fails ends it."""

import sys
import time

import pytest

from deploy.local import check

LASTS_SECONDS = 30
LASTS = f"import time; time.sleep({LASTS_SECONDS})"


def run(monkeypatch: pytest.MonkeyPatch, *, types: str, tests: str, style: str = "") -> int | str | None:
    """Run `make test` with these programs in the places of its own; return the status that it ends with."""

    def command(program: str) -> list[str]:
        return [sys.executable, "-c", program]

    monkeypatch.setattr(check, "_QUICK", [("style", command(style))])
    monkeypatch.setattr(check, "_TYPES", command(types))
    monkeypatch.setattr(check, "_pytest", lambda _arguments: command(tests))
    try:
        check.main(["test"])
    except SystemExit as end:
        return end.code
    return 0


def test_passes_where_everything_does(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, types="", tests="") == 0


def test_ends_with_the_status_of_the_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    began = time.monotonic()

    assert run(monkeypatch, types=LASTS, tests="raise SystemExit(5)") == 5
    assert time.monotonic() - began < LASTS_SECONDS


def test_shows_wrong_types_and_waits_for_no_test(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    began = time.monotonic()

    ended = run(monkeypatch, types="print('x is no y'); raise SystemExit(1)", tests=LASTS)

    assert ended == "spamdesk: types failed"
    assert "x is no y" in capfd.readouterr().out
    assert time.monotonic() - began < LASTS_SECONDS


def test_begins_no_test_where_the_style_is_wrong(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    ended = run(monkeypatch, types=LASTS, tests="print('a test')", style="raise SystemExit(1)")

    assert ended == "spamdesk: style failed"
    assert "a test" not in capfd.readouterr().out
