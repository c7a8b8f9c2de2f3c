"""A real Chromium against Django's live server."""

import os
from typing import Any

import pytest

from deploy.local import browser

# Playwright drives its browser from an event loop, beside which Django refuses database calls unless told.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Launch the Chromium of this machine; Playwright would look for a download of its own."""
    chromium = browser.find()
    return {
        **browser_type_launch_args,
        "executable_path": str(chromium),
        "env": {**os.environ, **browser.launch_environment(chromium)},
        # Root has no sandbox, and a container's shared memory is too small for a page.
        "args": ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
    }
