"""What came in and was decided, counted by the hour: the pages about days and months add these up."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from moderation.models.person import optional_user


class Measure(models.TextChoices):
    """What an hour is counted of. Every counted hour has a row of POSTS, also where nothing came."""

    POSTS = "posts", _("Posts received")
    CASES = "cases", _("New cases")
    PEOPLE_SPAM = "people_spam", _("Spam, by people")
    PEOPLE_FINE = "people_fine", _("Not spam, by people")
    FILTER_SPAM = "filter_spam", _("Removed by the filter")
    FILTER_FINE = "filter_fine", _("Let through by the filter")
    FAILED_CALLS = "failed_calls", _("Failed webhook calls")


class HourlyCount(models.Model):
    """How often something happened in one hour (UTC); decisions of people have a row per person."""

    hour = models.DateTimeField()
    measure = models.CharField(max_length=12, choices=Measure.choices)
    user = optional_user(has_index=False)
    number = models.PositiveIntegerField()
    counted_at = models.DateTimeField()

    class Meta:
        ordering = ("hour", "measure", "user_id")
        constraints = (
            models.UniqueConstraint(
                fields=("hour", "measure", "user"), name="counted_once_per_hour", nulls_distinct=False
            ),
        )
