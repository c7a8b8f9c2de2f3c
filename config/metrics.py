"""The product's state as Prometheus metrics, read from the database at each scrape."""

import shutil
from collections.abc import Iterator
from datetime import datetime

import numpy as np
from django.conf import settings
from django.utils import timezone
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from moderation import enqueue
from moderation.operations.infrastructure import probe
from moderation.queries.health import health, processes
from moderation.queries.quality import drift_pages

_QUANTILES = (0.5, 0.95, 0.99)


class Collector:
    """Reads every metric at one instant. During a database outage there is only `spamdesk_up`."""

    def __init__(self, *, at: datetime) -> None:
        self._at = at

    def collect(self) -> Iterator[Metric]:
        """Yield the metric families."""
        answers = probe.ask(probe.every())
        up = GaugeMetricFamily(
            "spamdesk_up", "1 if the part answers, or such a process works", labels=["part"]
        )
        for answer in answers:
            up.add_metric([answer.part], float(answer.is_up))
        is_database_up = all(answer.is_up for answer in answers if answer.part is probe.Part.DATABASE)
        for process in processes.listed() if is_database_up else ():
            up.add_metric([process.name], float(not process.is_missing))
        yield up
        if not is_database_up:
            return
        yield from self._server()
        yield from self._totals()
        yield from self._backlogs()
        yield from self._scores()

    def _server(self) -> Iterator[Metric]:
        server = health.server_state()
        yield GaugeMetricFamily(
            "spamdesk_oldest_transaction_seconds",
            "how long the database's oldest transaction has been open",
            value=server.oldest_transaction_seconds,
        )
        yield GaugeMetricFamily(
            "spamdesk_clock_offset_seconds",
            "how far this process' clock is before the database's",
            value=(timezone.now() - server.clock_at).total_seconds(),
        )
        yield GaugeMetricFamily(
            "spamdesk_state_free_bytes",
            "what is free on the disk of the state folder",
            value=shutil.disk_usage(settings.STATE_DIR).free,
        )

    def _totals(self) -> Iterator[Metric]:
        for kind, count in health.totals().items():
            yield CounterMetricFamily(f"spamdesk_{kind}", f"{kind} written so far", value=count)

    def _backlogs(self) -> Iterator[Metric]:
        rows = GaugeMetricFamily("spamdesk_waiting_rows", "rows that wait", labels=["what"])
        ages = GaugeMetricFamily(
            "spamdesk_waiting_oldest_seconds", "how long the oldest of them has waited", labels=["what"]
        )
        for backlog in health.backlogs(at=self._at):
            rows.add_metric([backlog.key], backlog.rows)
            age = (self._at - backlog.oldest_at).total_seconds() if backlog.oldest_at else 0.0
            ages.add_metric([backlog.key], max(0.0, age))
        yield rows
        yield ages
        yield GaugeMetricFamily(
            "spamdesk_drift_alarms", "alarms of drift that nobody acknowledged", value=drift_pages.unseen()
        )
        yield from self._sweeps()
        messages = GaugeMetricFamily(
            "spamdesk_queue_messages", "messages in the broker that no worker has taken", labels=["queue"]
        )
        for queue, count in enqueue.messages().items():
            messages.add_metric([queue], count)
        yield messages

    def _sweeps(self) -> Iterator[Metric]:
        ages = GaugeMetricFamily(
            "spamdesk_sweep_age_seconds", "since a sweep last ran without an error", labels=["sweep"]
        )
        late = GaugeMetricFamily(
            "spamdesk_sweep_late", "1 if it should have run by now, or never ran", labels=["sweep"]
        )
        for sweep in processes.sweeps(at=self._at):
            age = sweep.age(at=self._at)
            if age is not None:
                ages.add_metric([sweep.name], age.total_seconds())
            late.add_metric([sweep.name], float(sweep.is_late))
        yield ages
        yield late
        circuits = health.open_circuits()
        yield GaugeMetricFamily(
            "spamdesk_open_circuits", "webhook endpoints that do not answer", value=circuits.endpoints
        )
        yield GaugeMetricFamily(
            "spamdesk_open_circuits_oldest_seconds",
            "how long the first of them has not answered",
            value=(self._at - circuits.since).total_seconds() if circuits.since else 0.0,
        )

    def _scores(self) -> Iterator[Metric]:
        recent = health.recent_scores(at=self._at)
        yield GaugeMetricFamily(
            "spamdesk_recent_scores",
            "scores looked at below: 5 minutes, 1,000 at most",
            value=len(recent.seconds),
        )
        yield GaugeMetricFamily(
            "spamdesk_recent_degraded_scores", "those without the content model", value=recent.degraded
        )
        seconds = GaugeMetricFamily(
            "spamdesk_recent_scoring_seconds", "from a post's arrival to its score", labels=["quantile"]
        )
        if recent.seconds:
            for quantile, value in zip(_QUANTILES, np.quantile(recent.seconds, _QUANTILES), strict=True):
                seconds.add_metric([str(quantile)], float(value))
        yield seconds
