"""Active reasons for decisions."""

from moderation.models import Reason
from moderation.models.decisions import Verdict


def reasons() -> list[Reason]:
    """Return the active reasons in the order of their digits, 0 last."""
    active = list(Reason.objects.filter(is_active=True).order_by("digit"))
    return sorted(active, key=lambda reason: reason.digit or 10)


def ever() -> list[Reason]:
    """Return every reason, those out of use last."""
    return list(Reason.objects.order_by("-is_active", "digit", "id"))


def reason(code: str) -> Reason | None:
    """Return the active reason with this code, None if there is none."""
    return Reason.objects.filter(code=code, is_active=True).first()


def for_spam() -> list[Reason]:
    """Return the active reasons of spam, in the order of their digits."""
    return [reason for reason in reasons() if reason.verdict == Verdict.SPAM]


def title_of(code: str) -> str:
    """Return how a reason is called, also one out of use; the code if there is none."""
    row = Reason.objects.filter(code=code).first()
    return row.shown_title if row else code
