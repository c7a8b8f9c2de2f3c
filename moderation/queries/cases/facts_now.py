"""What became known around a post since it was scored: the histories of its record, counted again."""

from dataclasses import dataclass
from datetime import datetime

from moderation.models import Case, PostLink, User
from moderation.queries import case_access, latest_scores
from moderation.queries.cases.counted import Counted
from moderation.queries.records import record_histories, stored_records
from scoring.records import History, PostRecord

_HEAVY = tuple(f"score__{name}" for name in latest_scores.EXPLAINING if name != "record")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A history when the post was scored, and now. `subject` is a domain's name, "" for the rest."""

    about: Counted
    subject: str
    then: History
    now: History

    @property
    def is_sample(self) -> bool:
        """True where posts may have fallen out of what is counted, so that a difference says little."""
        return self.now.posts >= record_histories.SAMPLE


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What changed since an instant; nothing where the case is judged blindly or its record is gone."""

    case: Case
    since: datetime | None
    rows: tuple[Change, ...]


def of(*, case_id: int, viewer: User, at: datetime) -> Changes:
    """Count again what the score of a case counted, in four queries at most. Raises Case.DoesNotExist."""
    cases = case_access.visible(viewer).select_related("post__platform", "score__revision__grouped")
    case = cases.defer(*_HEAVY).get(pk=case_id)
    case.score.revision.post = case.post
    record = stored_records.readable(case.score)
    if record is None or case_access.is_blind(case):
        return Changes(case=case, since=None, rows=())
    rows = (*_single(case, record, at=at), *_domains(case, record, at=at))
    return Changes(
        case=case, since=record.at, rows=tuple(row for row in rows if _told(row.then) != _told(row.now))
    )


def _single(case: Case, record: PostRecord, *, at: datetime) -> list[Change]:
    revision = case.score.revision
    group = revision.similarity_group
    sources = (
        (Counted.AUTHOR, "author", str(case.post.author_id), record.author_history),
        (Counted.ADDRESS, "ip", revision.ip, record.ip_history),
        (Counted.SIMILAR, "similar", str(group) if group else None, record.similar),
    )
    known = [source for source in sources if source[2]]
    counted = record_histories.histories({kind: [(key, case.post_id)] for _, kind, key, _ in known}, at=at)
    return [
        Change(about=about, subject="", then=then, now=counted[kind][0]) for about, kind, _, then in known
    ]


def _domains(case: Case, record: PostRecord, *, at: datetime) -> list[Change]:
    links = PostLink.objects.filter(revision=case.score.revision_id).order_by("position")
    ids = dict(links.values_list("domain__name", "domain_id")[:20])
    histories = {link.domain or link.host: link.domain_history for link in record.links}
    names = [name for name in ids if name in histories]
    wanted = {"domain": [(str(ids[name]), case.post_id) for name in names]}
    now = record_histories.histories(wanted, at=at)["domain"]
    return [
        Change(about=Counted.DOMAIN, subject=name, then=histories[name], now=history)
        for name, history in zip(names, now, strict=True)
    ]


def _told(history: History) -> tuple[int, ...]:
    return history.confirmed_spam, history.confirmed_not_spam, history.complaints, history.posts
