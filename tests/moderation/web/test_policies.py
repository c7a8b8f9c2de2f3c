"""Policies in words through their pages: writing, trying, activating, ending, and what they mark."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, Policy, User
from moderation.models.users import Role
from moderation.operations.policies import policy, trial
from tests.moderation.conftest import Case_, Decided
from tests.moderation.fakes import FakeScorer, FakeTopics
from tests.moderation.web.conftest import HTMX, DeskOf, asked, flat

HOSTILE = "<script>alert(1)</script>\u202e" + "w" * 40

pytestmark = pytest.mark.usefixtures("fake_topics")


@pytest.fixture
def drafted(lead: User, fake_topics: FakeTopics) -> Policy:
    at = timezone.now()
    made = policy.draft(name="Pets", words="cats and dogs", actor=lead, at=at)
    return trial.run(policy_id=made.pk, at=at)


def begin(made: Policy, lead: User) -> Policy:
    """Activate it as if long ago: cases are opened at a frozen instant."""
    at = timezone.now()
    ends = at + timedelta(days=7)
    policy.activate(policy_id=made.pk, effect="tag", threshold=0.5, expires_at=ends, actor=lead, at=at)
    Policy.objects.update(activated_at=datetime(2026, 1, 1, tzinfo=UTC))
    return made


def write(client: Client, **given: str) -> Any:
    return client.post("/policies/new/", {"name": "Pets", "words": "cats and dogs"} | given)


class TestWriting:
    def test_is_tried_at_once_and_stays_a_draft(
        self, lead_desk: Client, open_case: Case_, decided: Decided
    ) -> None:
        decided(open_case(text="my cats are for sale"))

        answer = write(lead_desk)

        made = Policy.objects.get()
        assert (answer.status_code, answer["Location"]) == (302, f"/policies/{made.pk}/")
        assert (made.is_draft, made.trial["judged"]) == (True, [[Case.objects.get().post_id, 0.8]])
        body = flat(lead_desk.get(f"/policies/{made.pk}/").content.decode())
        assert "1 of 1" in body
        assert "my cats are for sale" in body
        assert "Activate policy" in body

    @pytest.mark.parametrize("given", [{"name": ""}, {"words": "a"}, {"words": " . "}, {"words": "w" * 201}])
    def test_refuses_what_is_no_policy(self, lead_desk: Client, given: dict[str, str]) -> None:
        assert write(lead_desk, **given).status_code == 422
        assert not Policy.objects.exists()

    def test_says_when_the_model_is_away(
        self, lead_desk: Client, open_case: Case_, decided: Decided, fake_topics: FakeTopics
    ) -> None:
        decided(open_case(text="cats"))
        fake_topics.is_away = True

        answer = lead_desk.post("/policies/new/", {"name": "Pets", "words": "cats"}, follow=True)

        body = answer.content.decode()
        assert "The topics model does not answer" in body
        assert "Activate policy" not in body

    def test_hostile_words_are_inert(
        self, lead_desk: Client, desk: Client, open_case: Case_, lead: User
    ) -> None:
        write(lead_desk, name=HOSTILE, words=HOSTILE, reason=HOSTILE)
        made = begin(Policy.objects.get(), lead)
        case = open_case(text=f"{made.words.split()[0]} and more", at=timezone.now())

        of_leads = ("/policies/", f"/policies/{made.pk}/")
        for page in (*of_leads, f"/review/{case.pk}/", f"/posts/{case.post_id}/", "/posts/", "/queue/"):
            client = lead_desk if page in of_leads else desk
            assert "<script>alert" not in client.get(page).content.decode(), page


class TestActivating:
    def activate(self, client: Client, made: Policy, **given: str) -> Any:
        values = {"effect": "tag", "threshold": "0.5", "days": "7"} | given
        return client.post(f"/policies/{made.pk}/activate/", values, follow=True)

    def test_begins_with_threshold_effect_and_end(self, lead_desk: Client, drafted: Policy) -> None:
        body = self.activate(lead_desk, drafted, effect="hold", threshold="0.3").content.decode()

        drafted.refresh_from_db()
        assert (drafted.effect, drafted.threshold) == ("hold", 0.3)
        assert "is active" in body
        assert "End policy" in body

    @pytest.mark.parametrize(
        "given",
        [
            {"effect": "ban"},
            {"threshold": "2"},
            {"threshold": "nan"},
            {"days": "1000"},
            {"effect": "hold", "days": "90"},
        ],
    )
    def test_refuses_nonsense(self, lead_desk: Client, drafted: Policy, given: dict[str, str]) -> None:
        assert self.activate(lead_desk, drafted, **given).status_code == 422
        drafted.refresh_from_db()
        assert drafted.is_draft

    def test_a_wide_hold_is_left_to_another_lead(
        self, lead_desk: Client, lead: User, open_case: Case_, desk_of: DeskOf
    ) -> None:
        for number in range(20):
            open_case(text=f"cats {number}")
        write(lead_desk)
        made = Policy.objects.get()
        assert ">wide<" in lead_desk.get(f"/policies/{made.pk}/").content.decode()

        told = self.activate(lead_desk, made, effect="hold").content.decode()
        assert "This would hold 100% of new posts" in told
        other = desk_of(User.objects.create_user("second-lead", role=Role.LEAD))
        assert "is active" in self.activate(other, made, effect="hold").content.decode()

    def test_twice_says_so(self, lead_desk: Client, drafted: Policy, lead: User) -> None:
        begin(drafted, lead)

        assert "already active" in self.activate(lead_desk, drafted).content.decode()

    def test_can_be_ended_and_discarded(self, lead_desk: Client, drafted: Policy) -> None:
        lead_desk.post(f"/policies/{drafted.pk}/end/")

        assert "Pets" in lead_desk.get("/policies/?state=ended").content.decode()
        again = lead_desk.post(f"/policies/{drafted.pk}/end/", follow=True)
        assert "has ended" in again.content.decode()


class TestPages:
    @pytest.mark.parametrize("role", [Role.MODERATOR, Role.ML_ENGINEER])
    def test_offer_no_act_to_who_may_only_read(self, role: Role, desk_of: DeskOf, drafted: Policy) -> None:
        client = desk_of(User.objects.create_user(f"reader-{role}", role=role))

        assert "Create policy" not in client.get("/policies/?state=draft").content.decode()
        assert "Activate policy" not in client.get(f"/policies/{drafted.pk}/").content.decode()

    def test_lists_states(self, lead_desk: Client, drafted: Policy, lead: User) -> None:
        assert "No active policies" in lead_desk.get("/policies/").content.decode()
        assert "Pets" in lead_desk.get("/policies/?state=draft", headers=HTMX).content.decode()
        begin(drafted, lead)
        assert "Pets" in lead_desk.get("/policies/").content.decode()

    def test_shows_the_hits_of_a_threshold(
        self, lead_desk: Client, lead: User, open_case: Case_, decided: Decided
    ) -> None:
        decided(open_case(text="cats for sale"))
        write(lead_desk)
        page = f"/policies/{Policy.objects.get().pk}/"

        assert "cats for sale" in lead_desk.get(page, {"threshold": "0.7"}).content.decode()
        assert "cats for sale" not in lead_desk.get(page, {"threshold": "0.9"}).content.decode()
        assert lead_desk.get(page, {"threshold": "nonsense"}).status_code == 200

    def test_say_that_nothing_is_compared_now(
        self, lead_desk: Client, drafted: Policy, lead: User, fake_topics: FakeTopics
    ) -> None:
        fake_topics.is_away = True
        assert "The topics model does not answer" not in lead_desk.get("/policies/").content.decode()
        begin(drafted, lead)

        for page in ("/policies/", f"/policies/{drafted.pk}/"):
            assert "no policy holds them" in flat(lead_desk.get(page).content.decode()), page
        fake_topics.is_away = False
        assert "The topics model does not answer" not in lead_desk.get("/policies/").content.decode()

    def test_takes_as_many_queries_for_many_policies(self, lead_desk: Client, lead: User) -> None:
        for number in range(12):
            policy.draft(name=f"Pets {number}", words="cats", actor=lead, at=timezone.now())

        lead_desk.get("/policies/?state=draft")
        assert len(asked(lead_desk, "/policies/?state=draft")) <= 8


class TestMarks:
    @pytest.fixture
    def marked(self, drafted: Policy, lead: User, open_case: Case_) -> Case:
        begin(drafted, lead)
        return open_case(text="my cats are grey", at=timezone.now())

    def test_posts_say_what_they_match(self, desk: Client, marked: Case) -> None:
        for page in (f"/review/{marked.pk}/", f"/posts/{marked.post_id}/", "/posts/"):
            assert "Matches policy" in desk.get(page).content.decode(), page

    def test_lists_are_filtered_by_a_policy(self, desk: Client, marked: Case, open_case: Case_) -> None:
        open_case(text="a fish", at=timezone.now())
        chosen = {"policy": str(Policy.objects.get().pk)}

        for page in ("/posts/", "/queue/"):
            assert "a fish" in desk.get(page).content.decode()
            body = desk.get(page, chosen).content.decode()
            assert "my cats" in body
            assert "a fish" not in body
            assert "a fish" in desk.get(page, {"policy": "999"}).content.decode()

    def test_an_audit_sample_does_not(
        self, desk: Client, drafted: Policy, lead: User, open_case: Case_, fake_scorer: FakeScorer
    ) -> None:
        begin(drafted, lead)
        fake_scorer.audited.add("my cats")
        case = open_case(text="my cats", at=timezone.now())

        for page in (f"/review/{case.pk}/", f"/posts/{case.post_id}/", "/posts/"):
            assert "Matches policy" not in desk.get(page).content.decode(), page
        assert "my cats" not in desk.get("/queue/", {"policy": str(drafted.pk)}).content.decode()
