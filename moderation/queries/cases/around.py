"""What stands open around a case where there is room: last posts of the author, similar posts, lanes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from moderation.models import Revision, User
from moderation.queries import search
from moderation.queries.cases import beside, case_context
from moderation.queries.cases.beside import Beside, Panel
from moderation.queries.cases.case_context import Lane
from moderation.queries.search import PostFilter, PostRow

_SHOWN = 4
_NEWEST = 40


@dataclass(frozen=True, kw_only=True)
class Around:
    """What is shown around a case. While it is judged blindly, posts like it are left out."""

    panel: Panel
    similar: tuple[PostRow, ...]
    lanes: tuple[Lane, ...]

    @property
    def rows(self) -> tuple[PostRow, ...]:
        """The author's last posts."""
        return self.panel.rows[:_SHOWN]


def of(*, case_id: int, viewer: User, at: datetime) -> Around:
    """Read what is around a case. Raises Case.DoesNotExist."""
    panel = beside.panel(case_id=case_id, kind=Beside.AUTHOR, viewer=viewer, at=at)
    return Around(
        panel=panel,
        similar=() if panel.is_blind else _similar(panel.case.score.revision, viewer=viewer),
        lanes=case_context.lanes(case=panel.case, is_blind=panel.is_blind),
    )


def _similar(revision: Revision, *, viewer: User) -> tuple[PostRow, ...]:
    """Read the newest near-duplicates by others, decided or not; a post with several revisions is one."""
    if revision.similarity_group is None:
        return ()
    alike = Revision.objects.filter(similarity_group=revision.similarity_group)
    others = alike.exclude(post__author=revision.post.author_id)
    newest = others.order_by("-received_at", "-id").values_list("post_id", flat=True)[:_NEWEST]
    ids = tuple(dict.fromkeys(newest))[:_SHOWN]
    return (
        tuple(search.posts(wanted=PostFilter(post_ids=ids), viewer=viewer, limit=_SHOWN).rows) if ids else ()
    )
