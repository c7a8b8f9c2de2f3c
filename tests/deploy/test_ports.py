"""Ports are free when they are given, and each is given once."""

import socket

from deploy.local import ports


class TestFree:
    def test_keeps_the_preferred_port_when_nobody_listens(self) -> None:
        port = ports.free()

        assert ports.free(preferred=port) == port

    def test_takes_another_when_somebody_listens(self) -> None:
        with socket.create_server((ports.LOOPBACK, 0)) as server:
            taken = server.getsockname()[1]

            assert not ports.is_free(taken)
            assert ports.free(preferred=taken) != taken

    def test_never_gives_the_same_twice(self) -> None:
        given = [ports.free() for _ in range(50)]

        assert len(set(given)) == 50
