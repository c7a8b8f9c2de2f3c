"""The health page: state of the parts, and backlogs. Probes for machines are in config/health.py."""

from datetime import datetime

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from moderation.operations.infrastructure import probe
from moderation.operations.infrastructure.probe import Answer, Part
from moderation.queries.cases import backlog
from moderation.queries.health import health, processes
from moderation.web import access, quantities
from moderation.web.entities.entity import HEIGHT, Bar
from moderation.web.labels import label_warnings

_NAMES_AND_MEANINGS = {
    Part.DATABASE: ("PostgreSQL", _("the product does not work")),
    Part.BROKER: (_("Broker"), _("scoring and deliveries wait; nothing is lost")),
    Part.RELEASE: (_("Release"), _("posts wait to be scored; nothing is lost")),
    Part.TRITON: ("Triton", _("posts are scored without their text and sent to review")),
    Part.STATE: (_("State folder"), _("exports and the journal of erasures wait; nothing is lost")),
    Part.STORE: (_("Store of pictures"), _("new pictures wait in the database; nothing is lost")),
}

_SWEEPS = {
    "sweep_scoring": _("Re-score posts whose score was lost"),
    "explain_ahead": _("Explain upcoming cases"),
    "seal_audit": _("Seal the audit log"),
    "seal_late_audit": _("Seal late entries of the audit log"),
    "count_hours": _("Count posts and decisions"),
    "estimate_quality": _("Estimate quality"),
    "watch_drift": _("Watch for drift"),
    "mend_clock_steps": _("Reschedule tasks after clock changes"),
    "number_feeds": _("Number decisions for polling"),
    "rescore_degraded": _("Re-score posts scored without the content model"),
    "sweep_campaigns": _("Continue applying campaign decisions"),
    "sweep_blind_reviews": _("Draw decisions for blind reviews"),
    "sweep_reconsiderations": _("Re-check posts similar to decided ones"),
    "end_actions": _("End actions whose time is over"),
    "reload_content_models": _("Load promoted content models"),
    "sweep_evidence": _("Fetch what links lead to"),
    "poll_integrations": _("Ask connected platforms for reports"),
    "sweep_deliveries": _("Send deliveries that are due"),
    "sweep_notifications": _("Send notifications that are due"),
    "journal_erasures": _("Record erasures"),
    "sweep_exports": _("Resume unfinished exports"),
    "sweep_training": _("Resume and schedule training runs"),
    "score_shadow": _("Score posts in shadow"),
    "erase_expired": _("Erase expired data"),
    "prune_answers": _("Delete stored API responses"),
    "sweep_thumbnails": _("Delete pictures that no post has any more"),
}


@access.signed_in.get
def page(request: access.DeskRequest) -> HttpResponse:
    """Show services and backlogs; htmx asks again for the inner part."""
    at = timezone.now()
    answers = probe.ask(probe.every())
    services = [(*_NAMES_AND_MEANINGS[answer.part], answer.is_up, _told(answer)) for answer in answers]
    missing = [process.name for process in processes.listed() if process.is_missing]
    state = gettext("not seen for a minute: %(names)s") if missing else gettext("all at work")
    what_waits = _("what it does waits; nothing is lost")
    services.append((_("Workers"), what_waits, not missing, state % {"names": ", ".join(missing)}))
    context = {
        "section": "manage",
        "version": settings.VERSION,
        "at": at,
        "services": services,
        "sweeps": [(_SWEEPS[sweep.name], sweep) for sweep in processes.sweeps(at=at)],
        "circuits": health.open_circuits(),
        "backlogs": [(backlog, backlog.is_late(at=at)) for backlog in health.backlogs(at=at)],
    }
    if request.htmx:
        return render(request, "health.html#state", context)
    if request.user.may_export:
        context |= {"weak": label_warnings.gravest()}
    return render(request, "health.html", context | _ages(at=at))


def _told(answer: Answer) -> str:
    """Return a part's state in the user's language."""
    if answer.is_overdue:
        seconds = quantities.count(probe.TIMEOUT_SECONDS)
        return gettext("no answer within %(seconds)s s") % {"seconds": seconds}
    if answer.has_no_room:
        return gettext("is full or not writable")
    if answer.unusable:
        return gettext("cannot be used: %(reason)s") % {"reason": answer.unusable}
    if not answer.is_up or answer.latency_ms is None:
        return gettext("not responding")
    told = gettext("responds in %(number)s ms") % {"number": quantities.count(round(answer.latency_ms))}
    return f"{told} ({answer.served_by})" if answer.served_by else told


def _ages(*, at: datetime) -> dict[str, object]:
    """Return the chart of the longest waiting time over the last day."""
    ages = backlog.over_last_day(at=at)
    longest = max(ages, key=lambda age: age.oldest)
    full = max(longest.oldest, backlog.STEP)
    heights = [HEIGHT * (age.oldest / full) for age in ages]
    return {
        "age_bars": [
            Bar(x=place * 10, y=HEIGHT - height, height=height, tone="")
            for place, height in enumerate(heights)
        ],
        "longest_wait": quantities.short_duration(longest.oldest.total_seconds()) if longest.oldest else "",
        "longest_at": longest.at,
        "age_ticks": [age.at for age in ages[:-1:12]],
    }
