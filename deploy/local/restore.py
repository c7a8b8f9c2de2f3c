"""`make restore ARGS=folder`: start the database alone, restore a backup into it, stop."""

import signal
import subprocess
import sys

from deploy.local import child, ports, run
from deploy.local.places import ROOT, State
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
    mark, nobody = str(state.path), f"{ports.LOOPBACK}:9"
    # Neither broker nor Triton is asked; the sweeps take up what is open.
    servers = {"CELERY_BROKER_URL": f"redis://{nobody}/0", "TRITON_URL": f"grpc://{nobody}"}
    environment = servers | run.environment(state, port=ports.free())
    child.kill_leftovers(mark=mark)
    with Supervisor(logs=state.folder("logs"), mark=mark, environment=environment, say=print) as supervisor:
        signal.signal(signal.SIGTERM, supervisor.request_stop)
        supervisor.wait_until_up(run.servers(supervisor, state))
        command = [sys.executable, str(ROOT / "manage.py"), "restore", *arguments]
        return subprocess.run(command, env=supervisor.environment, check=False).returncode


if __name__ == "__main__":
    main(sys.argv[1:])
