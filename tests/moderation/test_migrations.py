"""Migrations run beside writers: their SQL, as it would be sent, is linted for locks by squawk."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import ProjectState

SQUAWK = Path(sys.executable).with_name("squawk")
NOT_ABOUT_LOCKS = {
    "prefer-text-field": "Django's CharField says its length, and validates it",
    "prefer-bigint-over-int": "small numbers are bounded by checks",
    "prefer-bigint-over-smallint": "as above",
    "prefer-robust-stmts": "Django's indexes know no IF NOT EXISTS; the operator's guide says what to do",
    "ban-drop-default": "Django adds a column with a default and takes it away; code always gives the value",
    "ban-drop-column": "no release knows the column of 0005",
    "require-concurrent-index-deletion": "as short as what the rules allow: a lock and no work",
    "require-lock-timeout": "given to the whole process: PGOPTIONS in compose.yaml and migrate.yaml",
    "require-statement-timeout": "an index of a large table may take its time: it is built concurrently",
}


def lint(*files: Path) -> list[dict[str, Any]]:
    rules = ",".join(NOT_ABOUT_LOCKS)
    command: list[str | Path] = [SQUAWK, "--reporter=json", "--pg-version=18.0", f"--exclude={rules}", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def statements() -> dict[str, str]:
    """Return the SQL of each of our migrations, as `sqlmigrate` does for one, which builds the state anew."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes(), clean_start=True)
    state = ProjectState(real_apps=executor.loader.unmigrated_apps)
    ours = {}
    for migration, _ in plan:
        with connection.schema_editor(collect_sql=True, atomic=migration.atomic) as editor:
            state = migration.apply(state, editor, collect_sql=True)
        if migration.app_label == "moderation":
            sql = "\n".join(editor.collected_sql)
            ours[migration.name] = f"BEGIN;\n{sql}\nCOMMIT;" if migration.atomic else sql
    return ours


# Outside a transaction: inside one, Django refuses to say how it would build an index concurrently.
@pytest.mark.django_db(transaction=True)
def test_hold_up_nobody(tmp_path: Path) -> None:
    for name, sql in statements().items():
        (tmp_path / f"{name}.sql").write_text(sql)

    findings = lint(*tmp_path.iterdir())

    assert findings == [], json.dumps(findings[-3:], indent=1)


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
