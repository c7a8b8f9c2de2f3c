"""`make restore ARGS=folder`: start the database alone, restore a backup into it, stop."""

import os
import signal
import subprocess
import sys

from deploy.local import child, ports, postgres_files, run
from deploy.local.places import ROOT, State
from deploy.local.postgres import Postgres
from deploy.local.supervisor import StartFailed, Supervisor


def main(arguments: list[str]) -> None:
    """Exit with the status of `manage.py restore`; a running product is refused."""
    state = State.from_environment()
    try:
        with run.lock(state):
            code = _restore(state, arguments)
    except (StartFailed, OSError) as failure:
        sys.exit(f"spamdesk: {failure}")
    sys.exit(code)


def _restore(state: State, arguments: list[str]) -> int:
    mark = str(state.path)
    child.kill_leftovers(mark=mark)
    with Supervisor(
        logs=state.folder("logs"), mark=mark, environment=_environment(state), say=print
    ) as supervisor:
        signal.signal(signal.SIGTERM, supervisor.request_stop)
        if not supervisor.environment.get("DATABASE_URL"):
            database = Postgres(state=state, port=ports.free())
            supervisor.bring_up(database.service())
            supervisor.environment["DATABASE_URL"] = database.url
            supervisor.environment["SPAMDESK_POSTGRES_PROGRAMS"] = str(postgres_files.binaries())
        command = [sys.executable, str(ROOT / "manage.py"), "restore", *arguments]
        return subprocess.run(command, env=supervisor.environment, check=False).returncode


def _environment(state: State) -> dict[str, str]:
    nobody = f"{ports.LOOPBACK}:9"  # neither broker nor Triton is asked; the sweeps take up what is open
    return {
        "SPAMDESK_MODE": "demo",
        "CELERY_BROKER_URL": f"redis://{nobody}/0",
        "TRITON_URL": f"grpc://{nobody}",
        **os.environ,
        "SPAMDESK_STATE_DIR": str(state.path),
    }


if __name__ == "__main__":
    main(sys.argv[1:])
