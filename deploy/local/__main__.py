"""`python3 -m deploy.local COMMAND`: install what the command needs, then run it in `.venv`.

Runs on the system's Python with nothing installed; `make` calls it.
"""

import os
import shutil
import sys

# Before any import that an older Python could not read. Beyond 3.14 the pinned packages have no wheels.
if not (3, 11) <= sys.version_info[:2] <= (3, 14):
    names = ("python3.13", "python3.12", "python3.11", "python3.14")
    other = next(filter(None, map(shutil.which, names)), None)
    if other is None:
        found = ".".join(map(str, sys.version_info[:2]))
        sys.exit(f"spamdesk: needs Python 3.11 to 3.14, this is {found}: install one with its venv module")
    os.execv(other, [other, "-m", "deploy.local", *sys.argv[1:]])

from deploy.local import install
from deploy.local.packages import InstallFailed, keep_bytecode
from deploy.local.places import ENVIRONMENT, ROOT
from deploy.local.preflight import Lacking

# command: what it needs, and the module (with arguments) that does it, if there is more to do
COMMANDS = {
    "run": (install.for_run, ("deploy.local.run",)),
    "servers": (install.for_run, ("deploy.local.run", "--only-servers")),
    "test": (install.for_test, ("deploy.local.check", "test")),
    "test-whole": (install.for_test, ("deploy.local.check", "test-whole")),
    "test-unit": (install.for_unit_tests, ("deploy.local.check", "test-unit")),
    "lint": (install.for_checks, ("deploy.local.check", "lint")),
    "types": (install.for_checks, ("deploy.local.check", "types")),
    "lock": (install.for_checks, ("deploy.local.lock",)),
    "triton": (install.triton, None),
    "restore": (install.for_run, ("deploy.local.restore",)),
    "python": (install.for_run, ()),
    "python-dev": (install.for_checks, ()),
    "clean": (install.remove_everything, None),
}


def main(arguments: list[str]) -> None:
    """Prepare and run one command; if something is missing, end with one line for each."""
    command = arguments[0] if arguments else "run"
    if command not in COMMANDS:
        sys.exit(f"spamdesk: unknown command {command!r}; one of {', '.join(COMMANDS)}")
    needs, module = COMMANDS[command]
    if "--gpu" in arguments[1:]:
        needs = install.for_card
    try:
        needs()
    except (Lacking, InstallFailed) as lacking:
        sys.exit("".join(f"spamdesk: {line}\n" for line in str(lacking).splitlines()).rstrip())
    except KeyboardInterrupt:
        sys.exit(130)
    if module is None:
        return
    keep_bytecode(os.environ, environment=ENVIRONMENT)
    python = str(ENVIRONMENT / "bin" / "python")
    os.chdir(ROOT)
    prefix = ["-m", *module] if module else []
    os.execv(python, [python, *prefix, *arguments[1:]])


main(sys.argv[1:])
