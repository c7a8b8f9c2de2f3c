"""Forms of administrators. They validate; they change nothing."""

from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.contrib.auth.forms import UsernameField
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from moderation.models import User
from moderation.models.decisions import Verdict
from moderation.models.platforms import USUAL_SCOPES, Scope
from moderation.models.users import DECIDERS, Role
from moderation.operations.accounts.reasons import Wording
from moderation.operations.accounts.users import Profile

PENDING_HOURS = (
    ("", _("never")),
    ("4", _("for 4 hours")),
    ("24", _("for 1 day")),
    ("72", _("for 3 days")),
    ("336", _("for 14 days")),
)
KEY_LENGTHS = (("90", _("90 days")), ("365", _("1 year")), ("730", _("2 years")), ("", _("no end")))
MAX_GUIDELINE_LENGTH = 2_000


def sign_in_name() -> UsernameField:
    """Return a field for a name by Django's own rule: normalised, then checked."""
    return UsernameField(max_length=150, validators=[User.username_validator])


class PlatformForm(forms.Form):
    """A platform's name."""

    name = forms.CharField(max_length=200, strip=True)


class NewPlatformForm(PlatformForm):
    """A new platform."""

    slug = forms.SlugField(max_length=64)


class EndpointForm(forms.Form):
    """A webhook's URL."""

    url = forms.URLField(max_length=500, assume_scheme="https")

    def clean_url(self) -> str:
        """Refuse a URL without TLS in production: decisions are personal data."""
        url = str(self.cleaned_data["url"])
        if settings.IS_PRODUCTION and not url.startswith("https://"):
            raise ValidationError(_("In production, the address must start with https://."))
        return url


SCOPES = {
    Scope.POSTS_WRITE: _("send posts"),
    Scope.COMPLAINTS_WRITE: _("send complaints"),
    Scope.VERDICTS_READ: _("read posts with their scores, and decisions"),
    Scope.CASES_READ: _("read the cases waiting for review"),
    Scope.DECISIONS_WRITE: _("claim cases, decide them, undo decisions"),
    Scope.RULES_ADMIN: _(
        "ban, hold or allow domains, hosts, addresses and authors; "
        "ban or hold phrases, phone numbers, wallets, handles and pictures"
    ),
    Scope.LABELS_EXPORT: _("read labels, export them"),
    Scope.WEBHOOKS_ADMIN: _("register webhook endpoints, read the delivery log, resend deliveries"),
    Scope.MODELS_READ: _("read releases and training runs"),
    Scope.MODELS_ADMIN: _("train, propose, confirm and roll back releases"),
    Scope.AUDIT_READ: _("read the audit log"),
}
"""What each scope lets a key do, as the API guide says it."""


class KeyForm(forms.Form):
    """A new key: what it may do, at first what every platform needs, and until when."""

    name = forms.CharField(max_length=100, strip=True)
    scopes = forms.MultipleChoiceField(
        choices=[(scope.value, SCOPES[scope]) for scope in Scope],
        initial=USUAL_SCOPES,
    )
    days = forms.ChoiceField(choices=KEY_LENGTHS, required=False)


class AkismetForm(forms.Form):
    """What a key does in Akismet's calls."""

    pending_hours = forms.TypedChoiceField(
        choices=PENDING_HOURS, coerce=int, empty_value=None, required=False
    )
    decides_as = forms.ModelChoiceField(
        User.objects.filter(is_active=True, role__in=DECIDERS).order_by("username"), required=False
    )


class AliasForm(forms.Form):
    """The address of a site that gets an alias."""

    site = forms.URLField(max_length=250, assume_scheme="https")

    def clean_site(self) -> str:
        """Return the host name alone."""
        return urlsplit(str(self.cleaned_data["site"])).hostname or ""


class UserForm(forms.Form):
    """A user's name and role."""

    first_name = forms.CharField(max_length=150, required=False, strip=True)
    last_name = forms.CharField(max_length=150, required=False, strip=True)
    role = forms.ChoiceField(choices=Role.choices)

    def profile(self) -> Profile:
        """Return what was said. Call after `is_valid`."""
        return Profile(
            first_name=self.cleaned_data["first_name"],
            last_name=self.cleaned_data["last_name"],
            role=Role(self.cleaned_data["role"]),
        )


class NewUserForm(UserForm):
    """A new user."""

    username = sign_in_name()


class InvitationForm(forms.Form):
    """Whom to invite, with which role."""

    address = forms.EmailField(max_length=150)
    role = forms.ChoiceField(choices=Role.choices)


class ReasonForm(forms.Form):
    """A reason's labels and guidelines, its digit, and the signals that suggest it, one a line."""

    title = forms.CharField(max_length=60, strip=True)
    title_de = forms.CharField(max_length=60, required=False, strip=True)
    guideline = forms.CharField(max_length=MAX_GUIDELINE_LENGTH, required=False, strip=True)
    guideline_de = forms.CharField(max_length=MAX_GUIDELINE_LENGTH, required=False, strip=True)
    digit = forms.IntegerField(min_value=0, max_value=9)
    verdict = forms.ChoiceField(choices=Verdict.choices)
    needs_note = forms.BooleanField(required=False)
    is_active = forms.BooleanField(required=False)
    signals = forms.CharField(max_length=1000, required=False, strip=True)

    def clean_signals(self) -> str:
        """Refuse a signal that is too long for its column."""
        signals = str(self.cleaned_data["signals"])
        if any(len(line) > 60 for line in signals.split()):
            raise ValidationError(_("A signal can have at most 60 characters."))
        return signals

    def wording(self) -> Wording:
        """Return what was said. Call after `is_valid`."""
        return Wording(
            title=self.cleaned_data["title"],
            titles=self._said(de="title_de"),
            guidelines=self._said(en="guideline", de="guideline_de"),
            digit=self.cleaned_data["digit"],
            verdict=self.cleaned_data["verdict"],
            needs_note=self.cleaned_data["needs_note"],
            signals=tuple(self.cleaned_data["signals"].split()),
        )

    def _said(self, **fields: str) -> dict[str, str]:
        """Return the fields that were filled in, by language code."""
        texts = {language: self.cleaned_data[field] for language, field in fields.items()}
        return {language: words for language, words in texts.items() if words}


class NewReasonForm(ReasonForm):
    """A new reason; platforms get its code."""

    code = forms.SlugField(max_length=40)
