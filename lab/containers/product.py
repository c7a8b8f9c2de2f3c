"""What a trial asks of the product that runs in containers, however they were started."""

from __future__ import annotations

from typing import Protocol

from lab.containers.engine import Engine


class Product(Protocol):
    """The running product: its containers by the names of their services."""

    @property
    def engine(self) -> Engine:
        """Return the engine that runs it."""

    @property
    def port(self) -> int:
        """Return the web server's port on the loopback address."""

    @property
    def killed(self) -> tuple[str, ...]:
        """Return the services whose containers a trial kills, in this order."""

    def container(self, service: str) -> str:
        """Return the name of a service's container, of the first where there are several."""

    def run(self, service: str, *command: str) -> str:
        """Run a command in a service's container and return its output."""

    def is_asked(self, service: str) -> bool:
        """Return whether the service has a check of its health."""

    def wait_until_healthy(self, service: str) -> float:
        """Wait for that check and return the seconds. Raises Failed."""
