"""manage.py create_api_key: a key for a platform. The secret is shown once and cannot be read back."""

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.text import slugify

from moderation.models import Platform, User
from moderation.models.platforms import USUAL_SCOPES, Scope
from moderation.operations.accounts import api_keys, platforms
from moderation.operations.refusals import PlatformDeleted


class Command(BaseCommand):
    help = "Issue an API key for a platform and print its secret, once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("platform", help="the platform's slug, such as acme-social")
        parser.add_argument(
            "--register", metavar="NAME", help="make the platform, with this name, if there is none"
        )
        parser.add_argument("--name", default="key", help="what the key is for, to tell it from others")
        parser.add_argument(
            "--scope",
            action="append",
            choices=Scope.values,
            help=f"what the key may do; repeat; if not given: {', '.join(USUAL_SCOPES)}",
        )
        parser.add_argument(
            "--acts-as", metavar="USER", help="the person in whose name the key decides, bans and exports"
        )
        parser.add_argument(
            "--days", type=int, default=90, help="days until the key expires, 90 if not given; 0: never"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        at = timezone.now()
        if not 0 <= options["days"] <= 3_650:
            raise CommandError("--days must be from 0 to 3650.")
        try:
            key, secret = api_keys.issue(
                platform=_platform(slug=options["platform"], register=options["register"]),
                name=options["name"][:100],
                scopes=options["scope"] or USUAL_SCOPES,
                acts_as=_person(options["acts_as"]) if options["acts_as"] else None,
                expires_at=at + timedelta(days=options["days"]) if options["days"] else None,
                at=at,
            )
        except PlatformDeleted as refusal:
            raise CommandError(str(refusal)) from None
        self.stderr.write(
            f"Key {key.prefix}… for {key.platform} may: {', '.join(key.scopes)}. Keep it: it is shown once."
        )
        self.stdout.write(secret)


def _platform(*, slug: str, register: str | None) -> Platform:
    if register and slug == slugify(slug) and len(slug) <= 64:
        return platforms.register(slug=slug, name=register[:200], at=timezone.now())
    if register:
        raise CommandError("A platform's slug has small letters, digits and hyphens only.")
    try:
        return Platform.objects.get(slug=slug)
    except Platform.DoesNotExist:
        raise CommandError(f"There is no platform {slug!r}. Add --register 'Its name' to make it.") from None


def _person(username: str) -> User:
    try:
        return User.objects.get(username=username, is_active=True)
    except User.DoesNotExist:
        raise CommandError(f"There is no active account {username!r}.") from None
