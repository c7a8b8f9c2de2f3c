"""What users prefer, and filters that they saved.

Preferences are plain values, kept as JSON with the user; unknown or broken ones fall back.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from django.conf import settings
from django.db import models

RUN_CAPS = (3, 5, 10, 20)
BREAK_MINUTES = (0, 25, 50, 90)
BREAK_CASES = (0, 50, 100, 200, 400)


class Blur(StrEnum):
    """Which posts are blurred until asked for."""

    NEVER = "never"
    GRAPHIC = "graphic"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """The preferences of one user.

    `keys` holds only the keys that differ from the standard ones. `run_cap` is how many posts of one campaign
    or of a graphic kind may follow one another. A break is suggested after so many minutes or cases, 0 never.
    A case shows what a decision needs, or everything known of it if `is_detailed`.
    """

    is_keys_on: bool = True
    is_hints_on: bool = True
    is_detailed: bool = False
    keys: Mapping[str, str] = field(default_factory=dict)
    blur: Blur = Blur.GRAPHIC
    is_greyscale: bool = False
    run_cap: int = 5
    break_minutes: int = 50
    break_cases: int = 200

    def to_json(self) -> dict[str, Any]:
        """Return the settings as the column holds them; `read_preferences` reads them back."""
        return asdict(self) | {"keys": dict(self.keys)}


def read_preferences(stored: Mapping[str, Any]) -> Preferences:
    """Return the settings; a value that is not one of the choices is the standard one."""
    standard = Preferences()
    keys = stored.get("keys")
    return Preferences(
        is_keys_on=stored.get("is_keys_on") is not False,
        is_hints_on=stored.get("is_hints_on") is not False,
        is_detailed=stored.get("is_detailed") is True,
        keys={str(name): str(key) for name, key in keys.items()} if isinstance(keys, dict) else {},
        blur=Blur(stored["blur"]) if stored.get("blur") in list(Blur) else standard.blur,
        is_greyscale=stored.get("is_greyscale") is True,
        run_cap=_one_of(RUN_CAPS, stored.get("run_cap"), standard.run_cap),
        break_minutes=_one_of(BREAK_MINUTES, stored.get("break_minutes"), standard.break_minutes),
        break_cases=_one_of(BREAK_CASES, stored.get("break_cases"), standard.break_cases),
    )


def _one_of(choices: tuple[int, ...], value: object, standard: int) -> int:
    return value if isinstance(value, int) and value in choices else standard


class FilterPage(models.TextChoices):
    """The lists that can be filtered; a value is the name of the list's address."""

    QUEUE = "queue"
    POSTS = "posts"
    AUTHORS = "authors"
    DOMAINS = "domains"
    DECISIONS = "decisions"


class SavedFilter(models.Model):
    """The query string of a list, under a name of one's own."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_filters")
    page = models.CharField(max_length=10, choices=FilterPage.choices)
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=2000)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("name", "id")
        constraints = (
            models.UniqueConstraint(fields=("user", "page", "name"), name="filter_name_once_per_page"),
        )
