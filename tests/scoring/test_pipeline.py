"""The whole of scoring on the shipped release, with rules, and a stand-in for the content model."""

import dataclasses
import json
import math
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from scoring.blocklist import Blocklist, Effect
from scoring.ensemble import MAIN_INPUTS, Ensemble, calibrated
from scoring.explain import CONTENT_TEXT, WITHHELD
from scoring.features import NAMES
from scoring.pipeline import Scorer
from scoring.release import MANIFEST, Corrupt, Release, SchemaMismatch, file_sha256
from scoring.routing import ReviewReason, Route
from scoring.trees import Floats
from tests.libraries import printed
from tests.scoring.forests import staircase
from tests.scoring.random_records import Down, FakeContent, Said, labelled, record
from tests.scoring.ruled_posts import BAN, BANNED, BANS, NO_BANS, equal
from tests.scoring.starter import STARTER


class TestScore:
    def test_says_all_that_a_score_keeps(self, scorer: Scorer, release: Release) -> None:
        score = scorer.score(labelled(1)[0].record, blocklist=NO_BANS)

        assert score.release_id == release.id
        assert 0.0 <= score.spam_probability <= 1.0
        assert tuple(score.sub_models) == MAIN_INPUTS
        told = [one.feature for one in score.contributions]
        assert told[: len(NAMES) + 1] == [*NAMES, CONTENT_TEXT]
        assert told[len(NAMES) + 1 :] in ([], [WITHHELD])
        assert len(score.features) == len(NAMES)
        assert score.rule is None
        assert not score.is_degraded

    def test_contributions_add_up_to_the_probability(self, scorer: Scorer, release: Release) -> None:
        for one in labelled(30):
            score = scorer.score(one.record, blocklist=NO_BANS)
            margin = score.base + sum(part.contribution for part in score.contributions)
            again = calibrated(np.array([margin]), calibration=release.calibration)[0]
            assert again == pytest.approx(score.spam_probability, abs=1e-9)

    def test_the_same_record_gets_the_same_score(self, scorer: Scorer, release: Release) -> None:
        post = labelled(1)[0].record
        stored = type(post).from_json(json.loads(json.dumps(post.to_json())))
        other = Scorer(release=release, content=FakeContent())

        assert equal(scorer.score(post, blocklist=NO_BANS), other.score(stored, blocklist=NO_BANS))

    def test_a_post_without_text_is_not_degraded(self, scorer: Scorer, content: FakeContent) -> None:
        score = scorer.score(record(text=" \n"), blocklist=NO_BANS)

        assert content.calls == []
        assert score.content_probability is None
        assert math.isnan(score.contributions[-1].value)
        assert not score.is_degraded

    def test_a_bare_post_follows_its_content_probability(self, scorer: Scorer) -> None:
        """Nothing but the text is known: the order of the texts must survive, without steps."""
        posts = [record(external_id=str(place), text=f"x {place / 200:.4f}") for place in range(1, 200)]

        scores = scorer.score_many(posts, blocklist=NO_BANS)

        assert (np.diff([score.spam_probability for score in scores]) > 0).all()


class TestScoreMany:
    def test_equals_scoring_one_by_one(self, scorer: Scorer) -> None:
        records = [one.record for one in labelled(40)]

        together = scorer.score_many(records, blocklist=NO_BANS)

        alone = [scorer.score(one, blocklist=NO_BANS) for one in records]
        assert all(map(equal, together, alone))

    def test_asks_the_content_model_once(self, scorer: Scorer, content: FakeContent) -> None:
        scorer.score_many([one.record for one in labelled(40)], blocklist=NO_BANS)

        assert content.calls == [40]

    def test_asks_nothing_about_a_text_of_which_it_is_known(
        self, scorer: Scorer, content: FakeContent
    ) -> None:
        posts = [one.record for one in labelled(5)]
        before = scorer.score_many(posts, blocklist=NO_BANS)
        known = [score.content_score for score in before[:3]]
        content.calls.clear()

        after = scorer.score_many(posts, blocklist=NO_BANS, known=[*known, None, None])

        assert content.calls == [2]
        assert all(map(equal, before, after))

    def test_policies_are_asked_once_the_texts_were_read(self, scorer: Scorer, content: FakeContent) -> None:
        posts = [BANNED, *(one.record for one in labelled(2))]

        scores = scorer.score_many(
            posts, blocklist=BANS, held=lambda is_degraded: [bool(content.calls) and not is_degraded] * 3
        )

        assert content.calls == [2]
        assert scores[0].routing.route is Route.REMOVE
        assert {score.routing.route for score in scores[1:]} == {Route.REVIEW}

    def test_of_nothing_is_nothing(self, scorer: Scorer, content: FakeContent) -> None:
        assert scorer.score_many([], blocklist=NO_BANS) == []
        assert content.calls == []


class TestScorer:
    def test_refuses_a_release_of_other_features(self, tmp_path: Path) -> None:
        folder = Path(shutil.copytree(STARTER, tmp_path / "release"))
        manifest = json.loads((folder / MANIFEST).read_text())
        (folder / MANIFEST).write_text(json.dumps({**manifest, "schema_hash": "0" * 64}))

        with pytest.raises(SchemaMismatch):
            Scorer(release=Release.load(folder), content=FakeContent())

    def test_importing_it_loads_no_heavy_library(self) -> None:
        """Commands and migrations import the pipeline too; shap alone costs over a second."""
        heavy = ("shap", "sklearn", "pandas", "numba", "torch", "tritonclient", "django")
        program = f"import sys, scoring.pipeline; print([name for name in {heavy} if name in sys.modules])"

        assert printed(program).strip() == "[]"

    def test_refuses_a_release_that_it_could_not_explain(self, tmp_path: Path) -> None:
        folder = Path(shutil.copytree(STARTER, tmp_path / "release"))
        ensemble = Ensemble.load(folder)
        deep = staircase(9, inputs=ensemble.sub_models["ip_url"].inputs)
        path = dataclasses.replace(ensemble, sub_models={**ensemble.sub_models, "ip_url": deep}).save(folder)
        release = Release.load(STARTER)
        files = {**release.files, path.name: file_sha256(path)}
        release = dataclasses.replace(release, folder=folder, files=files)

        with pytest.raises(Corrupt, match="9 inputs"):
            Scorer(release=release, content=FakeContent())

    def test_scoring_loads_no_shap(self) -> None:
        """Its import takes seconds, which a probe or a verdict would wait for, and 150 MB a process."""
        program = (
            "import dataclasses, sys; from pathlib import Path; from scoring.blocklist import Blocklist;"
            "from scoring.pipeline import Scorer, Release; from tests.scoring.random_records import labelled;"
            f"scorer = Scorer(release=Release.load(Path({str(STARTER)!r})), content=None);"
            "silent = dataclasses.replace(labelled(1)[0].record, text='');"
            "result = scorer.score(silent, blocklist=Blocklist());"
            "print(len(result.contributions) > 0, 'shap' in sys.modules)"
        )

        assert printed(program).split() == ["True", "False"]


class TestBanned:
    def test_is_spam_and_runs_nothing_else(self, scorer: Scorer, content: FakeContent) -> None:
        score = scorer.score(BANNED, blocklist=BANS)

        assert content.calls == []
        assert score.spam_probability == 1.0
        assert score.routing.route is Route.REMOVE
        assert score.rule == BAN
        assert score.contributions == ()
        assert score.features == ()

    def test_among_others_leaves_their_order_and_scores_alone(
        self, scorer: Scorer, content: FakeContent
    ) -> None:
        first, second = (one.record for one in labelled(2))

        scores = scorer.score_many([BANNED, first, BANNED, second], blocklist=BANS)

        assert content.calls == [2]
        assert [score.rule for score in scores] == [BAN, None, BAN, None]
        assert equal(scores[1], scorer.score(first, blocklist=BANS))
        assert equal(scores[3], scorer.score(second, blocklist=BANS))

    def test_all_of_them_need_no_models(self, scorer: Scorer, content: FakeContent) -> None:
        scores = scorer.score_many([BANNED, BANNED], blocklist=BANS)

        assert [score.spam_probability for score in scores] == [1.0, 1.0]
        assert content.calls == []


@pytest.mark.parametrize("effect", [Effect.ALLOW, Effect.HOLD])
def test_a_rule_changes_the_route_alone(scorer: Scorer, effect: Effect) -> None:
    reaching = Blocklist({"bad.example": dataclasses.replace(BAN, effect=effect)})

    ruled, free = (scorer.score(BANNED, blocklist=blocklist) for blocklist in (reaching, NO_BANS))

    assert ruled.rule is not None
    assert equal(
        dataclasses.replace(ruled, rule=None, routing=free.routing, expected_harm=free.expected_harm), free
    )
    assert ruled.routing.route is (Route.ALLOW if effect is Effect.ALLOW else Route.REVIEW)


class TestDegraded:
    def test_goes_to_a_human_with_what_the_rest_says(self, release: Release) -> None:
        scorer = Scorer(release=release, content=Down())

        scores = scorer.score_many([one.record for one in labelled(60)], blocklist=NO_BANS)

        assert all(score.is_degraded for score in scores)
        assert {score.routing.reason for score in scores} == {ReviewReason.DEGRADED}
        assert {score.content_probability for score in scores} == {None}
        assert all(0.0 <= score.spam_probability <= 1.0 for score in scores)

    def test_a_banned_post_is_still_removed(self, release: Release) -> None:
        score = Scorer(release=release, content=Down()).score(BANNED, blocklist=BANS)

        assert score.routing.route is Route.REMOVE
        assert not score.is_degraded

    def test_a_fault_of_another_kind_is_not_hidden(self, release: Release) -> None:
        class Faulty(Said):
            def probabilities(self, texts: Sequence[str]) -> Floats:
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            Scorer(release=release, content=Faulty()).score(record(), blocklist=NO_BANS)
