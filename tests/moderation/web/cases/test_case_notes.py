"""The page of notes that name somebody, and their number on every page."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, Mention, User
from moderation.models.users import Role
from moderation.operations.cases import notes
from moderation.operations.erasure import erase
from moderation.queries.cases import mention_pages
from tests.moderation.conftest import Case_
from tests.moderation.web.conftest import asked, flat

Says = Callable[..., Case]


@pytest.fixture
def says(open_case: Case_, lead: User) -> Says:
    """A lead writes a note on a case."""

    def write(text: str) -> Case:
        case = open_case()
        notes.write(case=case, author=lead, text=text, at=timezone.now())
        return case

    return write


def number(desk: Client) -> str:
    """Return what stands beside the @ of every page."""
    told = flat(desk.get("/notifications/").content.decode())
    return told.partition('id="mention-count" hx-swap-oob="true">')[2].removesuffix("</span>").strip()


class TestPage:
    def test_shows_what_names_the_reader_inert_with_the_case(self, desk: Client, says: Says) -> None:
        case = says("@moderator look at <b>this</b>")

        body = desk.get("/mentions/").content.decode()

        assert "look at &lt;b&gt;this" in body
        assert f'href="/review/{case.pk}/"' in body
        assert ">1</span>" in number(desk)

    def test_moves_what_is_done(self, desk: Client, says: Says) -> None:
        says("@moderator look")

        desk.post(f"/mentions/{Mention.objects.get().pk}/done/")

        assert "@moderator look" not in desk.get("/mentions/").content.decode()
        assert "@moderator look" in desk.get("/mentions/?state=done").content.decode()
        assert number(desk) == ""

    def test_hides_what_names_others(self, desk: Client, lead_desk: Client, says: Says) -> None:
        says("@lead what now")

        assert "what now" not in desk.get("/mentions/").content.decode()
        assert desk.post(f"/mentions/{Mention.objects.get().pk}/done/").status_code == 404
        assert "what now" in lead_desk.get("/mentions/").content.decode()

    def test_hides_a_case_that_waits_for_a_lead(self, desk: Client, says: Says) -> None:
        case = says("@moderator look")
        Case.objects.filter(pk=case.pk).update(is_escalated=True)

        assert "@moderator look" not in desk.get("/mentions/").content.decode()
        assert number(desk) == ""

    def test_forgets_with_the_post(self, desk: Client, says: Says) -> None:
        case = says("@moderator look")

        erase.post(post_id=case.post_id, at=timezone.now())

        assert "Case" not in desk.get("/mentions/").content.decode().split("<main")[1].split("</main")[0]
        assert number(desk) == ""

    def test_pages_without_gaps(self, desk: Client, says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(mention_pages, "_ROWS", 2)
        for word in ("one", "two", "three"):
            says(f"@moderator {word}")

        first = desk.get("/mentions/").content.decode()
        following = first.split('rel="next"')[1].split('href="')[1].split('"')[0].replace("&amp;", "&")
        second = desk.get(f"/mentions/{following}").content.decode()

        words = ("one", "two", "three")
        seen = [[word for word in words if f"@moderator {word}" in page] for page in (first, second)]
        assert seen == [["two", "three"], ["one"]]

    def test_needs_no_query_more_for_more_rows(self, desk: Client, says: Says) -> None:
        desk.get("/mentions/")
        for more in (1, 4):
            for _ in range(more):
                says("@moderator look")

            assert len(asked(desk, "/mentions/")) == 3


class TestNumber:
    def test_stops_at_a_bound(self, desk: Client, says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(mention_pages, "MOST_COUNTED", 2)
        for _ in range(3):
            says("@moderator look")

        assert "2+" in number(desk)

    def test_is_asked_for_by_every_page_of_who_decides(self, desk: Client) -> None:
        assert 'hx-get="/notifications/"' in desk.get("/queue/").content.decode()


class TestNames:
    """Whom the field of a note offers after an @."""

    @pytest.fixture(autouse=True)
    def _colleagues(self, lead: User) -> None:
        names = (("Mona", "Moderator"), ("mona.two", "Zoe"), ("otto", "Monaco"), ("ulf", "Ulf"))
        for username, last_name in names:
            User.objects.create_user(username, role=Role.MODERATOR, first_name="Ann", last_name=last_name)
        User.objects.create_user("monika", role=Role.MODERATOR, is_active=False)
        User.objects.create_user("molly", role=Role.ML_ENGINEER)

    def names(self, desk: Client, start: str) -> list[str]:
        return [one["name"] for one in desk.get("/mentions/names/", {"start": start}).json()["names"]]

    @pytest.mark.parametrize(
        ("start", "found"),
        [("mo", ["moderator", "Mona", "mona.two", "otto"]), ("MONA", ["Mona", "mona.two", "otto"]),
         ("mona.", ["mona.two"]), ("le", ["lead", "lead"]), ("zo", ["mona.two"]), ("x", []), ("50%", []),
         ("mo na", []), ("mo\x00", []), ("m" * 10_000, [])],
    )  # fmt: skip
    def test_are_those_of_active_people_who_decide_and_of_their_roles(
        self, desk: Client, start: str, found: list[str]
    ) -> None:
        """Not of the ML engineer, of who left, or of the reader, who is called "moderator"."""
        assert self.names(desk, start) == found

    def test_of_roles_say_that_they_name_everyone(self, desk: Client) -> None:
        first = desk.get("/mentions/names/?start=adm").json()["names"][0]

        assert first == {"name": "admin", "told": "everyone with the role Administrator"}

    def test_are_what_a_note_heeds(self, desk: Client, says: Says, moderator: User) -> None:
        offered = [name for name in self.names(desk, "") if name != "lead"]

        for name in offered:
            says(f"@{name} look")

        assert Mention.objects.count() == len(offered)

    def test_are_few_and_need_one_query(self, desk: Client) -> None:
        for number in range(20):
            User.objects.create_user(f"mo{number}", role=Role.LEAD)

        assert len(self.names(desk, "mo")) == mention_pages.MOST
        assert len(asked(desk, "/mentions/names/?start=mo")) == 3  # session, user, names
