"""One whole product for the trials in which processes and lines really die.

Beside all of them a second platform polls, is told at twenty endpoints (five slow, five dead), decides
campaigns, exports and erases; in the end it must have read and been told everything once.
"""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.faults import beside
from tests.faults.stand import Stand, standing


@pytest.fixture(scope="package")
def running() -> Iterator[Stand]:
    with standing(Stand, name="faults") as stand, beside.at_work(stand):
        yield stand


@pytest.fixture
def stand(running: Stand) -> Stand:
    running.wait_until(running.is_ready, "ready")
    return running


@pytest.fixture
def api(stand: Stand) -> Iterator[httpx.Client]:
    with stand.api() as client:
        yield client
