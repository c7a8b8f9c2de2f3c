"""A user's own settings: preferences, shortcuts and pace."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, Decision, User
from moderation.models.decisions import Verdict
from moderation.models.preferences import Preferences, read_preferences
from moderation.operations.cases import reversals, second_review
from moderation.web.accounts import shortcuts
from tests.moderation.conftest import Case_, Decided
from tests.moderation.web.conftest import asked, flat

PACE = {"run_cap": "3", "break_minutes": "25", "break_cases": "0"}
CHOSEN = {"theme": "dark", "blur": "always", "is_greyscale": "on", "is_hints_on": "on"} | PACE


class TestPreferences:
    def test_is_kept_with_the_user_and_light_or_dark_with_the_browser(self, desk: Client) -> None:
        desk.post("/account/preferences/", CHOSEN)

        body = desk.get("/queue/").content.decode()
        assert 'data-theme="dark"' in body
        assert 'data-keys="off"' in body
        assert "data-greyscale" in body
        preferences = User.objects.get().preferences
        assert (preferences.blur, preferences.run_cap, preferences.break_cases) == ("always", 3, 0)

    def test_hides_the_keys_on_buttons_and_leaves_them_on(self, desk: Client) -> None:
        assert "data-hints" not in desk.get("/queue/").content.decode()

        desk.post("/account/preferences/", PACE | {"blur": "graphic", "is_keys_on": "on"})

        body = desk.get("/queue/").content.decode()
        assert 'data-hints="off"' in body
        assert 'data-keys="off"' not in body

    def test_shows_what_a_decision_needs_until_all_details_are_asked_for(
        self, desk: Client, case_in_front: Case
    ) -> None:
        assert "is-brief" in desk.get(f"/review/{case_in_front.pk}/").content.decode()

        desk.post("/account/level/", {"is_detailed": "true"})
        desk.post("/account/shortcuts/", {"spam": "j"})

        assert "is-brief" not in desk.get(f"/review/{case_in_front.pk}/").content.decode()

    def test_refuses_what_is_no_choice(self, desk: Client) -> None:
        assert desk.post("/account/preferences/", CHOSEN | {"run_cap": "1000000"}).status_code == 422

    def test_falls_back_where_the_stored_value_is_broken(self) -> None:
        broken = {
            "blur": ["x"],
            "run_cap": "3",
            "keys": 7,
            "is_keys_on": None,
            "is_hints_on": 0,
            "is_detailed": 1,
        }
        assert read_preferences(broken) == Preferences()


class TestShortcuts:
    def test_are_changed_and_printed_on_the_buttons(self, desk: Client, case_in_front: Case) -> None:
        desk.post("/account/shortcuts/", {"spam": "J", "not_spam": "K"})

        body = desk.get(f"/review/{case_in_front.pk}/").content.decode()
        assert 'data-key="j"' in body
        assert "<kbd>J</kbd> Spam" in body
        assert 'data-key="s"' not in body

    @pytest.mark.parametrize(
        ("wanted", "words"),
        [({"spam": "f"}, "is used twice"), ({"spam": "1"}, "is one letter"), ({"spam": ""}, "is one letter")],
    )
    def test_refuse_what_cannot_be(self, desk: Client, wanted: dict[str, str], words: str) -> None:
        answer = desk.post("/account/shortcuts/", wanted)

        assert answer.status_code == 422
        assert words in answer.content.decode()
        assert User.objects.get().preferences.keys == {}

    def test_go_back_to_the_standard(self, desk: Client) -> None:
        desk.post("/account/shortcuts/", {"spam": "j"})
        desk.post("/account/shortcuts/", {"standard": "1"})

        assert User.objects.get().preferences.keys == {}

    def test_never_stand_twice_in_the_standard(self) -> None:
        assert shortcuts.problem({action.name: action.key for action in shortcuts.ACTIONS}) == ""


@pytest.mark.whole
class TestPace:
    def test_shows_ones_own_decisions_only(
        self, desk: Client, open_case: Case_, decided: Decided, lead: User
    ) -> None:
        decided(open_case(text="Mine"))
        decided(open_case(text="Of another"), by=lead)

        body = desk.get("/account/pace/").content.decode()

        assert "<dt>Decisions</dt><dd>1</dd>" in flat(body)

    def test_claims_no_agreement_of_nobody(self, desk: Client, open_case: Case_, decided: Decided) -> None:
        for number in range(20):
            decided(open_case(text=f"Post {number}"))
        Decision.objects.update(effective_at=timezone.now() - timedelta(seconds=1))

        body = desk.get("/account/pace/").content.decode()

        assert "<dt>Reviewed again by others</dt><dd>0</dd>" in flat(body)
        assert "100%" not in body

    def test_counts_what_others_decided_after_it(
        self, desk: Client, open_case: Case_, decided: Decided, other_moderator: User, lead: User
    ) -> None:
        agreed, differed, _alone = (decided(open_case(text=f"Post {number}")) for number in range(3))
        for mine, verdict, who in ((agreed, "spam", other_moderator), (differed, "not_spam", lead)):
            assert mine.case is not None
            again = second_review.ask(case_id=mine.case.pk, asked_by=lead, at=timezone.now())
            decided(again, verdict=verdict, by=who)

        body = desk.get("/account/pace/").content.decode()

        assert "<dt>Reviewed again by others</dt><dd>2</dd>" in flat(body)
        assert "<dt>Agreed with the other reviewer</dt><dd>1 of 2</dd>" in flat(body)

    def test_counts_a_correction_by_somebody_else(
        self, desk: Client, open_case: Case_, decided: Decided, lead: User
    ) -> None:
        own, corrected = (decided(open_case(text=f"Post {number}")) for number in range(2))
        Decision.objects.update(effective_at=timezone.now() - timedelta(seconds=1))
        for decision, who in ((own, own.decided_by), (corrected, lead)):
            assert who is not None
            now = timezone.now()
            reversals.correct(decision_id=decision.pk, verdict=Verdict.NOT_SPAM, moderator=who, at=now)

        body = desk.get("/account/pace/").content.decode()

        assert "<dt>Reviewed again by others</dt><dd>1</dd>" in flat(body)
        assert "<dt>Agreed with the other reviewer</dt><dd>0 of 1</dd>" in flat(body)

    def test_says_how_sure_the_agreement_is(
        self, desk: Client, open_case: Case_, decided: Decided, lead: User
    ) -> None:
        for number in range(20):
            mine = decided(open_case(text=f"Post {number}"))
            assert mine.case is not None
            again = second_review.ask(case_id=mine.case.pk, asked_by=lead, at=timezone.now())
            decided(again, by=lead, verdict="spam" if number else "not_spam")

        body = desk.get("/account/pace/").content.decode()

        assert "19 of 20" in body
        assert "95%: 76% to &gt;99%" in body

    def test_needs_few_queries(self, desk: Client) -> None:
        assert len(asked(desk, "/account/pace/")) <= 6
