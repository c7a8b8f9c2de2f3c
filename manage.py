#!/usr/bin/env python
"""Django's command line; beside a running `make run` it finds the servers that it started."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from deploy.local import addresses


def main() -> None:
    """Run one command; settings that are wrong end in one line instead of a traceback."""
    if "DATABASE_URL" not in os.environ:  # else the servers are chosen already: do not mix two installations
        addresses.fill()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        import config.settings  # noqa: F401, PLC0415 - the addresses must stand before the settings are read
    except ImproperlyConfigured as refusal:
        sys.exit(f"spamdesk: {refusal}")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
