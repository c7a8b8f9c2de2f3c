"""What follows a decision besides its verdict: the rules of a platform, and the action of each decision."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from moderation.models.decisions import Decision, Verdict
from moderation.models.person import optional_user
from moderation.models.platforms import Platform


class Action(models.TextChoices):
    """What a platform does about a post or its author, from mild to severe."""

    NOTHING = "nothing", _("do nothing more")
    NOTE = "note", _("leave a note")
    HIDE = "hide", _("hide the post")
    SENSITIVE = "sensitive", _("mark the post as sensitive")
    LIMIT = "limit", _("limit the account")
    REMOVE = "remove", _("remove the post")
    SUSPEND = "suspend", _("suspend the account")


class DecidedBy(models.TextChoices):
    """Whose decisions a rule is for."""

    ANY = "any", _("anybody")
    AUTOMATIC = "automatic", _("the filter")
    PERSON = "person", _("a person")


class ActionRule(models.Model):
    """Which action follows which decisions of a platform. The most specific rule counts: a reason comes
    before none, and who decided before anybody. An empty reason means all.
    """

    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="+", db_index=False)
    verdict = models.CharField(max_length=8, choices=Verdict.choices)
    reason = models.CharField(max_length=40, blank=True)
    decided_by = models.CharField(max_length=9, choices=DecidedBy.choices, default=DecidedBy.ANY)
    action = models.CharField(max_length=9, choices=Action.choices)
    days = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Until it ends; empty: never.")
    needs_second_name = models.BooleanField(default=False)

    class Meta:
        ordering = ("platform", "-verdict", "reason", "decided_by")
        constraints = (
            models.UniqueConstraint(
                fields=("platform", "verdict", "reason", "decided_by"), name="one_action_per_kind_of_decision"
            ),
        )

    @property
    def words(self) -> str:
        """The action and how long it holds, in the reader's language."""
        action = self.get_action_display()
        told = ngettext("%(action)s for %(days)d day", "%(action)s for %(days)d days", self.days or 0)
        return told % {"action": action, "days": self.days} if self.days else action


class ActionState(models.TextChoices):
    """Awaiting: a second person has to confirm it first."""

    IN_FORCE = "in_force", _("in force")
    AWAITING = "awaiting", _("awaits a second person")
    REFUSED = "refused", _("refused")
    ENDED = "ended", _("ended")


class DecisionAction(models.Model):
    """The action that a rule chose for a decision; carried out unless it awaits a second person.

    It ends with its decision: when that is undone, or when `undone_by`, a later decision on the post, says
    something else. The state stays as it was then, so that undoing the later decision restores it. `until`
    counts from when the decision takes effect, later from the confirmation.
    """

    decision = models.OneToOneField(
        Decision, primary_key=True, on_delete=models.CASCADE, related_name="action"
    )
    action = models.CharField(max_length=9, choices=Action.choices)
    until = models.DateTimeField(null=True, blank=True)
    state = models.CharField(max_length=8, choices=ActionState.choices)
    confirmed_by = optional_user(has_index=False, help_text="Who confirmed or refused it.")
    confirmed_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(
        Decision, null=True, blank=True, on_delete=models.SET_NULL, related_name="undoes"
    )

    class Meta:
        ordering = ("decision",)
        indexes = (
            models.Index(fields=("decision",), name="action_awaiting", condition=Q(state="awaiting")),
            models.Index(
                fields=("until",),
                name="action_to_end",
                condition=Q(state="in_force", undone_by__isnull=True, until__isnull=False),
            ),
        )

    @property
    def is_carried_out(self) -> bool:
        """Whether the platform is to do it, now that its decision stands."""
        return self.state == ActionState.IN_FORCE and self.action != Action.NOTHING
