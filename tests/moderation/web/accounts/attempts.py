"""Attempts to sign in, right and wrong."""

from datetime import timedelta
from typing import Any

from axes.models import AccessAttempt
from django.db.models import F
from django.test import Client

RIGHT = "right-and-long-enough"


def attempt(
    client: Client, *, name: str = "moderator", password: str = "guess", ip: str = "192.0.2.1"
) -> Any:
    return client.post("/sign-in/", {"username": name, "password": password}, REMOTE_ADDR=ip)


def pass_time(seconds: float) -> None:
    """Let the last failures lie further back."""
    AccessAttempt.objects.update(attempt_time=F("attempt_time") - timedelta(seconds=seconds))


def attack(name: str = "moderator", attempts: int = 25) -> None:
    """Wrong passwords for a name from many addresses, as fast as they are looked at."""
    for number in range(attempts):
        attempt(Client(), name=name, ip=f"203.0.113.{number}")
