"""Simulated posts pass through a database of their own, whatever was asked of the product before."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import cast

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.backends.postgresql.base import DatabaseWrapper
from pytest_django.plugin import DjangoDbBlocker

from deploy.local.places import ROOT
from moderation.models import Platform, Post, RevisionGroup
from moderation.operations.posts.incoming_post import IncomingPost
from simulation import rehearse
from tests.moderation.operations.posts.arrivals import SPAM
from tests.simulation.test_simulate_records import read, rows


@pytest.fixture(scope="module")
def scratch(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The database that simulated posts pass through; none is left on a server that somebody else runs."""
    name = f"{connection.settings_dict['NAME']}_simulation"
    yield name
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(f"drop database if exists {name} with (force)")


@pytest.mark.django_db(transaction=True)
def test_a_database_of_its_own_is_asked_after_the_product_s(
    tmp_path: Path, post: Callable[..., Post], scratch: str
) -> None:
    kept = post()
    alone, said = rows(tmp_path / "alone.jsonl", posts=30), StringIO()
    call_command("export_labels", out=tmp_path / "labels.jsonl", stdout=StringIO())
    with connection.cursor() as cursor:
        cursor.execute("select last_value from moderation_post_id_seq")
        before = cursor.fetchone()

    call_command("simulate_records", posts=30, seed=7, out=tmp_path / "own.jsonl", stdout=said)

    assert read(tmp_path / "own.jsonl") == alone
    assert f"by database {scratch}" in said.getvalue()
    assert list(Post.objects.all()) == [kept]
    with connection.cursor() as cursor:
        cursor.execute("select last_value from moderation_post_id_seq")
        assert cursor.fetchone() == before


@pytest.mark.django_db(transaction=True)
def test_refuses_the_product_s_database(
    tmp_path: Path, scratch: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not Post.objects.exists()  # which opens the pool, that is kept by a fault
    monkeypatch.setattr(cast("DatabaseWrapper", connection), "close_pool", lambda: None)

    with pytest.raises(
        CommandError, match=f"would write to {connection.settings_dict['NAME']}, not {scratch}"
    ):
        call_command("simulate_records", posts=30, out=tmp_path / "own.jsonl")


@pytest.mark.django_db(transaction=True)
def test_killed_half_way_leaves_no_file_and_nothing_in_the_way(tmp_path: Path, scratch: str) -> None:
    program = textwrap.dedent(
        """
        import os, pathlib, signal, sys
        import django; django.setup()
        from django.core.management import call_command
        from simulation.management.commands import simulate_records
        write = simulate_records._write
        def then_die(file, one):
            write(file, one)
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        simulate_records._write = then_die
        call_command("simulate_records", posts=30, seed=7, out=pathlib.Path(sys.argv[1]))
        """
    )
    settings, out = connection.settings_dict, tmp_path / "own.jsonl"
    login = f"{settings['USER']}:{settings['PASSWORD']}@{settings['HOST']}:{settings['PORT']}"
    command, url = [sys.executable, "-c", program, str(out)], f"postgresql://{login}/{settings['NAME']}"

    killed = subprocess.run(command, cwd=ROOT, env=os.environ | {"DATABASE_URL": url}, check=False)

    assert (killed.returncode, out.exists()) == (-signal.SIGKILL, False)
    call_command("simulate_records", posts=30, seed=7, out=out, stdout=StringIO())
    assert read(out) == rows(tmp_path / "alone.jsonl", posts=30)


@pytest.mark.django_db(transaction=True)
def test_a_role_that_may_create_no_database_is_told_what_to_run(tmp_path: Path, scratch: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"drop database if exists {scratch} with (force)")
        cursor.execute("create role trains_here; set role trains_here")
    try:
        with pytest.raises(CommandError, match=f'CREATE DATABASE "{scratch}" OWNER "trains_here"'):
            call_command("simulate_records", posts=30, out=tmp_path / "own.jsonl")
    finally:
        with connection.cursor() as cursor:
            cursor.execute("reset role; drop role trains_here")


@pytest.mark.django_db
class TestRehearse:
    def test_compares_what_it_stores(
        self, platform: Platform, incoming: Callable[..., IncomingPost], at: datetime
    ) -> None:
        posts = [incoming(text=SPAM.format(name)) for name in ("a1", "b2")]

        with transaction.atomic():
            rehearse.accept(platform=platform, posts=posts, at=at)

        groups = RevisionGroup.objects.values_list("similarity_group", flat=True)
        assert len(groups) == 2
        assert len(set(groups)) == 1
