"""Readers for a container of their own, without secrets: `python -m moderation.evidence.server SOCKET`.

Each connection gets a process that reads for it (`child`), and ends with it.
"""

import select
import signal
import socket
import sys
import threading
from pathlib import Path

from moderation.evidence import reader

MOST = 64
"""Processes at once: four for each evidence worker that reads here."""


def main() -> None:
    """Serve until SIGTERM, which the first process of a container would not heed by itself."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    path = Path(sys.argv[1])
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        path.chmod(0o666)  # the worker is another user; nobody else has the folder
        listening.listen()
        while True:
            connection, _ = listening.accept()
            if threading.active_count() > MOST:
                connection.close()
            else:
                threading.Thread(target=_serve, args=(connection,), daemon=True).start()


def _serve(connection: socket.socket) -> None:
    with connection:
        child = reader.start_child(connection)
        gone = select.poll()
        gone.register(connection, 0)  # heeds nothing but that the other end is closed
        while child.poll() is None and not gone.poll(500):
            pass
        child.kill()
        child.wait()


if __name__ == "__main__":
    main()
