"""Authors and domains for a platform, from its own posts alone."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import F

from moderation.models import Author, Platform, Revision, Rule
from moderation.models.rules import RuleKind
from moderation.queries import outcome_counts
from moderation.queries.entities import timeline
from moderation.queries.entities.timeline import Timeline
from moderation.queries.outcome_counts import Figures
from moderation.queries.rules import rule_pages, targets


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnDomain:
    """A domain in a platform's posts, and the rule that is in force on it."""

    name: str
    figures: Figures
    rule: Rule | None


def of_author(*, platform: Platform, external_id: str) -> Timeline:
    """Return the timeline of an author. Raises Author.DoesNotExist."""
    author = Author.objects.get(platform=platform, external_id=external_id)
    return timeline.of(
        Revision.objects.filter(post__author=author, number=F("post__latest_revision")), hides_blind=False
    )


def of_domain(*, platform: Platform, value: str, at: datetime) -> OwnDomain:
    """Count a platform's posts that link to a domain; a host counts as its domain.

    Raises targets.NotATarget.
    """
    target = targets.target(kind=RuleKind.DOMAIN, value=value)
    live = Rule.objects.filter(rule_pages.live(at=at), kind=RuleKind.DOMAIN, value=target.value)
    return OwnDomain(
        name=target.value,
        figures=outcome_counts.of(targets.reached(target).filter(post__platform=platform), at=at),
        rule=live.first(),
    )
