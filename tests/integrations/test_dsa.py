"""The transparency report of the Digital Services Act, and statements of reasons sent to its database."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from integrations.dsa import database
from integrations.dsa.report import TO_FILL
from moderation.models import Appeal, Decision, DecisionAction, Platform, User
from moderation.models.actions import Action, ActionState
from moderation.models.decisions import Verdict
from moderation.operations.posts import complaints
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.queries.decisions import platform_decisions
from tests.integrations.dsa_server import TOKEN, DsaDatabase
from tests.integrations.platform_server import serving
from tests.moderation.conftest import Case_, judge
from tests.moderation.instants import AT, later

PERIOD = {"since": "2026-01-01T00:00:00+00:00", "until": "2026-07-01T00:00:00+00:00"}
SCAMS, OTHER = "STATEMENT_CATEGORY_SCAMS_AND_FRAUD", "STATEMENT_CATEGORY_OTHER_VIOLATION_TC"
RESTRICTING = (None, Action.HIDE, Action.SENSITIVE, Action.LIMIT, Action.REMOVE, Action.SUSPEND)


@pytest.fixture
def dsa() -> Iterator[DsaDatabase]:
    with serving(DsaDatabase()) as server:
        assert isinstance(server, DsaDatabase)
        yield server


@pytest.fixture
def restricted(open_case: Case_, moderator: User, platform: Platform) -> list[Decision]:
    """Decisions with every action that restricts, the first after a complaint."""
    decisions = []
    for number, action in enumerate(RESTRICTING):
        case = open_case(external_id=f"post-{number}")
        decisions.append(judge(case, moderator, at=later(3), reason="phishing" if number == 4 else ""))
        DecisionAction.objects.filter(decision=decisions[-1]).delete()
        if action is not None:
            state, until = ActionState.IN_FORCE, later(6000) if action == Action.SUSPEND else None
            DecisionAction.objects.create(decision=decisions[-1], action=action, state=state, until=until)
    judge(open_case(external_id="fine"), moderator, at=later(3), verdict=Verdict.NOT_SPAM)
    return decisions


def sent(dsa: DsaDatabase, statements: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(told.puid, told.answer) for told in database.send(statements, url=dsa.url, token=TOKEN)]


class TestStatements:
    def test_fit_the_published_rules_whatever_they_restrict(
        self, restricted: list[Decision], dsa: DsaDatabase, platform: Platform
    ) -> None:
        told_of = IncomingComplaint(post="post-0", reporter="neighbour", reason="spam", reported_at=later(2))
        complaints.record(platform=platform, complaint=told_of, at=later(2))
        told = [statement for _, statement in platform_decisions.restricting(since=AT, until=later(600))]

        answers = sent(dsa, told)

        assert answers == [(str(decision.pk), "created") for decision in restricted]
        assert {one["category"] for one in dsa.kept.values()} == {SCAMS, OTHER}

    def test_are_sent_by_the_command_and_known_the_next_time(
        self, restricted: list[Decision], dsa: DsaDatabase, platform: Platform, tmp_path: Path
    ) -> None:
        (tmp_path / "token").write_text(f"{TOKEN}\n")
        given: dict[str, Any] = PERIOD | {"platform": platform.slug, "url": dsa.url, "territory": "DE,FR"}
        given |= {"token_file": tmp_path / "token", "out": tmp_path / "answers.csv"}

        with pytest.raises(CommandError, match="in the future"):
            call_command("send_statements", **given | {"until": "2999-01-01T00:00:00+00:00"})
        call_command("send_statements", **given)
        first = (tmp_path / "answers.csv").read_text().splitlines()
        call_command("send_statements", **given)
        second = (tmp_path / "answers.csv").read_text().splitlines()

        assert first[1] == f"{restricted[0].pk},created,{dsa.url}/{restricted[0].pk}"
        assert second[1:] == [f"{decision.pk},known," for decision in restricted]
        assert dsa.kept[str(restricted[0].pk)]["territorial_scope"] == ["DE", "FR"]

    def test_go_a_hundred_at_a_time_and_around_what_is_refused(
        self, restricted: list[Decision], dsa: DsaDatabase
    ) -> None:
        _, one = next(platform_decisions.restricting(since=AT, until=later(600)))
        many = [one | {"puid": f"p-{number}"} for number in range(250)]
        many[7] |= {"category": "STATEMENT_CATEGORY_UNKNOWN"}
        dsa.kept["p-9"] = one

        answers = dict(sent(dsa, many))

        assert (answers["p-7"], answers["p-9"], len(dsa.kept)) == ("refused", "known", 249)
        sizes = [len(request.body["statements"]) for request in dsa.requests]
        assert sizes == [100, 99, 98, 100, 50]

    @pytest.mark.parametrize("status", [401, 422, 500])
    def test_stop_where_nothing_can_be_sent(
        self, status: int, restricted: list[Decision], dsa: DsaDatabase, tmp_path: Path, platform: Platform
    ) -> None:
        dsa.status = status
        (tmp_path / "token").write_text(TOKEN)
        given: dict[str, Any] = PERIOD | {"platform": platform.slug, "url": dsa.url}

        with pytest.raises(CommandError, match="0 answered, then"):
            call_command(
                "send_statements", **given, token_file=tmp_path / "token", out=tmp_path / "answers.csv"
            )


def written(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.usefixtures("db")
class TestReport:
    def test_counts_restrictions_and_leaves_the_rest_to_fill_in(
        self, restricted: list[Decision], tmp_path: Path
    ) -> None:
        call_command("transparency_report", **PERIOD, out=tmp_path, service="Social")

        rows = written(tmp_path, "6_own_initiative_TC")
        first = "Category of incompatibility with the provider's terms and conditions"
        own = "Number of measures taken at the provider's own initiative "
        measures = {row[first]: int(row[own]) for row in rows}
        assert (measures["TOTAL"], measures[SCAMS], measures[OTHER]) == (6, 1, 5)
        assert measures["KEYWORD_PHISHING"] == 1
        total = rows[0]
        columns = ("Removal", "Disable", "Labelled ", "Demoted")
        assert [total[f"Visibility restriction {name}"] for name in columns] == ["2", "1", "1", "0"]
        assert (total["Service"], total["Reporting period"]) == ("Social", "2026-01-01/2026-06-30")
        assert len(rows) == 1 + 15 + 67 + 15  # the total, categories, keywords, and what is other in each
        orders = written(tmp_path, "3_member_states_orders")
        assert orders[0]["Number of orders to provide information"] == TO_FILL
        assert {row["Value"] for row in written(tmp_path, "9_human_resources")} == {TO_FILL}
        rows = written(tmp_path, "8_automated_means")
        means = {(row["Indicator"], row["Scope"]): row["Value"] for row in rows}
        assert means["Number of measures not taken by automated means", "Total number"] == "6"
        assert means["Number of measures solely taken by automated means ", "bg"] == "0"
        assert means["Number of notices not processed by automated means", "NAM Total"] == TO_FILL

    def test_tells_the_outcomes_of_appeals_and_the_times_by_month(
        self, restricted: list[Decision], lead: User, open_case: Case_, tmp_path: Path, platform: Platform
    ) -> None:
        opposite = judge(open_case(external_id="other"), lead, at=later(9), verdict=Verdict.NOT_SPAM)
        for decision, outcome in zip(restricted, (restricted[1], opposite, None), strict=False):
            assert decision.case is not None
            Appeal.objects.create(
                platform=platform, post=decision.post, decision=decision, case=decision.case,
                filed_at=outcome.decided_at if outcome else later(9), outcome=outcome,
            )  # fmt: skip

        call_command("transparency_report", **PERIOD, out=tmp_path)

        rows = written(tmp_path, "7_appeals_and_recidivism")[:6]
        assert [row["Value"] for row in rows] == ["3", "1", "0", "1", "0.0", "1"]
        months = {row["Category"]: row for row in written(tmp_path, "months")}
        assert months[OTHER]["Restrictions"] == "5"
        assert float(months[OTHER]["Median hours from arrival to decision"]) >= 0
        outcomes = ("Appeals upheld", "Appeals reversed", "Appeals undecided")
        assert [months[OTHER][name] for name in outcomes] == ["1", "1", "1"]

    def test_leaves_percentages_out_without_labels(self, tmp_path: Path) -> None:
        call_command("transparency_report", **PERIOD, out=tmp_path)

        lines = (tmp_path / "8_automated_means.csv").read_bytes().decode("utf-8").split("\r\n")
        assert lines[0] == (
            "Applicability,Service,Reporting period,Section,Indicator,Scope,Value,Contextual Information"
        )
        assert lines[3] == (
            "All,,2026-01-01/2026-06-30,Use of automated means for content moderation,"
            "Accuracy of the automated means - Accuracy,Total number,,"
            '"95 % interval 0.0000 to 1.0000, 0 labels"'
        )

    def test_refuses_a_period_that_ends_before_it_begins(self, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match="--to must be later than --from"):
            call_command("transparency_report", since=PERIOD["until"], until=PERIOD["since"], out=tmp_path)
