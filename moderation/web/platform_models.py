"""What the live release learned from a platform's decisions, in words."""

from __future__ import annotations

from django.utils.translation import gettext as _

from moderation.models import Release
from moderation.queries.labels.label_balance import ENOUGH_FOR_ROUTES
from moderation.web.quantities import count, percent


def head(release: Release, platform: str) -> str:
    """Return whether the platform has a head of its own, and what it was fitted on."""
    about = (release.manifest.get("heads") or {}).get(platform)
    if not about:
        return _("default")
    fitted = about["fitted_on"].get(platform, {})
    told = _(
        "by the platform's own model on top of the shared one, trained on %(posts)s decisions, "
        "%(spam)s of them spam"
    )
    return told % {"posts": count(fitted.get("posts", 0)), "spam": count(fitted.get("spam", 0))}


def routes(release: Release, platform: str) -> str:
    """Return which curve and thresholds route the platform's posts, and what they were chosen on."""
    thresholds = release.thresholds_on(platform)
    if not {"review_from", "remove_from"} <= thresholds.keys():
        return ""
    numbers = {
        "review": percent(thresholds["review_from"]),
        "remove": percent(thresholds["remove_from"]),
        "enough": count(ENOUGH_FOR_ROUTES),
    }
    own = release.own_routes(platform)
    if own:
        numbers["random"] = count(own["chosen_on"]["random"])
        told = _(
            "review from %(review)s, removal from %(remove)s, based on %(random)s random labels of "
            "this platform"
        )
    else:
        told = _(
            "review from %(review)s, removal from %(remove)s (default); own thresholds from "
            "%(enough)s random labels on"
        )
    return told % numbers
