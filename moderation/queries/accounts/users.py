"""Users of the desk."""

from datetime import datetime, timedelta

from allauth.mfa.models import Authenticator
from django.db.models import Count, Exists, OuterRef, Q

from moderation.models import AuditEntry, User
from moderation.models.cases import CaseState
from moderation.models.users import DECIDERS

_UNNOTICED = timedelta(days=7)
"""How long a colleague may not notice that a password was reset. Longer would keep teams of two, of whom one
made the other's account, from confirming anything.
"""


def listed_users(*, at: datetime) -> list[User]:
    """Return all users with `claimed`, the number of their claimed cases, `signed_in`, that of their
    sessions, and `has_second_factor`: active users first, by name.
    """
    claimed = Count("claims", filter=Q(claims__state=CaseState.OPEN), distinct=True)
    signed_in = Count("sessions", filter=Q(sessions__session__expire_date__gt=at), distinct=True)
    factors = Exists(Authenticator.objects.filter(user=OuterRef("pk")))
    users = User.objects.annotate(claimed=claimed, signed_in=signed_in, has_second_factor=factors)
    return list(users.order_by("-is_active", "username"))


def deciders() -> list[User]:
    """Return those who can sign in and decide cases, by name."""
    return list(User.objects.filter(is_active=True, role__in=DECIDERS).order_by("username"))


def by_name() -> list[User]:
    """Return everybody, those who left last, in the order of the names that are shown."""
    users = User.objects.order_by("pk")
    return sorted(
        users, key=lambda user: (not user.is_active, (user.get_full_name() or user.username).casefold())
    )


def has_second_factor(user: User) -> bool:
    """Return whether the user signs in with more than a password; recovery codes come with another factor."""
    return bool(Authenticator.objects.filter(user=user).exists())


def is_in_hands_of(person_id: int | None, *, account: User, since: datetime) -> bool:
    """Return whether an account is the person's own, or its password went through their hands since then,
    or shortly before.

    Also through those of an account that did: nobody is to confirm what they proposed under a second name.
    """
    hands = {person_id}
    for actor_id, subject_id in _handed(since):
        if actor_id in hands:
            hands.add(subject_id)
    return account.pk in hands


def may_be_one_person(one: User, other: User, *, since: datetime) -> bool:
    """Return whether somebody may have both passwords: also who made or reset the two. For what is final."""
    hands: dict[int, set[int]] = {}
    for pair in _handed(since):
        together = set(pair).union(*(hands.get(pk, ()) for pk in pair))
        hands |= dict.fromkeys(together, together)
    return one == other or other.pk in hands.get(one.pk, ())


def _handed(since: datetime) -> list[tuple[int, int]]:
    """Return who was shown the password of whose account since then or shortly before, in order."""
    acts = ("user.created", "user.invited", "user.password_reset")
    rows = AuditEntry.objects.filter(action__in=acts, at__gte=since - _UNNOTICED, actor__isnull=False)
    pairs = rows.order_by("id").values_list("actor_id", "subject_id")
    return [(actor_id or 0, int(subject_id)) for actor_id, subject_id in pairs]
