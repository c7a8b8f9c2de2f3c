"""Migrations run beside writers, and again after a kill.

Their SQL, as it would be sent, is linted for locks by squawk. Those that are no transaction are broken off
after each statement and repeated.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from tests.moderation.schema import described

SQUAWK = Path(sys.executable).with_name("squawk")
NOT_ABOUT_LOCKS = {
    "prefer-text-field": "Django's CharField says its length, and validates it",
    "prefer-bigint-over-int": "small numbers are bounded by checks",
    "prefer-bigint-over-smallint": "as above",
    "prefer-robust-stmts": "Django's indexes know no IF NOT EXISTS; the operator's guide says what to do",
    "ban-drop-default": "Django adds a column with a default and takes it away; code always gives the value",
    "require-lock-timeout": "given to the whole process: PGOPTIONS in compose.yaml and migrate.yaml",
    "require-statement-timeout": "an index of a large table may take its time: it is built concurrently",
}
_NEW = "the table is made in the same migration, or the column is new and empty: nothing is scanned"
_SMALL = "bans are rows that people made one by one: thousands, not millions"
_AFTER_CODE = "the release before does not read the column any more"
_DELIVERIES = "scans deliveries once, under a lock; no release came before it"
_FIGURES = "figures are some thousand rows, estimated anew every ten minutes"
_BLIND = "blind reviews came with 0063; no release came between"
ACCEPTED = {
    "0001_initial": {"adding-foreign-key-constraint": _NEW, "adding-required-field": _NEW},
    "0003_bans_of_hosts_and_addresses": {
        "adding-foreign-key-constraint": _SMALL,
        "ban-drop-constraint": _SMALL,
        "ban-drop-not-null": _SMALL,
        "constraint-missing-not-valid": _SMALL,
        "renaming-table": "no release had the old name",
        "require-concurrent-index-deletion": _SMALL,
    },
    "0005_search_and_queue_indexes": {
        "constraint-missing-not-valid": _SMALL,
        "require-concurrent-index-creation": _SMALL,
    },
    "0009_campaigns": {
        "adding-foreign-key-constraint": _NEW,
        "adding-required-field": _NEW,
        "disallowed-unique-constraint": _NEW,
    },
    "0014_webhooks_erasures_answers": {
        "adding-foreign-key-constraint": _NEW,
        "adding-required-field": _NEW,
        "ban-drop-constraint": _DELIVERIES,
        "constraint-missing-not-valid": _DELIVERIES,
        "require-concurrent-index-creation": "tables of keys and exports: few rows",
        "require-concurrent-index-deletion": "taken away at once, with a lock for a moment",
    },
    "0016_members_that_a_decision_means": {"ban-drop-column": _AFTER_CODE},
    "0018_platform_without_webhook": {"ban-drop-column": _AFTER_CODE},
    "0021_appeals_notes_and_events": {
        "ban-drop-not-null": "no delivery is without a decision before an endpoint asks for the new events"
    },
    "0022_deliveries_by_event": {"ban-drop-constraint": "a wider one took its place in the same file"},
    "0025_rules_that_allow_and_hold": {
        "adding-field-with-default": "now() is one value in a statement: no row is rewritten",
        "adding-foreign-key-constraint": _NEW,
        "ban-drop-constraint": _SMALL,
        "constraint-missing-not-valid": _SMALL,
        "require-concurrent-index-creation": _SMALL,
        "require-concurrent-index-deletion": _SMALL,
    },
    "0030_erased_authors_without_id": {
        "ban-drop-not-null": "every release shows who has no id without one, and joins nobody to them"
    },
    "0037_exploration": {
        "adding-foreign-key-constraint": _NEW,
        "adding-required-field": _NEW,
        "constraint-missing-not-valid": "platforms are few rows",
        "disallowed-unique-constraint": _NEW,
    },
    "0040_cases_in_unread_scripts": {
        "changing-column-type": "a varchar that may be longer is written in the catalogue alone"
    },
    "0051_parents_of_posts": {
        "adding-foreign-key-constraint": "of a column that is new and null, PostgreSQL scans no row"
    },
    "0054_rules_about_texts": {
        "ban-drop-constraint": _SMALL,
        "changing-column-type": "a varchar that may be longer is written in the catalogue alone",
        "constraint-missing-not-valid": _SMALL,
        "require-concurrent-index-creation": _SMALL,
    },
    "0023_writes_of_ingest": {"ban-drop-not-null": "scoring fills what is empty before it reads it"},
    "0074_quality_of_language_and_release": {
        "changing-column-type": "a varchar that may be longer is written in the catalogue alone"
    },
    "0068_golden_items": {
        "adding-foreign-key-constraint": _BLIND,
        "constraint-missing-not-valid": _BLIND,
        "require-concurrent-index-creation": _BLIND,
    },
    "0073_going_live": {"adding-foreign-key-constraint": _NEW},
    "0080_views_of_posts": {
        "ban-drop-constraint": "a wider one takes its place in the same transaction",
        "constraint-missing-not-valid": _FIGURES,
        "disallowed-unique-constraint": _FIGURES,
    },
}
"""What squawk finds in migrations that cannot be otherwise, or ran already, and why each holds nobody up."""


def lint(*files: Path) -> list[dict[str, Any]]:
    rules = ",".join(NOT_ABOUT_LOCKS)
    command: list[str | Path] = [SQUAWK, "--reporter=json", "--pg-version=18.0", f"--exclude={rules}", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


@dataclass(frozen=True, kw_only=True)
class Step:
    """A migration, the SQL it would send to an empty database, and the state that it begins with."""

    migration: Migration
    statements: Sequence[str]
    before: ProjectState

    @property
    def is_ours(self) -> bool:
        return self.migration.app_label == "moderation"

    def operations(self) -> Iterator[tuple[Operation, ProjectState, ProjectState]]:
        """Yield each operation with the states before and after it."""
        state = self.before.clone()
        for operation in self.migration.operations:
            before = state.clone()
            operation.state_forwards(self.migration.app_label, state)
            yield operation, before, state.clone()


@contextmanager
def empty_schema() -> Iterator[None]:
    """An empty database within that of the tests."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE SCHEMA emptied; SET search_path TO emptied")
        yield
        cursor.execute("SET search_path TO DEFAULT; DROP SCHEMA emptied CASCADE")


@cache
def walk() -> Sequence[Step]:
    """As `sqlmigrate` does for one migration, which would build the state anew for each.

    Outside a transaction: inside one, Django refuses to say how it would build an index concurrently.
    """
    executor = MigrationExecutor(connection)
    # One by one, as a database that ran some of them runs the rest.
    executor.loader = MigrationLoader(connection, replace_migrations=False)
    leaves = executor.loader.graph.leaf_nodes()
    plan = executor.migration_plan([node for node in leaves if "_squashed_" not in node[1]], clean_start=True)
    state = ProjectState(real_apps=executor.loader.unmigrated_apps)
    steps = []
    for migration, _ in plan:
        before = state.clone()
        with connection.schema_editor(collect_sql=True, atomic=migration.atomic) as editor:
            state = migration.apply(state, editor, collect_sql=True)
        steps.append(Step(migration=migration, statements=editor.collected_sql, before=before))
    return steps


@pytest.mark.django_db(transaction=True)
def test_hold_up_nobody(tmp_path: Path) -> None:
    for step in walk():
        whole = ["BEGIN;", *step.statements, "COMMIT;"] if step.migration.atomic else step.statements
        (tmp_path / f"{step.migration.name}.sql").write_text("\n".join(whole))

    findings = lint(*(tmp_path / f"{step.migration.name}.sql" for step in walk() if step.is_ours))

    found: dict[str, set[str]] = {}
    for finding in findings:
        found.setdefault(Path(finding["file"]).stem, set()).add(finding["rule_name"])
    assert found == {name: set(rules) for name, rules in ACCEPTED.items()}, json.dumps(
        findings[-3:], indent=1
    )


class Killed(Exception):
    pass


def killing_after(statements: int) -> Callable[..., Any]:
    """Return a wrapper of `execute` that raises Killed, with the SQL, after so many statements that write."""
    written = count(1)

    def execute(run: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        result = run(sql, params, many, context)
        if not str(sql).lstrip().startswith("SELECT") and next(written) == statements:
            raise Killed(sql)
        return result

    return execute


def apply(step: Step) -> None:
    """Run a migration that is one transaction: as SQL if that will do, which takes less time."""
    sql = "\n".join(step.statements)
    if "DROP CONSTRAINT" in sql:  # Django looked its name up in the tables of today
        with connection.schema_editor() as editor:
            step.migration.apply(step.before.clone(), editor)
        return
    with connection.cursor() as cursor:
        cursor.execute(sql)


def run(steps: Sequence[tuple[Operation, ProjectState, ProjectState]]) -> None:
    """As `Migration.apply` does, with states that are made once."""
    with connection.schema_editor(atomic=False) as editor:
        for operation, before, after in steps:
            with transaction.atomic() if operation.atomic else nullcontext():
                operation.database_forwards("moderation", editor, before, after)


def leave_invalid(sql: str) -> None:
    """Leave the index that a statement built as PostgreSQL leaves one whose build was broken off."""
    if built := re.match(r"CREATE (?:UNIQUE )?INDEX CONCURRENTLY (?:IF NOT EXISTS )?(\S+)", sql):
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass(%s)", [built[1]]
            )


@pytest.mark.parametrize("newest", [8, pytest.param(1_000, marks=pytest.mark.long)])
@pytest.mark.django_db(transaction=True)
def test_can_be_repeated_after_a_kill(newest: int) -> None:
    steps = walk()
    with empty_schema():
        for left, step in zip(range(len(steps), 0, -1), steps, strict=True):
            if step.migration.atomic or not step.is_ours:
                apply(step)
                continue
            operations = list(step.operations())
            for statements in count(1) if left <= newest else ():
                try:
                    with connection.execute_wrapper(killing_after(statements)):
                        run(operations)
                    break
                except Killed as killed:
                    leave_invalid(str(killed))
            run(operations)  # killed before it was recorded

        with connection.cursor() as cursor:
            cursor.execute("SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid")
            assert cursor.fetchall() == []
        assert described("emptied") == described("public")  # which the squashed migration made


@pytest.mark.parametrize(
    ("statement", "rule"),
    [
        ("CREATE INDEX post_by_age ON moderation_post (posted_at);", "require-concurrent-index-creation"),
        ("ALTER TABLE moderation_post ALTER COLUMN note TYPE text;", "changing-column-type"),
        ("ALTER TABLE moderation_post ALTER COLUMN note SET NOT NULL;", "adding-not-nullable-field"),
    ],
)
def test_a_statement_that_holds_up_writers_is_found(statement: str, rule: str, tmp_path: Path) -> None:
    (tmp_path / "9999_locks.sql").write_text(statement)

    assert rule in {finding["rule_name"] for finding in lint(tmp_path / "9999_locks.sql")}


@pytest.mark.django_db
def test_are_all_there() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
