"""Figures through the api: quality, alarms of drift, the queue and its reviewers, what a period saw."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from moderation.models import Case, DriftAlarm, Platform, User
from moderation.models.cases import CaseReason
from moderation.models.decisions import Verdict
from moderation.models.platforms import Scope
from moderation.operations.cases import appeals, claims, reversals
from moderation.operations.quality import refresh
from tests.moderation.api.answers import bad_fields, problem
from tests.moderation.api.conftest import ClientFor, client_of
from tests.moderation.conftest import AUDIT, Case_, Judged, Later, judge, with_thresholds
from tests.moderation.operations.posts.arrivals import complain


@pytest.fixture
def estimated(open_case: Case_, judged_alike: Judged, at: datetime) -> None:
    case = with_thresholds(open_case())
    judged_alike(case, probability=0.95, spam=36, fine=4, score=AUDIT)
    judged_alike(case, probability=0.05, spam=2, fine=38, score=AUDIT)
    refresh.refresh(at=at + timedelta(minutes=1))


@pytest.mark.usefixtures("estimated")
class TestQuality:
    def test_answers_figures_of_the_own_platform(self, lead_api: APIClient, other_api: APIClient) -> None:
        own = lead_api.get("/api/v1/metrics/quality?dimension=all").json()["data"]
        foreign = other_api.get("/api/v1/metrics/quality?dimension=all").json()["data"]

        [precision] = [row["weighted"] for row in own if row["measure"] == "precision"]
        assert (precision["value"], precision["labels"]) == (0.9, 40)
        assert all(row["weighted"]["labels"] == 0 for row in foreign)
        more = {row["measure"]: row["more_labels"] for row in own}
        assert (more["precision"], (more["missed"] or 0) > 200) == (None, True)

    def test_answers_how_far_removal_is_proven(self, lead_api: APIClient) -> None:
        standing = lead_api.get("/api/v1/metrics/quality").json()["removal"]

        assert (standing["setting"], standing["is_automatic"]) == ("always", True)
        assert standing["proven_at"] is None
        # Drawn, but not whatever their score: no trials.
        assert (standing["right"], standing["wrong"], standing["missing"]) == (0, 0, 236)

    def test_answers_shares_of_views_where_they_were_sent(
        self, lead_api: APIClient, judged_alike: Judged, at: datetime
    ) -> None:
        address = "/api/v1/metrics/quality?dimension=all&unit=views"
        before = lead_api.get(address).json()["data"]
        case = Case.objects.order_by("pk")[0]
        case.score.revision.views = 3
        judged_alike(case, probability=0.95, spam=20, fine=5, score=AUDIT)
        refresh.refresh(at=at + timedelta(minutes=1))

        after = lead_api.get(address).json()["data"]

        assert before == []
        assert {row["unit"] for row in after} == {"views"}
        [precision] = [row["weighted"] for row in after if row["measure"] == "precision"]
        assert (precision["value"], precision["labels"]) == (0.8, 25)

    def test_answers_a_language_of_a_release(self, lead_api: APIClient) -> None:
        address = "/api/v1/metrics/quality"
        [slice_, *_others] = {
            row["slice"] for row in lead_api.get(f"{address}?dimension=language_release").json()["data"]
        }
        language, release = slice_.split(":")

        rows = lead_api.get(f"{address}?language={language or 'und'}&release={release}").json()["data"]
        foreign = lead_api.get(f"{address}?language=xx&release={release}").json()["data"]

        assert {(row["dimension"], row["slice"]) for row in rows} == {("language_release", slice_)}
        assert foreign == []

    def test_goes_on_where_a_page_ended(self, lead_api: APIClient) -> None:
        address = "/api/v1/metrics/quality?limit=3"
        seen: list[tuple[str, str, str]] = []
        cursor: str | None = ""
        while cursor is not None:
            answer = lead_api.get(f"{address}&cursor={cursor}" if cursor else address).json()
            seen += [(row["dimension"], row["slice"], row["measure"]) for row in answer["data"]]
            cursor = answer["next_cursor"]

        assert len(seen) == len(set(seen)) > 5

    def test_names_a_wrong_span(self, lead_api: APIClient) -> None:
        problem(lead_api.get("/api/v1/metrics/quality?span=1y"), status=422, code="invalid_fields")


@pytest.fixture
def alarms(open_case: Case_, at: datetime) -> list[DriftAlarm]:
    platform = open_case().post.platform
    return [
        DriftAlarm.objects.create(
            platform=platform,
            raised_at=at + timedelta(hours=number),
            seen_at=at + timedelta(hours=number),
            posts=number,
            all_posts=10,
            traits=[],
            slices=[],
            mean_probability=0.1,
            sample=[],
        )
        for number in range(3)
    ]


class TestDrift:
    def test_drift_answers_alarms_of_the_own_platform(
        self, lead_api: APIClient, other_api: APIClient, alarms: list[DriftAlarm]
    ) -> None:
        own = lead_api.get("/api/v1/metrics/drift").json()["data"]

        assert [row["posts"] for row in own] == [2, 1, 0]
        assert other_api.get("/api/v1/metrics/drift").json()["data"] == []

    def test_drift_goes_on_where_a_page_ended(self, lead_api: APIClient, alarms: list[DriftAlarm]) -> None:
        first = lead_api.get("/api/v1/metrics/drift?limit=2").json()

        second = lead_api.get(f"/api/v1/metrics/drift?limit=2&cursor={first['next_cursor']}").json()

        assert [row["posts"] for row in second["data"]] == [0]
        assert second["next_cursor"] is None


QUEUE, REVIEWERS = "/api/v1/metrics/queue", "/api/v1/metrics/reviewers"


def decide(case: Case, person: User) -> None:
    """Decide it now: what is counted is the last days."""
    at = timezone.now()
    Case.objects.filter(pk=case.pk).update(opened_at=at - timedelta(hours=1))
    judge(case, person, at=at)


class TestQueue:
    def test_counts_what_waits_and_what_came_and_went(
        self, open_case: Case_, moderator: User, api: APIClient
    ) -> None:
        decided, waiting, claimed = open_case(text="a"), open_case(text="b"), open_case(text="c")
        decide(decided, moderator)
        claims.claim(case_id=claimed.pk, moderator=moderator, at=timezone.now())

        found = api.get(QUEUE).json()

        assert (found["waiting"], found["claimed"], found["escalated"]) == (2, 1, 0)
        assert found["reasons"] == [{"reason": waiting.reason, "cases": 2}]
        assert (found["opened_24h"], found["closed_24h"]) == (1, 1)
        assert datetime.fromisoformat(found["oldest_at"]) == min(waiting.opened_at, claimed.opened_at)

    def test_has_no_blind_reviews_and_nothing_of_others(
        self, open_case: Case_, api: APIClient, other_api: APIClient
    ) -> None:
        case, _ = open_case(text="a"), open_case(text="b")
        Case.objects.filter(pk=case.pk).update(reason=CaseReason.BLIND)

        assert api.get(QUEUE).json()["waiting"] == 1
        foreign = other_api.get(QUEUE).json()
        assert (foreign["waiting"], foreign["oldest_at"], foreign["reasons"]) == (0, None, [])


class TestReviewers:
    def test_shows_everybody_to_a_lead_and_others_themselves(
        self, open_case: Case_, moderator: User, lead: User, client_for: ClientFor, other_api: APIClient
    ) -> None:
        decide(open_case(text="a"), moderator)
        decide(open_case(text="b"), lead)

        everybody, own, foreign = (
            client.get(REVIEWERS).json()["data"]
            for client in (client_for(lead), client_for(moderator), other_api)
        )

        assert sorted(one["id"] for one in everybody) == sorted([str(moderator.pk), str(lead.pk)])
        assert [(one["id"], one["decisions"], one["spam"], one["not_spam"]) for one in own] == [
            (str(moderator.pk), 1, 1, 0)
        ]
        assert foreign == []

    def test_needs_a_person_and_a_known_span(self, api: APIClient, lead_api: APIClient) -> None:
        problem(api.get(REVIEWERS), status=403, code="nobody_behind_key")
        assert bad_fields(lead_api.get(REVIEWERS, {"span": "9d"})) == {"/span": "invalid_choice"}


ACTIVITY, HOUR, DAY = "/api/v1/metrics/activity", 3_600, 86_400


@pytest.fixture
def two_days(
    platform: Platform, open_case: Case_, judged_alike: Judged, moderator: User, lead: User, later: Later
) -> None:
    """Decided on the first day after 1, 2 and 4 hours; on the second, one is taken back and one upheld."""
    scam, pills, cat, undone = (open_case(text=text) for text in ("scam", "pills", "cat", "undone"))
    Case.objects.update(opened_at=later(0))
    upheld = judge(scam, moderator, at=later(HOUR), reason="scam")
    wrong = judge(pills, moderator, at=later(2 * HOUR), reason="pills")
    judge(cat, moderator, verdict=Verdict.NOT_SPAM, at=later(4 * HOUR))
    hasty = judge(undone, moderator, at=later(HOUR), reason="scam")
    reversals.undo(decision_id=hasty.pk, moderator=moderator, at=later(HOUR))
    by_filter = {"source": "automatic", "decided_by": None}
    judged_alike(cat, probability=0.99, spam=2, fine=0, decision=by_filter)
    complain(platform, at=later(DAY))
    reversals.correct(decision_id=wrong.pk, verdict=Verdict.NOT_SPAM, moderator=lead, at=later(DAY))
    appeal = appeals.dispute(platform=platform, decision_id=upheld.pk, at=later(DAY))
    judge(appeal.case, lead, at=later(DAY + 3 * HOUR), reason="scam")


@pytest.mark.usefixtures("two_days")
class TestActivity:
    def test_counts_days_of_the_own_platform(self, api: APIClient, other_api: APIClient) -> None:
        first = api.get(ACTIVITY, {"from": "2026-03-01", "to": "2026-03-01"}).json()
        both, foreign = (one.get(ACTIVITY, {"to": "2026-03-02"}).json() for one in (api, other_api))

        assert (both["since"], both["until"]) == ("2026-03-01T00:00:00Z", "2026-03-03T00:00:00Z")
        sums = [list(found.values())[2:4] + list(found.values())[-3:] for found in (first, both, foreign)]
        assert sums == [[6, 0, 0, 0, 0], [7, 1, 1, 1, 0], [0] * 5]
        assert [list(row.values())[:-1] for row in first["verdicts"]] == [
            ["automatic", "spam", "", 2, 0, None],
            ["moderator", "not_spam", "", 1, 0, 4 * HOUR],
            ["moderator", "spam", "pills", 1, 1, 2 * HOUR],
            ["moderator", "spam", "scam", 1, 0, HOUR],
        ]
        assert [row["decisions"] for row in both["verdicts"]] == [2, 2, 1, 2]
        assert [list(row.values()) for row in both["cases"]] == [
            [None, 5, 4, 2.5 * HOUR, 3.7 * HOUR],
            ["appealed", 1, 1, 3 * HOUR, 3 * HOUR],
            ["uncertain", 4, 3, 2 * HOUR, 3.6 * HOUR],
        ]
        assert (foreign["verdicts"], len(foreign["cases"])) == ([], 1)

    def test_begins_with_the_month_has_bounds_and_asks_for_a_scope(
        self, api: APIClient, platform: Platform, at: datetime
    ) -> None:
        assert api.get(ACTIVITY).json()["since"] == f"{timezone.now():%Y-%m}-01T00:00:00Z"
        for first, last, code in (
            ("2026-02-30", "2026-03-01", "invalid"),
            ("2026-03-02", "2026-03-01", "bad_range"),
            ("2026-03-01", "2026-06-01", "bad_range"),
            ("9999-12-31", "9999-12-31", "bad_range"),
        ):
            assert bad_fields(api.get(ACTIVITY, {"from": first, "to": last})) == {"/from": code}
        lacking = client_of(platform, None, at=at, scopes=[Scope.VERDICTS_READ])
        problem(lacking.get(ACTIVITY), status=403, code="missing_scope")
