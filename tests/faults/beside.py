"""A second platform at work beside the trials, which in the end has read and been told everything once."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from lab._beside import Beside, SecondPlatform
from tests.faults.stand import Stand

CAMPAIGN = int(os.environ.get("SPAMDESK_TRIAL_CAMPAIGN", "200"))
"""Posts alike that it sends and decides as one."""
_DECIDED_SECONDS = 300
"""Two rounds: what one sent during the last trial may be lost, and it looks for that for two minutes."""


@contextmanager
def at_work(stand: Stand) -> Iterator[None]:
    """Let it work; fail where a poller read wrongly or an endpoint that answers was not told."""
    environment = stand.environment
    platform = SecondPlatform.register(port=stand.port, environment=environment, database=stand.connection)
    beside = Beside(platform, campaign=CAMPAIGN, times=1, pause_seconds=10)
    try:
        yield
        _look(stand, beside)
    finally:
        beside.end()


def _look(stand: Stand, beside: Beside) -> None:
    stand.wait_until(stand.is_ready, "ready")
    try:
        stand.wait_until(
            lambda: len(beside.decided) > 0, "a campaign decided", patience_seconds=_DECIDED_SECONDS
        )
    except AssertionError as never:
        never.add_note(f"beside it did {dict(beside.made)}; its posts: {beside.standing()}")
        raise

    found = beside.stop(patience_seconds=120)

    assert all(one.is_whole for one in found), found
    assert min(one.read for one in found) >= sum(beside.decided)
    stand.wait_until(lambda: beside.told() == beside.messages(), "told at endpoints that answer")
