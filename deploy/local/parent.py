"""The parent of workers, beat and web: it imports once what they run; each is a copy that shares the memory.

`make run` starts it as one of its services. It only supervises: nothing that it imported runs in it.
"""

import contextlib
import ctypes
import gc
import math
import multiprocessing
import os
import runpy
import signal
import sys
from importlib import import_module
from pathlib import Path

from deploy.local import application
from deploy.local.child import MARK, Child, dies_with
from deploy.local.places import State
from deploy.local.service import Service
from deploy.local.supervisor import StartFailed, Stopped, Supervisor, say

# Not `config.worker_alive`: each worker has one of its own to share with its processes.
_SHARED = ("config.urls", "config.server.serve", "celery.bin.celery", "celery.worker.consumer")
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _Copy(Child):
    def __init__(self, service: Service, log: Path) -> None:
        self._keep(log)
        begin = multiprocessing.get_context("fork").Process
        self._copy = begin(target=_become, args=(service, log, os.getpid()))
        self._copy.start()

    @property
    def id(self) -> int:
        return self._copy.pid or 0

    def exit_code(self) -> int | None:
        return self._copy.exitcode

    def wait(self, *, seconds: float | None = None) -> bool:
        self._copy.join(seconds)
        return self.exit_code() is not None


class _Parent(Supervisor):
    def _start_child(self, service: Service) -> Child:
        self._rotate_at = math.inf  # the supervisor that started this one rotates every log
        return _Copy(service, self._log(service))


def main() -> None:
    """Import, start all, and keep them running until a signal; say which does not come up, and why."""
    import_module("django").setup()
    import_module("config.celery").app.loader.import_default_modules()
    for name in _SHARED:
        import_module(name)
    gc.collect()
    gc.freeze()  # a collection of a copy would touch, and so copy, the shared memory
    state = State.from_environment()
    services = (
        *(application.worker(kind, state=state) for kind in application.workers()),
        application.beat(),
        application.web(port=int(os.environ["SPAMDESK_WEB_PORT"])),
    )
    parent = _Parent(logs=state.folder("logs"), mark=os.environ[MARK], environment={}, say=say)
    for number in _SIGNALS:
        signal.signal(number, parent.request_stop)
    try:
        with contextlib.suppress(Stopped), parent:
            parent.bring_up(*services)
            Path(os.environ["SPAMDESK_READY_FILE"]).touch()
            parent.watch()
    except StartFailed as failure:
        sys.exit(f"spamdesk: {failure}")


def _become(service: Service, log: Path, parent: int) -> None:
    """Be what the service's command would start."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    os.setsid()
    dies_with(parent, signal.SIGKILL)()
    with log.open("ab") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    # What `ps` shows is in memory: the words that began the parent, at the place that proc_pid_stat(5) tells.
    begin, end = map(int, Path("/proc/self/stat").read_text().rpartition(")")[2].split()[45:47])
    ctypes.memmove(begin, f"spamdesk ({service.name})".encode().ljust(end - begin, b"\0"), end - begin)
    os.environ.update(service.environment)
    command = service.command
    if command[0] == "nice":
        os.nice(int(command[2]))
    sys.argv = [*command[command.index("-m") + 1 :]]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
