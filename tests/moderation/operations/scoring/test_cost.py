"""What scoring costs that does not depend on the machine: statements a batch, and rows written a post."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from moderation.models import Revision
from moderation.operations.scoring import leases, score
from tests.moderation.conftest import Post_
from tests.moderation.counted_case import account
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import later

pytestmark = pytest.mark.usefixtures("fake_scorer")

_MORE = 1.1
"""Counts above their promise by this factor are a regression."""


def _rows_written() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_xact_user_tables")
        return int(cursor.fetchone()[0] or 0)


def _changed_tables() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_stat_xact_user_tables WHERE n_tup_upd > 0")
        return {name for (name,) in cursor}


@pytest.mark.parametrize(("posts", "statements", "rows"), [(1, 35, 12.0), (8, 35, 9.7), (16, 35, 9.7)])
def test_a_batch_takes_few_statements_and_a_post_few_rows(
    post: Post_, fake_scorer: FakeScorer, posts: int, statements: int, rows: float
) -> None:
    fake_scorer.default = 0.5
    for number in range(posts + 2):
        if number % 2:
            fake_scorer.probabilities[f"Buy our pills today, offer {number // 4} ends soon"] = 0.1
        post(
            text=f"Buy our pills today, offer {number // 4} ends soon",
            ip=f"192.0.2.{number % 5}",
            links=(f"https://shop{number % 3}.example/{number}",),
            author=account(number),
        )
        if number == 1:  # what is read once a process
            score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(1))
    ids = list(Revision.objects.order_by("pk").values_list("pk", flat=True))[2:]
    before = _rows_written()

    with CaptureQueriesContext(connection) as context:
        revisions = leases.claim(revision_ids=ids, at=later(2))
        assert score.batch(revisions=revisions, at=later(2)) == posts

    asked = [sql for one in context if "SAVEPOINT" not in (sql := str(one["sql"]))]
    assert len(asked) <= statements * _MORE, "\n".join(sql[:150] for sql in asked)
    assert (_rows_written() - before) / posts <= rows * _MORE
    assert "moderation_revision" not in _changed_tables()  # the widest row, with the most indexes
