"""The page of one release: what an evaluation found, by labels here, beside another, and how it was made."""

import json
import random
import re
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation import scorer
from moderation.models import Case, Label, Release, Score, ShadowRun, ShadowScore, TrainingRun, User
from moderation.queries.learning import feature_drift
from moderation.queries.quality.estimates import FEWEST_SHOWN
from moderation.web.learning import release
from moderation.web.learning.release import FEWEST_SPAM
from scoring.features import NAMES, SCHEMA_HASH
from tests.moderation.caches import forget
from tests.moderation.conftest import Case_, Judged, copies
from tests.moderation.web.conftest import asked, flat
from tests.moderation.web.learning.test_models import ready

CANDIDATE, LIVE = "c" * 64, "d" * 64
HOSTILE = "<script>alert(1)</script>"
KIND = {"kind": "pills", "is_spam": True, "rows": 9, "allowed_share": 0.0, "removed_share": 1.0}
FITTED = {"simulated": 15_000, "decided": {}}
MANIFEST = {"training": {"fitted_on": FITTED, "note": HOSTILE}, "metrics": {"by_kind": [KIND]}}
LIVES, CANDIDATES = {"live": 0.811, "live_interval": [0.7, 0.9]}, {"candidate_interval": [0.8, 0.99]}


def place(release: str) -> str:
    return f"/models/releases/{release}/"


def report(*, spam: int = 40, candidate: str = CANDIDATE) -> dict[str, Any]:
    """Return a report of 400 posts, with one language of enough posts and one of few."""
    metrics = {"pr_auc": LIVES | CANDIDATES | {"candidate": 0.922}, "recall_at_1_fpr": {"candidate": None}}
    sizes = (("all", "all", 400, spam), ("language", "de", 200, spam), ("language", HOSTILE, 30, 2))
    curve = {"precision_recall": [[0.0, 1.0], [1.0, 0.5]], "calibration": [[0.1, 0.2, 1.0]]}
    return {
        "candidate": {"id": candidate},
        "slices": [
            {"by": by, "name": name, "rows": rows, "spam": counted, "metrics": metrics}
            for by, name, rows, counted in sizes
        ],
        "data": [{"file": "records.jsonl"}],
        "curves": {"live": curve, "candidate": curve},
    }


@pytest.fixture
def run(db: None) -> TrainingRun:
    """A run of three minutes that made a candidate and compared it."""
    began, ended = timezone.now() - timedelta(minutes=3), timezone.now()
    return ready(manifest=MANIFEST, report=report(), started_at=began, ended_at=ended)


class TestTested:
    def test_shows_figures_curves_and_how_it_was_made(self, ml_desk: Client, run: TrainingRun) -> None:
        page = flat(ml_desk.get(place(CANDIDATE)).content.decode())

        assert page.count("0.922 (0.800 to 0.990)") == 2
        assert "0.811" not in page
        assert 'd="M0.0 0.0L200.0 100.0"' in page
        assert "<title>10.0% → 20.0%</title>" in page
        assert "took 3 minutes" in page
        assert '<dt class="breaks"><code>fitted_on.simulated</code></dt><dd class="breaks">15000</dd>' in page
        assert "<code>pills</code>" in page
        assert HOSTILE not in page

    def test_shows_the_other_side_of_the_comparison(self, lead_desk: Client, run: TrainingRun) -> None:
        Release.objects.create(pk=LIVE, manifest={}, first_used_at=timezone.now())

        page = flat(lead_desk.get(place(LIVE)).content.decode())

        assert page.count("0.811 (0.700 to 0.900)") == 2
        assert "Measured in training run" in page

    def test_draws_no_curve_of_few_posts(self, lead_desk: Client, run: TrainingRun) -> None:
        TrainingRun.objects.update(report=report(spam=FEWEST_SHOWN - 1))

        page = flat(lead_desk.get(place(CANDIDATE)).content.decode())

        assert "No curves: 19 of 400 test posts are spam. 20 of each class are needed." in page
        assert "0.922" not in page

    def test_shows_the_report_that_it_came_with_and_not_another_ones(
        self, lead_desk: Client, run: TrainingRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(scorer, "kept", lambda _: SimpleNamespace(folder=tmp_path))
        file = tmp_path / release.TESTED
        file.write_text(json.dumps(report(spam=FEWEST_SHOWN - 1)))
        own = flat(lead_desk.get(place(CANDIDATE)).content.decode())
        file.write_text(json.dumps(report(candidate=LIVE)))
        other = flat(lead_desk.get(place(CANDIDATE)).content.decode())

        assert "19 of 400" in own
        assert "Measured in training run" in other

    def test_says_that_nothing_was_measured(self, lead_desk: Client) -> None:
        Release.objects.create(pk=LIVE, manifest={}, first_used_at=timezone.now())

        page = flat(lead_desk.get(place(LIVE)).content.decode())

        assert "no training run compared it" in page
        assert "It scored no post here" in page
        assert "0 random or reviewed labels" in page

    def test_is_404_for_what_was_never_here(self, lead_desk: Client) -> None:
        assert lead_desk.get(place("e" * 64)).status_code == 404


class TestHere:
    @pytest.fixture
    def case(self, open_case: Case_) -> Case:
        case = open_case(at=timezone.now())
        shares = [["social.posts", 3.0, -0.5], ["content.text", 0.9, 2.0]]
        Score.objects.update(scored_at=timezone.now(), contributions=shares)
        return case

    def test_ranks_features_by_what_they_move(self, lead_desk: Client, case: Case) -> None:
        page = flat(lead_desk.get(place(case.score.release_id)).content.decode())

        assert "Latest scores looked at: 1." in page
        assert page.index('<code>content.text</code></th><td class="table__number">2.000') < page.index(
            '<code>social.posts</code></th><td class="table__number">0.500'
        )

    def test_draws_what_people_found_with_intervals(
        self, lead_desk: Client, case: Case, judged_alike: Judged
    ) -> None:
        judged_alike(case, probability=0.55, spam=10, fine=10)
        Score.objects.update(scored_at=timezone.now())
        Label.objects.update(labelled_at=timezone.now())

        page = flat(lead_desk.get(place(case.score.release_id)).content.decode())

        assert "<title>50.0% (" in page

    @pytest.mark.parametrize(("spam", "is_drawn"), [(FEWEST_SPAM, True), (FEWEST_SPAM - 1, False)])
    def test_draws_precision_and_recall_of_enough_spam(
        self, lead_desk: Client, case: Case, judged_alike: Judged, spam: int, is_drawn: bool
    ) -> None:
        judged_alike(case, probability=0.75, spam=spam - 10, fine=20)
        judged_alike(case, probability=0.35, spam=10, fine=20)
        Score.objects.update(scored_at=timezone.now())
        Label.objects.update(labelled_at=timezone.now())

        page = flat(lead_desk.get(place(case.score.release_id)).content.decode())

        assert ("<title>80.0% → 66.6%</title>" in page) is is_drawn
        assert ("50 spam labels of all routes are needed" in page) is not is_drawn

    def test_names_a_feature_that_moved_and_none_that_did_not(self, lead_desk: Client, case: Case) -> None:
        forget(feature_drift)
        at, dice = timezone.now(), random.Random(5)
        began = at - timedelta(days=28)
        live = Release.objects.create(pk=scorer.newest(), manifest={}, first_used_at=began)
        moved = "social.posts_24h"
        Score.objects.update(scored_at=began)
        for day, shift in ((27, 1.0), (1, 9.0)):
            since = at - timedelta(days=day)
            revisions = copies(case.score.revision, [{"number": 1_000 * day + one} for one in range(300)])
            rows: list[dict[str, Any]] = [
                {"revision_id": one.pk, "scored_at": since + timedelta(seconds=number)}
                for number, one in enumerate(revisions)
            ]
            for row in rows:
                row["features"] = [dice.random() * (shift if one == moved else 1.0) for one in NAMES]
            scored = {"release_id": live.pk, "schema_hash": SCHEMA_HASH}
            copies(case.score, [scored | row for row in rows])
        few = asked(lead_desk, place(live.pk))

        page = flat(lead_desk.get(place(live.pk)).content.decode())
        table = page.partition('<h2 id="moved">')[2].partition("</section>")[0]

        assert re.findall("<code>(.*?)</code>", table) == [moved]
        assert len(few) <= 24

    def test_counts_what_both_releases_did_with_the_same_posts(
        self, lead_desk: Client, case: Case, lead: User
    ) -> None:
        live, at = case.score.release_id, timezone.now()
        run = ShadowRun.objects.create(
            candidate=CANDIDATE, live=live, share=1.0, started_by=lead, started_at=at, reached=0
        )
        ShadowScore.objects.create(
            run=run, score=case.score, scored_at=at, spam_probability=0.95, route="remove",
            live_route="review", distance=1, gap=0.4, platform=case.platform, links="none",
        )  # fmt: skip

        page = flat(lead_desk.get(place(live)).content.decode())
        few = len(asked(lead_desk, place(live)))

        cells = page.partition("Routes of both by day")[2].partition("<tbody>")[2].partition("</tbody>")[0]
        assert [part.partition("<")[0] for part in cells.split('<td class="table__number">')[1:]] == list(
            "11001"
        )
        assert few <= 20
