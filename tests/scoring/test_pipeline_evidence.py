"""Posts scored with what was collected about them."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring.ensemble import calibrated
from scoring.evidence import CAPTIONS, LINK, MEDIA, EvidencePiece, PageRead, PictureRead
from scoring.evidence_model import EVIDENCE, read_before
from scoring.features import collected
from scoring.pipeline import Scorer
from scoring.readings import MOST_TEXTS
from scoring.records import PostRecord
from scoring.release import Release
from scoring.routing import ReviewReason, Route
from scoring.score_result import ScoreResult
from tests.scoring.evidence_release import release_with_evidence
from tests.scoring.random_records import Down, FakeContent, labelled, record
from tests.scoring.ruled_posts import NO_BANS, equal


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return release_with_evidence(Path(tmp_path_factory.mktemp("evidence")) / "release")


def page(probability: float, **parts: Any) -> EvidencePiece:
    return EvidencePiece(
        role=LINK, leads_elsewhere=False, page=PageRead(article=f"page says {probability}", **parts)
    )


def told(score: ScoreResult) -> dict[str, float | None]:
    """The value of each contribution."""
    return {part.feature: part.value for part in score.contributions}


def harmless(*pieces: EvidencePiece) -> PostRecord:
    return record(text="look at this 0.02", evidence=pieces)


class TestScore:
    def test_a_page_that_reads_like_spam_brings_a_harmless_text_to_a_human(self, scorer: Scorer) -> None:
        without, after = scorer.score_many([harmless(), harmless(page(0.999))], blocklist=NO_BANS)

        assert without.routing.route is Route.ALLOW
        assert (after.routing.route, after.routing.reason) == (Route.REVIEW, ReviewReason.OUTVOTED)
        assert after.spam_probability > 0.9
        assert after.sub_models[EVIDENCE] is not None
        assert EVIDENCE not in without.sub_models

    def test_evidence_alone_never_removes(self, scorer: Scorer) -> None:
        pieces = (page(0.999999), EvidencePiece(role=MEDIA, picture=PictureRead(text="win now 0.999999")))

        alone = scorer.score(harmless(*pieces), blocklist=NO_BANS)
        beside_a_text = scorer.score(record(text="win this 0.9", evidence=pieces), blocklist=NO_BANS)

        assert alone.spam_probability >= 0.97
        assert alone.routing.route is Route.REVIEW
        assert beside_a_text.routing.route is Route.REMOVE

    def test_speaks_for_a_post_in_a_script_that_nobody_reads(self, scorer: Scorer) -> None:
        """A drug advertisement in a picture was sorted by reach alone, among harmless posts."""
        text = "უფასო კრედიტი ყველასთვის 0.001"

        posts = [record(text=text), record(text=text, evidence=(page(0.999),))]
        without, beside = scorer.score_many(posts, blocklist=NO_BANS)

        assert [one.routing.reason for one in (without, beside)] == [ReviewReason.UNREAD_SCRIPT] * 2
        assert without.expected_harm == 0.5
        assert beside.expected_harm == beside.sub_models[EVIDENCE]
        assert beside.expected_harm > 0.9

    def test_a_harmless_page_excuses_nothing(self, scorer: Scorer) -> None:
        spam = record(text="win this 0.97")
        beside = dataclasses.replace(spam, evidence=(page(0.001),))

        before, after = scorer.score_many([spam, beside], blocklist=NO_BANS)

        assert after.spam_probability == before.spam_probability
        assert after.routing == before.routing

    def test_contributions_add_up(self, scorer: Scorer, release: Release) -> None:
        pieces = (page(0.98), EvidencePiece(role=LINK, leads_elsewhere=True, hops=3))
        score = scorer.score(harmless(*pieces), blocklist=NO_BANS)

        margin = score.base + sum(part.contribution for part in score.contributions)
        again = calibrated(np.array([margin]), calibration=release.calibration)[0]

        assert again == pytest.approx(score.spam_probability, abs=1e-9)
        values = told(score)
        assert values["content.page_probability"] == pytest.approx(0.98)
        assert values["context.link_hops"] == 3
        assert "content.picture_probability" not in values

    def test_comes_out_the_same_from_what_is_stored(self, scorer: Scorer) -> None:
        post = harmless(page(0.9), EvidencePiece(role=CAPTIONS, transcript="said in a video 0.8"))
        score = scorer.score(post, blocklist=NO_BANS)

        read = read_before([list(part) for part in score.contributions])
        again = scorer.spam_probabilities(
            [post], content_probabilities=np.array([score.content_probability]), read=read[None, :]
        )

        np.testing.assert_allclose(read, [0.9, np.nan, 0.8])
        assert again[0] == score.spam_probability

    def test_a_release_without_such_a_model_scores_as_before(self, content: FakeContent) -> None:
        from tests.scoring.starter import STARTER  # noqa: PLC0415 - the module's fixture is another release

        shipped = Scorer(release=before_evidence(STARTER), content=content)
        before, after = shipped.score_many([harmless(), harmless(page(0.999))], blocklist=NO_BANS)

        assert equal(before, after)
        assert content.calls == [2]


class TestAsking:
    def test_asks_once_for_all_texts(self, scorer: Scorer, content: FakeContent) -> None:
        scorer.score_many([harmless(page(0.2)), harmless(), record(text="x", evidence=())], blocklist=NO_BANS)

        assert content.calls == [4]

    def test_posts_without_evidence_cost_what_they_did(self, scorer: Scorer, content: FakeContent) -> None:
        scorer.score_many([one.record for one in labelled(9)], blocklist=NO_BANS)

        assert content.calls == [9]

    def test_reads_so_many_texts_of_a_post_each_kind_in_turn(
        self, scorer: Scorer, content: FakeContent
    ) -> None:
        pages = tuple(page(place / 1000) for place in range(12))
        picture = EvidencePiece(role=MEDIA, picture=PictureRead(text="drawn in it 0.7"))

        score = scorer.score(harmless(*pages, picture), blocklist=NO_BANS)

        assert content.calls == [1 + MOST_TEXTS]
        assert told(score)["content.picture_probability"] == pytest.approx(0.7)

    def test_pages_on_other_sites_are_read_first(self, scorer: Scorer) -> None:
        elsewhere = dataclasses.replace(page(0.9), leads_elsewhere=True)

        score = scorer.score(harmless(*map(page, [0.1] * 9), elsewhere), blocklist=NO_BANS)

        assert told(score)["content.page_probability"] == pytest.approx(0.9)

    @pytest.mark.parametrize(
        "piece",
        [
            EvidencePiece(role=LINK, state="timed_out"),
            EvidencePiece(role=LINK, page=PageRead(article=" \n 12 ")),
            EvidencePiece(role=MEDIA, picture=PictureRead(text=None)),
            EvidencePiece(role=LINK, page=PageRead(article="გამარჯობა, დღეს კარგი ამინდია 0.9")),
        ],
    )
    def test_what_cannot_be_read_is_unknown(
        self, piece: EvidencePiece, scorer: Scorer, content: FakeContent
    ) -> None:
        score = scorer.score(harmless(piece), blocklist=NO_BANS)

        assert content.calls == [1]
        assert not told(score).keys() & {feature.name for feature in collected.READ}

    def test_without_an_answer_the_post_is_degraded_as_ever(self, release: Release) -> None:
        away = Scorer(release=release, content=Down())
        silent = record(text=" ", evidence=(page(0.9),))

        scores = away.score_many([harmless(page(0.9)), silent], blocklist=NO_BANS)

        assert all(score.is_degraded for score in scores)
        assert all(score.routing.reason is ReviewReason.DEGRADED for score in scores)


def before_evidence(folder: Path) -> Release:
    """The release in a folder as one from before evidence."""
    found = Release.load(folder)
    return dataclasses.replace(
        found, files={name: digest for name, digest in found.files.items() if name != "evidence.json"}
    )
