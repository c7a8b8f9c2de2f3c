"""Pictures are opened with their codes and previews; their files live exactly as long as rows name them."""

import base64
import os
import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from moderation.models import Evidence, Platform, RevisionEvidence, RevisionPicture, ScoringJob, UnkeptFile
from moderation.models.evidence import EvidenceKind, EvidenceState
from moderation.models.platforms import Collecting
from moderation.models.posts import ScoreState
from moderation.operations.erasure import erase
from moderation.operations.evidence import collect, leads, opening, thumbnails
from moderation.operations.infrastructure import kept_files
from moderation.operations.scoring import score
from tests.moderation.instants import AT, later
from tests.moderation.operations.evidence.conftest import Fetched, Scored, settle
from tests.moderation.operations.evidence.hostile_site import HostileSite

pytestmark = pytest.mark.whole

PICTURE = EvidenceKind.PICTURE
STATE = EvidenceState


def test_codes_and_previews_are_opened_and_files_go_with_the_last_post(
    site: HostileSite, scored: Scored, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    media = (site.url("/picture.png"), "no address")
    first = scored(site.url("/page"), at=AT, media=media)
    settle(AT)
    second = scored(at=later(5), media=media)
    settle(later(5))

    assert set(RevisionEvidence.objects.values_list("revision", "role", "evidence__url")) == {
        (first.pk, "link", site.url("/page")),
        (first.pk, "preview", site.url("/parcel.png")),
        (first.pk, "code", "http://takes.example/from-preview"),
        (first.pk, "media", site.url("/picture.png")),
        (first.pk, "code", "http://site.example/behind-code"),
        (second.pk, "media", site.url("/picture.png")),
        (second.pk, "code", "http://site.example/behind-code"),
    }
    assert site.paths().count("/picture.png") == 1
    row = Evidence.objects.get(url=site.url("/picture.png"))
    assert row.facts is not None
    assert "5000" in row.facts["text"]
    assert "thumbnail" not in row.facts
    kept = kept_files.read(row.thumbnail)
    assert kept is not None
    assert kept[8:12] == b"WEBP"
    assert len(list(kept_files.names())) == 2

    for revision, left in ((first, [row.thumbnail]), (second, [])):
        with django_capture_on_commit_callbacks(execute=True):
            erase.post(post_id=revision.post_id, at=later(9))
        assert list(kept_files.names()) == left


@pytest.mark.parametrize(
    ("path", "state"),
    [
        ("/wide.png", STATE.TOO_LARGE),
        ("/huge.png", STATE.TOO_LARGE),
        ("/half.png", STATE.BROKEN),
        ("/slow.png", STATE.TIMED_OUT),
        ("/drawing", STATE.WRONG_KIND),
    ],
)
def test_ends_by_name_without_a_file(
    path: str, state: EvidenceState, fetched: Fetched, settings: Settings
) -> None:
    if state is STATE.TIMED_OUT:
        settings.EVIDENCE_LIMITS = replace(settings.EVIDENCE_LIMITS, hop_seconds=0.3)

    row = fetched(path, PICTURE)

    assert (row.state, row.thumbnail) == (state, "")
    assert not list(kept_files.names())


def test_text_that_takes_too_long_costs_the_text_alone(
    fetched: Fetched, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = collect._guarded_read

    def impatient(kind: str, data: bytes, **given: Any) -> dict[str, Any]:
        # No machine reads thirty lines in this time, and any has time for the rest.
        return reader(kind, data, **given | ({"seconds": 0.05} if kind == "text" else {}))

    monkeypatch.setattr(collect, "_guarded_read", impatient)

    row = fetched("/words.png", PICTURE)

    assert row.state == STATE.FETCHED
    assert row.facts is not None
    assert (row.facts["text"], row.facts["text_engine"], row.facts["height"]) == ("", "", 1900)
    assert row.detail.startswith("without its text")
    assert kept_files.read(row.thumbnail)


def test_text_is_read_once_of_a_file_and_again_of_one_that_looks_alike(
    fetched: Fetched, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def reading(kind: str, data: bytes, **_: Any) -> dict[str, Any]:
        asked.append(kind)
        facts = {"thumbnail": base64.b64encode(b"alike").decode()}
        return facts if kind == "picture" else {"text": f"{len(data)} bytes", "text_engine": "rapidocr"}

    monkeypatch.setattr(collect, "_guarded_read", reading)

    first, copy, other = (fetched(path, PICTURE) for path in ("/picture.png", "/copy.png", "/parcel.png"))

    assert asked == ["picture", "text", "picture", "picture", "text"]
    assert first.facts is not None
    assert first.facts == copy.facts
    assert other.facts is not None
    assert other.facts["text"] != first.facts["text"]


@pytest.fixture
def no_store(site: HostileSite, settings: Settings, tmp_path: Path) -> None:
    """A store that takes nothing: its folder is a file."""
    settings.EVIDENCE_DIR = tmp_path / "file"
    settings.EVIDENCE_DIR.write_text("no folder")


@pytest.mark.usefixtures("no_store")
def test_what_a_store_cannot_take_waits_and_is_brought_once(
    fetched: Fetched, settings: Settings, tmp_path: Path
) -> None:
    row = fetched("/picture.png", PICTURE)

    assert row.state == STATE.FETCHED
    assert row.detail.startswith("thumbnail waits")
    assert row.facts is not None
    assert row.facts["codes"][0]["text"] == "http://site.example/behind-code"
    waiting = UnkeptFile.objects.get()
    assert waiting.digest == row.thumbnail
    assert thumbnails.bring() == 0

    settings.EVIDENCE_DIR = tmp_path / "another"
    assert thumbnails.bring() == 1
    assert thumbnails.bring() == 0
    assert list(kept_files.names()) == [row.thumbnail]
    assert not UnkeptFile.objects.exists()


@pytest.mark.usefixtures("no_store")
def test_what_waits_for_a_store_goes_with_its_post(
    site: HostileSite, scored: Scored, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    revision = scored(at=AT, media=(site.url("/picture.png"),))
    settle(AT)
    digest = Evidence.objects.exclude(thumbnail="").values_list("thumbnail", flat=True).get()
    assert thumbnails.of_post(post_id=revision.post_id, digest=digest)

    with django_capture_on_commit_callbacks(execute=True):
        erase.post(post_id=revision.post_id, at=AT)

    assert not UnkeptFile.objects.exists()


@pytest.mark.usefixtures("no_store")
def test_too_many_waiting_cost_the_thumbnail_alone(fetched: Fetched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thumbnails, "MOST_UNKEPT", 0)

    row = fetched("/picture.png", PICTURE)

    assert (row.state, row.thumbnail) == (STATE.FETCHED, "")
    assert row.detail.startswith("thumbnail not kept")
    assert row.facts is not None
    assert not UnkeptFile.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("deletes", ["sweep", "erasure"])
def test_no_file_is_deleted_whose_row_is_about_to_be_committed(
    deletes: str, settings: Settings, tmp_path: Path
) -> None:
    """Also not one that is old and was named by nobody when it was kept again."""
    settings.EVIDENCE_DIR = tmp_path / "evidence"
    at, data = timezone.now(), b"pixels"
    digest = kept_files.keep(data)
    is_kept, has_begun = threading.Event(), threading.Event()

    def delete() -> None:
        is_kept.wait(5)
        has_begun.set()
        try:
            if deletes == "sweep":
                thumbnails.sweep(at=at + timedelta(days=1))
            else:
                thumbnails.drop_unnamed([digest])
        finally:
            connection.close()

    deleting = threading.Thread(target=delete)
    deleting.start()
    with transaction.atomic():
        kept = thumbnails.keep({"thumbnail": base64.b64encode(data).decode()}, at=at)
        is_kept.set()
        has_begun.wait(5)
        deleting.join(0.3)
        Evidence.objects.create(
            url="http://site.example/", url_digest="a", hour=at, site="site.example", kind=PICTURE,
            enqueued_at=at, since=at, due_at=at, thumbnail=kept.digest,
        )  # fmt: skip
    deleting.join(5)

    assert kept_files.read(digest) == data
    Evidence.objects.all().delete()
    os.utime(next(settings.EVIDENCE_DIR.glob("*/*")), (0, 0))
    assert thumbnails.sweep(at=at) == 1


@pytest.mark.parametrize("collects", [Collecting.ON, Collecting.UNSURE])
def test_posts_that_show_one_picture_are_scored_with_it(
    collects: Collecting, site: HostileSite, scored: Scored
) -> None:
    """At once, or again where only the score says that the picture is wanted."""
    Platform.objects.update(collects_evidence=collects)
    first = scored(at=AT, media=(site.url("/words.png"),))
    settle(AT)
    first.refresh_from_db()
    assert first.scoring.state == ScoreState.SCORED

    second = scored(at=later(5), media=(site.url("/words.png"),))

    assert set(RevisionPicture.objects.values_list("revision", flat=True)) == {first.pk, second.pk}
    state = ScoreState.SCORED if collects == Collecting.ON else ScoreState.PENDING
    assert second.scoring.state == state
    score.run(revision_ids=[second.pk], at=later(6))
    with transaction.atomic():
        leads.reopen([second.pk], at=later(7))
    settle(later(8))
    second.refresh_from_db()
    assert second.scoring.state == ScoreState.SCORED, "no news any more"


def test_posts_are_scored_again_if_their_picture_came_while_they_were_scored(
    site: HostileSite, scored: Scored
) -> None:
    Platform.objects.update(collects_evidence=Collecting.UNSURE)
    scored(at=AT, media=(site.url("/words.png"),))
    settle(AT)
    second = scored(at=later(5), media=(site.url("/words.png"),))
    with transaction.atomic():
        leads.reopen([second.pk], at=later(6))
    RevisionPicture.objects.filter(revision=second).delete()
    ScoringJob.objects.filter(pk=second.pk).update(state=ScoreState.SCORING)
    opening.run(revision_ids=[second.pk], at=later(6))
    ScoringJob.objects.filter(pk=second.pk).update(state=ScoreState.SCORED)

    opening.run(revision_ids=[second.pk], at=later(7))

    second.refresh_from_db()
    assert second.scoring.state == ScoreState.PENDING
