"""`make run`: start everything, say where it is, keep it running until Ctrl-C.

`make servers` starts the servers alone.
"""

import fcntl
import os
import signal
import sys
from typing import IO

from deploy.local import addresses, application, child, ports, postgres_files
from deploy.local.broker import Broker
from deploy.local.card import Card
from deploy.local.places import State
from deploy.local.postgres import Postgres
from deploy.local.preflight import Lacking
from deploy.local.supervisor import StartFailed, Stopped, Supervisor, say
from deploy.local.triton import Triton

_SCREEN = """
Spamdesk is running.                                                    Ctrl-C stops it

  Desk       http://localhost:{port}/
  API        http://localhost:{port}/api/v1/          documentation: /api/v1/docs
  Health     http://localhost:{port}/readyz
  State      {state}   (logs in {state}/logs)
{demo}"""

_DEMO = """
  Sign in as moderator, lead, ml or admin, password demo.
  The posts are simulated: a simulated platform sends them through the API.

  Try        open the desk and press the keys it names: claim, decide, undo
             .venv/bin/python manage.py simulate --help        more simulated posts
             .venv/bin/python manage.py export_labels --help   decisions as training data
"""

_SERVERS = """
PostgreSQL, the broker and Triton are running, and the database is migrated.   Ctrl-C stops them

  In other terminals, under a debugger if you like:
    python3 -m deploy.local python manage.py runserver
    python3 -m deploy.local python -m celery --app=config.celery:app worker --queues=scoring --pool=solo
    python3 -m deploy.local python -m celery --app=config.celery:app beat
"""


def main() -> None:
    """Run until a signal ends it; every refusal is one clear line and exit code 1."""
    state = State.from_environment()
    only_servers = "--only-servers" in sys.argv[1:]
    try:
        card = Card.find() if "--gpu" in sys.argv[1:] and not os.environ.get("TRITON_URL") else None
        state_lock = lock(state)
        port = _web_port()
        with state_lock:
            _run(state, port=port, only_servers=only_servers, card=card)
    except (Lacking, StartFailed, OSError) as failure:
        sys.exit(f"spamdesk: {failure}")


def _run(state: State, *, port: int, only_servers: bool, card: Card | None) -> None:
    mark = str(state.path)
    if leftovers := child.kill_leftovers(mark=mark):
        say(f"  ended {len(leftovers)} processes that an earlier run left behind")
    with Supervisor(
        logs=state.folder("logs"), mark=mark, environment=environment(state, port=port), say=say
    ) as supervisor:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, supervisor.request_stop)
        try:
            _bring_up(supervisor, state, port=port, only_servers=only_servers, card=card)
        except Stopped:
            say("\nStopping before everything was up")
            return
        mode = supervisor.environment["SPAMDESK_MODE"]
        say(_SERVERS if only_servers else screen(port=port, state=state, mode=mode))
        supervisor.watch()
        say("\nStopping")
    addresses.remove(state=state)
    say(f"Stopped; everything is kept in {state.path}")


def _bring_up(
    supervisor: Supervisor, state: State, *, port: int, only_servers: bool, card: Card | None
) -> None:
    is_demo = supervisor.environment["SPAMDESK_MODE"] == "demo"
    say("Starting Spamdesk")
    for step in card.steps(state) if card else ():
        supervisor.run_step(step)
    if is_demo and not only_servers:
        _launch_simulated_web(supervisor, state)
    for variable in ("DATABASE_URL", "CELERY_BROKER_URL", "TRITON_URL"):
        if supervisor.environment.get(variable):
            say(f"  using {variable} from the environment")
    launched = servers(supervisor, state, card=card)
    addresses.write(state=state, environment=supervisor.environment)
    first = [name for name in launched if name != "triton"]
    supervisor.wait_until_up(first)
    supervisor.run_step(application.preparation(seeds_demo=is_demo))
    if only_servers:
        supervisor.wait_until_up({*launched} - {*first})
        return
    supervisor.launch(application.parent(state=state))
    # Triton loads its models while the database is migrated: it is needed last.
    supervisor.wait_until_up([*{*launched} - {*first}, "parent"])
    if is_demo:
        supervisor.launch_once(application.simulator(port=port))


def servers(supervisor: Supervisor, state: State, *, card: Card | None = None) -> list[str]:
    """Launch each server whose address was not given, and note the addresses; return their names."""
    launched = []
    for variable, server in (
        ("DATABASE_URL", Postgres(state=state, port=ports.free())),
        ("CELERY_BROKER_URL", Broker(state=state, port=ports.free())),
        ("TRITON_URL", Triton(state=state, grpc_port=ports.free(), metrics_port=ports.free(), card=card)),
    ):
        if supervisor.environment.get(variable):
            continue
        service = server.service()
        supervisor.environment[variable] = server.url
        if isinstance(server, Triton):
            # Also over what the environment names: that belongs to a Triton which runs elsewhere.
            supervisor.environment.update(server.administration)
        if isinstance(server, Postgres):
            supervisor.environment["SPAMDESK_POSTGRES_PROGRAMS"] = str(postgres_files.binaries())
        supervisor.launch(service)
        launched.append(service.name)
    return launched


def _launch_simulated_web(supervisor: Supervisor, state: State) -> None:
    """Serve the simulated web and pass on its address; not if the environment says 0."""
    variable = "SPAMDESK_SIMULATED_WEB_PORT"
    if supervisor.environment.get(variable):
        return
    port = ports.free()
    supervisor.environment[variable] = str(port)
    supervisor.launch(application.simulated_web(port=port, state=state))


def environment(state: State, *, port: int) -> dict[str, str]:
    """Return the environment of everything that runs: this one, and what the product needs."""
    return {
        "SPAMDESK_MODE": "demo",
        **os.environ,
        "SPAMDESK_STATE_DIR": str(state.path),
        "SPAMDESK_WEB_PORT": str(port),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PYTHONUNBUFFERED": "1",
        # gRPC and httpx would send even loopback traffic through the user's proxy.
        "no_proxy": ",".join(filter(None, (os.environ.get("no_proxy"), "localhost", ports.LOOPBACK))),
    }


def screen(*, port: int, state: State, mode: str) -> str:
    """Return the text, with the warning that the preparation left."""
    text = _SCREEN.format(port=port, state=state.path, demo=_DEMO if mode == "demo" else "")
    return f"{text}\n  WARNING    {state.warning.read_text().strip()}\n" if state.warning.exists() else text


def lock(state: State) -> IO[str]:
    """Return the lock of this state folder. Raises StartFailed if another supervisor holds it."""
    state.folder("logs")
    file = (state.path / "supervisor.lock").open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        raise StartFailed(
            f"already running here (process {file.read().strip()}); stop it with Ctrl-C, or give this one"
            " its own folder: SPAMDESK_STATE_DIR=/tmp/other SPAMDESK_WEB_PORT=8001 make run"
        ) from None
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def _web_port() -> int:
    value = os.environ.get("SPAMDESK_WEB_PORT", "8000")
    if not value.isdigit() or not 0 < int(value) < 65_536:
        raise StartFailed(f"SPAMDESK_WEB_PORT is {value!r}; it must be a port number")
    if not ports.is_free(int(value)):
        raise StartFailed(
            f"port {value} is taken; choose another: SPAMDESK_WEB_PORT={ports.free(preferred=8001)} make run"
        )
    return int(value)


if __name__ == "__main__":
    main()
