"""What users keep for themselves: preferences, and filters of list pages."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from moderation.models import NotificationChoices, SavedFilter, User
from moderation.models.preferences import FilterPage, Preferences
from moderation.operations.infrastructure import egress, vault
from moderation.operations.refusals import Refusal

MOST_FILTERS = 20
"""Saved filters per user and list: more would not fit above the list."""


def store(*, user: User, chosen: Preferences) -> None:
    """Save all preferences of a user, creating the row at first use."""
    user.stored_preferences = chosen.to_json()
    user.save(update_fields=("stored_preferences",))


def store_notifications(*, choices: NotificationChoices, mail: str, chat: str) -> None:
    """Save how a person wishes to be told, and where. Raises egress.Refused or vault.MissingKey."""
    if chat:
        egress.check(chat)
    choices.chat_address = vault.encrypt(chat) if chat else ""
    with transaction.atomic():
        choices.save()
        choices.user.email = mail
        choices.user.save(update_fields=("email",))


class TooManyFilters(Refusal):
    """The list has as many saved filters as fit above it: delete one first."""


def keep_filter(*, user: User, page: FilterPage, name: str, query: str, at: datetime) -> None:
    """Keep a query string under a name, in place of an older one of that name. Raises TooManyFilters."""
    own = SavedFilter.objects.filter(user=user, page=page)
    if own.exclude(name=name).count() >= MOST_FILTERS:
        raise TooManyFilters(
            _("You have the maximum of %(most)d filters here. Delete one first.") % {"most": MOST_FILTERS}
        )
    own.update_or_create(user=user, page=page, name=name, defaults={"query": query, "created_at": at})


def forget_filter(*, user: User, filter_id: int) -> None:
    """Delete a filter of this user; another user's is left alone."""
    SavedFilter.objects.filter(user=user, pk=filter_id).delete()
