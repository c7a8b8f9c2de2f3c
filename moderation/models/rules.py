"""Rules about links, senders, what texts name and pictures, which override the models until a date."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from moderation.models.domains import Domain
from moderation.models.person import optional_user
from moderation.models.posts import ERASED_NAME, Author


class RuleEffect(models.TextChoices):
    """The effect of a rule on matching posts: see scoring.blocklist.Effect."""

    BAN = "ban", _("ban")
    HOLD = "hold", _("hold")
    ALLOW = "allow", _("allow")


class RuleKind(models.TextChoices):
    """The target of a rule: a link's domain or host, the sender's address, the author, what a text names, or
    pictures.

    From TEXT to LOOKALIKE they are those of scoring.identifiers.
    """

    DOMAIN = "domain", _("domain")
    HOST = "host", _("host")
    ADDRESS = "address", _("address")
    AUTHOR = "author", _("author")
    TEXT = "text", _("phrase")
    PHONE = "phone", _("phone number")
    WALLET = "wallet", _("wallet")
    HANDLE = "handle", _("handle")
    LOOKALIKE = "lookalike", _("look-alikes of a domain")
    PICTURE = "picture", _("picture")
    PICTURES = "pictures", _("list of pictures")


IDENTIFIERS = (
    RuleKind.TEXT.value,
    RuleKind.PHONE.value,
    RuleKind.WALLET.value,
    RuleKind.HANDLE.value,
    RuleKind.LOOKALIKE.value,
)
"""Kinds that are read from a post's text and links; such rules only ban or hold."""

PICTURES = (RuleKind.PICTURE.value, RuleKind.PICTURES.value)
"""Kinds that list hashes of pictures; such rules, too, only ban or hold."""

WORDS = (*(kind for kind in IDENTIFIERS if kind != RuleKind.LOOKALIKE.value), RuleKind.PICTURE.value)
"""Kinds whose values may name or show a person: they are in no log that cannot be erased."""


class Rule(models.Model):
    """A rule about a domain, a host with those below it, an address or range of addresses, an author, what a
    text names, or pictures.

    `value` is the canonical name: `evil.example`, `pay.evil.example`, `203.0.113.7`, `203.0.113.0/24`,
    `+18885550162`, `telegram/@name`, `check out my channel`, a PDQ hash, the name of a list; for an author
    our id, since it is in the audit log, which cannot be erased. What a text names is found by `anchor`. A
    rule is a draft until it is activated, and only a ban may do without an end.
    """

    effect = models.CharField(
        max_length=8, choices=RuleEffect.choices, default=RuleEffect.BAN, db_default=RuleEffect.BAN
    )
    kind = models.CharField(max_length=16, choices=RuleKind.choices, default=RuleKind.DOMAIN)
    value = models.CharField(max_length=255)
    anchor = models.CharField(max_length=255, blank=True, default="", db_default="")
    domain = models.ForeignKey(Domain, null=True, blank=True, on_delete=models.CASCADE, related_name="rules")
    author = models.ForeignKey(Author, null=True, blank=True, on_delete=models.CASCADE, related_name="rules")
    first_address = models.GenericIPAddressField(null=True, blank=True)
    last_address = models.GenericIPAddressField(null=True, blank=True)
    reason = models.CharField(max_length=500)
    imposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    imposed_at = models.DateTimeField()
    activated_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    lifted_by = optional_user()
    lifted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-imposed_at", "-id")
        constraints = (
            models.UniqueConstraint(
                fields=("kind", "value"),
                condition=Q(activated_at__isnull=False, lifted_at__isnull=True),
                name="one_live_rule_per_value",
            ),
            models.CheckConstraint(
                condition=Q(kind="address", first_address__isnull=False, last_address__isnull=False)
                | Q(kind__in=("domain", "host"), domain__isnull=False)
                | Q(kind="author", author__isnull=False)
                | Q(kind__in=(*IDENTIFIERS, *PICTURES)),
                name="rule_names_its_target",
            ),
            models.CheckConstraint(
                condition=Q(effect="ban") | Q(expires_at__isnull=False), name="rule_ends_but_for_bans"
            ),
        )
        indexes = (
            models.Index(
                fields=("first_address", "last_address"),
                name="rule_by_address",
                condition=Q(kind="address", lifted_at__isnull=True),
            ),
            models.Index(
                fields=("kind", "anchor"),
                name="rule_by_anchor",
                condition=Q(kind__in=IDENTIFIERS, lifted_at__isnull=True),
            ),
        )

    @property
    def label(self) -> str:
        """The display text: the value, or an author's name on the platform."""
        return author_label(self.author) if self.author else self.value or str(ERASED_NAME)

    @property
    def is_draft(self) -> bool:
        """True until somebody activates it."""
        return self.activated_at is None


def author_label(author: Author) -> str:
    """Return how an author stands in a list of rules, `platform/id`."""
    return f"{author.platform.slug}/{author.external_id or ERASED_NAME}"
