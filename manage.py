#!/usr/bin/env python
"""Django's command line; it finds the servers that `make run` started."""

import os
import sys

from django.core.management import execute_from_command_line

from deploy.local import addresses

if __name__ == "__main__":
    addresses.fill()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    execute_from_command_line(sys.argv)
