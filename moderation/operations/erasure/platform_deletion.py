"""Delete a platform that is off: one administrator proposes it, another confirms, its words go in batches.

Verdicts, labels and counts stay without words, as after every erasure, and so does the platform's name.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from moderation.models import ApiKey, Author, Erasure, Platform, PlatformDeletion, Post, User
from moderation.models.erasures import ErasureCause, ErasureKind, name_digest
from moderation.models.webhooks import EndpointState
from moderation.operations.audit import entries
from moderation.operations.erasure import erase
from moderation.operations.refusals import NotAllowed, SecondPersonNeeded
from moderation.operations.webhooks import endpoints
from moderation.queries.accounts.users import may_be_one_person

_audit = entries.writer("platform")
_LATE = timedelta(days=1)
"""For how long what was on its way, as a connector's answers, may still come in."""


def propose(*, platform_id: int, actor: User, at: datetime) -> None:
    """Propose to delete a platform; a second time changes nothing. Raises NotAllowed while it is on."""
    with transaction.atomic():
        platform = Platform.objects.select_for_update().get(pk=platform_id)
        if platform.off_at is None:
            raise NotAllowed(_("Switch the platform off first."))
        proposed = {"proposed_by": actor, "proposed_at": at}
        if PlatformDeletion.objects.get_or_create(platform=platform, defaults=proposed)[1]:
            _audit("platform.deletion_proposed", platform, actor=actor, at=at)


def confirm(*, platform_id: int, actor: User, at: datetime) -> None:
    """Delete a platform, as the second person.

    Raises SecondPersonNeeded, or PlatformDeletion.DoesNotExist where nothing waits to be confirmed.
    """
    with transaction.atomic():
        platform = Platform.objects.select_for_update().get(pk=platform_id)
        found = PlatformDeletion.objects.get(platform=platform, confirmed_at=None)
        if not found.proposed_by or may_be_one_person(found.proposed_by, actor, since=found.proposed_at):
            raise SecondPersonNeeded(
                _("A second person has to confirm it, whose password was not in the same hands lately.")
            )
        PlatformDeletion.objects.filter(pk=found.pk).update(confirmed_by=actor)
        _audit("platform.deletion_confirmed", platform, actor=actor, at=at)
        begin(platform, actor=actor, at=at)


def begin(platform: Platform, *, actor: User | None, at: datetime) -> None:
    """Forget keys, endpoints and connections of a platform, and let `sweep` erase its posts and authors."""
    defaults = {"proposed_at": at}
    deletion, _is_new = PlatformDeletion.objects.get_or_create(platform=platform, defaults=defaults)
    PlatformDeletion.objects.filter(pk=deletion.pk).update(confirmed_at=at)
    Platform.objects.filter(pk=platform.pk, off_at=None).update(off_at=at)  # of a restored database
    ApiKey.objects.filter(platform=platform, revoked_at=None).update(revoked_at=at)
    for endpoint in platform.webhook_endpoints.exclude(state=EndpointState.REMOVED):
        endpoints.remove(endpoint_id=endpoint.pk, actor=actor, at=at)
    import_string(settings.INTEGRATION_FORGET)(post_ids=[], platform_id=platform.pk)
    Erasure.objects.create(
        platform=platform,
        kind=ErasureKind.PLATFORM,
        subject_id=platform.pk,
        name_digest=name_digest(platform=platform, external_id=platform.slug),
        cause=ErasureCause.REQUEST,
        erased_at=at,
    )


def sweep(*, at: datetime) -> int:
    """Go on erasing the platforms that were deleted; return how many posts and authors were erased."""
    is_open = Q(erased_at=None) | Q(erased_at__gt=at - _LATE)
    rows = PlatformDeletion.objects.filter(is_open, confirmed_at__isnull=False)
    return sum(_erase(row.platform, at=at) for row in rows.select_related("platform").order_by("pk"))


def _erase(platform: Platform, *, at: datetime) -> int:
    count = erase.posts_of(platform, among=Post.objects.all(), cause=ErasureCause.DELETION, at=at)
    if count == erase.MOST:
        return count
    rows = Author.objects.filter(platform=platform, erased_at=None).order_by("pk")
    authors = list(rows.values_list("pk", flat=True)[: erase.CHUNK])
    for author_id in authors:
        with transaction.atomic():
            erase.wipe_author(Author.objects.select_for_update().get(pk=author_id), at=at)
    if len(authors) < erase.CHUNK:
        with transaction.atomic():
            if PlatformDeletion.objects.filter(platform=platform, erased_at=None).update(erased_at=at):
                _audit("platform.deleted", platform, actor=None, at=at)
    return count + len(authors)
