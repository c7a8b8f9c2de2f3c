"""Platforms, the customers that send posts, and their API keys."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from moderation.models.person import optional_user


class Reconsidering(models.TextChoices):
    """How to reconsider posts that the filter allowed before similar ones were decided to be spam."""

    QUEUE = "queue", _("sent to review")
    DECIDE = "decide", _("decided like the others")
    NOTHING = "nothing", _("left unchanged")


class Collecting(models.TextChoices):
    """Of which posts evidence is collected: what their links and media lead to."""

    OFF = "off", _("no posts")
    UNSURE = "unsure", _("posts that go to review")
    ON = "on", _("all posts")


class Removal(models.TextChoices):
    """When the filter alone removes posts."""

    PROVEN = "proven", _("when proven")
    ALWAYS = "always", _("always")
    NEVER = "never", _("never")


class Platform(models.Model):
    """A social network that sends its posts here.

    Without a webhook endpoint it reads decisions by polling.
    """

    slug = models.SlugField(max_length=64, unique=True)
    name = models.CharField(max_length=200)
    ignores_unknown_fields = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Drop fields that we do not know, instead of refusing them.",
    )
    text_retention_days = models.PositiveIntegerField(
        null=True, blank=True, help_text="Erase what posts said after so many days; empty keeps it."
    )
    audit_first_share = models.FloatField(
        null=True,
        blank=True,
        help_text="Share of automatic verdicts that people check while few random labels stand; empty takes "
        "the installation's.",
    )
    audit_cases_per_day = models.PositiveIntegerField(
        default=200, db_default=200, help_text="How many cases a day these checks may make."
    )
    reconsiders = models.CharField(
        max_length=8,
        choices=Reconsidering.choices,
        default=Reconsidering.QUEUE,
        db_default=Reconsidering.QUEUE,
        help_text="What becomes of posts that were allowed before their like was decided to be spam.",
    )
    shares_histories = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Histories of addresses, domains and near-duplicates count posts of other platforms that "
        "share theirs, too.",
    )
    collects_evidence = models.CharField(
        max_length=8,
        choices=Collecting.choices,
        default=Collecting.OFF,
        db_default=Collecting.OFF,
        help_text="Of which posts the pages behind their links are fetched.",
    )
    browses_evidence = models.CharField(
        max_length=8,
        choices=Collecting.choices,
        default=Collecting.OFF,
        db_default=Collecting.OFF,
        help_text="Of which of these posts they are fetched once more, as a browser.",
    )
    removal = models.CharField(
        max_length=8,
        choices=Removal.choices,
        default=Removal.PROVEN,
        db_default=Removal.PROVEN,
        help_text="When the filter alone removes posts; otherwise a person decides each.",
    )
    reviews_reports = models.BooleanField(
        default=False, db_default=False, help_text="A person decides every reported post."
    )
    removal_proven_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Since when removals have proven right; empty: not yet.",
    )
    removal_since = models.DateTimeField(
        null=True, blank=True, help_text="When the labels that count begin; empty for all."
    )
    removal_right = models.PositiveIntegerField(default=0, db_default=0)
    removal_wrong = models.PositiveIntegerField(default=0, db_default=0)
    created_at = models.DateTimeField()
    off_at = models.DateTimeField(
        null=True, blank=True, help_text="Since when nothing is taken in, shown or sent; empty: it is on."
    )

    class Meta:
        ordering = ("slug",)
        constraints = (
            models.CheckConstraint(
                condition=Q(audit_first_share__isnull=True)
                | Q(audit_first_share__gte=0.0, audit_first_share__lte=1.0),
                name="audit_share_in_range",
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def is_removing(self) -> bool:
        """Whether the filter alone removes posts; bans do in any case."""
        if self.removal == Removal.PROVEN:
            return self.removal_proven_at is not None
        return self.removal == Removal.ALWAYS

    @property
    def is_deleted(self) -> bool:
        """Whether its deletion was confirmed, though words of it may still be left to erase."""
        deletion = getattr(self, "deletion", None)
        return deletion is not None and deletion.confirmed_at is not None


class PlatformDeletion(models.Model):
    """That all words of a platform be erased: proposed by one person, confirmed by another, then carried out.

    A platform that the journal of erasures deletes again has no such persons. All is erased at `erased_at`.
    """

    platform = models.OneToOneField(
        Platform, on_delete=models.CASCADE, related_name="deletion", primary_key=True
    )
    proposed_by = optional_user()
    proposed_at = models.DateTimeField()
    confirmed_by = optional_user()
    confirmed_at = models.DateTimeField(null=True, blank=True)
    erased_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(confirmed_by__isnull=True) | ~Q(confirmed_by=F("proposed_by")),
                name="deletion_has_two_names",
            ),
        )


def optional_platform(
    *, related_name: str = "+", has_index: bool = True, help_text: str = ""
) -> models.ForeignKey[Platform | None, Platform | None]:
    """Return a key to the platform that a row is about, empty for all."""
    return models.ForeignKey(
        Platform,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name=related_name,
        db_index=has_index,
        help_text=help_text,
    )


class Scope(models.TextChoices):
    """What a key may do at the platform API."""

    POSTS_WRITE = "posts:write"
    COMPLAINTS_WRITE = "complaints:write"
    VERDICTS_READ = "verdicts:read"
    CASES_READ = "cases:read"
    DECISIONS_WRITE = "decisions:write"
    RULES_ADMIN = "rules:admin"
    LABELS_EXPORT = "labels:export"
    WEBHOOKS_ADMIN = "webhooks:admin"
    MODELS_READ = "models:read"
    MODELS_ADMIN = "models:admin"
    AUDIT_READ = "audit:read"


USUAL_SCOPES = (Scope.POSTS_WRITE, Scope.COMPLAINTS_WRITE, Scope.VERDICTS_READ, Scope.WEBHOOKS_ADMIN)
"""What every platform needs: a new key has these, unless somebody says otherwise."""


class ApiKey(models.Model):
    """A platform's key. Only a digest of the secret is kept; the prefix finds the row."""

    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=24, unique=True)
    digest = models.CharField(max_length=64)
    scopes = ArrayField(models.CharField(max_length=32, choices=Scope.choices))
    acts_as = optional_user(
        related_name="api_keys",
        help_text="The person in whose name the key decides; without one it cannot.",
    )
    posts_per_minute = models.PositiveIntegerField(
        null=True, blank=True, help_text="How many posts the key may send; empty takes the installation's."
    )
    pending_hours = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="How long Akismet's check answers pending while nothing is decided; empty: never.",
    )
    submissions_decide = models.BooleanField(
        default=False,
        db_default=False,
        help_text="What a site's moderators submit by Akismet's calls is decided, in the name of acts_as.",
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("platform_id", "prefix")

    @property
    def serves_akismet(self) -> bool:
        """Whether the key has the scopes of Akismet's calls."""
        return {Scope.POSTS_WRITE, Scope.COMPLAINTS_WRITE, Scope.VERDICTS_READ} <= set(self.scopes)


class AkismetAlias(models.Model):
    """Twelve hexadecimal digits that stand for a key in Akismet's calls of one site.

    Some plugins take no other key. They are only 48 bits, so the digest is made with the secret key.
    """

    key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="akismet_aliases")
    digest = models.CharField(max_length=64, unique=True)
    site = models.CharField(max_length=253, help_text="The host name of the site, in small letters.")
    created_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("key_id", "id")
