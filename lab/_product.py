"""Access to the running product for measurements: URL, API key, database."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import django

from deploy.local import addresses
from lab import _stack

if TYPE_CHECKING:
    from simulation.api_client import ApiClient


def connect() -> None:
    """Find the running product and connect to its database; exits with a clear message if there is none."""
    addresses.fill()
    if "DATABASE_URL" not in os.environ:
        sys.exit("Nothing runs here: start the product with `make run` in another terminal.")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()


def api() -> ApiClient:
    """Return a client of its API with the demo platform's key. Call after `connect`."""
    from simulation.api_client import ApiClient

    return ApiClient(url=_stack.web_url(), key=_stack.demo_key(), patience_seconds=120)


def wait_for(
    *,
    done: Callable[[], int],
    expected: int,
    says: str,
    patience_seconds: float = 300,
    every_seconds: float = 1.0,
) -> bool:
    """Wait until `done` reaches the expected count or stops moving; return whether it did."""
    last, moved_at = -1, time.monotonic()
    while (count := done()) < expected:
        if count != last:
            last, moved_at = count, time.monotonic()
            sys.stderr.write(f"\r{count} of {expected} {says}\x1b[K")
        elif time.monotonic() - moved_at > patience_seconds:
            return False
        time.sleep(every_seconds)
    sys.stderr.write("\r\x1b[K")
    return True
