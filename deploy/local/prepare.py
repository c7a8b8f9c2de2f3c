"""Make database and static files ready, in one process: `python -m deploy.local.prepare [--demo]`.

What the user should know is left in the state folder for `make run` to say: the output goes into the log.
"""

import os
import sys

from deploy.local.places import State


def main() -> None:
    """Migrate, collect static files and, with --demo, load the month and make the accounts."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django  # noqa: PLC0415 - after the settings are named
    from django.core.management import call_command  # noqa: PLC0415

    django.setup()
    # Refuses a restore that was broken off; all checks together would take seconds.
    call_command("check", tags=["database"], databases=["default"])
    call_command("migrate", interactive=False, verbosity=1)
    call_command("collectstatic", interactive=False, verbosity=0)
    if "--demo" in sys.argv:
        call_command("load_month")
        call_command("seed_demo")
    _leave_warning()


def _leave_warning() -> None:
    """Keep why no release can score, if none can: everything else runs, and posts wait."""
    from django.core.management import CommandError, call_command  # noqa: PLC0415 - after the settings are named

    warning = State.from_environment().warning
    warning.unlink(missing_ok=True)
    try:
        call_command("check_release")
    except CommandError as problem:
        warning.write_text(f"{problem}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
