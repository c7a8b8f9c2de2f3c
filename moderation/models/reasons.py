"""Reasons that a moderator can give with a verdict."""

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import get_language

from moderation.models.decisions import Verdict


class Reason(models.Model):
    """Why a post was decided as it was: one digit on the review page, a code towards the platform.

    `title` is English, as platforms read it. `signals` say when the page suggests the reason:
    `complaint:scam` for complaints of that kind, otherwise the prefix of a feature's name, such as `context.`
    or `content.text`, if that contributes strongly to spam.
    """

    code = models.SlugField(max_length=40, unique=True)
    title = models.CharField(max_length=60)
    titles = models.JSONField(
        default=dict,
        db_default=models.Value({}, models.JSONField()),
        blank=True,
        help_text="By language code, besides English.",
    )
    guidelines = models.JSONField(
        default=dict,
        db_default=models.Value({}, models.JSONField()),
        blank=True,
        help_text="When the reason applies, by language code.",
    )
    digit = models.PositiveSmallIntegerField(validators=[MaxValueValidator(9)])
    verdict = models.CharField(max_length=8, choices=Verdict.choices)
    needs_note = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    signals = ArrayField(models.CharField(max_length=60), default=list, blank=True)

    class Meta:
        ordering = ("digit", "id")
        constraints = (
            models.UniqueConstraint(
                fields=("digit",), condition=Q(is_active=True), name="one_active_reason_per_digit"
            ),
            models.CheckConstraint(condition=Q(digit__lte=9), name="reason_digit_is_a_digit"),
        )

    def __str__(self) -> str:
        return self.title

    @property
    def shown_title(self) -> str:
        """The title in the reader's language, in English where nobody wrote one."""
        return str(self.titles.get(_language()) or self.title)

    @property
    def shown_guideline(self) -> str:
        """The guideline in the reader's language, else in English; "" where there is none."""
        return str(self.guidelines.get(_language()) or self.guidelines.get("en", ""))


def _language() -> str:
    return (get_language() or "en").partition("-")[0]
