"""One whole product for the trials in which processes and lines really die.

Beside all of them a second platform polls, is told at twenty endpoints (five slow, five dead), decides
campaigns, exports and erases; in the end it must have read and been told everything once.
"""

from collections.abc import Iterator

import pytest

from tests.faults import beside
from tests.faults.stand import Stand, standing


@pytest.fixture(scope="package")
def running() -> Iterator[Stand]:
    with standing(Stand, name="faults") as stand, beside.at_work(stand):
        yield stand
