"""deploy/partition_scores.sql: the product works on partitioned scores as before."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.db import IntegrityError, connection, transaction

from deploy.local.places import ROOT
from moderation.models import Case, Score, User
from tests.moderation.conftest import Case_, judge

SQL = (ROOT / "deploy" / "partition_scores.sql").read_text()


def partition_of(score: Score) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tableoid::regclass::text FROM moderation_score WHERE id = %s", [score.pk])
        [[name]] = cursor.fetchall()
    return str(name)


@pytest.fixture
def partitioned(open_case: Case_) -> Case:
    """A case from before; the tables are whole again after the test, since its transaction is rolled back."""
    before = open_case(text="before")
    with connection.cursor() as cursor:
        cursor.execute(SQL)
    return before


def test_scores_go_into_partitions_and_cases_are_decided(
    partitioned: Case, open_case: Case_, moderator: User, later: Callable[[float], datetime]
) -> None:
    fresh = open_case(text="after")

    for case in (partitioned, fresh):
        judge(case, moderator, at=later(5))

    names = [partition_of(Score.objects.get(pk=case.score_id)) for case in (partitioned, fresh)]
    assert names[0] == "moderation_score_first"
    assert names[1].startswith("moderation_score_from_")
    assert Score.objects.count() == 2


def test_a_generation_is_scored_once_and_a_score_that_is_used_stays(
    partitioned: Case, open_case: Case_
) -> None:
    score = Score.objects.get(pk=open_case(text="after").score_id)

    score.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        score.save(force_insert=True)
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM moderation_score; SET CONSTRAINTS ALL IMMEDIATE")


def test_partitions_are_added_ahead_only_as_needed(partitioned: Case) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT spamdesk_add_score_partitions(50000000, 3), spamdesk_add_score_partitions(50000000, 4)"
        )

        assert cursor.fetchone() == (0, 1)
