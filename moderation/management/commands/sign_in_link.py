"""manage.py sign_in_link: let somebody sign in with a new browser while their name or address is attacked."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse
from django.utils import timezone

from moderation.models import User
from moderation.operations.accounts import devices, second_factors


class Command(BaseCommand):
    """Print a link that exempts one browser from the delays that others' wrong passwords cause."""

    help = "Print a link for one browser, valid once and for 15 minutes. The password is still asked for."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", help="the name that they sign in with")
        help_text = "for somebody who lost them: the password alone opens the account"
        parser.add_argument("--remove-second-factors", action="store_true", help=help_text)

    def handle(self, *_: Any, user: str, remove_second_factors: bool, **__: Any) -> None:
        try:
            person = User.objects.get(username=user, is_active=True)
        except User.DoesNotExist:
            raise CommandError(f"There is no active account {user!r}.") from None
        if remove_second_factors:
            second_factors.remove_all(user_id=person.pk, actor=None, at=timezone.now())
        path = reverse("sign-in-device", args=[devices.make_link(user=person, at=timezone.now())])
        host = settings.ALLOWED_HOSTS[0].lstrip(".")
        origin = f"https://{host}" if settings.IS_PRODUCTION else f"http://{host}:{settings.WEB_PORT}"
        self.stdout.write(origin + path)
