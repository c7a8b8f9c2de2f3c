"""The pages of the desk by name, each with something on it. Import with Django set up."""

from __future__ import annotations

import sys

from moderation.models import (
    Campaign,
    Case,
    Decision,
    Platform,
    Post,
    PostLink,
    Revision,
    Score,
    WebhookEndpoint,
)
from moderation.models.cases import CaseState
from moderation.models.webhooks import EndpointState

SIGN_IN = "/sign-in/"
NOWHERE = "/nowhere/"
_FEATURE = "social.friends"
_LISTS = [
    "today",
    "queue",
    "queues",
    "mentions",
    "posts",
    "authors",
    "domains",
    "campaigns",
    "decisions",
    "appeals",
    "second-reviews",
    "golden-items",
    "rules",
    "policies",
    "audit",
    "labels",
    "quality",
    "thresholds",
    "models",
    "exports",
    "health",
    "try-out",
    "guidelines",
    "platforms",
    "users",
    "reasons",
]


def addresses() -> dict[str, str]:
    """Return the addresses: sign-in first, then lists, then one page of each kind.

    Exits if too little is here.
    """
    case = (
        Case.objects.filter(state=CaseState.OPEN, is_escalated=False)
        .select_related("post")
        .order_by("-priority", "id")
        .first()
    )
    campaign = Campaign.objects.filter(merged_into__isnull=True).order_by("-posts", "id").first()
    link = PostLink.objects.order_by("-id").select_related("domain", "revision__post").first()
    platform = Platform.objects.order_by("id").first()
    if not (case and campaign and link and platform):
        sys.exit("Too little is here to look at: send posts first (make demo-data).")
    domain = link.domain.name
    return {
        "sign-in": SIGN_IN,
        **{name: f"/{name}/" for name in _LISTS},
        "drift": "/quality/drift/",
        "errors of the models": "/models/errors/",
        "posts by feature": f"/models/features/?feature={_FEATURE}&compared=at_least&value=0",
        "nothing found": "/posts/?q=nothinglikethis",
        "today, a month": "/today/?span=month",
        "a page that is not there": NOWHERE,
        "account": "/account/",
        "preferences": "/account/preferences/",
        "pace": "/account/pace/",
        "review": f"/review/{case.pk}/",
        "campaign": f"/campaigns/{campaign.pk}/",
        "author": f"/authors/{case.post.author_id}/",
        "domain": f"/domains/{domain}/",
        "post": f"/posts/{_judged()}/",
        "dry run of a ban": f"/rules/new/?kind=domain&value={domain}",
        "platform": f"/platforms/{platform.pk}/",
        **_others(case),
    }


def _judged() -> int:
    """Return the post with most to show: decided by a person, else scored."""
    decided = Decision.objects.filter(decided_by__isnull=False).order_by("-id").values_list("post", flat=True)
    scored = Score.objects.order_by("-id").values_list("revision__post", flat=True)
    return next(iter(decided[:1]), None) or next(iter(scored[:1]), None) or Post.objects.latest("id").pk


def _others(case: Case) -> dict[str, str]:
    """Return pages that not every installation has."""
    found = {"beside a case": f"/review/{case.pk}/beside/author/"}
    ip = Revision.objects.filter(ip__isnull=False).order_by("-id").values_list("ip", flat=True).first()
    if ip:
        found["address"] = f"/addresses/{ip}/"
    decision = (
        Decision.objects.filter(decided_by__isnull=False, reversal__isnull=True).order_by("-id").first()
    )
    if decision:
        found["correction"] = f"/decisions/{decision.pk}/correct/"
    endpoint = WebhookEndpoint.objects.exclude(state=EndpointState.REMOVED).order_by("id").first()
    if endpoint:
        found["deliveries"] = f"/endpoints/{endpoint.pk}/deliveries/"
    return found
