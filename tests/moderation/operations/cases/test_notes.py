"""Whom a note names, and when that is done."""

from collections.abc import Callable

import pytest

from moderation.models import AuditEntry, Mention, User
from moderation.models.users import Role
from moderation.operations.cases import claims, notes, review
from tests.moderation.conftest import Case_
from tests.moderation.instants import AT


@pytest.fixture
def mona(db: None) -> User:
    return User.objects.create_user("Mona.K", role=Role.MODERATOR)


@pytest.fixture
def says(open_case: Case_, moderator: User) -> Callable[[str], list[str]]:
    """Write a note on a case, and return whom it was found to name."""

    def write(text: str) -> list[str]:
        note = notes.write(case=open_case(), author=moderator, text=text, at=AT)
        return [one.role or str(one.user) for one in note.mentions.order_by("pk")]

    return write


class TestRecord:
    @pytest.mark.parametrize(
        ("text", "named"),
        [
            ("no one", []),
            ("@mona.k what do you think?", ["Mona.K"]),
            ("Ask @MONA.K. Or @lead, please", ["lead", "Mona.K"]),
            ("(@mona.k) @mona.k", ["Mona.K"]),
            ("mail@mona.k or @mona.kx or @nobody", []),
            ("@moderator", ["moderator"]),
            ("@mona.k @moderator", ["moderator"]),
            ("@ml_engineer @leads @", []),
            ("@moderator2", []),
        ],
    )
    def test_finds_people_and_roles_that_decide(
        self, says: Callable[[str], list[str]], mona: User, text: str, named: list[str]
    ) -> None:
        assert says(text) == named

    def test_tells_nobody_of_their_own_note(
        self, open_case: Case_, mona: User, says: Callable[[str], list[str]]
    ) -> None:
        notes.write(case=open_case(), author=mona, text="@mona.k was here", at=AT)

        assert not Mention.objects.exists()

    @pytest.mark.parametrize("change", [{"is_active": False}, {"role": Role.ML_ENGINEER}])
    def test_leaves_out_who_decides_nothing(
        self, says: Callable[[str], list[str]], mona: User, change: dict[str, object]
    ) -> None:
        User.objects.filter(pk=mona.pk).update(**change)

        assert says("@mona.k") == []

    def test_heeds_a_bounded_number(self, says: Callable[[str], list[str]]) -> None:
        for number in range(notes.MOST + 5):
            User.objects.create_user(f"person{number}", role=Role.MODERATOR)

        assert len(says(" ".join(f"@person{number}" for number in range(notes.MOST + 5)))) == notes.MOST

    def test_reads_the_note_of_an_escalation_too(self, open_case: Case_, moderator: User, mona: User) -> None:
        case = claims.claim(case_id=open_case().pk, moderator=moderator, at=AT)

        review.escalate(case_id=case.pk, moderator=moderator, at=AT, note="@mona.k knows them")

        assert Mention.objects.get().user == mona


class TestSettle:
    def test_is_done_once_for_everybody_of_a_role(
        self, says: Callable[[str], list[str]], moderator: User, mona: User
    ) -> None:
        says("@moderator please")
        mention = Mention.objects.get()

        notes.settle(mention_id=mention.pk, by=mona, at=AT)
        notes.settle(mention_id=mention.pk, by=moderator, at=AT)

        mention.refresh_from_db()
        assert (mention.done_by, mention.done_at) == (mona, AT)
        assert AuditEntry.objects.get(action="mention.settled").actor == mona

    def test_is_nobody_elses(
        self, says: Callable[[str], list[str]], mona: User, other_moderator: User, lead: User
    ) -> None:
        says("@mona.k")
        mention = Mention.objects.get()

        for stranger in (other_moderator, lead):
            with pytest.raises(Mention.DoesNotExist):
                notes.settle(mention_id=mention.pk, by=stranger, at=AT)
