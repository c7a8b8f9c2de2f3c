"""How many threads of a worker fetch for one platform: its slow sites and pages leave some to others."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from moderation import enqueue
from moderation.models import RevisionEvidence

_lock = threading.Lock()
_held: Counter[str] = Counter()
_parked: defaultdict[str, dict[int, None]] = defaultdict(dict)


@contextmanager
def held(evidence_id: int) -> Iterator[str]:
    """Hold a place of the platform that carries an address first; give its name, "" if no place is free.

    Then the message is sent again when one of them is. If this process dies before, the sweep sends it.
    """
    carried = RevisionEvidence.objects.filter(evidence=evidence_id).order_by("id")
    platform = str(carried.values_list("revision__post__platform", flat=True).first())
    with _lock:
        if is_full := _held[platform] >= settings.EVIDENCE_LIMITS.platform_at_once:
            _parked[platform][evidence_id] = None
        else:
            _held[platform] += 1
    if is_full:
        yield ""
        return
    try:
        yield platform
    finally:
        with _lock:
            _held[platform] -= 1
            parked = _parked[platform]
            following = next(iter(parked), None)
            if following is not None:
                del parked[following]
        if following is not None:
            enqueue.evidence(evidence_ids=[following])
