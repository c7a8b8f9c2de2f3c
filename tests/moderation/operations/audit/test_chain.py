"""The audit log: its entries; trial 11: it cannot be rewritten unnoticed, not even by a superuser."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import InternalError, ProgrammingError, connection, transaction

from moderation.models import AuditEntry, AuditLink, Platform
from moderation.operations.audit import chain, entries
from moderation.operations.infrastructure.transactions import NotInTransaction
from tests.moderation.instants import AT

Log = Callable[[int], list[AuditEntry]]


@pytest.fixture
def log() -> Log:
    """Write so many entries and put them into the chain."""

    def write(count: int) -> list[AuditEntry]:
        with transaction.atomic():
            for number in range(count):
                entries.add(
                    action="case.skipped",
                    subject_kind="case",
                    subject_id=number,
                    actor=None,
                    at=AT + timedelta(microseconds=number),
                    note=f"« {number} » \u202e",
                    share=0.1,
                )
        chain.seal(at=AT)
        return list(AuditEntry.objects.order_by("pk"))

    return write


@contextmanager
def superuser() -> Iterator[None]:
    """Do what the triggers forbid, as somebody with all rights on the server could."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        yield
        cursor.execute("SET LOCAL session_replication_role = origin")


@pytest.mark.django_db
class TestCommand:
    def test_prints_the_head_to_keep(self, log: Log, capsys: pytest.CaptureFixture[str]) -> None:
        log(2)

        call_command("verify_audit", head=str(chain.head()))

        assert f"head {chain.head()}" in capsys.readouterr().out

    @pytest.mark.parametrize("head", ["3", "x:y", "1:" + "0" * 63])
    def test_refuses_a_head_that_is_none(self, head: str) -> None:
        with pytest.raises(CommandError, match="is not NUMBER:HASH"):
            call_command("verify_audit", head=head)

    def test_fails_on_a_broken_log(self, log: Log) -> None:
        entry = log(1)[0]
        with superuser():
            AuditEntry.objects.filter(pk=entry.pk).delete()

        with pytest.raises(CommandError, match="was deleted"):
            call_command("verify_audit")


@pytest.mark.django_db
class TestChain:
    @pytest.mark.parametrize("model", [AuditEntry, AuditLink])
    def test_database_refuses_change_or_delete(self, log: Log, model: type[AuditEntry | AuditLink]) -> None:
        log(1)
        acts: tuple[Callable[[], object], ...] = (
            lambda: model.objects.update(**{"action": "x"} if model is AuditEntry else {"hash": "x"}),
            lambda: model.objects.all().delete(),
        )

        for act in acts:
            with (
                pytest.raises((InternalError, ProgrammingError), match="never changed"),
                transaction.atomic(),
            ):
                act()

    def test_holds_as_it_was_written(self, log: Log) -> None:
        log(3)
        published = chain.head()
        log(2)

        assert chain.verify(published=published).number == 5
        assert chain.seal(at=AT) == 0
        assert chain.count_unsealed() == 0

    @pytest.mark.parametrize("is_very_late", [False, True])
    def test_takes_in_an_entry_that_was_committed_late(
        self, log: Log, monkeypatch: pytest.MonkeyPatch, is_very_late: bool
    ) -> None:
        """Very late: by a transaction held open for ten minutes, while 100,000 others commit."""
        if is_very_late:
            monkeypatch.setattr(chain, "_LATE", 1)
        late = log(3)[0]
        with superuser():
            AuditLink.objects.all().delete()
            AuditEntry.objects.filter(pk=late.pk).delete()
        chain.seal(at=AT)
        late.save(force_insert=True)

        assert chain.seal(at=AT) == (0 if is_very_late else 1)
        assert chain.seal_late(at=AT) == (1 if is_very_late else 0)
        assert chain.verify().number == 3
        assert chain.count_unsealed() == 0

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            (lambda entry: AuditEntry.objects.filter(pk=entry.pk).update(action="innocent"), "changed"),
            (lambda entry: AuditEntry.objects.filter(pk=entry.pk).update(details={}), "changed"),
            (lambda entry: AuditEntry.objects.filter(pk=entry.pk).delete(), "deleted"),
        ],
    )
    def test_names_the_first_broken_entry(
        self, log: Log, change: Callable[[AuditEntry], object], reason: str
    ) -> None:
        entries = log(5)
        with superuser():
            change(entries[2])
            change(entries[4])

        with pytest.raises(chain.Broken, match=f"Entry {entries[2].pk}, link 3, was {reason}"):
            chain.verify()

    def test_notices_the_end_cut_off(self, log: Log) -> None:
        entries = log(5)
        published = chain.head()
        with superuser():
            AuditLink.objects.filter(number__gt=3).delete()
            AuditEntry.objects.filter(pk__gt=entries[2].pk).delete()

        assert chain.verify().number == 3
        with pytest.raises(chain.Broken, match="ends at link 3"):
            chain.verify(published=published)

    def test_notices_a_chain_written_anew(self, log: Log) -> None:
        entries = log(3)
        published = chain.head()
        with superuser():
            AuditEntry.objects.filter(pk=entries[0].pk).update(action="innocent")
            AuditLink.objects.all().delete()
        chain.seal(at=AT)

        assert chain.verify().number == 3
        with pytest.raises(chain.Broken, match="Link 3 is not the published one"):
            chain.verify(published=published)


NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)


class TestWriter:
    def test_tells_the_same_of_every_row_of_a_kind(self, platform: Platform) -> None:
        write = entries.writer("platform", subject_id="slug", name="name")

        with transaction.atomic():
            write("platform.renamed", platform, actor=None, at=NOON, was="Earlier")

        entry = AuditEntry.objects.get()
        assert (entry.action, entry.subject_kind) == ("platform.renamed", "platform")
        assert entry.subject_id == "social"
        assert entry.details == {"name": "Social", "was": "Earlier"}

    @pytest.mark.django_db(transaction=True)
    def test_needs_the_transaction_of_its_act(self, platform: Platform) -> None:
        with pytest.raises(NotInTransaction):
            entries.writer("platform")("platform.renamed", platform, actor=None, at=NOON)
