"""A user's preferences: how the desk looks and behaves, its shortcuts, and the user's own pace."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import time
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from moderation.models import User
from moderation.models.notifications import AUDIENCE, Channel, NotificationKind, choices_of
from moderation.models.preferences import BREAK_CASES, BREAK_MINUTES, RUN_CAPS, Blur, Preferences
from moderation.operations.accounts import preferences
from moderation.operations.infrastructure import egress, vault
from moderation.queries.cases import golden_items
from moderation.queries.cases.pace import own_pace
from moderation.web import access
from moderation.web.accounts import shortcuts


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


_NEVER = gettext_lazy("never")


class PreferencesForm(forms.Form):
    """How the desk looks and behaves."""

    theme = forms.ChoiceField(
        choices=[
            ("", gettext_lazy("System default")),
            ("light", gettext_lazy("Light")),
            ("dark", gettext_lazy("Dark")),
        ],
        required=False,
    )
    is_keys_on = forms.BooleanField(required=False)
    is_hints_on = forms.BooleanField(required=False)
    is_detailed = forms.BooleanField(required=False)
    blur = forms.ChoiceField(
        choices=[
            (Blur.NEVER.value, gettext_lazy("Never")),
            (Blur.GRAPHIC.value, gettext_lazy("Posts reported as disturbing")),
            (Blur.ALWAYS.value, gettext_lazy("All posts")),
        ]
    )
    is_greyscale = forms.BooleanField(required=False)
    run_cap = forms.TypedChoiceField(choices=[(cap, str(cap)) for cap in RUN_CAPS], coerce=int)
    break_minutes = forms.TypedChoiceField(
        choices=[(m, str(m) if m else _NEVER) for m in BREAK_MINUTES], coerce=int
    )
    break_cases = forms.TypedChoiceField(
        choices=[(c, str(c) if c else _NEVER) for c in BREAK_CASES], coerce=int
    )

    @classmethod
    def of(cls, preferences: Preferences, *, theme: str) -> "PreferencesForm":
        """Return the form with the stored values."""
        return cls(preferences.to_json() | {"theme": theme})

    def chosen(self, *, keys: Mapping[str, str]) -> Preferences:
        """Return the preferences with these shortcuts. Call after `is_valid`."""
        values = {name: value for name, value in self.cleaned_data.items() if name != "theme"}
        return Preferences(**values | {"blur": Blur(values["blur"])}, keys=keys)


_YEAR_SECONDS = 365 * 86_400


@access.signed_in.get_or_post
def page(request: access.DeskRequest) -> HttpResponse:
    """Show and change a user's preferences; light or dark is kept in a cookie, since screens differ."""
    if request.method != "POST":
        return _page(request, _stored(request))
    form = PreferencesForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    preferences.store(user=request.user, chosen=form.chosen(keys=request.user.preferences.keys))
    messages.success(request, _("Saved."))
    response = redirect("preferences")
    theme, is_secure = form.cleaned_data["theme"], request.is_secure()
    response.set_cookie("theme", theme, max_age=_YEAR_SECONDS, samesite="Lax", secure=is_secure)
    return response


@access.signed_in.post
def change_shortcuts(request: access.DeskRequest) -> HttpResponse:
    """Change which key does what; `standard` puts all of them back."""
    keys = {action.name: action.key for action in shortcuts.ACTIONS}
    if "standard" not in request.POST:
        keys = {name: request.POST.get(name, key).strip().lower() for name, key in keys.items()}
    if problem := shortcuts.problem(keys):
        return _page(request, _stored(request), wanted=keys, problem=problem, status=422)
    changed = replace(request.user.preferences, keys=shortcuts.changed(keys))
    preferences.store(user=request.user, chosen=changed)
    messages.success(request, _("Keys saved."))
    return redirect("preferences")


@access.deciders.post
def change_level(request: access.DeskRequest) -> HttpResponse:
    """Remember whether cases show everything known, or what a decision needs."""
    is_detailed = request.POST.get("is_detailed") == "true"
    preferences.store(user=request.user, chosen=replace(request.user.preferences, is_detailed=is_detailed))
    return HttpResponse(status=204)


@access.signed_in.post
def change_notifications(request: access.DeskRequest) -> HttpResponse:
    """Change what a user is told of, by which channel, and when not."""
    form = NotificationsForm(request.user, request.POST)
    if not form.is_valid() or not form.saved(desk=request.build_absolute_uri("/")):
        return _page(request, _stored(request), notifications=form, status=422)
    messages.success(request, _("Notifications saved."))
    return redirect("preferences")


@access.deciders.get
def pace(request: access.DeskRequest) -> HttpResponse:
    """Show a user's own pace."""
    at = timezone.now()
    context = {
        "section": "account",
        "pace": own_pace(user=request.user, at=at),
        "golden": golden_items.own_result(user=request.user, at=at),
        "until": golden_items.week_start(at),
        "fewest": golden_items.FEWEST_ANSWERS,
        "at": at,
    }
    return render(request, "accounts/pace.html", context)


def _stored(request: access.DeskRequest) -> PreferencesForm:
    return PreferencesForm.of(request.user.preferences, theme=request.COOKIES.get("theme", ""))


def _page(
    request: access.DeskRequest,
    form: PreferencesForm,
    *,
    notifications: NotificationsForm | None = None,
    wanted: dict[str, str] | None = None,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    keys = wanted or shortcuts.of(request.user.preferences)
    rows = [(action, keys[action.name]) for action in shortcuts.ACTIONS]
    context = {
        "section": "account",
        "form": form,
        "notifications": notifications or NotificationsForm.of(request.user),
        "rows": rows,
        "problem": problem,
    }
    return render(request, "accounts/preferences.html", context, status=status)


def _shown(moment: time | None) -> str:
    return moment.isoformat("minutes") if moment else ""
