"""Settings as a process in production has them: they are read once, so another process reads them."""

import json
import os
import subprocess
import sys
from typing import Any

from deploy.local.places import ROOT

_READ = (
    "import json; from django.conf import settings;"
    " print(json.dumps({name: getattr(settings, name) for name in dir(settings) if %r in name}, default=str))"
)


def settings_like(part: str) -> dict[str, Any]:
    """Return the settings whose names hold a part, from a process in production mode."""
    variables = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "SPAMDESK_MODE": "production",
        "SPAMDESK_SECRET_KEY": "x" * 60,
        "SPAMDESK_ALLOWED_HOSTS": "desk.example",
    }
    answer = subprocess.run(
        [sys.executable, "-c", _READ % part], cwd=ROOT, env=variables, capture_output=True, check=True
    )
    found: dict[str, Any] = json.loads(answer.stdout)
    return found
