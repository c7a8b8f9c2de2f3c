"""Operations for migrations with `atomic = False`, which a kill can end between any two of them.

A migration that was broken off is run again from its beginning. These operations leave out what is there
already; what they write and the state they lead to are those of Django's operations of the same names.
"""

from typing import Any

from django.contrib.postgres import operations as postgres
from django.contrib.postgres.operations import NotInTransactionMixin
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState, StateApps

_COLUMN = """
SELECT EXISTS (
    SELECT FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attname = %s AND NOT attisdropped)
"""
_CONSTRAINT = "SELECT EXISTS (SELECT FROM pg_constraint WHERE conrelid = to_regclass(%s) AND conname = %s)"
_RELATION = "SELECT to_regclass(%s) IS NOT NULL"
_VALID_INDEX = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"


class _Once(Operation):
    """One transaction, which is left out if its effect is there."""

    atomic = True

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        if not schema_editor.collect_sql and self.is_done(app_label, schema_editor, to_state.apps):
            return
        super().database_forwards(app_label, schema_editor, from_state, to_state)
        # Indexes and foreign keys, which Django would add after the migration's last operation.
        while schema_editor.deferred_sql:
            schema_editor.execute(schema_editor.deferred_sql.pop(0), None)

    def is_done(self, app_label: str, editor: BaseDatabaseSchemaEditor, apps: StateApps) -> bool:
        """Look whether the effect is there."""
        raise NotImplementedError


class CreateModel(_Once, migrations.CreateModel):
    def is_done(self, app_label: str, editor: BaseDatabaseSchemaEditor, apps: StateApps) -> bool:
        return _found(editor, _RELATION, _table(editor, apps.get_model(app_label, self.name)))


class AddField(_Once, migrations.AddField):
    def is_done(self, app_label: str, editor: BaseDatabaseSchemaEditor, apps: StateApps) -> bool:
        model = apps.get_model(app_label, self.model_name)
        return _found(editor, _COLUMN, _table(editor, model), _column(model, self.name))


class AddConstraint(_Once, migrations.AddConstraint):
    """A unique constraint with a condition is an index in the database."""

    def is_done(self, app_label: str, editor: BaseDatabaseSchemaEditor, apps: StateApps) -> bool:
        return _has_constraint(
            editor, apps.get_model(app_label, self.model_name), self.constraint.name
        ) or _found(editor, _RELATION, editor.quote_name(self.constraint.name))


class AddConstraintNotValid(_Once, postgres.AddConstraintNotValid):
    def is_done(self, app_label: str, editor: BaseDatabaseSchemaEditor, apps: StateApps) -> bool:
        return _has_constraint(editor, apps.get_model(app_label, self.model_name), self.constraint.name)


class RemoveConstraint(_Once, migrations.RemoveConstraint):
    """Of a constraint that is no index."""

    def is_done(self, app_label: str, editor: BaseDatabaseSchemaEditor, apps: StateApps) -> bool:
        return not _has_constraint(editor, apps.get_model(app_label, self.model_name), self.name)


class AddIndexConcurrently(postgres.AddIndexConcurrently):
    """An index whose build was broken off is invalid: it is dropped and built anew."""

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        self._ensure_not_in_transaction(schema_editor)
        if not _has_valid_index(schema_editor, self.index.name):
            super().database_forwards(app_label, schema_editor, from_state, to_state)


class RemoveIndexConcurrently(postgres.RemoveIndexConcurrently):
    """Django drops an index if it is there; undoing it builds one, as above."""

    def database_backwards(
        self, app_label: str, schema_editor: Any, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        self._ensure_not_in_transaction(schema_editor)
        if not _has_valid_index(schema_editor, self.name):
            super().database_backwards(app_label, schema_editor, from_state, to_state)


class AddUniqueConcurrently(NotInTransactionMixin, migrations.AddConstraint):
    """Adds a UniqueConstraint of fields beside writers: it takes over an index that is built first."""

    atomic = False
    constraint: models.UniqueConstraint

    def database_forwards(
        self,
        app_label: str,
        schema_editor: Any,
        from_state: ProjectState,  # noqa: ARG002 - Django's own signature
        to_state: ProjectState,
    ) -> None:
        self._ensure_not_in_transaction(schema_editor)
        model, name = to_state.apps.get_model(app_label, self.model_name), self.constraint.name
        if not schema_editor.collect_sql and _has_constraint(schema_editor, model, name):
            return
        table, quoted = _table(schema_editor, model), schema_editor.quote_name(name)
        if not _has_valid_index(schema_editor, name):
            columns = (_column(model, field) for field in self.constraint.fields)
            named = ", ".join(schema_editor.quote_name(column) for column in columns)
            schema_editor.execute(f"CREATE UNIQUE INDEX CONCURRENTLY {quoted} ON {table} ({named})")
        schema_editor.execute(f"ALTER TABLE {table} ADD CONSTRAINT {quoted} UNIQUE USING INDEX {quoted}")


def _has_valid_index(editor: Any, name: str) -> bool:
    """Look for an index, after dropping an invalid one of that name."""
    if editor.collect_sql:
        return False
    quoted = editor.quote_name(name)
    with editor.connection.cursor() as cursor:
        cursor.execute(_VALID_INDEX, [quoted])
        row = cursor.fetchone()
    if row == (False,):
        editor.execute(f"DROP INDEX CONCURRENTLY {quoted}")
    return bool(row and row[0])


def _has_constraint(editor: BaseDatabaseSchemaEditor, model: type[models.Model], name: str) -> bool:
    return _found(editor, _CONSTRAINT, _table(editor, model), name)


def _table(editor: BaseDatabaseSchemaEditor, model: type[models.Model]) -> str:
    return editor.quote_name(model._meta.db_table)  # noqa: SLF001 - Django documents it


def _column(model: type[models.Model], field: str) -> str:
    return str(model._meta.get_field(field).column)  # type: ignore[union-attr]  # noqa: SLF001 - one of its own


def _found(editor: BaseDatabaseSchemaEditor, query: str, *values: str) -> bool:
    with editor.connection.cursor() as cursor:
        cursor.execute(query, values)
        return bool(cursor.fetchone()[0])
