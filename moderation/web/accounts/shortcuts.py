"""Shortcuts of the desk: what each key does, and which key a user has chosen for it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.functional import Promise, SimpleLazyObject
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from moderation.models import User, desk_settings
from moderation.models.preferences import Preferences

_PUNCTUATION = ",.-;'[]\\/"


@dataclass(frozen=True, slots=True)
class Action:
    """An action with a key; `words` describe it."""

    name: str
    key: str
    words: str | Promise


DECIDE = (
    Action("spam", "s", gettext_lazy("Spam, then the next case")),
    Action("not_spam", "f", gettext_lazy("Fine: not spam, then the next case")),
    Action("same_reason", "q", gettext_lazy("Quick reason: that of your last decision with one")),
    Action("escalate", "e", gettext_lazy("Escalate to a lead (asks for a note)")),
)
LOOK = (
    Action("skip", "n", gettext_lazy("Next: skip this case and leave it to another moderator")),
    Action("undo", "u", gettext_lazy("Undo the last decision or skip while its countdown runs")),
    Action(
        "context", "c", gettext_lazy("Context: author, complaints, domains and addresses on one timeline")
    ),
    Action("author", "a", gettext_lazy("Author panel: latest posts, verdicts, notes, similar accounts")),
    Action("domain", "d", gettext_lazy("Domain panel: latest posts linking there, rules")),
    Action("address", "i", gettext_lazy("Address panel: latest posts from there, rules")),
    Action("note", "m", gettext_lazy("Memo: a note on the case for the next reviewer")),
    Action("campaign", "g", gettext_lazy("Group: the campaign that this post belongs to")),
    Action("next_similar", "y", gettext_lazy("Yet another: the next case of this campaign")),
    Action("open", "o", gettext_lazy("Show the full text")),
    Action("page", "w", gettext_lazy("Web page: what the first link leads to")),
    Action("translate", "t", gettext_lazy("Translate the post into the language of the desk")),
    Action("guidelines", "l", gettext_lazy("Look up the guidelines: when each reason applies")),
    Action("details", "z", gettext_lazy("Zoom: all details of a case, or only what a decision needs")),
    Action("explain", "x", gettext_lazy("Explain: everything the models used")),
    Action("reveal", "b", gettext_lazy("Blur or reveal: the post, then its pictures")),
    Action("enlarge", "v", gettext_lazy("View the pictures larger")),
    Action("next_picture", ".", gettext_lazy("Next picture")),
    Action("pause", "p", gettext_lazy("Pause: the case stays reserved for you")),
    Action("hand_back", "h", gettext_lazy("Put the case back and go to the queue")),
)
ANYWHERE = (
    Action("start", "r", gettext_lazy("Start reviewing; the next case")),
    Action("search", "/", gettext_lazy("Search")),
)
ACTIONS = (*DECIDE, *LOOK, *ANYWHERE)


def of(preferences: Preferences) -> dict[str, str]:
    """Return the key of every action, "" if the user gave its standard key to another action."""
    keys = set(preferences.keys.values())
    return {
        action.name: preferences.keys.get(action.name, "" if action.key in keys else action.key)
        for action in ACTIONS
    }


def changed(wanted: Mapping[str, str]) -> dict[str, str]:
    """Return only what differs from the standard keys."""
    standard = {action.name: action.key for action in ACTIONS}
    return {name: key for name, key in wanted.items() if standard.get(name) != key}


def problem(wanted: Mapping[str, str]) -> str:
    """Return why these keys are invalid, "" if they are valid."""
    for key in wanted.values():
        if len(key) != 1 or not (key.isalpha() or key in _PUNCTUATION):
            return _("A key is one letter or one of %(signs)s; digits are reasons.") % {"signs": _PUNCTUATION}
    twice = [key for key, times in Counter(wanted.values()).items() if times > 1]
    return _("%(key)s is used twice.") % {"key": twice[0].upper()} if twice else ""


def context(request: HttpRequest) -> dict[str, object]:
    """Give every template `keys` and `preferences`, and the key map its sections."""
    user = getattr(request, "user", None)
    preferences, look = Preferences(), list(LOOK)
    if isinstance(user, User):
        preferences = user.preferences
        if not desk_settings.current().translation_url:
            look = [action for action in LOOK if action.name != "translate"]
    return {
        "preferences": preferences,
        "keys": SimpleLazyObject(lambda: of(preferences)),
        "key_sections": {"decide": DECIDE, "look": look, "anywhere": ANYWHERE},
    }
