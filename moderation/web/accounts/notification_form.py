"""The form by which people choose what they are told of: events by channel, addresses and quiet hours."""

from collections.abc import Iterator
from datetime import time
from typing import Any

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from moderation.models import User
from moderation.models.notifications import AUDIENCE, Channel, NotificationKind, choices_of
from moderation.operations.accounts import preferences
from moderation.operations.infrastructure import egress, vault


class NotificationsForm(forms.Form):
    """A box for each event and channel, `escalation.mail`, and where and when somebody is told."""

    told = forms.MultipleChoiceField(required=False)
    mail = forms.EmailField(required=False)
    chat = forms.CharField(max_length=500, required=False)
    quiet_from = forms.TimeField(required=False)
    quiet_until = forms.TimeField(required=False)

    def __init__(self, user: User, data: Any) -> None:
        super().__init__(data)
        self._user = user
        self.channels = [channel for channel in Channel if channel != Channel.MAIL or settings.EMAIL_HOST]
        told: Any = self.fields["told"]
        told.choices = [(box, box) for kind in self._kinds() for box in self._boxes(kind)]

    @classmethod
    def of(cls, user: User) -> "NotificationsForm":
        """Return the form with what is stored."""
        choices = choices_of(user)
        try:
            chat = vault.decrypt(choices.chat_address) if choices.chat_address else ""
        except vault.MissingKey:
            chat = ""
        data = {
            "told": [f"{kind}.{channel}" for kind in NotificationKind for channel in choices.told_by(kind)],
            "mail": user.email,
            "chat": chat,
            "quiet_from": _shown(choices.quiet_from),
            "quiet_until": _shown(choices.quiet_until),
        }
        return cls(user, data)

    @property
    def zone(self) -> str:
        """The time zone of the stored quiet hours."""
        return choices_of(self._user).time_zone.replace("_", " ")

    def rows(self) -> Iterator[tuple[str, list[tuple[str, str, bool]]]]:
        """Yield each event in words with its boxes: name, channel in words, whether it is ticked."""
        ticked = self["told"].value() or ()
        for kind in self._kinds():
            boxes = zip(self._boxes(kind), self.channels, strict=True)
            yield str(kind.label), [(box, str(channel.label), box in ticked) for box, channel in boxes]

    def clean(self) -> dict[str, Any]:
        """Refuse a channel without its address, and half of the quiet hours."""
        given = self.cleaned_data
        channels = {box.partition(".")[2] for box in given.get("told", ())}
        for name in {Channel.MAIL.value, Channel.CHAT.value} & channels:
            if not given.get(name) and name not in self.errors:
                self.add_error(name, _("An event chosen above needs this address."))
        if (given.get("quiet_from") is None) != (given.get("quiet_until") is None):
            self.add_error("quiet_until", _("Quiet hours need a beginning and an end."))
        return given

    def saved(self, *, desk: str) -> bool:
        """Save it, unless the chat's address must not be called. Call after `is_valid`."""
        given, choices = self.cleaned_data, choices_of(self._user)
        for kind in self._kinds():
            boxes = [box for box in self._boxes(kind) if box in given["told"]]
            choices.channels[kind] = [box.partition(".")[2] for box in boxes]
        choices.quiet_from, choices.quiet_until = given["quiet_from"], given["quiet_until"]
        choices.time_zone, choices.desk = timezone.get_current_timezone_name(), desk
        mail = given["mail"] if Channel.MAIL in self.channels else self._user.email
        choices.language = get_language() or settings.LANGUAGE_CODE
        try:
            preferences.store_notifications(choices=choices, mail=mail, chat=given["chat"])
        except (egress.Refused, vault.MissingKey):
            self.add_error("chat", _("This address cannot be called. Ask your operator."))
        return self.is_valid()

    def _kinds(self) -> list[NotificationKind]:
        return [kind for kind in NotificationKind if self._user.role in AUDIENCE[kind]]

    def _boxes(self, kind: NotificationKind) -> list[str]:
        return [f"{kind}.{channel}" for channel in self.channels]


def _shown(moment: time | None) -> str:
    return moment.isoformat("minutes") if moment else ""
