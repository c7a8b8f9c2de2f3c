"""One whole product for the trials in which processes and lines really die.

Beside all of them a second platform polls, is told at twenty endpoints (five slow, five dead), decides
campaigns, exports and erases; in the end it must have read and been told everything once.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.faults import beside
from tests.faults.stand import Stand


@pytest.fixture(scope="package")
def running() -> Iterator[Stand]:
    # Not pytest's folder: that one is private, and the database's user must pass when root runs the tests.
    with tempfile.TemporaryDirectory(prefix="spamdesk-faults-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        stand = Stand(Path(folder) / "state")
        stand.start()
        stand.seed()
        try:
            with beside.at_work(stand):
                yield stand
        finally:
            stand.end()


@pytest.fixture
def stand(running: Stand) -> Stand:
    running.wait_until(running.is_ready, "ready")
    return running


@pytest.fixture
def api(stand: Stand) -> Iterator[httpx.Client]:
    with stand.api() as client:
        yield client
