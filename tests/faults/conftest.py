"""A whole product, up and ready; which one, `running` says beside the trials."""

from collections.abc import Iterator

import httpx
import pytest

from tests.faults.stand import Stand


@pytest.fixture
def stand(running: Stand) -> Stand:
    running.wait_until(running.is_ready, "ready")
    return running


@pytest.fixture
def api(stand: Stand) -> Iterator[httpx.Client]:
    with stand.api() as client:
        yield client
