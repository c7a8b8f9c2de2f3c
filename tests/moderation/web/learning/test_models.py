"""The Models page: what is live, roll-back, training runs with progress and candidate."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from moderation import scorer
from moderation.models import Case, Promotion, Release, ReleaseProposal, TrainingRun, User
from moderation.models.releases import PromotionKind
from moderation.models.training_runs import TrainingState, TrainingStep
from moderation.operations.learning import training_runs
from moderation.operations.releases import store
from tests.moderation.conftest import Case_, Judged
from tests.moderation.fakes import FakeScorer
from tests.moderation.web.conftest import HTMX, asked, flat

HOSTILE = "<script>alert(1)</script>\u202e"


@pytest.fixture
def label(case_in_front: Case, decide: Callable[..., object]) -> None:
    decide(case_in_front, verdict="spam")


def ready(**changes: object) -> TrainingRun:
    """Return a finished run whose candidate is as good as the live release."""
    interval = [-0.01, 0.02]
    metrics = {"pr_auc": {"live": 0.9, "candidate": 0.905, "difference_interval": interval}}
    values: dict[str, object] = {
        "requested_at": timezone.now(),
        "state": TrainingState.READY,
        "candidate": "c" * 64,
        "live": "d" * 64,
        "report": {"slices": [{"by": "all", "name": "all", "rows": 400, "metrics": metrics}]},
        "findings": [["holds enough evidence", True, "400 posts"]],
        "log": HOSTILE,
    }
    return TrainingRun.objects.create(**(values | changes))


def used(letter: str) -> Release:
    """Return a release that was used here."""
    return Release.objects.create(pk=letter * 64, manifest={}, first_used_at=timezone.now())


def promoted(new: Release, old: Release, by: User, kind: PromotionKind = PromotionKind.PROMOTE) -> None:
    Promotion.objects.create(release=new, replaced=old, kind=kind, at=timezone.now(), actor=by)


class TestPage:
    def test_says_what_is_live_where_nothing_was_promoted(self, lead_desk: Client) -> None:
        body = flat(lead_desk.get("/models/").content.decode())

        assert scorer.shipped().id[:12] in body
        assert "shipped with Spamdesk" in body
        assert "which is simulated" in body

    def test_says_what_serves_it(self, lead_desk: Client, fake_scorer: FakeScorer) -> None:
        body = flat(lead_desk.get("/models/").content.decode())

        assert "<dt>Runs on</dt><dd>TensorRT, GPU</dd>" in body

    def test_shows_a_candidate_beside_the_live_release(self, lead_desk: Client) -> None:
        ready()

        body = flat(lead_desk.get("/models/").content.decode())

        assert "0.905" in body
        assert "-0.010 to 0.020" in body
        assert "<script>alert(1)" not in body
        assert escape("<script>alert(1)</script>") in body

    def test_shows_no_figure_of_few_posts(self, lead_desk: Client) -> None:
        metrics = {"pr_auc": {"live": 0.9, "candidate": 0.905, "difference_interval": [None, None]}}
        ready(report={"slices": [{"by": "source", "name": "x", "rows": 19, "metrics": metrics}]})

        body = flat(lead_desk.get("/models/").content.decode())

        assert "0.905" not in body
        assert "too few" in body

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            ("0.9 live, 0.7 candidate", "not passed"),
            ("too little evidence: about 40 more posts of the test part would tell", "too little evidence"),
            ("nothing to promote: it scores every post as the live one does", "nothing to promote"),
        ],
    )
    def test_says_what_the_gate_found(self, lead_desk: Client, answer: str, said: str) -> None:
        ready(findings=[["pr_auc on all not worse", False, answer]], live=scorer.newest())

        body = flat(lead_desk.get("/models/").content.decode())

        assert answer in body
        assert f'<span class="tag tag--spam">{said}</span>' in body
        assert "Propose to go live" not in body

    def test_takes_as_many_queries_for_many_runs_as_for_one(self, lead_desk: Client, lead: User) -> None:
        one, two = used("a"), used("b")
        ready(requested_by=lead)
        promoted(one, two, lead)
        lead_desk.get("/models/")  # what is read once per process is read now
        first = len(asked(lead_desk, "/models/"))
        for number in range(5):
            ready(requested_by=lead, candidate=str(number) * 64)
            used(str(number))
            promoted(*((one, two) if number % 2 else (two, one)), lead, PromotionKind.ROLLBACK)
        promoted(one, two, lead)

        assert len(asked(lead_desk, "/models/")) == first <= 22


class TestTraining:
    def test_is_started_watched_and_cancelled(self, lead_desk: Client, label: None, lead: User) -> None:
        lead_desk.post("/models/training-runs/", {"platform": ""})
        row = TrainingRun.objects.get()
        assert (row.requested_by, row.state) == (lead, TrainingState.WAITING)
        TrainingRun.objects.update(state=TrainingState.RUNNING, step=TrainingStep.HEADS, log="fitting …")

        body = flat(lead_desk.get(f"/models/training-runs/{row.pk}/", headers=HTMX).content.decode())

        assert 'hx-trigger="every 2s"' in body
        assert "fitting …" in body
        assert body.count("steps__step--done") == 3
        lead_desk.post(f"/models/training-runs/{row.pk}/cancel/")
        row.refresh_from_db()
        assert row.state == TrainingState.CANCELLED
        assert "every 2s" not in lead_desk.get("/models/").content.decode()

    def test_is_refused_while_another_is_open(self, lead_desk: Client, label: None, lead: User) -> None:
        training_runs.request(requested_by=lead, at=timezone.now())

        body = lead_desk.post("/models/training-runs/", {"platform": ""}, follow=True).content.decode()

        assert "already waiting or in progress" in body

    def test_is_not_offered_where_there_is_too_little_to_learn(
        self, lead_desk: Client, open_case: Case_, judged_alike: Judged
    ) -> None:
        case = open_case()
        judged_alike(case, probability=0.5, spam=8, fine=7)
        few = flat(lead_desk.get("/models/").content.decode())
        judged_alike(case, probability=0.5, spam=0, fine=1)
        enough = flat(lead_desk.get("/models/").content.decode())

        assert "8 others on one platform. There are 8 and 7." in few
        assert "disabled" in few.partition(">Start training<")[0].rpartition("<button")[2]
        assert 'href="/labels/">Label random posts' in few
        assert "disabled" not in enough.partition(">Start training<")[0].rpartition("<button")[2]


class TestRollBack:
    def test_says_why_it_did_not_happen(self, lead_desk: Client) -> None:
        live = scorer.newest()

        body = lead_desk.post("/releases/roll-back/", {"live": live, "to": "f" * 64}, follow=True)

        assert "The live release stays" in body.content.decode()

    def test_is_offered_to_the_release_before(self, lead_desk: Client, lead: User) -> None:
        old, new = used("b"), used("a")
        promoted(new, old, lead)

        body = flat(lead_desk.get("/models/").content.decode())

        assert f'name="to" value="{old.pk}"' in body
        assert f'name="live" value="{new.pk}"' in body

    def test_is_not_offered_to_a_release_that_was_never_live(
        self, lead_desk: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tried = used("a")
        monkeypatch.setattr(store, "ids", lambda: {tried.pk})

        body = flat(lead_desk.get("/models/").content.decode())

        assert "never live" in body
        assert f'name="to" value="{tried.pk}"' not in body


class TestTwoNames:
    @pytest.fixture
    def proposal(self, lead_desk: Client) -> ReleaseProposal:
        """A lead's, of a candidate beside the release that is live."""
        row = ready(live=scorer.newest())
        lead_desk.post(f"/models/training-runs/{row.pk}/propose/", {"reason": HOSTILE})
        return ReleaseProposal.objects.get()

    def test_one_proposes_and_does_not_confirm(
        self, lead_desk: Client, ml_desk: Client, lead: User, proposal: ReleaseProposal
    ) -> None:
        row = TrainingRun.objects.get()
        assert (proposal.candidate, proposal.made_by, proposal.evidence) == (row.candidate, lead, row.report)
        mine = flat(lead_desk.get("/models/").content.decode())
        assert "A second person has to confirm your proposal." in mine
        assert "<script>alert(1)" not in mine
        assert f"/releases/proposals/{proposal.pk}/confirm/" in ml_desk.get("/models/").content.decode()
        body = lead_desk.post(f"/releases/proposals/{proposal.pk}/confirm/", follow=True).content.decode()
        assert "second person has to confirm" in body
        assert not Promotion.objects.exists()

    def test_a_candidate_that_is_not_kept_does_not_go_live(
        self, ml_desk: Client, proposal: ReleaseProposal
    ) -> None:
        body = ml_desk.post(f"/releases/proposals/{proposal.pk}/confirm/", follow=True).content.decode()

        assert "The live release stays" in body
        assert not Promotion.objects.exists()

    def test_says_that_it_is_going_live_until_it_is(
        self, lead_desk: Client, ml_desk: Client, proposal: ReleaseProposal
    ) -> None:
        other = User.objects.get(username="ml_engineer")
        until = timezone.now() + timedelta(minutes=1)
        ReleaseProposal.objects.update(confirming_by=other, confirming_until=until)
        state = f"/releases/proposals/{proposal.pk}/state/"

        body = flat(ml_desk.get("/models/").content.decode())
        waiting = lead_desk.get(state, headers=HTMX)
        ReleaseProposal.objects.update(confirming_until=None, failure=HOSTILE)
        over = lead_desk.get(state, headers=HTMX)
        after = lead_desk.get("/models/").content.decode()

        assert "Confirmed by ml_engineer." in body
        assert f'hx-get="{state}"' in body
        assert "/confirm/" not in body
        assert (waiting.status_code, over.headers["HX-Refresh"]) == (204, "true")
        assert "did not go live" in after
        assert HOSTILE not in after

    def test_is_refused_by_another(self, ml_desk: Client, proposal: ReleaseProposal) -> None:
        ml_desk.post(f"/releases/proposals/{proposal.pk}/refuse/")

        proposal.refresh_from_db()
        assert str(proposal.refused_by) == "ml_engineer"

    def test_needs_a_reason_and_a_candidate(self, lead_desk: Client) -> None:
        row = ready(live=scorer.newest())
        failed = ready(candidate="", state=TrainingState.FAILED)

        for run, reason in ((row, " "), (failed, "better")):
            lead_desk.post(f"/models/training-runs/{run.pk}/propose/", {"reason": reason})

        assert not ReleaseProposal.objects.exists()

    def test_is_not_offered_once_another_release_is_live(self, lead_desk: Client) -> None:
        ready(live="e" * 64)

        assert "train again" in lead_desk.get("/models/").content.decode()
