"""manage.py create_user: an account of the desk. The first administrator has nobody else to make one."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from moderation.models.users import Role
from moderation.operations.accounts import users
from moderation.operations.accounts.users import Profile


class Command(BaseCommand):
    help = "Make an account and print its password, once; the first sign-in asks for another one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", help="the name to sign in with")
        parser.add_argument("--role", choices=Role.values, default=Role.MODERATOR.value)

    def handle(self, *args: Any, **options: Any) -> None:
        profile = Profile(first_name="", last_name="", role=Role(options["role"]))
        try:
            user, password = users.create(
                username=options["username"], profile=profile, actor=None, at=timezone.now()
            )
        except users.NameTaken:
            raise CommandError(f"Somebody signs in as {options['username']} already.") from None
        self.stderr.write(f"{user.username} is {user.get_role_display()}. The password is shown once:")
        self.stdout.write(password)
