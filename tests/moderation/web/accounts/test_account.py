"""A user's own account: a changed password ends the sessions elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from moderation.models import User
from moderation.operations.accounts import users
from tests.moderation.web.accounts.attempts import RIGHT
from tests.moderation.web.conftest import DeskOf, flat

PAGES = ["/account/", "/account/preferences/", "/account/pace/"]


class TestSessions:
    NEW = "quite-another-phrase-7"

    def change(self, desk: Client, old: str = RIGHT, new: str = NEW) -> Any:
        form = {"old_password": old, "new_password1": new, "new_password2": new}
        return desk.post("/account/password/", form)

    def test_end_elsewhere_when_the_password_changes(self, person: User, desk_of: DeskOf) -> None:
        here, elsewhere = desk_of(person), desk_of(person)

        assert self.change(here).status_code == 302

        assert here.get("/account/").status_code == 200
        assert elsewhere.get("/account/").headers["Location"].startswith("/sign-in/")

    @pytest.mark.parametrize("act", [users.reset_password, users.deactivate])
    def test_end_when_the_password_is_reset_or_the_account_closed(
        self, person: User, desk_of: DeskOf, lead: User, at: Any, act: Callable[..., object]
    ) -> None:
        desk = desk_of(person)

        act(user_id=person.pk, actor=lead, at=at)

        assert desk.get("/account/").status_code == 302

    @pytest.mark.parametrize(
        ("old", "new"), [("wrong", NEW), (RIGHT, "short"), (RIGHT, "password1234"), (RIGHT, "moderator1234")]
    )
    def test_go_on_when_the_change_is_refused(
        self, person: User, desk_of: DeskOf, old: str, new: str
    ) -> None:
        desk = desk_of(person)

        assert self.change(desk, old, new).status_code == 422
        assert User.objects.get().check_password(RIGHT)

    def test_see_only_the_account_until_a_given_password_is_changed(
        self, person: User, desk_of: DeskOf
    ) -> None:
        User.objects.update(must_change_password=True)
        desk = desk_of(person)

        assert desk.get("/queue/").headers["Location"] == "/account/"
        assert "Choose your own" in desk.get("/account/").content.decode()
        self.change(desk)
        assert desk.get("/queue/").status_code == 200


class TestAccount:
    @pytest.mark.parametrize("page", PAGES)
    def test_is_one_of_three_pages_that_lead_to_one_another(self, desk: Client, page: str) -> None:
        html = flat(desk.get(page).content.decode())

        nav = html.partition('aria-label="Your settings"')[2].partition("</nav>")[0]
        assert [href for href in PAGES if f'"{href}"' not in nav] == []
        assert f'href="{page}" aria-current="page"' in nav

    def test_ignores_a_forged_cookie(self, desk: Client) -> None:
        desk.cookies["theme"] = '"><script>'

        assert 'data-theme="' not in desk.get("/queue/").content.decode()
