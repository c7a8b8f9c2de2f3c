"""Values that were renamed: code has the new name, the table the one that the release before knows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django.db import connection

from moderation.models import Rule, User
from moderation.operations import rules


def test_a_renamed_value_keeps_its_name_in_the_table(lead: User, later: Callable[[float], datetime]) -> None:
    rule = rules.impose(
        effect="hold",
        value="shop.example",
        reason="new",
        actor=lead,
        at=later(0),
        expires_at=later(50),
    )

    with connection.cursor() as cursor:
        cursor.execute("SELECT effect FROM moderation_ban WHERE id = %s", [rule.pk])
        assert cursor.fetchone() == ("wave",)
    assert Rule.objects.get(effect="hold").effect == "hold"
    assert Rule.objects.get(effect__in=["hold", "allow"]) == rule
    assert list(Rule.objects.values_list("effect", flat=True)) == ["hold"]
    assert Rule.objects.exclude(effect="hold").count() == 0


def test_what_the_release_before_wrote_is_read_by_its_new_name(
    lead: User, later: Callable[[float], datetime]
) -> None:
    rule = rules.impose(effect="ban", value="shop.example", reason="x", actor=lead, at=later(0))
    with connection.cursor() as cursor:
        cursor.execute("UPDATE moderation_ban SET effect = 'wave', expires_at = now()")

    rule.refresh_from_db()

    assert rule.effect == "hold"
