"""Trial 26, small. Promise: each poller reads each decision once and in order, whoever is stopped meanwhile.

The whole of it, with campaigns of 10,000 and stops of ten seconds, is `make bench ARGS=feed`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from lab import feed
from tests.faults.stand import WHOLE_PRODUCT

pytestmark = [*WHOLE_PRODUCT, pytest.mark.timeout(900)]


def test_pollers_read_each_decision_once_while_processes_are_stopped() -> None:
    # Not pytest's folder: that one is private, and the database's user must pass when root runs the tests.
    with tempfile.TemporaryDirectory(prefix="spamdesk-feed-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)

        found = feed.run(
            feed.Patient(Path(folder) / "state"), rounds=3, campaign=0, stop_seconds=3, say=print
        )

    assert [one for one in found if not one.is_whole] == []
    assert {one.read > 0 for one in found} == {True}
