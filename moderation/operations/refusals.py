"""Refusals that several subjects share."""

from django.utils.translation import gettext as _

from moderation.models import Decision, User

CONFIRMED_FROM = 26
"""From this many cases or posts on, users confirm by typing their number."""


class Erased(Exception):
    """The subject of the request was erased; requests about it are refused."""


class Refusal(Exception):
    """Base class: a moderator's request was refused; the subclass says why."""


class AlreadyClaimed(Refusal):
    """Another moderator holds a live claim; `holder` says who."""

    def __init__(self, holder: User) -> None:
        super().__init__(_("%(holder)s is reviewing this case.") % {"holder": holder})
        self.holder = holder


class AlreadyDecided(Refusal):
    """The case was decided before; `decision` is the one that won."""

    def __init__(self, decision: Decision) -> None:
        super().__init__("This case was decided before.")
        self.decision = decision


class CaseClosed(Refusal):
    """The case no longer waits for a human."""


class ClaimLost(Refusal):
    """The lease ran out or the case was never claimed: claim it again first."""


class PostChanged(Refusal):
    """The post was edited after the case was shown: look at the new text first."""


class OutOfRange(Refusal):
    """A number is beyond its limits."""


class AlreadyActive(Refusal):
    """The rule or policy was activated before."""


class NotInForce(Refusal):
    """The rule or policy was ended before, or has expired."""


class SecondPersonNeeded(Refusal):
    """It reaches so far that somebody else than its author has to activate it."""


class NoEnd(Exception):
    """The rule or policy would last longer than one of its effect may."""


class NotConfirmed(Refusal):
    """A large number must be confirmed by typing it."""


class NotAllowed(Refusal):
    """The role does not permit this."""


class PlatformDeleted(NotAllowed):
    """The platform was deleted: it stays off and gets no keys."""

    def __init__(self) -> None:
        super().__init__(_("This platform was deleted."))
