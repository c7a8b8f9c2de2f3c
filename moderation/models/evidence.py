"""What links and media of posts lead to, fetched once for all posts that carry them."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from moderation.models.posts import Revision
from moderation.models.similarity import PictureGroup


class EvidenceKind(models.TextChoices):
    """What an address is expected to be; what came may be another kind."""

    PAGE = "page", _("page")
    PICTURE = "picture", _("picture")
    BROWSER = "browser", _("page as a browser is shown it")


class EvidenceState(models.TextChoices):
    """How far the fetching of an address is, and how it ended. The row is the source of truth."""

    WAITING = "waiting", _("waiting to be fetched")
    FETCHING = "fetching", _("being fetched")
    FETCHED = "fetched", _("fetched")
    REFUSED = "refused", _("not fetched: the address leads where nothing is fetched from")
    DISALLOWED = "disallowed", _("not fetched: the site's robots.txt forbids it")
    UNREACHABLE = "unreachable", _("the site could not be reached")
    TIMED_OUT = "timed_out", _("the site took too long")
    TOO_MANY_REDIRECTS = "too_many_redirects", _("redirected too often")
    NO_PAGE = "no_page", _("the site answered with an error")
    TOO_LARGE = "too_large", _("too large to be read whole")
    WRONG_KIND = "wrong_kind", _("a file of a kind that is not read")
    NOT_INSTALLED = "not_installed", _("nothing is installed that reads this kind")
    BROKEN = "broken", _("could not be read")
    LOST = "lost", _("given up: reading it failed again and again")


OPEN = (EvidenceState.WAITING, EvidenceState.FETCHING)
"""States in which something is still to come."""


class EvidenceRole(models.TextChoices):
    """How a post names an address."""

    LINK = "link", _("link")
    MEDIA = "media", _("media")
    PREVIEW = "preview", _("preview picture of a page")
    CODE = "code", _("code in a picture")
    BROWSER = "browser", _("link, opened as a browser")


class EvidenceRequest(models.Model):
    """A revision whose evidence is to be collected; written with its score, so that no lost message loses it.

    At most one for each revision. `opened_at` is when its addresses were written down.
    """

    revision = models.OneToOneField(Revision, on_delete=models.CASCADE, related_name="evidence_request")
    enqueued_at = models.DateTimeField()
    since = models.DateTimeField(help_text="Since when it waits, however often it was enqueued.")
    opened_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("id",)
        indexes = (
            models.Index(
                fields=("enqueued_at",), name="evidence_unopened", condition=Q(opened_at__isnull=True)
            ),
        )


class Evidence(models.Model):
    """An address that was, or will be, fetched once in an hour, for every post that carries it then.

    Once more where it is asked for as a browser (`kind`): a row of its own, with a digest of its own.
    `chain` lists the addresses in order, each with `url` and `status` (null where no answer came), the asked
    one first. `facts` are those of moderation/evidence/facts.py, null if nothing was read.
    """

    url = models.TextField()
    url_digest = models.CharField(max_length=64)
    hour = models.DateTimeField(help_text="The hour, from its beginning, that this fetch stands for.")
    site = models.CharField(max_length=255, help_text="Registrable domain, or host without one.")
    kind = models.CharField(max_length=8, choices=EvidenceKind.choices)
    state = models.CharField(max_length=20, choices=EvidenceState.choices, default=EvidenceState.WAITING)
    enqueued_at = models.DateTimeField()
    since = models.DateTimeField(help_text="Since when it waits, however often it was enqueued.")
    due_at = models.DateTimeField(help_text="Not fetched before: a site is not asked too often.")
    started_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    fetched_at = models.DateTimeField(null=True, blank=True)
    detail = models.CharField(max_length=300, blank=True, help_text="Why it ended so, for operators.")
    chain = models.JSONField(default=list)
    final_url = models.TextField(blank=True)
    final_host = models.CharField(max_length=255, blank=True)
    final_domain = models.CharField(max_length=255, blank=True)
    content_type = models.CharField(max_length=100, blank=True)
    bytes_read = models.PositiveIntegerField(default=0)
    facts = models.JSONField(null=True)
    thumbnail = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="Digest of the kept file, empty if none is kept.",
    )
    picture_group = models.ForeignKey(
        # Without a constraint: adding one would lock the table, and a group that is gone is no group.
        PictureGroup,
        null=True,
        blank=True,
        on_delete=models.DO_NOTHING,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("url_digest", "hour"), name="evidence_once_an_hour"),
            models.CheckConstraint(
                condition=Q(state__in=OPEN) | Q(fetched_at__isnull=False), name="evidence_ended_at"
            ),
        )
        indexes = (
            models.Index(fields=("due_at", "id"), name="evidence_open", condition=Q(state__in=OPEN)),
            models.Index(fields=("site", "started_at"), name="evidence_of_site"),
            models.Index(fields=("thumbnail",), name="evidence_by_thumbnail", condition=~Q(thumbnail="")),
        )


class UnkeptFile(models.Model):
    """A thumbnail that the store could not take yet; rows name it already, and pages show it from here."""

    digest = models.CharField(primary_key=True, max_length=64)
    data = models.BinaryField()
    since = models.DateTimeField()

    class Meta:
        ordering = ("since", "digest")
        indexes = (models.Index(fields=("since", "digest"), name="unkept_by_age"),)


class SentPicture(models.Model):
    """A picture that came with posts, until it was read; `name` stands for it among their `media_urls`."""

    name = models.CharField(primary_key=True, max_length=80)
    data = models.BinaryField()
    sent_at = models.DateTimeField()

    class Meta:
        ordering = ("sent_at", "name")
        indexes = (models.Index(fields=("sent_at", "name"), name="sent_pictures_by_age"),)


class RevisionEvidence(models.Model):
    """An address that a revision carries, in the post's order: a row for each hour of asking."""

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="evidence", db_index=False)
    evidence = models.ForeignKey(Evidence, on_delete=models.CASCADE, related_name="revisions")
    role = models.CharField(max_length=8, choices=EvidenceRole.choices)
    position = models.PositiveSmallIntegerField()
    is_changed = models.BooleanField(
        null=True, help_text="Whether it shows another page than when it was fetched for the revision before."
    )

    class Meta:
        ordering = ("revision_id", "position", "id")
        constraints = (
            models.UniqueConstraint(fields=("revision", "evidence"), name="evidence_once_per_revision"),
        )
