"""How often a site is asked by way of others: leases (`leases`) count the sites of links alone, and links to
any number of sites may redirect to one.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from django.conf import settings

from moderation.operations.infrastructure import limits
from moderation.operations.infrastructure.limits import Bucket, LimitReached

_PAUSE_SECONDS = 0.1


def wait(site: str, *, seconds: float, at: datetime) -> bool:
    """Wait until a site may be asked once more; return whether that came within so many seconds.

    Without the store that counts it may be asked at once.
    """
    per_second = settings.EVIDENCE_LIMITS.site_per_second
    bucket = Bucket(name="redirects", per_minute=60 * per_second, burst=per_second)
    began = time.monotonic()
    while (waited := time.monotonic() - began) < seconds:
        try:
            limits.take(bucket=bucket, owner=site, at=at + timedelta(seconds=waited))
        except LimitReached:
            time.sleep(_PAUSE_SECONDS)
        else:
            return True
    return False
