"""Carry out an import of past actions: replay its posts, learn from the older ones, judge the newer ones."""

import shutil
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.utils.translation import gettext as _

from integrations import history, history_report, past_file, polling
from integrations.calls import Unreachable, Unusable
from integrations.models import HistoryImport, HistoryState, HistoryStep, Integration, PastLine
from integrations.past_file import Columns, Unreadable
from moderation import scorer
from moderation.models.scores import RouteChoice
from moderation.operations.infrastructure import vault
from moderation.operations.learning import past_posts, past_verdicts
from moderation.operations.learning.past_posts import PastPost
from moderation.operations.learning.past_verdicts import Judged, NotFitted
from moderation.operations.refusals import Refusal
from scoring.content import Unavailable

_LEASE, _BEAT_SECONDS = timedelta(seconds=60), 2.0
_MOST_LEFT_OUT, _MOST_SURPRISES = 100, 200
_SPAN, _MOST_READ, _PATIENCE_SECONDS = timedelta(days=30), 2_000, 3_600.0
"""What is read of a platform, the latest posts first, and how long it may let us wait in all."""

_OLDER = 0.7
"""The share of the posts that is learnt from."""


def carry_out(*, history_id: int, at: datetime, labels: Path | None = None) -> None:
    """Judge an import that waits; write its labels to a file if one is named. Safe to run twice."""
    waiting = HistoryImport.objects.filter(pk=history_id, state=HistoryState.WAITING)
    if not waiting.update(state=HistoryState.RUNNING, started_at=at, lease_until=at + _LEASE):
        return
    row = HistoryImport.objects.select_related("platform").get(pk=history_id)
    began, work = time.monotonic(), _Work(row=row, at=at, labels=labels)
    with ThreadPoolExecutor(max_workers=1) as pool:
        # Beside this thread, which keeps the lease: the work is in a transaction that is rolled back.
        done = pool.submit(work.run)
        while not wait([done], timeout=_BEAT_SECONDS).done:
            now = at + timedelta(seconds=time.monotonic() - began)
            if not _ours(row).update(step=work.step, done=work.done, lease_until=now + _LEASE):
                work.is_over.set()  # deleted, or another worker has it
    _settle(row, done, at=at + timedelta(seconds=time.monotonic() - began))


def _ours(row: HistoryImport) -> Any:
    return HistoryImport.objects.filter(pk=row.pk, state=HistoryState.RUNNING, started_at=row.started_at)


def _settle(row: HistoryImport, done: "Future[_Result]", *, at: datetime) -> None:
    """Store what came of it."""
    shutil.rmtree(history.folder_of(row.pk), ignore_errors=True)
    try:
        result = done.result()
    except _Over:
        return
    except (Refusal, Unavailable, Unusable, Unreachable, vault.MissingKey, *scorer.UNUSABLE) as refusal:
        _ours(row).update(state=HistoryState.FAILED, error=str(refusal)[:500], ended_at=at)
        return
    except Exception as failure:
        error = f"{type(failure).__name__}: see the log."
        _ours(row).update(state=HistoryState.FAILED, error=error, ended_at=at)
        raise
    with transaction.atomic():
        if _ours(row).update(
            state=HistoryState.READY, report=result.report, left_out=result.left_out, ended_at=at
        ):
            PastLine.objects.bulk_update(
                result.surprises, ["posted_at", "is_spam", "probability", "route", "surprise"]
            )


class _Over(Exception):
    """The import was deleted meanwhile."""


@dataclass(frozen=True, kw_only=True)
class _Result:
    report: dict[str, Any]
    left_out: list[tuple[int, str]]
    surprises: list[PastLine]


@dataclass(kw_only=True)
class _Work:
    """The work of one attempt, and how far it is."""

    row: HistoryImport
    at: datetime
    labels: Path | None
    step: str = HistoryStep.REPLAYING
    replayed: int = 0
    read: int = 0
    is_over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> _Result:
        """Replay, learn, judge. Raises Unreadable, content.Unavailable, _Over or one of scorer.UNUSABLE."""
        try:
            if source := self.row.mapping.pop("integration", None):
                self._read(Integration.objects.get(pk=source))
            return self._judged()
        finally:
            connection.close()  # the thread's own

    def _read(self, source: Integration) -> None:
        """Store what moderators of a connected platform did lately as lines; nothing is changed there."""
        self.step = ""
        connector = polling.connector_of(source, calls=[], at=self.at)
        connector.http.patience_seconds = _PATIENCE_SECONDS
        found, takes_direct = connector.history(since=self.at - _SPAN), source.takes_direct_messages
        posts = (one for one in found if not one.account and (takes_direct or not one.is_direct))
        for line, piece in enumerate(islice(posts, _MOST_READ), start=1):
            self._check()
            PastLine.objects.create(history=self.row, line=line, given=past_file.row_of(piece))
            _ours(self.row).update(posts=line)
        _ours(self.row).update(mapping=self.row.mapping)
        self.step = HistoryStep.REPLAYING

    def _judged(self) -> _Result:
        columns = Columns(**self.row.mapping)
        posts, left_out = self._posts(columns)
        lines = [line for line, _post in posts]
        pasts = [post for _line, post in posts]
        platform = self.row.platform.slug if self.row.platform else f"history-{self.row.pk}"
        live = past_verdicts.live()
        with ThreadPoolExecutor(max_workers=1) as pool:
            # Triton computes meanwhile.
            texts = [past.post.text for past in pasts]
            asked = pool.submit(past_verdicts.content_scores, texts, judge=live, told=self._tell_read)
            records = past_posts.records_of(pasts, platform=platform, told=self._tell_replayed)
            scores = asked.result()
        if self.labels:
            past_verdicts.write(
                self.labels, pasts, records=records, scores=scores, is_whole=columns.is_whole,
                release=live.release,
            )  # fmt: skip
        self.step, cut, why = HistoryStep.LEARNING, int(len(pasts) * _OLDER), ""
        judge = live
        try:
            judge = past_verdicts.fitted(
                pasts[:cut],
                records=records[:cut],
                scores=scores[:cut],
                is_whole=columns.is_whole,
                base=live,
                folder=history.folder_of(self.row.pk),
            )
        except NotFitted as refusal:
            cut, why = 0, str(refusal)
        self.step = HistoryStep.JUDGING
        newer = slice(cut, None)
        now = own = past_verdicts.judged(records[newer], scores=scores[newer], judge=live)
        if judge is not live:
            own = past_verdicts.judged(records[newer], scores=scores[newer], judge=judge)
        options = [
            history_report.option(
                one.release, judged=answers, posts=pasts[newer], columns=columns, platform=platform
            )
            for one, answers in ([(live, now)] if judge is live else [(live, now), (judge, own)])
        ]
        report = history_report.build(
            posts=pasts[newer], judged=own, options=options, columns=columns, older=cut, why=why
        )
        return _Result(
            report=report,
            left_out=left_out[:_MOST_LEFT_OUT],
            surprises=self._surprises(lines[newer], posts=pasts[newer], judged=own),
        )

    def _posts(self, columns: Columns) -> tuple[list[tuple[int, PastPost]], list[tuple[int, str]]]:
        """Return the posts with their lines, in the order of time, and why other lines are none."""
        posts: list[tuple[int, PastPost]] = []
        left_out: list[tuple[int, str]] = []
        seen: set[str] = set()
        for line, given in self.row.past_lines.order_by("line").values_list("line", "given").iterator():
            try:
                past = past_file.past_post(given, line=line, columns=columns, at=self.at)
            except Unreadable as wrong:
                left_out.append((line, str(wrong)))
                continue
            if past.post.external_id in seen:
                left_out.append((line, f"{columns.names['id']}: " + _("stood in a line before")))
            else:
                seen.add(past.post.external_id)
                posts.append((line, past))
        if not posts:
            first = "; ".join(f"{_('line')} {line}: {why}" for line, why in left_out[:3])
            raise Unreadable(
                _("No line could be read: %(why)s") % {"why": first or _("moderators decided nothing")}
            )
        return sorted(posts, key=lambda pair: pair[1].post.posted_at), left_out

    def _surprises(
        self, lines: Sequence[int], *, posts: Sequence[PastPost], judged: Judged
    ) -> list[PastLine]:
        """Return the lines on which the filter contradicts the moderators most."""
        found = []
        for line, past, probability, route in zip(
            lines, posts, judged.probabilities, judged.routes, strict=True
        ):
            if past.is_spam is not None and route != RouteChoice.REVIEW:
                surprise = abs(probability - past.is_spam)
                found.append((surprise, line, past, probability, route))
        worst = sorted(found, key=lambda one: -one[0])[:_MOST_SURPRISES]
        wanted = self.row.past_lines.filter(line__in=[line for _surprise, line, *_rest in worst])
        rows = {row.line: row for row in wanted}
        for surprise, line, past, probability, route in worst:
            row = rows[line]
            row.posted_at, row.is_spam = past.post.posted_at, past.is_spam
            row.probability, row.route, row.surprise = probability, route, surprise
        return list(rows.values())

    @property
    def done(self) -> int:
        """How many posts were replayed and read by the content model, whichever is behind."""
        return min(self.replayed, self.read)

    def _tell_replayed(self, done: int) -> None:
        self.replayed = done
        self._check()

    def _tell_read(self, done: int) -> None:
        self.read = done
        self._check()

    def _check(self) -> None:
        if self.is_over.is_set():
            raise _Over
