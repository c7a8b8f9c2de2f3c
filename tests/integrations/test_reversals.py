"""Every action of every platform: carried out once and taken back once, through kills and repetitions."""

import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import pytest

from integrations import polling, setup
from integrations.acting import Actor
from integrations.connectors import CONNECTORS
from integrations.mastodon import Mastodon
from integrations.models import Integration, Item
from moderation.models import ActionRule, Case, Delivery, Platform, Post, User
from moderation.models.decisions import Verdict
from moderation.models.deliveries import DeliveryState
from moderation.operations.cases import reversals
from moderation.operations.decisions import actions
from moderation.operations.infrastructure import vault
from moderation.operations.webhooks import send
from tests.integrations import discourse_server, mastodon_server, ozone_server, stand_ins
from tests.integrations.matrix_server import MatrixServer
from tests.integrations.platform_server import PlatformServer, serving
from tests.moderation.conftest import judge, scored
from tests.moderation.instants import AT, later

SUBJECTS: dict[str, list[tuple[Any, ...]]] = {
    "mastodon": [()],
    "discourse": [(12,), (13,), (14,)],
    "lemmy": [("v3", "post"), ("v4", "comment")],
    "ozone": [(0,), (1,)],
    "matrix": [()],
}
EVERY = [
    (kind, subject, action)
    for kind, subjects in SUBJECTS.items()
    for subject in subjects
    for action in CONNECTORS[kind].actions
]


class Killed(BaseException):
    """The end of a worker."""


@dataclass
class Desk:
    """A connected stand-in, the case of its report, and a clock."""

    integration: Integration
    server: PlatformServer
    moderator: User
    seconds: float = 10

    def case(self) -> Case:
        """Score what is reported; return the case of the newest post."""
        return scored([Post.objects.latest("pk")], at=self.now())[0]

    def now(self) -> Any:
        """Let an hour pass."""
        self.seconds += 3_600
        return later(self.seconds)

    def deliver(self) -> list[str]:
        """Carry out what is due; return the states of deliveries in order."""
        send.serve(endpoint_id=self.integration.endpoint_id or 0, at=self.now())
        return list(Delivery.objects.order_by("sequence", "pk").values_list("state", flat=True))

    def carry_out(self, monkeypatch: pytest.MonkeyPatch) -> str:
        """Carry the last decision out though an answer is lost and a worker is killed, and once too often.

        Return how its delivery ended. Nothing may have had an effect twice.
        """
        self.server.effects, self.server.loses_next = [], True
        self.deliver()
        with monkeypatch.context() as patch, pytest.raises(Killed) if self.server.effects else nullcontext():
            patch.setattr(Actor, "_keep", _killed_after(Actor._keep))
            self.deliver()
        self.deliver()
        last = Delivery.objects.latest("sequence", "pk")
        Delivery.objects.filter(pk=last.pk).update(state=DeliveryState.WAITING, next_attempt_at=self.now())
        self.deliver()
        assert len(set(self.server.effects)) == len(self.server.effects), self.server.effects
        return last.state


def _killed_after(keep: Any) -> Any:
    """Kill before the first writing down of what an answer said; intentions are kept."""

    def killed(actor: Actor, item: Item, acted: dict[str, Any]) -> None:
        if not any(not done["is_done"] for done in acted.values()):
            raise Killed
        keep(actor, item, acted)

    return killed


@pytest.fixture
def desk(
    request: pytest.FixtureRequest,
    platform: Platform,
    moderator: User,
    fake_scorer: object,
) -> Iterator[Desk]:
    """A desk beside the stand-in that the test names: its kind and what its report is about."""
    kind, subject = request.param
    admin = User.objects.create_user("admin", role="admin")
    with serving(stand_ins.MAKE[kind](*subject)) as server:
        given = {"platform": platform, "kind": kind, "base_url": server.url, "actor": admin, "at": AT}
        back = "https://desk.example/back"
        row = setup.connect(**given, credentials=stand_ins.TYPED[kind], redirect_uri=back)
        if kind == "mastodon":
            keys = json.loads(vault.decrypt(row.credentials))
            link = Mastodon.authorize_url(server.url, keys, redirect_uri=back, state="s")
            code = stand_ins.allowed(server, link)  # type: ignore[arg-type]  # it is a MastodonServer
            setup.sign_in(integration_id=row.pk, given=code, actor=admin, at=AT, redirect_uri=back)
        setup.change(integration_id=row.pk, actor=admin, at=AT, is_dry_run=False)
        assert polling.poll(integration_id=row.pk, at=later(1)) == 1
        row.refresh_from_db()
        yield Desk(row, server, moderator)


def choose(desk: Desk, action: str, *, verdict: Verdict = Verdict.SPAM, days: int | None = None) -> None:
    """Let a verdict of anybody lead to an action."""
    ActionRule.objects.all().delete()
    ActionRule.objects.create(platform=desk.integration.platform, verdict=verdict, action=action, days=days)


@pytest.mark.parametrize(
    ("desk", "action"), [((kind, subject), action) for kind, subject, action in EVERY], indirect=["desk"]
)
def test_each_action_happens_once_and_its_reversal_once(
    desk: Desk, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(desk, action)
    is_final = action in CONNECTORS[desk.integration.kind].final
    decision = judge(desk.case(), desk.moderator, at=desk.now())

    assert desk.carry_out(monkeypatch) == DeliveryState.DELIVERED
    done = desk.server.restrictions()
    assert done or action == "note"

    reversals.correct(
        decision_id=decision.pk, moderator=desk.moderator, verdict=Verdict.NOT_SPAM, at=desk.now()
    )
    state = desk.carry_out(monkeypatch)
    assert desk.server.restrictions() == (done if is_final else set())
    assert desk.server.waiting() == set()
    is_told = is_final and isinstance(desk.server, MatrixServer)
    assert state == (DeliveryState.FAILED if is_told else DeliveryState.DELIVERED)


@pytest.mark.parametrize("desk", [(kind, subjects[0]) for kind, subjects in SUBJECTS.items()], indirect=True)
def test_what_was_not_spam_and_is_now_waits_there_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    choose(desk, "nothing")
    before = desk.server.waiting()
    decision = judge(desk.case(), desk.moderator, verdict=Verdict.NOT_SPAM, at=desk.now())

    assert desk.carry_out(monkeypatch) == DeliveryState.DELIVERED
    assert desk.server.waiting() == set()

    reversals.correct(decision_id=decision.pk, moderator=desk.moderator, verdict=Verdict.SPAM, at=desk.now())
    assert desk.carry_out(monkeypatch) == DeliveryState.DELIVERED
    # Synapse deletes reports; everywhere else they are open again.
    assert desk.server.waiting() == (set() if isinstance(desk.server, MatrixServer) else before)


AGAIN: dict[str, Callable[[Any], object]] = {
    "mastodon": lambda server: server.report("13", mastodon_server.status("902")),
    "discourse": lambda server: (
        server.posts.update({51: discourse_server.post(51)}),
        server.queue.update({15: discourse_server.flagged(15, post_id=51)}),
    ),
    "ozone": lambda server: server.statuses.append(ozone_server.status(2, ozone_server.SPAMMER)),
    "matrix": lambda server: server.report("Cheaper watches https://watches.test/later"),
}
"""Let the same account be reported once more."""


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize(
    ("desk", "action"),
    [((kind, SUBJECTS[kind][0]), action) for kind in AGAIN for action in ("limit", "suspend")],
    indirect=["desk"],
)
def test_an_account_is_free_once_the_last_decision_about_it_is_undone(
    desk: Desk, action: str, order: tuple[int, int]
) -> None:
    choose(desk, action)
    first = judge(desk.case(), desk.moderator, at=desk.now())
    desk.deliver()
    AGAIN[desk.integration.kind](desk.server)
    assert polling.poll(integration_id=desk.integration.pk, at=desk.now()) >= 1
    second = judge(desk.case(), desk.moderator, at=desk.now())
    desk.deliver()
    posts = ("50", "51")

    for number, is_last in zip(order, (False, True), strict=True):
        wrong = (first, second)[number]
        reversals.correct(
            decision_id=wrong.pk, moderator=desk.moderator, verdict=Verdict.NOT_SPAM, at=desk.now()
        )
        assert set(desk.deliver()) == {DeliveryState.DELIVERED}
        held = [name for name in desk.server.restrictions() if not name.endswith(posts)]
        assert bool(held) is not is_last, held


@pytest.mark.parametrize("desk", [("mastodon", ()), ("ozone", (0,))], indirect=True)
def test_what_ends_in_time_leaves_its_reports_settled(desk: Desk) -> None:
    choose(desk, "limit", days=1)
    judge(desk.case(), desk.moderator, at=desk.now())
    desk.deliver()
    assert desk.server.restrictions()

    desk.seconds += 86_400
    assert actions.sweep(at=desk.now()) == 1
    assert desk.deliver() == [DeliveryState.DELIVERED] * 2
    assert (desk.server.restrictions(), desk.server.waiting()) == (set(), set())
