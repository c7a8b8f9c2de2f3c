"""The page of a platform's settings: what it saves and refuses, for whom, and who changed what."""

from typing import Any

import pytest
from django.test import Client

from moderation.models import ActionRule, AuditEntry, BlindReviewPlan, Platform
from tests.moderation.web.conftest import asked, read

SHOWN = {
    "removal": "always", "collects_evidence": "off", "browses_evidence": "off", "audit_first_share": "",
    "audit_cases_per_day": "200", "reconsiders": "queue", "share": "0", "first_decisions": "0",
    "golden_share": "0", "text_retention_days": "",
}  # fmt: skip
SAMPLES = {
    "audit_first_share": "2.5", "audit_cases_per_day": "30", "reconsiders": "decide",
    "shares_histories": "on", "reviews_reports": "on",
    "share": "10", "first_decisions": "50", "golden_share": "5",
}  # fmt: skip
OTHERS = {
    "removal": "never", "collects_evidence": "on", "browses_evidence": "unsure",
    "text_retention_days": "90", "is_sure": "on", "ignores_unknown_fields": "on",
}  # fmt: skip


def page_of(platform: Platform) -> str:
    return f"/platforms/{platform.pk}/settings/"


def send(desk: Client, platform: Platform, **changed: str) -> Any:
    """Send the form as a page that was opened at first, with some values changed."""
    return desk.post(page_of(platform), {f"initial-{name}": SHOWN[name] for name in SHOWN} | SHOWN | changed)


def stored(platform: Platform) -> dict[str, Any]:
    platform.refresh_from_db()
    plan = dict(BlindReviewPlan.objects.filter(platform=platform).values().first() or {})
    return {name: {**vars(platform), **plan}.get(name) for name in (*SAMPLES, *OTHERS)}


class TestPage:
    def test_saves_all_and_says_who_changed_what(
        self, admin_desk: Client, lead_desk: Client, platform: Platform
    ) -> None:
        send(admin_desk, platform, **SAMPLES, **OTHERS)

        assert stored(platform) == {
            "audit_first_share": 0.025, "audit_cases_per_day": 30, "reconsiders": "decide",
            "shares_histories": True, "reviews_reports": True, "share": 0.1, "first_decisions": 50,
            "golden_share": 0.05,
            "removal": "never", "collects_evidence": "on", "browses_evidence": "unsure",
            "text_retention_days": 90, "is_sure": None, "ignores_unknown_fields": True,
        }  # fmt: skip
        body = read(lead_desk, page_of(platform))
        for change in (
            "The filter removes by itself: always → never",
            "Fetched for: no posts → all posts",
            "Golden items among blind reviews, in percent: 0% → 5%",
            "Erase posts after, in days: – → 90",
            "Ignore unknown fields: no → yes",
        ):
            assert change in body
        assert 'value="2.5"' in body

    def test_tells_of_a_plan_only_what_changed(self, lead_desk: Client, platform: Platform) -> None:
        send(lead_desk, platform, first_decisions="50")

        body = read(lead_desk, page_of(platform))
        assert "First decisions of each new moderator: 0 → 50" in body
        assert body.count("→") == 1

    def test_lets_leads_change_samples_alone(self, lead_desk: Client, platform: Platform) -> None:
        send(lead_desk, platform, **SAMPLES, **OTHERS)

        changed = stored(platform)
        assert (changed["audit_first_share"], changed["first_decisions"]) == (0.025, 50)
        assert (changed["removal"], changed["text_retention_days"]) == ("always", None)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("removal", "at will"),
            ("collects_evidence", "some"),
            ("audit_first_share", "101"),
            ("audit_cases_per_day", "0"),
            ("share", "nan"),
            ("golden_share", "51"),
            ("text_retention_days", "0"),
            ("is_sure", ""),
        ],
    )
    def test_refuses_beside_the_field(
        self, admin_desk: Client, platform: Platform, name: str, value: str
    ) -> None:
        answer = send(admin_desk, platform, **(SAMPLES | OTHERS | {name: value}))

        assert (answer.status_code, list(answer.context["form"].errors)) == (422, [name])
        assert not AuditEntry.objects.filter(action="platform.changed").exists()

    def test_leaves_what_others_changed_meanwhile(self, admin_desk: Client, platform: Platform) -> None:
        send(admin_desk, platform, removal="never")
        send(admin_desk, platform, audit_cases_per_day="30")

        changed = stored(platform)
        assert (changed["removal"], changed["audit_cases_per_day"]) == ("never", 30)

    def test_needs_few_queries(self, admin_desk: Client, platform: Platform) -> None:
        send(admin_desk, platform, **SAMPLES)
        send(admin_desk, platform, **OTHERS)

        assert len(asked(admin_desk, page_of(platform))) <= 12


RULE = {"verdict": "spam", "reason": "campaign", "decided_by": "any", "action": "limit", "days": "7"}


class TestActions:
    def test_are_chosen_replaced_and_removed(
        self, admin_desk: Client, lead_desk: Client, platform: Platform
    ) -> None:
        where = f"/platforms/{platform.pk}/actions/"

        admin_desk.post(where, RULE)
        admin_desk.post(where, RULE | {"action": "suspend", "days": "", "needs_second_name": "on"})

        rule = ActionRule.objects.get()
        assert (rule.action, rule.days, rule.needs_second_name) == ("suspend", None, True)
        body = read(lead_desk, page_of(platform))
        assert "suspend the account" in body
        assert f"/action-rules/{rule.pk}/remove/" not in body
        assert f"/action-rules/{rule.pk}/remove/" in read(admin_desk, page_of(platform))
        admin_desk.post(f"/action-rules/{rule.pk}/remove/")
        assert not ActionRule.objects.exists()
        entries = AuditEntry.objects.filter(subject_kind="platform", subject_id=str(platform.pk))
        assert [(entry.action, entry.details["chosen"]) for entry in entries.order_by("pk")] == [
            ("platform.action_set", "limit"),
            ("platform.action_set", "suspend"),
            ("platform.action_removed", "suspend"),
        ]

    @pytest.mark.parametrize("wrong", [{"action": "shout"}, {"days": "0"}, {"reason": "unheard-of"}])
    def test_refuse_what_is_no_rule(
        self, admin_desk: Client, platform: Platform, wrong: dict[str, str]
    ) -> None:
        admin_desk.post(f"/platforms/{platform.pk}/actions/", RULE | wrong)

        assert not ActionRule.objects.exists()

    def test_are_shown_in_the_form_to_be_changed(self, admin_desk: Client, platform: Platform) -> None:
        rule = ActionRule.objects.create(platform=platform, verdict="spam", action="limit", days=12)

        body = read(admin_desk, f"{page_of(platform)}?rule={rule.pk}")

        assert '<option value="limit" selected>' in body
        assert 'value="12"' in body
