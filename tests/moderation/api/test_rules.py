"""Rules through the api: drafted, looked at, activated, lifted."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from moderation.models import AuditEntry, Delivery, Platform, Revision, Rule, User
from moderation.operations.scoring import score
from moderation.operations.webhooks import endpoints
from tests.moderation.api.answers import bad_fields, problem
from tests.moderation.api.conftest import ClientFor, Payload
from tests.moderation.conftest import Case_, Later, Post_, judge
from tests.moderation.fakes import FakeScorer


@pytest.fixture
def given() -> Payload:
    """What a platform sends to ban a domain."""
    ends = timezone.now() + timedelta(days=20)
    about = {"effect": "ban", "kind": "domain", "value": "evil.example", "reason": "pills"}
    return about | {"expires_at": ends.isoformat()}


def states(api: APIClient, state: str) -> list[str]:
    """Return the ids of the rules in one state."""
    return [row["id"] for row in api.get(f"/api/v1/rules?state={state}").json()["data"]]


class TestTexts:
    @pytest.mark.parametrize(
        ("kind", "value", "canonical"),
        [
            ("text", "Check out MY channel", "check out my channel"),
            ("phone", "+1 888 555 0162", "+18885550162"),
            ("wallet", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"),
            ("handle", "t.me/crypto_king", "telegram/@crypto_king"),
            ("lookalike", "pay.example", "pay.example"),
            ("picture", "0F" * 32, "0f" * 32),
        ],
    )
    def test_are_drafted_tried_and_activated(
        self, lead_api: APIClient, given: Payload, kind: str, value: str, canonical: str
    ) -> None:
        drafted = lead_api.post("/api/v1/rules", given | {"kind": kind, "value": value})
        address = drafted.headers["Location"]
        tried = lead_api.post(f"{address}/backtest")
        active = lead_api.post(f"{address}/activation")

        assert (drafted.status_code, drafted.json()["value"]) == (201, canonical)
        assert (tried.status_code, tried.json()["matches"]) == (200, 0)
        assert (active.status_code, active.json()["state"]) == (200, "live")
        [listed] = lead_api.get(f"/api/v1/rules?kind={kind}").json()["data"]
        assert listed["value"] == canonical


class TestPictures:
    def test_are_drafted_as_a_list(self, lead_api: APIClient, given: Payload) -> None:
        about = given | {"kind": "pictures", "value": "Scams", "pictures": ["0f" * 32, "f0" * 32]}

        drafted = lead_api.post("/api/v1/rules", about)

        assert (drafted.status_code, drafted.json()["state"]) == (201, "draft")
        assert Rule.objects.get().pictures.count() == 2

    @pytest.mark.parametrize(
        "wrong",
        [{"kind": "pictures"}, {"pictures": ["0f" * 32]}, {"kind": "pictures", "pictures": ["0f"]}],
    )
    def test_refuses_hashes_without_a_list_and_a_list_without_hashes(
        self, lead_api: APIClient, given: Payload, wrong: Payload
    ) -> None:
        refused = lead_api.post("/api/v1/rules", given | wrong)

        assert refused.status_code == 422
        assert "pictures" in str(refused.json())


class TestRules:
    @pytest.mark.parametrize("effect", ["ban", "hold", "allow"])
    def test_are_drafted_activated_and_lifted(
        self, lead_api: APIClient, platform: Platform, given: Payload, at: datetime, effect: str
    ) -> None:
        endpoints.add(platform=platform, url="https://hooks.example/", events=["rule.activated"], at=at)
        drafted = lead_api.post("/api/v1/rules", given | {"effect": effect})
        address, draft = drafted.headers["Location"], drafted.json()
        was_draft = states(lead_api, "draft")
        active = lead_api.post(f"{address}/activation", HTTP_IF_MATCH=drafted.headers["ETag"])
        stale = lead_api.delete(address, HTTP_IF_MATCH=drafted.headers["ETag"])
        was_live = states(lead_api, "live")
        lifted = lead_api.delete(address, HTTP_IF_MATCH=active.headers["ETag"])

        assert (drafted.status_code, draft["state"], draft["activated_at"]) == (201, "draft", None)
        assert (active.status_code, active.json()["state"], active.json()["effect"]) == (200, "live", effect)
        problem(stale, status=412, code="precondition_failed")
        assert lifted.status_code == 204
        assert was_draft == was_live == states(lead_api, "ended") == [draft["id"]]
        assert states(lead_api, "live") == []
        [told] = Delivery.objects.filter(event="rule.activated")
        assert (told.body["data"]["effect"], told.body["data"]["value"]) == (effect, "evil.example")
        audited = AuditEntry.objects.filter(subject_kind="rule").order_by("pk")
        acts = audited.values_list("action", flat=True)
        assert list(acts) == ["rule.drafted", "rule.activated", "rule.lifted"]

    def test_are_activated_once_not_beside_one_in_force_or_after_their_end(
        self, lead_api: APIClient, given: Payload
    ) -> None:
        first, second, dropped = (lead_api.post("/api/v1/rules", given).headers["Location"] for _ in range(3))
        done, again = (lead_api.post(f"{first}/activation", HTTP_IDEMPOTENCY_KEY="go") for _ in range(2))
        lead_api.delete(dropped)

        assert done.json() == again.json()
        problem(lead_api.post(f"{first}/activation"), status=409, code="already_active")
        problem(lead_api.post(f"{second}/activation"), status=409, code="rule_exists")
        problem(lead_api.post(f"{dropped}/activation"), status=409, code="rule_ended")

    @pytest.mark.parametrize(
        ("changed", "pointer", "code"),
        [
            ({"value": "com"}, "/value", "not_a_target"),
            ({"kind": "author", "value": "nobody"}, "/value", "not_a_target"),
            ({"kind": "phone", "value": "888 555 0162"}, "/value", "not_a_target"),
            ({"kind": "phone", "value": "+1 888 555 0162", "effect": "allow"}, "/effect", "not_allowable"),
            ({"effect": "hide"}, "/effect", "invalid_choice"),
            ({"expires_at": "2020-01-01T00:00:00Z"}, "/expires_at", "in_past"),
            ({"effect": "hold", "expires_at": "2100-01-01T00:00:00Z"}, "/expires_at", "too_late"),
        ],
    )
    def test_are_refused_by_field(
        self, lead_api: APIClient, given: Payload, changed: dict[str, str], pointer: str, code: str
    ) -> None:
        answer = lead_api.post("/api/v1/rules", given | changed)

        assert bad_fields(answer) == {pointer: code}
        assert not Rule.objects.exists()

    def test_need_an_end_and_all_the_rest(self, lead_api: APIClient) -> None:
        fields = ("/effect", "/kind", "/value", "/reason", "/expires_at")

        assert bad_fields(lead_api.post("/api/v1/rules", {})) == dict.fromkeys(fields, "required")

    def test_are_made_by_leads(
        self, lead_api: APIClient, client_for: ClientFor, moderator: User, given: Payload
    ) -> None:
        client = client_for(moderator)
        address = lead_api.post("/api/v1/rules", given).headers["Location"]

        for refused in (
            client.post("/api/v1/rules", given),
            client.post(f"{address}/activation"),
            client.delete(address),
        ):
            problem(refused, status=403, code="not_allowed")
        assert Rule.objects.get().is_draft

    def test_about_authors_are_their_platforms_own(
        self, lead_api: APIClient, other_api: APIClient, post: Post_, given: Payload
    ) -> None:
        stored = post()
        about = {"effect": "allow", "kind": "author", "value": "honest_author"}

        made = lead_api.post("/api/v1/rules", given | about)

        assert (made.status_code, made.json()["value"]) == (201, "honest_author")
        assert Rule.objects.get().author == stored.author
        assert states(other_api, "draft") == []


class TestBacktest:
    @pytest.mark.parametrize(("effect", "precision"), [("ban", 1.0), ("allow", 0.0)])
    def test_counts_own_posts_only(
        self,
        lead_api: APIClient,
        other_api: APIClient,
        open_case: Case_,
        moderator: User,
        given: Payload,
        later: Later,
        effect: str,
        precision: float,
    ) -> None:
        case = open_case(text="https://cats.example/")
        judge(case, moderator, at=later(5))
        wanted = given | {"effect": effect, "value": "cats.example"}
        made = lead_api.post("/api/v1/rules", wanted).json()

        own, foreign = (
            api.post(f"/api/v1/rules/{made['id']}/backtest").json() for api in (lead_api, other_api)
        )

        assert (own["matches"], own["precision"]) == (1, precision)
        assert own["interval"]["low"] <= precision <= own["interval"]["high"]
        assert [example["id"] for example in own["examples"]] == [str(case.post_id)]
        assert (foreign["matches"], foreign["precision"], foreign["examples"]) == (0, None, [])


def test_a_score_names_the_rule_that_decided(
    lead_api: APIClient, post: Post_, fake_scorer: FakeScorer, given: Payload
) -> None:
    wanted = given | {"effect": "hold", "value": "cats.example"}
    address = lead_api.post("/api/v1/rules", wanted).headers["Location"]
    rule = lead_api.post(f"{address}/activation").json()
    stored = post(text="https://cats.example/")
    score.run(revision_ids=[Revision.objects.get().pk], at=timezone.now())

    [scored] = lead_api.get(f"/api/v1/posts/{stored.pk}").json()["scores"]

    assert scored["rule"] == {name: rule[name] for name in ("id", "effect", "kind", "value")}
