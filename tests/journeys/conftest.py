"""Journeys go through HTTP alone; where scoring is not the subject, a stand-in scores."""

from django.utils import timezone

from moderation.models import Platform, User
from moderation.models.platforms import Scope
from moderation.models.users import Role
from moderation.operations.accounts import api_keys


def new_key(slug: str, *, acts_as_lead: bool = False, **given: str) -> str:
    """Make a platform; return a key of it that may do everything."""
    at = timezone.now()
    platform = Platform.objects.create(slug=slug, name=slug.title(), created_at=at, **given)
    lead = User.objects.create_user("lead", role=Role.LEAD) if acts_as_lead else None
    return api_keys.issue(
        platform=platform, name="k", scopes=Scope.values, expires_at=None, acts_as=lead, at=at
    )[1]
