"""Starts the web server: `python -m config.server --host=0.0.0.0 --port=8000 --processes=2`.

The only place for its options; `make run`, containers and unit files run this.
"""

import argparse
import contextlib
import json
import os
import resource
import signal
import socket
import sys
import time
import traceback

from config.server import limits, watch


def main() -> None:
    """Serve until SIGTERM; requests in progress are finished."""
    options = _options()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # every connection is an open file
    address = (options.host, options.port)
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listener = socket.create_server(address, family=family, backlog=limits.BACKLOG)
    _Parent(listener, processes=options.processes, silent_seconds=options.silent_seconds).run()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m config.server", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--silent-seconds", type=int, default=30, help="a process that shows no life for so long is replaced"
    )
    return parser.parse_args()


class _Parent:
    """Keeps so many processes serving: it imports no Django, so that nothing but this can fail in it."""

    def __init__(self, listener: socket.socket, *, processes: int, silent_seconds: int) -> None:
        self._listener = listener
        self._processes = processes
        self._children: set[int] = set()
        self._beats, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._theirs.settimeout(0)
        self._judge = watch.Judge(silent_beats=silent_seconds, stalled_beats=limits.STALLED_BEATS)
        self._is_stopping = False

    def run(self) -> None:
        """Serve until SIGTERM or SIGINT."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        while not self._is_stopping:
            while len(self._children) < self._processes:
                self._children.add(self._fork())
            self._listen(until=time.monotonic() + 1)
            self._reap()
            for process, reason in self._judge.tick(sorted(self._children)).items():
                line = {"event": "web_process_killed", "level": "error", "process": process, "reason": reason}
                sys.stderr.write(json.dumps(line) + "\n")
                self._signal(signal.SIGKILL, process)
        self._end()

    def _end(self) -> None:
        self._signal(signal.SIGTERM, *self._children)
        deadline = time.monotonic() + limits.STOP_SECONDS + 5
        while self._children and time.monotonic() < deadline:
            self._reap()
            time.sleep(0.05)
        self._signal(signal.SIGKILL, *self._children)

    def _fork(self) -> int:
        parent, process = os.getpid(), os.fork()
        if process:
            return process
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal; the parent ends this process
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        code = 1
        try:
            # Here, since the parent is to be small: Django's set-up, and what needs it.
            import config.wsgi  # noqa: PLC0415
            from config.server import serve  # noqa: PLC0415
            from moderation import enqueue  # noqa: PLC0415

            serve.run(config.wsgi.application, self._listener, parent=parent, beat=self._beat)
            enqueue.stop(config.wsgi.gathering)
            code = 0
        except BaseException:  # noqa: BLE001 - it must not run on as a second parent
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def _beat(self, stalled: int) -> None:
        with contextlib.suppress(OSError):  # the queue of a stopped parent is full; skip this beat
            self._theirs.send(f"{os.getpid()} {stalled}".encode())

    def _listen(self, *, until: float) -> None:
        while (seconds := until - time.monotonic()) > 0 and not self._is_stopping:
            self._beats.settimeout(seconds)
            with contextlib.suppress(TimeoutError):
                process, stalled = self._beats.recv(64).split()
                self._judge.hear(int(process), stalled=int(stalled))

    def _reap(self) -> None:
        while self._children:
            process, _ = os.waitpid(-1, os.WNOHANG)
            if not process:
                return
            self._children.discard(process)

    def _stop(self, *_: object) -> None:
        self._is_stopping = True

    def _signal(self, number: int, *processes: int) -> None:
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)


if __name__ == "__main__":
    main()
