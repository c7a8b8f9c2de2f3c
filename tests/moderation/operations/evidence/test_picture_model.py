"""What the image model says of a picture: a fact, unknown without a model, asked for again when silent."""

import io
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from PIL import Image

from moderation import image_model, scorer
from moderation.models import Evidence, Score
from moderation.models.evidence import EvidenceKind
from moderation.operations.evidence import collect, leases, mattering, opening, picture_model
from moderation.operations.infrastructure import kept_files
from moderation.operations.scoring import score
from scoring.content import Unavailable
from tests.moderation.conftest import copies
from tests.moderation.instants import AT, later
from tests.moderation.operations.evidence.conftest import Fetched, Scored
from tests.moderation.operations.evidence.hostile_site import HostileSite

pytestmark = pytest.mark.whole

PICTURE = EvidenceKind.PICTURE


class Model:
    """An image model that answers as told, and keeps what it was asked."""

    model = "image_0123456789ab"

    def __init__(self, *answers: float | None) -> None:
        self.answers = list(answers)
        self.asked: list[bytes] = []

    def probabilities(self, pictures: Sequence[bytes]) -> np.ndarray:
        self.asked += pictures
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer is None:
            raise Unavailable("DEADLINE_EXCEEDED")
        return np.array([answer])


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Model]:
    """Let the live release carry an image model that answers so."""

    def run(*answers: float | None) -> Model:
        model = Model(*answers)
        monkeypatch.setattr(image_model, "live", lambda: model)
        return model

    return run


def test_a_picture_gets_its_probability_by_thumbnail(fetched: Fetched, serve: Callable[..., Model]) -> None:
    model = serve(0.93)

    row = fetched("/picture.png", PICTURE)

    assert row.facts is not None
    assert (row.facts["image_spam_probability"], row.facts["image_model"]) == (0.93, model.model)
    [asked] = model.asked
    assert asked == kept_files.read(row.thumbnail)
    assert max(Image.open(io.BytesIO(asked)).size) <= 640


def test_without_a_model_nothing_is_said(fetched: Fetched) -> None:
    row = fetched("/picture.png", PICTURE)

    assert row.facts is not None
    assert not row.facts.keys() & {"image_spam_probability", "image_model"}


def test_a_page_is_not_asked_about(fetched: Fetched, serve: Callable[..., Model]) -> None:
    model = serve(0.93)

    row = fetched("/page")

    assert model.asked == []
    assert row.facts is not None
    assert "image_spam_probability" not in row.facts


def test_an_unusable_release_costs_no_evidence(fetched: Fetched, monkeypatch: pytest.MonkeyPatch) -> None:
    def unusable() -> None:
        raise scorer.NotKept("release 0123456789ab is not here")

    monkeypatch.setattr(image_model, "live", unusable)

    row = fetched("/picture.png", PICTURE)

    assert row.thumbnail
    assert row.facts is not None
    assert "image_spam_probability" not in row.facts


class TestSilence:
    def test_is_unknown_until_the_sweep_has_an_answer(
        self, fetched: Fetched, serve: Callable[..., Model]
    ) -> None:
        serve(None, 0.2)
        row = fetched("/picture.png", PICTURE)
        assert row.facts is not None
        assert (row.facts["image_spam_probability"], row.facts["image_model"]) == (None, Model.model)
        before = row.facts

        leases.sweep(at=later(60))

        row.refresh_from_db()
        assert row.facts == before | {"image_spam_probability": 0.2}

    def test_that_ends_has_posts_scored_with_the_answer(
        self, scored: Scored, site: HostileSite, serve: Callable[..., Model], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(mattering, "_read", lambda: {"spam_probability"})
        serve(None, 0.9)
        revision = scored(at=AT, media=[site.url("/picture.png")])
        collect.run(evidence_id=Evidence.objects.get().pk, at=AT)

        leases.sweep(at=later(60))
        opening.run(revision_ids=[revision.pk], at=later(61))
        score.run(revision_ids=[revision.pk], at=later(62))

        assert [
            [piece["picture"]["spam_probability"] for piece in one.record["evidence"]]
            for one in Score.objects.order_by("generation")
        ] == [[], [0.9]]

    def test_ends_after_a_day(self, fetched: Fetched, serve: Callable[..., Model]) -> None:
        model = serve(None)
        fetched("/picture.png", PICTURE)

        assert picture_model.ask_again(at=later(25 * 3600)) == 0
        assert len(model.asked) == 1

    def test_of_some_does_not_keep_the_sweep(self, fetched: Fetched, serve: Callable[..., Model]) -> None:
        model = serve(None)
        row = fetched("/picture.png", PICTURE)
        copies(row, [{"url_digest": f"{number:064}"} for number in range(10)])

        assert picture_model.ask_again(at=later(60)) == 0
        assert len(model.asked) == 1 + 3

    def test_without_a_file_a_row_is_skipped(self, fetched: Fetched, serve: Callable[..., Model]) -> None:
        serve(None, 0.4)
        row = fetched("/picture.png", PICTURE)
        kept_files.drop([row.thumbnail])

        assert picture_model.ask_again(at=later(60)) == 0
